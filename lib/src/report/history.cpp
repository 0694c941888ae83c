#include "report/history.hpp"

#include <algorithm>
#include <bit>
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

/// A slot of one sample: the bits of its value, or those of NaN and the reason why there is none.
constexpr std::uint64_t no_single = 0x7FF8'0000'0000'0000;
std::uint64_t single_of(double value) noexcept { return std::bit_cast<std::uint64_t>(value); }
std::uint64_t single_of(Reason reason) noexcept { return no_single | static_cast<std::uint8_t>(reason); }
ReducedValues values_of(std::uint64_t single) noexcept {
    ReducedValues values;
    if (const auto value = std::bit_cast<double>(single); value == value)
        values.add(value);
    else
        values.missing = static_cast<Reason>(single & 0xFFU);
    return values;
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

/// Returns how many slots a stream may have: more, as long as a value in them has a quarter of the memory.
std::size_t History::most_slots(const Stream& stream) const noexcept {
    constexpr std::size_t of_single = sizeof(ReducedValues) / sizeof(std::uint64_t);
    return stream.length == 0 ? of_single * most_slots_ : most_slots_;
}

/// Returns whether the last slot of a stream also takes a sample at `time`.
bool History::continues(const Stream& stream, std::int64_t time) noexcept {
    return !stream.slots.empty() && takes(stream.slots.back().from, time, stream.length);
}

bool History::is_full(std::uint32_t number, std::int64_t time) const noexcept {
    if (streams_.size() <= number) return false;
    const Stream& stream = streams_[number];
    return !continues(stream, time) && (bytes_ > most_bytes_ || stream.slots.size() >= most_slots(stream));
}

void History::begin(std::uint32_t stream, std::int64_t time) {
    if (streams_.size() <= stream) streams_.resize(stream + 1);
    Stream& to = streams_[stream];
    if (!continues(to, time)) {
        if (bytes_ > most_bytes_) limit_values();
        if (to.slots.size() >= most_slots(to)) join(to);
        to.slots.push_back({.from = time, .to = time, .begin = to.samples});
    }
    HistorySlot& slot = to.slots.back();
    slot.to = std::max(slot.to, time);
    ++slot.samples;
    block_.push_back({stream, static_cast<std::uint16_t>(to.slots.size() - 1), to.samples++, time});
}

void History::add(std::size_t number, std::span<const BlockValue> values) {
    const std::size_t added = number < series_.size() ? add_singles(series_[number], values) : 0;
    for (const auto& [sample, value] : values.subspan(added)) {
        const BlockSample& in = block_[sample];
        if (in.stream == no_stream || (!value.has_value() && value.reason == Reason::first_sample)) continue;
        if (series_.size() <= number) series_.resize(number + 1);
        Series& series = series_[number];
        if (series.stream == no_stream) {
            series.stream = in.stream;
            streams_[in.stream].series.push_back(number);
        }
        add(series, in, value);
    }
}

/// Adds the values that are the only one of their slot each, and in the slot after the one before. Returns how many of
/// the first values these are: of most series, all.
std::size_t History::add_singles(Series& series, std::span<const BlockValue> values) {
    if (series.changed == nullptr || series.changed->singles.empty() || !series.has_value ||
        streams_[series.stream].length != 0)
        return 0;
    std::vector<std::uint64_t>& singles = series.changed->singles;
    std::size_t slot = series.changed->first_single + singles.size(), added = 0;
    for (const auto& [sample, value] : values) {
        const BlockSample& in = block_[sample];
        if (in.stream == no_stream || in.slot != slot || !value.has_value()) break;
        singles.push_back(single_of(value.value));
        if (value.value > series.max) {
            series.max = value.value;
            series.max_time = in.time;
        }
        ++slot;
        ++added;
    }
    bytes_ += added * sizeof(std::uint64_t);
    return added;
}

inline void History::add(Series& to, const BlockSample& sample, CookedValue value) {
    if (!value.has_value()) return add_changed(to, sample, value);
    if (!to.has_value) {
        to.has_value = true;
        to.max = value.value;
        to.max_time = sample.time;
        to.first = sample.number;
        to.end = sample.number + 1;
        if (to.changed != nullptr) add_changed(to, sample, value);
    } else if (to.changed == nullptr && value.value == to.max && sample.number == to.end) {
        ++to.end;
    } else {
        add_changed(to, sample, value);
        if (value.value > to.max) {
            to.max = value.value;
            to.max_time = sample.time;
        }
    }
}

/// Adds a value of a series that is not, or is no longer, constant.
void History::add_changed(Series& series, const BlockSample& sample, CookedValue value) {
    const Stream& stream = streams_[series.stream];
    if (series.changed == nullptr) {
        auto made = std::make_unique<Values>();
        if (stream.length != 0) {
            made->reduced = series.in(stream.slots);
        } else if (series.has_value) {  // a sample is a slot
            made->first_single = static_cast<std::uint16_t>(series.first);
            made->singles.assign(static_cast<std::size_t>(series.end - series.first), single_of(series.max));
        }
        bytes_ += made->bytes();
        series.changed = std::move(made);
    }
    Values& values = *series.changed;
    if (stream.length == 0 && values.reduced.empty()) {
        std::vector<std::uint64_t>& singles = values.singles;
        if (singles.empty()) values.first_single = sample.slot;
        const std::size_t place = sample.slot - std::size_t{values.first_single};
        if (place >= singles.size()) {
            bytes_ += (place + 1 - singles.size()) * sizeof(std::uint64_t);
            if (place > singles.size()) singles.resize(place, single_of(Reason::none));
            singles.push_back(value.has_value() ? single_of(value.value) : single_of(value.reason));
            return;
        }
        bytes_ -= values.bytes();
        values.reduce();  // a second value in a slot
        bytes_ += values.bytes();
    }
    if (values.now.slot != sample.slot) {
        const std::size_t before = values.reduced.size();
        values.store();
        bytes_ += (values.reduced.size() - before) * sizeof(ReducedValues);
        values.now.slot = sample.slot;
    }
    if (value.has_value())
        values.now.add(value.value);
    else
        values.now.missing = value.reason;
}

std::uint64_t History::Values::bytes() const noexcept {
    return singles.size() * sizeof(std::uint64_t) + reduced.size() * sizeof(ReducedValues);
}

/// Moves the values of the slot added to last to the list.
void History::Values::store() {
    if (now.empty()) return;
    if (!reduced.empty() && reduced.back().slot == now.slot)
        reduced.back().add(now);
    else
        reduced.push_back(now);
    now = {};
}

/// Moves the values of single samples to the other list.
void History::Values::reduce() {
    for (std::size_t i = 0; i < singles.size(); ++i)
        if (const ReducedValues values = values_of(singles[i]); !values.empty()) {
            reduced.push_back(values);
            reduced.back().slot = static_cast<std::uint16_t>(first_single + i);
        }
    singles = {};
}

/// Returns the values of a constant series in slots.
std::vector<ReducedValues> History::Series::in(std::span<const HistorySlot> slots) const {
    std::vector<ReducedValues> values;
    if (!has_value) return values;
    const auto from = std::ranges::upper_bound(slots, first, {}, &HistorySlot::begin) - slots.begin() - 1;
    for (auto i = static_cast<std::size_t>(from); i < slots.size(); ++i) {
        const std::uint64_t slot_begin = std::max(slots[i].begin, first);
        const std::uint64_t slot_end = std::min(slots[i].begin + slots[i].samples, end);
        if (slot_begin >= slot_end) break;
        const auto count = static_cast<std::uint32_t>(slot_end - slot_begin);
        values.push_back({max, max, max * count, count, static_cast<std::uint16_t>(i)});
    }
    return values;
}

/// Joins neighbouring slots to slots of a greater length, which doubles until a quarter of the slots is free. Slots on
/// both sides of a gap are joined last. Returns the new slot of each old one.
std::vector<std::uint32_t> History::join_slots(Stream& stream) const {
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
    return places;
}

/// Joins slots, and the values in them.
void History::join(Stream& stream) {
    const std::vector<std::uint32_t> places = join_slots(stream);
    for (const std::size_t series : stream.series) join(series_[series], places);
}

void History::join(Series& series, std::span<const std::uint32_t> places) {
    if (series.changed == nullptr) return;
    bytes_ -= series.changed->bytes();
    series.changed->join(places);
    bytes_ += series.changed->bytes();
}

/// Moves values to the slots that theirs were joined to. `places`: the new slot of each old one.
void History::Values::join(std::span<const std::uint32_t> places) {
    store();
    std::size_t size = 0;
    const auto add = [&](const ReducedValues& values, std::uint32_t slot) {
        if (size == 0 || reduced[size - 1].slot != slot) {
            if (size == reduced.size()) reduced.emplace_back();
            reduced[size++] = {.slot = static_cast<std::uint16_t>(slot)};
        }
        reduced[size - 1].add(values);
    };
    if (singles.empty())
        for (const ReducedValues values : reduced) add(values, places[values.slot]);
    for (std::size_t i = 0; i < singles.size(); ++i)
        if (const ReducedValues values = values_of(singles[i]); !values.empty()) add(values, places[first_single + i]);
    singles = {};
    reduced.resize(size);
    if (reduced.capacity() > 2 * size) reduced.shrink_to_fit();
}

void History::append_values(std::size_t number, std::vector<double>& values, std::vector<std::int64_t>& times) const {
    if (stream(number) == no_stream) return;
    const Series& series = series_[number];
    const std::vector<HistorySlot>& slots = streams_[series.stream].slots;
    if (series.changed == nullptr) {
        values.insert(values.end(), static_cast<std::size_t>(series.end - series.first), series.max);
        for (std::uint64_t i = series.first; i < series.end; ++i)
            times.push_back(slots[static_cast<std::size_t>(i)].from);
        return;
    }
    const Values& own = *series.changed;
    for (std::size_t i = 0; i < own.singles.size(); ++i)
        if (const auto value = std::bit_cast<double>(own.singles[i]); value == value) {
            values.push_back(value);
            times.push_back(slots[own.first_single + i].from);
        }
}

void History::finish() {
    for (Stream& stream : streams_) {
        if (stream.slots.size() <= most_slots_) continue;
        stream.joined = join_slots(stream);
        // What has one value in each slot is joined when it is read.
        for (const std::size_t number : stream.series)
            if (Series& series = series_[number]; series.changed != nullptr && series.changed->singles.empty())
                join(series, stream.joined);
    }
}

/// Reduces the number of slots until values are joined.
void History::limit_values() {
    constexpr std::size_t fewest = 4;
    for (bool joined = false; !joined;) {
        if (most_slots_ <= fewest) {
            most_bytes_ = std::numeric_limits<std::uint64_t>::max();
            return;
        }
        most_slots_ /= 2;
        for (Stream& stream : streams_)
            while (stream.slots.size() > most_slots(stream)) {
                join(stream);
                joined = true;
            }
    }
}

void History::read(std::size_t series, std::vector<ReducedValues>& values) const {
    values.clear();
    if (stream(series) == no_stream) return;
    const Series& from = series_[series];
    const Stream& stream = streams_[from.stream];
    values.resize(stream.slots.size());
    const auto put = [&](const ReducedValues& each, std::size_t slot) {
        values[slot].add(each);
        values[slot].slot = static_cast<std::uint16_t>(slot);
    };
    if (from.changed == nullptr) {
        for (const ReducedValues& each : from.in(stream.slots)) put(each, each.slot);
        return;
    }
    const Values& own = *from.changed;
    for (std::size_t i = 0; i < own.singles.size(); ++i) {
        const std::size_t slot = own.first_single + i;
        put(values_of(own.singles[i]), stream.joined.empty() ? slot : stream.joined[slot]);
    }
    for (const ReducedValues& each : own.reduced) put(each, each.slot);
    put(own.now, own.now.slot);
}

}  // namespace hkpd
