// Series and their statistics as JSON, JSON Lines and CSV.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hkpd/identity.hpp"
#include "hkpd/write.hpp"
#include "statistics/run_series.hpp"
#include "write/json/json_stream.hpp"

namespace hkpd {

/// Returns the options of a collector for a writer.
inline SeriesOptions series_options(const WriteOptions& options) {
    return {options.series, options.statistics, options.zone};
}

/// Writes the members that name an instance or a counter as JSON, without braces.
void append_instance_members(JsonStream& json, const RunCounter& counter, const Identity& identity);
void append_counter_members(JsonStream& json, const RunCounter& counter);
/// Appends cells of CSV with the same members, each with a comma after it.
void append_instance_cells(std::string& out, const RunCounter& counter, const Identity& identity);
void append_counter_cells(std::string& out, const RunCounter& counter);
/// Appends a cell with a number, or an empty cell, and a comma.
void append_number_cell(std::string& out, const std::optional<std::int64_t>& number);

/// Writes series in one of the formats json, jsonl and csv. `places`: the series to write, in this order.
void write_series(Format format, const WriteOptions& options, SeriesCollector& all,
                  std::span<const std::uint32_t> places, const Diagnostics& diagnostics, std::string& out);

}  // namespace hkpd
