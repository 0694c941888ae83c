#include "statistics/run_series.hpp"

#include <algorithm>
#include <utility>

#include "base/text/names.hpp"
#include "cook/formula.hpp"
#include "cook/matches.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/diagnostics.hpp"
#include "sample/display_name.hpp"
#include "sample/real_value.hpp"

namespace hkpd {

const Column* find_process_id(SampleSource source, const Object& object) {
    constexpr std::uint32_t id_process = 784;
    const bool by_title = id_kind(source, object) == IdKind::title;
    const auto found = std::ranges::find_if(object.columns, [&](const Column& column) {
        if (column.storage != Storage::number) return false;
        if (by_title) return column.title_index == id_process;
        return column.name && (compare_names(column.name->text, "id process") == 0 ||
                               compare_names(column.name->text, "process id") == 0);
    });
    return found == object.columns.end() ? nullptr : &*found;
}

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
    : options_(options), cook_(cook), identities_(options.series, options.names), memory_(options.statistics) {}

void SeriesCollector::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker,
                          SeriesListener* listener) {
    identities_.add(sample, matches_of(&cooker));
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
        take_process_ids(sample, part);
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
    for (const std::uint32_t row : part.rows) {
        const std::size_t place = find(counter, identities_.number(part.object, row));
        if (place == no_place) continue;
        if (listener != nullptr) listener->value(place, cooked[row]);
        RunSeries& series = series_[place];
        if (series.first_seen == SeriesStatistics::no_time) series.first_seen = time_;
        series.last_seen = time_;
        series.last_reason = cooked.reasons[row];
        if (cooked[row].has_value())
            memory_.add(series.statistics, cooked.values[row], time_, series_,
                        [](RunSeries& each) -> SeriesStatistics& { return each.statistics; });
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

void SeriesCollector::take_process_ids(const Sample& sample, const Selected& part) {
    const Object& object = sample.objects()[part.object];
    const Column* const ids = find_process_id(sample.source, object);
    if (ids == nullptr) return;
    if (process_ids_.size() < identities_.size()) process_ids_.resize(identities_.size(), no_index);
    for (const std::uint32_t row : part.rows) {
        const std::uint32_t identity = identities_.number(part.object, row);
        if (identity == no_index || !ids->is_valid(row)) continue;
        // A text log has it as a floating-point number.
        const double id = real_value(*ids, row).value_or(static_cast<double>(ids->values[row]));
        if (id >= 0 && id < no_index) process_ids_[identity] = static_cast<std::uint32_t>(id);
    }
}

void SeriesCollector::clear() {
    series_.clear();
    places_.clear();
    next_ = 0;
    memory_ = StatisticsMemory(options_.statistics);
    left_out_ = samples_ = 0;
}

void SeriesCollector::report(Diagnostics& diagnostics) const {
    if (left_out_ != 0 || identities_.overflowed())
        diagnostics.add({Errc::series_limit, 0, "", "", 0, options_.series});
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
    const Identities::Identity& identity = identities_[series.identity];
    std::optional<std::uint32_t> process_id;
    if (series.identity < process_ids_.size() && process_ids_[series.identity] != no_index &&
        identity.own_name() != "_Total")
        process_id = process_ids_[series.identity];
    return {counter, identity, series, process_id, statistics, average};
}

void sort_by(SeriesCollector& all, std::span<std::uint32_t> places, StatisticColumn column) {
    std::vector<std::pair<double, std::uint32_t>> keys;
    keys.reserve(places.size());
    for (const std::uint32_t place : places) keys.emplace_back(value_of(all[place].statistics, column), place);
    std::ranges::stable_sort(keys, largest_first, &std::pair<double, std::uint32_t>::first);
    for (std::size_t i = 0; i < keys.size(); ++i) places[i] = keys[i].second;
}

}  // namespace hkpd
