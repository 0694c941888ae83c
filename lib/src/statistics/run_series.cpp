#include "statistics/run_series.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text/names.hpp"
#include "cook/formula.hpp"
#include "cook/operands.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/diagnostics.hpp"
#include "identity/instance_name.hpp"
#include "sample/display_name.hpp"

namespace hkpd {

SeriesCollector::SeriesCollector(const SeriesOptions& options, const CookOptions& cook)
    : options_(options),
      cook_(cook),
      table_(options.series, options.by_name ? SeriesOf::names : SeriesOf::identities),
      memory_(options.statistics, options.percentiles),
      budget_(options.names) {}

void SeriesCollector::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker,
                          SeriesListener* listener) {
    time_ = unix_time(sample).value_or(SeriesStatistics::no_time);
    if (samples_ == 0) zone_ = sample.shown_zone(options_.zone);
    ++samples_;
    budget_.add_input(sample.bytes);
    if (time_ != SeriesStatistics::no_time) {
        begin_ = begin_ == SeriesStatistics::no_time ? time_ : std::min(begin_, time_);
        end_ = std::max(end_, time_);
    }
    block_times_.push_back(time_);
    for (const Selected& part : selected)
        table_.each_counter(
            sample, part, has_cooked_numbers,
            [&](std::uint32_t position, std::uint32_t /*counter*/, std::span<const std::size_t> places) {
                while (series_.size() < table_.size()) {
                    const auto [counter, identity] = table_.key(series_.size());
                    const auto place = static_cast<std::uint32_t>(series_.size());
                    series_.push_back(RunSeries{.counter = counter, .identity = identity, .place = place});
                }
                const CookedColumn cooked = cooker.column(part.object, position);
                const auto any = std::ranges::find_if(places, [](auto place) { return place != SeriesTable::none; });
                SeriesListener* const to =
                    listener != nullptr && any != places.end() && listener->takes(*any) ? listener : nullptr;
                if (options_.by_name) return add_sums(places, part, cooked, to);
                add_values(places, part, cooked, to);
                if (needs_two_samples(sample.objects()[part.object].columns[position].type))
                    add_readings(sample, part, position, places, cooked);
            });
    if (block_.end_sample()) end_block();
}

void SeriesCollector::end_block() {
    if (block_times_.empty()) return;
    block_.drain([this](std::uint32_t place, std::span<const BlockValue> values) {
        RunSeries& series = series_[place];
        if (series.first_seen == SeriesStatistics::no_time)
            for (const BlockValue& each : values)
                if (series.first_seen == SeriesStatistics::no_time) series.first_seen = block_times_[each.sample];
        series.last_seen = block_times_[values.back().sample];
        series.last_reason = values.back().value.reason;
        const auto same_sample = [](const BlockValue& a, const BlockValue& b) { return a.sample == b.sample; };
        if (waits_ && std::ranges::adjacent_find(values, same_sample) != values.end()) start_statistics();
        if (!waits_)
            for (const auto& [sample, value] : values)
                if (value.has_value()) add_to_statistics(series, value.value, block_times_[sample]);
        if (store_ != nullptr) store_->values(place, values);
    });
    block_times_.clear();
    if (store_ != nullptr) store_->end_block();
}

void SeriesCollector::add_to_statistics(RunSeries& series, double value, std::int64_t time) {
    memory_.add(series.statistics, value, time, series_,
                [](RunSeries& each) -> SeriesStatistics& { return each.statistics; });
}

void SeriesCollector::start_statistics() {
    waits_ = false;
    std::vector<double> values;
    std::vector<std::int64_t> times;
    for (std::size_t place = 0; place < series_.size(); ++place) {
        read_stored(place, values, times);
        for (std::size_t i = 0; i < values.size(); ++i) add_to_statistics(series_[place], values[i], times[i]);
    }
}

void SeriesCollector::read_stored(std::size_t place, std::vector<double>& values,
                                  std::vector<std::int64_t>& times) const {
    values.clear();
    times.clear();
    store_->append_values(place, values, times);
}

