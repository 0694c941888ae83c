#include "answers/window_values.hpp"

#include <algorithm>

#include "base/time.hpp"

namespace hkpd {

void WindowValues::begin(const Sample& sample) {
    current_.number = number_++;
    current_.time = unix_time(sample);
    current_.values.clear();
    if (!window_ && options_.window_of == nullptr) window_ = Range();
    if (!window_ && current_.time) window_ = options_.window_of(sample);
    stream_ = nullptr;
    if (!window_) return;
    const std::size_t least = std::max<std::size_t>(options_.least_samples, 1);
    const auto stream =
        streams_.try_emplace({sample.machine.value_or(""), sample.source}, WindowSamples(*window_, least));
    stream_ = &stream.first->second;
}

void WindowValues::value(std::size_t place, CookedValue value) {
    if (value.has_value()) current_.values.emplace_back(static_cast<std::uint32_t>(place), value.value);
}

void WindowValues::end() {
    if (stream_ == nullptr) {
        Stream none{WindowSamples(Range(), 1)};
        return take(current_, false, none);
    }
    Stream& stream = *stream_;
    stream.samples.add(std::move(current_),
                       [&](const WindowSample& sample, bool in_window) { take(sample, in_window, stream); });
    current_ = {};
}

void WindowValues::finish() {
    for (auto& [machine, stream] : streams_)
        stream.samples.finish([&](const WindowSample& sample, bool in_window) { take(sample, in_window, stream); });
    quartile_distances_.reserve(statistics_.size() / 2);
    for (std::size_t i = 1; i < statistics_.size(); i += 2)
        quartile_distances_.push_back(statistics_[i].quartile_distance());
}

void WindowValues::take(const WindowSample& sample, bool in_window, Stream& stream) {
    ++(in_window ? samples : all_rest_samples);
    if (in_window && sample.time) {
        if (!std::exchange(stream.was_inside, true) && stream.last_rest && (!before || *stream.last_rest < *before))
            before = stream.last_rest;
        from = from ? std::min(*from, *sample.time) : *sample.time;
        to = to ? std::max(*to, *sample.time) : *sample.time;
    }
    if (!in_window) stream.last_rest = sample.time;
    if (statistics_.size() < 2 * all_.size()) statistics_.resize(2 * all_.size());
    if (extents_.size() < all_.size()) extents_.resize(all_.size());
    for (const auto& [place, value] : sample.values) {
        memory_.add(statistics_[2 * std::size_t{place} + (in_window ? 0 : 1)], value,
                    sample.time.value_or(SeriesStatistics::no_time), statistics_,
                    [](SeriesStatistics& each) -> SeriesStatistics& { return each; });
        Extent& extent = extents_[place];
        if (sample.time) {
            extent.first = std::min(extent.first.value_or(*sample.time), *sample.time);
            extent.last = std::max(extent.last.value_or(*sample.time), *sample.time);
        }
        if (in_window) {
            if (statistics_[2 * std::size_t{place}].count() == 1 || value > extent.max) {
                extent.max = value;
                extent.max_time = sample.time;
            }
            continue;
        }
        const std::uint32_t counter = all_.series(place).counter;
        if (counter >= counters_.size()) counters_.resize(counter + std::size_t{1});
        if (std::exchange(counters_[counter].last, sample.number) != sample.number) ++counters_[counter].rest;
    }
}

}  // namespace hkpd
