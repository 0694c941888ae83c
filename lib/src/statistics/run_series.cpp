#include "statistics/run_series.hpp"

#include <algorithm>
#include <utility>

#include "base/text/names.hpp"
#include "cook/formula.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/diagnostics.hpp"
#include "identity/instance_name.hpp"
#include "sample/display_name.hpp"

namespace hkpd {

std::uint32_t RunCounters::number(const Sample& sample, const Object& object, std::uint32_t position) {
    const Column& column = object.columns[position];
    const auto [found, added] = numbers_.try_emplace(
        {sample.machine.value_or(""), object.title_index, column.title_index, repeats_[position], column.type},
        static_cast<std::uint32_t>(all_.size()));
    const SampleSource source = sample.source;
    if (added)
        all_.push_back({source, sample.machine.value_or(""), object_label(source, object),
                        counter_label(source, column), object.title_index, column.title_index, position,
                        counterset_text(object), column.type, column.attributes, column.scale,
                        object.kind == Kind::multi});
    return found->second;
}

SeriesCollector::SeriesCollector(const SeriesOptions& options, const CookOptions& cook)
    : options_(options), cook_(cook), memory_(options.statistics) {}

void SeriesCollector::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker,
                          SeriesListener* listener) {
    if (run_ == nullptr) {
        run_ = RunInstances::of(sample);
        run_->keep();
    }
    time_ = unix_time(sample).value_or(SeriesStatistics::no_time);
    if (samples_ == 0) zone_ = options_.zone ? *options_.zone : sample.zone_rules.value_or(Zone());
    ++samples_;
    if (time_ != SeriesStatistics::no_time) {
        begin_ = begin_ == SeriesStatistics::no_time ? time_ : std::min(begin_, time_);
        end_ = std::max(end_, time_);
    }
    for (const Selected& part : selected) {
        if (part.rows.empty()) continue;
        counters_.begin(sample.objects()[part.object]);
        for (const std::uint32_t position : part.columns) add_values(sample, part, position, cooker, listener);
    }
}

