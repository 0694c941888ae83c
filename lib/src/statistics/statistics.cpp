#include "statistics/statistics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "cook/formula.hpp"

namespace hkpd {
namespace {

constexpr double per_second = 1e9, seconds_per_hour = 3600;

constexpr auto column_names =
    std::to_array<std::string_view>({"count", "first", "last", "min", "mean", "p50", "p95", "p99", "max", "stddev",
                                     "delta", "slope"});  // in the order of StatisticColumn

/// Returns the number, or NaN if it is infinite.
double finite(double number) noexcept { return std::isfinite(number) ? number : no_value; }

}  // namespace

std::optional<StatisticColumn> statistic_column_of(std::string_view name) noexcept {
    const auto found = std::ranges::find(column_names, name);
    return found == column_names.end() ? std::nullopt
                                       : std::optional(static_cast<StatisticColumn>(found - column_names.begin()));
}

std::string_view statistic_name(StatisticColumn column) noexcept {
    return column_names[static_cast<std::size_t>(column)];
}

double value_of(const Statistics& s, StatisticColumn column) noexcept {
    switch (column) {
        case StatisticColumn::count:
            return static_cast<double>(s.count);
        case StatisticColumn::first:
            return s.first;
        case StatisticColumn::last:
            return s.last;
        case StatisticColumn::min:
            return s.min;
        case StatisticColumn::mean:
            return s.mean;
        case StatisticColumn::p50:
            return s.p50;
        case StatisticColumn::p95:
            return s.p95;
        case StatisticColumn::p99:
            return s.p99;
        case StatisticColumn::max:
            return s.max;
        case StatisticColumn::stddev:
            return s.stddev;
        case StatisticColumn::delta:
            return s.delta;
        case StatisticColumn::slope:
            return s.slope;
    }
    return no_value;
}

std::size_t SeriesStatistics::add(double value, std::int64_t time, std::size_t most) {
    if (count_++ == 0) {
        first_ = value;
        begin_ = time;
        return 0;
    }
    std::size_t grown = 0;
    if (more_ == nullptr) {
        more_ = std::make_unique<More>();
        more_->min = more_->max = more_->mean = first_;
        if (most != 0) grown = more_->percentiles.add(first_, most);
    }
    more_->add(value, time, count_, begin_);
    return most == 0 ? 0 : grown + more_->percentiles.add(value, most);
}

/// `count`: number of values with this one. `begin`: the time of the first.
inline void SeriesStatistics::More::add(double value, std::int64_t time, std::uint64_t count, std::int64_t& begin) {
    last = value;
    min = std::min(min, value);
    max = std::max(max, value);
    const auto n = static_cast<double>(count);
    const double from_mean = value - mean;
    mean += from_mean / n;
    squares += from_mean * (value - mean);
    if (time == no_time) begin = no_time;
    if (begin == no_time) return;
    // Times are between the years 1677 and 2262, so that the difference of two of them can exceed 64 bits.
    const double seconds = time >= 0 && begin >= 0
                               ? static_cast<double>(time - begin) / per_second
                               : static_cast<double>(time) / per_second - static_cast<double>(begin) / per_second;
    const double from_mean_time = seconds - mean_time;
    mean_time += from_mean_time / n;
    time_squares += from_mean_time * (seconds - mean_time);
    products += from_mean_time * (value - mean);
}

void SeriesStatistics::set(std::span<const double> values, std::span<const std::int64_t> times, bool percentiles) {
    if (values.empty()) return;
    count_ = values.size();
    first_ = values.front();
    begin_ = times.front();
    if (values.size() == 1) return;
    More all;
    all.min = all.max = all.mean = first_;
    for (std::size_t i = 1; i < values.size(); ++i) all.add(values[i], times[i], i + 1, begin_);
    if (percentiles) all.percentiles.set(values, all.min, all.max);
    more_ = std::make_unique<More>(std::move(all));
}

double SeriesStatistics::quartile_distance() {
    constexpr std::array<std::uint64_t, 2> percents{25, 75};
    if (more_ == nullptr || more_->percentiles.capacity() == 0) return 0;
    std::array<double, 2> found{};
    more_->percentiles.at(percents, more_->min, more_->max, found);
    return found[1] - found[0];
}

Statistics SeriesStatistics::finish() {
    Statistics s{.count = count_,
                 .first = no_value,
                 .last = no_value,
                 .min = no_value,
                 .max = no_value,
                 .mean = no_value,
                 .p50 = no_value,
                 .p95 = no_value,
                 .p99 = no_value,
                 .stddev = no_value,
                 .delta = no_value,
                 .slope = no_value};
    if (count_ == 0) return s;
    s.first = s.last = s.min = s.max = s.mean = s.p50 = s.p95 = s.p99 = finite(first_);
    s.delta = finite(first_ - first_);
    if (more_ == nullptr) return s;
    More& all = *more_;
    s.last = finite(all.last);
    s.min = finite(all.min);
    s.max = finite(all.max);
    s.mean = finite(std::clamp(all.mean, all.min, all.max));
    s.delta = finite(all.last - first_);
    const bool any = all.percentiles.capacity() != 0;
    const auto [p50, p95, p99] =
        any ? all.percentiles.finish(all.min, all.max) : Percentiles::Result{no_value, no_value, no_value};
    s.p50 = finite(p50);
    s.p95 = finite(p95);
    s.p99 = finite(p99);
    s.percentile_error = all.percentiles.error();
    s.stddev = finite(std::sqrt(all.squares / static_cast<double>(count_ - 1)));
    if (begin_ != no_time && all.time_squares > 0) s.slope = finite(all.products / all.time_squares * seconds_per_hour);
    return s;
}

Statistics statistics_of(std::span<const double> values, std::span<const std::int64_t> times) {
    SeriesStatistics all;
    all.set(values, times, true);
    return all.finish();
}

std::int64_t Buckets::begin(std::int64_t time) const {
    using Ends = std::numeric_limits<std::int64_t>;
    constexpr std::int64_t second = 1'000'000'000, day = 86'400 * second;
    const std::int64_t offset = zone.offset_at(time) * second;
    // All arithmetic is modulo the length, because times can be at the ends of the range of 64 bits.
    const std::int64_t since = ((time % length + offset % length) % length + length) % length;
    const std::int64_t begin = time < Ends::min() + since ? Ends::min() : time - since;
    const bool has_local_time = begin > Ends::min() + day && begin < Ends::max() - day;
    if (!has_local_time || zone.offset_at(begin) * second == offset) return begin;
    return zone.moments_of(begin + offset).first;  // clocks were changed within the interval
}

std::optional<std::int64_t> parse_bucket(std::string_view text) noexcept {
    constexpr std::int64_t second = 1'000'000'000;
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> units{
        {{"s", second}, {"min", 60 * second}, {"h", 3600 * second}, {"d", 86'400 * second}}};
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, wrong] = std::from_chars(text.data(), end, number);
    const auto unit =
        std::ranges::find(units, std::string_view(rest, end), &std::pair<std::string_view, std::int64_t>::first);
    constexpr std::int64_t most = 366 * units.back().second;
    if (wrong != std::errc{} || unit == units.end() || number < 1 || number > most / unit->second) return std::nullopt;
    return number * unit->second;
}

}  // namespace hkpd
