#include "text_log/log_clock.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace hkpd {
namespace {

constexpr std::int64_t clock_second = 1'000'000'000, clock_year = std::int64_t{366} * 86'400 * clock_second;

std::int64_t zone_offset(const Zone& zone, std::int64_t moment) { return clock_second * zone.offset_at(moment); }

/// Returns the moment at which a period of a zone begins or ends, given in seconds; the first or last one of 64 bits if
/// the zone had no change before, or has none after.
std::int64_t moment_of_change(std::int64_t seconds) noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / clock_second;
    return clock_second * std::clamp(seconds, -most, most);
}

}  // namespace

/// A change that set the clocks back, so that they showed the local times `begin` to `end` twice.
struct LogClock::Repeated {
    std::int64_t moment = 0, begin = 0, end = 0;
    std::int64_t length() const noexcept { return end - begin; }
};

bool LogClock::fits_offset(const Zone& zone, std::int64_t offset, std::int64_t local, std::int64_t interval) {
    const LocalMoments moments = zone.moments_of(local);
    // The first line is written before the first row, and the clocks may have been changed between them.
    constexpr std::int64_t least = 30 * clock_second;
    return zone_offset(zone, moments.first) == offset || zone_offset(zone, moments.last) == offset ||
           zone_offset(zone, moments.first - std::clamp(interval, least, clock_year / 2) * 2) == offset;
}

/// Returns whether a time between rows is nearly the usual one.
bool LogClock::is_usual(std::int64_t length) const noexcept {
    return interval_ > 0 && std::abs(length - interval_) <= interval_ / 2;
}

/// Returns whether the time that passed between two rows is the usual one if the clocks were changed between them, and
/// is less so by the times that they show.
bool LogClock::is_step(std::int64_t shown, std::int64_t passed) const noexcept {
    return is_usual(passed) && std::abs(passed - interval_) < std::abs(shown - interval_);
}

/// Returns whether so many rows are missing that a change of the clocks in the time between two rows cannot be seen.
bool LogClock::is_outage(std::int64_t length, std::int64_t change) const noexcept {
    return !is_usual(length) && length >= change && length > interval_ + interval_ / 2;
}

/// Returns whether a row shows the time of the one before because the clocks were set back and a few rows between them
/// are missing or damaged: no two rows of a log are at one moment.
bool LogClock::is_repeat(std::int64_t shown, std::int64_t change) const noexcept {
    constexpr std::int64_t most_rows = 4;
    return shown == 0 && change <= most_rows * interval_;
}

LogClock::Repeated LogClock::repeated_at(const LocalMoments& moments) const {
    const std::int64_t change = moment_of_change(zone_.period_at(moments.last).begin);
    return {change, change + zone_offset(zone_, moments.last), change + zone_offset(zone_, moments.first)};
}

std::optional<std::int64_t> LogClock::needs_rows_until(std::int64_t local) const {
    if (!has_rules_ || (local >= plain_begin_ && local < plain_end_) || !before_) return std::nullopt;
    const LocalMoments moments = zone_.moments_of(local);
    if (moments.kind != LocalMoments::Kind::ambiguous) return std::nullopt;
    const Repeated repeated = repeated_at(moments);
    const std::int64_t shown = local - *before_;
    const bool needs = moment_before_ < repeated.moment && !is_step(shown, shown + repeated.length()) &&
                       is_outage(shown, repeated.length());
    return needs ? std::optional(repeated.end) : std::nullopt;
}

/// Returns whether a row at a time that clocks showed twice is after the change.
bool LogClock::is_second(std::int64_t local, const LocalMoments& moments, bool goes_back) {
    if (!before_) return local - moments.last == offset_;
    const Repeated repeated = repeated_at(moments);
    if (moment_before_ >= repeated.moment) return true;
    const std::int64_t shown = local - *before_;
    if (shown < 0 || is_step(shown, shown + repeated.length()) || is_repeat(shown, repeated.length())) {
        is_live_ = true;
        return true;
    }
    if (is_outage(shown, repeated.length())) return !goes_back;
    widest_ = std::max(widest_, shown);
    return false;
}

/// Decides what the log is where its rows pass over a change of the clocks. The clock shows `local` once, at `moment`.
void LogClock::cross(std::int64_t local, std::int64_t moment) {
    if (!before_ || is_live_) return;
    const ZonePeriod now = zone_.period_at(moment);
    const std::int64_t change = moment_of_change(now.begin);
    if (moment_before_ >= change) return;
    const ZonePeriod old = zone_.period_at(change - 1);
    const std::int64_t back = clock_second * (old.offset - now.offset);  // negative: the clocks were set forward
    if (back == 0 || moment_before_ < moment_of_change(old.begin)) return;
    const std::int64_t shown = local - *before_, passed = shown + back;
    bool is_converted = false;
    if (back > 0) {
        is_live_ = is_step(shown, passed);
        is_converted = !is_live_ && !is_outage(std::max(widest_, shown), back);
    } else {
        is_converted = is_step(passed, shown);
        is_live_ = !is_converted && !is_outage(passed, -back);
    }
    has_rules_ = !is_converted;
}

std::int64_t LogClock::take(std::int64_t local, bool goes_back) {
    if (!has_rules_) return local - offset_;
    std::int64_t moment = local - plain_offset_;
    if (local < plain_begin_ || local >= plain_end_) {
        plain_begin_ = plain_end_ = 0;
        const LocalMoments moments = zone_.moments_of(local);
        switch (moments.kind) {
            case LocalMoments::Kind::ambiguous:
                moment = is_second(local, moments, goes_back) ? moments.last : moments.first;
                break;
            case LocalMoments::Kind::skipped:
                has_rules_ = is_live_;
                moment = local - zone_offset(zone_, moments.first - 1);
                break;
            case LocalMoments::Kind::unique: {
                moment = moments.first;
                cross(local, moment);
                widest_ = 0;
                const ZonePeriod period = zone_.period_at(moment);
                plain_offset_ = clock_second * period.offset;
                const std::int64_t begin = moment_of_change(period.begin), end = moment_of_change(period.end);
                // Times without a change for a year need no precise edge.
                plain_begin_ = begin < moment - clock_year
                                   ? local - clock_year
                                   : begin + std::max(plain_offset_, zone_offset(zone_, begin - 1));
                plain_end_ = end > moment + clock_year ? local + clock_year
                                                       : end + std::min(plain_offset_, zone_offset(zone_, end));
                break;
            }
        }
        if (!has_rules_) return local - offset_;
    }
    before_ = local;
    moment_before_ = moment;
    return moment;
}

std::int64_t LogClock::near(std::int64_t local) const {
    return has_rules_ ? zone_.moments_of(local).first : local - offset_;
}

std::optional<LogClock::Change> LogClock::next_change() const {
    if (!has_rules_ || !before_) return std::nullopt;
    const ZonePeriod now = zone_.period_at(moment_before_);
    constexpr std::int64_t furthest = 8'000'000'000;  // seconds: the year 2223
    if (now.end >= furthest || now.end <= -furthest) return std::nullopt;
    const std::int64_t at = clock_second * now.end, other = zone_offset(zone_, at), here = clock_second * now.offset;
    return Change{at + std::min(here, other), at + std::max(here, other)};
}

void LogClock::pass_change() {
    const auto change = next_change();
    if (!change) return;
    moment_before_ = moment_of_change(zone_.period_at(moment_before_).end);
    before_ = moment_before_ + zone_offset(zone_, moment_before_);
    plain_begin_ = plain_end_ = 0;
}

}  // namespace hkpd
