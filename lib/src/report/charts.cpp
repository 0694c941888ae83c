#include "report/charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "base/text/names.hpp"
#include "hkpd/select.hpp"
#include "statistics/run_series.hpp"

namespace hkpd {
namespace {

/// Maximum number of machines with an overview; the counters of all are on the page.
constexpr std::size_t most_machines = 8;
/// Maximum number of curves of a chart of the overview.
constexpr std::size_t most_curves = 8;

/// The instances that a chart shows.
enum class Instances : std::uint8_t {
    none,     ///< the object has no list of instances
    total,    ///< `_Total`
    each,     ///< all but `_Total` and Idle, those with the largest means; `_Total` if there is no other
    growing,  ///< the same, those with the largest slopes
};

/// A chart of the overview. The first object that the run has is used, and of alternatives the first counter.
struct ChartPlan {
    std::string_view group, title;
    Instances instances;
    bool stacked;
    std::array<std::string_view, 2> objects;
    /// Counters that the chart shows together; a text with `|` lists alternatives.
    std::array<std::string_view, 2> counters;
};

const std::array plans{
    ChartPlan{"CPU",
              "Processor time by mode",
              Instances::total,
              true,
              {"Processor", "Processor Information"},
              {"% User Time", "% Privileged Time"}},
    ChartPlan{"CPU",
              "Interrupts and DPCs",
              Instances::total,
              false,
              {"Processor", "Processor Information"},
              {"% Interrupt Time", "% DPC Time"}},
    ChartPlan{"CPU", "Threads waiting for a processor", Instances::none, false, {"System"}, {"Processor Queue Length"}},
    ChartPlan{"Memory",
              "Available memory",
              Instances::none,
              false,
              {"Memory"},
              {"Available Bytes|Available KBytes|Available MBytes"}},
    ChartPlan{"Memory", "Committed memory", Instances::none, false, {"Memory"}, {"Committed Bytes", "Commit Limit"}},
    ChartPlan{"Memory", "Paging", Instances::none, false, {"Memory"}, {"Pages/sec", "Page Reads/sec"}},
    ChartPlan{
        "Memory", "Kernel pools", Instances::none, false, {"Memory"}, {"Pool Paged Bytes", "Pool Nonpaged Bytes"}},
    ChartPlan{"Disks",
              "Queue length",
              Instances::each,
              false,
              {"PhysicalDisk", "LogicalDisk"},
              {"Avg. Disk Queue Length|Current Disk Queue Length"}},
    ChartPlan{"Disks",
              "Read latency",
              Instances::each,
              false,
              {"PhysicalDisk", "LogicalDisk"},
              {"Avg. Disk sec/Read|Avg. Disk sec/Transfer"}},
    ChartPlan{
        "Disks", "Write latency", Instances::each, false, {"PhysicalDisk", "LogicalDisk"}, {"Avg. Disk sec/Write"}},
    ChartPlan{"Disks", "Throughput", Instances::each, false, {"PhysicalDisk", "LogicalDisk"}, {"Disk Bytes/sec"}},
    ChartPlan{
        "Network", "Throughput", Instances::each, false, {"Network Interface", "Network Adapter"}, {"Bytes Total/sec"}},
    ChartPlan{"Network",
              "Packets waiting to be sent",
              Instances::each,
              false,
              {"Network Interface", "Network Adapter"},
              {"Output Queue Length"}},
    ChartPlan{
        "Network", "Retransmitted segments", Instances::none, false, {"TCPv4", "TCP"}, {"Segments Retransmitted/sec"}},
    ChartPlan{"Processes",
              "Processes by processor time",
              Instances::each,
              false,
              {"Process", "Process V2"},
              {"% Processor Time"}},
    ChartPlan{"Processes",
              "Processes by growth of private memory",
              Instances::growing,
              false,
              {"Process", "Process V2"},
              {"Private Bytes|Working Set"}},
};

/// The series of one machine, by the English names of object and counter, folded.
using SeriesByName = std::map<std::pair<std::string, std::string>, std::vector<std::uint32_t>>;

/// Adds the number of each series to the list of its counter. `list_of` returns the list, which must stay where it is,
/// and gets a series of the counter: it is called once for each counter, as most have many series.
template <class ListOf>
void list_series(const ReportRun& run, const ListOf& list_of) {
    std::vector<std::vector<std::uint32_t>*> lists;  // by number of the counter
    for (std::uint32_t i = 0; i < run.size(); ++i) {
        const std::uint32_t number = run.counter_number(i);
        if (lists.size() <= number) lists.resize(number + std::size_t{1});
        if (lists[number] == nullptr) lists[number] = &list_of(i);
        lists[number]->push_back(i);
    }
}

class OverviewCharts {
  public:
    OverviewCharts(Page& page, PageSeriesList& list, ReportRun& run, std::uint32_t number, const ReportOptions& options)
        : page_(page), list_(list), run_(run), number_(number), options_(options) {
        list_series(run, [&](std::uint32_t first) -> std::vector<std::uint32_t>& {
            const EnglishCounter& names = run.english(first);
            return by_machine_[run.counter(first).machine][{fold_case(names.object), fold_case(names.counter)}];
        });
    }

