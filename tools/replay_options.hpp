// The options of `hkpd replay`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hkpd/reader.hpp"
#include "hkpd/write.hpp"
#include "input_options.hpp"
#include "textfile_output.hpp"
#include "time_options.hpp"

namespace hkpd::command {

struct ReplayCommand {
    InputOptions input;
    ReaderOptions how;
    WriteOptions write;
    Strings path_files;
    TextfileOptions textfile;
    std::string format_name, multi_timer = "sdk";
    TimeOptions times;
    std::optional<std::string> metric_prefix;
    std::int64_t every = 1;
    std::optional<double> speed;
    bool raw = false, no_cap = false, summary = false;
    // Set by `read_replay` from the members above.
    Format format{};
    Filter filter;
};

/// Reads the arguments. Returns an exit code if help was shown, the arguments are wrong, or a file that they name
/// cannot be read.
std::optional<Exit> read_replay(const Strings& arguments, ReplayCommand& o);

}  // namespace hkpd::command
