#include "report/charts.hpp"

#include <algorithm>
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

namespace {

/// Maximum number of series on a page. Of counters with more instances than others, those with the largest means and
/// maxima are shown.
constexpr std::size_t most_series = 4000;

/// A series whose values differ, or that belongs to a counter with such a series.
struct Candidate {
    std::uint32_t number;
    double mean, max, min;
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
            series.push_back({one, statistics.mean, statistics.max, statistics.min});
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
        for (const Candidate& one : series) {
            counter.min = std::fmin(counter.min, one.min);
            counter.mean = std::fmax(counter.mean, one.mean);
            counter.max = std::fmax(counter.max, one.max);
        }
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
                        .unit = series.shown,
                        .elapsed = true,
                        .series = {list.add(0, change.before, true, true), list.add(1, change.after, true, true)},
                        .command = replay_command(options, series, run.streams() > 1)};
        changes.charts.push_back(static_cast<std::uint32_t>(page.charts.size()));
        page.charts.push_back(std::move(chart));
    }
}

}  // namespace hkpd
