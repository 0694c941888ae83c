// The countersets of the live tests' own PerfLib: what its DLL registers and returns, and what the checker expects in a
// capture.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "hkpd/v2.hpp"
#include "progression.hpp"

namespace live {

/// A counter; no name: a base.
struct V2Counter {
    std::uint32_t id, type;
    std::uint16_t size;
    Progression values;
    std::string_view name, help{};
    std::uint32_t base_id = hkpd::v2::no_id;
    hkpd::v2::Aggregate aggregate = hkpd::v2::Aggregate::undefined;
    std::int32_t scale = 0;
    std::uint64_t attributes = 0;
};

struct V2Instance {
    std::string_view name;
    std::uint32_t id;
};

struct V2Counterset {
    std::string_view guid, name, help;
    hkpd::v2::InstanceType type;
    std::span<const V2Counter> counters;
    std::span<const V2Instance> instances;
};

inline constexpr std::string_view v2_provider_guid = "{6b7d5f1e-0c0d-4a54-9a3c-5d6e1f8a0001}",
                                  v2_provider_name = "HkpdLive";

/// Two fractions share a base, whose id is lower than theirs.
inline constexpr V2Counter lone_counters[] = {
    {1, 0x00010000, 4, collections, "Collections"},
    {2, 0x10410500, 8, {0xFFFF'FFFF'FFFF'FFF0, 0, 1}, "Wrapping/sec", "Goes round after sixteen"},
    {3, 0x40030403, 4, {400, 0, 0}, ""},
    {7, 0x20020400, 4, {100, 0, 1}, "% First", "", 3},
    {9, 0x20020400, 4, {200, 0, 2}, "% Second", "", 3},
    {63, 0x00000000, 4, {0xCAFE'0000, 0, 1}, "Hexadecimal", "", hkpd::v2::no_id, {}, 0, 16},
    {64, 0x00010100, 8, {1, 0, 0x1'0000'0000}, "Id above the mask", "", hkpd::v2::no_id, {}, -10},
};
inline constexpr V2Instance lone_instance[] = {{"", 0}};

inline constexpr V2Counter garden_counters[] = {
    {0, 0x00010000, 4, collections, "Collections"},
    {4, 0x00010100, 8, {0x8000'0000'0000'0000, 0x10, 1}, "\u00C4pfel", "\u679C\u5B9F"},
    {5, 0x20510500, 8, {10, 100, 1000}, "% Time"},
};
inline constexpr V2Instance garden_instances[] = {
    {"Beet", 3}, {"\u65E5\u672C\u8A9E \U0001F680", 0}, {"na\u00EFve (x)/y #1", 0xFFFF'FFFD}, {"\u03A9", 1}};

inline constexpr V2Counter pool_counters[] = {
    {1, 0x00010000, 4, collections, "Collections", "", hkpd::v2::no_id, hkpd::v2::Aggregate::maximum},
    {2, 0x00010100, 8, {0x1'0000'0001, 7, 1}, "Total", "", hkpd::v2::no_id, hkpd::v2::Aggregate::total},
    {3, 0x00010000, 4, {5, 2, 3}, "Average", "", hkpd::v2::no_id, hkpd::v2::Aggregate::average},
    {4, 0x00010000, 4, {50, 20, 1}, "Least", "", hkpd::v2::no_id, hkpd::v2::Aggregate::minimum},
    {5, 0x00010100, 8, {50, 20, 1}, "Most", "", hkpd::v2::no_id, hkpd::v2::Aggregate::maximum},
};
inline constexpr V2Instance pool_instances[] = {{"0", 0}, {"1", 1}, {"2", 2}};

/// Counters that an object of the V1 providers has too.
inline constexpr V2Counter twin_counters_v2[] = {
    {1, 0x00010000, 4, collections, "Collections"},
    {2, 0x00010000, 4, twin_level, "Level"},
    {3, 0x00010100, 8, twin_total, "Total"},
};
inline constexpr V2Instance twins_v2[] = {{"left", 0}, {"right \u53F3", 1}};

inline constexpr V2Counterset v2_countersets[] = {
    {"{6b7d5f1e-0c0d-4a54-9a3c-5d6e1f8a0010}", "Hkpd Lone", "One instance without a name",
     hkpd::v2::InstanceType::single, lone_counters, lone_instance},
    {"{6b7d5f1e-0c0d-4a54-9a3c-5d6e1f8a0011}", "Hkpd G\u00E4rten", "Instances of many scripts",
     hkpd::v2::InstanceType::multi, garden_counters, garden_instances},
    {"{6b7d5f1e-0c0d-4a54-9a3c-5d6e1f8a0012}", "Hkpd Pool", "Instances with a computed total",
     hkpd::v2::InstanceType::multi_aggregate, pool_counters, pool_instances},
    {"{6b7d5f1e-0c0d-4a54-9a3c-5d6e1f8a0013}",
     "Hkpd Empty",
     "No instances now",
     hkpd::v2::InstanceType::multi,
     garden_counters,
     {}},
    {"{6b7d5f1e-0c0d-4a54-9a3c-5d6e1f8a0014}", "Hkpd Twins", "Both interfaces show these",
     hkpd::v2::InstanceType::multi, twin_counters_v2, twins_v2},
};

}  // namespace live
