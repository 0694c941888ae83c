#include <fmt/format.h>

#include <utility>

#include "commands/overview_instead.hpp"
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
#include "terminal/host.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

struct DumpOptions {
    InputOptions input;
    TimeOptions times;
    std::string format_name, output, color = "auto";
    std::optional<std::int64_t> sample;
    bool help_text = false, types = false, all = false;
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
    .usage = "[OPTION]... INPUT...\n[OPTION]... --v2 FILE [--registration FILE]...\n[OPTION]... --live",
    .prose =
        "Shows the contents of performance data blocks. INPUT is a file of one or more blobs, a capture, a Windows "
        "performance log (.blg, .csv, .tsv), one of these in .gz, .zst or .zip, a directory of such files, or - for "
        "standard input; --v2 takes data returned by the PerfLib functions.",
    .usual = "path cf object instance counter from to format output all tz",
    .examples =
        "hkpd dump capture.bin --object Processor\n"
        "hkpd dump blobs/ --titles counter009.reg --path '\\Process(svchost*)\\ID Process'\n"
        "hkpd dump --v2 data.bin --registration counterset.bin --registration names.bin\n"
        "hkpd dump perf.blg --from 10:00 --to 10:05 --object Memory\n"
        "hkpd dump --live --object Processor\n"
        "hkpd dump - --format jsonl < capture.mcap | jq .raw\n",
    .details = "Text has colours for damaged and missing values: by default on terminals, unless NO_COLOR is set.\n",
    .shared_details = time_details};

/// Shows the selected part of the input. Returns the number of samples and values shown.
Written show(const DumpOptions& options, Input& input, Filter& filter, Output& output, Diagnostics& diagnostics) {
    WriteOptions how{&input.reader().titles(), options.help_text, options.types, output_width()};
    how.color = use_color(options.color, options.to_terminal);
    how.names = options.how.limits.names;
    how.zone = options.times.zone;
    how.log_zone = options.times.log_zone;
    how.drain = [&output](std::string& text) { output.write(text); };
    const auto writer = make_writer(options.format, how);
    std::vector<Selected> selected;
    std::string out;
    Written shown;
    filter.use_english(input.reader().titles());
    if (output.is_first()) writer->begin(out);  // with --jobs, only the output of the first input has a CSV header
    while (input.reader().next()) {
        if (options.input.strict && diagnostics.any_fault()) break;
        ++shown.samples;
        filter.select(input.reader().sample(), selected);
        for (const Selected& part : selected) shown.values += part.rows.size() * part.columns.size();
        writer->sample(input.reader().sample(), selected, nullptr, out);
        output.write(out);
    }
    report_matching(filter, diagnostics);
    report_no_raw_values(diagnostics);
    writer->end(diagnostics, out);
    output.write(out);
    return shown;
}

/// Reports an error if the range of --from and --to, or the sample of --sample, does not exist. Returns the exit code.
Exit end(const DumpOptions& options, const Shown& shown) {
    if (shown.exit != Exit::good || shown.samples != 0) return shown.exit;
    if (is_ranged(options.times)) return report_no_samples("dump", options.times, shown.exit, shown.samples);
    if (!options.sample) return shown.exit;
    return usage_error("dump", fmt::format("no sample {}: the {} has {} samples", *options.sample,
                                           options.input.jobs ? "longest input" : "input", shown.count));
}

/// Ends a run: completes the file of `--output`. With `--strict`, a fault has ended the run before its end.
Exit finish(const DumpOptions& options, OutputFile& file, const Shown& shown) {
    const Exit exit = end(options, shown);
    const bool stopped = options.input.strict && exit != Exit::good;
    return file.finish(exit, is_complete(exit, shown.samples) && !stopped, {shown.samples, shown.values});
}

Exit run(DumpOptions& options, OutputFile& file) {
    Diagnostics diagnostics;
    options.input.progress = shows_progress(file.to_standard_output());
    set_range("dump", options.times, options.input, options.how);
    Input input(options.input, options.how, diagnostics);
    DirectOutput output([&file](std::string& text) { file.write(text); });
    const Written written = show(options, input, options.filter, output, diagnostics);
    Shown shown;
    shown.samples = static_cast<std::uint32_t>(written.samples);
    shown.values = written.values;
    shown.count = input.reader().count();
    shown.exit = conclude("dump", options.input, diagnostics, shown.samples, options.filter);
    const Exit exit = finish(options, file, shown);
    if (input.live() != nullptr) return_if_abandoned(*input.live(), exit);
    return exit;
}

Exit run_each(const DumpOptions& options, OutputFile& file) {
    const auto show_one = [&](const InputOptions& one, Output& output, Diagnostics& diagnostics) {
        Filter filter = options.filter;
        ReaderOptions how = options.how;
        set_range("dump", options.times, one, how);
        Input input(one, std::move(how), diagnostics);
        const Written written = show(options, input, filter, output, diagnostics);
        Shown shown;
        shown.samples = static_cast<std::uint32_t>(written.samples);
        shown.values = written.values;
        shown.count = input.reader().count();
        shown.unmatched = filter.unmatched();
        return shown;
    };
    return finish(options, file, show_each("dump", options.input, file, show_one));
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
    if (const auto failed = read_path_files("dump", options.input)) return *failed;
    if (const std::string wrong = take_options(options); !wrong.empty()) return usage_error("dump", wrong);
    if (options.overview_only) return overview_instead("dump", options.input);
    OutputFile file("dump", options.output);
    if (!file.open()) return Exit::unreadable;
    return options.input.jobs ? run_each(options, file) : run(options, file);
}

}  // namespace hkpd::command
