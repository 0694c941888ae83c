// The options of `hkpd replay`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/reader.hpp"
#include "hkpd/write.hpp"
#include "input_options.hpp"
#include "summary_options.hpp"
#include "textfile_output.hpp"

namespace hkpd::command {

struct ReplayCommand {
    InputOptions input;
    ReaderOptions how;
    WriteOptions write;
    Strings path_files;
    TextfileOptions textfile;
    SummaryChoice statistics;
    std::string format_name, zone, multi_timer = "sdk";
    std::optional<std::string> from, to, metric_prefix;
    std::int64_t every = 1;
    std::optional<double> speed;
    bool raw = false, no_cap = false, summary = false;
    // Set by `read_replay` from the members above.
    Format format{};
    SummaryOptions summary_options;
    Filter filter;
};

/// Reads the arguments. Returns an exit code if help was shown, the arguments are wrong, or a file that they name
/// cannot be read.
std::optional<Exit> read_replay(const Strings& arguments, ReplayCommand& o);

/// Parses the value of `--from` or `--to` into `time`, or the number of a sample into `number`. `bias`: UTC minus local
/// time, in minutes. Returns the error message; empty on success.
std::string read_bound(std::string_view option, const std::optional<std::string>& given, std::int32_t bias,
                       std::int64_t& time, std::uint64_t& number);

}  // namespace hkpd::command
