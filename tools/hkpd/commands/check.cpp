#include "hkpd/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "commands/checked_source.hpp"
#include "flags/format_option.hpp"
#include "flags/input_options.hpp"
#include "flags/rules_option.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/map.hpp"
#include "hkpd/rule_check.hpp"
#include "hkpd/run.hpp"
#include "hkpd/version.hpp"
#include "hkpd/write.hpp"
#include "source/manifest.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/cause.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

/// Maximum number of faults listed for each severity. Further faults are only counted.
constexpr std::size_t most_kept = 20'000;

struct CheckOptions {
    InputOptions input;
    std::string services, output, format = "text";
    RulesChoice rules;
    bool missing = false;
};

po::options_description describe(CheckOptions& o) {
    po::options_description shown;
    describe_sources(shown, o.input);
    describe_interface(shown, o.input);
    describe_format(shown, o.format, {"text", "json", "sarif"});
    describe_rules(shown, o.rules);
    describe_output(shown, o.output);
    auto add = shown.add_options();
    add("services", po::value(&o.services)->value_name("FILE"), "reg export of the key Services: names the providers");
    add("missing", po::bool_switch(&o.missing), "also report objects with a title and no V1 sample");
    return shown;
}

constexpr HelpText check_help{
    .usage = "[OPTION]... INPUT...\n[OPTION]... --live",
    .prose =
        "Finds the faults of performance data and of its title databases, with the offset, the rule, the Windows "
        "event, the provider and the repair of each. INPUT is a file of blobs, a capture, a performance log (.blg), a "
        "title database (counter-009.txt, reg export of the Perflib key), a directory of such files, or - for "
        "standard input. With --rules: also finds what exceeds a threshold. Exit code 0: no faults and findings (notes "
        "are no faults), 1: any.",
    .usual = "rules answer services missing format output titles v2 recursive live verbose",
    .examples =
        "hkpd check capture.mcap\n"
        "hkpd check perf.blg --rules windows\n"
        "hkpd check perflib.reg counter-007.txt\n"
        "hkpd check --live --services services.reg\n"
        "hkpd check blobs/ --format sarif > faults.sarif\n",
    .details =
        "The title databases of a directory belong to one machine and are checked against each other, those in a "
        "registry export also against Last Counter and Last Help.\n"
        "The FILE of --services is the output of reg export HKLM\\SYSTEM\\CurrentControlSet\\Services FILE. --missing "
        "reports objects of Windows, and of the providers in that file.\n"};

/// The inputs by kind.
struct SortedInputs {
    Strings samples, titles;
    V2Files v2;
};

/// Returns the kind of V2 data in a file, detected by content; none for other files.
std::optional<MapForm> v2_form(const std::string& path) {
    // Captures and logs are the largest inputs and can be recognised without reading them into memory.
    FileStream file(path);
    if (CaptureReader::is_capture(file) || is_log(file)) return std::nullopt;
    std::string content;
    if (!read_whole(path, content).empty()) return std::nullopt;
    const auto form = map_form_of(Bytes(std::as_bytes(std::span(content))));
    return form == MapForm::v1 ? std::nullopt : form;
}

/// Returns whether a file is an export of the Perflib key, possibly without any titles.
bool is_perflib_export(const std::string& path) {
    if (!path.ends_with(".reg")) return false;
    std::string content;
    if (!read_whole(path, content).empty()) return false;
    const PerflibValues values = read_perflib_values(Bytes(std::as_bytes(std::span(content))), {});
    return values.last_counter || values.last_help || values.base_index;
}

/// Moves the files with V2 data from the list `files` to the lists in `v2`.
void take_v2_files(Strings& files, V2Files& v2) {
    std::erase_if(files, [&v2](const std::string& path) {
        const auto form = v2_form(path);
        if (!form) return false;
        if (form == MapForm::v2_data)
            v2.blocks.push_back(path);
        else
            (form == MapForm::identifiers ? v2.identifiers : v2.registrations).push_back(path);
        return true;
    });
}

/// Sorts the inputs by kind. A directory is one input with samples, unless it has only title databases and V2 data. In
/// that case, and unless its subdirectories are read too, each of its files is sorted separately.
SortedInputs sort_inputs(const Strings& inputs, const Limits& limits, bool recursive) {
    SortedInputs sorted;
    for (const std::string& input : inputs) {
        if (input == "-" || (recursive && is_directory(input))) {
            sorted.samples.push_back(input);
            continue;
        }
        std::error_code error;
        Strings files = is_directory(input) ? files_in(input, error) : Strings{input};
        if (std::ranges::any_of(files, is_manifest)) {  // the directory is read like the capture it was exported from
            sorted.samples.push_back(input);
            continue;
        }
        Strings titles = take_title_files(files, limits);
        const auto exports = std::ranges::stable_partition(files, std::not_fn(is_perflib_export));
        titles.insert(titles.end(), exports.begin(), exports.end());
        files.erase(exports.begin(), exports.end());
        take_v2_files(files, sorted.v2);
        const bool all_taken = files.empty() && !error && (!titles.empty() || !sorted.v2.blocks.empty());
        if (all_taken)
            sorted.titles.insert(sorted.titles.end(), titles.begin(), titles.end());
        else
            sorted.samples.push_back(input);
    }
    // There must be one file of identifiers for all blocks, or one for each block. Otherwise it is unknown to which
    // block each file belongs, and no file of identifiers is used. The number of files can be wrong because identifiers
    // have no signature, so `v2_form` can take another file for identifiers by mistake.
    if (sorted.v2.identifiers.size() > 1 && sorted.v2.identifiers.size() != sorted.v2.blocks.size())
        sorted.v2.identifiers.clear();
    return sorted;
}

