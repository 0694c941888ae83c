// Times of a run as people write them.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <limits>
#include <string>

#include "base/time.hpp"
#include "hkpd/series.hpp"
#include "quantity/times.hpp"

namespace hkpd {

/// Returns a time as people write it in a run of this length: with the day if it has several, with seconds if it is
/// short. `time`: nanoseconds since 1970 (UTC).
inline std::string clock_in(const RunFacts& run, std::int64_t time) {
    constexpr std::int64_t short_run = 600'000'000'000;  // ten minutes
    constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::min();
    const auto local = [&run](std::int64_t at) { return local_time(system_time_at(at), run.zone.offset_at(at)); };
    const std::int64_t run_begin = run.from.value_or(unknown), run_end = run.to.value_or(unknown);
    const SystemTime begin = local(run_begin), end = local(run_end), at = local(time);
    const bool with_day = begin.day != end.day || begin.month != end.month || begin.year != end.year;
    const bool with_seconds = !with_day && run_end / 2 - run_begin / 2 < short_run / 2;
    const std::string clock = clock_text(at, with_seconds ? TimePart::second : TimePart::minute);
    return with_day ? fmt::format("{:02} {}", at.day, clock) : clock;
}

/// Returns the text of a span of time, which has the day once if it is of one day: `14 10:12-10:47`.
inline std::string clock_span(const RunFacts& run, std::int64_t from, std::int64_t to) {
    const std::string begin = clock_in(run, from), end = clock_in(run, to);
    const std::size_t day = end.find(' ');
    const bool is_same_day = day != std::string::npos && begin.compare(0, day, end, 0, day) == 0;
    return begin + "-" + (is_same_day ? end.substr(day + 1) : end);
}

}  // namespace hkpd
