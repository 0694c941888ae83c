#include <algorithm>

#include "hkpd/diagnostics.hpp"
#include "hkpd/v2.hpp"
#include "v1/object_chain.hpp"
#include "v2/decode.hpp"

namespace hkpd::v2 {
namespace {

constexpr std::string_view ids_structure = "PERF_MULTI_COUNTERS";

}  // namespace

std::expected<void, Error> Result::open(const ResultEntry& entry, std::uint32_t object, const FaultSink& faults) {
    ids_.clear();
    type_ = static_cast<ResultType>(entry.header.dwType);
    status_ = entry.header.dwStatus;
    object_ = object;
    values_per_instance_ = listed_ = expected_ = list_size_ = 0;
    list_at_ = 0;
    cut_ = entry.bytes.size() < entry.header.dwSize;
    body_ = entry.bytes.from(counter_header_size);
    switch (type_) {
        case ResultType::error:
            report_lost(entry, faults);
            return {};
        case ResultType::single_counter:
        case ResultType::multiple_instances:
            values_per_instance_ = 1;
            break;
        case ResultType::multiple_counters:
        case ResultType::counterset:
            if (auto read = read_ids(body_, faults); !read) return read;
            break;
        default:
            type_ = ResultType::error;
            return std::unexpected(
                Error{Errc::result_type, entry.bytes.offset() + 4, result_structure, "dwType", 0, entry.header.dwType});
    }
    if (has_instances()) return read_list();
    listed_ = expected_ = 1;
    return {};
}

/// A result of type `error` has a status and nothing else: one that says success, or holds data, was another one.
void Result::report_lost(const ResultEntry& entry, const FaultSink& faults) const {
    const bool zero = std::ranges::all_of(body_.span(), [](std::byte b) { return b == std::byte{0}; });
    // Fewer than 8 bytes are padding.
    if (status_ == 0 || (body_.size() >= 8 && !zero))
        faults.add(Severity::error, {Errc::result_type, entry.bytes.offset() + 4, result_structure, "dwType", 0, 0},
                   object_);
    else if (body_.size() >= 8)
        v1::report_leftover(body_, result_structure, object_, faults);
}

/// Reads PERF_MULTI_COUNTERS, and leaves what stands behind it for the body.
std::expected<void, Error> Result::read_ids(Bytes bytes, const FaultSink& faults) {
    if (bytes.size() < multi_counters_size)
        return std::unexpected(
            Error{Errc::truncated_header, bytes.offset(), ids_structure, "", multi_counters_size, bytes.size()});
    const auto wire = wire_at<layout::PERF_MULTI_COUNTERS>(bytes.data());
    const std::uint64_t size = wire.dwSize.value(), count = wire.dwCounters.value();
    const std::uint64_t need = multi_counters_size + count * 4;
    if (size > bytes.size() || size < multi_counters_size)
        return std::unexpected(Error{Errc::counter_ids, bytes.offset(), ids_structure, "dwSize",
                                     size < multi_counters_size ? need : size,
                                     size < multi_counters_size ? size : bytes.size()});
    if (need > size)
        return std::unexpected(Error{Errc::counter_ids, bytes.offset() + 4, ids_structure, "dwCounters", need, size});
    for (std::uint64_t at = multi_counters_size; at < need; at += 4) ids_.push_back(u32_at(bytes, at));
    values_per_instance_ = static_cast<std::uint32_t>(count);
    body_ = bytes.from(size);
    if (size % 8 != 0) {
        faults.add(Severity::warning, {Errc::length_uneven, bytes.offset(), ids_structure, "dwSize", 0, size}, object_);
        // Padding behind an odd number of ids may have been left out of the length.
        const Bytes aligned = bytes.from(size + 8 - size % 8);
        if (!is_behind_ids(body_) && is_behind_ids(aligned)) body_ = aligned;
    }
    if (size - need >= 8) v1::report_leftover(bytes.slice(need, size - need), ids_structure, object_, faults);
    return {};
}

/// Whether what stands behind the ids can begin here: a list that fills the rest, or a value.
bool Result::is_behind_ids(Bytes bytes) const noexcept {
    if (!bytes.contains(0, counter_data_size)) return false;
    const std::uint32_t first = u32_at(bytes, 0);
    return has_instances() ? first == bytes.size() : is_number_size(first);
}

/// Reads PERF_MULTI_INSTANCES, and leaves the instances for the body: all that is left of the result, so that a wrong
/// dwTotalSize costs none of them.
std::expected<void, Error> Result::read_list() {
    if (body_.size() < multi_instances_size)
        return std::unexpected(
            Error{Errc::truncated_header, body_.offset(), list_structure, "", multi_instances_size, body_.size()});
    const auto wire = wire_at<layout::PERF_MULTI_INSTANCES>(body_.data());
    list_at_ = body_.offset();
    list_size_ = wire.dwTotalSize.value();
    listed_ = wire.dwInstances.value();
    body_ = body_.from(multi_instances_size);
    const std::uint64_t least = instance_header_size + std::uint64_t{values_per_instance_} * counter_data_size;
    expected_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(listed_, body_.size() / least));
    return {};
}

}  // namespace hkpd::v2
