// `hkpd compare`: what changed between two logs or two windows of one, and whether the two interfaces agree.
#include "commands/compare.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "flags/format_option.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/input_file.hpp"
#include "terminal/input_list.hpp"
#include "terminal/output_file.hpp"

namespace hkpd::command {
namespace {

po::options_description describe(CompareCommand& o) {
    po::options_description shown;
    describe_inputs(shown, o.input);
    describe_windows(shown, o.windows);
    // Others have them; here, the message names those to give.
    for (const auto& [name, bound] : {std::pair("from", &o.times.from), std::pair("to", &o.times.to)})
        shown.add_options()(name, text_option(bound->text, "TIME"), "");
    describe_zone(shown, o.times);
    describe_format(shown, o.format, {"text", "json"});
    describe_output(shown, o.output);
    auto add = shown.add_options();
    add("interfaces", po::bool_switch(&o.interfaces), "compare the counters of V1 with those of V2");
    add("tolerance", po::value(&o.compare.tolerance)->value_name("PERCENT"),
        "V1, V2: allowed difference of cooked values (default 0)");
    add("all", po::bool_switch(&o.all), "text: all changes, and counters that agree or have one side");
    return shown;
}

constexpr HelpText compare_help{
    .question = "What changed: from one log or window to another, or between V1 and V2?",
    .usage =
        "[OPTION]... BEFORE AFTER\n[OPTION]... LOG --before WINDOW --after WINDOW\n[OPTION]... --interfaces "
        "INPUT...",
    .prose =
        "Shows what changed most: from one log to another, or from one window of a log to another.\n"
        "With --interfaces, or if the input has samples of both: compares the counters of the two interfaces, the "
        "registry (V1) and the PerfLib functions (V2).",
    .usual = "before after path object instance counter all format output tz interfaces",
    .examples =
        "hkpd compare before.blg after.blg\n"
        "hkpd compare perf.blg --before 10:00-10:30 --after 11:00-11:30\n"
        "hkpd compare perf.blg --before ..-1h --after -10min..\n"
        "hkpd compare --interfaces both.mcap\n"
        "hkpd compare v1.bin --v2 v2.bin --identifiers query.bin --registration counterset.bin\n"
        "hkpd compare --live --object Processor* --tolerance 5\n"
        "hkpd compare both.mcap --format json | jq '.counters[] | select(.verdict == \"differs\")'\n",
    .details =
        "Two logs or windows: the series that both have, the largest effect first, those of few values last. The "
        "effect "
        "is the difference of the medians or of the 95th percentiles, divided by the standard deviation of the values "
        "(at least 1 % of the value). Instances are matched by name: processes of one name, such as svchost, are "
        "compared "
        "as their sum. Ids, states, priorities and elapsed times are not compared. JSON has all statistics. Exit code "
        "0, "
        "whatever changed.\n"
        "With two inputs, --before is a window of the first and --after one of the second. One or several other "
        "inputs are one log. The first rates of a window are those since the sample before it. A sample at which one "
        "window ends and the other begins is in the one that ends.\n"
        "V1 and V2: V2 blocks are given with --v2. --tolerance is in percent of the larger value. At 0, all values "
        "must be identical, raw ones too; above 0, raw values are not compared. Exit code 0: all common counters "
        "agree, 1: there are differences, 2: there is nothing to compare.\n"
        "A performance log (.blg) counts as V1. Samples of the same time are compared in pairs. A pair is a V2 sample "
        "and the nearest V1 sample of its machine within half a second. Counters of one interface only are listed and "
        "are not differences. If both interfaces have an object, an instance missing from one of two samples taken at "
        "the same time is a difference.\n",
    .input_details = window_details,
    .shared_details = time_details};

/// Returns what is wrong with the options that state what is compared; empty if nothing.
std::string check_sides(CompareCommand& o) {
    if (std::string wrong = check_windows(o.windows, o.input); !wrong.empty()) return wrong;
    if (is_ranged(o.times))
        return "--from and --to are one range, and two are compared: --before 10:00-10:30 --after 11:00-11:30";
    for (const std::string& input : o.input.inputs) {
        TimeBound from, to;
        if (!exists(input) && split_window(input, from, to).empty())
            return fmt::format("{} is no file, but a window: expected --before {} --after 11:00-11:30", input, input);
    }
    if (!o.windows.any()) return {};
    if (o.interfaces) return "--interfaces and windows (--before, --after) cannot be combined";
    if (o.input.live.any()) return "--before and --after are windows of logs, not of a machine";
    if (o.input.inputs.size() == 2 || (o.windows.before.text && o.windows.after.text)) return {};
    const bool has_before = o.windows.before.text.has_value();
    return fmt::format("{} alone: two windows of one log are --before 10:00-10:30 --after 11:00-11:30",
                       has_before ? "--before" : "--after");
}

}  // namespace

Description describe_compare() {
    CompareCommand o;
    return {compare_help, describe(o)};
}

Exit compare(const Strings& arguments) {
    CompareCommand o;
    Filter filter;
    Limits limits;
    if (const auto done = parse_options("compare", arguments, describe(o), o.input.inputs, compare_help)) return *done;
    if (const auto failed = take_inputs("compare", o.input.inputs, o.input.recursive, SameInput::each)) return *failed;
    if (const auto failed = read_path_files("compare", o.input)) return *failed;
    if (!(o.compare.tolerance >= 0) || !std::isfinite(o.compare.tolerance))
        return usage_error("compare", "--tolerance: expected a percentage of at least 0");
    if (const std::string wrong = check_zone(o.times); !wrong.empty()) return usage_error("compare", wrong);
    if (const std::string wrong = make_filter(o.input, filter); !wrong.empty()) return usage_error("compare", wrong);
    if (const std::string wrong = check_inputs(o.input, limits); !wrong.empty()) return usage_error("compare", wrong);
    if (const std::string wrong = check_sides(o); !wrong.empty()) return usage_error("compare", wrong);
    if (const std::string wrong = check_output(o.input, o.output); !wrong.empty()) return usage_error("compare", wrong);
    if (o.windows.any()) return compare_runs(o, limits, filter);
    if (!o.interfaces && are_two_runs(o, limits)) return compare_runs(o, limits, filter);
    o.input.live.wanted.v1 = o.input.live.wanted.v2 = true;
    return compare_interfaces(o, limits, filter);
}

}  // namespace hkpd::command
