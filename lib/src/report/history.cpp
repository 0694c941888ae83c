#include "report/history.hpp"

#include <algorithm>
#include <cmath>

namespace hkpd {
namespace {

/// Returns whether a slot with samples from `from` on also takes one at `time`.
bool takes(std::int64_t from, std::int64_t time, std::int64_t length) noexcept {
    return time >= from &&
           static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(from) < static_cast<std::uint64_t>(length);
}

/// Returns the median of the times from one slot to the next, so that gaps do not count; at least 1.
std::int64_t usual_distance(std::span<const HistorySlot> slots) {
    std::vector<std::uint64_t> distances;
    for (std::size_t i = 1; i < slots.size(); ++i)
        if (slots[i].from > slots[i - 1].from)
            distances.push_back(static_cast<std::uint64_t>(slots[i].from) -
                                static_cast<std::uint64_t>(slots[i - 1].from));
    if (distances.empty()) return 1;
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::ranges::nth_element(distances, middle);
    return static_cast<std::int64_t>(std::min<std::uint64_t>(*middle, std::numeric_limits<std::int64_t>::max() / 8));
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
    const bool joins = !to.slots.empty() && takes(to.slots.back().from, time, to.length);
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

void History::count_max(Series& series, double value) const noexcept {
    if (!series.has_value || value > series.max) {
        series.max = value;
        series.max_time = time_;
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
    count_max(to, value.value);
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
    const std::vector<HistorySlot>& slots = streams_[series.stream].slots;
    const auto slot = static_cast<std::uint16_t>(slots.size() - 1);
    if (series.constant) {
        series.constant = false;
        fill_constant(series, slots, series.values);
        values_ += series.values.size();
    }
    if (series.now.slot != slot) {
        store(series);
        series.now.slot = slot;
    }
    return series.now;
}

/// Moves the values of the slot added to last to the list.
void History::store(Series& series) {
    if (series.now.empty()) return;
    if (!series.values.empty() && series.values.back().slot == series.now.slot) {
        series.values.back().add(series.now);
    } else {
        series.values.push_back(series.now);
        ++values_;
    }
    series.now = {};
}

void History::fill_constant(const Series& series, std::span<const HistorySlot> slots,
                            std::vector<ReducedValues>& values) {
    if (!series.has_value) return;
    const auto first = std::ranges::upper_bound(slots, series.first, {}, &HistorySlot::begin) - slots.begin() - 1;
    for (auto i = static_cast<std::size_t>(first); i < slots.size(); ++i) {
        const std::uint64_t begin = std::max(slots[i].begin, series.first);
        const std::uint64_t end = std::min(slots[i].begin + slots[i].samples, series.end);
        if (begin >= end) break;
        const auto count = static_cast<std::uint32_t>(end - begin);
        values.push_back({series.value, series.value, series.value * count, count, static_cast<std::uint16_t>(i)});
    }
}

/// Joins neighbouring slots to slots of a greater length, which doubles until a quarter of the slots is free. Slots on
/// both sides of a gap are joined last.
void History::join_slots(Stream& stream) {
    std::vector<std::uint32_t> places(stream.slots.size());
    std::uint32_t last = 0;
    bool pairs = false;  // of slots, whatever their times, if these go backwards again and again
    const std::int64_t usual = stream.length == 0 ? usual_distance(stream.slots) : 0;
    do {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
        pairs = stream.length > most;
        if (!pairs) stream.length = stream.length == 0 ? usual + usual / 2 + 1 : 2 * stream.length;
        last = 0;
        std::int64_t from = stream.slots.front().from;
        for (std::uint32_t i = 1; i < places.size(); ++i) {
            const bool same =
                pairs ? i % 2 == 1 : stream.slots[i].from >= from && takes(from, stream.slots[i].to, stream.length);
            if (!same) from = stream.slots[i].from;
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
    std::size_t size = 0;
    for (ReducedValues& values : series.values) {
        values.slot = static_cast<std::uint16_t>(places[values.slot]);
        if (size != 0 && series.values[size - 1].slot == values.slot)
            series.values[size - 1].add(values);
        else
            series.values[size++] = values;
    }
    values_ -= series.values.size() - size;
    series.values.resize(size);
    // Most series of a long run are those of processes and threads that have ended.
    if (series.values.capacity() > 2 * size) series.values.shrink_to_fit();
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
}

void History::read(std::size_t series, std::vector<ReducedValues>& values) const {
    values.clear();
    if (stream(series) == no_stream) return;
    const Series& from = series_[series];
    const std::span<const HistorySlot> slots = streams_[from.stream].slots;
    std::vector<ReducedValues> same;
    if (from.constant) fill_constant(from, slots, same);
    const std::vector<ReducedValues>& own = from.constant ? same : from.values;
    // Most series have values in all slots up to the last one with any.
    const bool is_dense = !own.empty() && own.back().slot + std::size_t{1} == own.size();
    if (is_dense) values = own;
    values.resize(slots.size());
    if (!is_dense)
        for (const ReducedValues& each : own) values[each.slot] = each;
    if (!from.now.empty()) values[from.now.slot].add(from.now);
}

}  // namespace hkpd
