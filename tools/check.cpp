#include "hkpd/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checked_source.hpp"
#include "hkpd/path.hpp"
#include "hkpd/replay.hpp"
#include "hkpd/write/findings.hpp"
#include "input_options.hpp"
#include "progress.hpp"

namespace hkpd::command {
namespace {

struct CheckOptions {
    InputOptions input;
    std::string services, format = "text";
};

po::options_description describe(CheckOptions& o) {
    po::options_description shown = new_options();
    describe_sources(shown, o.input);
    auto add = shown.add_options();
    add("services", po::value(&o.services)->value_name("FILE"),
        "who provides what: reg export HKLM\\SYSTEM\\CurrentControlSet\\Services FILE");
    add("format", po::value(&o.format)->value_name("F"), "text (default), json or sarif");
    return shown;
}

constexpr HelpText help{
    "usage: hkpd check [OPTION]... INPUT...\n       hkpd check [OPTION]... --live\n\n"
    "Finds every fault of performance data and of the title databases behind it: where it is, what the rule\n"
    "is, what Windows logs of it, whose it is and what repairs it. INPUT is a file of blobs, a capture, a title\n"
    "database (counter-009.txt, reg export of the Perflib key), a directory of such files, or - for standard\n"
    "input. Title databases of one directory are one machine's, and are checked against each other.\n"
    "Exit code 0: no faults (notes are none), 1: faults.\n\n",
    "\n  hkpd check capture.mcap\n"
    "  hkpd check perflib.reg                    # reg export \"HKLM\\SOFTWARE\\Microsoft\\Windows NT\\"
    "CurrentVersion\\Perflib\"\n"
    "  hkpd check --live --services services.reg\n"
    "  hkpd check blobs/ --format sarif > faults.sarif\n"};

/// The inputs by what they are.
struct SortedInputs {
    Strings samples, titles;
};

/// A directory that has title databases alone is these.
SortedInputs sort_inputs(const Strings& inputs, const Limits& limits) {
    SortedInputs sorted;
    for (const std::string& input : inputs) {
        std::error_code error;
        Strings files = is_directory(input) ? files_in(input, error) : Strings{input};
        const bool readable = input != "-" && !error;
        const Strings titles = readable ? take_title_files(files, limits) : Strings{};
        if (files.empty() && !titles.empty())
            sorted.titles.insert(sorted.titles.end(), titles.begin(), titles.end());
        else
            sorted.samples.push_back(input);
    }
    return sorted;
}

/// What is wrong with the file; else nothing.
std::string load_services(const std::string& path, Services& services, Diagnostics& diagnostics) {
    if (path.empty()) return {};
    diagnostics.enter_input(path);
    std::string content;
    if (std::string wrong = read_whole(path, content); !wrong.empty()) return wrong;
    auto read = read_services(Bytes(std::as_bytes(std::span(content))), diagnostics);
    if (!read) return fmt::format("{}: this is no registry export", path);
    services = std::move(*read);
    if (services.all().empty())
        return fmt::format(
            "{}: no service in it has a key Performance: export "
            "HKLM\\SYSTEM\\CurrentControlSet\\Services",
            path);
    return {};
}

class Check {
  public:
    Check(CheckOptions options, const Limits& limits) : options_(std::move(options)), limits_(limits) {}

    Exit run() {
        if (const std::string wrong = load_services(options_.services, services_, diagnostics_); !wrong.empty()) {
            fmt::print(stderr, "hkpd check: {}\n", wrong);
            return Exit::unreadable;
        }
        const SortedInputs sorted = sort_inputs(options_.input.inputs, limits_);
        check_title_files(sorted.titles);
        InputOptions input = options_.input;
        // Each by itself: files may be of different machines and days.
        for (const std::string& path : sorted.samples) {
            input.inputs = {path};
            input.v2.blocks.clear();
            if (!stopped()) check_samples(input);
        }
        input.inputs.clear();
        input.v2 = options_.input.v2;
        if (!stopped() && (!input.v2.blocks.empty() || input.live.any())) check_samples(input);
        return show();
    }

  private:
    bool stopped() const noexcept { return options_.input.strict && diagnostics_.any_fault(); }

    void check_title_files(const Strings& paths) {
        for (const std::string& path : paths) {
            for (TitleFile& file : read_title_files({path}, diagnostics_)) {
                given_.insert(given_.end(), file.tables.begin(), file.tables.end());
                const auto folder = path_text(path_of(path).parent_path());
                doctor_.add(folder, Bytes(std::as_bytes(std::span(file.content))), std::move(file.tables),
                            diagnostics_);
            }
        }
    }

    void check_samples(const InputOptions& options) {
        Input input(options, limits_, {}, diagnostics_, [this](std::unique_ptr<Source> source, Titles& titles) {
            // What was given to be checked names the rest too.
            for (const TitleTable& table : given_) titles.add(table);
            return std::make_unique<CheckedSource>(std::move(source), titles, limits_, doctor_);
        });
        Replay replay(input.reader(), {});
        Progress progress(false);
        while (!stopped() && replay.next(diagnostics_)) {
            findings_.name(replay.sample(), replay.number(), input.titles());
            progress.show(static_cast<std::uint32_t>(++checked_.samples));
        }
        findings_.end_input(input.titles());
        if (input.live() != nullptr && input.live()->was_abandoned()) leave_if_abandoned(*input.live(), show());
    }

    Exit show() {
        doctor_.finish(diagnostics_);
        findings_.end_input(Titles());
        checked_.title_tables = doctor_.tables();
        checked_.services = services_.all().size();
        std::string out;
        if (options_.format == "json")
            append_findings_json(out, findings_, checked_);
        else if (options_.format == "sarif")
            append_findings_sarif(out, findings_, HKPD_VERSION);
        else
            append_findings_text(out, findings_, checked_, options_.input.verbose);
        write_out(out);
        const bool unreadable = std::ranges::any_of(
            diagnostics_.kept(), [](const Diagnostic& d) { return d.error.code == Errc::cannot_read; });
        if (unreadable) return Exit::unreadable;
        return diagnostics_.any_fault() ? Exit::damaged : Exit::good;
    }

    CheckOptions options_;
    Limits limits_;
    Diagnostics diagnostics_;
    Services services_;
    Findings findings_{diagnostics_, &services_};
    TitleDoctor doctor_;
    std::vector<TitleTable> given_;  // title databases that are inputs themselves
    CheckedInputs checked_;
};

}  // namespace

Exit check(const Strings& arguments) {
    CheckOptions options;
    Limits limits;
    if (const auto done = parse_options("check", arguments, describe(options), options.input.inputs, help))
        return *done;
    if (options.format != "text" && options.format != "json" && options.format != "sarif")
        return usage_error("check", fmt::format("unknown format '{}': text, json or sarif", options.format));
    if (const std::string wrong = check_inputs(options.input, 1, limits); !wrong.empty())
        return usage_error("check", wrong);
    return Check(std::move(options), limits).run();
}

}  // namespace hkpd::command
