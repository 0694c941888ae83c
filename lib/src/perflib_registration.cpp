#include "perflib_registration.hpp"

#include <algorithm>
#include <string>

#include "hkpd/local_perflib.hpp"

namespace hkpd {
namespace {

/// PERF_COUNTER_REG_INFO.
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

/// PERF_COUNTERSET_REG_INFO and the counters behind it.
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

/// PERF_STRING_BUFFER_HEADER, a PERF_STRING_COUNTER_HEADER for each counter, and the strings.
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
