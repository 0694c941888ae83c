#include "write/series_lines.hpp"

#include "hkpd/counter_type.hpp"
#include "hkpd/diagnostics.hpp"
#include "sample/display_name.hpp"
#include "write/cells.hpp"
#include "write/writers.hpp"

namespace hkpd {
namespace {

constexpr StatisticColumn number_columns[] = {StatisticColumn::first, StatisticColumn::last, StatisticColumn::min,
                                              StatisticColumn::mean,  StatisticColumn::p50,  StatisticColumn::p95,
                                              StatisticColumn::p99,   StatisticColumn::max,  StatisticColumn::stddev,
                                              StatisticColumn::delta, StatisticColumn::slope};

/// A time as text: most series begin with the first sample and end with the last.
class TimeText {
  public:
    explicit TimeText(const Zone& zone) : zone_(zone) {}
    /// Returns a time as `2020-09-13T12:26:40.123Z`, without `Z` if nothing states the zone; empty if it is unknown.
    const std::string& of(const std::optional<std::int64_t>& time) {
        if (time == time_) return text_;
        time_ = time;
        text_.clear();
        if (time) append_time(text_, system_time_at(*time), utc_if_stated(zone_));
        return text_;
    }

  private:
    const Zone& zone_;
    std::optional<std::int64_t> time_;
    std::string text_;
};

/// The times of the series of a run.
struct SeriesTimes {
    explicit SeriesTimes(const Zone& zone) : from(zone), to(zone), max(zone) {}
    TimeText from, to, max;
};

}  // namespace

void append_instance_members(JsonStream& json, const RunCounter& counter, const Identity& identity) {
    json.member("machine", counter.machine);
    json.member("source", source_name(counter.source));
    json.member("object", counter.object);
    json.member("object_index", counter.object_index);
    json.member("counterset", counter.counterset);
    json.text_or_null("parent", identity.parent.value_or(""));
    json.member("instance", identity.is_damaged ? std::nullopt : std::optional(identity.instance()));
    json.member("pid", identity.pid);
    json.member("instance_id", identity.instance_id);
    json.member("life", identity.is_damaged ? std::nullopt : std::optional(identity.life));
}

void append_counter_members(JsonStream& json, const RunCounter& counter) {
    json.member("counter", counter.name);
    json.member("counter_index", counter.index);
    json.member("type", type_text(counter.type));
}

void append_number_cell(std::string& out, const std::optional<std::int64_t>& number) {
    if (number) append_digits(out, *number);
    out += ',';
}

void append_instance_cells(std::string& out, const RunCounter& counter, const Identity& identity) {
    append_csv_cell(out, counter.machine);
    append_csv_cell(out, source_name(counter.source));
    append_csv_cell(out, counter.object);
    append_number_cell(out, counter.object_index);
    append_csv_cell(out, counter.counterset.value_or(""));
    append_csv_cell(out, identity.parent.value_or(""));
    append_csv_cell(out, identity.is_damaged ? "" : identity.instance());
    append_number_cell(out, identity.pid);
    append_number_cell(out, identity.instance_id);
    append_number_cell(out, identity.is_damaged ? std::nullopt : std::optional(identity.life));
}

void append_counter_cells(std::string& out, const RunCounter& counter) {
    append_csv_cell(out, counter.name);
    append_number_cell(out, counter.index);
    append_csv_cell(out, type_text(counter.type));
}

namespace {

/// Writes the members of a series as JSON, without braces.
void append_series_members(JsonStream& json, const Series& s, SeriesTimes& times) {
    append_instance_members(json, *s.counter, s.instance->identity());
    append_counter_members(json, *s.counter);
    json.member("unit", cooked_unit(s.counter->type));
    json.text_or_null("from", times.from.of(s.from));
    json.text_or_null("to", times.to.of(s.to));
    json.member("count", s.statistics.count);
    for (const StatisticColumn column : number_columns)
        json.member(statistic_name(column), value_of(s.statistics, column));
    json.member("percentile_error", s.statistics.percentile_error);
    json.member("average", s.average.value);
    json.member("reason", s.average.reason);
}

/// Writes the members of a course as JSON.
void append_course_members(JsonStream& json, const Top::Course& course, SeriesTimes& times) {
    json.member("total", course.total);
    json.text_or_null("max_time", times.max.of(course.max_time));
    json.member("growth", course.trend.slope);
    json.member("growth_r_squared", course.trend.r_squared);
    json.member("growth_largest_step", course.trend.largest_step);
    json.text_or_null("growth_doubt", doubt_name(course.trend.doubt));
}

/// Appends the first line of CSV, and a line with the same members as in JSON.
void append_series_csv_head(std::string& out, bool has_courses) {
    out +=
        "machine,source,object,object_index,counterset,parent,instance,pid,instance_id,life,counter,counter_index,type,"
        "unit,from,to,count";
    for (const StatisticColumn column : number_columns) out.append(",").append(statistic_name(column));
    out += ",percentile_error,average,reason";
    if (has_courses) out += ",total,max_time,growth,growth_r_squared,growth_largest_step,growth_doubt";
    out += '\n';
}

void append_series_csv(std::string& out, const Series& s, const Top::Course* course, SeriesTimes& times) {
    append_instance_cells(out, *s.counter, s.instance->identity());
    append_counter_cells(out, *s.counter);
    append_csv_cell(out, cooked_unit(s.counter->type));
    append_csv_cell(out, times.from.of(s.from));
    append_csv_cell(out, times.to.of(s.to));
    append_digits(out, s.statistics.count);
    for (const StatisticColumn column : number_columns) {
        out += ',';
        append_number(out, value_of(s.statistics, column));
    }
    out += ',';
    append_number(out, s.statistics.percentile_error);
    out += ',';
    append_number(out, s.average.value);
    out.append(",").append(reason_name(s.average.reason));
    if (course != nullptr) {
        append_number(out += ',', course->total);
        out += ',';
        append_csv_cell(out, times.max.of(course->max_time));
        for (const double number : {course->trend.slope, course->trend.r_squared, course->trend.largest_step}) {
            append_number(out, number);
            out += ',';
        }
        out += doubt_name(course->trend.doubt);
    }
    out += '\n';
}

}  // namespace

void write_series(Format format, const WriteOptions& options, const SeriesRows& series, const Zone& zone,
                  const Diagnostics& diagnostics, std::string& out, std::span<const Top::Course> courses,
                  const std::function<void(JsonStream&)>& head) {
    JsonStream json(out);
    SeriesTimes times(zone);
    if (format == Format::csv) append_series_csv_head(out, !courses.empty());
    if (format == Format::json) {
        json.StartObject();
        if (head) head(json);
        json.key("rows");
        json.StartArray();
    }
    for (std::size_t row = 0; row < series.size; ++row) {
        const std::optional<Series> one = series.at(row);
        if (!one) continue;
        const Top::Course* const course = courses.empty() ? nullptr : &courses[row];
        if (format == Format::csv) {
            append_series_csv(out, *one, course, times);
        } else {
            if (format == Format::jsonl) json.restart();
            json.object([&] {
                append_series_members(json, *one, times);
                if (course != nullptr) append_course_members(json, *course, times);
            });
            if (format == Format::jsonl) out += '\n';
        }
        drain_much(options, out);
    }
    if (format == Format::json) json.end_document(diagnostics, out);
}

void report_limit(bool is_complete, const WriteOptions& options, Diagnostics& diagnostics) {
    if (!is_complete) diagnostics.add({Errc::series_limit, 0, "", "", 0, options.series});
}

}  // namespace hkpd
