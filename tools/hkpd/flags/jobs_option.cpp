#include "flags/jobs_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "flags/format_option.hpp"
#include "hkpd/diagnostics.hpp"
#include "terminal/host.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

constexpr std::uint64_t most_jobs = 256;
/// Average number of bytes of output that a job may hold in memory until all earlier jobs have written their output.
/// The limit for all jobs together is this number times the number of jobs. A single job may hold more than this
/// number.
constexpr std::size_t most_held_by_job = std::size_t{32} << 20U;

std::string read_jobs(const InputOptions& options, std::size_t& jobs) {
    return read_number("--jobs", options.jobs, 1, most_jobs, jobs);
}

/// Adds the result of the next input to the total. `first` states whether this input is the first.
void add(Shown& total, Shown next, bool first) {
    total.exit = std::max(total.exit, next.exit);
    total.samples += next.samples;
    total.values += next.values;
    total.count = std::max(total.count, next.count);
    if (first)
        total.unmatched = std::move(next.unmatched);
    else
        std::erase_if(total.unmatched, [&next](Unmatched& unmatched) {
            const auto found = std::ranges::find(next.unmatched, unmatched.request, &Unmatched::request);
            if (found != next.unmatched.end() && unmatched.nearest.empty()) unmatched.nearest = found->nearest;
            return found == next.unmatched.end();
        });
}

/// The processing of one input.
class Job {
  public:
    Job(InputOptions options, const std::string& input) : options_(std::move(options)) { options_.inputs = {input}; }

    void show(const ShowInput& show, Output& output) {
        try {
            shown_ = show(options_, output, diagnostics_);
        } catch (const std::exception& error) {  // ends only this job, as if each input had its own process
            failure_ = error.what();
        }
    }

    /// Reports the faults of the input. Returns the result of the input, with the exit code for these faults. Filters
    /// that matched nothing are not reported here, because they are reported for all inputs together.
    Shown report() {
        shown_.exit = report_found(options_, diagnostics_, shown_.samples);
        if (!failure_.empty()) {
            complain("", failure_);
            shown_.exit = Exit::unreadable;
        }
        return std::move(shown_);
    }

  private:
    InputOptions options_;
    Diagnostics diagnostics_;
    Shown shown_;
    std::string failure_;
};

}  // namespace

void describe_jobs(po::options_description& shown, InputOptions& options) {
    const std::string text = fmt::format(
        "process each INPUT separately, N at a time (formats {}); output is in input order, with at most N times 32 "
        "MiB buffered",
        all_of(format_names(has_separate_inputs)));
    shown.add_options()("jobs", text_option(options.jobs, "N"), text.c_str());
}

std::string check_jobs(const InputOptions& options, Format format) {
    if (!options.jobs) return {};
    std::size_t jobs = 1;
    if (std::string wrong = read_jobs(options, jobs); !wrong.empty()) return wrong;
    if (options.live.any()) return "--jobs applies to files and directories, not to a machine";
    if (!options.v2.blocks.empty())
        return "--jobs cannot be combined with --v2, whose files belong together: make captures with hkpd capture "
               "--from-v2";
    if (std::ranges::count(options.inputs, "-") != 0)
        return "--jobs applies to files and directories, not to standard input";
    const FormatSpec& row = spec_of(format);
    if (has_separate_inputs(row)) return {};
    if (row.syntax == FormatSpec::Syntax::json)
        return fmt::format("--jobs does not support --format {}, which is one document for all inputs: use jsonl",
                           row.name);
    return fmt::format("--jobs supports the formats {}: run hkpd once for each input for the others",
                       all_of(format_names(has_separate_inputs)));
}

Shown show_each(std::string_view subcommand, const InputOptions& options, OutputFile& file, const ShowInput& show) {
    std::size_t jobs = 1;
    read_jobs(options, jobs);
    Shown total;
    InputProgress progress(options.inputs.size(), file.to_standard_output());
    const auto work = [&](std::size_t part, Output& output) -> Ending {
        auto job = std::make_shared<Job>(options, options.inputs[part]);
        job->show(show, output);
        return [&, part, job = std::move(job)] {
            add(total, job->report(), part == 0);
            progress.add();
            // The program ends at once, because later jobs are possibly waiting for input that never comes.
            if (options.strict && total.exit != Exit::good) end_now(static_cast<int>(total.exit));
        };
    };
    run_in_order(
        options.inputs.size(), jobs, jobs * most_held_by_job, [&file](std::string& text) { file.write(text); }, work);
    if (total.exit == Exit::good) total.exit = report_unmatched(subcommand, options, total.samples, total.unmatched);
    return total;
}

}  // namespace hkpd::command
