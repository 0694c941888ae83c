#include "hkpd/compare.hpp"

#include <fmt/format.h>

#include <cmath>

#include "capture_output.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "input_options.hpp"
#include "output_file.hpp"
#include "progress.hpp"

namespace hkpd::command {
namespace {

struct CompareCommand {
    CompareCommand() { input.live.usual_count = 2; }  // rates need two samples

    InputOptions input;
    CompareOptions compare;
    std::string format = "text", output;
    bool all = false;
};

po::options_description describe(CompareCommand& o) {
    po::options_description shown;
    describe_inputs(shown, o.input);
    describe_format(shown, o.format, "text json");
    describe_output(shown, o.output);
    auto add = shown.add_options();
    add("tolerance", po::value(&o.compare.tolerance)->value_name("PERCENT"),
        "allowed difference of cooked values (default 0)");
    add("all", po::bool_switch(&o.all), "text: also show counters that agree or have one side");
    return shown;
}

constexpr HelpText compare_help{
    .usage = "[OPTION]... INPUT...\n[OPTION]... --live",
    .prose =
        "Compares the counters of the two interfaces, the registry (V1) and the PerfLib functions (V2). INPUT is a "
        "capture with both, or blobs; V2 blocks are given with --v2. Exit code 0: all common counters agree, 1: there "
        "are differences, or nothing to compare.",
    .usual = "v2 registration identifiers object path tolerance all format output live",
    .examples =
        "hkpd compare both.mcap\n"
        "hkpd compare v1.bin --v2 v2.bin --identifiers query.bin --registration names.bin\n"
        "hkpd compare --live --object Processor* --tolerance 5\n"
        "hkpd compare both.mcap --format json | jq '.counters[] | select(.verdict == \"differs\")'\n",
    .details =
        "--tolerance is in percent of the larger value. At 0, all values must be identical, raw ones too; above 0, raw "
        "values are not compared.\n"
        "A performance log (.blg) counts as V1. Samples of the same time are compared in pairs. A pair is a V2 sample "
        "and the nearest V1 sample of its machine within half a second. Counters of one "
        "interface "
        "only are listed and are not differences. If both interfaces have an object, an instance missing from one "
        "of two samples taken at the same time is a difference.\n"};

/// Returns why no counters could be compared; empty if any were compared.
std::string missing(const Comparison& found) {
    if (found.v1_samples == 0 && found.v2_samples == 0) return "no samples found";
    if (found.v2_samples == 0)
        return "no V2 samples found: give a capture with both, or --v2 FILE with data returned by "
               "PerfQueryCounterData";
    if (found.v1_samples == 0)
        return "no V1 samples found: give a capture with both, or HKEY_PERFORMANCE_DATA blobs or a performance log in "
               "addition to the V2 data";
    if (found.pairs == 0) return "no V1 and V2 samples of the same machine are within half a second of each other";
    if (found.count(Verdict::equal) + found.count(Verdict::differs) + found.unlisted != 0) return {};
    return "no common counters: objects are matched by the index in the registration info, otherwise by name, and "
           "counters "
           "by name (see --registration and --titles)";
}

Exit compare_all(const CompareCommand& o, Input& input, Filter& filter, std::vector<CollectionCost>& costs,
                 OutputFile& file, Diagnostics& diagnostics) {
    Reader& reader = input.reader();
    Comparer comparer(reader.countersets(), o.compare);
    std::vector<Selected> selected;
    std::uint32_t shown = 0;
    while (reader.next()) {
        if (o.input.strict && diagnostics.any_fault()) break;
        filter.select(reader.sample(), selected);
        comparer.add(reader.sample(), selected, reader.cooker());
        ++shown;
    }
    if (input.live() != nullptr) costs.push_back(input.live()->cost());
    const Comparison found = comparer.finish();
    const std::string wrong = missing(found);
    std::string out;
    if (o.format == "json")
        append_comparison_json(out, found, costs);
    else if (wrong.empty())
        append_comparison(out, found, costs, o.all);
    file.write(out);
    const Exit concluded = conclude("compare", o.input, diagnostics, shown, filter);
    if (concluded == Exit::usage || concluded == Exit::unreadable) return file.finish(concluded, false);
    if (!wrong.empty()) fmt::print(stderr, "hkpd compare: {}\n", wrong);
    return file.finish(found.agrees() ? concluded : Exit::damaged, true, {shown});
}

Exit run(CompareCommand& o, const Limits& limits, Filter& filter) {
    OutputFile file("compare", o.output);
    if (!file.open()) return Exit::unreadable;
    o.input.progress = shows_progress(false);
    Diagnostics diagnostics;
    std::vector<CollectionCost> costs;
    ReaderOptions how{.limits = limits};
    how.provenance = [&costs, &limits](const Record& record) {
        if (record.name == "collection" && costs.size() < limits.machines)
            costs.push_back(read_collection_cost(*record.entries));
    };
    Input input(o.input, std::move(how), diagnostics);
    const Exit exit = compare_all(o, input, filter, costs, file, diagnostics);
    if (input.live() != nullptr) return_if_abandoned(*input.live(), exit);
    return exit;
}

}  // namespace

Description describe_compare() {
    CompareCommand o;
    return {compare_help, describe(o)};
}

Exit compare(const Strings& arguments) {
    CompareCommand options;
    Filter filter;
    Limits limits;
    if (const auto done = parse_options("compare", arguments, describe(options), options.input.inputs, compare_help))
        return *done;
    if (const auto failed = read_path_files("compare", options.input)) return *failed;
    if (!(options.compare.tolerance >= 0) || !std::isfinite(options.compare.tolerance))
        return usage_error("compare", "--tolerance: expected a percentage of at least 0");
    if (const std::string wrong = make_filter(options.input, filter); !wrong.empty())
        return usage_error("compare", wrong);
    if (const std::string wrong = check_inputs(options.input, limits); !wrong.empty())
        return usage_error("compare", wrong);
    if (const std::string wrong = check_output(options.input, options.output); !wrong.empty())
        return usage_error("compare", wrong);
    options.input.live.wanted.v1 = options.input.live.wanted.v2 = true;
    return run(options, limits, filter);
}

}  // namespace hkpd::command
