#include "commands/sample_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "flags/jobs_option.hpp"
#include "hkpd/diagnostics.hpp"
#include "terminal/cause.hpp"
#include "terminal/host.hpp"
#include "terminal/input_file.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

/// The inputs of a part of a run, opened. The range of the reader refers to the options.
struct OpenedPart {
    InputOptions options;
    std::unique_ptr<Input> input;
};

/// Opens the inputs of a run, as often as it requests them.
class Opener {
  public:
    /// `progress`: whether reading shows the progress.
    Opener(const SampleRun& run, bool progress) : run_(run), options_(run.request.input), how_(run.how) {
        options_.progress = progress;
        if (!options_.jobs) set_range(run_.request.subcommand, run_.request.times, options_, how_);
    }

    /// Opens all inputs together.
    std::shared_ptr<Reader> open_all(Diagnostics& diagnostics) {
        if (opened_) start_.go_back();
        auto part = std::make_shared<OpenedPart>();
        part->input = std::make_unique<Input>(options_, how_, diagnostics);
        if (!opened_) opened_ = part;
        return {part, &part->input->reader()};
    }
    /// Opens one of the inputs.
    std::shared_ptr<Reader> open_one(std::size_t number, Diagnostics& diagnostics) const {
        auto part = std::make_shared<OpenedPart>(options_);
        part->options.inputs = {options_.inputs[number]};
        ReaderOptions how = run_.how;
        set_range(run_.request.subcommand, run_.request.times, part->options, how);
        part->input = std::make_unique<Input>(part->options, std::move(how), diagnostics);
        return {part, &part->input->reader()};
    }

    /// Returns the live input; null if the inputs are files.
    const LiveInput* live() const { return opened_ ? opened_->input->live() : nullptr; }

  private:
    const SampleRun& run_;
    InputOptions options_;
    ReaderOptions how_;
    InputStart start_;                    // of standard input
    std::shared_ptr<OpenedPart> opened_;  // first pass over all inputs together
};

/// Reports what matched nothing: filters, and what the machine does not have of a query. Returns the exit code.
Exit report_unmatched(const RunRequest& request, const RunCount& count) {
    Exit found = Exit::good;
    for (const auto& [text, nearest] : count.unmatched)
        found = end_with(request.subcommand, Cause::no_match, with_typed_names(request.input.redact, text),
                         did_you_mean(nearest));
    // The filters have the objects, and the reader the languages.
    found = std::max(found, report_unmatched(request.subcommand, request.input.live, {UnmatchedQuery::Kind::index}));
    return found;
}

/// Reports how a part ended, and returns the exit code.
Exit report_part(const SampleRun& o, const RunPart& part) {
    const Exit found = report_faults(o.request.input, part.diagnostics, part.count.samples);
    if (!part.failure.empty()) return end_with("", Cause::failure, part.failure);
    if (part.write_failure.empty()) return found;
    return end_with(o.request.subcommand, Cause::unwritable, fmt::format("'{}'", o.database), part.write_failure);
}

}  // namespace

Exit report_faults(const InputOptions& options, const Diagnostics& diagnostics, std::uint64_t samples) {
    if (options.strict && diagnostics.any_fault())
        return std::max(report(diagnostics, Verbosity::first_fault), exit_of(Cause::damaged));
    const Exit found = report(diagnostics, options.verbose ? Verbosity::notes_too : Verbosity::faults);
    const bool silent = samples == 0 && options.live.any() && found == exit_of(Cause::damaged);
    return silent ? exit_of(Cause::silent_machine) : found;
}

Exit report_selection(const RunRequest& request, const RunCount& count) {
    // A machine that has nothing of what was requested gives no sample.
    if (request.input.live.any() && count.samples == 0)
        if (const Exit found = report_unmatched(request, count); found != Exit::good) return found;
    if (count.samples == 0) {
        if (request.input.only)
            return end_with(request.subcommand, Cause::other_source, source_name(*request.input.only));
        if (is_ranged(request.times)) return end_with(request.subcommand, Cause::empty_range);
        if (!request.sample) return end_with(request.subcommand, Cause::no_sample);
        return usage_error(request.subcommand,
                           fmt::format("no sample {}: the {} has {} samples", *request.sample,
                                       request.input.jobs ? "longest input" : "input", count.longest));
    }
    return report_unmatched(request, count);
}

Exit conclude(const RunRequest& request, const Diagnostics& diagnostics, const RunCount& count) {
    const Exit found = report_faults(request.input, diagnostics, count.samples);
    return found == Exit::good ? report_selection(request, count) : found;
}

Exit run_samples(SampleRun& o, OutputFile& file) {
    const InputOptions& input = o.request.input;
    const bool several = input.jobs.has_value();
    Opener opener(o, !several && shows_progress(o.shows_samples && file.to_standard_output()));
    o.run.strict = input.strict;
    o.run.parts = several ? input.inputs.size() : 1;
    o.run.jobs = number_of_jobs(input);
    o.run.open = [&](std::size_t part, Diagnostics& diagnostics) {
        return several ? opener.open_one(part, diagnostics) : opener.open_all(diagnostics);
    };
    std::optional<InputProgress> progress;
    if (several) progress.emplace(o.run.parts, file.to_standard_output());
    Exit found = Exit::good;
    const auto ended = [&](const RunPart& part) {
        found = std::max(found, report_part(o, part));
        if (!several) return;
        progress->add();
        if (input.strict && found != Exit::good) end_at_once(found);
    };
    const RunCount count = write_run(o.run, [&file](std::string& text) { file.write(text); }, ended);
    progress.reset();
    if (found == Exit::good) found = report_selection(o.request, count);
    if (o.before_finish) found = o.before_finish(found, count);
    const bool stopped = input.strict && found != Exit::good;
    found = file.finish(found, is_complete(found, count.samples) && !stopped, {count.samples, count.values});
    found = conclude_redaction(o.request.subcommand, input.redact, found);
    if (opener.live() != nullptr) return_if_abandoned(*opener.live(), found);
    return found;
}

}  // namespace hkpd::command
