#include <fmt/format.h>

#include <utility>

#include "commands/overview_instead.hpp"
#include "commands/sample_run.hpp"
#include "flags/format_option.hpp"
#include "flags/input_options.hpp"
#include "flags/jobs_option.hpp"
#include "flags/shared_options.hpp"
#include "flags/time_options.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "hkpd/write.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/cause.hpp"
#include "terminal/host.hpp"
#include "terminal/input_list.hpp"
#include "terminal/output_file.hpp"

namespace hkpd::command {
namespace {

struct DumpOptions {
    InputOptions input;
    TimeOptions times;
    std::string format_name, output, color = "auto";
    std::optional<std::int64_t> sample;
    bool help_text = false, types = false, all = false, file_column = false;
    // Set by `take_options` from the members above.
    Format format{};
    bool overview_only = false;  // nothing was selected, and everything would flood the terminal
    bool to_terminal = false;    // standard output is a terminal, and the dump goes there
    ReaderOptions how{.compare = false};
    Filter filter;
};

po::options_description describe(DumpOptions& o) {
    po::options_description shown;
    describe_inputs(shown, o.input);
    describe_interface(shown, o.input);
    describe_range(shown, o.times);
    describe_zone(shown, o.times);
    describe_format(shown, o.format_name, format_names(&FormatSpec::has_raw));
    describe_file_column(shown, o.file_column);
    describe_output(shown, o.output);
    describe_all(shown, o.all);
    describe_color(shown, o.color);
    describe_jobs(shown, o.input);
    auto add = shown.add_options();
    add("sample", po::value<std::int64_t>()->value_name("N")->notifier([&o](std::int64_t n) { o.sample = n; }),
        "only this sample, counted from 0");
    add("types", po::bool_switch(&o.types), "text: show counter types");
    add("help-text", po::bool_switch(&o.help_text), "show the help texts of objects and counters");
    return shown;
}

constexpr HelpText dump_help{
    .question = "Which raw numbers did Windows store, and what are they numbers of?",
    .usage = "[OPTION]... INPUT...\n[OPTION]... --v2 FILE [--registration FILE]...\n[OPTION]... --live",
    .prose =
        "Shows the contents of performance data blocks. INPUT is a file of one or more blobs, a capture, a Windows "
        "performance log (.blg, .csv, .tsv, text of Get-Counter), one of these in .gz, .zst or .zip, a directory of "
        "such files, or - for standard input; --v2 takes data returned by the PerfLib functions.",
    .usual = "path cf object instance counter from to format output all tz",
    .examples =
        "hkpd dump perf.blg --object Memory --to 0\n"
        "hkpd dump run.mcap --path '\\Processor(_Total)\\*' --sample 0\n"
        "hkpd dump --v2 data.bin --registration counterset.bin --registration names.bin\n"
        "hkpd dump blobs/ --titles counter009.reg --path '\\Process(svchost*)\\ID Process'\n"
        "hkpd dump run.mcap --from 10:00 --to 10:05 --object Memory\n"
        "hkpd dump --live --object Processor\n"
        "hkpd dump - --format jsonl < run.mcap | jq .raw\n",
    .details = "Text has colours for damaged and missing values: by default on terminals, unless NO_COLOR is set.\n",
    .input_details = log_details,
    .shared_details = time_details};

/// Returns the options of the writer.
WriteOptions write_options(const DumpOptions& o) {
    WriteOptions how{.help_text = o.help_text, .type_names = o.types, .width = output_width()};
    how.color = use_color(o.color, o.to_terminal);
    how.names = o.how.limits.names;
    how.zone = o.times.zone;
    how.log_zone = o.times.log_zone;
    return how;
}

Exit run(DumpOptions& o, OutputFile& file) {
    SampleRun run{.request = {"dump", o.input, o.times, o.sample}, .how = o.how};
    run.run.filter = o.filter;
    run.run.cooks = false;
    run.run.make_writer = [&o, how = write_options(o)](Reader& reader, Diagnostics& diagnostics, const Sink& drain) {
        WriteOptions part = how;
        if (o.file_column) use_file_column(part, diagnostics);
        part.titles = &reader.titles();
        part.drain = drain;
        return make_writer(o.format, part);
    };
    run.run.count_values = [](const Sample&, const Selected& part) { return part.rows.size() * part.columns.size(); };
    run.run.before_end = report_no_raw_values;
    return run_samples(run, file);
}

/// Checks the options, and sets the members of `o` that depend on them. Returns the error message; empty on success.
std::string take_options(DumpOptions& o) {
    if (std::string wrong = make_filter(o.input, o.filter); !wrong.empty()) return wrong;
    if (std::string wrong = check_inputs(o.input, o.how.limits); !wrong.empty()) return wrong;
    if (std::string wrong = check_zone(o.times); !wrong.empty()) return wrong;
    if (std::string wrong = check_range(o.times, o.input); !wrong.empty()) return wrong;
    if (o.sample && is_ranged(o.times)) return "--sample cannot be combined with --from and --to";
    if (o.sample && *o.sample < 0) return "--sample: expected a number of at least 0";
    if (o.sample) o.how.range.first = o.how.range.last = static_cast<std::uint64_t>(*o.sample);
    if (std::string wrong = check_output(o.input, o.output); !wrong.empty()) return wrong;
    o.format = format_of(o.format_name).value_or(Format::table);
    if (std::string wrong = check_file_column(o.file_column, o.format, true); !wrong.empty()) return wrong;
    o.to_terminal = (o.output.empty() || o.output == "-") && output_is_terminal();
    o.overview_only = o.to_terminal && o.format_name.empty() && !o.all && !o.sample && !is_ranged(o.times) &&
                      shows_everything(o.input);
    return check_jobs(o.input, o.format);
}

}  // namespace

Description describe_dump() {
    DumpOptions o;
    return {dump_help, describe(o)};
}

Exit dump(const Strings& arguments) {
    DumpOptions options;
    if (const auto done = parse_options("dump", arguments, describe(options), options.input.inputs, dump_help))
        return *done;
    if (const auto failed = take_inputs("dump", options.input.inputs, options.input.recursive)) return *failed;
    if (const auto failed = read_path_files("dump", options.input)) return *failed;
    if (const std::string wrong = take_options(options); !wrong.empty()) return usage_error("dump", wrong);
    if (options.overview_only) return overview_instead("dump", options.input);
    OutputFile file("dump", options.output);
    if (!file.open()) return exit_of(Cause::unwritable);
    return run(options, file);
}

}  // namespace hkpd::command
