#include "answers/window_samples.hpp"

#include <algorithm>

namespace hkpd {

WindowSamples::Side WindowSamples::side_of(const WindowSample& sample) const noexcept {
    if (sample.number < window_.first || (sample.time && *sample.time < window_.from)) return Side::before;
    if (sample.number > window_.last || (sample.time && *sample.time > window_.to)) return Side::after;
    return window_.has_time() && !sample.time ? Side::before : Side::inside;
}

/// Returns how far a sample is from the window: in nanoseconds, or in samples if the window is stated in them.
std::uint64_t WindowSamples::distance(const WindowSample& sample, Side side) const noexcept {
    const bool is_before = side == Side::before;
    if (window_.has_time() && sample.time) {
        const auto time = static_cast<std::uint64_t>(*sample.time);
        return is_before ? static_cast<std::uint64_t>(window_.from) - time
                         : time - static_cast<std::uint64_t>(window_.to);
    }
    return is_before ? window_.first - sample.number : sample.number - window_.last;
}

void WindowSamples::add(WindowSample sample, const Take& take) {
    const Side side = side_of(sample);
    if (is_decided_) return take(sample, side == Side::inside);
    if (side == Side::before) {
        before_.push_back(std::move(sample));
        if (before_.size() <= least_) return;
        take(before_.front(), false);
        before_.pop_front();
    } else if (side == Side::inside) {
        inside_.push_back(std::move(sample));
        if (inside_.size() >= least_) decide(0, 0, take);
    } else {
        after_.push_back(std::move(sample));
        if (after_.size() >= least_) widen(take);
    }
}

void WindowSamples::finish(const Take& take) {
    if (!is_decided_) widen(take);
}

/// Adds the samples nearest to the window until it has enough.
void WindowSamples::widen(const Take& take) {
    std::size_t earlier = 0, later = 0;
    const bool is_outside = inside_.empty() && (before_.empty() || after_.empty());
    while (!is_outside && inside_.size() + earlier + later < least_) {
        const bool has_earlier = earlier < before_.size(), has_later = later < after_.size();
        if (!has_earlier && !has_later) break;
        const bool is_earlier =
            has_earlier && (!has_later || distance(before_[before_.size() - 1 - earlier], Side::before) <=
                                              distance(after_[later], Side::after));
        ++(is_earlier ? earlier : later);
    }
    decide(earlier, later, take);
}

/// Passes on the samples that were held: the last of those before the window, and the first of those after it, belong
/// to it.
void WindowSamples::decide(std::size_t from_before, std::size_t from_after, const Take& take) {
    is_decided_ = true;
    for (std::size_t i = 0; i < before_.size(); ++i) take(before_[i], i + from_before >= before_.size());
    for (const WindowSample& sample : inside_) take(sample, true);
    for (std::size_t i = 0; i < after_.size(); ++i) take(after_[i], i < from_after);
    before_.clear();
    inside_.clear();
    after_.clear();
}

}  // namespace hkpd
