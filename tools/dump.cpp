#include <fmt/format.h>

#include "hkpd/diagnostics.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "hkpd/write.hpp"
#include "input_options.hpp"
#include "jobs_option.hpp"

namespace hkpd::command {
namespace {

struct DumpOptions {
    InputOptions input;
    std::string format_name = "table";
    std::optional<std::int64_t> sample;
    bool help_text = false, types = false;
    // Set by `take_options` from the members above.
    Format format{};
    ReaderOptions how{.compare = false};
    Filter filter;
};

po::options_description describe(DumpOptions& o) {
    po::options_description shown;
    describe_inputs(shown, o.input);
    auto add = shown.add_options();
    add("sample", po::value<std::int64_t>()->value_name("N")->notifier([&o](std::int64_t n) { o.sample = n; }),
        "show only this sample, counted from 0");
    add("format", choice(o.format_name, "table json jsonl csv"), "output format (default table)");
    add("types", po::bool_switch(&o.types), "table: show counter types");
    add("help-text", po::bool_switch(&o.help_text), "show the help texts of objects and counters");
    describe_jobs(shown, o.input);
    return shown;
}

constexpr HelpText dump_help{
    .usage = "[OPTION]... INPUT...\n[OPTION]... --v2 FILE [--registration FILE]...\n[OPTION]... --live",
    .prose =
        "Shows the contents of performance data blocks. INPUT is a file of one or more blobs, a capture, a Windows "
        "performance log (.blg, .csv, .tsv), one of these in .gz, .zst or .zip, a directory of such files, or - for "
        "standard input; --v2 takes data returned by the PerfLib functions.",
    .usual = "path object instance counter sample format types help-text titles lang live strict verbose",
    .examples =
        "hkpd dump capture.bin --object Processor\n"
        "hkpd dump blobs/ --titles counter009.reg --path '\\Process(svchost*)\\ID Process'\n"
        "hkpd dump --live --object Processor\n"
        "hkpd dump - --format jsonl < capture.mcap | jq .raw\n"
        "hkpd dump --v2 data.bin --registration counterset.bin --registration names.bin\n"};

/// Shows the selected part of the input. Returns the number of samples shown.
std::uint32_t show(const DumpOptions& options, Input& input, Filter& filter, Output& output, Diagnostics& diagnostics) {
    WriteOptions how{&input.reader().titles(), options.help_text, options.types, output_width()};
    how.names = options.how.limits.names;
    how.drain = [&output](std::string& text) { output.write(text); };
    const auto writer = make_writer(options.format, how);
    std::vector<Selected> selected;
    std::string out;
    std::uint32_t shown = 0;
    filter.use_english(input.reader().titles());
    if (output.is_first()) writer->begin(out);  // with --jobs, only the output of the first input has a CSV header
    while (input.reader().next()) {
        if (options.input.strict && diagnostics.any_fault()) break;
        ++shown;
        filter.select(input.reader().sample(), selected);
        writer->sample(input.reader().sample(), selected, nullptr, out);
        output.write(out);
    }
    report_matching(filter, diagnostics);
    report_no_raw_values(diagnostics);
    writer->end(diagnostics, out);
    output.write(out);
    return shown;
}

/// Reports an error if the sample selected by --sample does not exist. Returns the exit code.
Exit end(const DumpOptions& options, const Shown& shown) {
    if (shown.exit != Exit::good || shown.samples != 0 || !options.sample) return shown.exit;
    return usage_error("dump", fmt::format("no sample {}: the {} has {} samples", *options.sample,
                                           options.input.jobs ? "longest input" : "input", shown.count));
}

Exit run(DumpOptions& options) {
    Diagnostics diagnostics;
    Input input(options.input, options.how, diagnostics);
    DirectOutput output(write_out);
    Shown shown;
    shown.samples = show(options, input, options.filter, output, diagnostics);
    shown.count = input.reader().count();
    shown.exit = conclude("dump", options.input, diagnostics, shown.samples, options.filter);
    const Exit exit = end(options, shown);
    if (input.live() != nullptr) return_if_abandoned(*input.live(), exit);
    return exit;
}

Exit run_each(const DumpOptions& options) {
    const auto show_one = [&](const InputOptions& one, Output& output, Diagnostics& diagnostics) {
        Filter filter = options.filter;
        Input input(one, options.how, diagnostics);
        Shown shown;
        shown.samples = show(options, input, filter, output, diagnostics);
        shown.count = input.reader().count();
        shown.unmatched = filter.unmatched();
        return shown;
    };
    return end(options, show_each("dump", options.input, show_one));
}

/// Checks the options, and sets the members of `o` that depend on them. Returns the error message; empty on success.
std::string take_options(DumpOptions& o) {
    if (std::string wrong = make_filter(o.input, o.filter); !wrong.empty()) return wrong;
    if (std::string wrong = check_inputs(o.input, 1, o.how.limits); !wrong.empty()) return wrong;
    if (o.sample && *o.sample < 0) return "--sample: expected a number of at least 0";
    if (o.sample) o.how.range.first = o.how.range.last = static_cast<std::uint64_t>(*o.sample);
    o.format = format_of(o.format_name).value_or(Format::table);
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
    if (const std::string wrong = take_options(options); !wrong.empty()) return usage_error("dump", wrong);
    return options.input.jobs ? run_each(options) : run(options);
}

}  // namespace hkpd::command
