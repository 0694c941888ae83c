// `hkpd top`: the processes or instances that use most.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/names.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/summary.hpp"
#include "input_options.hpp"
#include "progress.hpp"
#include "replay_options.hpp"
#include "summary_options.hpp"

namespace hkpd::command {
namespace {

constexpr HelpText top_help{
    .usage = "[OPTION]... INPUT...",
    .prose =
        "Shows which processes use most: processor time (mean and maximum; 100 is one whole processor), working set, "
        "private bytes and their growth per hour, handles, and I/O. A process is followed by its identity: processes "
        "of one name are rows of their own. Without the object Process, or with counters selected, shows the largest "
        "instances of each counter. INPUT is a capture, a log (.blg), a file of blobs, a directory, or -.",
    .usual = "by sort top from to path object instance all-instances format tz",
    .examples =
        "hkpd top perf.blg\n"
        "hkpd top perf.blg --from 2024-05-14T10:00:00 --to 2024-05-14T10:05:00\n"
        "hkpd top run.mcap --sort slope --top 5\n"
        "hkpd top run.mcap --by '\\PhysicalDisk(*)\\Disk Bytes/sec' --sort p95\n",
    .details =
        "TIME is 2024-05-14T09:30:02, 5/14/2024 9:30:02AM or @1715679002 (UTC, or local with --tz), or the number of "
        "a sample, counted from 0.\n"
        "json has a document {\"rows\": [...]} with a row for each counter of each instance shown, and the keys of "
        "hkpd replay --summary. slope is per hour. Memory and handles in the table are those of the last sample.\n"
        "Rates need two samples: of a single sample, the table has memory and handles.\n"};

struct TopCommand {
    InputOptions input;
    ReaderOptions how;
    WriteOptions write;
    TopOptions top;
    SummaryChoice statistics;
    std::string by, zone, format_name;
    std::optional<std::string> from, to;
    Format format{};
    Filter filter;
};

po::options_description describe(TopCommand& o) {
    po::options_description shown;
    describe_inputs(shown, o.input);
    auto add = shown.add_options();
    add("by", po::value(&o.by)->value_name("PATH"),
        "show the instances with the largest values of these counters, such as '\\Process(*)\\Working Set'");
    describe_summary(shown, o.statistics,
                     "largest first in this column (default mean; delta and slope of processes: of private bytes)",
                     "number of rows (default 10)");
    add("from",
        po::value<std::string>()->value_name("TIME")->notifier([&o](const std::string& text) { o.from = text; }),
        "start at the first sample at or after this time");
    add("to", po::value<std::string>()->value_name("TIME")->notifier([&o](const std::string& text) { o.to = text; }),
        "stop at the last sample at or before this time");
    add("all-instances", po::bool_switch(&o.top.all_instances),
        "include _Total and Idle, which are left out unless --by, --path or --instance names them");
    add("format", choice(o.format_name, "table json jsonl csv"), "output format (default table)");
    add("tz", po::value(&o.zone)->value_name("ZONE"),
        "time zone for --from and --to: NAME,BIAS, where BIAS is UTC minus local time, in minutes");
    return shown;
}

/// Returns whether a filter names an instance that is left out by default.
bool names_total(const TopCommand& o) {
    const auto names = [](const std::string& text) {
        const std::string folded = fold_case(text);
        return folded.contains(fold_case("_total")) || folded.contains(fold_case("(idle")) ||
               folded == fold_case("idle");
    };
    return names(o.by) || std::ranges::any_of(o.input.paths, names) || std::ranges::any_of(o.input.instances, names);
}

/// Sets the members of `o` that depend on the options. Returns the error message; empty on success.
std::string take_options(TopCommand& o) {
    o.format = format_of(o.format_name).value_or(Format::table);
    if (!o.zone.empty()) {
        o.write.zone = parse_zone(o.zone);
        if (!o.write.zone)
            return fmt::format("--tz: expected NAME,BIAS such as 'Pacific Standard Time,480', found '{}'", o.zone);
    }
    Range& range = o.how.range;
    const std::int32_t bias = o.write.zone ? o.write.zone->bias : 0;
    if (std::string wrong = read_bound("--from", o.from, bias, range.from, range.first); !wrong.empty()) return wrong;
    if (std::string wrong = read_bound("--to", o.to, bias, range.to, range.last); !wrong.empty()) return wrong;
    if (std::string wrong = read_summary(o.statistics, o.top.sort, o.top.top); !wrong.empty()) return wrong;
    o.top.processes = o.by.empty() && o.input.paths.empty() && o.input.counters.empty();
    o.top.all_instances = o.top.all_instances || names_total(o);
    if (!o.by.empty()) o.input.paths.push_back(o.by);
    o.how.one_source = !o.input.only;
    o.write.cooked = o.write.one_pass = true;
    if (std::string wrong = make_filter(o.input, o.filter); !wrong.empty()) return wrong;
    constexpr std::uint64_t two = 2;  // samples of a machine: rates need two
    if (std::string wrong = check_inputs(o.input, two, o.how.limits); !wrong.empty()) return wrong;
    o.write.series = o.how.limits.series;
    o.write.names = o.how.limits.names;
    o.write.statistics = o.how.limits.statistics;
    o.write.width = output_width();
    return {};
}

/// Passes all samples to the writer. Returns their number.
std::uint32_t read_all(TopCommand& o, Input& input, Writer& writer, Diagnostics& diagnostics) {
    Progress progress(false);
    std::vector<Selected> selected;
    std::string out;
    std::uint32_t count = 0;
    for (Reader& reader = input.reader(); reader.next(); progress.show(++count)) {
        if (o.input.strict && diagnostics.any_fault()) break;
        o.filter.select(reader.sample(), selected);
        writer.sample(reader.sample(), selected, &reader.cooker(), out);
    }
    report_limit(o.filter, diagnostics);
    return count;
}

}  // namespace

Description describe_top() {
    TopCommand o;
    return {top_help, describe(o)};
}

Exit top(const Strings& arguments) {
    TopCommand o;
    if (const auto done = parse_options("top", arguments, describe(o), o.input.inputs, top_help)) return *done;
    if (const std::string wrong = take_options(o); !wrong.empty()) return usage_error("top", wrong);
    Diagnostics diagnostics;
    Input input(o.input, o.how, diagnostics);
    o.write.titles = &input.reader().titles();
    o.write.drain = [](std::string& text) { write_out(text); };
    const auto writer = make_top_writer(o.format, o.write, o.how.cook, o.top);
    const std::uint32_t count = read_all(o, input, *writer, diagnostics);
    std::string out;
    writer->end(diagnostics, out);
    write_out(out);
    const Exit found = conclude("top", o.input, diagnostics, count, o.filter);
    if (input.live() != nullptr) return_if_abandoned(*input.live(), found);
    if (found != Exit::good || count != 0) return found;
    const bool ranged = o.from || o.to;
    fmt::print(stderr, "hkpd top: no sample in the {}\n", ranged ? "range" : "input");
    return ranged ? Exit::usage : Exit::good;
}

}  // namespace hkpd::command
