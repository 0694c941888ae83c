// Offsets of the fields of the V1 structures, with Microsoft's names: winperf.h and learn.microsoft.com "Performance
// Data Format". For tests, and deliberately separate from the reader's layout.
#pragma once

#include <cstddef>
#include <cstdint>

namespace blob {

namespace data_block {
inline constexpr std::size_t Signature = 0, LittleEndian = 8, Version = 12, Revision = 16, TotalByteLength = 20,
                             HeaderLength = 24, NumObjectTypes = 28, DefaultObject = 32, SystemTime = 36, PerfTime = 56,
                             PerfFreq = 64, PerfTime100nSec = 72, SystemNameLength = 80, SystemNameOffset = 84,
                             size = 88;
}
namespace object_type {
inline constexpr std::size_t TotalByteLength = 0, DefinitionLength = 4, HeaderLength = 8, ObjectNameTitleIndex = 12,
                             ObjectHelpTitleIndex = 20, DetailLevel = 28, NumCounters = 32, DefaultCounter = 36,
                             NumInstances = 40, CodePage = 44, PerfTime = 48, PerfFreq = 56, size = 64;
}
namespace counter_definition {
inline constexpr std::size_t ByteLength = 0, CounterNameTitleIndex = 4, CounterHelpTitleIndex = 12, DefaultScale = 20,
                             DetailLevel = 24, CounterType = 28, CounterSize = 32, CounterOffset = 36, size = 40;
}
namespace instance_definition {
inline constexpr std::size_t ByteLength = 0, ParentObjectTitleIndex = 4, ParentObjectInstance = 8, UniqueID = 12,
                             NameOffset = 16, NameLength = 20, size = 24;
}

namespace counter_type {
inline constexpr std::uint32_t rawcount = 0x0001'0000, large_rawcount = 0x0001'0100, text_unicode = 0x0000'0B00,
                               text_ascii = 0x0001'0B00, counter = 0x1041'0400, bulk_count = 0x1041'0500,
                               raw_fraction = 0x2002'0400, raw_base = 0x4003'0403, timer_100ns = 0x2051'0500,
                               multi_timer = 0x2241'0500, multi_base = 0x4203'0500, elapsed_time = 0x3024'0500,
                               precision_100ns_timer = 0x2057'0500, precision_timestamp = 0x4003'0500,
                               average_bulk = 0x4002'0500, average_base = 0x4003'0402, nodata = 0x4000'0200;
}

}  // namespace blob
