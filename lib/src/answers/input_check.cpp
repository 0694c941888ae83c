// The check of inputs.
#include "hkpd/input_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "answers/checked_source.hpp"
#include "answers/sorted_inputs.hpp"
#include "base/foreign_file.hpp"
#include "base/path.hpp"
#include "hkpd/reader.hpp"
#include "source/whole_file.hpp"

namespace hkpd {
namespace {

/// The objects of a machine in all V1 samples of the run.
struct SeenObjects {
    std::set<std::uint32_t> indices;
    std::uint32_t input = no_index;  ///< the input of the last sample

    void add(const Sample& sample) {
        for (const Object& object : sample.objects()) indices.insert(object.title_index);
        input = sample.origin.input;
    }
};

/// Returns the directory of a file.
std::string folder_of(const std::string& path) { return path_text(path_of(path).parent_path()); }

}  // namespace

struct InputCheck::State {
    explicit State(CheckOptions how) : options(std::move(how)), diagnostics(options.kept) {
        // These codes describe valid data, so diagnostics with these codes are notes, not faults.
        for (const Errc code : {Errc::machine_changed, Errc::counterset_unknown, Errc::counterset_assumed,
                                Errc::other_source, Errc::collected_too_often})
            diagnostics.take_as_note(code);
    }

    void check_title_files(const std::vector<std::string>& paths);
    void check_services();
    void take_services(Services read);
    void check_samples(std::unique_ptr<Source> source, const std::string& input,
                       const std::function<void()>& before_close);

    CheckOptions options;
    Diagnostics diagnostics;
    Services services;
    std::uint32_t services_input = 0;      // the input that the services are from
    std::deque<Services> former_services;  // those of earlier inputs, to which findings refer
    Findings findings{diagnostics, &services};
    TitleChecks title_checks{options.limits};
    std::vector<TitleTable> given;  // title databases among the inputs
    std::uint64_t samples = 0;
    bool is_finished = false;
};

InputCheck::InputCheck(CheckOptions options) : state_(std::make_unique<State>(std::move(options))) {}
InputCheck::InputCheck(InputCheck&&) noexcept = default;
InputCheck& InputCheck::operator=(InputCheck&&) noexcept = default;
InputCheck::~InputCheck() = default;

const Findings& InputCheck::findings() const noexcept { return state_->findings; }

Diagnostics& InputCheck::diagnostics() noexcept { return state_->diagnostics; }

CheckedInputs InputCheck::checked() const noexcept {
    return {.samples = state_->samples,
            .title_tables = state_->title_checks.tables(),
            .services = state_->services.all().size()};
}

std::string InputCheck::read_services(const std::string& path) {
    Diagnostics& diagnostics = state_->diagnostics;
    diagnostics.add_input(path);
    std::string content;
    if (std::string wrong = read_whole(path, content); !wrong.empty()) return wrong;
    auto read = hkpd::read_services(Bytes(std::as_bytes(std::span(content))), diagnostics);
    if (!read)
        return fmt::format(
            "{}: not a registry export ({}): expected what reg export or reg query of the key Services, or lodctr /q, "
            "writes",
            path, foreign_file(Bytes(std::as_bytes(std::span(content))).clip(0, foreign_beginning)).name);
    state_->take_services(std::move(*read));
    if (state_->services.all().empty())
        return fmt::format(R"({}: no service has a Performance key: export HKLM\SYSTEM\CurrentControlSet\Services)",
                           path);
    return {};
}

/// Takes the services of the last input. Findings of its faults refer to them.
void InputCheck::State::take_services(Services read) {
    former_services.push_back(std::move(services));
    services = std::move(read);
    services_input = diagnostics.last_input();
    findings.end_input(Titles());
}

void InputCheck::State::check_title_files(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
        if (is_lost_title_file(path)) {
            diagnostics.add_input(path);
            diagnostics.add({Errc::title_missing, 0, "title table", "content", 0, 0});
            continue;
        }
        for (TitleFile& file : read_title_files({path}, diagnostics)) {
            given.insert(given.end(), file.tables.begin(), file.tables.end());
            title_checks.add(folder_of(path), Bytes(std::as_bytes(std::span(file.content))), std::move(file.tables),
                             has_lost_titles(diagnostics, diagnostics.last_input()), diagnostics);
        }
        std::string content;  // an export without any titles is checked too
        if (title_checks.tables() == 0 && is_perflib_export(path) && read_whole(path, content).empty())
            title_checks.add(folder_of(path), Bytes(std::as_bytes(std::span(content))), {}, false, diagnostics);
        if (const std::string_view missing = missing_partner(path); !missing.empty())
            diagnostics.add({Errc::title_missing, 0, "title table", missing, 0, 0});
    }
}

