#include "hkpd/compare.hpp"

#include <fmt/format.h>

#include <cmath>

#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "input_options.hpp"
#include "progress.hpp"

namespace hkpd::command {
namespace {

struct CompareCommand {
    InputOptions input;
    CompareOptions compare;
    std::string format = "table";
    bool all = false;
};

po::options_description describe(CompareCommand& o) {
    po::options_description shown;
    describe_inputs(shown, o.input);
    auto add = shown.add_options();
    add("tolerance", po::value(&o.compare.tolerance)->value_name("PERCENT"),
        "cooked values agree within so much of the larger one; raw values are then not compared (default: 0, to the "
        "last bit)");
    add("all", po::bool_switch(&o.all), "table: show the counters that agree too, and those of one door only");
    add("format", choice(o.format, "table json"), "the form of the output (default table)");
    return shown;
}

constexpr HelpText compare_help{
    .usage = "[OPTION]... INPUT...\n[OPTION]... --live",
    .prose =
        "Compares what the two doors to the same counters gave: the registry (V1) and the PerfLib functions (V2). "
        "INPUT is a capture with both, or blobs; V2 blocks are given with --v2. A performance log (.blg) stands "
        "for V1.\n"
        "Samples of one moment are pairs. Exit code 0: all that both have agrees, 1: something differs, or there was "
        "nothing to compare.",
    .usual = "v2 registration identifiers object path tolerance all format live",
    .examples =
        "hkpd compare both.mcap\n"
        "hkpd compare v1.bin --v2 v2.bin --identifiers query.bin --registration names.bin\n"
        "hkpd compare --live --object Processor* --tolerance 5\n"
        "hkpd compare both.mcap --format json | jq '.counters[] | select(.verdict == \"differs\")'\n",
    .details =
        "A pair is a V2 sample and the nearest V1 sample of its machine, within half a second. What one door alone has "
        "is listed and is no difference; but of an object that both have, an instance that one door lacks at the very "
        "same moment is one.\n"};

/// Why nothing could be compared; empty where something was.
std::string missing(const Comparison& found) {
    if (found.v1_samples == 0 && found.v2_samples == 0) return "no samples in it";
    if (found.v2_samples == 0)
        return "no V2 samples in it: give a capture that has both, or what PerfQueryCounterData returned with --v2 "
               "FILE";
    if (found.v1_samples == 0)
        return "no V1 samples in it: give a capture that has both, or blobs of HKEY_PERFORMANCE_DATA or a performance "
               "log beside the V2 data";
    if (found.pairs == 0) return "no V1 and V2 samples of one machine are within half a second of each other";
    if (found.count(Verdict::equal) + found.count(Verdict::differs) + found.unlisted != 0) return {};
    return "no counter is in both: objects are matched by the index in the registration, else by name, and counters by "
           "name (--registration and --titles give them)";
}

Exit compare_all(const CompareCommand& o, Input& input, Filter& filter, std::vector<CollectionCost>& costs,
                 Diagnostics& diagnostics) {
    Reader& reader = input.reader();
    Comparer comparer(reader.countersets(), o.compare);
    Progress progress(false);
    std::vector<Selected> selected;
    std::uint32_t shown = 0;
    while (reader.next()) {
        if (o.input.strict && diagnostics.any_fault()) break;
        filter.select(reader.sample(), selected);
        comparer.add(reader.sample(), selected, reader.cooker());
        progress.show(++shown);
    }
    if (input.live() != nullptr) costs.push_back(input.live()->cost());
    const Comparison found = comparer.finish();
    const std::string wrong = missing(found);
    std::string out;
    if (o.format == "json")
        append_comparison_json(out, found, costs);
    else if (wrong.empty())
        append_comparison(out, found, costs, o.all);
    write_out(out);
    const Exit concluded = conclude("compare", o.input, diagnostics, shown, filter);
    if (concluded == Exit::usage || concluded == Exit::unreadable) return concluded;
    if (!wrong.empty()) fmt::print(stderr, "hkpd compare: {}\n", wrong);
    return found.agrees() ? concluded : Exit::damaged;
}

Exit run(const CompareCommand& o, const Limits& limits, Filter& filter) {
    Diagnostics diagnostics;
    std::vector<CollectionCost> costs;
    ReaderOptions how{.limits = limits};
    how.provenance = [&costs, &limits](const Record& record) {
        if (record.name == "collection" && costs.size() < limits.machines)
            costs.push_back(read_collection_cost(*record.entries));
    };
    Input input(o.input, std::move(how), diagnostics);
    const Exit exit = compare_all(o, input, filter, costs, diagnostics);
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
    if (!(options.compare.tolerance >= 0) || !std::isfinite(options.compare.tolerance))
        return usage_error("compare", "--tolerance takes a percentage from 0 on");
    if (options.input.only) return usage_error("compare", "--source leaves nothing to compare");
    if (const std::string wrong = make_filter(options.input, filter); !wrong.empty())
        return usage_error("compare", wrong);
    if (const std::string wrong = check_inputs(options.input, 2, limits); !wrong.empty())
        return usage_error("compare", wrong);
    options.input.live.wanted.v1 = options.input.live.wanted.v2 = true;
    return run(options, limits, filter);
}

}  // namespace hkpd::command
