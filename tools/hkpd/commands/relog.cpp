// The subcommand `hkpd relog`: the arguments and the output of Windows' relog, as learn.microsoft.com documents them.
// It translates the arguments to those of `hkpd replay` and `hkpd info`.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "commands/info.hpp"
#include "flags/replay_options.hpp"
#include "flags/windows_options.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/overview.hpp"
#include "hkpd/select.hpp"
#include "hkpd/time.hpp"
#include "hkpd/write.hpp"
#include "terminal/cause.hpp"
#include "terminal/input_file.hpp"
#include "terminal/input_list.hpp"
#include "terminal/output_file.hpp"

namespace hkpd::command {
namespace {

constexpr HelpText relog_help{
    .question = "How is a log converted, filtered or thinned out, as scripts for relog do?",
    .usage = "FILE... [-q] [-c PATH...] [-cf FILE] [-f csv|tsv|SQL -o FILE] [-t N]\n[-b TIME] [-e TIME] ...",
    .prose =
        "Takes the arguments of Windows' relog: shows what is in a performance log, and writes it in another format. "
        "Run by the name relog (as a link to hkpd), it is this subcommand. Options begin with - or /, in any letter "
        "case. TIME is M/D/YYYY [[HH:]MM:]SS in the time zone of the log. Options of hkpd replay may be added in the "
        "form --name=value.",
    .usual = "",
    .examples =
        "hkpd relog perf.blg -q\n"
        "hkpd relog perf.blg -f csv -o perf.csv -y\n"
        "hkpd relog perf.blg -c '\\Memory\\*' -t 4 -f tsv -o memory.tsv -y\n"
        "ln -s \"$(command -v hkpd)\" ~/.local/bin/relog\n",
    .style = OptionStyle::windows};

struct RelogCommand {
    WindowsOptions common;
    Strings counters, begin, end;
    std::optional<std::string> every;
    bool query = false, append = false;
};

po::options_description describe(RelogCommand& o) {
    po::options_description shown;
    auto add = shown.add_options();
    add("q", po::bool_switch(&o.query)->default_value(o.query), "list the counters of the logs, one path per line");
    add("c", po::value(&o.counters)->multitoken()->value_name("PATH"), "only these counters");
    describe_windows_options(shown, o.common, "csv|tsv|SQL");
    add("t", text_option(o.every, "N"), "only every Nth sample");
    add("b", po::value(&o.begin)->multitoken()->value_name("TIME"), "begin at the first sample at or after this time");
    add("e", po::value(&o.end)->multitoken()->value_name("TIME"), "end at the last sample at or before this time");
    add("a", po::bool_switch(&o.append)->default_value(o.append),
        "csv, tsv: add to the output if its counters are the same");
    return shown;
}

/// Takes the words of a time from the words that an option was given, as the time need not be quoted. The other words
/// are files. Returns the time; empty if there is none.
std::string take_time(Strings& words, Strings& files) {
    std::string text;
    std::size_t used = 0;
    const auto is_clock = [](std::string_view word) {
        return word.find_first_not_of("0123456789:.aApPmM") == std::string_view::npos;
    };
    for (; used < words.size() && (used == 0 || is_clock(words[used])); ++used)
        text += (used == 0 ? "" : " ") + words[used];
    files.insert(files.end(), words.begin() + static_cast<std::ptrdiff_t>(used), words.end());
    return text;
}

/// Converts a time of relog to a time of `hkpd replay`, in which two numbers are hours and minutes: the result for
/// `5/14/2024 9:30` is `5/14/2024 0:09:30`. Returns other texts unchanged; `hkpd replay` then reports them.
std::string time_for_replay(const std::string& text) {
    const std::size_t blank = text.find(' ');
    if (blank == std::string::npos) return text;
    std::string clock = text.substr(blank + 1), half;
    if (const std::size_t letter = clock.find_first_of("aApP"); letter != std::string::npos) {
        half = clock.substr(letter);
        clock.resize(clock.find_last_not_of(' ', letter - 1) + 1);
    }
    const auto parts = parse_clock_time(clock);
    if (!parts) return text;
    return fmt::format("{} {}:{:02}:{:02}{}", text.substr(0, blank), parts->hours, parts->minutes, parts->seconds,
                       half);
}

/// Reads the arguments. Returns an exit code if help was shown or the arguments are wrong.
std::optional<Exit> read_relog(const Strings& arguments, RelogCommand& o) {
    const Strings own = take_passed(arguments, o.common.passed);
    if (const auto done = parse_options("relog", own, describe(o), o.common.words, relog_help)) return done;
    if (!o.common.settings.empty()) {
        const auto settings = read_settings("relog", o.common.settings, o.common.words);
        if (!settings) return exit_of(Cause::unreadable);
        if (!settings->takes_words && !o.common.words.empty()) return usage_error("relog", unused_words(o.common));
        o.common.words.clear();
        if (const auto done = parse_options("relog", settings->arguments, describe(o), o.common.words, relog_help))
            return done;
    }
    if (const auto failed = take_inputs("relog", o.common.words, false)) return failed;
    if (o.common.words.empty()) return usage_error("relog", "no log file was given");
    return std::nullopt;
}

/// Returns why an option of the conversion has no effect; empty if all have one: the output is missing, or the logs are
/// only listed.
std::string check_effects(const RelogCommand& o) {
    const std::pair<std::string_view, bool> options[] = {{"-c", !o.counters.empty()},
                                                         {"-cf", !o.common.counter_files.empty()},
                                                         {"-f", !o.common.format.empty()},
                                                         {"-t", o.every.has_value()},
                                                         {"-b", !o.begin.empty()},
                                                         {"-e", !o.end.empty()},
                                                         {"-a", o.append}};
    const bool listed = o.query || o.common.output.empty();
    const std::string_view reason = o.query ? "cannot be combined with -q" : "requires -o FILE, the output";
    for (const auto& [option, is_given] : options)
        if (is_given && listed) return fmt::format("{} {}", option, reason);
    if (listed && !o.common.passed.empty()) return fmt::format("{} {}", o.common.passed.front(), reason);
    return {};
}

/// Adds an end of the range to the arguments of `hkpd replay`. Returns the error message; empty on success.
std::string add_time(std::string_view option, Strings& words, Strings& files, const char* name, Strings& arguments) {
    if (words.empty()) return {};
    const std::string text = take_time(words, files);
    const std::string time = time_for_replay(text);
    const auto stated = parse_stated_time(time);
    if (!stated || stated->kind == StatedTime::Kind::before_end)
        return fmt::format("{}: expected M/D/YYYY [[HH:]MM:]SS, found '{}'", option, text);
    arguments.insert(arguments.end(), {name, time});
    return {};
}

/// Fills the arguments of `hkpd replay`. Returns the error message; empty on success.
std::string translate(RelogCommand& o, Strings& replay_arguments) {
    const auto add = [&replay_arguments](const char* option, const std::string& value) {
        replay_arguments.insert(replay_arguments.end(), {option, value});
    };
    if (std::string wrong = add_time("-b", o.begin, o.common.words, "--from", replay_arguments); !wrong.empty())
        return wrong;
    if (std::string wrong = add_time("-e", o.end, o.common.words, "--to", replay_arguments); !wrong.empty())
        return wrong;
    std::uint64_t every = 1;
    constexpr std::uint64_t most = 999'999'999;
    if (std::string wrong = read_number("-t", o.every, 1, most, every); !wrong.empty()) return wrong;
    add("--every", std::to_string(every));
    for (const std::string& path : o.counters) {
        if (!CounterPath::parse(path)) return "-c: " + not_a_path(path);
        add("--path", path);
    }
    for (const std::string& file : o.common.counter_files) add("--cf", file);
    replay_arguments.insert(replay_arguments.end(), o.common.passed.begin(), o.common.passed.end());
    std::string wrong = add_format(o.common, "bin", replay_arguments);
    replay_arguments.emplace_back("--");
    replay_arguments.insert(replay_arguments.end(), o.common.words.begin(), o.common.words.end());
    return wrong;
}

/// Appends the times of the first and the last sample in the zone of the log, and the number of samples, as relog does.
void append_span(std::string& out, const Overview& overview) {
    const auto append = [&out](std::string_view head, std::int64_t time, const std::optional<TimeZone>& zone) {
        const SystemTime local = local_time(system_time_at(time), zone ? -60 * zone->bias : 0);
        out += fmt::format("{:<10}{}/{}/{} {}:{:02}:{:02}\n", head, local.month, local.day, local.year, local.hour,
                           local.minute, local.second);
    };
    if (overview.time) {
        append("Begin:", overview.time->from, overview.zone);
        append("End:", overview.time->to, overview.zone_at_end);
    }
    out += fmt::format("{:<10}{}\n", "Samples:", overview.samples);
}

/// Shows what relog shows of its input. Returns the exit code for the faults that were found. With `redact`, names of
/// files are those of the output.
Exit show_input(const RelogCommand& o, const RedactChoice& redact) {
    std::string out = "\nInput\n----------------\nFile(s):\n";
    std::string spans;
    Diagnostics diagnostics;
    for (const std::string& file : o.common.words) {
        const Overview overview = summarize(file, {}, diagnostics);
        out += "     ";
        append_printable(out, shown_input(redact, file));
        out += overview.kind == InputKind::text_log ? " (Text)\n" : " (Binary)\n";
        spans += '\n';
        append_span(spans, overview);
    }
    out += spans + '\n';
    if (cause_of(diagnostics) != Cause::unreadable) write_out(out);
    if (redact.names) redact_diagnostics(diagnostics, {}, 0, *redact.names);
    return report(diagnostics, Verbosity::faults);
}

/// Lists the counters of the logs, on standard output or in the file of -o.
Exit list_counters(const RelogCommand& o) {
    OutputFile file("relog", o.common.output);
    if (!file.open()) return exit_of(Cause::unwritable);
    Exit found = Exit::good;
    const OverviewOptions how{.all = true, .paths = true};
    for (const std::string& input : o.common.words) {
        Diagnostics diagnostics;
        const Overview overview = summarize(input, how, diagnostics);
        write_paths(overview, how.limits, [&file](std::string& text) { file.write(text); }, diagnostics);
        found = std::max(found, report(diagnostics, Verbosity::first_fault));
    }
    return file.finish(found, is_complete(found, 0), {});
}

/// Writes the output as `hkpd replay` does. `appends`: a new file is written, and its rows are added to `target`.
Exit write_output(const RelogCommand& o, ReplayCommand& replay, const std::string& target, bool appends) {
    if (!o.append && !may_overwrite(o.common)) return exit_of(Cause::kept_output);
    const Exit found = run_replay(replay);
    if (!appends || !is_file(o.common.output)) return found;
    const std::string wrong = append_rows(o.common.output, target);
    if (wrong.empty()) return found;
    return end_with("relog", Cause::kept_output, wrong);
}

/// Shows what relog shows of its output. Only a file is read again: a pipe would wait for what it has passed on.
void show_output(const std::string& path, bool is_text) {
    std::string out = "Output\n----------------\nFile:     ";
    append_printable(out, path);
    out += "\n\n";
    Diagnostics diagnostics;
    if (is_text && is_file(path)) append_span(out, summarize(path, {}, diagnostics));
    write_out(out);
}

}  // namespace

Description describe_relog() {
    RelogCommand o;
    return {relog_help, describe(o)};
}

Exit relog(const Strings& arguments) {
    RelogCommand o;
    if (const auto done = read_relog(arguments, o)) return *done;
    const std::string output = o.common.output;
    const bool converts = !o.query && !output.empty(), is_text = !writes_sql(o.common);
    const bool appends = converts && o.append && is_text && is_file(output);
    // Wrong arguments are reported before anything is shown.
    if (const std::string wrong = check_effects(o); !wrong.empty()) return usage_error("relog", wrong);
    if (const std::string wrong = check_files(o.common); !wrong.empty()) return usage_error("relog", wrong);
    if (appends) o.common.output += ".append";
    if (appends && is_file(o.common.output))
        return end_with(
            "relog", Cause::kept_output,
            fmt::format("'{}', in which rows are written first, exists: move or remove it", o.common.output));
    ReplayCommand replay;
    replay.subcommand = "relog";
    replay.database_option = "-f SQL";
    if (converts) {
        Strings for_replay;
        if (const std::string wrong = translate(o, for_replay); !wrong.empty()) return usage_error("relog", wrong);
        if (const auto done = read_replay(for_replay, replay)) return *done;
    }
    if (o.query && !output.empty() && !may_overwrite(o.common)) return exit_of(Cause::kept_output);
    Exit found = show_input(o, replay.input.redact);
    if (found > Exit::damaged) return found;
    if (o.query) found = list_counters(o);
    if (converts) {
        found = write_output(o, replay, output, appends);
        if (found <= Exit::damaged) show_output(output, is_text);
    }
    if (found > Exit::damaged) return found;
    std::string end = "\n" + std::string(completed);
    write_out(end);
    return found;
}

}  // namespace hkpd::command
