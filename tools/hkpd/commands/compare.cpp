#include "hkpd/compare.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "commands/sample_run.hpp"
#include "flags/format_option.hpp"
#include "flags/input_options.hpp"
#include "flags/time_options.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/overview.hpp"
#include "hkpd/summary.hpp"
#include "hkpd/write.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/cause.hpp"
#include "terminal/input_list.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

struct CompareCommand {
    CompareCommand() { input.live.usual_count = 2; }  // rates need two samples

    InputOptions input;
    TimeOptions times;  // all times
    CompareOptions compare;
    std::string format = "text", output;
    bool all = false;
};

po::options_description describe(CompareCommand& o) {
    po::options_description shown;
    describe_inputs(shown, o.input);
    describe_format(shown, o.format, {"text", "json"});
    describe_output(shown, o.output);
    auto add = shown.add_options();
    add("tolerance", po::value(&o.compare.tolerance)->value_name("PERCENT"),
        "allowed difference of cooked values (default 0)");
    add("all", po::bool_switch(&o.all), "text: all changes, and counters that agree or have one side");
    return shown;
}

constexpr HelpText compare_help{
    .question = "What changed: between two logs, or between the two interfaces of Windows?",
    .usage = "[OPTION]... INPUT...\n[OPTION]... --live",
    .prose =
        "With two logs: shows what changed most from the first to the second. With a capture of both interfaces, the "
        "registry (V1) and the PerfLib functions (V2), or blobs of both: compares their counters; V2 blocks are given "
        "with --v2. Exit code 0: all common counters agree, 1: there are differences, 2: nothing to compare.",
    .usual = "v2 registration identifiers object path tolerance all format output live",
    .examples =
        "hkpd compare before.blg after.blg\n"
        "hkpd compare both.mcap\n"
        "hkpd compare v1.bin --v2 v2.bin --identifiers query.bin --registration counterset.bin\n"
        "hkpd compare --live --object Processor* --tolerance 5\n"
        "hkpd compare both.mcap --format json | jq '.counters[] | select(.verdict == \"differs\")'\n",
    .details =
        "Two logs: medians, 95th percentiles and peaks of the series that both have, the largest effect first. The "
        "effect is the difference of the medians or of the 95th percentiles, divided by the standard deviation of the "
        "values (at least 1 % of the value). The exit code is then 0.\n"
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
        return "no V2 samples found: give a second log, a capture with both, or --v2 FILE with data returned by "
               "PerfQueryCounterData";
    if (found.v1_samples == 0)
        return "no V1 samples found: give a second capture, one with both, or HKEY_PERFORMANCE_DATA blobs or a "
               "performance log in "
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
    const auto add = [&comparer](Reader& from, std::span<const Selected> selected) {
        comparer.add(from.sample(), selected, from.cooker());
        return true;
    };
    RunCount count;
    count.samples = visit_samples(reader, filter, o.input.strict, diagnostics, add);
    count.unmatched = filter.unmatched();
    if (input.live() != nullptr) costs.push_back(input.live()->cost());
    const Comparison found = comparer.finish();
    const std::string wrong = missing(found);
    std::string out;
    if (o.format == "json")
        append_comparison_json(out, found, costs);
    else if (wrong.empty())
        append_comparison(out, found, costs, o.all);
    file.write(out);
    // A machine that has nothing of what was requested gives no sample.
    const bool is_selection = count.samples != 0 || !count.unmatched.empty() || !o.input.live.unmatched->all().empty();
    const Exit concluded = is_selection ? conclude({"compare", o.input, o.times}, diagnostics, count)
                                        : report_faults(o.input, diagnostics, 0);
    if (concluded > Exit::damaged) return file.finish(concluded, false);
    if (!wrong.empty()) return file.finish(end_with("compare", Cause::nothing_compared, wrong), true, {count.samples});
    return file.finish(found.agrees() ? concluded : exit_of(Cause::differences), true, {count.samples});
}

/// Returns whether the inputs are two runs of the same interface, which are compared with each other: each is a file or
/// directory that can be read twice and has samples of one source, the same for both.
bool are_two_runs(const CompareCommand& o, const Limits& limits) {
    if (o.input.inputs.size() != 2 || !o.input.v2.blocks.empty() || o.input.live.any()) return false;
    if (!are_repeatable(o.input.inputs)) return false;
    std::set<SampleSource> sources;
    for (const std::string& path : o.input.inputs) {
        Diagnostics ignored(0);
        const Overview overview =
            summarize(path, {.limits = limits, .log_zones = o.input.log_zones, .encoding = o.input.encoding}, ignored);
        for (const Overview::Object& object : overview.objects) sources.insert(object.source);
    }
    return sources.size() == 1;
}

/// Compares two runs: what changed from the first input to the second.
Exit compare_runs(CompareCommand& o, const Limits& limits, const Filter& filter) {
    OutputFile file("compare", o.output);
    if (!file.open()) return exit_of(Cause::unwritable);
    o.input.progress = shows_progress(false);
    Diagnostics diagnostics;
    WriteOptions write;
    write.cooked = write.one_pass = true;
    use_limits(write, limits);
    write.width = output_width();
    constexpr std::size_t usual = 25;
    const std::size_t top = o.all ? static_cast<std::size_t>(-1) : usual;
    const ReaderOptions how{.limits = limits};
    const auto writer = make_change_writer(o.format == "json" ? Format::json : Format::table, write, how.cook, top);
    RunCount count;
    std::string out;
    const auto add = [&](Reader& reader, std::span<const Selected> selected) {
        writer->sample(reader.sample(), selected, &reader.cooker(), out);
        return true;
    };
    Filter both = filter;  // a filter that matches nothing in one of them is no mistake
    std::string empty;     // the run that has no sample
    for (const std::size_t run : {0U, 1U}) {
        if (run == 1) writer->end_baseline();
        InputOptions one = o.input;
        one.inputs = {o.input.inputs[run]};
        Input input(one, how, diagnostics);
        const std::uint64_t samples = visit_samples(input.reader(), both, one.strict, diagnostics, add);
        if (samples == 0 && empty.empty()) empty = one.inputs.front();
        count.samples += samples;
    }
    count.unmatched = both.unmatched();
    writer->end(diagnostics, out);
    file.write(out);
    Exit found = conclude({"compare", o.input, o.times}, diagnostics, count);
    if (found == Exit::good && count.samples != 0 && !empty.empty())
        found = end_with("compare", Cause::nothing_compared, fmt::format("no sample in {}", empty));
    return file.finish(found, is_complete(found, count.samples), {count.samples});
}

Exit run(CompareCommand& o, const Limits& limits, Filter& filter) {
    if (are_two_runs(o, limits)) return compare_runs(o, limits, filter);
    OutputFile file("compare", o.output);
    if (!file.open()) return exit_of(Cause::unwritable);
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
    if (const auto failed = take_inputs("compare", options.input.inputs, options.input.recursive, SameInput::each))
        return *failed;
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
