// The options of `hkpd replay`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flags/input_options.hpp"
#include "flags/summary_options.hpp"
#include "flags/time_options.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/write.hpp"
#include "terminal/textfile_output.hpp"

namespace hkpd::command {

struct ReplayCommand {
    ReplayCommand() { input.live.usual_count = 0; }

    std::string_view subcommand = "replay";                ///< the name for messages
    std::string_view database_option = "--format sqlite";  ///< what adds to a database, for messages
    InputOptions input;
    ReaderOptions how;
    WriteOptions write;
    TextfileOptions textfile;
    TimeOptions times;
    SummaryChoice statistics;
    std::string format_name, output, color = "auto", multi_timer = "sdk";
    std::optional<std::string> metric_prefix;
    std::int64_t every = 1;
    std::optional<double> speed;
    bool raw = false, no_cap = false, summary = false, all = false, file_column = false;
    // Set by `read_replay` from the members above.
    Format format{};
    bool to_terminal = false;    ///< text for people is shown on a terminal
    bool for_terminal = false;   ///< no format was given: the samples choose between timeline and table
    bool overview_only = false;  ///< no counters were selected, and all would flood the terminal
    SummaryOptions summary_options;
    Filter filter;
};

/// Reads the arguments. Returns an exit code if help was shown, the arguments are wrong, or a file that they name
/// cannot be read.
std::optional<Exit> read_replay(const Strings& arguments, ReplayCommand& o);

/// Runs the subcommand with options that `read_replay` filled.
Exit run_replay(ReplayCommand& o);

}  // namespace hkpd::command
