// Layout of the V2 structures that PerfLib returns. Source: perflib.h of the Windows SDK, as documented at
// learn.microsoft.com "Using the PerfLib Functions to Consume Counter Data". V2 has no field for the byte order: all
// numbers are little endian. The structures are copied out of checked slices; no pointer to a structure is ever formed.
#pragma once

#include <array>
#include <boost/endian/buffers.hpp>
#include <cstddef>
#include <cstdint>

namespace hkpd::layout {

using u16_v2 = boost::endian::little_uint16_buf_t;
using u32_v2 = boost::endian::little_uint32_buf_t;
using i32_v2 = boost::endian::little_int32_buf_t;
using u64_v2 = boost::endian::little_uint64_buf_t;
using i64_v2 = boost::endian::little_int64_buf_t;
using WireGuid = std::array<std::byte, 16>;

struct PERF_DATA_HEADER {
    u32_v2 dwTotalSize;
    u32_v2 dwNumCounters;
    i64_v2 PerfTimeStamp;
    i64_v2 PerfTime100NSec;
    i64_v2 PerfFreq;
    u16_v2 SystemTime[8];
};

struct PERF_COUNTER_HEADER {
    u32_v2 dwStatus;
    u32_v2 dwType;
    u32_v2 dwSize;
    u32_v2 Reserved;
};

struct PERF_MULTI_COUNTERS {
    u32_v2 dwSize;
    u32_v2 dwCounters;
};

struct PERF_MULTI_INSTANCES {
    u32_v2 dwTotalSize;
    u32_v2 dwInstances;
};

struct PERF_INSTANCE_HEADER {
    u32_v2 Size;
    u32_v2 InstanceId;
};

struct PERF_COUNTER_DATA {
    u32_v2 dwDataSize;
    u32_v2 dwSize;
};

struct PERF_COUNTER_IDENTIFIER {
    WireGuid CounterSetGuid;
    u32_v2 Status;
    u32_v2 Size;
    u32_v2 CounterId;
    u32_v2 InstanceId;
    u32_v2 Index;
    u32_v2 Reserved;
};

struct PERF_COUNTERSET_REG_INFO {
    WireGuid CounterSetGuid;
    u32_v2 CounterSetType;
    u32_v2 DetailLevel;
    u32_v2 NumCounters;
    u32_v2 InstanceType;
};

struct PERF_COUNTER_REG_INFO {
    u32_v2 CounterId;
    u32_v2 Type;
    u64_v2 Attrib;
    u32_v2 DetailLevel;
    i32_v2 DefaultScale;
    u32_v2 BaseCounterId;
    u32_v2 PerfTimeId;
    u32_v2 PerfFreqId;
    u32_v2 MultiId;
    u32_v2 AggregateFunc;
    u32_v2 Reserved;
};

struct PERF_STRING_BUFFER_HEADER {
    u32_v2 dwSize;
    u32_v2 dwCounters;
};

struct PERF_STRING_COUNTER_HEADER {
    u32_v2 dwCounterId;
    u32_v2 dwOffset;
};

static_assert(sizeof(PERF_DATA_HEADER) == 48 && alignof(PERF_DATA_HEADER) == 1);
static_assert(offsetof(PERF_DATA_HEADER, dwTotalSize) == 0 && offsetof(PERF_DATA_HEADER, dwNumCounters) == 4);
static_assert(offsetof(PERF_DATA_HEADER, PerfTimeStamp) == 8 && offsetof(PERF_DATA_HEADER, PerfTime100NSec) == 16);
static_assert(offsetof(PERF_DATA_HEADER, PerfFreq) == 24 && offsetof(PERF_DATA_HEADER, SystemTime) == 32);

static_assert(sizeof(PERF_COUNTER_HEADER) == 16 && alignof(PERF_COUNTER_HEADER) == 1);
static_assert(offsetof(PERF_COUNTER_HEADER, dwStatus) == 0 && offsetof(PERF_COUNTER_HEADER, dwType) == 4);
static_assert(offsetof(PERF_COUNTER_HEADER, dwSize) == 8 && offsetof(PERF_COUNTER_HEADER, Reserved) == 12);

static_assert(sizeof(PERF_MULTI_COUNTERS) == 8 && offsetof(PERF_MULTI_COUNTERS, dwCounters) == 4);
static_assert(sizeof(PERF_MULTI_INSTANCES) == 8 && offsetof(PERF_MULTI_INSTANCES, dwInstances) == 4);
static_assert(sizeof(PERF_INSTANCE_HEADER) == 8 && offsetof(PERF_INSTANCE_HEADER, InstanceId) == 4);
static_assert(sizeof(PERF_COUNTER_DATA) == 8 && offsetof(PERF_COUNTER_DATA, dwSize) == 4);

static_assert(sizeof(PERF_COUNTER_IDENTIFIER) == 40 && alignof(PERF_COUNTER_IDENTIFIER) == 1);
static_assert(offsetof(PERF_COUNTER_IDENTIFIER, CounterSetGuid) == 0 &&
              offsetof(PERF_COUNTER_IDENTIFIER, Status) == 16);
static_assert(offsetof(PERF_COUNTER_IDENTIFIER, Size) == 20 && offsetof(PERF_COUNTER_IDENTIFIER, CounterId) == 24);
static_assert(offsetof(PERF_COUNTER_IDENTIFIER, InstanceId) == 28 && offsetof(PERF_COUNTER_IDENTIFIER, Index) == 32);
static_assert(offsetof(PERF_COUNTER_IDENTIFIER, Reserved) == 36);

static_assert(sizeof(PERF_COUNTERSET_REG_INFO) == 32 && alignof(PERF_COUNTERSET_REG_INFO) == 1);
static_assert(offsetof(PERF_COUNTERSET_REG_INFO, CounterSetGuid) == 0);
static_assert(offsetof(PERF_COUNTERSET_REG_INFO, CounterSetType) == 16);
static_assert(offsetof(PERF_COUNTERSET_REG_INFO, DetailLevel) == 20);
static_assert(offsetof(PERF_COUNTERSET_REG_INFO, NumCounters) == 24);
static_assert(offsetof(PERF_COUNTERSET_REG_INFO, InstanceType) == 28);

static_assert(sizeof(PERF_COUNTER_REG_INFO) == 48 && alignof(PERF_COUNTER_REG_INFO) == 1);
static_assert(offsetof(PERF_COUNTER_REG_INFO, CounterId) == 0 && offsetof(PERF_COUNTER_REG_INFO, Type) == 4);
static_assert(offsetof(PERF_COUNTER_REG_INFO, Attrib) == 8 && offsetof(PERF_COUNTER_REG_INFO, DetailLevel) == 16);
static_assert(offsetof(PERF_COUNTER_REG_INFO, DefaultScale) == 20);
static_assert(offsetof(PERF_COUNTER_REG_INFO, BaseCounterId) == 24);
static_assert(offsetof(PERF_COUNTER_REG_INFO, PerfTimeId) == 28 && offsetof(PERF_COUNTER_REG_INFO, PerfFreqId) == 32);
static_assert(offsetof(PERF_COUNTER_REG_INFO, MultiId) == 36 && offsetof(PERF_COUNTER_REG_INFO, AggregateFunc) == 40);
static_assert(offsetof(PERF_COUNTER_REG_INFO, Reserved) == 44);

static_assert(sizeof(PERF_STRING_BUFFER_HEADER) == 8 && offsetof(PERF_STRING_BUFFER_HEADER, dwCounters) == 4);
static_assert(sizeof(PERF_STRING_COUNTER_HEADER) == 8 && offsetof(PERF_STRING_COUNTER_HEADER, dwOffset) == 4);

}  // namespace hkpd::layout
