// Converts the V2 layout structures to the public ones. Also defines constants and functions that several V2 readers
// share.
#pragma once

#include <cstring>
#include <string_view>

#include "base/text/encoding.hpp"
#include "hkpd/v2.hpp"
#include "v1/object_chain.hpp"
#include "v2/layout.hpp"

namespace hkpd::v2 {

inline constexpr std::size_t counter_header_size = 16, multi_counters_size = 8, multi_instances_size = 8,
                             instance_header_size = 8, counter_data_size = 8, counterset_reg_info_size = 32,
                             counter_reg_info_size = 48, string_buffer_header_size = 8, string_counter_header_size = 8;

inline constexpr std::uint64_t system_time_at = 32;  ///< offset of SystemTime in PERF_DATA_HEADER

/// Names of structures, for the faults that several readers report.
inline constexpr std::string_view data_header_structure = "PERF_DATA_HEADER", result_structure = "PERF_COUNTER_HEADER",
                                  list_structure = "PERF_MULTI_INSTANCES";

/// Returns the structure at `at`. The caller must have checked that the input contains the whole structure.
template <class Wire>
Wire wire_at(const std::byte* at) noexcept {
    Wire wire;
    std::memcpy(&wire, at, sizeof wire);
    return wire;
}

/// Returns the number at `at`. The caller must have checked that the input contains the number.
inline std::uint32_t u32_at(Bytes bytes, std::uint64_t at) noexcept {
    return load<std::uint32_t>(bytes.at(at), ByteOrder::little);
}

/// Returns whether a value of `size` bytes is a number.
constexpr bool is_number_size(std::uint64_t size) noexcept { return size == 4 || size == 8; }

inline Guid decode(const layout::WireGuid& wire) noexcept {
    Guid guid;
    std::memcpy(guid.bytes.data(), &wire, guid.bytes.size());
    return guid;
}

inline DataHeader decode(const layout::PERF_DATA_HEADER& wire) noexcept {
    const auto time = [&](std::size_t i) { return wire.SystemTime[i].value(); };
    return {.dwTotalSize = wire.dwTotalSize.value(),
            .dwNumCounters = wire.dwNumCounters.value(),
            .PerfTimeStamp = wire.PerfTimeStamp.value(),
            .PerfTime100NSec = wire.PerfTime100NSec.value(),
            .PerfFreq = wire.PerfFreq.value(),
            .SystemTime = {time(0), time(1), time(2), time(3), time(4), time(5), time(6), time(7)}};
}

inline CounterHeader decode(const layout::PERF_COUNTER_HEADER& wire) noexcept {
    return {.dwStatus = wire.dwStatus.value(),
            .dwType = wire.dwType.value(),
            .dwSize = wire.dwSize.value(),
            .Reserved = wire.Reserved.value()};
}

inline CountersetRegInfo decode(const layout::PERF_COUNTERSET_REG_INFO& wire) noexcept {
    return {.CounterSetGuid = decode(wire.CounterSetGuid),
            .CounterSetType = wire.CounterSetType.value(),
            .DetailLevel = wire.DetailLevel.value(),
            .NumCounters = wire.NumCounters.value(),
            .InstanceType = static_cast<InstanceType>(wire.InstanceType.value())};
}

inline CounterRegInfo decode(const layout::PERF_COUNTER_REG_INFO& wire) noexcept {
    return {.CounterId = wire.CounterId.value(),
            .Type = wire.Type.value(),
            .Attrib = wire.Attrib.value(),
            .DetailLevel = wire.DetailLevel.value(),
            .DefaultScale = wire.DefaultScale.value(),
            .BaseCounterId = wire.BaseCounterId.value(),
            .PerfTimeId = wire.PerfTimeId.value(),
            .PerfFreqId = wire.PerfFreqId.value(),
            .MultiId = wire.MultiId.value(),
            .AggregateFunc = static_cast<Aggregate>(wire.AggregateFunc.value()),
            .Reserved = wire.Reserved.value()};
}

/// Returns the error for an input that is too short for a structure of `expected` bytes.
inline std::unexpected<Error> too_short(Bytes input, std::string_view structure, std::uint64_t expected) {
    return std::unexpected(Error{Errc::truncated_header, input.offset(), structure, "", expected, input.size()});
}

/// Reports bytes after a structure. Fewer than 8 bytes are padding and are not reported.
inline void report_rest(Bytes rest, std::string_view structure, const FaultSink& faults,
                        std::uint32_t object = no_index) {
    if (rest.size() >= 8) v1::report_leftover(rest, structure, object, faults);
}

/// A UTF-16 text of a V2 structure, without its NUL. `terminated`: whether there is a NUL after the text.
struct Characters {
    EncodedText text;
    bool terminated = false;
};
inline Characters characters(Bytes bytes) noexcept {
    const EncodedText text = name_text(bytes, 0, ByteOrder::little);
    return {text, bytes.size() - text.bytes.size() >= 2};
}

}  // namespace hkpd::v2
