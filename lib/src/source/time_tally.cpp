#include "source/time_tally.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
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
        zone_stated_ = sample.is_zone_stated();
        time_ = Overview::Span{*now, time_ ? time_->to : *now};
    }
    if (!zone_at_end_ || *now >= time_->to) {
        zone_at_end_ = sample.zone;
        time_->to = *now;
    }
    std::pair key{sample.machine.value_or(""), sample.source};
    const std::uint32_t input = sample.origin.input;
    const auto found = streams_.find(key);
    if (found != streams_.end()) {
        Stream& stream = found->second;
        add_interval(stream, *now, input);
        stream.last = *now;
        stream.input = input;
        ++stream.samples;
    } else if (streams_.size() < most_streams_) {
        const auto number = static_cast<std::uint32_t>(streams_.size());
        streams_.emplace(std::move(key), Stream{number, *now, *now, input, input, 1});
    }
}

void TimeTally::add_interval(const Stream& stream, std::int64_t to, std::uint32_t input) {
    const std::int64_t from = stream.last;
    if (to <= from) return;
    // Only the parts that were skipped last can lie between consecutive samples. There can be a million in a directory.
    constexpr std::size_t recent = 3;
    const std::span<const Skipped::Part> parts(skipped_.parts);
    for (const Skipped::Part& part : parts.last(std::min(recent, parts.size())))
        if (from < signed_time(part.to) && to > signed_time(part.from)) return;
    const std::int64_t length = milliseconds_between(from, to);
    if (intervals_.size() < most_intervals || intervals_.contains(length)) ++intervals_[length];
    // Which intervals are gaps is known at the end.
    longest_intervals_.push_back({from, to, stream.number, stream.input, input, stream.samples});
    if (longest_intervals_.size() > 2 * most_listed) {
        std::ranges::nth_element(longest_intervals_, longest_intervals_.begin() + most_listed, std::greater(),
                                 &Interval::length);
        longest_dropped_ = std::max(longest_dropped_, longest_intervals_[most_listed].length());
        longest_intervals_.resize(most_listed);
    }
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

/// Lists the gaps, and the runs between the long ones.
void TimeTally::list_gaps(Overview& overview, const Diagnostics& diagnostics, std::int64_t usual) const {
    constexpr std::int64_t intervals_between_runs = 10;
    std::vector<const std::pair<const std::pair<std::string, SampleSource>, Stream>*> streams(streams_.size());
    for (const auto& each : streams_) streams[each.second.number] = &each;
    const auto part = [&](std::uint32_t stream, std::int64_t from, std::int64_t to, std::uint32_t input) {
        const auto names = diagnostics.inputs();
        return Overview::Gap{{from, to},
                             streams[stream]->first.first,
                             streams[stream]->first.second,
                             input < names.size() ? names[input] : std::string()};
    };
    std::vector<Interval> gaps;
    std::ranges::copy_if(longest_intervals_, std::back_inserter(gaps),
                         [&](const Interval& each) { return is_gap(milliseconds_between(each.from, each.to), usual); });
    bool all = !is_gap(longest_dropped_ / millisecond, usual);
    if (gaps.size() > most_listed) {
        std::ranges::nth_element(gaps, gaps.begin() + most_listed, std::greater(), &Interval::length);
        gaps.resize(most_listed);
        all = false;
    }
    std::ranges::sort(gaps, {}, [](const Interval& each) { return std::pair(each.stream, each.samples); });
    std::size_t next = 0;
    for (const auto* const each : streams) {
        const Stream& stream = each->second;
        std::int64_t first = stream.first;
        std::uint32_t input = stream.first_input;
        std::uint64_t before = 0;
        const auto end_run = [&](std::int64_t last, std::uint64_t samples) {
            if (all) overview.runs.push_back({part(stream.number, first, last, input), samples - before});
            before = samples;
        };
        for (; next < gaps.size() && gaps[next].stream == stream.number; ++next) {
            const Interval& gap = gaps[next];
            overview.gap_list.push_back(part(stream.number, gap.from, gap.to, gap.input));
            if (milliseconds_between(gap.from, gap.to) / intervals_between_runs <= usual) continue;
            end_run(gap.from, gap.samples);
            first = gap.to;
            input = gap.next_input;
        }
        end_run(stream.last, stream.samples);
    }
    std::ranges::stable_sort(overview.gap_list, {}, [](const Overview::Gap& gap) { return gap.span.from; });
    std::ranges::stable_sort(overview.runs, {}, [](const Overview::Run& run) { return run.part.span.from; });
}

void TimeTally::fill(Overview& overview, const Diagnostics& diagnostics) const {
    overview.time = time_;
    overview.zone = zone_;
    overview.zone_at_end = zone_at_end_;
    overview.zone_stated = zone_stated_;
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
    list_gaps(overview, diagnostics, *usual);
    if (!skipped_.parts.empty()) overview.runs.clear();
}

}  // namespace hkpd