void SeriesCollector::add_values(const Sample& sample, const Selected& part, std::uint32_t position, Cooker& cooker,
                                 SeriesListener* listener) {
    const Object& object = sample.objects()[part.object];
    const Column& column = object.columns[position];
    if (!is_displayable(column) || column.storage != Storage::number) return;
    const std::uint32_t counter = counters_.number(sample, object, position);
    const bool two_samples = needs_two_samples(column.type);
    const CookedColumn cooked = cooker.column(part.object, position);
    const std::vector<std::uint32_t>& numbers = this->numbers(sample, part.object);
    if (options_.by_name) return add_sums(part, counter, cooked, listener);
    for (const std::uint32_t row : part.rows) {
        const std::size_t place = find(counter, numbers[row]);
        if (place == no_place) continue;
        add_value(place, cooked[row], listener);
        RunSeries& series = series_[place];
        if (!two_samples) continue;
        // A new instance can have the same name as an earlier instance. Readings of the earlier instance must not be
        // used for the new one.
        if (cooked.reasons[row] == Reason::instance_new) series.readings = 0;
        const Reading reading = read(sample, object, column, row);
        if (reading.fault != Reason::none) continue;
        if (series.readings++ == 0) series.first_reading = reading;
        series.last_reading = reading;
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
void SeriesCollector::add_sums(const Selected& part, std::uint32_t counter, const CookedColumn& cooked,
                               SeriesListener* listener) {
    sums_.clear();
    for (const std::uint32_t row : part.rows) sums_.emplace_back(numbers_[row], cooked[row]);
    std::ranges::stable_sort(sums_, {}, &std::pair<std::uint32_t, CookedValue>::first);
    for (std::size_t begin = 0, end = 0; begin < sums_.size(); begin = end) {
        CookedValue sum = sums_[begin].second;
        for (end = begin + 1; end < sums_.size() && sums_[end].first == sums_[begin].first; ++end) {
            const CookedValue& more = sums_[end].second;
            if (!sum.has_value())
                sum = more;
            else if (more.has_value())
                sum.value += more.value;
        }
        const std::size_t place = find(counter, sums_[begin].first);
        if (place != no_place) add_value(place, sum, listener);
    }
}

const std::vector<std::uint32_t>& SeriesCollector::numbers(const Sample& sample, std::size_t object) {
    const std::vector<std::uint32_t>& identities = run_->instances(sample, object).numbers;
    if (!options_.by_name) return identities;
    const std::uint32_t number = run_->object_number(sample, object);
    numbers_.clear();
    for (const std::uint32_t identity : identities)
        numbers_.push_back(identity == no_index ? no_index : name_number(identity, number));
    return numbers_;
}

std::uint32_t SeriesCollector::name_number(std::uint32_t identity, std::uint32_t object) {
    if (names_of_.size() <= identity) names_of_.resize(identity + std::size_t{1}, no_index);
    std::uint32_t& known = names_of_[identity];
    if (known != no_index) return known;
    const Identity named = (*run_)[identity];
    std::string key = std::to_string(object);
    for (const std::string_view part : {named.parent.value_or(""), named.name}) (key += '\0') += fold_case(part);
    const auto [found, is_new] = name_numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(names_.size()));
    if (is_new)
        names_.push_back({identity});
    else
        names_[found->second].several = true;
    return known = found->second;
}

Identity SeriesCollector::identity(std::size_t place) const {
    const std::uint32_t number = series_[place].identity;
    return (*run_)[options_.by_name ? names_[number].identity : number];
}

std::string SeriesCollector::display(std::size_t place) {
    if (!options_.by_name) return run_->display(series_[place].identity);
    const Identity named = identity(place);
    std::string text;
    append_place(text, named.parent, named.name, 0);
    if (is_sum(place)) append_all_places(text);
    return text;
}

void SeriesCollector::clear() {
    series_.clear();
    places_.clear();
    next_ = 0;
    memory_ = StatisticsMemory(options_.statistics);
    left_out_ = samples_ = 0;
}

void SeriesCollector::report(Diagnostics& diagnostics) const {
    if (left_out_ != 0 || (run_ != nullptr && run_->overflowed()))
        diagnostics.add(Severity::error, {Errc::series_limit, 0, "", "", 0, options_.series});
}

std::size_t SeriesCollector::find(std::uint32_t counter, std::uint32_t identity) {
    constexpr unsigned half = 32;
    if (identity == no_index) return no_place;
    // Most samples have the series of the first sample in the same order, and the search in the map takes longer than
    // the statistics.
    if (next_ < series_.size() && series_[next_].counter == counter && series_[next_].identity == identity)
        return next_++;
    const std::uint64_t key = std::uint64_t{counter} << half | identity;
    if (const auto found = places_.find(key); found != places_.end()) {
        next_ = found->second + 1;
        return found->second;
    }
    if (series_.size() >= options_.series) {
        ++left_out_;
        return no_place;
    }
    places_.emplace(key, series_.size());
    series_.push_back(RunSeries{.counter = counter, .identity = identity});
    next_ = series_.size();
    return next_ - 1;
}

void SeriesCollector::sort() {
    places_.clear();  // no longer valid
    const auto order = [](const RunSeries& s) { return std::pair(s.counter, s.identity); };
    if (!std::ranges::is_sorted(series_, {}, order)) std::ranges::sort(series_, {}, order);
}

SeriesSummary SeriesCollector::operator[](std::size_t place) {
    RunSeries& series = series_[place];
    const RunCounter& counter = counters_[series.counter];
    const Statistics statistics = series.statistics.finish();
    CookedValue average{statistics.mean, statistics.count != 0 ? Reason::none : series.last_reason};
    if (needs_two_samples(counter.type) && series.readings != 0) {
        average = cook(counter.type, series.readings > 1 ? &series.first_reading : nullptr, series.last_reading, cook_,
                       series.last_reason == Reason::none ? Reason::first_sample : series.last_reason);
        if (cook_.scale) average.value = scaled(average.value, counter.scale);
    }
    return {counter, identity(place), series, statistics, average};
}

void sort_by(SeriesCollector& all, std::span<std::uint32_t> places, StatisticColumn column) {
    std::vector<std::pair<double, std::uint32_t>> keys;
    keys.reserve(places.size());
    for (const std::uint32_t place : places) keys.emplace_back(value_of(all[place].statistics, column), place);
    std::ranges::stable_sort(keys, largest_first, &std::pair<double, std::uint32_t>::first);
    for (std::size_t i = 0; i < keys.size(); ++i) places[i] = keys[i].second;
}

}  // namespace hkpd
