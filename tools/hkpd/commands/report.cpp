// `hkpd report`: one HTML page with the findings of rules and with charts.
#include "hkpd/report.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/sample_run.hpp"
#include "flags/input_options.hpp"
#include "flags/rules_option.hpp"
#include "flags/time_options.hpp"
#include "hkpd/diagnostics.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/cause.hpp"
#include "terminal/input_list.hpp"
#include "terminal/output_file.hpp"

namespace hkpd::command {
namespace {

constexpr HelpText report_help{
    .question = "What was wrong with this machine, on one page that can be sent?",
    .usage = "[OPTION]... INPUT... -o FILE",
    .prose =
        "Writes one HTML page that a person reads instead of a log: what exceeds a threshold, when and how long, "
        "charts "
        "of processor, memory, disks, network and processes, and every counter that varied. The page needs no other "
        "file and no network.",
    .usual = "output rules answer baseline from to path object title theme tz",
    .examples =
        "hkpd report perf.blg -o report.html\n"
        "hkpd report perf.blg --from -1h -o report.html\n"
        "hkpd report after.blg --baseline before.blg -o report.html\n"
        "hkpd report perf.blg --rules SystemOverview.xml --answer PhysicalMemory=32 -o report.html\n",
    .details =
        "Rules are those of hkpd (--rules windows) or of a file of PAL (Performance Analysis of Logs). Thresholds with "
        "a script that is more than arithmetic are not evaluated; the page lists them. A log has at most 960 points "
        "of time in a chart; each shows the smallest, mean and largest value, so that no peak is lost. Commands on the "
        "page print the values themselves. --baseline compares with another log: what changed most, and both curves. "
        "Exit code 1: the input was damaged.\n",
    .input_details = log_details,
    .shared_details = time_details,
    .redact_details = redact_details};

struct ReportCommand {
    ReportCommand() { input.live.usual_count = 2; }  // rates need two samples

    InputOptions input;
    ReaderOptions how;
    WriteOptions write;
    ReportOptions report;
    TimeOptions times;
    RulesChoice rules;
    std::string output, theme = "auto";
    std::optional<std::string> baseline;
    Filter filter;
};

po::options_description describe(ReportCommand& o) {
    po::options_description shown;
    describe_inputs(shown, o.input);
    describe_interface(shown, o.input);
    describe_range(shown, o.times);
    describe_zone(shown, o.times);
    describe_rules(shown, o.rules);
    describe_output(shown, o.output);
    describe_redact(shown, o.input.redact);
    auto add = shown.add_options();
    add("baseline", text_option(o.baseline, "INPUT"), "an earlier log, with which INPUT is compared");
    add("title", po::value(&o.report.title)->value_name("TEXT"), "heading of the page (default: the machine)");
    add("theme", choice(o.theme, "auto light dark"), "colours (default auto: as the reader's system)");
    return shown;
}

/// Sets the members of `o` that depend on the options. Returns the error message; empty on success.
std::string take_options(ReportCommand& o) {
    if (std::string wrong = check_zone(o.times); !wrong.empty()) return wrong;
    if (std::string wrong = check_range(o.times, o.input); !wrong.empty()) return wrong;
    o.write.zone = o.times.zone;
    o.how.one_source = !o.input.only;
    o.write.cooked = o.write.one_pass = true;
    if (std::string wrong = make_filter(o.input, o.filter); !wrong.empty()) return wrong;
    if (std::string wrong = check_inputs(o.input, o.how.limits); !wrong.empty()) return wrong;
    use_limits(o.write, o.how.limits);
    o.report.theme = report_theme_of(o.theme).value_or(ReportTheme::automatic);
    for (const std::string& input : all_inputs(o.input)) o.report.inputs.push_back(shown_input(o.input.redact, input));
    o.report.has_baseline = o.baseline.has_value();
    o.report.whole = !selects_any(o.input);
    o.report.all_instances = o.input.instances.empty() && o.input.paths.empty();
    if (o.baseline) o.report.baseline = shown_input(o.input.redact, *o.baseline);
    for (const auto& [name, bound] : {std::pair("--from", &o.times.from), std::pair("--to", &o.times.to)})
        if (bound->text) o.report.command_options.insert(o.report.command_options.end(), {name, *bound->text});
    return check_output(o.input, o.output, {o.rules.file, o.baseline.value_or("")});
}

/// Returns the options of the baseline: those of the inputs, with another file.
InputOptions options_of(const std::string& baseline, const ReportCommand& o) {
    InputOptions options = o.input;
    options.inputs = {baseline};
    options.v2 = {};
    options.live = {};
    return options;
}

/// Passes all samples of the baseline to the writer. Returns their number.
std::uint64_t pass_baseline(const ReportCommand& o, Reader& baseline, Diagnostics& diagnostics, Writer& writer) {
    Filter filter = o.filter;
    std::string out;
    return visit_samples(baseline, filter, o.input.strict, diagnostics,
                         [&](Reader& reader, std::span<const Selected> selected) {
                             writer.sample(reader.sample(), selected, &reader.cooker(), out);
                             return true;
                         });
}

}  // namespace

Description describe_report() {
    ReportCommand o;
    return {report_help, describe(o)};
}

Exit report(const Strings& arguments) {
    ReportCommand o;
    if (const auto done = parse_options("report", arguments, describe(o), o.input.inputs, report_help)) return *done;
    if (const auto failed = prepare_redaction("report", o.input.redact)) return *failed;
    if (const auto failed = take_inputs("report", o.input.inputs, o.input.recursive)) return *failed;
    if (const auto failed = read_path_files("report", o.input)) return *failed;
    if (const std::string wrong = take_options(o); !wrong.empty()) return usage_error("report", wrong);
    auto rules = read_rules(o.rules);
    if (!rules) return usage_error("report", rules.error());
    OutputFile file("report", o.output);
    if (file.to_terminal()) return usage_error("report", "a page is for a browser: expected -o FILE");
    if (!file.open()) return exit_of(Cause::unwritable);
    SampleRun run{.request = {"report", o.input, o.times}, .how = o.how};
    run.shows_samples = false;
    run.run.filter = o.filter;
    std::optional<Input> baseline;  // its titles name the series to the end
    std::uint64_t baseline_samples = 0;
    run.run.make_writer = [&](Reader& reader, Diagnostics& diagnostics, const Sink& /*drain*/) {
        if (o.baseline) baseline.emplace(options_of(*o.baseline, o), o.how, diagnostics);
        WriteOptions how = o.write;
        how.titles = &(baseline ? baseline->reader() : reader).titles();
        auto writer = make_report_writer(o.report, how, o.how.cook, std::move(*rules));
        if (baseline) baseline_samples = pass_baseline(o, baseline->reader(), diagnostics, *writer);
        if (baseline) writer->end_baseline(reader.titles());
        return writer;
    };
    run.before_finish = [&](Exit found, const RunCount& count) {
        if (!baseline || baseline_samples != 0 || count.samples == 0 || found != Exit::good) return found;
        return end_with("report", Cause::nothing_compared, fmt::format("no sample in the baseline {}", *o.baseline));
    };
    return run_samples(run, file);
}

}  // namespace hkpd::command
