// Reads and writes the structures that accompany data blocks: the identifiers of a query, and the registrations of its
// counters.
#include <algorithm>

#include "base/byte_writer.hpp"
#include "hkpd/v2.hpp"
#include "v2/decode.hpp"

namespace hkpd::v2 {
namespace {

constexpr std::string_view set_structure = "PERF_COUNTERSET_REG_INFO";
constexpr std::string_view counter_structure = "PERF_COUNTER_REG_INFO";
constexpr std::string_view buffer_structure = "PERF_STRING_BUFFER_HEADER";
constexpr std::string_view string_structure = "PERF_STRING_COUNTER_HEADER";

/// The number of entries in a string buffer, and the extent of its strings: offsets from the start of the buffer.
struct BufferExtent {
    std::uint64_t count;    ///< number of entries present
    std::uint64_t strings;  ///< offset of the first string
    std::uint64_t end;
};

BufferExtent buffer_extent(Bytes input, const FaultSink& faults) {
    const auto header = wire_at<layout::PERF_STRING_BUFFER_HEADER>(input.data());
    const std::uint64_t size = header.dwSize.value(), listed = header.dwCounters.value();
    const std::uint64_t count =
        std::min<std::uint64_t>(listed, (input.size() - string_buffer_header_size) / string_counter_header_size);
    const std::uint64_t strings = string_buffer_header_size + count * string_counter_header_size;
    if (count != listed)
        faults.add(Severity::error,
                   {Errc::counter_count, input.offset() + 4, buffer_structure, "dwCounters", count, listed});
    if (size < strings || size > input.size()) {
        faults.add({Errc::registration_length, input.offset(), buffer_structure, "dwSize", input.size(), size});
        return {count, strings, input.size()};
    }
    report_rest(input.from(size), buffer_structure, faults);
    return {count, strings, size};
}

constexpr std::string_view identifier_structure = "PERF_COUNTER_IDENTIFIER";
constexpr std::size_t size_field = 20;  // offset of Size in PERF_COUNTER_IDENTIFIER (perflib.h)

/// Returns the name that follows the identifier's fields; none if the name is too long or was cut off. `whole`: whether
/// the input contains the entire identifier.
std::optional<EncodedText> read_name(Bytes identifier, bool whole, const FaultSink& faults) {
    if (identifier.size() == identifier_size && whole) return EncodedText{};
    const auto [text, terminated] = characters(identifier.from(identifier_size));
    if (!whole && !terminated) return std::nullopt;  // the wrong length, which was reported, explains the missing NUL
    if (text.bytes.size() > longest_name_text) {
        faults.add(Severity::error, {Errc::instance_name, identifier.offset() + identifier_size, identifier_structure,
                                     "Name", longest_name_text, text.bytes.size()});
        return std::nullopt;
    }
    if (!terminated)
        faults.add(
            {Errc::string_unterminated, identifier.offset() + identifier_size, identifier_structure, "Name", 0, 0});
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
        const std::uint64_t space = input.size() - at;
        const auto size = load<std::uint32_t>(input.at(at + size_field), ByteOrder::little);
        const std::uint64_t place = input.offset() + at + size_field;
        const bool low = size < identifier_size, whole = !low && size <= space;
        if (!whole)
            faults.add(
                {Errc::identifier_length, place, identifier_structure, "Size", low ? identifier_size : space, size});
        else if (size % 8 != 0)
            faults.add(Severity::warning, {Errc::length_uneven, place, identifier_structure, "Size", 0, size});
        // If the length is too low, the bytes after the fields may be the next identifier: no name is read from them.
        all_.push_back(read_identifier(input.clip(at, low ? identifier_size : size), whole, faults));
        at = whole ? at + size : input.size();
    }
    const Bytes rest = input.from(at);
    // Zeros are padding; anything else is a truncated identifier.
    if (!v1::is_zero(rest))
        faults.add({Errc::truncated_header, rest.offset(), identifier_structure, "", identifier_size, rest.size()});
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
    // If two identifiers have this index, one of them has a wrong index. It is unknown which one, so neither is
    // returned.
    const auto next = found + 1;
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

std::expected<void, Error> RegistrationInfo::open(Bytes input, const FaultSink& faults) {
    counters_.clear();
    if (input.size() < counterset_reg_info_size) return too_short(input, set_structure, counterset_reg_info_size);
    header_ = decode(wire_at<layout::PERF_COUNTERSET_REG_INFO>(input.data()));
    const std::uint64_t listed = header_.NumCounters;
    const std::uint64_t there = (input.size() - counterset_reg_info_size) / counter_reg_info_size;
    if (listed > there)
        faults.add({Errc::registration_length, input.offset() + 24, set_structure, "NumCounters", input.size(),
                    counterset_reg_info_size + listed * counter_reg_info_size});
    std::uint64_t at = counterset_reg_info_size;
    for (std::uint64_t i = 0; i < std::min(listed, there); ++i, at += counter_reg_info_size)
        counters_.push_back(decode(wire_at<layout::PERF_COUNTER_REG_INFO>(input.at(at))));
    if (listed <= there) report_rest(input.from(at), set_structure, faults);
    return {};
}

std::expected<CounterRegInfo, Error> read_counter_registration(Bytes input, const FaultSink& faults) {
    if (input.size() < counter_reg_info_size) return too_short(input, counter_structure, counter_reg_info_size);
    report_rest(input.from(counter_reg_info_size), counter_structure, faults);
    return decode(wire_at<layout::PERF_COUNTER_REG_INFO>(input.data()));
}

std::expected<void, Error> StringBuffer::open(Bytes input, const FaultSink& faults) {
    entries_.clear();
    if (input.size() < string_buffer_header_size) return too_short(input, buffer_structure, string_buffer_header_size);
    const BufferExtent extent = buffer_extent(input, faults);
    const Bytes buffer = input.clip(0, extent.end);
    // Entries can share a string, but hostile offsets could give every entry the same long string. All strings together
    // are therefore limited to 16 times the size of the buffer.
    std::uint64_t bytes_left = 16 * extent.end;
    for (std::uint64_t i = 0; i < extent.count; ++i) {
        const std::uint64_t at = string_buffer_header_size + i * string_counter_header_size;
        const auto wire = wire_at<layout::PERF_STRING_COUNTER_HEADER>(buffer.at(at));
        const std::uint64_t offset = wire.dwOffset.value();
        Entry& entry = entries_.emplace_back(wire.dwCounterId.value(), std::nullopt);
        if (offset == no_string) continue;
        const std::uint64_t place = buffer.offset() + at + 4;
        const bool low = offset < extent.strings;
        const Bytes rest = buffer.from(low ? extent.end : offset);
        const auto [text, terminated] = characters(rest.clip(0, bytes_left));
        const bool limit = !terminated && bytes_left < rest.size();
        bytes_left -= std::min<std::uint64_t>(bytes_left, text.bytes.size() + 2);
        if (terminated) {
            entry.text = text;
            continue;
        }
        faults.add({limit ? Errc::value_limit : Errc::string_buffer, place, string_structure, "dwOffset",
                    low ? extent.strings : extent.end, offset});
    }
    return {};
}

EncodedText read_string(Bytes input, const FaultSink& faults) {
    const auto [text, terminated] = characters(input);
    if (!terminated)
        faults.add({Errc::string_unterminated, input.end(), "WCHAR", "", 0, 0});
    else
        report_rest(input.from(text.bytes.size() + 2), "WCHAR", faults);
    return text;
}

bool is_registration(Bytes input) noexcept {
    if (input.size() < counterset_reg_info_size) return false;
    const CountersetRegInfo header = decode(wire_at<layout::PERF_COUNTERSET_REG_INFO>(input.data()));
    const std::uint64_t counters = header.NumCounters;
    return header.CounterSetGuid != Guid{} &&
           input.size() == counterset_reg_info_size + counters * counter_reg_info_size;
}

bool is_string_buffer(Bytes input) noexcept {
    if (input.size() < string_buffer_header_size) return false;
    const auto header = wire_at<layout::PERF_STRING_BUFFER_HEADER>(input.data());
    // Offsets are not checked: a wrong offset costs only its string. Data blocks are excluded, because they also begin
    // with a length and a count.
    return header.dwSize.value() == input.size() &&
           header.dwCounters.value() <= (input.size() - string_buffer_header_size) / string_counter_header_size &&
           !is_data_block(input);
}

}  // namespace hkpd::v2
