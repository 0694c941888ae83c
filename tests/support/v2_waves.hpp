// A counterset for tests of the layers above the sample: a block of it, its registration info, and its names.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/v2.hpp"
#include "support/v2_builder.hpp"

namespace waves {

inline const hkpd::Guid guid = v2_blob::guid(0x0A1B2C3D, 0x4E5F, 0x6071, {0x82, 0x93, 1, 2, 3, 4, 5, 6});
inline constexpr std::string_view guid_text = "{0a1b2c3d-4e5f-6071-8293-010203040506}";

inline constexpr std::uint32_t rawcount = 0x00010000, large_rawcount = 0x00010100, raw_fraction = 0x20020400,
                               raw_base = 0x40030403, timer = 0x20410500;

/// Two waves: a plain number (1), one in hexadecimal (2), one that is hidden (3), the bits of 0.5 (4), and a fraction
/// (5) of its base (6).
inline v2_blob::Block block(std::uint64_t plain = 40, std::uint16_t second = 40) {
    using v2_blob::u32;
    constexpr auto half = std::bit_cast<std::uint64_t>(0.5);
    v2_blob::Block made;
    made.results = {{.ids = {1, 2, 3, 4, 5, 6},
                     .instances = {{u"Small Wave", 0, {plain, u32(255), u32(7), half, u32(1), u32(4)}},
                                   {u"Large Wave", 2, {plain + 20, u32(16), u32(8), half, u32(3), u32(4)}}}}};
    made.system_time.second = second;
    made.perf_time += 10'000'000 * (second - 40);
    made.perf_time_100ns += 10'000'000 * (second - 40);
    return made;
}

inline v2_blob::Chain registration() {
    namespace attribute = hkpd::v2::attribute;
    return v2_blob::build_registration(
        {.guid = guid,
         .counters = {
             {.id = 1, .type = large_rawcount, .scale = -1},
             {.id = 2, .type = rawcount, .attributes = attribute::display_as_hex},
             {.id = 3, .type = rawcount, .attributes = attribute::no_displayable},
             {.id = 4, .type = large_rawcount, .attributes = attribute::display_as_real | attribute::by_reference},
             {.id = 5, .type = raw_fraction, .base = 6},
             {.id = 6, .type = raw_base}}});
}

inline v2_blob::Chain counter_names() {
    return v2_blob::build_strings({{1, u"Plain"}, {2, u"Flags"}, {3, u"Hidden"}, {4, u"Real"}, {5, u"Share"}});
}

inline v2_blob::Chain identifiers() { return v2_blob::build_identifiers({{.guid = guid, .name = u"*"}}); }

}  // namespace waves