void SeriesCollector::end_waiting() {
    end_block();
    if (waits_) start_statistics();
}

void SeriesCollector::finish() {
    end_block();
    block_ = {};
    if (!std::exchange(waits_, false)) return;
    std::vector<double> values;
    std::vector<std::int64_t> times;
    for (std::size_t place = 0; place < series_.size(); ++place) {
        read_stored(place, values, times);
        series_[place].statistics.set(values, times, options_.percentiles);
    }
}

void SeriesCollector::add_values(std::span<const std::size_t> places, const Selected& part, const CookedColumn& cooked,
                                 SeriesListener* listener) {
    for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i] != SeriesTable::none) block_.add(static_cast<std::uint32_t>(places[i]), cooked[part.rows[i]]);
    if (listener == nullptr) return;
    for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i] != SeriesTable::none) listener->value(places[i], cooked[part.rows[i]]);
}

/// Keeps the first and the last readings of a counter that needs two samples.
void SeriesCollector::add_readings(const Sample& sample, const Selected& part, std::uint32_t position,
                                   std::span<const std::size_t> places, const CookedColumn& cooked) {
    const Object& object = sample.objects()[part.object];
    const Column& column = object.columns[position];
    const Operands operands(sample, object, column, formula_of(column));
    readings_of_.resize(series_.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] == SeriesTable::none) continue;
        const std::uint32_t row = part.rows[i];
        // An instance that is identified by its place may be a new one. Readings of the earlier one must not be used.
        if (cooked.reasons[row] == Reason::instance_new) readings_of_[places[i]].count = 0;
        const Reading reading = operands[row];
        if (reading.fault == Reason::none) add_reading(places[i], reading);
    }
}

/// Keeps a reading as the first or the last one of its series. A series whose readings begin anew reuses their places.
void SeriesCollector::add_reading(std::size_t series, const Reading& reading) {
    Readings& known = readings_of_[series];
    std::uint32_t& place = known.count++ == 0 ? known.first : known.last;
    if (place == no_index) {
        place = static_cast<std::uint32_t>(readings_.size());
        readings_.push_back(reading);
    } else {
        readings_[place] = reading;
    }
}

/// Adds, for each name, the sum of the values of the instances with this name. Instances without a value are left out;
/// a sum has no value if none of them has.
void SeriesCollector::add_sums(std::span<const std::size_t> places, const Selected& part, const CookedColumn& cooked,
                               SeriesListener* listener) {
    sums_.clear();
    for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i] != SeriesTable::none) sums_.emplace_back(places[i], cooked[part.rows[i]]);
    std::ranges::stable_sort(sums_, {}, &std::pair<std::size_t, CookedValue>::first);
    for (std::size_t begin = 0, end = 0; begin < sums_.size(); begin = end) {
        CookedValue sum = sums_[begin].second;
        for (end = begin + 1; end < sums_.size() && sums_[end].first == sums_[begin].first; ++end) {
            const CookedValue& more = sums_[end].second;
            if (!sum.has_value())
                sum = more;
            else if (more.has_value())
                sum.value += more.value;
        }
        block_.add(static_cast<std::uint32_t>(sums_[begin].first), sum);
        if (listener != nullptr) listener->value(sums_[begin].first, sum);
    }
}

void SeriesCollector::clear() {
    series_.clear();
    readings_.clear();
    readings_of_.clear();
    block_.clear();
    block_times_.clear();
    if (store_ != nullptr) store_->end_block();
    table_.clear();
    memory_ = StatisticsMemory(options_.statistics, options_.percentiles);
    samples_ = 0;
}

void SeriesCollector::skip_percentiles() {
    options_.percentiles = false;
    memory_ = StatisticsMemory(options_.statistics, options_.percentiles);
}

void SeriesCollector::report(Diagnostics& diagnostics) const {
    if (table_.overflowed()) diagnostics.add({Errc::series_limit, 0, "", "", 0, options_.series});
}

