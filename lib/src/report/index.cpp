#include "report/index.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <string_view>

#include "answers/window_kind.hpp"
#include "base/text/names.hpp"
#include "base/time.hpp"
#include "hkpd/cook.hpp"
#include "hkpd/select.hpp"
#include "identity/twins.hpp"
#include "quantity/times.hpp"
#include "report/html.hpp"
#include "report/values.hpp"
#include "write/json/json_stream.hpp"

namespace hkpd {
namespace {

constexpr std::int64_t millisecond = 1'000'000;

std::int64_t milliseconds(std::int64_t time) noexcept { return time / millisecond - (time % millisecond < 0 ? 1 : 0); }

/// The last member of `Reason`.
constexpr auto last_reason = Reason::not_recorded;

class PageIndex {
  public:
    PageIndex(const Page& page, std::deque<ReportRun>& runs, std::string& out) : page_(page), runs_(runs), json_(out) {}

    void write() {
        json_.object([this] {
            json_.member("version", 1);
            write_zone();
            write_reasons();
            json_.objects("grids", page_.grids, [this](const PageGrid& grid) { write_grid(grid); });
            write_gaps();
            json_.objects("series", page_.series, [this](const PageSeries& series) { write_series(series); });
            json_.objects("charts", page_.charts, [this](const PageChart& chart) { write_chart(chart); });
            json_.objects("counters", page_.counters, [this](const PageCounter& counter) { write_counter(counter); });
            json_.member("top_command", page_.top_command);
            json_.objects("constant", page_.constants, [this](const PageConstant& each) { write_constant(each); });
        });
    }

  private:
    ReportRun& run() noexcept { return runs_.back(); }

    /// Writes the offsets of the zone in the time of all runs: each is valid from a time on, and has the name of the
    /// zone then.
    void write_zone() {
        json_.object("zone", [this] {
            const Zone& zone = run().all().zone();
            json_.member("name", zone.is_utc()       ? std::string_view("UTC")
                                 : !zone.is_stated() ? unstated_zone_text
                                                     : std::string_view(zone.name()));
            json_.key("offsets");
            json_.StartArray();
            for (ReportRun& each : runs_) {
                std::int64_t time = each.all().begin();
                if (time == SeriesStatistics::no_time) continue;
                for (std::size_t periods = 0; periods < most_periods; ++periods) {
                    constexpr std::int64_t second = 1'000'000'000, minute = 60;
                    const ZonePeriod& period = zone.period_at(time);
                    json_.StartArray();
                    json_.value(milliseconds(time));
                    json_.value(period.offset / minute);
                    json_.value(zone_text(zone, time));
                    json_.EndArray();
                    if (period.end <= time / second || period.end > each.all().end() / second) break;
                    time = period.end * second;
                }
            }
            json_.EndArray();
        });
    }

    void write_reasons() {
        json_.key("reasons");
        json_.StartArray();
        for (std::uint8_t i = 1; i <= static_cast<std::uint8_t>(last_reason); ++i)
            json_.value(reason_name(static_cast<Reason>(i)));
        json_.EndArray();
    }

    void write_grid(const PageGrid& grid) {
        const ReportRun& of = runs_[grid.run];
        const std::vector<HistorySlot> slots = joined_slots(of.slots(grid.stream), grid.joined);
        const std::int64_t start = of.all().begin();
        json_.array("times", slots, [&](const HistorySlot& slot) {
            json_.value(milliseconds(grid.elapsed ? time_between(start, slot.from) : slot.from));
        });
        const bool reduced = std::ranges::any_of(slots, [](const HistorySlot& slot) { return slot.samples > 1; });
        if (reduced)
            json_.array("ends", slots, [&](const HistorySlot& slot) {
                json_.value(milliseconds(grid.elapsed ? time_between(start, slot.to) : slot.to));
            });
        if (reduced) json_.array("samples", slots, [&](const HistorySlot& slot) { json_.value(slot.samples); });
        if (grid.elapsed) json_.member("elapsed", true);
    }

    void write_gaps() {
        std::vector<std::pair<std::int64_t, std::int64_t>> gaps;
        const Overview overview = run().overview();
        for (std::uint32_t stream = 0; overview.interval && stream < run().streams(); ++stream)
            std::ranges::copy(run().gaps(stream, *overview.interval), std::back_inserter(gaps));
        json_.array("gaps", gaps, [this](const auto& gap) {
            json_.StartArray();
            json_.value(milliseconds(gap.first));
            json_.value(milliseconds(gap.second));
            json_.EndArray();
        });
    }

