// A moment, by the clocks of a Windows machine.
#pragma once

#include <cstdint>

#include "hkpd/v1.hpp"

namespace hkpd {

/// What data blocks of both kinds say of when they were taken.
struct Moment {
    SystemTime system_time{};                                             ///< UTC
    std::int64_t perf_time = 0, perf_frequency = 0, perf_time_100ns = 0;  ///< ticks, ticks a second, 100 ns since 1601
};

}  // namespace hkpd
