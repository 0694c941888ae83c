#include "provider/v2_writer.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/win32.hpp"
#include "hkpd/live.hpp"

namespace hkpd {

namespace {

constexpr std::size_t result_size_at = 8;  // offset of dwSize in PERF_COUNTER_HEADER
// `value_size`: size of a PERF_COUNTER_DATA with its value. `error_size`: size of a result of type `error`, which is
// only a PERF_COUNTER_HEADER.
constexpr std::uint32_t value_size = 16, error_size = 16;

/// The positions of counters in their counterset.
using CounterPositions = std::vector<std::size_t>;

void append_header(ByteBuffer& out, std::uint32_t status, v2::ResultType type) {
    append_u32(out, status);
    append_u32(out, static_cast<std::uint32_t>(type));
    append_u32(out, error_size);
    append_u32(out, 0);
}

v2::ResultType type_of(const QueryPart& part) noexcept {
    const bool all_counters = part.counter_id == v2::wildcard_counter;
    if (part.instances.has_wildcard())
        return all_counters ? v2::ResultType::counterset : v2::ResultType::multiple_instances;
    return all_counters ? v2::ResultType::multiple_counters : v2::ResultType::single_counter;
}

/// Returns the positions of the counters that a part of a query requests; none if the counterset has no counter with
/// the requested id.
std::optional<CounterPositions> requested_counters(const QueryPart& part, const RegisteredCounterset& set) {
    if (part.counter_id == v2::wildcard_counter) {
        CounterPositions all;
        for (std::size_t i = 0; i < set.descriptor.counters.size(); ++i) all.push_back(i);
        return all;
    }
    const auto position = set.position(part.counter_id);
    if (!position) return std::nullopt;
    return CounterPositions{*position};
}

/// Appends a PERF_MULTI_COUNTERS with the ids of `counters`.
void append_ids(ByteBuffer& out, const RegisteredCounterset& set, const CounterPositions& counters) {
    const std::size_t start = out.size();
    append_u32(out, 0);
    append_u32(out, u32(counters.size()));
    for (const std::size_t position : counters) append_u32(out, set.descriptor.counters[position].id);
    pad_to_8(out, start);
    patch_u32(out, start, u32(out.size() - start));
}

/// For each of `counters`, appends a PERF_COUNTER_DATA with the value of the instance.
void append_values(ByteBuffer& out, const RegisteredCounterset& set, const CounterPositions& counters,
                   const CollectedInstance& instance) {
    for (const std::size_t position : counters) {
        const std::uint32_t size = set.descriptor.counters[position].size;
        append_u32(out, size);
        append_u32(out, value_size);
        append_number(out, instance.values[position], size);
        if (size == 4) append_u32(out, 0);
    }
}

/// Appends a PERF_MULTI_INSTANCES with the values of the instances that `part`, one identifier of the query, requests.
void append_list(ByteBuffer& out, const QueryPart& part, const RegisteredCounterset& set,
                 const CounterPositions& counters, const Collected& collected) {
    const std::size_t start = out.size();
    append_u32(out, 0);
    append_u32(out, 0);
    std::uint32_t count = 0;
    for (const CollectedInstance& instance : collected.instances) {
        if (!part.instances.matches(instance.name, instance.id)) continue;
        append_instance_header(out, instance.name.text, instance.id);
        append_values(out, set, counters, instance);
        ++count;
    }
    patch_u32(out, start, u32(out.size() - start));
    patch_u32(out, start + 4, count);
}

}  // namespace

void append_data_header(ByteBuffer& out, const Moment& moment, std::uint32_t results) {
    append_u32(out, 0);  // dwTotalSize
    append_u32(out, results);
    append_i64(out, moment.perf_time);
    append_i64(out, moment.perf_time_100ns);
    append_i64(out, moment.perf_frequency);
    append_system_time(out, moment.system_time);
}

void finish_data(ByteBuffer& out) { patch_u32(out, 0, u32(out.size())); }

void append_instance_header(ByteBuffer& out, std::string_view name, std::uint32_t id) {
    const std::size_t start = out.size();
    append_u32(out, 0);
    append_u32(out, id);
    append_utf16z(out, name);
    pad_to_8(out, start);
    patch_u32(out, start, u32(out.size() - start));
}

void append_result(ByteBuffer& out, const QueryPart& part, const RegisteredCounterset& set,
                   const Collected& collected) {
    const auto error = [&out](std::uint32_t status) { append_header(out, status, v2::ResultType::error); };
    const auto wanted = requested_counters(part, set);
    if (!wanted) return error(win32::wmi_itemid_not_found);
    if (collected.status != win32::success) return error(collected.status);
    const CounterPositions& counters = *wanted;
    const v2::ResultType type = type_of(part);
    const std::size_t start = out.size();
    if (part.instances.has_wildcard()) {
        append_header(out, win32::success, type);
        if (type == v2::ResultType::counterset) append_ids(out, set, counters);
        append_list(out, part, set, counters, collected);
    } else {
        const auto found = std::ranges::find_if(collected.instances, [&](const CollectedInstance& instance) {
            return part.instances.matches(instance.name, instance.id);
        });
        if (found == collected.instances.end()) return error(win32::wmi_instance_not_found);
        append_header(out, win32::success, type);
        if (type == v2::ResultType::multiple_counters) append_ids(out, set, counters);
        append_values(out, set, counters, *found);
    }
    patch_u32(out, start + result_size_at, u32(out.size() - start));
}

namespace {

/// Appends a PERF_COUNTER_REG_INFO for a counter.
void append_counter(ByteBuffer& out, const CounterDescriptor& counter) {
    append_u32(out, counter.id);
    append_u32(out, counter.type);
    append_u64(out, counter.attributes);
    append_u32(out, counter.detail_level);
    append_i32(out, counter.scale);
    append_u32(out, counter.base_id);
    append_u32(out, counter.time_id);
    append_u32(out, counter.frequency_id);
    append_u32(out, counter.multi_id);
    append_u32(out, static_cast<std::uint32_t>(counter.aggregate));
    append_u32(out, 0);
}

/// Appends a PERF_COUNTERSET_REG_INFO, and a PERF_COUNTER_REG_INFO for each counter.
void append_counterset(ByteBuffer& out, const CountersetDescriptor& set) {
    append_bytes(out, set.guid.bytes);
    append_u32(out, 0);  // CounterSetType: reserved
    append_u32(out, set.detail_level);
    append_u32(out, u32(set.counters.size()));
    append_u32(out, static_cast<std::uint32_t>(set.instances));
    for (const CounterDescriptor& counter : set.counters) append_counter(out, counter);
}

std::uint32_t append_one_counter(ByteBuffer& out, const CountersetDescriptor& set, std::uint32_t id) {
    const auto found = std::ranges::find(set.counters, id, &CounterDescriptor::id);
    if (found == set.counters.end()) return win32::wmi_itemid_not_found;
    append_counter(out, *found);
    return win32::success;
}

std::uint32_t append_string(ByteBuffer& out, std::string_view text) {
    if (text.empty()) return win32::not_found;
    append_utf16z(out, text);
    return win32::success;
}

/// Appends a PERF_STRING_BUFFER_HEADER, a PERF_STRING_COUNTER_HEADER for each counter, and the strings. Always returns
/// success. `text` selects the name or the help text. If a counter has no such string, its PERF_STRING_COUNTER_HEADER
/// contains `no_string` instead of an offset. `out` must be empty, because the offsets count from the first byte of
/// `out`.
std::uint32_t append_strings(ByteBuffer& out, const CountersetDescriptor& set, std::string CounterDescriptor::* text) {
    constexpr std::size_t header_size = 8;
    append_u32(out, 0);
    append_u32(out, u32(set.counters.size()));
    for (const CounterDescriptor& counter : set.counters) {
        append_u32(out, counter.id);
        append_u32(out, v2::no_string);
    }
    for (std::size_t i = 0; i < set.counters.size(); ++i) {
        const std::string& string = set.counters[i].*text;
        if (string.empty()) continue;
        patch_u32(out, header_size * (i + 1) + 4, u32(out.size()));
        append_utf16z(out, string);
    }
    pad_to_8(out);
    patch_u32(out, 0, u32(out.size()));
    return win32::success;
}

}  // namespace

std::uint32_t append_registration(ByteBuffer& out, const CountersetDescriptor& set, v2::RegistrationRequest request,
                                  std::uint32_t argument) {
    using enum v2::RegistrationRequest;
    switch (request) {
        case counterset_struct:
            append_counterset(out, set);
            return win32::success;
        case counter_struct:
            return append_one_counter(out, set, argument);
        case counterset_name:
        case counterset_english:
            return append_string(out, set.name);
        case counterset_help:
            return append_string(out, set.help);
        case counter_names:
        case counter_names_english:
            return append_strings(out, set, &CounterDescriptor::name);
        case counter_help:
            return append_strings(out, set, &CounterDescriptor::help);
        case provider_name:
            return append_string(out, set.provider_name);
        case provider_guid:
            append_bytes(out, set.provider_guid.bytes);
            return win32::success;
    }
    return win32::invalid_parameter;
}

}  // namespace hkpd