    /// Writes a name. Longer ones than the longest path of PDH are cut, because thousands of series may have the name.
    void write_name(std::string_view key, std::string_view name) {
        json_.member(key, cut_text(name, CounterPath::longest));
    }
    void write_names(const ReportSeries& series, Unit unit) {
        write_name("machine", series.machine);
        write_name("object", series.object);
        write_name("counter", series.counter);
        json_.member("unit", unit_name(unit));
    }

    void write_series(const PageSeries& series) {
        const ReportSeries shown = runs_[series.run].series(series.number);
        const Statistics& numbers = shown.statistics;
        write_names(shown, shown.unit);
        if (shown.of_list) write_name("instance", shown.instance);
        if (shown.process_id) json_.member("pid", shown.process_id);
        json_.member("run", series.run);
        json_.member("grid", series.grid);
        json_.member("at", series.at);
        json_.member("count", numbers.count);
        for (const StatisticColumn column :
             {StatisticColumn::min, StatisticColumn::mean, StatisticColumn::p50, StatisticColumn::p95,
              StatisticColumn::max, StatisticColumn::last, StatisticColumn::stddev, StatisticColumn::slope})
            json_.member(statistic_name(column), value_of(numbers, column));
        if (numbers.percentile_error != 0) json_.member("percentile_error", numbers.percentile_error);
        if (const auto time = runs_[series.run].time_of_max(series.number)) json_.member("max_at", milliseconds(*time));
    }

    void write_chart(const PageChart& chart) {
        write_name("title", chart.title);
        json_.member("kind", chart.stacked ? "stack" : "lines");
        json_.member("unit", unit_name(chart.unit.unit));
        if (chart.unit.factor != 1) json_.member("scale", chart.unit.factor);
        json_.member("elapsed", chart.elapsed);
        json_.array("series", chart.series, [this](std::uint32_t place) { json_.value(place); });
        json_.objects("limits", chart.limits, [this](const PageLimit& limit) {
            json_.member("value", limit.value);
            json_.member("label", limit.label);
            json_.member("severity", rule_severity_name(limit.severity));
        });
        json_.member("command", chart.command);
    }

    void write_counter(const PageCounter& counter) {
        const ReportSeries example = run().series(counter.example);
        write_names(example, example.shown.unit);
        if (example.shown.factor != 1) json_.member("scale", example.shown.factor);
        json_.member("instances", counter.instances);
        json_.array("series", counter.series, [this](std::uint32_t place) { json_.value(place); });
        json_.member("command", counter.command);
        if (!is_replaced(run().counter(counter.example))) write_kind(window_kind(run().counter(counter.example)));
    }

    /// Returns whether another object of the page has the counters of this one: Process those of Process V2.
    bool is_replaced(const RunCounter& counter) {
        const std::string_view original = original_of(english_object(counter));
        return !original.empty() && std::ranges::any_of(page_.counters, [&](const PageCounter& each) {
            const RunCounter& other = run().counter(each.example);
            return other.machine == counter.machine && compare_names(english_object(other), original) == 0;
        });
    }

    /// Writes how the counter is rated by those who ask what happened in a part of the time.
    void write_kind(const WindowKind& kind) {
        if (kind.of == WindowKind::Of::nothing) return;
        constexpr std::array<std::string_view, 5> names{"", "process", "disk", "interface", "counter"};
        json_.member("kind", names[static_cast<std::size_t>(kind.of)]);
        if (kind.is_rate) json_.member("rate", true);
        if (kind.of == WindowKind::Of::process) {
            json_.member("use", static_cast<unsigned>(kind.use));
            return;
        }
        json_.member("weight", kind.weight);
        json_.member("least", kind.least_spread);
        if (kind.is_headline) json_.member("headline", true);
        if (kind.prefers_total) json_.member("prefers_total", true);
    }

    void write_constant(const PageConstant& constant) {
        const ReportSeries example = run().series(constant.example);
        write_names(example, example.unit);
        json_.member("instances", constant.instances);
        json_.member("min", constant.min);
        json_.member("max", constant.max);
    }

    static constexpr std::size_t most_periods = 64;

    const Page& page_;
    std::deque<ReportRun>& runs_;
    JsonStream json_;
};

}  // namespace

std::string page_index(const Page& page, std::deque<ReportRun>& runs) {
    std::string out;
    PageIndex(page, runs, out).write();
    return out;
}

}  // namespace hkpd
