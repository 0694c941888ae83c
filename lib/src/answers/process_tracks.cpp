#include "answers/process_tracks.hpp"

#include <cmath>
#include <optional>

#include "base/time.hpp"

namespace hkpd {

void ProcessTracks::begin(const Sample& sample) {
    constexpr double nanoseconds = 1e9;
    time_ = sample.system_time ? unix_time(*sample.system_time) : SeriesStatistics::no_time;
    seconds_ = 0;
    if (time_ == SeriesStatistics::no_time) return;
    const auto [before, is_first] = before_.try_emplace({sample.machine.value_or(""), sample.source}, time_);
    if (!is_first && before->second < time_)
        seconds_ = static_cast<double>(time_between(before->second, time_)) / nanoseconds;
    before->second = time_;
}

void ProcessTracks::value(std::size_t place, CookedValue value) {
    if (place >= tracks_.size()) tracks_.resize(place + 1, no_index);
    if (!value.has_value() || time_ == SeriesStatistics::no_time) return;
    std::uint32_t& known = tracks_[place];
    if (known == no_index) {
        if (!counters_.of(all_, place).use) return;
        known = static_cast<std::uint32_t>(followed_.size());
        followed_.emplace_back();
        const RunSeries& series = all_.series(place);
        keys_.emplace_back(series.counter, series.identity);
        by_key_.add_last(keys_);
    }
    ProcessTrack& track = followed_[known];
    if (seconds_ > 0) track.total = (std::isnan(track.total) ? 0 : track.total) + value.value * seconds_;
    if (track.max_time == SeriesStatistics::no_time || value.value > track.max) {
        track.max = value.value;
        track.max_time = time_;
    }
    track.points.add(time_, value.value);
}

void ProcessTracks::clear() {
    tracks_.clear();
    followed_.clear();
    keys_.clear();
    by_key_.clear();
    before_.clear();
}

const ProcessTrack* ProcessTracks::find(const RunSeries& series) const {
    const std::uint32_t found = by_key_.find(keys_, {series.counter, series.identity});
    return found == no_index ? nullptr : &followed_[found];
}

}  // namespace hkpd
