#include "jobs_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "hkpd/diagnostics.hpp"
#include "host.hpp"

namespace hkpd::command {
namespace {

constexpr std::uint64_t most_jobs = 256;
/// Of output that is not due yet, for each job.
constexpr std::size_t most_held_by_job = std::size_t{32} << 20U;

std::string read_jobs(const InputOptions& options, std::size_t& jobs) {
    return read_number("--jobs", options.jobs, 1, most_jobs, jobs);
}

/// Adds what the next input has come to.
void add(Shown& total, Shown next, bool first) {
    total.exit = std::max(total.exit, next.exit);
    total.samples += next.samples;
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

/// One input, from beginning to end.
class Job {
  public:
    Job(InputOptions options, const std::string& input) : options_(std::move(options)) { options_.inputs = {input}; }

    void show(const ShowInput& show, Output& output) {
        try {
            shown_ = show(options_, output, diagnostics_);
        } catch (const std::exception& error) {  // what would have ended a program of its own
            failure_ = error.what();
        }
    }

    /// Reports what was found; what was not met is for all inputs together to say.
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
    shown.add_options()("jobs", text_option(options.jobs, "N"),
                        "each INPUT by itself, as if it were the only one, N of them at a time; the output is in their "
                        "order, at most N times 32 MiB of it wait for those before (table, jsonl, csv)");
}

std::string check_jobs(const InputOptions& options, Format format) {
    if (!options.jobs) return {};
    std::size_t jobs = 1;
    if (std::string wrong = read_jobs(options, jobs); !wrong.empty()) return wrong;
    if (options.live.any()) return "--jobs is for files and directories, a machine is one input: leave it out";
    if (!options.v2.blocks.empty())
        return "--jobs takes no --v2, whose files belong together: make captures of them by hkpd capture --from-v2";
    if (std::ranges::count(options.inputs, "-") != 0)
        return "--jobs takes files and directories, not standard input: leave it out, or name a file";
    if (format == Format::json)
        return "--jobs has no format json, which is one document for all inputs: jsonl has a line for each value";
    if (remembers_instances(format))
        return "--jobs has the formats table, jsonl and csv; the others are of a whole run: leave it out, or run hkpd "
               "once for each input";
    return {};
}

Shown show_each(std::string_view subcommand, const InputOptions& options, const ShowInput& show) {
    std::size_t jobs = 1;
    read_jobs(options, jobs);
    Shown total;
    const auto work = [&](std::size_t part, Output& output) -> Ending {
        auto job = std::make_unique<Job>(options, options.inputs[part]);
        job->show(show, output);
        return [&, part, job = std::move(job)] {
            add(total, job->report(), part == 0);
            // Those behind may be waiting for input that never comes.
            if (options.strict && total.exit != Exit::good) end_now(static_cast<int>(total.exit));
        };
    };
    run_in_order(options.inputs.size(), jobs, jobs * most_held_by_job, write_out, work);
    if (total.exit == Exit::good) total.exit = report_unmatched(subcommand, options, total.samples, total.unmatched);
    return total;
}

}  // namespace hkpd::command
