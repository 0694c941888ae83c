#include "flags/replay_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "commands/overview_instead.hpp"
#include "flags/format_option.hpp"
#include "flags/jobs_option.hpp"
#include "flags/shared_options.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/cause.hpp"
#include "terminal/host.hpp"
#include "terminal/input_file.hpp"
#include "terminal/input_list.hpp"
#include "terminal/output_file.hpp"

namespace hkpd::command {
namespace {

constexpr HelpText replay_help{
    .question = "Which values would PerfMon show, at each moment or as statistics?",
    .usage = "[OPTION]... INPUT...\n[OPTION]... --v2 FILE... [--registration FILE]...\n[OPTION]... --live",
    .prose =
        "Shows the samples of a run in order with cooked values, computed from consecutive samples as in relog and "
        "PerfMon. INPUT is a capture, a Windows performance log (.blg, .csv, .tsv, text of Get-Counter), a file of "
        "blobs, one of these in .gz, .zst or .zip, a directory of such files, or - for standard input.",
    .usual = "path cf object from to format output summary all tz live",
    .examples =
        "hkpd replay perf.blg --path '\\Memory\\Available*Bytes'\n"
        "hkpd replay perf.blg --summary --sort slope --top 10\n"
        "hkpd replay perf.blg --format pdh-csv -o perf.csv\n"
        "hkpd replay run.mcap --format sqlite --bucket 1min -o perf.db\n"
        "hkpd replay run.mcap -cf counters.txt --format pdh-csv --tz Europe/London -o run.csv\n"
        "hkpd replay --jobs 2 --format jsonl --file-column mon.blg tue.blg\n"
        "hkpd replay --live --path '\\Processor(_Total)\\% Processor Time'\n"
        "hkpd replay --live --interval 15 --object Processor --textfile C:\\metrics\\hkpd.prom\n",
    .details =
        "On terminals, without --format, replay shows a timeline if the counters fit into a line. A timeline has one "
        "line per sample and one column per counter and instance. It marks a missing value with ! and states the "
        "reason after the last column; its columns are labelled with the shortest parts of the counter paths that "
        "distinguish them. In all text, damaged and missing values have colours: by default on terminals, unless "
        "NO_COLOR is set.\n"
        "Text, timeline, pdh-csv and pdh-tsv show local time, csv only with --tz; json, jsonl, openmetrics and sqlite "
        "always have UTC.\n"
        "pdh-csv, pdh-tsv, timeline, openmetrics, sqlite, --summary and --bucket show one interface of each machine, "
        "V1 or V2: that of its first sample, unless --source selects another. --v2 takes data returned by the PerfLib "
        "functions.\n"
        "--summary has the number of values, the first, last, min, mean, p50, p95, p99, max, the standard deviation, "
        "delta (last - first), the slope per hour, and the average: the formula over the first and last sample. "
        "Percentiles are interpolated as in Excel's PERCENTILE. They are exact unless marked '~' (percentile_error): "
        "with very many values their error is 0.8 %, then more. Narrow terminals show fewer columns of a summary. "
        "--sort and --top order and limit its lines.\n"
        "--bucket begins at multiples of LENGTH in UTC, or in the zone of --tz. Missing values do not count. If the "
        "times of samples go back, csv and jsonl can have several lines of one interval.\n"
        "A file of --output is written under a temporary name, and replaces FILE when it is complete. With --format "
        "sqlite, samples are added to the database FILE, which is created with the first sample of the run if it does "
        "not exist. The run ends if another program locks the database for a minute.\n",
    .input_details = log_details,
    .shared_details = time_details,
    .redact_details = redact_details};

po::options_description describe(ReplayCommand& o) {
    po::options_description shown;
    describe_inputs(shown, o.input);
    describe_interface(shown, o.input);
    describe_range(shown, o.times);
    describe_zone(shown, o.times);
    describe_format(shown, o.format_name, format_names([](const FormatSpec&) { return true; }));
    describe_file_column(shown, o.file_column);
    describe_output(shown, o.output);
    describe_summary(shown, o.statistics);
    describe_all(shown, o.all);
    describe_color(shown, o.color);
    describe_textfile(shown, o.textfile);
    describe_jobs(shown, o.input);
    describe_redact(shown, o.input.redact);
    auto add = shown.add_options();
    add("every", po::value(&o.every)->value_name("N"), "only every Nth sample; values are computed from these alone");
    add("summary", po::bool_switch(&o.summary), "statistics of each counter and instance, one line each");
    const auto add_for_formats = [&add](const std::string& name, const po::value_semantic* value, const char* text) {
        add(name.c_str(), value, help_of_formats(name, text).c_str());
    };
    add_for_formats("bucket", text_option(o.statistics.bucket, "LENGTH"),
                    "count, min, mean and max of each LENGTH of time, such as 30s, 1min, 1h or 1d");
    add_for_formats("name", po::value(&o.write.run_name)->value_name("TEXT"),
                    "name of the added samples in the database (DisplayString); default: name of the first input "
                    "file, otherwise of the machine");
    add("raw", po::bool_switch(&o.raw), "show raw values instead of cooked ones; sqlite: store raw values, too");
    add("cap", po::bool_switch(&o.how.cook.cap),
        "limit percentages to 100, as PDH does; each limited value is marked 'capped'");
    add("no-cap", po::bool_switch(&o.no_cap), "do not limit percentages to 100 (default)");
    add("clamp", po::bool_switch(&o.how.cook.clamp), "show 0 for counters that ran backwards");
    add("unwrap", po::bool_switch(&o.how.cook.unwrap), "assume that 32-bit counters that ran backwards wrapped once");
    add("scale", po::bool_switch(&o.how.cook.scale),
        "multiply by 10 to the power of DefaultScale, as the PerfMon graph does");
    add("multi-timer", choice(o.multi_timer, "sdk learn pdh"),
        "formula of multi timers, of the Windows SDK, learn.microsoft.com or PDH (default sdk)");
    add_for_formats("cooked", po::bool_switch(&o.write.cooked_gauges),
                    "cooked values as gauges instead of raw counters");
    add_for_formats("metric-prefix", text_option(o.metric_prefix, "PREFIX"),
                    "prefix of metric names (default hkpd_): letters, digits, _ and :, no leading digit");
    add_for_formats("crlf", po::bool_switch(&o.write.crlf), "end lines with CRLF");
    add("speed", po::value<double>()->value_name("N")->notifier([&o](double n) { o.speed = n; }),
        "wait between samples: replay at N times the recorded speed (default: do not wait)");
    return shown;
}

/// Returns an exit code if a title file that the options name does not exist, and reports this file. Returns none if
/// all exist. Without the titles, a database or Prometheus would store numbers instead of names forever.
std::optional<Exit> require_titles(const ReplayCommand& o) {
    for (const std::string& path : o.input.titles) {
        if (!exists(path)) return end_with(o.subcommand, Cause::unreadable, path, "no such file");
    }
    return std::nullopt;
}

/// Checks the output file and the options for `--format sqlite`, and sets the default name of the run. Returns the
/// error message; empty on success.
std::string take_output(ReplayCommand& o) {
    const FormatSpec& row = spec_of(o.format);
    if (!o.output.empty() && o.textfile.path) return "--output and --textfile cannot be combined";
    if (std::string wrong = check_output(o.input, o.output); !wrong.empty()) return wrong;
    if (!row.needs_file && !o.output.empty() && is_database(o.output))
        return fmt::format("'{}' is a database, to which only {} adds", o.output, o.database_option);
    if (!o.write.run_name.empty() && !has_option(row, "name")) return requires_format("name");
    if (!row.needs_file) return {};
    if (o.output.empty()) return fmt::format("--format {} requires -o FILE, the database", row.name);
    if (o.output == "-") return "-o: expected the file name of a database, found '-'";
    o.write.database = o.output;
    o.write.raw_values = o.raw;
    const Strings& inputs = o.input.inputs;
    if (o.write.run_name.empty() && !inputs.empty() && inputs.front() != "-")
        o.write.run_name = shown_input(o.input.redact, file_name(inputs.front()));
    const bool arrives_over_time = o.speed || inputs.empty() || !std::ranges::all_of(inputs, is_stored);
    if (!arrives_over_time) o.write.commit_after = std::chrono::milliseconds(250);
    return {};
}

/// Checks the prefix of metric names, and stores it in `o.write`. Returns the error message; empty on success.
std::string take_metric_prefix(ReplayCommand& o) {
    if (!o.metric_prefix) return {};
    if (!has_option(spec_of(o.format), "metric-prefix")) return requires_format("metric-prefix") + " or --textfile";
    if (!is_metric_prefix(*o.metric_prefix))
        return fmt::format(
            "--metric-prefix: expected letters (a-z, A-Z), digits, _ and : without a leading digit, found '{}'",
            *o.metric_prefix);
    o.write.metric_prefix = *o.metric_prefix;
    return {};
}

/// Returns what is wrong with `--speed`; empty if nothing.
std::string check_speed(const ReplayCommand& o) {
    if (!o.speed) return {};
    if (!(*o.speed > 0 && std::isfinite(*o.speed))) return "--speed: expected a number above 0";
    if (spec_of(o.format).syntax == FormatSpec::Syntax::openmetrics && !o.textfile.path)
        return "--speed cannot be combined with --format openmetrics, whose output is sorted";
    return o.input.jobs ? "--speed and --jobs cannot be combined" : "";
}

/// Determines what is shown on a terminal.
void take_terminal(ReplayCommand& o) {
    const bool standard_output = (o.output.empty() || o.output == "-") && !o.textfile.path;
    o.to_terminal = standard_output && output_is_terminal();
    const bool chooses = o.to_terminal && o.format_name.empty() && !o.summary;
    o.for_terminal = chooses && !o.input.jobs;
    o.overview_only =
        chooses && !o.all && !o.input.redact.wanted && !is_ranged(o.times) && o.every == 1 && shows_everything(o.input);
    constexpr std::size_t one_line_each = 100'000;  // for a summary: each series on one line, for grep
    o.write.width = o.summary ? output_width(one_line_each) : output_width();
    o.write.height = o.to_terminal ? output_height() : 0;
    o.write.color = use_color(o.color, o.to_terminal);
}

/// Checks the options that only replay has, and sets the members of `o` that depend on them. Returns the error message;
/// empty on success.
std::string take_options(ReplayCommand& o) {
    take_terminal(o);
    if (o.format_name.empty()) o.format_name = o.textfile.path ? "openmetrics" : "text";
    o.format = format_of(o.format_name).value_or(Format::table);
    const FormatSpec& row = spec_of(o.format);
    if (std::string wrong = check_zone(o.times); !wrong.empty()) return wrong;
    if (std::string wrong = check_range(o.times, o.input); !wrong.empty()) return wrong;
    o.write.zone = o.times.zone;
    o.write.log_zone = o.times.log_zone;
    if (o.every < 1) return "--every: expected a number above 0";
    o.how.every = static_cast<std::uint64_t>(o.every);
    if (o.write.crlf && !has_option(row, "crlf")) return requires_format("crlf");
    if (o.write.cooked_gauges && !has_option(row, "cooked")) return requires_format("cooked");
    if (std::string wrong = take_metric_prefix(o); !wrong.empty()) return wrong;
    if (o.raw && row.raw == FormatSpec::Raw::by_default)
        return fmt::format("--raw cannot be combined with --format {}, which has raw counters by default", row.name);
    if (std::string wrong = check_speed(o); !wrong.empty()) return wrong;
    if (o.multi_timer == "learn")
        o.how.cook.multi_timer = MultiTimer::learn;
    else if (o.multi_timer == "pdh")
        o.how.cook.multi_timer = MultiTimer::pdh;
    if (o.summary && o.raw) return "--summary and --raw cannot be combined";
    if (o.summary && !row.has_summary)
        return fmt::format("--summary: expected format {}, found {}", one_of(format_names(&FormatSpec::has_summary)),
                           row.name);
    if (std::string wrong = check_textfile(o.textfile, o.input, o.format); !wrong.empty()) return wrong;
    if (o.summary && o.input.jobs) return "--jobs and --summary cannot be combined";
    if (!o.summary && (!o.statistics.sort.empty() || o.statistics.top)) return "--sort and --top require --summary";
    SummaryOptions& lines = o.summary_options;
    if (std::string wrong = read_summary(o.statistics, lines.sort, lines.top); !wrong.empty()) return wrong;
    if (o.summary && o.statistics.bucket) return "--summary and --bucket cannot be combined";
    if (std::string wrong = read_bucket(o.statistics, o.format, o.raw, o.write); !wrong.empty()) return wrong;
    if (o.statistics.bucket && o.input.jobs) return "--bucket and --jobs cannot be combined";
    if (std::string wrong = take_output(o); !wrong.empty()) return wrong;
    if (std::string wrong = check_file_column(o.file_column, o.format, !o.summary && !o.statistics.bucket);
        !wrong.empty())
        return wrong;
    // In a summary, and in formats that match instances over all samples, a counter that is in both V1 and V2 would
    // appear twice under the same name. Unless --source selects a source, only one source is read for each machine.
    o.how.one_source = (o.summary || o.statistics.bucket || row.needs_run) && !o.input.only;
    if (o.how.cook.cap && o.no_cap) return "--cap and --no-cap cannot be combined";
    o.write.cooked = !o.raw || row.raw != FormatSpec::Raw::instead;
    return {};
}

}  // namespace

Description describe_replay() {
    ReplayCommand o;
    return {replay_help, describe(o)};
}

std::optional<Exit> read_replay(const Strings& arguments, ReplayCommand& o) {
    if (const auto done = parse_options(o.subcommand, arguments, describe(o), o.input.inputs, replay_help)) return done;
    if (const auto failed = prepare_redaction(o.subcommand, o.input.redact)) return failed;
    if (const auto failed = take_inputs(o.subcommand, o.input.inputs, o.input.recursive)) return failed;
    if (const std::string wrong = take_options(o); !wrong.empty()) return usage_error(o.subcommand, wrong);
    if (const auto failed = read_path_files(o.subcommand, o.input)) return failed;
    if (const auto failed = require_titles(o)) return failed;
    if (const std::string wrong = make_filter(o.input, o.filter); !wrong.empty())
        return usage_error(o.subcommand, wrong);
    if (const std::string wrong = check_inputs(o.input, o.how.limits); !wrong.empty())
        return usage_error(o.subcommand, wrong);
    if (const std::string wrong = check_jobs(o.input, o.format); !wrong.empty())
        return usage_error(o.subcommand, wrong);
    if (o.speed && o.input.live.any())
        return usage_error(o.subcommand, "--speed applies to files: use --interval for a machine");
    use_limits(o.write, o.how.limits);
    return std::nullopt;
}

}  // namespace hkpd::command
