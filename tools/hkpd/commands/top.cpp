// `hkpd top`: the processes or instances that use most.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "commands/sample_run.hpp"
#include "flags/format_option.hpp"
#include "flags/input_options.hpp"
#include "flags/summary_options.hpp"
#include "flags/time_options.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/summary.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/cause.hpp"
#include "terminal/output_file.hpp"

namespace hkpd::command {
namespace {

/// The words of `--sort`: orders of processes, and columns of statistics.
constexpr std::string_view process_sort_columns =
    "cpu memory private handles io growth name count first last min mean p50 p95 p99 max stddev delta slope";

constexpr HelpText top_help{
    .usage = "[OPTION]... INPUT...",
    .prose =
        "Shows which processes used most: processor time (in seconds, the mean over the whole run, and the maximum "
        "with "
        "its time; 100 % is one whole processor), working set and private bytes at the end and at their peak, the "
        "growth "
        "of private bytes per hour, handles, I/O, and when the process lived; then the verdict: what limited the "
        "machine, when and by "
        "which process, what grows, and what the log has no counter for. A process is "
        "followed by its identity: processes of one name are rows of their own. Without the object Process, or with "
        "counters selected, shows the largest instances of each counter.",
    .usual = "by sort top from to path object instance all-instances format tz",
    .examples =
        "hkpd top perf.blg\n"
        "hkpd top perf.blg --from 10:00 --to 10:05\n"
        "hkpd top run.mcap --sort growth --top 5\n"
        "hkpd top run.mcap --by '\\PhysicalDisk(*)\\Disk Bytes/sec' --sort p95\n",
    .details =
        "Processes are sorted by processor time in seconds, other rows by their mean; with --sort delta or slope, "
        "processes by that column of their private bytes, and with other columns of statistics by that of their "
        "processor time. --top is 10 by default. "
        "_Total and Idle are left out unless --by, --path or --instance names them.\n"
        "json has a document {\"verdict\": [...], \"rows\": [...]} with a row for each counter of each instance shown, "
        "and the keys of "
        "hkpd replay --summary. slope is per hour; in its order, instances with less than a quarter of the values "
        "of the longest come last. Memory and handles in the table are those of the last sample.\n"
        "Rates need two samples: of a single sample, the table has memory and handles.\n",
    .input_details = log_details,
    .shared_details = time_details};

struct TopCommand {
    TopCommand() { input.live.usual_count = 2; }  // rates need two samples

    InputOptions input;
    ReaderOptions how;
    WriteOptions write;
    TopOptions top;
    SummaryChoice statistics;
    TimeOptions times;
    std::string by, format_name, output;
    Format format{};
    Filter filter;
};

po::options_description describe(TopCommand& o) {
    po::options_description shown;
    describe_inputs(shown, o.input);
    describe_interface(shown, o.input);
    describe_summary(shown, o.statistics, process_sort_columns);
    describe_range(shown, o.times);
    describe_zone(shown, o.times);
    describe_format(shown, o.format_name, format_names(&FormatSpec::has_summary));
    describe_output(shown, o.output);
    auto add = shown.add_options();
    add("by", po::value(&o.by)->value_name("PATH"), "largest in these counters: '\\Process(*)\\Working Set'");
    add("all-instances", po::bool_switch(&o.top.all_instances), "include _Total and Idle");
    return shown;
}

/// Returns whether a filter names an instance that is left out by default.
bool names_total(const TopCommand& o) {
    const auto names = [](const std::string& text) { return asks_for_aggregate_or_idle(text); };
    return names(o.by) || std::ranges::any_of(o.input.paths, names) || std::ranges::any_of(o.input.instances, names);
}

/// Sets the members of `o` that depend on the options. Returns the error message; empty on success.
std::string take_options(TopCommand& o) {
    o.format = format_of(o.format_name).value_or(Format::table);
    if (std::string wrong = check_zone(o.times); !wrong.empty()) return wrong;
    if (std::string wrong = check_range(o.times, o.input); !wrong.empty()) return wrong;
    o.write.zone = o.times.zone;
    if (std::string wrong = read_summary(o.statistics, o.top.sort, o.top.top); !wrong.empty()) return wrong;
    const auto order = process_order_of(o.statistics.sort);
    o.top.order = order.value_or(ProcessOrder::processor);
    o.top.processes = o.by.empty() && o.input.paths.empty() && o.input.counters.empty();
    o.top.all_instances = o.top.all_instances || names_total(o);
    // Of a part of the input, nothing is known to be missing.
    if (o.top.processes)
        o.top.verdict = VerdictOptions{.whole = !selects_any(o.input), .all_instances = o.input.instances.empty()};
    if (!o.by.empty()) o.input.paths.push_back(o.by);
    o.how.one_source = !o.input.only;
    o.write.cooked = o.write.one_pass = true;
    if (std::string wrong = make_filter(o.input, o.filter); !wrong.empty()) return wrong;
    if (std::string wrong = check_inputs(o.input, o.how.limits); !wrong.empty()) return wrong;
    use_limits(o.write, o.how.limits);
    if (std::string wrong = check_output(o.input, o.output); !wrong.empty()) return wrong;
    o.write.width = output_width();
    return {};
}

}  // namespace

Description describe_top() {
    TopCommand o;
    return {top_help, describe(o)};
}

Exit top(const Strings& arguments) {
    TopCommand o;
    if (const auto done = parse_options("top", arguments, describe(o), o.input.inputs, top_help)) return *done;
    if (const auto failed = read_path_files("top", o.input)) return *failed;
    if (const std::string wrong = take_options(o); !wrong.empty()) return usage_error("top", wrong);
    OutputFile file("top", o.output);
    if (!file.open()) return exit_of(Cause::unwritable);
    SampleRun run{.request = {"top", o.input, o.times}, .how = o.how};
    run.shows_samples = false;
    run.run.filter = o.filter;
    run.run.make_writer = [&o](Reader& reader, Diagnostics& /*diagnostics*/, const Sink& drain) {
        WriteOptions how = o.write;
        how.titles = &reader.titles();
        how.drain = drain;
        return make_top_writer(o.format, how, o.how.cook, o.top);
    };
    return run_samples(run, file);
}

}  // namespace hkpd::command
