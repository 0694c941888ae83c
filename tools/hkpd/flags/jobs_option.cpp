#include "flags/jobs_option.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "flags/format_option.hpp"

namespace hkpd::command {
namespace {

constexpr std::uint64_t most_jobs = 256;
std::string read_jobs(const InputOptions& options, std::size_t& jobs) {
    return read_number("--jobs", options.jobs, 1, most_jobs, jobs);
}

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

std::size_t number_of_jobs(const InputOptions& options) {
    std::size_t jobs = 1;
    read_jobs(options, jobs);
    return jobs;
}

}  // namespace hkpd::command