void SeriesCollector::sort() {
    end_block();
    const auto order = [](const RunSeries& s) { return std::pair(s.counter, s.identity); };
    if (!std::ranges::is_sorted(series_, {}, order)) std::ranges::sort(series_, {}, order);
}

SeriesSummary SeriesCollector::operator[](std::size_t place) {
    end_block();
    RunSeries& series = series_[place];
    const RunCounter& counter = table_.counter(series.counter);
    const Statistics statistics = series.statistics.finish();
    CookedValue average{statistics.mean, statistics.count != 0 ? Reason::none : series.last_reason};
    const Readings readings = series.place < readings_of_.size() ? readings_of_[series.place] : Readings{};
    if (needs_two_samples(counter.type) && readings.count != 0) {
        const Reading &first = readings_[readings.first], &last = readings.count > 1 ? readings_[readings.last] : first;
        average = cook(counter.type, readings.count > 1 ? &first : nullptr, last, cook_,
                       series.last_reason == Reason::none ? Reason::first_sample : series.last_reason);
        if (cook_.scale) average.value = scaled(average.value, counter.scale);
    }
    return {counter, identity(place), series, statistics, average};
}

std::shared_ptr<const RunInstance> SeriesCollector::instance(std::uint32_t number) {
    if (instances_.size() <= number) instances_.resize(number + std::size_t{1});
    std::shared_ptr<const RunInstance>& known = instances_[number];
    if (known != nullptr) return known;
    const Identity identity = table_.identity(number);
    // Each name is in the text, too. No writer has fewer bytes of names for a series, so that its limit comes first.
    if (!budget_.take(2 * (identity.name.size() + identity.parent.value_or("").size()))) {
        names_left_out_ = true;
        return nullptr;
    }
    RunInstance made{.parent = std::nullopt,
                     .name = std::string(identity.name),
                     .is_damaged = identity.is_damaged,
                     .pid = identity.pid,
                     .instance_id = identity.instance_id,
                     .place = identity.place,
                     .life = identity.life,
                     .text = identity.instance(),
                     .display = table_.display(number),
                     .is_sum = table_.is_shared(number)};
    if (identity.parent) made.parent = *identity.parent;
    return known = std::make_shared<const RunInstance>(std::move(made));
}

std::optional<Series> SeriesCollector::take(std::size_t place) {
    const SeriesSummary summary = (*this)[place];
    auto of = instance(summary.series.identity);
    if (of == nullptr) return std::nullopt;
    return Series{.counter = table_.shared_counter(summary.series.counter),
                  .instance = std::move(of),
                  .from = known_time(summary.series.first_seen),
                  .to = known_time(summary.series.last_seen),
                  .statistics = summary.statistics,
                  .average = summary.average};
}

RunFacts SeriesCollector::facts() const {
    std::set<std::string_view> machines;
    for (std::size_t place = 0; place < size(); ++place) machines.insert(counter(place).machine);
    return {.samples = samples_,
            .from = known_time(begin_),
            .to = known_time(end_),
            .zone = zone_,
            .machines = {machines.begin(), machines.end()},
            .is_complete = is_complete()};
}

Identity RunInstance::identity() const {
    return {.parent = parent ? std::optional<std::string_view>(*parent) : std::nullopt,
            .name = name,
            .is_damaged = is_damaged,
            .pid = pid,
            .instance_id = instance_id,
            .place = place,
            .life = life};
}

void sort_by(SeriesCollector& all, std::span<std::uint32_t> places, StatisticColumn column) {
    std::vector<std::pair<double, std::uint32_t>> keys;
    keys.reserve(places.size());
    for (const std::uint32_t place : places) keys.emplace_back(value_of(all[place].statistics, column), place);
    std::ranges::stable_sort(keys, largest_first, &std::pair<double, std::uint32_t>::first);
    for (std::size_t i = 0; i < keys.size(); ++i) places[i] = keys[i].second;
}

}  // namespace hkpd
