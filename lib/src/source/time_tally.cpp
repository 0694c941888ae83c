#include "source/time_tally.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace hkpd {
namespace {

constexpr std::int64_t millisecond = 1'000'000;
/// Maximum number of different intervals that are counted. A schedule has few; an input with more has none.
constexpr std::size_t most_intervals = 100'000;

/// Returns whether a time without samples is a gap: longer than one and a half intervals.
bool is_gap(std::int64_t milliseconds, std::int64_t interval) noexcept {
    return milliseconds > interval + interval / 2;
}

std::int64_t signed_time(std::uint64_t nanoseconds) noexcept {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(nanoseconds, std::numeric_limits<std::int64_t>::max()));
}

/// Returns the milliseconds from one time to a later one, which can be further away than 64 bits of nanoseconds.
std::int64_t milliseconds_between(std::int64_t from, std::int64_t to) noexcept {
    return to / millisecond - from / millisecond;
}

}  // namespace

void TimeTally::add(const Sample& sample) {
    const auto now = unix_time(sample);
    if (!now) return;
    if (!time_ || *now < time_->from) {
        zone_ = sample.zone;
        time_ = Overview::Span{*now, time_ ? time_->to : *now};
    }
    if (!zone_at_end_ || *now >= time_->to) {
        zone_at_end_ = sample.zone;
        time_->to = *now;
    }
    std::pair key{sample.machine.value_or(""), sample.source};
    const auto stream = last_.find(key);
    if (stream != last_.end()) {
        add_interval(stream->second, *now);
        stream->second = *now;
    } else if (last_.size() < most_streams_) {
        last_.emplace(std::move(key), *now);
    }
}

void TimeTally::add_interval(std::int64_t from, std::int64_t to) {
    if (to <= from) return;
    // Only the parts that were skipped last can lie between consecutive samples. There can be a million in a directory.
    constexpr std::size_t recent = 3;
    const std::span<const Skipped::Part> parts(skipped_.parts);
    for (const Skipped::Part& part : parts.last(std::min(recent, parts.size())))
        if (from < signed_time(part.to) && to > signed_time(part.from)) return;
    const std::int64_t length = milliseconds_between(from, to);
    if (intervals_.size() < most_intervals || intervals_.contains(length)) ++intervals_[length];
    if (!longest_ || length > milliseconds_between(longest_->from, longest_->to)) longest_ = Overview::Span{from, to};
}

/// Returns the median interval in milliseconds; none if there are no two samples of a stream.
std::optional<std::int64_t> TimeTally::interval() const {
    std::uint64_t count = 0, passed = 0;
    for (const auto& [length, times] : intervals_) count += times;
    for (const auto& [length, times] : intervals_) {
        passed += times;
        if (2 * passed >= count) return length;
    }
    return std::nullopt;
}

void TimeTally::fill(Overview& overview) const {
    overview.time = time_;
    overview.zone = zone_;
    overview.zone_at_end = zone_at_end_;
    const auto usual = interval();
    if (!usual) return;
    if (*usual <= std::numeric_limits<std::int64_t>::max() / millisecond) overview.interval = *usual * millisecond;
    auto longest = longest_;
    for (const auto& [length, times] : intervals_)
        if (is_gap(length, *usual)) overview.gaps += times;
    for (const Skipped::Part& pause : skipped_.pauses) {
        const Overview::Span span{signed_time(pause.from), signed_time(pause.to)};
        const std::int64_t length = milliseconds_between(span.from, span.to);
        if (is_gap(length, *usual)) ++overview.gaps;
        if (!longest || length > milliseconds_between(longest->from, longest->to)) longest = span;
    }
    if (overview.gaps != 0) overview.longest_gap = longest;
}

}  // namespace hkpd
