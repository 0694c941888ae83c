#include <cstring>

#include "base/text/encoding.hpp"
#include "blg/blg.hpp"
#include "blg/decode.hpp"
#include "hkpd/diagnostics.hpp"

namespace hkpd::blg {
namespace {

constexpr std::uint64_t head_size = sizeof(layout::LOG_RECORD), raw_size = sizeof(layout::RAW_COUNTER),
                        instances_size = sizeof(layout::RAW_INSTANCES), instance_size = sizeof(layout::RAW_INSTANCE);

std::optional<Form> form_of_record(std::uint16_t type) noexcept {
    switch (type) {
        case layout::record_raw:
            return Form::raw;
        case layout::record_instances:
            return Form::instances;
        case layout::record_block:
            return Form::block;
        default:
            return std::nullopt;
    }
}

/// A record at the front of `rest`, as long as it says.
struct Frame {
    std::uint16_t type;
    Bytes bytes;
};

/// Of a record that is long enough for one and begins with its two letters.
std::expected<layout::LOG_RECORD, Error> head_at(Bytes bytes) {
    const auto head = wire_at<layout::LOG_RECORD>(bytes, 0);
    if (!head)
        return std::unexpected(Error{Errc::log_record, bytes.offset(), record_structure, "", head_size, bytes.size()});
    const std::uint32_t letters = load<std::uint16_t>(bytes.data(), ByteOrder::little);
    if (letters == layout::record_letters) return *head;
    return std::unexpected(
        Error{Errc::log_record, bytes.offset(), record_structure, "Letters", layout::record_letters, letters});
}

std::expected<Frame, Error> frame_at(Bytes rest) {
    const auto head = head_at(rest);
    if (!head) return std::unexpected(head.error());
    const std::uint64_t length = head->Length.value();
    if (length < head_size || length > rest.size())
        return std::unexpected(Error{Errc::log_record, rest.offset(), record_structure, "Length", rest.size(), length});
    return Frame{head->Type.value(), rest.clip(0, length)};
}

}  // namespace

std::expected<void, Error> Row::open(Bytes event, const FaultSink& faults) {
    bytes_ = event;
    records_.clear();
    whole_ = false;
    const auto head = head_at(event);
    if (!head) return std::unexpected(head.error());
    if (head->Type.value() != layout::record_row)
        return std::unexpected(
            Error{Errc::log_unknown, event.offset(), record_structure, "Type", layout::record_row, head->Type.value()});
    // Its own length says nothing that those of its records do not say.
    const std::uint64_t length = head->Length.value();
    const bool sound = length >= head_size && length <= event.size();
    whole_ = length <= event.size();
    if (!sound)
        faults.add(Severity::error,
                   {Errc::log_record, event.offset(), record_structure, "Length", event.size(), length});
    for (Bytes rest = event.clip(0, sound ? length : event.size()).from(head_size); !rest.empty();) {
        const auto record = frame_at(rest);
        if (!record) {
            faults.add(Severity::error, record.error());
            whole_ = false;
            break;
        }
        if (const auto form = form_of_record(record->type)) {
            records_.push_back({*form, record->bytes.from(head_size)});
        } else {
            faults.add(Severity::warning,
                       {Errc::log_unknown, rest.offset(), record_structure, "Type", 0, record->type});
            whole_ = false;
        }
        rest = rest.from(record->bytes.size());
    }
    return {};
}

std::expected<RawCounter, Error> read_raw(Bytes body) {
    const auto wire = wire_at<layout::RAW_COUNTER>(body, 0);
    // The last four bytes only fill it up.
    if (!wire)
        return std::unexpected(Error{Errc::log_record, body.offset(), "PDH_RAW_COUNTER", "", raw_size, body.size()});
    return RawCounter{wire->CStatus.value(), filetime(wire->TimeLow, wire->TimeHigh), wire->FirstValue.value(),
                      wire->SecondValue.value(), wire->MultiCount.value()};
}

std::expected<void, Error> RawInstances::open(Bytes body) {
    *this = {};
    const auto wire = wire_at<layout::RAW_INSTANCES>(body, 0);
    const auto fault = [&](std::string_view field, std::uint64_t need, std::uint64_t have) {
        return std::unexpected(Error{Errc::log_record, body.offset(), "PDH_RAW_COUNTER_ITEM", field, need, have});
    };
    if (!wire) return fault("", instances_size, body.size());
    const std::uint64_t count = wire->Count.value();
    if (count * instance_size > body.size() - instances_size)
        return fault("Count", (body.size() - instances_size) / instance_size, count);
    body_ = body;
    status_ = wire->CStatus.value();
    time_ = filetime(wire->TimeLow, wire->TimeHigh);
    count_ = count;
    return {};
}

const std::byte* RawInstances::at(std::size_t position) const noexcept {
    return body_.at(instances_size + position * instance_size);
}

RawCounter RawInstances::counter(std::size_t position) const noexcept {
    layout::RAW_INSTANCE wire;
    std::memcpy(&wire, at(position), sizeof wire);
    return {status_, time_, wire.FirstValue.value(), wire.SecondValue.value(), wire.MultiCount.value()};
}

std::optional<EncodedText> RawInstances::name(std::size_t position) const noexcept {
    static_assert(offsetof(layout::RAW_INSTANCE, Name) == 0);
    const std::uint64_t begin = load<std::uint32_t>(at(position), ByteOrder::little);
    if (begin < instances_size + count_ * instance_size || begin >= body_.size()) return std::nullopt;
    const Bytes field = body_.clip(begin, longest_name_field);
    const EncodedText text = name_text(field, 0, ByteOrder::little);
    return text.bytes.size() + 2 <= field.size() ? std::optional(text) : std::nullopt;
}

}  // namespace hkpd::blg
