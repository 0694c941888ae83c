#include <fmt/format.h>

#include <charconv>

#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "hkpd/write/writer.hpp"
#include "options.hpp"

namespace hkpd::command {
namespace {

struct DumpOptions {
    Strings inputs, titles, languages, objects, instances, counters, paths;
    std::string format = "table", limit_values;
    bool strict = false, help_text = false, types = false, verbose = false;
};

po::options_description describe(DumpOptions& o) {
    po::options_description shown = new_options();
    auto add = shown.add_options();
    add("titles", po::value(&o.titles)->value_name("PATH"),
        "title database, or a directory of them (repeatable; without: the system's own English titles)");
    add("lang", po::value(&o.languages)->value_name("NNN"), "language to prefer, such as 009 or 007 (repeatable)");
    add("object", po::value(&o.objects)->value_name("X"), "objects by index, name or wildcard (repeatable)");
    add("instance", po::value(&o.instances)->value_name("X"), "instances by name or wildcard (repeatable)");
    add("counter", po::value(&o.counters)->value_name("X"), "counters by index, name or wildcard (repeatable)");
    add("path", po::value(&o.paths)->value_name("PATH"),
        "counter path, such as '\\Processor(_Total)\\% Processor Time' (repeatable)");
    add("format", po::value(&o.format)->value_name("F"), "table (default), json, jsonl or csv");
    add("types", po::bool_switch(&o.types), "table: show the types of counters");
    add("help-text", po::bool_switch(&o.help_text), "with the help texts of objects and counters");
    add("strict", po::bool_switch(&o.strict), "stop at the first fault");
    add("limit-values", po::value(&o.limit_values)->value_name("N"),
        "most values of a sample (default: a million, or its bytes if those are more)");
    add("verbose,v", po::bool_switch(&o.verbose), "show notes too: what is odd but legal");
    return shown;
}

constexpr HelpText help{
    "usage: hkpd dump [OPTION]... INPUT...\n\nShows what is in performance data blocks. INPUT is a file of blobs, "
    "several end "
    "to end, a directory\nof such files, or - for standard input.\n\n",
    "\n  hkpd dump capture.bin --object Processor\n"
    "  hkpd dump blobs/ --titles counter009.reg --path '\\Process(svchost*)\\ID Process'\n"
    "  hkpd dump - --format jsonl < capture.bin | jq .raw\n"};

/// What is wrong with the options, or the filter that they ask for.
std::string make_filter(const DumpOptions& options, Filter& filter) {
    for (const std::string& text : options.objects) filter.want_object(text);
    for (const std::string& text : options.instances) filter.want_instance(text);
    for (const std::string& text : options.counters) filter.want_counter(text);
    for (const std::string& text : options.paths) {
        auto path = CounterPath::parse(text);
        if (!path) return fmt::format("'{}' is no counter path, such as '\\Processor(_Total)\\% Processor Time'", text);
        filter.want_path(std::move(*path));
    }
    for (const std::string& language : options.languages)
        if (!is_language(language))
            return fmt::format("'{}' is no language as Windows numbers them, such as 009 or 007", language);
    if (!format_of(options.format))
        return fmt::format("unknown format '{}': table, json, jsonl or csv", options.format);
    if (options.inputs.empty()) return "no input: give a file, a directory, or - for standard input";
    return {};
}

Exit run(const DumpOptions& options, Format format, const Limits& limits, Filter& filter) {
    Diagnostics diagnostics;
    const Titles titles = load_titles(options.titles, options.languages, diagnostics);
    const auto writer = make_writer(format, {&titles, options.help_text, options.types, output_width()});
    const auto source = open_files(options.inputs, limits);
    SampleReader reader(*source, &titles, limits);
    Sample sample;
    std::vector<Selected> selected;
    std::string out;
    writer->begin(out);
    while (reader.next(sample, diagnostics)) {
        if (options.strict && diagnostics.any_fault()) break;
        filter.select(sample, selected);
        writer->sample(sample, selected, nullptr, out);
        write_out(out);
    }
    writer->end(diagnostics, out);
    write_out(out);

    if (options.strict && diagnostics.any_fault()) {
        const Exit found = report(diagnostics, Verbosity::first_fault);
        return found == Exit::good ? Exit::damaged : found;
    }
    const Exit found = report(diagnostics, options.verbose ? Verbosity::notes_too : Verbosity::faults);
    if (found != Exit::good || reader.count() == 0) return found;
    Exit met = Exit::good;
    for (const std::string& wish : filter.unmet()) {
        fmt::print(stderr, "hkpd dump: no {} in any sample\n", wish);
        met = Exit::usage;
    }
    return met;
}

}  // namespace

Exit dump(const Strings& arguments) {
    DumpOptions options;
    Filter filter;
    if (const auto done = parse_options("dump", arguments, describe(options), options.inputs, help)) return *done;
    if (const std::string wrong = make_filter(options, filter); !wrong.empty()) return usage_error("dump", wrong);
    const auto format = format_of(options.format);
    if (!format)
        return usage_error("dump", fmt::format("unknown format '{}': table, json, jsonl or csv", options.format));
    Limits limits;
    const std::string& most = options.limit_values;
    const auto parsed = std::from_chars(most.data(), most.data() + most.size(), limits.values);
    if (!most.empty() && (parsed.ec != std::errc{} || parsed.ptr != most.data() + most.size() || limits.values == 0))
        return usage_error("dump", fmt::format("--limit-values takes a number above 0, not '{}'", most));
    return run(options, *format, limits, filter);
}

}  // namespace hkpd::command