    void add() {
        std::size_t machines = 0;
        for (const auto& [machine, series] : by_machine_) {
            if (++machines > most_machines) return;
            for (const ChartPlan& plan : plans) add_chart(machine, series, plan);
        }
    }

  private:
    static const std::vector<std::uint32_t>* find(const SeriesByName& all, std::string_view object,
                                                  std::string_view counter) {
        while (!counter.empty()) {
            const std::size_t end = counter.find('|');
            const auto found = all.find({fold_case(object), fold_case(counter.substr(0, end))});
            if (found != all.end()) return &found->second;
            counter = end == std::string_view::npos ? std::string_view() : counter.substr(end + 1);
        }
        return nullptr;
    }

    void add_chart(const std::string& machine, const SeriesByName& all, const ChartPlan& plan) {
        for (const std::string_view object : plan.objects) {
            if (object.empty()) continue;
            std::vector<std::uint32_t> chosen;
            for (const std::string_view counter : plan.counters)
                if (const auto* const found = find(all, object, counter)) choose(*found, plan.instances, chosen);
            if (chosen.empty()) continue;
            const ReportSeries first = run_.series(chosen.front());
            PageChart chart{.title = std::string(plan.title),
                            .unit = common_unit(chosen),
                            .stacked = plan.stacked && chosen.size() > 1,
                            .command = replay_command(options_, first, by_machine_.size() > 1)};
            for (const std::uint32_t series : chosen) chart.series.push_back(list_.add(number_, series, true));
            group(machine, plan.group).charts.push_back(static_cast<std::uint32_t>(page_.charts.size()));
            page_.charts.push_back(std::move(chart));
            return;
        }
    }

    /// Returns the unit of series; empty if they have several.
    std::string common_unit(std::span<const std::uint32_t> chosen) {
        const Unit unit = run_.series(chosen.front()).unit;
        const auto is_other = [&](std::uint32_t number) { return run_.series(number).unit != unit; };
        return std::ranges::any_of(chosen, is_other) ? std::string() : std::string(unit_name(unit));
    }

