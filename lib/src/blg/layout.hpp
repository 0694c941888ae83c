// Layout of binary performance logs. All numbers are little-endian. Microsoft has not published the layout; only the
// enclosing trace is described, in evntrace.h (EVENT_TRACE_HEADER, TRACE_LOGFILE_HEADER; learn.microsoft.com).
// Everything else is derived from the bytes of two logs. The "Vista log" (written by Windows build 6000, 32 bits)
// contains V1 blocks. The "Windows 10 log" (written by Windows build 14393, 64 bits) contains raw counters. The output
// of Windows' relog for the Windows 10 log was used, too. "Meaning unknown" and "assumed" mark what these sources do
// not show.
#pragma once

#include <array>
#include <boost/endian/buffers.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

#include "hkpd/bytes.hpp"

namespace hkpd::layout {

using lu16 = boost::endian::little_uint16_buf_t;
using lu32 = boost::endian::little_uint32_buf_t;
using li32 = boost::endian::little_int32_buf_t;
using li64 = boost::endian::little_int64_buf_t;
using WireGuid = std::array<std::byte, 16>;

// The file is a sequence of buffers. All buffers have the size that the first buffer states (65,536 bytes in the Vista
// and the Windows 10 log). A buffer consists of a header and of events that are aligned to 8 bytes. The bytes from
// offset `Filled` to the end of the buffer are meaningless.
struct WMI_BUFFER_HEADER {
    lu32 BufferSize;  // size of the entire buffer
    lu32 Saved;       // equal to Filled; 0 in the first buffer of the Vista log
    lu32 Current;     // meaning unknown; larger than the buffer in the Vista and the Windows 10 log
    lu32 References;  // 0
    li64 TimeStamp;   // UTC time of writing (events have local times); 0 in the first buffer of the Windows 10 log
    li64 Sequence;    // number of the buffer: 0, 1, 2, ...
    lu32 Unknown[4];  // meaning unknown
    lu32 Filled;      // number of used bytes of this buffer, including this header
    lu16 Flags;       // meaning unknown; 1 in the first buffer, and in the last buffer of a closed log
    lu16 Type;        // 4 in the first buffer, 0 in the others
    lu32 Reserved[4];
};

// Bytes 2 and 3 of an event identify the kind of its header. Byte 3 is 0xC0 in all events described here. Byte 2 is 1
// to 4 in events of the trace itself, which have their size at offset 4. Of these kinds, 1 is the 32-bit header and 2
// the 64-bit header; 3 and 4 are shorter headers that occur in neither log. Byte 2 is 10 (32-bit) or 20 (64-bit) in
// events of the performance log, which have their size at offset 0.
inline constexpr std::uint8_t event_marker = 0xC0;
inline constexpr std::uint8_t first_system_header = 1, last_system_header = 4;
inline constexpr std::uint8_t full_header_32 = 10, full_header_64 = 20;

// The header of the first event. A TRACE_LOGFILE_HEADER follows it.
struct SYSTEM_TRACE_HEADER {
    lu16 Version;
    std::uint8_t HeaderType, Marker;
    lu16 Size;  // including this header
    lu16 Hook;  // 0 if a TRACE_LOGFILE_HEADER follows
    lu32 ThreadId, ProcessId;
    li64 SystemTime;  // UTC
    lu32 KernelTime, UserTime;
};

// TRACE_LOGFILE_HEADER of evntrace.h, up to the fields that depend on the size of pointers.
struct TRACE_LOGFILE_HEADER {
    lu32 BufferSize;
    std::uint8_t MajorVersion, MinorVersion, SubVersion, SubMinorVersion;
    lu32 ProviderVersion;  // Windows' build
    lu32 NumberOfProcessors;
    li64 EndTime;  // UTC
    lu32 TimerResolution, MaximumFileSize;
    lu32 LogFileMode;  // bit 1 (0x2): circular; not set in the two logs (0x01000001, 0x30020801)
    lu32 BuffersWritten;
    lu32 StartBuffers;  // number of buffers at the start that a circular log never overwrites
    lu32 PointerSize;   // 4 or 8
    lu32 EventsLost;
    lu32 CpuSpeedInMHz;
};
// Two pointers of PointerSize bytes and a TIME_ZONE_INFORMATION follow this structure. Padding up to a multiple of
// 8 bytes comes next. Three i64 follow: BootTime, PerfFreq and StartTime (UTC). Two u32 follow: ReservedFlags (2: the
// clock is system time) and BuffersLost. Two strings with NUL are at the end: LoggerName, which is the log's GUID as
// text, and LogFileName.

// The header of an event of the log: the fields of EVENT_TRACE_HEADER (48 bytes), then fields that PDH adds.
struct LOG_EVENT {
    lu16 Size;
    std::uint8_t HeaderType, Marker;
    std::uint8_t Class;  // EVENT_TRACE_HEADER calls it Type
    std::uint8_t Level;  // 0
    lu16 Version;        // 60
    lu32 ThreadId, ProcessId;
    // Local time, although the enclosing trace uses UTC. All fragments of an event have the same time. The time of a
    // row is the time at which its first counter was taken. Events with names, catalogue or trailer have times at least
    // 1 µs before or after the times of rows. Sorting the events by time therefore gives their order in the file.
    li64 TimeStamp;
    WireGuid Provider;  // PDH: {933f3bb3-943e-490d-9ced-3cbb14c14479}
    lu32 KernelTime, UserTime;
    WireGuid Log;    // GUID of the log; different in each log
    lu32 Fragment;   // number of this fragment, from 1; a fragment has at most 8,072 bytes of the event
    lu32 Fragments;  // number of fragments of the event
};

// Values of `Class`.
inline constexpr std::uint8_t class_catalogue = 0x20, class_row = 0x22, class_trailer = 0x23, class_names = 0x24;

inline constexpr std::uint16_t record_letters = 0x4C42;

// The header of a record in an event. `Length` is the size of the whole record, including this header of 8 bytes.
struct LOG_RECORD {
    std::uint8_t Letters[2];  // 'B', 'L'
    lu16 Type;
    lu32 Length;
};
// A row is one record (type 0x0003) that contains one record for each entry of the catalogue, in the same order.
inline constexpr std::uint16_t record_row = 0x0003;

// A catalogue begins with two u32, meaning unknown. In the Vista and the Windows 10 log, they are 0x06FF and
// 0x00020008. Entries follow, up to an entry with length 0 or the end of the event.
struct CATALOGUE_ENTRY {
    lu32 Length;       // including the strings, rounded up to 8
    lu32 Flags;        // `entry_instances`, `entry_block`
    lu32 Memory;       // apparently an address in the writer's memory (0xC9CB38B0, ...); 0 in the Vista log
    lu32 CounterType;  // 0x10 for blocks
    li64 TimeBase;     // ticks per second of the type's clock: 10^7 for 100 ns timers and elapsed times
    li32 DefaultScale;
    // Each of these fields is the offset of a string, counted from offset `catalogue_strings` of the entry. -1 means
    // that the entry has no such string.
    li32 Machine, Object, Instance, Parent;
    li32 Index;    // 0 in all entries seen; assumed to be dwInstanceIndex (pdh.h, PDH_COUNTER_PATH_ELEMENTS): `name#1`
    li32 Counter;  // offset of a string, as in `Machine`
};
inline constexpr std::size_t catalogue_prefix = 8, catalogue_strings = 52;
static_assert(sizeof(CATALOGUE_ENTRY) == catalogue_strings);
// Values of `Flags`. In the Windows 10 log, entries of raw counters also have bit 29, meaning unknown.
inline constexpr std::uint32_t entry_instances = 0x1, entry_block = 0x10;

// Record type 0x0503: a PERF_DATA_BLOCK with one object, as the registry returned it, except that its SystemTime is
// local time. In the Vista log, SystemTime equals the row's TimeStamp and is 4 hours before PerfTime100nSec, which is
// UTC. All blocks of a row have the same PerfTime.

// Record type 0x0103: a raw counter. The fields are those of PDH_RAW_COUNTER (pdh.h).
struct RAW_COUNTER {
    lu32 CStatus;
    lu32 TimeLow, TimeHigh;  // a FILETIME, local
    lu32 Padding;
    li64 FirstValue, SecondValue;
    lu32 MultiCount;
    lu32 Padding2;
};

// Record type 0x0203: raw counters of many instances.
struct RAW_INSTANCES {
    lu32 Size;   // size of the record without the 8 bytes of LOG_RECORD
    lu32 Count;  // number of instances
    lu32 CStatus;
    lu32 Padding;
    lu32 TimeLow, TimeHigh;
};
// `Count` structures of this kind follow RAW_INSTANCES, then the names.
struct RAW_INSTANCE {
    lu32 Name;  // offset of the name (UTF-16 with NUL) from the beginning of RAW_INSTANCES
    lu32 MultiCount;
    li64 FirstValue, SecondValue;
};

// The trailer: this structure, then a record (type 0x0503) for each object that was recorded as blocks.
struct LOG_TRAILER {
    li64 FirstTime, LastTime;  // TimeStamp of the first and of the last row
    lu32 Rows;
    lu32 Objects;  // number of records that follow
    lu32 Length;   // size of the trailer
    lu32 Unknown;  // 0x05FF
};
// A record of the trailer begins with two u32: the number of instances and the number of counters. The number of
// instances includes every instance that existed in any row of the log; it is -1 for an object without instances. Four
// arrays with one element for each counter follow: title indices (u32), types (u32), time bases (i64) and scales (i32).
// The arrays are padded to a multiple of 8 bytes. One structure for each instance follows. Its fields are two i32 with
// unknown meaning (both are -1; the first may be the parent), the offset of the instance's name (u32), and the index
// among the instances of that name (u32). The names are at the end of the record. hkpd does not read these records,
// because the blocks contain the same information. The time bases in the trailer show the TimeBase of each type: 10^7
// for 100 ns clocks, the object's PerfFreq for PERF_ELAPSED_TIME, and the block's PerfFreq for all other types.

}  // namespace hkpd::layout

namespace hkpd::blg {

/// Name of the structure in all faults about records.
inline constexpr std::string_view record_structure = "performance log record";

/// Returns the structure at `offset`; none if the input does not hold all of it.
template <class Wire>
    requires std::is_trivially_copyable_v<Wire>
std::optional<Wire> wire_at(Bytes input, std::uint64_t offset) noexcept {
    if (!input.contains(offset, sizeof(Wire))) return std::nullopt;
    Wire wire;
    std::memcpy(&wire, input.at(offset), sizeof wire);
    return wire;
}

/// Returns the value of a FILETIME that is stored unaligned, as two 32-bit halves.
inline std::int64_t filetime(const layout::lu32& low, const layout::lu32& high) noexcept {
    return static_cast<std::int64_t>(std::uint64_t{high.value()} << 32U | low.value());
}

/// Returns `size` rounded up to a multiple of 8.
constexpr std::uint64_t aligned(std::uint64_t size) noexcept { return (size + 7) & ~std::uint64_t{7}; }

}  // namespace hkpd::blg
