// `hkpd check`: faults of performance data and of title databases, and what exceeds a threshold.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "flags/format_option.hpp"
#include "flags/input_options.hpp"
#include "flags/rules_option.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/input_check.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/report.hpp"
#include "hkpd/rule_check.hpp"
#include "hkpd/run.hpp"
#include "hkpd/version.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/cause.hpp"
#include "terminal/input_list.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

struct CheckCommand {
    InputOptions input;
    std::string services, output, format = "text";
    RulesChoice rules;
    bool missing = false, allow_none = false;
};

po::options_description describe(CheckCommand& o) {
    po::options_description shown;
    describe_sources(shown, o.input);
    describe_interface(shown, o.input);
    describe_format(shown, o.format, {"text", "json", "sarif"});
    describe_rules(shown, o.rules);
    describe_output(shown, o.output);
    auto add = shown.add_options();
    add("allow-none", po::bool_switch(&o.allow_none), "with --rules: an input without evaluated thresholds is good");
    add("services", po::value(&o.services)->value_name("FILE"),
        "reg export, reg query, lodctr /q: names the providers");
    add("missing", po::bool_switch(&o.missing), "also report objects with a title and no V1 sample");
    return shown;
}

constexpr HelpText check_help{
    .question = "Is the data valid, and does anything exceed a threshold?",
    .usage = "[OPTION]... INPUT...\n[OPTION]... --live",
    .prose =
        "Finds the faults of performance data and of its title databases, with offset, rule, Windows event, provider "
        "and repair; with --rules also what exceeds a threshold. INPUT is a file of blobs, a capture, a performance "
        "log (.blg, .csv, .tsv, text of Get-Counter), a title database (counter-009.txt, reg export or reg query of "
        "the Perflib "
        "key), a list of providers (lodctr /q), a directory of such files, or - for standard input. Exit code 0: "
        "neither faults nor findings (notes are none), 1: any, 2: --rules evaluated no threshold.",
    .usual = "rules answer services missing format output titles v2 recursive live verbose",
    .examples =
        "hkpd check perf.blg\n"
        "hkpd check perf.blg --rules windows\n"
        "hkpd check perflib.reg counter-007.txt\n"
        "hkpd check --live --services services.reg\n"
        "hkpd check blobs/ --format sarif > faults.sarif\n",
    .details =
        "The title databases of a directory belong to one machine and are checked against each other, those in a "
        "registry export also against Last Counter and Last Help.\n"
        "The FILE of --services is the output of reg export HKLM\\SYSTEM\\CurrentControlSet\\Services FILE, of reg "
        "query /s of the same key, or of lodctr /q. --missing reports objects of Windows, and of the providers in that "
        "file.\n",
    .input_details = log_details};

/// The rules that are evaluated over the samples of each input.
class RuleChecks final : public SampleChecks {
  public:
    RuleChecks(const RulesChoice& choice, const Limits& limits) : choice_(choice), limits_(limits) {}

    void begin(const Reader& reader, const std::string& input) override {
        rules_.emplace(*read_rules(choice_), reader.titles(), limits_, CookOptions{});
        input_ = input;
    }
    void sample(Reader& reader) override {
        everything_.select(reader.sample(), selected_);
        if (rules_) rules_->add(reader.sample(), selected_, reader.cooker());
    }
    void end(Diagnostics& diagnostics) override {
        if (!rules_) return;
        results_.push_back(rules_->finish(diagnostics));
        results_.back().input = input_;
    }
    std::span<const RuleResults> results() const noexcept { return results_; }

  private:
    const RulesChoice& choice_;
    const Limits& limits_;
    std::optional<RuleCheck> rules_;
    std::string input_;
    Filter everything_;
    std::vector<Selected> selected_;
    std::vector<RuleResults> results_;  // for each input with samples
};

class Check {
  public:
    /// The findings are written to `file`.
    Check(CheckCommand options, const Limits& limits, OutputFile& file)
        : options_(std::move(options)), limits_(limits), file_(file), check_(how()) {}

    Exit run() {
        if (!options_.services.empty())
            if (const std::string wrong = check_.read_services(options_.services); !wrong.empty()) {
                complain("check", wrong);
                return exit_of(Cause::unreadable);
            }
        const InputOptions& input = options_.input;
        check_.check(input.inputs);
        if (!input.v2.blocks.empty() || !input.v2.registrations.empty()) check_.check(input.v2);
        if (!input.live.any()) return show();
        auto live = std::make_unique<LiveInput>(input.live, check_.diagnostics());
        const LiveInput& machine = *live;
        check_.check(std::move(live), [&] {
            if (machine.was_abandoned()) return_if_abandoned(machine, show());
        });
        return show();
    }

