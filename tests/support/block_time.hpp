// Keeps the two times of a built block equal.
#pragma once

#include <cstdint>

#include "hkpd/time.hpp"

namespace hkpd_test {

/// The time of a builder's `SystemTime` that is not changed, in 100 ns since 1601.
inline constexpr std::int64_t usual_time = 132'444'736'001'230'000;

/// Returns `time` or, if that is the usual one, the time that `t` states. `t`: a builder's SystemTime.
template <class BuilderTime>
std::int64_t matching_time(std::int64_t time, const BuilderTime& t) {
    const hkpd::SystemTime stated{t.year, t.month, t.day_of_week, t.day, t.hour, t.minute, t.second, t.milliseconds};
    if (time != usual_time || !stated.valid()) return time;
    return hkpd::unix_time(stated) / 100 + 116'444'736'000'000'000;
}

}  // namespace hkpd_test
