// The V1 structures as they are laid out in a block. Source: winperf.h of the Windows SDK and of mingw-w64, compiled
// for x86-64. In 64-bit builds the LPWSTR members are DWORDs, so that 32-bit and 64-bit Windows share this layout.
// Fields are copied out of checked slices; no pointer to a structure is ever formed.
#pragma once

#include <boost/endian/buffers.hpp>
#include <cstddef>
#include <cstdint>

namespace hkpd::layout {

namespace endian = boost::endian;

template <endian::order O>
struct PERF_DATA_BLOCK {
    using u16 = endian::endian_buffer<O, std::uint16_t, 16>;
    using u32 = endian::endian_buffer<O, std::uint32_t, 32>;
    using i32 = endian::endian_buffer<O, std::int32_t, 32>;
    using i64 = endian::endian_buffer<O, std::int64_t, 64>;

    u16 Signature[4];
    u32 LittleEndian;
    u32 Version;
    u32 Revision;
    u32 TotalByteLength;
    u32 HeaderLength;
    u32 NumObjectTypes;
    i32 DefaultObject;
    u16 SystemTime[8];
    u32 padding;
    i64 PerfTime;
    i64 PerfFreq;
    i64 PerfTime100nSec;
    u32 SystemNameLength;
    u32 SystemNameOffset;
};

template <endian::order O>
struct PERF_OBJECT_TYPE {
    using u32 = endian::endian_buffer<O, std::uint32_t, 32>;
    using i32 = endian::endian_buffer<O, std::int32_t, 32>;
    using i64 = endian::endian_buffer<O, std::int64_t, 64>;

    u32 TotalByteLength;
    u32 DefinitionLength;
    u32 HeaderLength;
    u32 ObjectNameTitleIndex;
    u32 ObjectNameTitle;
    u32 ObjectHelpTitleIndex;
    u32 ObjectHelpTitle;
    u32 DetailLevel;
    u32 NumCounters;
    i32 DefaultCounter;
    i32 NumInstances;
    u32 CodePage;
    i64 PerfTime;
    i64 PerfFreq;
};

template <endian::order O>
struct PERF_COUNTER_DEFINITION {
    using u32 = endian::endian_buffer<O, std::uint32_t, 32>;
    using i32 = endian::endian_buffer<O, std::int32_t, 32>;

    u32 ByteLength;
    u32 CounterNameTitleIndex;
    u32 CounterNameTitle;
    u32 CounterHelpTitleIndex;
    u32 CounterHelpTitle;
    i32 DefaultScale;
    u32 DetailLevel;
    u32 CounterType;
    u32 CounterSize;
    u32 CounterOffset;
};

template <endian::order O>
struct PERF_INSTANCE_DEFINITION {
    using u32 = endian::endian_buffer<O, std::uint32_t, 32>;
    using i32 = endian::endian_buffer<O, std::int32_t, 32>;

    u32 ByteLength;
    u32 ParentObjectTitleIndex;
    u32 ParentObjectInstance;
    i32 UniqueID;
    u32 NameOffset;
    u32 NameLength;
};

template <endian::order O>
struct PERF_COUNTER_BLOCK {
    endian::endian_buffer<O, std::uint32_t, 32> ByteLength;
};

// Checks of sizes and offsets. Sizes and offsets are the same in both byte orders, so only the little-endian structures
// are checked.
namespace check {
using Block = PERF_DATA_BLOCK<endian::order::little>;
static_assert(sizeof(Block) == 88 && alignof(Block) == 1);
static_assert(offsetof(Block, Signature) == 0 && offsetof(Block, LittleEndian) == 8);
static_assert(offsetof(Block, Version) == 12 && offsetof(Block, Revision) == 16);
static_assert(offsetof(Block, TotalByteLength) == 20 && offsetof(Block, HeaderLength) == 24);
static_assert(offsetof(Block, NumObjectTypes) == 28 && offsetof(Block, DefaultObject) == 32);
static_assert(offsetof(Block, SystemTime) == 36 && offsetof(Block, padding) == 52);
static_assert(offsetof(Block, PerfTime) == 56 && offsetof(Block, PerfFreq) == 64);
static_assert(offsetof(Block, PerfTime100nSec) == 72);
static_assert(offsetof(Block, SystemNameLength) == 80 && offsetof(Block, SystemNameOffset) == 84);

using Object = PERF_OBJECT_TYPE<endian::order::little>;
static_assert(sizeof(Object) == 64 && alignof(Object) == 1);
static_assert(offsetof(Object, TotalByteLength) == 0 && offsetof(Object, DefinitionLength) == 4);
static_assert(offsetof(Object, HeaderLength) == 8 && offsetof(Object, ObjectNameTitleIndex) == 12);
static_assert(offsetof(Object, ObjectNameTitle) == 16 && offsetof(Object, ObjectHelpTitleIndex) == 20);
static_assert(offsetof(Object, ObjectHelpTitle) == 24 && offsetof(Object, DetailLevel) == 28);
static_assert(offsetof(Object, NumCounters) == 32 && offsetof(Object, DefaultCounter) == 36);
static_assert(offsetof(Object, NumInstances) == 40 && offsetof(Object, CodePage) == 44);
static_assert(offsetof(Object, PerfTime) == 48 && offsetof(Object, PerfFreq) == 56);

using Counter = PERF_COUNTER_DEFINITION<endian::order::little>;
static_assert(sizeof(Counter) == 40 && alignof(Counter) == 1);
static_assert(offsetof(Counter, ByteLength) == 0 && offsetof(Counter, CounterNameTitleIndex) == 4);
static_assert(offsetof(Counter, CounterNameTitle) == 8 && offsetof(Counter, CounterHelpTitleIndex) == 12);
static_assert(offsetof(Counter, CounterHelpTitle) == 16 && offsetof(Counter, DefaultScale) == 20);
static_assert(offsetof(Counter, DetailLevel) == 24 && offsetof(Counter, CounterType) == 28);
static_assert(offsetof(Counter, CounterSize) == 32 && offsetof(Counter, CounterOffset) == 36);

using Instance = PERF_INSTANCE_DEFINITION<endian::order::little>;
static_assert(sizeof(Instance) == 24 && alignof(Instance) == 1);
static_assert(offsetof(Instance, ByteLength) == 0 && offsetof(Instance, ParentObjectTitleIndex) == 4);
static_assert(offsetof(Instance, ParentObjectInstance) == 8 && offsetof(Instance, UniqueID) == 12);
static_assert(offsetof(Instance, NameOffset) == 16 && offsetof(Instance, NameLength) == 20);

static_assert(sizeof(PERF_COUNTER_BLOCK<endian::order::little>) == 4);
}  // namespace check

}  // namespace hkpd::layout