  private:
    CheckOptions how() {
        CheckOptions made{.limits = limits_,
                          .log_zones = options_.input.log_zones,
                          .encoding = options_.input.encoding,
                          .titles = options_.input.titles,
                          .languages = options_.input.languages,
                          .english_names = options_.input.english_names,
                          .only = options_.input.only,
                          .subdirectories = subdirectories_of(options_.input.recursive),
                          .missing = options_.missing};
        if (!options_.rules.file.empty()) made.samples = &rules_;
        if (shows_progress(false)) made.around = with_progress;
        return made;
    }

    Exit show() {
        check_.finish();
        const Findings& findings = check_.findings();
        const CheckedInputs checked = check_.checked();
        std::string out;
        if (options_.format == "json")
            append_findings_json(out, findings, checked, rules_.results());
        else if (options_.format == "sarif")
            append_findings_sarif(out, findings, linked_version(), rules_.results());
        else
            append_findings_text(out, findings, checked, options_.input.verbose, rules_.results());
        file_.write(out);
        const Cause cause = cause_of_end();
        const Exit unmatched = report_unmatched("check", options_.input.live, {UnmatchedQuery::Kind::index});
        if (unmatched != Exit::good) return file_.finish(std::max(unmatched, exit_of(cause)), false, {});
        if (cause == Cause::nothing_evaluated) {
            const RuleResults& none = *without_threshold();
            return file_.finish(end_with("check", cause, none.input, none.thresholds), false, {checked.samples});
        }
        // A program that reads the findings, or only the exit code, has a reason on standard error, too.
        if (cause == Cause::unreadable)
            complain("check", "an input is missing, cannot be read, or is no performance data: see the findings");
        if (cause == Cause::nothing_checked) return file_.finish(end_with("check", cause), false, {checked.samples});
        if (cause == Cause::other_source && options_.input.only)
            return file_.finish(end_with("check", cause, source_name(*options_.input.only)), false, {});
        return file_.finish(exit_of(cause), true, {checked.samples});
    }

    /// Returns the first input for which no threshold was evaluated; null if there is none, or it is accepted.
    const RuleResults* without_threshold() const {
        if (options_.allow_none) return nullptr;
        const auto is_none = [](const RuleResults& input) {
            return input.thresholds != 0 && input.not_evaluated.size() == input.thresholds;
        };
        const std::span<const RuleResults> all = rules_.results();
        const auto found = std::ranges::find_if(all, is_none);
        return found == all.end() ? nullptr : &*found;
    }

    Cause cause_of_end() const {
        const CheckedInputs checked = check_.checked();
        const Diagnostics& diagnostics = check_.findings().diagnostics();
        const bool nothing = checked.samples + checked.title_tables + checked.services == 0;
        if (cause_of(diagnostics) == Cause::unreadable) return Cause::unreadable;
        const bool is_empty_query = !options_.input.live.unmatched->all().empty();
        if (nothing && options_.input.live.any() && !is_empty_query) return Cause::silent_machine;
        const auto has_findings = [](const RuleResults& input) { return !input.findings.empty(); };
        if (diagnostics.any_fault() || std::ranges::any_of(rules_.results(), has_findings)) return Cause::findings;
        if (options_.input.only && checked.samples == 0) return Cause::other_source;
        if (nothing) return Cause::nothing_checked;
        return without_threshold() != nullptr ? Cause::nothing_evaluated : Cause::success;
    }

    CheckCommand options_;
    Limits limits_;
    OutputFile& file_;
    RuleChecks rules_{options_.rules, limits_};
    InputCheck check_;
};

}  // namespace

Description describe_check() {
    CheckCommand o;
    return {check_help, describe(o)};
}

Exit check(const Strings& arguments) {
    CheckCommand options;
    Limits limits;
    if (const auto done = parse_options("check", arguments, describe(options), options.input.inputs, check_help))
        return *done;
    if (const auto failed = take_inputs("check", options.input.inputs, options.input.recursive)) return *failed;
    const bool services_alone = !options.services.empty() && options.input.inputs.empty() &&
                                options.input.v2.blocks.empty() && !options.input.live.any();
    if (const std::string wrong = check_inputs(options.input, limits); !wrong.empty() && !services_alone)
        return usage_error("check", wrong);
    if (const std::string wrong = check_output(options.input, options.output, {options.services, options.rules.file});
        !wrong.empty())
        return usage_error("check", wrong);
    if (options.rules.file.empty() && !options.rules.answers.empty())
        return usage_error("check", "--answer requires --rules");
    if (options.rules.file.empty() && options.allow_none) return usage_error("check", "--allow-none requires --rules");
    if (!options.rules.file.empty())
        if (const auto rules = read_rules(options.rules); !rules) return usage_error("check", rules.error());
    OutputFile file("check", options.output);
    if (!file.open()) return exit_of(Cause::unwritable);
    return Check(std::move(options), limits, file).run();
}

}  // namespace hkpd::command