    /// Adds the series of the chosen instances that have values.
    void choose(const std::vector<std::uint32_t>& all, Instances instances, std::vector<std::uint32_t>& chosen) {
        struct Choice {
            std::uint32_t number;
            Statistics statistics;
        };
        std::vector<Choice> each;
        std::optional<std::uint32_t> total;
        for (const std::uint32_t number : all) {
            const Statistics statistics = run_.statistics(number);
            const bool of_list = run_.counter(number).of_list;
            if (statistics.count == 0 || of_list == (instances == Instances::none)) continue;
            if (!of_list) {
                chosen.push_back(number);
                continue;
            }
            const Identity identity = run_.all().identity(number);
            const std::string_view parent = identity.parent.value_or("");
            if (parent.empty() && is_grand_total(identity.name)) total = number;
            if (!is_aggregate_or_idle(parent, identity.name, true)) each.push_back({number, statistics});
        }
        if (instances == Instances::total || each.empty()) {
            if (total && instances != Instances::growing) chosen.push_back(*total);
            return;
        }
        if (instances == Instances::growing) {
            // The slope of a few values is not that of a run.
            std::uint64_t most = 0;
            for (const Choice& one : each) most = std::max(most, one.statistics.count);
            std::erase_if(each, [most](const Choice& one) {
                return one.statistics.count < most / 4 || !(one.statistics.slope > 0);
            });
            std::ranges::stable_sort(each, largest_first, [](const Choice& one) { return one.statistics.slope; });
        } else {
            std::ranges::stable_sort(each, largest_first, [](const Choice& one) {
                return one.statistics.mean * static_cast<double>(one.statistics.count);
            });
        }
        if (each.size() > most_curves) each.resize(most_curves);
        for (const Choice& one : each) chosen.push_back(one.number);
    }

    PageGroup& group(const std::string& machine, std::string_view name) {
        std::string title = by_machine_.size() > 1 ? std::string(name) + " of " + machine : std::string(name);
        if (page_.groups.empty() || page_.groups.back().title != title) page_.groups.push_back({std::move(title), {}});
        return page_.groups.back();
    }

