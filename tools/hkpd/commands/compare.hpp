// What the two comparisons of `hkpd compare` share: that of two runs, and that of the two interfaces.
#pragma once

#include <string>

#include "flags/input_options.hpp"
#include "flags/time_options.hpp"
#include "flags/window_options.hpp"
#include "hkpd/compare.hpp"
#include "hkpd/limits.hpp"

namespace hkpd::command {

struct CompareCommand {
    CompareCommand() { input.live.usual_count = 2; }  // rates need two samples

    InputOptions input;
    TimeOptions times;  // the zone
    TwoWindows windows;
    CompareOptions compare;
    std::string format = "text", output;
    bool all = false, interfaces = false;
};

/// Returns whether the inputs are two runs of the same interface, which are compared with each other: each is a file or
/// directory that can be read twice and has samples of one source, the same for both.
bool are_two_runs(const CompareCommand& o, const Limits& limits);

/// Compares two runs: two inputs, or the windows `--before` and `--after` of one input or of two.
Exit compare_runs(CompareCommand& o, const Limits& limits, const Filter& filter);

/// Compares the counters of both interfaces, V1 and V2, in all inputs.
Exit compare_interfaces(CompareCommand& o, const Limits& limits, Filter& filter);

}  // namespace hkpd::command
