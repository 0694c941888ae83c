// Statistics of series as a table for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/write.hpp"
#include "write/run_series.hpp"
#include "write/text/grid.hpp"

namespace hkpd {

/// Removes columns from a table until it is no wider than `width`, in the order of `drop`, and keeps at least `least`
/// columns. `labels_width`: width of the labels in front. Columns with other headings than those in `drop` stay.
void drop_columns(std::vector<Grid::Column>& columns, std::size_t labels_width, std::size_t width,
                  std::span<const std::string_view> drop, std::size_t least);

/// Appends a table with a line for each series: its path and its statistics. If the terminal is narrow, columns are
/// left out, in this order: average, first, stddev, p50, p99, min, delta, pid, slope/h, count, p95. If fewer than six
/// would be left, each path has a line of its own above the numbers instead. `with_machine`: paths begin with the name
/// of the machine. Percentiles that are approximate begin with `~`; returns the largest of their errors.
double append_statistics_table(const WriteOptions& options, SeriesCollector& all, std::span<const std::uint32_t> places,
                               bool with_machine, std::string& out);

/// Appends a line that states what `~` means if `error`, the result of `append_statistics_table`, is not 0.
void append_percentile_note(double error, std::string& out);

}  // namespace hkpd
