// The subcommand `hkpd typeperf`: the arguments and the output of Windows' typeperf, as learn.microsoft.com documents
// them. It translates the arguments to those of `hkpd replay --live`.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "commands/sample_run.hpp"
#include "flags/replay_options.hpp"
#include "flags/windows_options.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/overview.hpp"
#include "hkpd/select.hpp"
#include "terminal/cause.hpp"
#include "terminal/output_file.hpp"

namespace hkpd::command {
namespace {

constexpr HelpText typeperf_help{
    .question = "Which values do counters have now, as typeperf shows them?",
    .usage = "PATH... [-si TIME] [-sc N] [-f csv|tsv|SQL] [-o FILE] [-s \\\\HOST]\n-cf FILE ...\n-q|-qx [OBJECT]",
    .prose =
        "Takes the arguments of Windows' typeperf: writes the values of counters once per interval, until Ctrl-C. Run "
        "by the name typeperf (as a link to hkpd), it is this subcommand. Options begin with - or /, in any letter "
        "case. TIME is [[HH:]MM:]SS. Options of hkpd replay may be added in the form --name=value; --simulate reads "
        "a simulated machine, on any system.",
    .usual = "",
    .examples =
        "hkpd typeperf '\\Processor(_Total)\\% Processor Time' -sc 5\n"
        "hkpd typeperf --simulate '\\Processor(*)\\% Processor Time' -si 2 -sc 3\n"
        "hkpd typeperf -cf counters.txt -si 15 -o run.csv -y\n"
        "hkpd typeperf --simulate -qx Processor\n",
    .style = OptionStyle::windows};

struct TypeperfCommand {
    WindowsOptions common;
    std::string interval, count, machine;
    std::optional<std::string> counters, instances;
};

po::options_description describe(TypeperfCommand& o) {
    po::options_description shown;
    auto add = shown.add_options();
    add("si", po::value(&o.interval)->value_name("TIME"), "time between samples (default 1 second)");
    add("sc", po::value(&o.count)->value_name("N"), "stop after N samples");
    describe_windows_options(shown, o.common, "csv|tsv|SQL");
    add("s", po::value(&o.machine)->value_name("\\\\HOST"), "read another machine over the network");
    add("q", text_option(o.counters, "OBJECT")->implicit_value(""),
        "list the counters, of one object or of all, without instances");
    add("qx", text_option(o.instances, "OBJECT")->implicit_value(""),
        "list the counters, of one object or of all, with instances");
    return shown;
}

/// Reads the arguments. Returns an exit code if help was shown or the arguments are wrong.
std::optional<Exit> read_typeperf(const Strings& arguments, TypeperfCommand& o) {
    WindowsOptions& common = o.common;
    const Strings own = take_passed(arguments, common.passed);
    if (const auto done = parse_options("typeperf", own, describe(o), common.words, typeperf_help)) return done;
    if (!common.settings.empty()) {
        const auto settings = read_settings("typeperf", common.settings, {});
        if (!settings) return exit_of(Cause::unreadable);
        if (const auto done = parse_options("typeperf", settings->arguments, describe(o), common.words, typeperf_help))
            return done;
    }
    if (!o.counters && !o.instances && common.words.empty() && common.counter_files.empty())
        return usage_error("typeperf", "no counter was given");
    return std::nullopt;
}

/// Returns the arguments of `hkpd replay` that read the machine.
Strings machine_arguments(const TypeperfCommand& o) {
    Strings arguments{"--live"};
    if (!o.machine.empty()) arguments.insert(arguments.end(), {"--machine", o.machine});
    arguments.insert(arguments.end(), o.common.passed.begin(), o.common.passed.end());
    return arguments;
}

/// Fills the arguments of `hkpd replay`. Returns the error message; empty on success.
std::string translate(const TypeperfCommand& o, Strings& arguments) {
    arguments = machine_arguments(o);
    std::uint64_t seconds = 1;
    if (!o.interval.empty()) {
        const auto interval = parse_clock_time(o.interval);
        if (!interval) return fmt::format("-si: expected [[HH:]MM:]SS, found '{}'", o.interval);
        seconds = (std::uint64_t{interval->hours} * 60 + interval->minutes) * 60 + interval->seconds;
        constexpr std::uint64_t most_seconds = 1'000'000;
        if (seconds == 0 || seconds > most_seconds)
            return fmt::format("-si: expected a time from 1 to {} seconds, found '{}'", most_seconds, o.interval);
    }
    // The first sample gives no rates and is not shown.
    arguments.insert(arguments.end(), {"--interval", std::to_string(seconds), "--from", "1"});
    if (!o.count.empty()) {
        std::uint64_t count = 0;
        constexpr std::uint64_t most = 99'999'999;
        if (std::string wrong = read_number("-sc", std::optional(o.count), 1, most, count); !wrong.empty())
            return wrong;
        arguments.insert(arguments.end(), {"--count", std::to_string(count + 1)});
    }
    for (const std::string& path : o.common.words) arguments.insert(arguments.end(), {"--path", path});
    for (const std::string& file : o.common.counter_files) arguments.insert(arguments.end(), {"--cf", file});
    if (std::ranges::none_of(o.common.passed, [](const std::string& word) { return word.starts_with("--tz"); }))
        arguments.insert(arguments.end(), {"--tz", "local"});
    return add_format(o.common, "csv", arguments);
}

/// Returns why an option has no effect if the counters are only listed; empty if all have one.
std::string check_listing(const TypeperfCommand& o) {
    const std::string_view lists = o.counters ? "-q" : "-qx";
    if (o.counters && o.instances) return "-q and -qx cannot be combined";
    const std::pair<std::string_view, bool> options[] = {{"-si", !o.interval.empty()},
                                                         {"-sc", !o.count.empty()},
                                                         {"-f", !o.common.format.empty()},
                                                         {"-cf", !o.common.counter_files.empty()}};
    for (const auto& [option, is_given] : options)
        if (is_given) return fmt::format("{} cannot be combined with {}", option, lists);
    if (!o.common.words.empty())
        return fmt::format("expected one object for {}, found '{}', too", lists, o.common.words.front());
    po::options_description machine;
    LiveOptions live;
    describe_live(machine, live);
    for (const std::string& word : o.common.passed) {
        const std::string name = word.substr(2, word.find('=') - 2);
        if (machine.find_nothrow(name, false) == nullptr)
            return fmt::format("--{} cannot be combined with {}", name, lists);
    }
    return {};
}

/// Writes the counter paths of the machine, each once.
Exit list_counters(const TypeperfCommand& o) {
    ReplayCommand replay;
    replay.subcommand = "typeperf";
    Strings arguments = machine_arguments(o);
    arguments.insert(arguments.end(), {"--count", "1"});
    if (const auto done = read_replay(arguments, replay)) return *done;
    if (const std::string wrong = check_listing(o); !wrong.empty()) return usage_error("typeperf", wrong);
    OutputFile file("typeperf", o.common.output);
    if (!file.open()) return exit_of(Cause::unwritable);
    Diagnostics diagnostics;
    Overview overview = summarize(std::make_unique<LiveInput>(replay.input.live, diagnostics),
                                  {.limits = replay.how.limits, .paths = true}, diagnostics);
    const std::string object = o.counters.value_or(o.instances.value_or(""));
    if (!object.empty())
        std::erase_if(overview.objects, [pattern = Pattern(object)](const Overview::Object& found) {
            return !pattern.matches(found.path_name);
        });
    for (Overview::Object& listed : overview.objects) {
        listed.machine.clear();
        if (o.counters && listed.is_list)
            for (Overview::Object::Part& part : listed.parts) part.instances = {"*"};
    }
    std::unordered_set<std::string> written;
    std::string out;
    visit_paths(overview, [&](std::string_view path) {
        if (!written.emplace(path).second) return true;
        append_printable(out, path);
        out += '\n';
        return written.size() < replay.how.limits.series;
    });
    file.write(out);
    Exit found = report_faults(replay.input, diagnostics, overview.samples);
    if (found == Exit::good && written.empty())
        found = usage_error("typeperf", fmt::format("the machine has no object '{}'", object));
    return file.finish(found, is_complete(found, overview.samples), {});
}

}  // namespace

Description describe_typeperf() {
    TypeperfCommand o;
    return {typeperf_help, describe(o)};
}

Exit typeperf(const Strings& arguments) {
    TypeperfCommand o;
    if (const auto done = read_typeperf(arguments, o)) return *done;
    if (const std::string wrong = check_files(o.common); !wrong.empty()) return usage_error("typeperf", wrong);
    if (!may_overwrite(o.common)) return exit_of(Cause::kept_output);
    const bool to_console = o.common.output.empty();
    Exit found = Exit::good;
    if (o.counters || o.instances) {
        found = list_counters(o);
    } else {
        Strings replay_arguments;
        if (const std::string wrong = translate(o, replay_arguments); !wrong.empty())
            return usage_error("typeperf", wrong);
        ReplayCommand replay;
        replay.subcommand = "typeperf";
        replay.database_option = "-f SQL";
        if (const auto done = read_replay(replay_arguments, replay)) return *done;
        replay.write.console = to_console;
        std::string begin = to_console ? "\n" : "";
        write_out(begin);
        found = run_replay(replay);
    }
    if (found != Exit::good) return found;
    std::string end = "\n" + std::string(completed);
    write_out(end);
    return found;
}

}  // namespace hkpd::command
