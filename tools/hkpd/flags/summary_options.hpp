// Options for statistics over a run, shared by `hkpd replay` and `hkpd top`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "flags/options.hpp"
#include "hkpd/summary.hpp"

namespace hkpd::command {

/// The names of the columns by which statistics can be sorted, separated by blanks.
inline constexpr std::string_view sort_columns = "count first last min mean p50 p95 p99 max stddev delta slope";

/// The options as given.
struct SummaryChoice {
    std::string sort;
    std::optional<std::string> top, bucket;
};

/// Adds `--sort` and `--top` to a subcommand's options. `columns`: the words of `--sort`.
void describe_summary(po::options_description& shown, SummaryChoice& choice, std::string_view columns = sort_columns,
                      std::vector<std::string_view> synonyms = {});

/// Parses the options. Returns the error message; empty on success.
std::string read_summary(const SummaryChoice& choice, std::optional<StatisticColumn>& sort, std::size_t& top);

/// Parses the length of intervals, and checks that they suit the format. `is_raw`: raw values were requested. Returns
/// the error message; empty on success.
std::string read_bucket(const SummaryChoice& choice, Format format, bool is_raw, WriteOptions& options);

}  // namespace hkpd::command
