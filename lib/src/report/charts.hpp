// Chooses the charts of a page: the overview of a machine, and each counter that varied.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/report.hpp"
#include "report/page.hpp"

namespace hkpd {

/// Returns a command that prints the values of a counter: `hkpd replay perf.blg --path '\Memory\Pages/sec'`.
std::string replay_command(const ReportOptions& options, const ReportSeries& series, bool several_machines);
/// Returns the beginning of a command about the inputs of a report: `hkpd top perf.blg`.
std::string input_command(std::string_view subcommand, const ReportOptions& options);
/// Appends text as one word of a command for a POSIX shell or PowerShell.
void append_command_word(std::string& out, std::string_view text);

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

/// Adds the machines of the run and the charts that show how each was used: processor, memory, disks, network,
/// processes.
void add_overview(Page& page, PageSeriesList& list, ReportRun& run, std::uint32_t number, const ReportOptions& options);

/// Compares the run with the baseline, and adds a chart of both for each of the largest changes.
void add_changes(Page& page, PageSeriesList& list, ReportRun& baseline, ReportRun& run, const ReportOptions& options);

/// Adds each counter that varied with its series, the largest mean first, and lists those that did not.
void add_counters(Page& page, PageSeriesList& list, ReportRun& run, std::uint32_t number, const ReportOptions& options);

}  // namespace hkpd
