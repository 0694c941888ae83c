#include "statistics/run_series.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text/names.hpp"
#include "cook/formula.hpp"
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
    for (const Selected& part : selected)
        table_.each_counter(
            sample, part, has_cooked_numbers,
            [&](std::uint32_t position, std::uint32_t /*counter*/, std::span<const std::size_t> places) {
                while (series_.size() < table_.size()) {
                    const auto [counter, identity] = table_.key(series_.size());
                    series_.push_back(RunSeries{.counter = counter, .identity = identity});
                }
                const CookedColumn cooked = cooker.column(part.object, position);
                if (options_.by_name) return add_sums(places, part, cooked, listener);
                for (std::size_t i = 0; i < places.size(); ++i)
                    if (places[i] != SeriesTable::none) add_value(places[i], cooked[part.rows[i]], listener);
                if (needs_two_samples(sample.objects()[part.object].columns[position].type))
                    add_readings(sample, part, position, places, cooked);
            });
}

/// Keeps the first and the last readings of a counter that needs two samples.
void SeriesCollector::add_readings(const Sample& sample, const Selected& part, std::uint32_t position,
                                   std::span<const std::size_t> places, const CookedColumn& cooked) {
    const Object& object = sample.objects()[part.object];
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] == SeriesTable::none) continue;
        const std::uint32_t row = part.rows[i];
        RunSeries& series = series_[places[i]];
        // An instance that is identified by its place may be a new one. Readings of the earlier one must not be used.
        if (cooked.reasons[row] == Reason::instance_new) series.readings = 0;
        const Reading reading = read(sample, object, object.columns[position], row);
        if (reading.fault == Reason::none) add_reading(series, reading);
    }
}

/// Keeps a reading as the first or the last one of its series. A series whose readings begin anew reuses their places.
void SeriesCollector::add_reading(RunSeries& series, const Reading& reading) {
    const bool is_first = series.readings++ == 0;
    std::uint32_t& place = is_first ? series.first_reading : series.last_reading;
    if (place == no_index) {
        place = static_cast<std::uint32_t>(readings_.size());
        readings_.push_back(reading);
    } else {
        readings_[place] = reading;
    }
}

void SeriesCollector::add_value(std::size_t place, CookedValue value, SeriesListener* listener) {
    if (listener != nullptr) listener->value(place, value);
    RunSeries& series = series_[place];
    if (series.first_seen == SeriesStatistics::no_time) series.first_seen = time_;
    series.last_seen = time_;
    series.last_reason = value.reason;
    if (value.has_value())
        memory_.add(series.statistics, value.value, time_, series_,
                    [](RunSeries& each) -> SeriesStatistics& { return each.statistics; });
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
        add_value(sums_[begin].first, sum, listener);
    }
}

void SeriesCollector::clear() {
    series_.clear();
    readings_.clear();
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
    const auto order = [](const RunSeries& s) { return std::pair(s.counter, s.identity); };
    if (!std::ranges::is_sorted(series_, {}, order)) std::ranges::sort(series_, {}, order);
}

SeriesSummary SeriesCollector::operator[](std::size_t place) {
    RunSeries& series = series_[place];
    const RunCounter& counter = table_.counter(series.counter);
    const Statistics statistics = series.statistics.finish();
    CookedValue average{statistics.mean, statistics.count != 0 ? Reason::none : series.last_reason};
    if (needs_two_samples(counter.type) && series.readings != 0) {
        const Reading &first = readings_[series.first_reading],
                      &last = series.readings > 1 ? readings_[series.last_reading] : first;
        average = cook(counter.type, series.readings > 1 ? &first : nullptr, last, cook_,
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
