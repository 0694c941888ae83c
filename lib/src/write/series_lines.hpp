// Series and their statistics as JSON, JSON Lines and CSV.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "hkpd/answers.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/series.hpp"
#include "hkpd/write.hpp"
#include "statistics/run_series.hpp"
#include "write/json/json_stream.hpp"
#include "write/series_rows.hpp"

namespace hkpd {

/// Returns the options of a collector for a writer.
inline SeriesOptions series_options(const WriteOptions& options) {
    return {.series = options.series, .statistics = options.statistics, .zone = options.zone, .names = options.names};
}

/// Writes the members that name an instance or a counter as JSON, without braces.
void append_instance_members(JsonStream& json, const RunCounter& counter, const Identity& identity);
void append_counter_members(JsonStream& json, const RunCounter& counter);
/// Appends cells of CSV with the same members, each with a comma after it.
void append_instance_cells(std::string& out, const RunCounter& counter, const Identity& identity);
void append_counter_cells(std::string& out, const RunCounter& counter);
/// Appends a cell with a number, or an empty cell, and a comma.
void append_number_cell(std::string& out, const std::optional<std::int64_t>& number);

/// Returns whether a format is one of those that `write_series` writes.
constexpr bool has_series_lines(Format format) noexcept {
    return format == Format::json || format == Format::jsonl || format == Format::csv;
}
/// Writes series in one of the formats json, jsonl and csv. `zone`: that of the run. `courses`: those of the series, or
/// none. `head` writes the first members of a JSON document.
void write_series(Format format, const WriteOptions& options, const SeriesRows& series, const Zone& zone,
                  const Diagnostics& diagnostics, std::string& out, std::span<const Top::Course> courses = {},
                  const std::function<void(JsonStream&)>& head = {});

/// Sets the limits and the zone of an answer's options to those of a writer.
template <class Options>
Options with_limits(Options made, const WriteOptions& options) {
    made.limits.series = options.series;
    made.limits.statistics = options.statistics;
    made.limits.names = options.names;
    made.zone = options.zone;
    return made;
}
/// Reports that series were left out of an answer, unless it is complete.
void report_limit(bool is_complete, const WriteOptions& options, Diagnostics& diagnostics);

}  // namespace hkpd
