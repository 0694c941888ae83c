// Compares the two interfaces of Windows: the counters of the registry (V1) and of the PerfLib functions (V2).
#include <fmt/format.h>

#include <string>
#include <vector>

#include "commands/compare.hpp"
#include "commands/sample_run.hpp"
#include "hkpd/compare.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "terminal/cause.hpp"
#include "terminal/input_file.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

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

/// Returns whether the inputs are one log, of which nothing states that both interfaces are in it.
bool may_be_one_log(const CompareCommand& o) {
    return !o.interfaces && o.input.v2.blocks.empty() && !o.input.live.any();
}

/// Returns whether no more of an input has to be read, because it is a log of one interface: producers that query both
/// do so again and again.
bool is_one_log(const CompareCommand& o, std::uint64_t samples, bool of_both) {
    constexpr std::uint64_t many = 1000;
    return samples >= many && !of_both && may_be_one_log(o) && o.input.inputs.size() == 1 &&
           is_file(o.input.inputs.front());
}

/// Reports that there is nothing to compare a log with, and both ways to state it.
Exit report_one_log(const Strings& inputs) {
    const bool is_one = inputs.size() == 1;
    const std::string log = !is_one ? "LOG..." : inputs.front() != "-" ? inputs.front() : "LOG";
    return usage_error(
        "compare", fmt::format("{}: hkpd compare {} OTHER, or hkpd compare {} --before 10:00-10:30 --after "
                               "11:00-11:30 (V1 with V2: --interfaces)",
                               is_one ? "one log, and nothing to compare it with" : "expected two logs or two windows",
                               is_one ? log : "LOG", log));
}

Exit compare_all(const CompareCommand& o, Input& input, Filter& filter, std::vector<CollectionCost>& costs,
                 OutputFile& file, Diagnostics& diagnostics) {
    Reader& reader = input.reader();
    Comparer comparer(reader.countersets(), o.compare);
    std::uint64_t added = 0, of_v2 = 0;
    const auto add = [&](Reader& from, std::span<const Selected> selected) {
        comparer.add(from.sample(), selected, from.cooker());
        ++added;
        if (from.sample().source == SampleSource::v2) ++of_v2;
        return !is_one_log(o, added, of_v2 != 0 && of_v2 != added);
    };
    RunCount count;
    count.samples = visit_samples(reader, filter, o.input.strict, diagnostics, add);
    count.unmatched = filter.unmatched();
    if (input.live() != nullptr) costs.push_back(input.live()->cost());
    const Comparison found = comparer.finish();
    const std::string wrong = missing(found);
    if (may_be_one_log(o) && added != 0 && (of_v2 == 0 || of_v2 == added)) {
        const Exit faults = report_faults(o.input, diagnostics, count.samples), usage = report_one_log(o.input.inputs);
        return file.finish(faults == Exit::good ? usage : faults, false);  // as of any input that is damaged
    }
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

}  // namespace

Exit compare_interfaces(CompareCommand& o, const Limits& limits, Filter& filter) {
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

}  // namespace hkpd::command