/// Reads the services of a registry export. Returns the error message; empty on success.
std::string load_services(const std::string& path, Services& services, Diagnostics& diagnostics) {
    if (path.empty()) return {};
    diagnostics.add_input(path);
    std::string content;
    if (std::string wrong = read_whole(path, content); !wrong.empty()) return wrong;
    auto read = read_services(Bytes(std::as_bytes(std::span(content))), diagnostics);
    if (!read) return fmt::format("{}: not a registry export", path);
    services = std::move(*read);
    if (services.all().empty())
        return fmt::format(R"({}: no service has a Performance key: export HKLM\SYSTEM\CurrentControlSet\Services)",
                           path);
    return {};
}

/// The objects of a machine in all V1 samples of the run.
struct SeenObjects {
    std::set<std::uint32_t> indices;
    std::uint32_t input = no_index;  ///< the input of the last sample

    void add(const Sample& sample) {
        for (const Object& object : sample.objects()) indices.insert(object.title_index);
        input = sample.origin.input;
    }
};

class Check {
  public:
    /// The findings are written to `file`.
    Check(CheckOptions options, const Limits& limits, OutputFile& file)
        : options_(std::move(options)), limits_(limits), file_(file) {
        options_.input.progress = shows_progress(false);
        rules_ = !options_.rules.file.empty();
    }

    Exit run() {
        // These codes describe valid data, so diagnostics with these codes are notes, not faults.
        for (const Errc code : {Errc::machine_changed, Errc::counterset_unknown, Errc::counterset_assumed,
                                Errc::other_source, Errc::collected_too_often})
            diagnostics_.take_as_note(code);
        if (const std::string wrong = load_services(options_.services, services_, diagnostics_); !wrong.empty()) {
            complain("check", wrong);
            return exit_of(Cause::unreadable);
        }
        const SortedInputs sorted = sort_inputs(options_.input.inputs, limits_, options_.input.recursive);
        // When the samples of a directory are read, its V2 files are skipped with the code `v2_alone`. This is not a
        // fault here, because the V2 files are checked separately, after the samples.
        if (!sorted.v2.blocks.empty()) diagnostics_.take_as_note(Errc::v2_alone);
        check_title_files(sorted.titles);
        check_services();
        InputOptions input = options_.input;
        input.v2.blocks.clear();
        // Each input is read separately, because inputs can be from different machines and days.
        for (const std::string& path : sorted.samples) {
            input.inputs = {path};
            check_samples(input);
        }
        input.inputs.clear();
        input.v2.blocks = sorted.v2.blocks;
        input.v2.identifiers = sorted.v2.identifiers;
        input.v2.registrations = sorted.v2.registrations;
        if (!input.v2.blocks.empty()) check_samples(input);
        input.v2 = options_.input.v2;
        if (!input.v2.blocks.empty() || input.live.any()) check_samples(input);
        return show();
    }

  private:
    void check_title_files(const Strings& paths) {
        for (const std::string& path : paths) {
            for (TitleFile& file : read_title_files({path}, diagnostics_)) {
                given_.insert(given_.end(), file.tables.begin(), file.tables.end());
                doctor_.add(folder_of(path), Bytes(std::as_bytes(std::span(file.content))), std::move(file.tables),
                            diagnostics_);
            }
            std::string content;  // an export without any titles is checked too
            if (doctor_.tables() == 0 && is_perflib_export(path) && read_whole(path, content).empty())
                doctor_.add(folder_of(path), Bytes(std::as_bytes(std::span(content))), {}, diagnostics_);
        }
    }

    static std::string folder_of(const std::string& path) { return path_text(path_of(path).parent_path()); }

    /// Reports each provider whose titles are in none of the databases. The provider's objects have no names, so
    /// programs cannot find these objects by name.
    void check_services() {
        if (given_.empty()) return;
        for (const PerformanceService& service : services_.all()) {
            const auto has = [&service](const TitleTable& table) {
                return table.find(*service.first_counter).has_value();
            };
            if (!service.first_counter || std::ranges::any_of(given_, has)) continue;
            const FaultSink faults(diagnostics_, {.input = 0});  // input 0 is the file of services
            faults.add(
                {Errc::title_unnamed, service.offset, "service key", "First Counter", 0, *service.first_counter});
        }
    }

