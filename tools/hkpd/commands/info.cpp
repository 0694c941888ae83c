#include "commands/info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "commands/example_commands.hpp"
#include "flags/format_option.hpp"
#include "flags/input_options.hpp"
#include "flags/shared_options.hpp"
#include "flags/time_options.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/source.hpp"
#include "hkpd/write.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/input_list.hpp"

namespace hkpd::command {
namespace {

struct InfoOptions {
    Strings inputs, titles, log_zones;
    std::string format = "text";
    std::optional<std::string> limit_expansion, encoding;
    OverviewOptions how;
    bool verbose = false, recursive = false;
};

constexpr HelpText info_help{
    .question = "What is in this file: which machine, from when to when, which counters?",
    .usage = "[--all] [--format text|json] INPUT...\n--counters [--all] INPUT...",
    .prose =
        "Shows kind, machines, first and last sample, interval and gaps, number of samples, size, time zone, languages "
        "of titles, faults, objects with their numbers of instances and counters, and commands that go on from there. "
        "hkpd INPUT is hkpd info INPUT. INPUT is a file of blobs or V2 blocks, a capture, a performance log (.blg, "
        ".csv, .tsv, text of Get-Counter), a title database, a directory of these, or - for standard input.",
    .usual = "counters all format titles lang recursive",
    .examples =
        "hkpd info perf.blg\n"
        "hkpd info --counters perf.blg | grep 'Processor Time' > paths.txt\n"
        "hkpd info -r logs/\n"
        "hkpd info --all captures/ run.mcap\n"
        "hkpd info --format json *.blg | jq '.inputs[] | {path, from, to}'\n",
    .details =
        "Of a capture or log above 32 MiB, only the beginning and the end are read: estimates and lower bounds are "
        "marked as such, and --all reads everything. --counters lists the paths of the first and last samples of such "
        "an input, with instances, as relog -q and typeperf -qx do.\n",
    .input_details = log_details};

po::options_description describe(InfoOptions& o) {
    po::options_description shown;
    auto add = shown.add_options();
    add("counters", po::bool_switch(&o.how.paths), "list counter paths, one per line, for replay -cf");
    add("all", po::bool_switch(&o.how.all), "read all samples; show all objects and channels");
    describe_format(shown, o.format, {"text", "json"});
    describe_title_files(shown, o.titles);
    describe_languages(shown, o.how.languages);
    describe_log_zones(shown, o.log_zones);
    describe_encoding(shown, o.encoding);
    describe_recursive(shown, o.recursive);
    describe_expansion(shown, o.limit_expansion);
    describe_verbose(shown, o.verbose);
    return shown;
}

Exit list_paths(const InfoOptions& o, Verbosity verbosity) {
    Exit exit = Exit::good;
    for (const std::string& input : o.inputs) {
        Diagnostics diagnostics;
        const Overview overview = summarize(input, o.how, diagnostics);
        write_paths(overview, o.how.limits, write_out, diagnostics);
        if (!overview.complete)
            complain("info", fmt::format("{}: paths of the first and last samples; --all reads all", input));
        exit = std::max(exit, report(diagnostics, verbosity));
    }
    return exit;
}

Exit write_json(const InfoOptions& o, Verbosity verbosity) {
    Exit exit = Exit::good;
    std::string out = "{\"inputs\":[";
    for (std::size_t i = 0; i < o.inputs.size(); ++i) {
        Diagnostics diagnostics;
        const Overview overview = summarize(o.inputs[i], o.how, diagnostics);
        if (i != 0) out += ',';
        append_overview_json(out, o.inputs[i], overview, diagnostics);
        write_out(out);
        exit = std::max(exit, report(diagnostics, verbosity));
    }
    out += "]}\n";
    write_out(out);
    return exit;
}

/// Checks the options, and sets the members of `o.how` that depend on them. Returns the error message; empty on
/// success.
std::string take_options(InfoOptions& o) {
    if (o.inputs.empty()) return "no input: give a file, a directory, or - for standard input";
    if (std::ranges::count(o.inputs, "-") > 1) return "standard input (-) can be read only once";
    if (o.how.paths && o.format == "json") return "--counters and --format json cannot be combined";
    for (const std::string& language : o.how.languages)
        if (!is_language(language)) return not_a_language(language);
    for (const Strings* files : {&o.inputs, &o.titles})
        if (std::string wrong = check_output(*files, "-"); !wrong.empty()) return wrong;
    if (o.recursive) o.how.subdirectories = Subdirectories::read;
    if (std::string wrong = read_log_zones(o.log_zones, o.how.log_zones); !wrong.empty()) return wrong;
    if (std::string wrong = read_encoding(o.encoding, o.how.encoding); !wrong.empty()) return wrong;
    return read_expansion(o.limit_expansion, o.how.limits);
}

}  // namespace

Exit show_overviews(const Strings& inputs, const OverviewOptions& options, bool all, Verbosity verbosity) {
    constexpr std::size_t elsewhere = 80;
    Exit exit = Exit::good;
    std::string out;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Diagnostics diagnostics;
        const Overview overview = summarize(inputs[i], options, diagnostics);
        const bool nothing = overview.kind == InputKind::unknown && overview.samples == 0;
        if (!nothing) {
            if (i != 0) out += '\n';
            const std::string check = check_command(inputs[i], overview, options.subdirectories);
            append_overview(out, overview, diagnostics, {inputs[i], check, output_width(elsewhere), all});
            append_example_commands(out, inputs[i], overview, options.subdirectories);
            write_out(out);
        }
        exit = std::max(exit, report(diagnostics, verbosity));
    }
    return exit;
}

Description describe_info() {
    InfoOptions o;
    return {info_help, describe(o)};
}

Exit info(const Strings& arguments) {
    InfoOptions o;
    if (const auto done = parse_options("info", arguments, describe(o), o.inputs, info_help)) return *done;
    if (const auto failed = take_inputs("info", o.inputs, o.recursive)) return *failed;
    if (const std::string wrong = take_options(o); !wrong.empty()) return usage_error("info", wrong);
    const Verbosity verbosity = o.verbose ? Verbosity::notes_too : Verbosity::faults;
    Exit exit = Exit::good;
    if (!o.titles.empty()) {
        Diagnostics diagnostics;
        o.how.titles = load_titles(o.titles, o.how.languages, diagnostics);
        exit = report(diagnostics, verbosity);
    }
    if (o.how.paths) return std::max(exit, list_paths(o, verbosity));
    if (o.format == "json") return std::max(exit, write_json(o, verbosity));
    return std::max(exit, show_overviews(o.inputs, o.how, o.how.all, verbosity));
}

}  // namespace hkpd::command