/// Reports each provider whose titles are in none of the databases. The provider's objects have no names, so programs
/// cannot find these objects by name.
void InputCheck::State::check_services() {
    if (given.empty()) return;
    for (const PerformanceService& service : services.all()) {
        const auto has = [&service](const TitleTable& table) { return table.find(*service.first_counter).has_value(); };
        if (!service.first_counter || std::ranges::any_of(given, has)) continue;
        const FaultSink faults(diagnostics, {.input = services_input});
        faults.add({Errc::title_unnamed, service.offset, "service key", "First Counter", 0, *service.first_counter});
    }
}

void InputCheck::State::check_samples(std::unique_ptr<Source> source, const std::string& input,
                                      const std::function<void()>& before_close) {
    ReaderOptions how{.limits = options.limits,
                      .only = options.only,
                      .languages = options.languages,
                      .english_names = options.english_names};
    how.titles = load_titles(options.titles, options.languages, diagnostics);
    // Samples also get their names from the title databases among the inputs.
    for (const TitleTable& table : given) how.titles->add(table);
    how.input_titles = options.titles.empty();
    how.diagnostics = &diagnostics;
    auto made = std::make_unique<CheckedSource>(std::move(source), options.limits, title_checks);
    CheckedSource& checked = *made;
    Reader reader(std::move(made), std::move(how));
    checked.set_titles(reader.titles());
    if (options.samples != nullptr) options.samples->begin(reader, input);
    std::map<std::string, SeenObjects> seen;  // by machine
    while (reader.next()) {
        if (options.samples != nullptr) options.samples->sample(reader);
        if (options.missing && reader.sample().source == SampleSource::v1)
            seen[reader.sample().machine.value_or("")].add(reader.sample());
        findings.name(reader.sample(), reader.number(), reader.titles());
        ++samples;
    }
    for (const auto& [machine, objects] : seen)
        check_missing(objects.indices, machine, reader.titles(), &services,
                      FaultSink(diagnostics, {.input = objects.input}));
    findings.end_input(reader.titles());
    if (options.samples != nullptr) options.samples->end(diagnostics);
    if (before_close) before_close();
}

void InputCheck::check(const std::vector<std::string>& paths) {
    State& state = *state_;
    const Limits& limits = state.options.limits;
    const auto around = [&state](std::unique_ptr<Source> source) {
        return state.options.around ? state.options.around(std::move(source)) : std::move(source);
    };
    const bool recursive = state.options.subdirectories == Subdirectories::read;
    const SortedInputs sorted = sort_inputs(paths, limits, recursive);
    // When the samples of a directory are read, its V2 files are skipped with the code `v2_alone`. This is not a fault
    // here, because the V2 files are checked separately, after the samples.
    if (!sorted.v2.blocks.empty()) state.diagnostics.take_as_note(Errc::v2_alone);
    state.check_title_files(sorted.titles);
    for (const std::string& path : sorted.services) read_services(path);
    state.check_services();
    for (const std::string& path : sorted.samples)
        state.check_samples(around(open_files({path}, limits, state.options.subdirectories, state.options.log_zones,
                                              state.options.encoding)),
                            path, {});
    if (!sorted.v2.blocks.empty()) check(sorted.v2);
}

void InputCheck::check(const V2Files& v2) {
    auto source = open_inputs({}, v2, state_->options.limits);
    if (state_->options.around) source = state_->options.around(std::move(source));
    state_->check_samples(std::move(source), "", {});
}

void InputCheck::check(std::unique_ptr<Source> source, const std::function<void()>& before_close) {
    state_->check_samples(std::move(source), "", before_close);
}

void InputCheck::finish() {
    if (std::exchange(state_->is_finished, true)) return;
    state_->title_checks.finish(state_->diagnostics);
    state_->findings.end_input(Titles());
}

InputCheck check(const std::vector<std::string>& paths, CheckOptions options) {
    InputCheck made(std::move(options));
    made.check(paths);
    made.finish();
    return made;
}

}  // namespace hkpd