    void check_samples(const InputOptions& options) {
        CheckedSource* checked = nullptr;
        const auto around = [&](std::unique_ptr<Source> source) {
            auto made = std::make_unique<CheckedSource>(std::move(source), limits_, doctor_);
            checked = made.get();
            return made;
        };
        // Samples also get their names from `given_`, the titles in the title databases among the inputs.
        Input input(options, {.limits = limits_}, diagnostics_, around, given_);
        Reader& reader = input.reader();
        checked->set_titles(reader.titles());
        std::map<std::string, SeenObjects> seen;  // by machine
        std::optional<RuleCheck> by_rules;
        if (rules_) by_rules.emplace(*read_rules(options_.rules), reader.titles(), limits_, CookOptions{});
        Filter everything;
        const auto add = [&](Reader& from, std::span<const Selected> selected) {
            const Sample& sample = from.sample();
            if (by_rules) by_rules->add(sample, selected, from.cooker());
            if (options_.missing && sample.source == SampleSource::v1) seen[sample.machine.value_or("")].add(sample);
            findings_.name(sample, from.number(), from.titles());
            return true;
        };
        checked_.samples += visit_samples(reader, by_rules ? &everything : nullptr, false, diagnostics_, add);
        for (const auto& [machine, objects] : seen)
            check_missing(objects.indices, machine, reader.titles(), &services_,
                          FaultSink(diagnostics_, {.input = objects.input}));
        findings_.end_input(reader.titles());
        if (by_rules) {
            results_.push_back(by_rules->finish(diagnostics_));
            results_.back().input = options.inputs.size() == 1 ? options.inputs.front() : "";
        }
        if (input.live() != nullptr && input.live()->was_abandoned()) return_if_abandoned(*input.live(), show());
    }

    Exit show() {
        doctor_.finish(diagnostics_);
        findings_.end_input(Titles());
        checked_.title_tables = doctor_.tables();
        checked_.services = services_.all().size();
        std::string out;
        if (options_.format == "json")
            append_findings_json(out, findings_, checked_, results_);
        else if (options_.format == "sarif")
            append_findings_sarif(out, findings_, linked_version(), results_);
        else
            append_findings_text(out, findings_, checked_, options_.input.verbose, results_);
        file_.write(out);
        const Cause cause = cause_of_end();
        if (cause == Cause::nothing_checked) return file_.finish(end_with("check", cause), false, {checked_.samples});
        return file_.finish(exit_of(cause), true, {checked_.samples});
    }

    Cause cause_of_end() const {
        const bool nothing = checked_.samples + checked_.title_tables + checked_.services == 0;
        if (cause_of(diagnostics_) == Cause::unreadable) return Cause::unreadable;
        if (nothing && options_.input.live.any()) return Cause::silent_machine;
        const auto has_findings = [](const RuleResults& input) { return !input.findings.empty(); };
        if (diagnostics_.any_fault() || std::ranges::any_of(results_, has_findings)) return Cause::findings;
        return nothing ? Cause::nothing_checked : Cause::success;
    }

    CheckOptions options_;
    Limits limits_;
    Diagnostics diagnostics_{most_kept};
    Services services_;
    Findings findings_{diagnostics_, &services_};
    TitleChecks doctor_{limits_};
    std::vector<TitleTable> given_;  // title databases among the inputs
    CheckedInputs checked_;
    bool rules_ = false;                // whether rules are evaluated
    std::vector<RuleResults> results_;  // for each input with samples
    OutputFile& file_;
};

}  // namespace

Description describe_check() {
    CheckOptions o;
    return {check_help, describe(o)};
}

Exit check(const Strings& arguments) {
    CheckOptions options;
    Limits limits;
    if (const auto done = parse_options("check", arguments, describe(options), options.input.inputs, check_help))
        return *done;
    const bool services_alone = !options.services.empty() && options.input.inputs.empty() &&
                                options.input.v2.blocks.empty() && !options.input.live.any();
    if (const std::string wrong = check_inputs(options.input, limits); !wrong.empty() && !services_alone)
        return usage_error("check", wrong);
    if (const std::string wrong = check_output(options.input, options.output, {options.services, options.rules.file});
        !wrong.empty())
        return usage_error("check", wrong);
    if (options.rules.file.empty() && !options.rules.answers.empty())
        return usage_error("check", "--answer requires --rules");
    if (!options.rules.file.empty())
        if (const auto rules = read_rules(options.rules); !rules) return usage_error("check", rules.error());
    OutputFile file("check", options.output);
    if (!file.open()) return exit_of(Cause::unwritable);
    return Check(std::move(options), limits, file).run();
}

}  // namespace hkpd::command
