#include "write/run_series.hpp"

#include <algorithm>
#include <utility>

#include "base/text/names.hpp"
#include "cook/formula.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/diagnostics.hpp"
#include "sample/display_name.hpp"
#include "write/writers.hpp"

namespace hkpd {

const Column* find_process_id(SampleSource source, const Object& object) {
    constexpr std::uint32_t id_process = 784;
    const bool by_title = known_by(source, object) == KnownBy::title;
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

SeriesCollector::SeriesCollector(const WriteOptions& options, const CookOptions& cook)
    : options_(options), cook_(cook), identities_(options.series, options.names), memory_(options.statistics) {}

void SeriesCollector::add(const Sample& sample, std::span<const Selected> selected, Cooker& cooker) {
    identities_.add(sample, matches_of(&cooker));
    time_ = unix_time(sample).value_or(SeriesStatistics::no_time);
    if (samples_ == 0) zone_ = shown_zone(options_, sample);
    ++samples_;
    if (time_ != SeriesStatistics::no_time) {
        begin_ = begin_ == SeriesStatistics::no_time ? time_ : std::min(begin_, time_);
        end_ = std::max(end_, time_);
    }
    for (const Selected& part : selected) {
        if (part.rows.empty()) continue;
        counters_.begin(sample.objects()[part.object]);
        for (const std::uint32_t position : part.columns) add_values(sample, part, position, cooker);
        take_process_ids(sample, part);
    }
}

void SeriesCollector::add_values(const Sample& sample, const Selected& part, std::uint32_t position, Cooker& cooker) {
    const Object& object = sample.objects()[part.object];
    const Column& column = object.columns[position];
    if (!is_displayable(column) || column.storage != Storage::number) return;
    const std::uint32_t counter = counters_.number(sample, object, position);
    const bool two_samples = needs_two_samples(column.type);
    const CookedColumn cooked = cooker.column(part.object, position);
    for (const std::uint32_t row : part.rows) {
        RunSeries* const found = find(counter, identities_.number(part.object, row));
        if (found == nullptr) continue;
        RunSeries& series = *found;
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
        diagnostics.add(Severity::error, {Errc::series_limit, 0, "", "", 0, options_.series});
}

RunSeries* SeriesCollector::find(std::uint32_t counter, std::uint32_t identity) {
    constexpr unsigned half = 32;
    if (identity == no_index) return nullptr;
    // Most samples have the series of the first sample in the same order, and the search in the map takes longer than
    // the statistics.
    if (next_ < series_.size() && series_[next_].counter == counter && series_[next_].identity == identity)
        return &series_[next_++];
    const std::uint64_t key = std::uint64_t{counter} << half | identity;
    if (const auto found = places_.find(key); found != places_.end()) {
        next_ = found->second + 1;
        return &series_[found->second];
    }
    if (series_.size() >= options_.series) {
        ++left_out_;
        return nullptr;
    }
    places_.emplace(key, series_.size());
    series_.push_back(RunSeries{.counter = counter, .identity = identity});
    next_ = series_.size();
    return &series_.back();
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

namespace {

constexpr StatisticColumn number_columns[] = {StatisticColumn::first, StatisticColumn::last, StatisticColumn::min,
                                              StatisticColumn::mean,  StatisticColumn::p50,  StatisticColumn::p95,
                                              StatisticColumn::p99,   StatisticColumn::max,  StatisticColumn::stddev,
                                              StatisticColumn::delta, StatisticColumn::slope};

/// Returns a time as `2020-09-13T12:26:40.123Z`; empty if it is unknown.
std::string time_text(std::int64_t time) {
    std::string text;
    if (time != SeriesStatistics::no_time) append_time(text, system_time_at(time));
    return text;
}

}  // namespace

void append_instance_members(JsonStream& json, const RunCounter& counter, const Identities::Identity& identity) {
    json.member("machine", counter.machine);
    json.member("source", source_name(counter.source));
    json.member("object", counter.object);
    json.member("object_index", object_number(counter.source, counter.object_number));
    json.member("counterset", counter.counterset);
    json.text_or_null("parent", identity.parent);
    json.member("instance", identity.path());
    json.member("instance_name", identity.own_name());
}

void append_counter_members(JsonStream& json, const RunCounter& counter) {
    json.member("counter", counter.name);
    json.member("counter_index", counter_number(counter.source, counter.number));
    json.member("type", type_text(counter.type));
}

void append_number_cell(std::string& out, const std::optional<std::uint32_t>& number) {
    if (number) append_digits(out, *number);
    out += ',';
}

void append_instance_cells(std::string& out, const RunCounter& counter, const Identities::Identity& identity) {
    append_csv_cell(out, counter.machine);
    append_csv_cell(out, source_name(counter.source));
    append_csv_cell(out, counter.object);
    append_number_cell(out, object_number(counter.source, counter.object_number));
    append_csv_cell(out, counter.counterset.value_or(""));
    append_csv_cell(out, identity.parent);
    append_csv_cell(out, identity.path());
    append_csv_cell(out, identity.own_name());
}

void append_counter_cells(std::string& out, const RunCounter& counter) {
    append_csv_cell(out, counter.name);
    append_number_cell(out, counter_number(counter.source, counter.number));
    append_csv_cell(out, type_text(counter.type));
}

namespace {

/// Writes the members of a series as JSON, without braces.
void append_series_members(JsonStream& json, const SeriesSummary& s) {
    append_instance_members(json, s.counter, s.identity);
    json.member("pid", s.process_id);
    append_counter_members(json, s.counter);
    json.member("unit", cooked_unit(s.counter.type));
    json.text_or_null("from", time_text(s.series.first_seen));
    json.text_or_null("to", time_text(s.series.last_seen));
    json.member("count", s.statistics.count);
    for (const StatisticColumn column : number_columns)
        json.member(statistic_name(column), value_of(s.statistics, column));
    json.member("percentile_error", s.statistics.percentile_error);
    json.member("average", s.average.value);
    json.member("reason", s.average.reason);
}

/// Appends the first line of CSV, and a line with the same members as in JSON.
void append_series_csv_head(std::string& out) {
    out +=
        "machine,source,object,object_index,counterset,parent,instance,instance_name,pid,counter,counter_index,type,"
        "unit,from,to,count";
    for (const StatisticColumn column : number_columns) out.append(",").append(statistic_name(column));
    out += ",percentile_error,average,reason\n";
}

void append_series_csv(std::string& out, const SeriesSummary& s) {
    append_instance_cells(out, s.counter, s.identity);
    append_number_cell(out, s.process_id);
    append_counter_cells(out, s.counter);
    append_csv_cell(out, cooked_unit(s.counter.type));
    append_csv_cell(out, time_text(s.series.first_seen));
    append_csv_cell(out, time_text(s.series.last_seen));
    append_digits(out, s.statistics.count);
    for (const StatisticColumn column : number_columns) {
        out += ',';
        append_number(out, value_of(s.statistics, column));
    }
    out += ',';
    append_number(out, s.statistics.percentile_error);
    out += ',';
    append_number(out, s.average.value);
    out.append(",").append(reason_name(s.average.reason)) += '\n';
}

}  // namespace

void write_series(Format format, const WriteOptions& options, SeriesCollector& all,
                  std::span<const std::uint32_t> places, const Diagnostics& diagnostics, std::string& out) {
    JsonStream json(out);
    if (format == Format::csv) append_series_csv_head(out);
    if (format == Format::json) {
        json.StartObject();
        json.key("rows");
        json.StartArray();
    }
    for (const std::uint32_t place : places) {
        const SeriesSummary summary = all[place];
        if (format == Format::csv) {
            append_series_csv(out, summary);
        } else {
            if (format == Format::jsonl) json.restart();
            json.object([&] { append_series_members(json, summary); });
            if (format == Format::jsonl) out += '\n';
        }
        drain_much(options, out);
    }
    if (format == Format::json) json.end_document(diagnostics, out);
}

void sort_by(SeriesCollector& all, std::span<std::uint32_t> places, StatisticColumn column) {
    std::vector<std::pair<double, std::uint32_t>> keys;
    keys.reserve(places.size());
    for (const std::uint32_t place : places) keys.emplace_back(value_of(all[place].statistics, column), place);
    std::ranges::stable_sort(keys, largest_first, &std::pair<double, std::uint32_t>::first);
    for (std::size_t i = 0; i < keys.size(); ++i) places[i] = keys[i].second;
}

}  // namespace hkpd
