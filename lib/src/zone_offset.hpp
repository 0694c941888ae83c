// How far local time is ahead of UTC, for people.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace hkpd {

/// `UTC-08:00`, of UTC - local in minutes.
inline std::string offset_name(std::int32_t bias) {
    const std::int32_t ahead = std::abs(bias);
    return fmt::format("UTC{}{:02}:{:02}", bias > 0 ? '-' : '+', ahead / 60, ahead % 60);
}

}  // namespace hkpd
