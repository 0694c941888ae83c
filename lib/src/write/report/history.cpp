#include "write/report/history.hpp"

#include <algorithm>
#include <cmath>

namespace hkpd {
namespace {

/// Returns the number of the interval of a grid in which a time lies.
std::int64_t interval_of(std::int64_t time, std::int64_t step) noexcept {
    if (step == 0) return time;
    return time / step - (time % step < 0 ? 1 : 0);
}

}  // namespace

void ReducedValues::add(const ReducedValues& later) noexcept {
    if (later.missing != Reason::none) missing = later.missing;
    if (later.count == 0) return;
    min = count == 0 ? later.min : std::min(min, later.min);
    max = count == 0 ? later.max : std::max(max, later.max);
    sum += later.sum;
    count += later.count;
}

double ReducedValues::mean() const noexcept {
    const double mean = sum / count;
    // The sum of values near the largest double is infinite.
    return std::isfinite(mean) ? std::clamp(mean, min, max) : min + (max / 2 - min / 2);
}

void History::begin(std::uint32_t stream, std::int64_t time) {
    if (streams_.size() <= stream) streams_.resize(stream + 1);
    stream_ = stream;
    time_ = time;
    Stream& to = streams_[stream];
    const bool joins = !to.slots.empty() && interval_of(time, to.step) == interval_of(to.slots.back().from, to.step);
    if (!joins) {
        if (values_ > most_values_) limit_values();
        if (to.slots.size() >= most_slots_) join_slots(to);
        to.slots.push_back({.from = time, .to = time, .begin = to.samples});
    }
    HistorySlot& slot = to.slots.back();
    slot.to = std::max(slot.to, time);
    ++slot.samples;
    ++to.samples;
}

void History::count_extremes(Series& series, double value) const noexcept {
    if (!series.has_value || value > series.max) {
        series.max = value;
        series.max_time = time_;
    }
    if (!series.has_value || value < series.min) {
        series.min = value;
        series.min_time = time_;
    }
}

void History::add(std::size_t series, CookedValue value) {
    if (!value.has_value() && value.reason == Reason::first_sample) return;
    if (series_.size() <= series) series_.resize(series + 1);
    Series& to = series_[series];
    if (to.stream == no_stream) {
        to.stream = stream_;
        streams_[stream_].series.push_back(series);
    }
    const std::uint64_t sample = streams_[stream_].samples - 1;
    if (!value.has_value()) {
        current(to).missing = value.reason;
        return;
    }
    count_extremes(to, value.value);
    const bool begins = to.constant && !to.has_value;
    if (begins) {
        to.value = value.value;
        to.first = sample;
    } else if (!to.constant || to.value != value.value || sample != to.end) {
        current(to).add(value.value);
    }
    to.has_value = true;
    to.end = sample + 1;
}

/// Returns the values of a series in the current slot.
ReducedValues& History::current(Series& series) {
    if (series.constant) unfold(series);
    const auto slot = static_cast<std::uint32_t>(streams_[series.stream].slots.size() - 1);
    if (series.slot != slot) {
        store(series);
        series.slot = slot;
    }
    return series.now;
}

/// Moves the values of the slot added to last to the list.
void History::store(Series& series) {
    if (series.now.empty()) return;
    constexpr std::size_t much = 64;
    const std::size_t place = series.slot - series.first_slot, before = series.values.capacity();
    if (place >= much) series.values.reserve(most_slots_);  // doubling would take half as much memory again
    if (place >= series.values.size()) series.values.resize(place + 1);
    series.values[place].add(series.now);
    series.now = {};
    values_ += series.values.capacity() - before;
}

void History::fill_constant(const Series& series, std::span<const HistorySlot> slots,
                            std::vector<ReducedValues>& values, std::uint32_t first_slot) {
    if (!series.has_value) return;
    for (std::size_t i = first_slot; i < slots.size(); ++i) {
        const std::uint64_t begin = std::max(slots[i].begin, series.first);
        const std::uint64_t end = std::min(slots[i].begin + slots[i].samples, series.end);
        if (begin >= end) continue;
        if (values.size() <= i - first_slot) values.resize(i - first_slot + 1);
        const auto count = static_cast<std::uint32_t>(end - begin);
        values[i - first_slot] = {series.value, series.value, series.value * count, count, Reason::none};
    }
}

/// Gives a series that was constant so far a list of values.
void History::unfold(Series& series) {
    const std::span<const HistorySlot> slots = streams_[series.stream].slots;
    series.constant = false;
    series.first_slot = series.slot = static_cast<std::uint32_t>(slots.size() - 1);
    if (!series.has_value) return;
    const auto after = std::ranges::upper_bound(slots, series.first, {}, &HistorySlot::begin);
    series.first_slot = static_cast<std::uint32_t>(after - slots.begin() - 1);
    fill_constant(series, slots, series.values, series.first_slot);
    values_ += series.values.capacity();
}

/// Joins the slots of a stream that are in the same interval, whose length doubles until a quarter of the slots is
/// free.
void History::join_slots(Stream& stream) {
    std::int64_t from = stream.slots.front().from, to = from;
    for (const HistorySlot& slot : stream.slots) {
        from = std::min(from, slot.from);
        to = std::max(to, slot.to);
    }
    const auto span = static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    if (stream.step == 0) stream.step = static_cast<std::int64_t>(span / most_slots_ + 1);
    std::vector<std::uint32_t> places(stream.slots.size());
    std::uint32_t last = 0;
    bool pairs = false;  // of slots, whatever their times, if these go backwards again and again
    do {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
        pairs = stream.step > most || static_cast<std::uint64_t>(stream.step) > 2 * (span + 1);
        if (!pairs) stream.step *= 2;
        last = 0;
        for (std::uint32_t i = 1; i < places.size(); ++i) {
            const bool same = pairs ? i % 2 == 1
                                    : interval_of(stream.slots[i].from, stream.step) ==
                                          interval_of(stream.slots[i - 1].from, stream.step);
            places[i] = same ? last : ++last;
        }
    } while (!pairs && last + 1 > most_slots_ / 4 * 3);
    for (std::uint32_t i = 1; i < places.size(); ++i) {
        HistorySlot& slot = stream.slots[places[i]];
        if (places[i] != places[i - 1]) {
            slot = stream.slots[i];
            continue;
        }
        slot.from = std::min(slot.from, stream.slots[i].from);
        slot.to = std::max(slot.to, stream.slots[i].to);
        slot.samples += stream.slots[i].samples;
    }
    stream.slots.resize(last + 1);
    for (const std::size_t series : stream.series)
        if (!series_[series].constant) join_values(series_[series], places);
}

void History::join_values(Series& series, std::span<const std::uint32_t> places) {
    store(series);
    series.slot = places[series.slot];
    const std::uint32_t first = places[series.first_slot];
    std::size_t size = 0;
    for (std::size_t i = 0; i < series.values.size(); ++i) {
        const std::size_t to = places[series.first_slot + i] - first;
        if (to == i) {
            size = i + 1;
            continue;
        }
        if (to >= size) {
            series.values[to] = series.values[i];
            size = to + 1;
        } else {
            series.values[to].add(series.values[i]);
        }
    }
    series.values.resize(size);
    series.first_slot = first;
}

void History::limit_values() {
    constexpr std::size_t fewest = 4;
    if (most_slots_ <= fewest) {
        most_values_ = std::numeric_limits<std::uint64_t>::max();
        return;
    }
    most_slots_ /= 2;
    for (Stream& stream : streams_)
        while (stream.slots.size() > most_slots_) join_slots(stream);
    values_ = 0;
    for (Series& series : series_) {
        series.values.shrink_to_fit();
        values_ += series.values.capacity();
    }
}

void History::read(std::size_t series, std::vector<ReducedValues>& values) const {
    const Series& from = series_[series];
    values.clear();
    if (from.stream == no_stream) return;
    const std::span<const HistorySlot> slots = streams_[from.stream].slots;
    if (from.constant) fill_constant(from, slots, values, 0);
    if (!from.constant) {
        values.resize(from.first_slot);
        values.insert(values.end(), from.values.begin(), from.values.end());
    }
    values.resize(slots.size());
    if (!from.now.empty()) values[from.slot].add(from.now);
}

}  // namespace hkpd
