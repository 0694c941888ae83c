// Content of the V1 providers of the live tests: objects, counters, instances and values, without any layout. The
// provider DLLs write it as blobs, and the checker compares captures with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "progression.hpp"

namespace live {

/// A provider DLL: its service's name in the registry, its first title index, the offset of all its numbers, and the
/// environment variable that makes it misbehave.
struct V1Provider {
    const char* service;
    std::uint32_t first_title;
    std::uint64_t salt;
    const char* mode_variable;
};
inline constexpr std::array v1_providers{
    V1Provider{"HkpdAlpha", 3000, 0, "HKPD_ALPHA"},
    V1Provider{"HkpdBeta", 4000, 0x0102'0304'0506'0700, "HKPD_BETA"},
};

/// A counter. Titles are counted from the provider's first. 4 and 8 bytes make a number; text is `text` and the number
/// of the collection; other sizes are bytes that count up from the number of the collection.
struct V1Counter {
    std::uint32_t title, type, size;
    Progression values{};
    std::string_view text{};
    std::int32_t scale = 0;
    std::uint32_t detail_level = 100;
};

inline constexpr std::uint32_t no_parent = 0xFFFF'FFFF;
inline constexpr std::int32_t no_unique_id = -1;

struct V1Instance {
    std::string_view name;
    std::uint32_t parent_title = no_parent, parent_row = 0;
    std::int32_t unique_id = no_unique_id;
};

struct V1Object {
    std::uint32_t title;
    std::span<const V1Counter> counters;
    bool list = true;
    std::span<const V1Instance> instances{};
    std::uint32_t crowd = 0;         ///< additional instances, named by their numbers
    bool costly = false;             ///< not in a `Global` reply, but in a `Costly` one
    Progression clock{};             ///< PerfTime
    std::int64_t frequency = 0;      ///< PerfFreq
    std::int32_t default_counter{};  ///< title, or -1
    std::uint32_t detail_level = 100;
};

/// Each type of winperf.h, and sizes that no type of Windows has.
inline constexpr V1Counter type_counters[] = {
    {2, 0x00010000, 4, collections},                                       // PERF_COUNTER_RAWCOUNT
    {4, 0x00000000, 4, {0xDEAD'BEEF, 0, 0}},                               // PERF_COUNTER_RAWCOUNT_HEX
    {6, 0x00000100, 8, {0x0123'4567'89AB'CDEF, 0, 0}},                     // PERF_COUNTER_LARGE_RAWCOUNT_HEX
    {8, 0x00010100, 8, {0xFFFF'FFFF'FFFF'FFFE, 0, 1}, {}, -7, 400},        // PERF_COUNTER_LARGE_RAWCOUNT
    {10, 0x00012000, 8, {0x3FF8'0000'0000'0000, 0, 0}},                    // double
    {12, 0x00400400, 4, {10, 0, 3}},                                       // PERF_COUNTER_DELTA
    {14, 0x00400500, 8, {0x1'0000'0000, 0, 5}},                            // PERF_COUNTER_LARGE_DELTA
    {16, 0x00410400, 4, {20, 0, 7}},                                       // PERF_SAMPLE_COUNTER
    {18, 0x00450400, 4, {30, 0, 9}},                                       // PERF_COUNTER_QUEUELEN_TYPE
    {20, 0x00450500, 8, {40, 0, 11}},                                      // PERF_COUNTER_LARGE_QUEUELEN_TYPE
    {22, 0x00550500, 8, {50, 0, 13}},                                      // PERF_COUNTER_100NS_QUEUELEN_TYPE
    {24, 0x00650500, 8, {60, 0, 15}},                                      // PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE
    {26, 0x10410400, 4, {0xFFFF'FFF0, 0, 1}},                              // PERF_COUNTER_COUNTER, which wraps around
    {28, 0x10410500, 8, {70, 0, 0x1'0000'0001}, {}, 7, 200},               // PERF_COUNTER_BULK_COUNT
    {30, 0x20020400, 4, {25, 0, 0}},                                       // PERF_RAW_FRACTION
    {30, 0x40030403, 4, {200, 0, 0}},                                      // PERF_RAW_BASE
    {32, 0x20020500, 8, {0x2'0000'0000, 0, 2}},                            // PERF_LARGE_RAW_FRACTION
    {34, 0x40030500, 8, {0x4'0000'0000, 0, 0}},                            // PERF_LARGE_RAW_BASE
    {36, 0x20410500, 8, {80, 0, 17}},                                      // PERF_COUNTER_TIMER
    {38, 0x20470500, 8, {90, 0, 19}},                                      // PERF_PRECISION_SYSTEM_TIMER
    {40, 0x40030500, 8, {1000, 0, 1'000'000}},                             // PERF_PRECISION_TIMESTAMP
    {42, 0x20510500, 8, {100, 0, 21}},                                     // PERF_100NSEC_TIMER
    {44, 0x20570500, 8, {110, 0, 23}},                                     // PERF_PRECISION_100NS_TIMER
    {46, 0x40030500, 8, {2000, 0, 1'000'000}},                             // PERF_PRECISION_TIMESTAMP
    {48, 0x20610500, 8, {120, 0, 25}},                                     // PERF_OBJ_TIME_TIMER
    {50, 0x20670500, 8, {130, 0, 27}},                                     // PERF_PRECISION_OBJECT_TIMER
    {52, 0x40030500, 8, {3000, 0, 1'000'000}},                             // PERF_PRECISION_TIMESTAMP
    {54, 0x20C20400, 4, {140, 0, 1}},                                      // PERF_SAMPLE_FRACTION
    {54, 0x40030401, 4, {150, 0, 2}},                                      // PERF_SAMPLE_BASE
    {56, 0x21410500, 8, {160, 0, 29}},                                     // PERF_COUNTER_TIMER_INV
    {58, 0x21510500, 8, {170, 0, 31}},                                     // PERF_100NSEC_TIMER_INV
    {60, 0x22410500, 8, {180, 0, 33}},                                     // PERF_COUNTER_MULTI_TIMER
    {62, 0x42030500, 8, {2, 0, 0}},                                        // PERF_COUNTER_MULTI_BASE
    {64, 0x22510500, 8, {190, 0, 35}},                                     // PERF_100NSEC_MULTI_TIMER
    {66, 0x42030500, 8, {3, 0, 0}},                                        // PERF_COUNTER_MULTI_BASE
    {68, 0x23410500, 8, {200, 0, 37}},                                     // PERF_COUNTER_MULTI_TIMER_INV
    {70, 0x42030500, 8, {4, 0, 0}},                                        // PERF_COUNTER_MULTI_BASE
    {72, 0x23510500, 8, {210, 0, 39}},                                     // PERF_100NSEC_MULTI_TIMER_INV
    {74, 0x42030500, 8, {5, 0, 0}},                                        // PERF_COUNTER_MULTI_BASE
    {76, 0x30020400, 4, {220, 0, 41}},                                     // PERF_AVERAGE_TIMER
    {78, 0x40030402, 4, {230, 0, 1}},                                      // PERF_AVERAGE_BASE
    {80, 0x40020500, 8, {240, 0, 43}},                                     // PERF_AVERAGE_BULK
    {82, 0x40030402, 4, {250, 0, 1}},                                      // PERF_AVERAGE_BASE
    {84, 0x30240500, 8, {5'000'000, 0, 0}, {}, -5, 300},                   // PERF_ELAPSED_TIME
    {86, 0x40000200, 0},                                                   // PERF_COUNTER_NODATA
    {88, 0x80000000, 4, {260, 0, 1}},                                      // PERF_COUNTER_HISTOGRAM_TYPE
    {90, 0x00000B00, 64, {}, "r\u00E9sum\u00E9 \u65E5\u672C \U0001F680"},  // PERF_COUNTER_TEXT
    {92, 0x00010B00, 28, {}, "eight bits a character"},                    // PERF_COUNTER_TEXT, PERF_TEXT_ASCII
    {94, 0x00000300, 3},                                                   // PERF_SIZE_VARIABLE_LEN
    {96, 0x00000300, 16},
};

inline constexpr V1Counter one_counter[] = {{102, 0x00010000, 4, collections}};
inline constexpr V1Instance parents[] = {{"alpha"}, {"beta"}};

inline constexpr V1Counter worker_counters[] = {
    {112, 0x00010000, 4, collections},
    {114, 0x10410400, 4, {1000, 10, 100}, {}, 2, 200},                         // PERF_COUNTER_COUNTER
    {116, 0x00010100, 8, {0xFFFF'FFFF'FFFF'FF00, 0x1000, 1}},                  // PERF_COUNTER_LARGE_RAWCOUNT
    {118, 0x30020400, 4, {300, 3, 30}},                                        // PERF_AVERAGE_TIMER
    {120, 0x40030402, 4, {100, 1, 10}},                                        // PERF_AVERAGE_BASE
    {122, 0x00000B00, 40, {}, "\u0432 \u0440\u0430\u0431\u043E\u0442\u0435"},  // PERF_COUNTER_TEXT
};
/// Names that are equal, empty, in other scripts and planes, and like paths.
inline constexpr V1Instance workers[] = {
    {"w0", 100, 0},
    {"w0", 100, 0},
    {"w0", 100, 1},
    {"\u65E5\u672C\u8A9E \U0001F680", 100, 1, 42},
    {"", 100, 1, 7},
    {"na\u00EFve (x)/y #1"},
    {"gr\u00FC\u00DF \u03A9"},
    {"_Total"},
};

inline constexpr V1Counter empty_counters[] = {{132, 0x00000000, 4, collections}, {134, 0x10410500, 8}};

inline constexpr V1Counter tree_counters[] = {{142, 0x00010000, 4, collections}, {144, 0x20510500, 8, {9, 90, 900}}};
/// Parents in the same object.
inline constexpr V1Instance tree[] = {{"root"}, {"branch", 140, 0}, {"leaf", 140, 1}};

inline constexpr V1Counter crowd_counters[] = {{152, 0x00010000, 4, collections},
                                               {154, 0x00010100, 8, {1, 0x1'0000'0001, 1}}};

/// The counterset `Hkpd Twins` of the PerfLib DLL, in the form of the first provider.
inline constexpr V1Counter twin_counters[] = {
    {162, 0x00010000, 4, collections}, {164, 0x00010000, 4, twin_level}, {166, 0x00010100, 8, twin_total}};
inline constexpr V1Instance twins[] = {{"left"}, {"right \u53F3"}};

inline constexpr V1Object v1_objects[] = {
    {.title = 0,
     .counters = type_counters,
     .list = false,
     .clock = {1'000'000, 0, 10'000},
     .frequency = 10'000'000,
     .default_counter = 28},
    {.title = 100, .counters = one_counter, .instances = parents, .default_counter = 102},
    {.title = 110,
     .counters = worker_counters,
     .instances = workers,
     .clock = {5, 0, 3},
     .frequency = 1000,
     .default_counter = 114,
     .detail_level = 200},
    {.title = 130, .counters = empty_counters, .default_counter = -1},
    {.title = 140, .counters = tree_counters, .instances = tree, .default_counter = 144},
    {.title = 150, .counters = crowd_counters, .crowd = 3000, .costly = true, .default_counter = 152},
    {.title = 160, .counters = twin_counters, .instances = twins, .default_counter = 164},
};
/// The highest title in use, counted from the provider's first.
inline constexpr std::uint32_t last_title = 166;

/// Returns the number of instances of an object; 1 if it is no list.
constexpr std::uint32_t rows(const V1Object& object) noexcept {
    return object.list ? static_cast<std::uint32_t>(object.instances.size()) + object.crowd : 1;
}

inline V1Instance instance_at(const V1Object& object, std::uint32_t row, std::string& name) {
    if (row < object.instances.size()) return object.instances[row];
    name = std::to_string(row);
    return {.name = name};
}

/// Returns the value of a counter of 4 or 8 bytes in the provider's collection `n`.
constexpr std::uint64_t number_at(const V1Provider& provider, const V1Counter& counter, std::uint32_t row,
                                  std::uint64_t n) noexcept {
    Progression values = counter.values;
    values.first += provider.salt;
    return values.at(row, n, counter.size);
}
inline std::string text_at(const V1Counter& counter, std::uint64_t n) {
    return std::string(counter.text) + " " + std::to_string(n);
}
/// Returns the value of a counter that is neither number nor text.
inline std::string bytes_at(const V1Counter& counter, std::uint32_t row, std::uint64_t n) {
    std::string bytes(counter.size, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>((n + row + i) & 0xFF);
    return bytes;
}
constexpr bool is_text(const V1Counter& counter) noexcept { return (counter.type & 0xC00U) == 0x800U; }

}  // namespace live
