// Binary performance logs as they lie in the file, little endian. Nobody has published the layout. The trace around it
// is that of evntrace.h (EVENT_TRACE_HEADER, TRACE_LOGFILE_HEADER; learn.microsoft.com); the rest is what the bytes of
// two logs show, one of Vista (build 6000, 32 bits; objects as blocks) and one of Windows 10 (build 14393, 64 bits;
// raw counters), and of the second also what Windows' own relog made of it. [?] marks what they leave open.
#pragma once

#include <array>
#include <boost/endian/buffers.hpp>
#include <cstddef>
#include <cstdint>

namespace hkpd::layout {

using lu16 = boost::endian::little_uint16_buf_t;
using lu32 = boost::endian::little_uint32_buf_t;
using li32 = boost::endian::little_int32_buf_t;
using li64 = boost::endian::little_int64_buf_t;
using WireGuid = std::array<std::byte, 16>;

// The file is a sequence of buffers, all of the size that the first says (65,536 in both). In each, events stand end to
// end on multiples of 8, up to `Filled`; what follows means nothing.
struct WMI_BUFFER_HEADER {
    lu32 BufferSize;  // of the whole buffer
    lu32 Saved;       // the same as Filled, or 0 in the first buffer of the Vista log
    lu32 Current;     // beyond the buffer in both logs [?]
    lu32 References;  // 0
    li64 TimeStamp;  // when the buffer was written, UTC, where events have the local time; 0 in the first of Windows 10
    li64 Sequence;   // of buffers: 0, 1, 2, ...
    lu32 Unknown[4];  // [?]
    lu32 Filled;      // bytes of this buffer that count
    lu16 Flags;       // 1 in the first, and in the last where the log was closed [?]
    lu16 Type;        // 4 in the first, 0 in the others
    lu32 Reserved[4];
};

// Bytes 2 and 3 of an event tell which header it has. With 0xC0 in byte 3: 1 and 2 (32- and 64-bit) are events of the
// trace itself, which have their size at +4; 10 and 20 (hexadecimal 0A and 14, again 32- and 64-bit) are those of the
// performance log.
inline constexpr std::uint8_t event_marker = 0xC0;
inline constexpr std::uint8_t first_system_header = 1, last_system_header = 4;
inline constexpr std::uint8_t full_header_32 = 10, full_header_64 = 20;

// SYSTEM_TRACE_HEADER: of the first event, behind which TRACE_LOGFILE_HEADER begins.
struct SYSTEM_TRACE_HEADER {
    lu16 Version;
    std::uint8_t HeaderType, Marker;
    lu16 Size;  // with this header
    lu16 Hook;  // 0: the log's header
    lu32 ThreadId, ProcessId;
    li64 SystemTime;  // UTC
    lu32 KernelTime, UserTime;
};

// TRACE_LOGFILE_HEADER of evntrace.h, up to where the size of pointers begins to count.
struct TRACE_LOGFILE_HEADER {
    lu32 BufferSize;
    std::uint8_t MajorVersion, MinorVersion, SubVersion, SubMinorVersion;
    lu32 ProviderVersion;  // Windows' build
    lu32 NumberOfProcessors;
    li64 EndTime;  // UTC
    lu32 TimerResolution, MaximumFileSize;
    lu32 LogFileMode;  // 0x01000001 and 0x30020801 seen: sequential; 2: circular
    lu32 BuffersWritten;
    lu32 StartBuffers;  // buffers at the front that a circular log never overwrites
    lu32 PointerSize;   // 4 or 8
    lu32 EventsLost;
    lu32 CpuSpeedInMHz;
};
// Behind it two pointers of that size, TIME_ZONE_INFORMATION, on a multiple of 8 BootTime, PerfFreq and StartTime
// (UTC), u32 ReservedFlags (2: the clock is system time), u32 BuffersLost, and two strings with their NUL: LoggerName,
// which is the log's GUID in text, and LogFileName.

// Events of the log: EVENT_TRACE_HEADER (48 bytes), and what PDH puts behind it.
struct LOG_EVENT {
    lu16 Size;
    std::uint8_t HeaderType, Marker;
    std::uint8_t Class;  // EVENT_TRACE_HEADER calls it Type
    std::uint8_t Level;  // 0
    lu16 Version;        // 60
    lu32 ThreadId, ProcessId;
    // Local time, where the trace around it has UTC. All fragments of an event have the same. That of a row is when its
    // first counter was taken; those of names, catalogue and trailer are set 1 µs and more beside those of rows, so
    // that the order by time is that of the file.
    li64 TimeStamp;
    WireGuid Provider;  // {933f3bb3-943e-490d-9ced-3cbb14c14479} in both logs: PDH's
    lu32 KernelTime, UserTime;
    WireGuid Log;    // another in each log
    lu32 Fragment;   // from 1: an event ends at 8,072 bytes, and goes on in the next fragment
    lu32 Fragments;  // how many there are
};

// Classes.
inline constexpr std::uint8_t class_catalogue = 0x20, class_row = 0x22, class_trailer = 0x23, class_names = 0x24;

inline constexpr std::uint16_t record_letters = 0x4C42;

// Records in an event: two letters, type, and the length with these 8 bytes.
struct LOG_RECORD {
    std::uint8_t Letters[2];  // 'B', 'L'
    lu16 Type;
    lu32 Length;
};
// A row is one record (0x0003), and those that the catalogue lists stand in it end to end.
inline constexpr std::uint16_t record_row = 0x0003;

// A catalogue: u32 (0x06FF in both), u32 (0x00020008: [?]), then entries end to end up to one of length 0 or the end.
struct CATALOGUE_ENTRY {
    lu32 Length;       // with the strings, rounded up to 8
    lu32 Flags;        // see below
    lu32 Memory;       // an address in the writer's memory, by its look (0xC9CB38B0, ...); 0 in the Vista log
    lu32 CounterType;  // of blocks 0x10
    li64 TimeBase;     // ticks a second of the clock that the type asks for: of 100 ns timers and elapsed times 10^7
    li32 DefaultScale;
    li32 Machine, Object, Instance, Parent;  // offsets of strings from here on: see `catalogue_strings`; -1: none
    li32 Index;    // 0 in all; taken for dwInstanceIndex of PDH_COUNTER_PATH_ELEMENTS (pdh.h), as in `name#1` [?]
    li32 Counter;  // offset
};
inline constexpr std::size_t catalogue_prefix = 8, catalogue_strings = 52;
static_assert(sizeof(CATALOGUE_ENTRY) == catalogue_strings);
// Flags. Entries of raw counters have bit 29 too, in the log of Windows 10 [?].
inline constexpr std::uint32_t entry_instances = 0x1, entry_block = 0x10;

// 0x0503: a PERF_DATA_BLOCK with one object, as the registry gave it, but for SystemTime, which is local (in the Vista
// log 4 hours behind PerfTime100nSec, which is UTC, and equal to TimeStamp of the row). All blocks of a row have the
// same PerfTime.

// 0x0103: a raw counter. The fields are those of PDH_RAW_COUNTER (pdh.h).
struct RAW_COUNTER {
    lu32 CStatus;
    lu32 TimeLow, TimeHigh;  // a FILETIME, local
    lu32 Padding;
    li64 FirstValue, SecondValue;
    lu32 MultiCount;
    lu32 Padding2;
};

// 0x0203: raw counters of many instances.
struct RAW_INSTANCES {
    lu32 Size;   // of the record without its 8 bytes
    lu32 Count;  // of instances
    lu32 CStatus;
    lu32 Padding;
    lu32 TimeLow, TimeHigh;
};
// So many of them follow, and then their names.
struct RAW_INSTANCE {
    lu32 Name;  // offset from the beginning of RAW_INSTANCES, of UTF-16 with its NUL
    lu32 MultiCount;
    li64 FirstValue, SecondValue;
};

// The trailer: this, and a record (0x0503) for each object that was recorded as blocks.
struct LOG_TRAILER {
    li64 FirstTime, LastTime;  // TimeStamp of the first and of the last row
    lu32 Rows;
    lu32 Objects;  // how many records follow
    lu32 Length;   // of the trailer
    lu32 Unknown;  // 0x05FF
};
// A record of it: u32 instances (all that there ever were; -1: the object is no list), u32 counters, then for all
// counters their title indices (u32), types (u32), time bases (i64) and scales (i32), and filled up to 8; for each
// instance {i32 -1 [?: its parent], i32 -1 [?], u32 offset of its name, u32 index among those of that name}, and the
// names. It says nothing that the blocks do not say, and is not read here. It proves which TimeBase belongs to a type:
// PerfFreq, but 10^7 for clocks of 100 ns, and the object's PerfFreq for PERF_ELAPSED_TIME.

}  // namespace hkpd::layout