    Page& page_;
    PageSeriesList& list_;
    ReportRun& run_;
    std::uint32_t number_;
    const ReportOptions& options_;
    std::map<std::string, SeriesByName> by_machine_;
};

}  // namespace

void append_command_word(std::string& out, std::string_view text) {
    constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,+%@";
    if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) {
        out += text;
        return;
    }
    out += '\'';
    for (const char c : text) {
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    out += '\'';
}

std::string input_command(std::string_view subcommand, const ReportOptions& options) {
    std::string command(subcommand);
    for (const std::string& input : options.inputs) append_command_word(command += ' ', input);
    for (const std::string& word : options.command_options) append_command_word(command += ' ', word);
    return command;
}

std::string replay_command(const ReportOptions& options, const ReportSeries& series, bool several_machines) {
    std::string command = input_command("hkpd replay", options);
    std::string path = several_machines && !series.machine.empty() ? "\\\\" + std::string(series.machine) : "";
    path.append("\\").append(series.object).append(series.of_list ? "(*)" : "").append("\\").append(series.counter);
    if (!CounterPath::is_too_long(path)) append_command_word(command += " --path ", path);
    return command + " --format csv";
}

void add_overview(Page& page, PageSeriesList& list, ReportRun& run, std::uint32_t number,
                  const ReportOptions& options) {
    OverviewCharts(page, list, run, number, options).add();
}

namespace {

/// Maximum number of series on a page. Of counters with more instances than others, those with the largest means and
/// maxima are shown.
constexpr std::size_t most_series = 4000;

/// A series whose values differ, or that belongs to a counter with such a series.
struct Candidate {
    std::uint32_t number;
    double mean, max;
};

/// Returns whether the values of a series differ: the one rule for the head of a page and its section of counters. A
/// value that is missing, for whatever reason, is no other value.
bool varies(const Statistics& statistics) noexcept { return statistics.count != 0 && statistics.min != statistics.max; }

/// Returns how many series of each counter are shown, so that all counters together have at most `most_series`.
std::size_t most_of_a_counter(const std::vector<std::vector<Candidate>>& counters) {
    std::size_t most = most_series;
    const auto total = [&] {
        std::size_t sum = 0;
        for (const std::vector<Candidate>& series : counters) sum += std::min(series.size(), most);
        return sum;
    };
    while (most > 1 && total() > most_series) most -= std::max<std::size_t>(1, most / 8);
    return most;
}

/// Keeps the series with the largest means and, of the others, those with the largest maxima, in the order of means.
void keep_largest(std::vector<Candidate>& series, std::size_t most) {
    std::ranges::stable_sort(series, largest_first, &Candidate::mean);
    if (series.size() <= most) return;
    const auto by_mean = static_cast<std::ptrdiff_t>(most - most / 4);
    std::ranges::stable_sort(series.begin() + by_mean, series.end(), largest_first, &Candidate::max);
    series.resize(most);
    std::ranges::stable_sort(series, largest_first, &Candidate::mean);
}

/// Returns the series of each counter, in the order in which counters were first seen. A log whose instances have
/// different counters has several counters of the same names, which belong together.
std::deque<std::vector<std::uint32_t>> series_by_counter(const ReportRun& run) {
    using Names = std::tuple<std::string_view, std::string_view, std::string_view, std::uint32_t>;
    std::map<Names, std::size_t> places;
    std::deque<std::vector<std::uint32_t>> all;  // does not move its lists
    list_series(run, [&](std::uint32_t first) -> std::vector<std::uint32_t>& {
        const RunCounter& counter = run.counter(first);
        const Names names(counter.machine, counter.object, counter.name, counter.type);
        const auto [place, is_new] = places.try_emplace(names, all.size());
        return is_new ? all.emplace_back() : all[place->second];
    });
    return all;
}

}  // namespace

void add_counters(Page& page, PageSeriesList& list, ReportRun& run, std::uint32_t number,
                  const ReportOptions& options) {
    std::vector<std::vector<Candidate>> shown;
    for (const std::vector<std::uint32_t>& all : series_by_counter(run)) {
        std::vector<Candidate> series;
        std::uint64_t varied = 0;
        PageConstant constant{.example = all.front()};
        for (const std::uint32_t one : all) {
            const Statistics statistics = run.statistics(one);
            if (statistics.count == 0 && run.is_constant(one)) continue;  // neither values nor reasons
            if (varies(statistics)) ++varied;
            series.push_back({one, statistics.mean, statistics.max});
            // `fmin` and `fmax` leave out the NaN of a series without values.
            constant.min = std::fmin(constant.min, statistics.min);
            constant.max = std::fmax(constant.max, statistics.max);
            ++constant.instances;
        }
        if (series.empty()) continue;
        page.varied += varied;
        if (varied != 0)
            shown.push_back(std::move(series));
        else
            page.constants.push_back(constant);
    }
    const std::size_t most = most_of_a_counter(shown);
    for (std::vector<Candidate>& series : shown) {
        PageCounter counter{.example = series.front().number,
                            .instances = series.size(),
                            .command = replay_command(options, run.series(series.front().number), run.streams() > 1)};
        keep_largest(series, most);
        for (const Candidate& one : series) counter.series.push_back(list.add(number, one.number, false));
        page.counters.push_back(std::move(counter));
    }
}

void add_changes(Page& page, PageSeriesList& list, ReportRun& baseline, ReportRun& run, const ReportOptions& options) {
    constexpr std::size_t most_charts = 12;
    PageChanges& changes = page.changes.emplace();
    changes.all = find_changes(baseline.all(), run.all());
    for (std::size_t i = 0; i < std::min(most_charts, changes.all.changed.size()); ++i) {
        const SeriesChange& change = changes.all.changed[i];
        const ReportSeries series = run.series(change.after);
        PageChart chart{.title = std::string(series.object) + (series.of_list ? " (" + series.instance + ")" : "") +
                                 ": " + std::string(series.counter),
                        .unit = std::string(unit_name(series.unit)),
                        .elapsed = true,
                        .series = {list.add(0, change.before, true, true), list.add(1, change.after, true, true)},
                        .command = replay_command(options, series, run.streams() > 1)};
        changes.charts.push_back(static_cast<std::uint32_t>(page.charts.size()));
        page.charts.push_back(std::move(chart));
    }
}

}  // namespace hkpd
