#include <algorithm>

#include "base/byte_writer.hpp"
#include "hkpd/v2.hpp"
#include "v2/decode.hpp"

namespace hkpd::v2 {
namespace {

constexpr std::string_view identifier_structure = "PERF_COUNTER_IDENTIFIER";
constexpr std::size_t size_field = 20;  // perflib.h PERF_COUNTER_IDENTIFIER

/// The name behind the fields; `whole` unless the input ends before the identifier does.
std::optional<EncodedText> read_name(Bytes identifier, bool whole, const FaultSink& faults) {
    if (identifier.size() == identifier_size && whole) return EncodedText{};
    const auto [text, terminated] = characters(identifier.from(identifier_size));
    if (!whole && !terminated) return std::nullopt;  // the length was reported, and explains it
    if (text.bytes.size() > longest_name_text) {
        faults.add(Severity::error, {Errc::instance_name, identifier.offset() + identifier_size, identifier_structure,
                                     "Name", longest_name_text, text.bytes.size()});
        return std::nullopt;
    }
    if (!terminated)
        faults.add(Severity::warning, {Errc::string_unterminated, identifier.offset() + identifier_size,
                                       identifier_structure, "Name", 0, 0});
    return text;
}

Identifier read_identifier(Bytes bytes, bool whole, const FaultSink& faults) {
    const auto wire = wire_at<layout::PERF_COUNTER_IDENTIFIER>(bytes.data());
    return {.CounterSetGuid = decode(wire.CounterSetGuid),
            .Status = wire.Status.value(),
            .Size = wire.Size.value(),
            .CounterId = wire.CounterId.value(),
            .InstanceId = wire.InstanceId.value(),
            .Index = wire.Index.value(),
            .name = read_name(bytes, whole, faults),
            .bytes = bytes};
}

}  // namespace

void Identifiers::open(Bytes input, const FaultSink& faults) {
    all_.clear();
    std::uint64_t at = 0;
    while (input.contains(at, identifier_size)) {
        const std::uint64_t room = input.size() - at;
        const auto size = load<std::uint32_t>(input.at(at + size_field), ByteOrder::little);
        const std::uint64_t place = input.offset() + at + size_field;
        const bool low = size < identifier_size, whole = !low && size <= room;
        if (!whole)
            faults.add(Severity::error, {Errc::identifier_length, place, identifier_structure, "Size",
                                         low ? identifier_size : size, low ? size : room});
        else if (size % 8 != 0)
            faults.add(Severity::warning, {Errc::length_uneven, place, identifier_structure, "Size", 0, size});
        // What stands behind the fields of one that is too short may be the next identifier.
        all_.push_back(read_identifier(input.clip(at, low ? identifier_size : size), whole, faults));
        at = whole ? at + size : input.size();
    }
    const Bytes rest = input.from(at);
    // Zeros fill up the buffer; anything else is an identifier that was cut.
    if (!v1::is_zero(rest))
        faults.add(Severity::error,
                   {Errc::truncated_header, rest.offset(), identifier_structure, "", identifier_size, rest.size()});
    else
        report_rest(rest, identifier_structure, faults);

    by_index_.clear();
    for (std::uint32_t i = 0; i < all_.size(); ++i) by_index_.push_back(i);
    std::ranges::sort(by_index_, {}, [this](std::uint32_t i) { return all_[i].Index; });
}

const Identifier* Identifiers::find(std::uint32_t index) const noexcept {
    const auto found =
        std::ranges::lower_bound(by_index_, index, {}, [this](std::uint32_t i) { return all_[i].Index; });
    if (found == by_index_.end() || all_[*found].Index != index) return nullptr;
    const auto next = found + 1;  // of two that say the same, one lies, and nothing tells which
    return next != by_index_.end() && all_[*next].Index == index ? nullptr : &all_[*found];
}

void append_identifier(std::vector<std::byte>& out, const Guid& counterset, std::string_view instances,
                       std::uint32_t counter_id, std::uint32_t instance_id) {
    const std::size_t start = out.size();
    append_bytes(out, counterset.bytes);
    append_u32(out, 0);  // Status
    append_u32(out, 0);  // Size
    append_u32(out, counter_id);
    append_u32(out, instance_id);
    append_u32(out, 0);  // Index
    append_u32(out, 0);  // Reserved
    if (!instances.empty()) append_utf16z(out, instances);
    pad_to_8(out, start);
    patch_u32(out, start + size_field, static_cast<std::uint32_t>(out.size() - start));
}

}  // namespace hkpd::v2
