#include <fmt/format.h>

#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "hkpd/write/writer.hpp"
#include "input_options.hpp"

namespace hkpd::command {
namespace {

struct DumpOptions {
    InputOptions input;
    std::string format = "table";
    std::optional<std::int64_t> sample;
    bool help_text = false, types = false;
};

po::options_description describe(DumpOptions& o) {
    po::options_description shown = new_options();
    describe_inputs(shown, o.input);
    auto add = shown.add_options();
    add("sample", po::value<std::int64_t>()->value_name("N")->notifier([&o](std::int64_t n) { o.sample = n; }),
        "only this sample, counted from 0");
    add("format", po::value(&o.format)->value_name("F"), "table (default), json, jsonl or csv");
    add("types", po::bool_switch(&o.types), "table: show the types of counters");
    add("help-text", po::bool_switch(&o.help_text), "with the help texts of objects and counters");
    return shown;
}

constexpr HelpText help{
    "usage: hkpd dump [OPTION]... INPUT...\n       hkpd dump [OPTION]... --v2 FILE [--registration FILE]...\n"
    "       hkpd dump [OPTION]... --live\n\n"
    "Shows what is in performance data blocks. INPUT is a file of blobs, several end to end, a capture, a\n"
    "directory of such files, or - for standard input; --v2 takes what the PerfLib functions returned.\n\n",
    "\n  hkpd dump capture.bin --object Processor\n"
    "  hkpd dump blobs/ --titles counter009.reg --path '\\Process(svchost*)\\ID Process'\n"
    "  hkpd dump --live --object Processor\n"
    "  hkpd dump - --format jsonl < capture.mcap | jq .raw\n"
    "  hkpd dump --v2 data.bin --registration counterset.bin --registration names.bin\n"};

Exit show(const DumpOptions& options, Format format, const Range& wanted, Input& input, Filter& filter,
          Diagnostics& diagnostics) {
    WriteOptions how{&input.titles(), options.help_text, options.types, output_width()};
    how.drain = write_out;
    const auto writer = make_writer(format, how);
    Sample sample;
    std::vector<Selected> selected;
    std::string out;
    std::uint32_t shown = 0;
    writer->begin(out);
    while (input.reader().next(sample, diagnostics)) {
        if (options.input.strict && diagnostics.any_fault()) break;
        const std::uint32_t number = input.reader().count() - 1;
        if (number > wanted.last) break;
        if (!wanted.holds_number(number)) continue;
        ++shown;
        filter.select(sample, selected);
        writer->sample(sample, selected, nullptr, out);
        write_out(out);
    }
    writer->end(diagnostics, out);
    write_out(out);
    const Exit found = conclude("dump", options.input, diagnostics, shown, filter);
    if (found != Exit::good || shown != 0 || !options.sample) return found;
    return usage_error("dump",
                       fmt::format("there is no sample {}: the input has {}", *options.sample, input.reader().count()));
}

Exit run(const DumpOptions& options, Format format, const Limits& limits, Filter& filter) {
    Diagnostics diagnostics;
    Range wanted;
    if (options.sample) wanted.first = wanted.last = static_cast<std::uint64_t>(*options.sample);
    Input input(options.input, limits, wanted, diagnostics);
    const Exit exit = show(options, format, wanted, input, filter, diagnostics);
    if (input.live() != nullptr) leave_if_abandoned(*input.live(), exit);
    return exit;
}

}  // namespace

Exit dump(const Strings& arguments) {
    DumpOptions options;
    Filter filter;
    Limits limits;
    if (const auto done = parse_options("dump", arguments, describe(options), options.input.inputs, help)) return *done;
    if (const std::string wrong = make_filter(options.input, filter); !wrong.empty()) return usage_error("dump", wrong);
    if (const std::string wrong = check_inputs(options.input, 1, limits); !wrong.empty())
        return usage_error("dump", wrong);
    if (options.sample && *options.sample < 0) return usage_error("dump", "--sample takes a number from 0 on");
    const auto format = format_of(options.format);
    if (!format || remembers_instances(*format))
        return usage_error("dump",
                           fmt::format("{} format '{}': table, json, jsonl or csv{}", format ? "wrong" : "unknown",
                                       options.format, format ? " (hkpd replay has it)" : ""));
    return run(options, *format, limits, filter);
}

}  // namespace hkpd::command
