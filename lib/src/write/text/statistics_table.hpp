// Statistics of series as a table for people.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "hkpd/series.hpp"
#include "hkpd/write.hpp"
#include "write/series_rows.hpp"
#include "write/text/grid.hpp"

namespace hkpd {

/// Removes columns from a table until it is no wider than `width`, in the order of `drop`, and keeps at least `least`
/// columns. `labels_width`: width of the labels in front. Columns with other headings than those in `drop` stay.
void drop_columns(std::vector<Grid::Column>& columns, std::size_t labels_width, std::size_t width,
                  std::span<const std::string_view> drop, std::size_t least);

/// The text in front of the statistics of a series.
enum class SeriesLabel : std::uint8_t {
    path,          ///< `\Process(svchost#1)\Working Set`
    machine_path,  ///< the same, after the name of the machine
    instance,      ///< `svchost#1`
};

/// Appends a table with a line for each series: its label and its statistics. If the terminal is narrow, columns are
/// left out, in this order: average, first, stddev, p50, p99, min, delta, pid, slope/h, count, p95. If fewer than six
/// would be left, each label has a line of its own above the numbers instead. `sorted`: the column by which lines are
/// sorted; it is left out last, and pid before it if labels are names of instances. Percentiles that are approximate
/// begin with `~`; returns the largest of their errors.
double append_statistics_table(const WriteOptions& options, const SeriesRows& rows, SeriesLabel label,
                               std::optional<StatisticColumn> sorted, std::string& out);

/// Appends a line with the machines of all series, and with the number and times of the samples:
/// `machine DEMO, 11 samples, 2007-08-14 19:40:38 - 2007-08-14 19:50:38 UTC`.
void append_run_line(const RunFacts& run, std::string& out);

/// Returns a time as local time of the run's zone. `time`: nanoseconds since 1970 (UTC).
inline SystemTime local_time_of(const RunFacts& run, std::int64_t time) {
    return local_time(system_time_at(time), run.zone.offset_at(time));
}

/// Appends a line that states what `~` means if `error`, the result of `append_statistics_table`, is not 0.
void append_percentile_note(double error, std::string& out);

}  // namespace hkpd
