// `hkpd top`: the processes or instances that use most.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "commands/live_top.hpp"
#include "commands/sample_run.hpp"
#include "flags/format_option.hpp"
#include "flags/input_options.hpp"
#include "flags/summary_options.hpp"
#include "flags/time_options.hpp"
#include "flags/window_options.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/summary.hpp"
#include "hkpd/window.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/cause.hpp"
#include "terminal/input_list.hpp"
#include "terminal/live_input.hpp"
#include "terminal/output_file.hpp"

namespace hkpd::command {
namespace {

/// The words of `--sort`: orders of processes, and columns of statistics. The headings of the table are accepted, too.
constexpr std::string_view process_sort_columns =
    "cpu memory private handles io growth name count first last min mean p50 p95 p99 max stddev delta slope";

constexpr HelpText top_help{
    .question = "Which process was it: who used most, who grew without end, and when?",
    .usage = "[OPTION]... INPUT...",
    .prose =
        "Shows which processes used most: processor time (in seconds, the mean over the whole run, and the maximum "
        "with its time; 100 % is one whole processor), working set and private bytes at the end and at their peak, "
        "the growth of private bytes per hour, handles, I/O, and when the process lived; then the verdict: what "
        "limited the machine, when and by which process, what grows, and what the log has no counter for. A process is "
        "followed by its identity: processes of one name are rows of their own. Without the object Process, or with "
        "counters selected, shows the largest instances of each counter. With --at: what was not as usual then.",
    .usual = "at by sort top per-machine from to path instance format tz",
    .examples =
        "hkpd top perf.blg\n"
        "hkpd top perf.blg --at 15:42\n"
        "hkpd top perf.blg --from -10min --sort growth\n"
        "hkpd top perf.blg --by '\\PhysicalDisk(*)\\Disk Bytes/sec' --sort p95\n"
        "hkpd top run.mcap --from 10:00 --to 10:05 --top 5\n"
        "hkpd top --live --interval 2\n",
    .details =
        "Processes are sorted by processor time in seconds, other rows by their mean. --sort takes these words, and "
        "for processes each heading of their columns ('CPU s', 'WS peak'); with delta or slope, they are sorted "
        "by that column of their private bytes, with other columns of statistics by that of their processor time. "
        "--top is 10 by default. "
        "_Total and Idle are left out unless --by, --path or --instance names them.\n"
        "json has a document {\"verdict\": [...], \"rows\": [...]} with a row for each counter of each instance shown, "
        "and the keys of "
        "hkpd replay --summary; of processes, also total (the sum of each value times the seconds since the sample "
        "before: of % Processor Time a hundred times the seconds), max_time, growth per hour (the median of the slopes "
        "between all pairs of points: steps and outliers do not turn it), growth_r_squared and growth_largest_step (of "
        "1, what the line explains, and what a single step makes), and growth_doubt, why there is no growth: "
        "few_values (fewer than 10), short_span (less than a tenth of the run). slope is per hour, of least squares; "
        "in its order, instances with less than a quarter of the values "
        "of the longest come last. Memory and handles in the table are those of the last sample.\n"
        "The window of --at is the minute that begins then, half a minute before and after a time within a minute, or "
        "that from one time to another (15:42..15:50); if it has fewer than three samples, those nearest to it are "
        "added. With --rest, it is that of --from and --to; with --at, these restrict the rest. The means of the "
        "window and of the rest are shown. A process used nothing before it began and after it ended. First come "
        "processes whose use changed by the largest share of the machine, and counters that differ most from what "
        "they usually differ by.\n"
        "Rates need two samples: of a single sample, the table has memory and handles.\n"
        "With --live, and neither --count nor --duration, shows what uses most now, once in each --interval: on a "
        "terminal in place, where the keys c, m, p, h, i and n sort by CPU, memory, private bytes, handles, I/O and "
        "name, and q ends it; otherwise one table after another. --simulate --live shows a simulated machine in the "
        "same way. With --count or --duration, shows one table at the end, of all samples.\n",
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
    WindowChoice window;
    std::string by, format_name, output;
    Format format{};
    Filter filter;
    bool shows_each = false;  ///< a table for each sample of a machine, until the user ends it
};

po::options_description describe(TopCommand& o) {
    po::options_description shown;
    describe_inputs(shown, o.input);
    describe_interface(shown, o.input);
    describe_summary(shown, o.statistics, process_sort_columns, process_headings());
    describe_window(shown, o.window);
    describe_range(shown, o.times);
    describe_zone(shown, o.times);
    describe_format(shown, o.format_name, format_names(&FormatSpec::has_summary));
    describe_output(shown, o.output);
    auto add = shown.add_options();
    add("by", po::value(&o.by)->value_name("PATH"), "largest in these counters: '\\Process(*)\\Working Set'");
    add("per-machine", po::bool_switch(&o.top.per_machine), "--top lines for each machine, not for all together");
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
    if (std::string wrong = check_window(o.window, o.times, o.input); !wrong.empty()) return wrong;
    if (o.window.any() && !o.statistics.sort.empty()) return "--sort has no meaning with --at and --rest";
    o.write.zone = o.times.zone;
    if (std::string wrong = read_summary(o.statistics, o.top.sort, o.top.top); !wrong.empty()) return wrong;
    o.top.processes = o.by.empty() && o.input.paths.empty() && o.input.counters.empty();
    if (const auto order = process_order_of(o.statistics.sort); order && o.top.processes) {
        o.top.order = *order;
        o.top.sort.reset();
    } else if (order && !o.top.sort) {
        return fmt::format(
            "--sort {}: orders processes; counters selected with --by, --path or --counter are sorted "
            "by a column of statistics: expected {}",
            o.statistics.sort, one_of(split(sort_columns, ' ')));
    }
    o.top.all_instances = o.top.all_instances || names_total(o);
    // Of a part of the input, nothing is known to be missing.
    if (o.top.processes)
        o.top.verdict = VerdictOptions{.whole = !selects_any(o.input), .all_instances = o.input.instances.empty()};
    if (!o.by.empty()) o.input.paths.push_back(o.by);
    o.how.one_source = !o.input.only;
    o.write.cooked = o.write.one_pass = true;
    const LiveOptions& live = o.input.live;
    const bool is_paced = live.live || !live.perflib.empty() || (!live.machine.empty() && !live.simulate.wanted);
    o.shows_each = is_paced && !live.count && !live.duration && o.format == Format::table;
    if (o.shows_each) o.input.live.usual_count = 0;
    if (std::string wrong = make_filter(o.input, o.filter); !wrong.empty()) return wrong;
    if (std::string wrong = check_inputs(o.input, o.how.limits); !wrong.empty()) return wrong;
    use_limits(o.write, o.how.limits);
    if (std::string wrong = check_output(o.input, o.output); !wrong.empty()) return wrong;
    o.write.width = output_width();
    return {};
}

/// Shows what stands out in a window.
Exit top_of_window(TopCommand& o, OutputFile& file) {
    TimeOptions of_all = o.times;  // what is read
    if (o.window.rest) of_all.from = of_all.to = {};
    SampleRun run{.request = {"top", o.input, of_all}, .how = o.how};
    run.shows_samples = false;
    run.run.filter = o.filter;
    std::uint64_t samples = 0;
    run.run.make_writer = [&](Reader& reader, Diagnostics& /*diagnostics*/, const Sink& drain) {
        WriteOptions how = o.write;
        how.titles = &reader.titles();
        how.drain = drain;
        const WindowOptions window{.window_of = window_of("top", o.window, o.times, o.input, o.how),
                                   .top = o.top.top,
                                   .all_instances = o.top.all_instances};
        return make_window_writer(o.format, how, o.how.cook, window,
                                  [&samples](const WindowTop& found) { samples = found.samples; });
    };
    run.before_finish = [&](Exit found, const RunCount& count) {
        if (found != Exit::good || count.samples == 0 || samples != 0) return found;
        return end_with("top", Cause::empty_range);
    };
    return run_samples(run, file);
}

}  // namespace

Description describe_top() {
    TopCommand o;
    return {top_help, describe(o)};
}

Exit top(const Strings& arguments) {
    TopCommand o;
    if (const auto done = parse_options("top", arguments, describe(o), o.input.inputs, top_help)) return *done;
    if (const auto failed = take_inputs("top", o.input.inputs, o.input.recursive)) return *failed;
    if (const auto failed = read_path_files("top", o.input)) return *failed;
    if (const std::string wrong = take_options(o); !wrong.empty()) return usage_error("top", wrong);
    OutputFile file("top", o.output);
    if (!file.open()) return exit_of(Cause::unwritable);
    if (o.window.any()) return top_of_window(o, file);
    SampleRun run{.request = {"top", o.input, o.times}, .how = o.how};
    run.shows_samples = false;
    run.run.filter = o.filter;
    run.run.make_writer = [&](Reader& reader, Diagnostics& /*diagnostics*/, const Sink& drain) {
        WriteOptions how = o.write;
        how.titles = &reader.titles();
        how.drain = drain;
        if (o.shows_each)
            return make_live_top_writer({.write = how,
                                         .cook = o.how.cook,
                                         .top = o.top,
                                         .fits_screen = !o.statistics.top,
                                         .to_terminal = file.to_terminal(),
                                         .end = LiveInput::end});
        return make_top_writer(o.format, how, o.how.cook, o.top);
    };
    return run_samples(run, file);
}

}  // namespace hkpd::command
