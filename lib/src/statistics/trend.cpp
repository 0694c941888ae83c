#include "statistics/trend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/time.hpp"

namespace hkpd {
namespace {

constexpr double nanoseconds_of_hour = 3.6e12;

/// Returns the median of numbers, whose order it changes.
double median(std::span<double> numbers) {
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::ranges::nth_element(numbers, middle);
    if (numbers.size() % 2 != 0) return *middle;
    return (*middle + *std::ranges::max_element(numbers.begin(), middle)) / 2;
}

}  // namespace

double TrendPoints::Point::mean_hours() const noexcept {
    return time / static_cast<double>(values) / nanoseconds_of_hour;
}

void TrendPoints::add(std::int64_t time, double value) {
    if (values_ != 0 && time < end_) return;
    if (values_++ == 0) begin_ = time;
    end_ = time;
    if (points_.empty() || points_.back().values == per_point_) {
        if (points_.size() == most) {
            for (std::size_t i = 0; i < most / 2; ++i) {
                const Point &one = points_[2 * i], &two = points_[2 * i + 1];
                points_[i] = {one.time + two.time, one.value + two.value, one.values + two.values};
            }
            points_.resize(most / 2);
            per_point_ *= 2;
        }
        constexpr std::size_t usual = 8;  // few processes have fewer values
        if (points_.empty()) points_.reserve(usual);
        points_.emplace_back();
    }
    Point& last = points_.back();
    last.time += static_cast<double>(time_between(begin_, time));
    last.value += value;
    ++last.values;
}

Trend TrendPoints::trend(std::int64_t run) const {
    Trend found{.values = values_, .hours = static_cast<double>(time_between(begin_, end_)) / nanoseconds_of_hour};
    if (values_ < Trend::least_values) return found;
    found.doubt = Trend::Doubt::short_span;
    if (end_ == begin_ ||
        static_cast<double>(time_between(begin_, end_)) < Trend::least_share * static_cast<double>(run))
        return found;
    std::array<double, most> at{}, means{};
    for (std::size_t i = 0; i < points_.size(); ++i) {
        at[i] = points_[i].mean_hours();
        means[i] = points_[i].mean();
    }
    std::vector<double> slopes;
    slopes.reserve(points_.size() * (points_.size() - 1) / 2);
    for (std::size_t later = 1; later < points_.size(); ++later)
        for (std::size_t earlier = 0; earlier < later; ++earlier)
            if (const double hours = at[later] - at[earlier]; hours > 0)
                slopes.push_back((means[later] - means[earlier]) / hours);
    if (slopes.empty()) return found;
    found.doubt = Trend::Doubt::none;
    found.slope = median(slopes);
    std::vector<double> starts;
    double mean = 0, step = 0;
    for (const Point& point : points_) {
        starts.push_back(point.mean() - found.slope * point.mean_hours());
        mean += point.mean() / static_cast<double>(points_.size());
    }
    const double start = median(starts);
    double left = 0, all = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const double value = points_[i].mean();
        left += std::pow(value - start - found.slope * points_[i].mean_hours(), 2);
        all += std::pow(value - mean, 2);
        if (i != 0) step = std::max(step, value - points_[i - 1].mean());
    }
    // The means of equal values differ by their rounding.
    constexpr double rounding = 1e-12;
    if (all > std::pow(rounding * mean, 2) * static_cast<double>(points_.size()))
        found.r_squared = std::clamp(1 - left / all, 0.0, 1.0);
    const double rise = found.slope * (points_.back().mean_hours() - points_.front().mean_hours());
    found.largest_step = rise > 0 ? step / rise : 0;
    return found;
}

bool Trend::grows_steadily() const noexcept {
    constexpr double least_explained = 0.9, most_step = 1.0 / 3;
    return doubt == Doubt::none && slope > 0 && r_squared >= least_explained && largest_step <= most_step;
}

std::string_view doubt_name(Trend::Doubt doubt) noexcept {
    switch (doubt) {
        case Trend::Doubt::few_values:
            return "few_values";
        case Trend::Doubt::short_span:
            return "short_span";
        default:
            return "";
    }
}

}  // namespace hkpd
