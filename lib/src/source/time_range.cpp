#include "hkpd/time_range.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "base/time.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/sample.hpp"

namespace hkpd {
namespace {

namespace chrono = std::chrono;
using Int64 = std::numeric_limits<std::int64_t>;

constexpr std::int64_t day_length = 86'400'000'000'000;

/// Returns the moment at a distance before another one, or the first moment of 64 bits.
std::int64_t before(std::int64_t moment, std::int64_t distance) noexcept {
    return moment < Int64::min() + distance ? Int64::min() : moment - distance;
}

}  // namespace

RangeFinder::RangeFinder(StatedRange stated, Calls calls, bool is_endless)
    : stated_(std::move(stated)), calls_(std::move(calls)), is_endless_(is_endless) {}

const Range& RangeFinder::find(const Sample& first) {
    if (range_) return *range_;
    zone_ = first.shown_zone(stated_.zone);  // local times of which no zone is known are compared with local times
    Range range = stated_.range;
    // In damaged input, a time can be at the end of the range of 64 bits. A distance keeps all sums in the range.
    constexpr std::int64_t distance = 4 * day_length;
    const std::int64_t begin =
        std::clamp(unix_time(first).value_or(0), Int64::min() + distance, Int64::max() - distance);
    if (stated_.from) range.from = moment_of(*stated_.from, begin);
    const bool is_later = stated_.from && range.from > begin && range.from < Int64::max() - distance;
    if (stated_.to) range.to = moment_of(*stated_.to, is_later ? range.from : begin);
    return range_.emplace(range);
}

/// Returns the moment of one end of the range. A time of day is looked for from the moment `begin` on.
std::int64_t RangeFinder::moment_of(const StatedRange::Bound& bound, std::int64_t begin) {
    using Form = StatedTime::Kind;
    const StatedTime& time = bound.time;
    if (time.kind == Form::utc) return time.time;
    if (time.kind == Form::before_end) return before(latest().value_or(begin), time.time);
    const std::int64_t local = time.kind == Form::local ? time.time : on_a_day(bound, begin);
    const LocalMoments moments = zone_.moments_of(local);
    if (moments.kind == LocalMoments::Kind::ambiguous)
        note(fmt::format("{} occurs twice in {}, as {} and as {}: the first is used", bound.text, zone_.name(),
                         shown(moments.first), shown(moments.last)));
    if (moments.kind == LocalMoments::Kind::skipped)
        note(fmt::format("{} does not exist in {}, where clocks were set forward: {} is used", bound.text, zone_.name(),
                         shown(moments.first)));
    return moments.first;
}

/// Returns the local time of a time of day: on the day of `begin`, or on the next day.
std::int64_t RangeFinder::on_a_day(const StatedRange::Bound& bound, std::int64_t begin) {
    const std::int64_t day = day_of(begin), same_day = day + bound.time.time, next_day = same_day + day_length;
    if (zone_.moments_of(same_day).last >= begin || !crosses_midnight(begin)) return same_day;
    note(fmt::format("{} is {}: the first such time in a run that begins at {} and crosses midnight", bound.text,
                     shown(zone_.moments_of(next_day).first), shown(begin)));
    return next_day;
}

/// Returns the begin of a moment's day, as local time in nanoseconds since 1970-01-01 00:00.
std::int64_t RangeFinder::day_of(std::int64_t moment) const {
    const chrono::seconds local =
        chrono::floor<chrono::seconds>(chrono::nanoseconds{moment}) + chrono::seconds{zone_.offset_at(moment)};
    return chrono::floor<chrono::days>(local).count() * day_length;
}

/// Returns whether the run continues on the day after `begin`. That of a machine is read until it is interrupted. Of
/// inputs that cannot be read twice, it is not known.
bool RangeFinder::crosses_midnight(std::int64_t begin) {
    if (is_endless_) return true;
    const auto last = latest();
    return last && day_of(*last) > day_of(begin);
}

std::optional<std::int64_t> RangeFinder::latest() {
    if (!std::exchange(is_latest_sought_, true) && calls_.latest) latest_ = calls_.latest();
    return latest_;
}

std::string RangeFinder::shown(std::int64_t moment) const {
    std::string text;
    append_time(text, system_time_at(moment), zone_);
    return text;
}

void RangeFinder::note(const std::string& text) const {
    if (calls_.note) calls_.note(text);
}

std::optional<std::int64_t> latest_time(std::unique_ptr<Source> source, ReaderOptions how) {
    const auto span = source->span();
    if (span && !how.only) return span->last;
    Diagnostics discarded(0);
    how.diagnostics = &discarded;
    how.compare = false;
    how.range = {};
    how.range_of = nullptr;
    Reader reader(std::move(source), std::move(how));
    std::optional<std::int64_t> latest;
    while (reader.next())
        if (const auto time = unix_time(reader.sample()); time && (!latest || *time > *latest)) latest = time;
    return latest;
}

}  // namespace hkpd
