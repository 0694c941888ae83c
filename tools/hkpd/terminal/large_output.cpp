#include "terminal/large_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "base/path.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/overview.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/source.hpp"
#include "hkpd/write.hpp"
#include "quantity/quantity.hpp"
#include "terminal/host.hpp"
#include "terminal/input_file.hpp"

namespace hkpd::command {
namespace {

constexpr std::uint64_t stated_from = 100'000'000;  ///< bytes from which on an output is stated
/// Number of files that are looked at, of all.
constexpr std::size_t most_files = 8;
/// Bytes of text after which no more samples of a file are written, and the most samples.
constexpr std::uint64_t enough_text = std::uint64_t{4} << 20U;
constexpr std::uint64_t enough_samples = 4;
/// Larger logs and captures are read at their ends only, and larger files of other kinds not at all.
constexpr std::uint64_t read_whole_up_to = std::uint64_t{1} << 20U;

/// Returns the files of the inputs, including those in directories.
Strings files_of(const InputOptions& options) {
    Strings files;
    std::error_code ignored;  // reading reports the error
    for (const std::string& input : options.inputs) {
        if (!is_directory(input)) {
            files.push_back(input);
            continue;
        }
        Strings directories{input};
        if (options.recursive)
            for (std::string& below : directories_below(input, ignored)) directories.push_back(std::move(below));
        for (const std::string& directory : directories)
            for (std::string& file : files_in(directory, ignored)) files.push_back(std::move(file));
    }
    return files;
}

/// The first samples of a file: the text of each on average, and what the number of samples follows from.
struct FirstSamples {
    std::uint64_t samples = 0, text = 0, input_bytes = 0;
    std::uint64_t passed = 0;    ///< number of samples read, selected or not
    std::optional<Range> range;  ///< the requested times
    bool is_blob = false;        ///< the samples are blobs end to end, without an index
};

FirstSamples write_first(const SampleRun& run, const std::string& file) {
    InputOptions options = run.request.input;
    options.inputs = {file};
    options.progress = false;
    ReaderOptions how = run.how;
    set_range(run.request.subcommand, run.request.times, options, how, RangeNotes::kept_back);
    const auto range_of = how.range_of;
    Diagnostics discarded(0);
    Input input(options, std::move(how), discarded);
    FirstSamples first;
    const Sink count = [&first](std::string& text) {
        first.text += text.size();
        text.clear();
    };
    const auto writer = run.run.make_writer(input.reader(), discarded, count);
    Filter filter = run.run.filter;
    std::string text;
    visit_samples(input.reader(), filter, false, discarded, [&](Reader& reader, std::span<const Selected> selected) {
        const Sample& sample = reader.sample();
        if (first.samples == 0 && range_of) first.range = range_of(sample);
        first.is_blob = sample.source == SampleSource::v1 && sample.origin.record == no_index;
        writer->sample(sample, selected, run.run.cooks ? &reader.cooker() : nullptr, text);
        count(text);
        first.input_bytes += sample.bytes;
        return ++first.samples < enough_samples && first.text < enough_text;
    });
    first.passed = input.reader().count();
    return first;
}

/// Returns the number of samples of a file in the requested range; 0 if it is unknown.
double samples_of(const SampleRun& run, const std::string& file, const FirstSamples& first) {
    const std::uint64_t size = size_of_file(file);
    const auto real = [](auto number) { return static_cast<double>(number); };
    if (first.is_blob && size > read_whole_up_to) {  // without times, which only reading finds
        if (first.input_bytes == 0 || first.range) return 0;
        return real(size) / (real(first.input_bytes) / real(first.samples));
    }
    Diagnostics discarded(0);
    const InputOptions& input = run.request.input;
    const Overview overview = summarize(file,
                                        {.limits = run.how.limits,
                                         .log_zones = input.log_zones,
                                         .encoding = input.encoding,
                                         .sample_above_bytes = read_whole_up_to},
                                        discarded);
    double part = 1;
    if (first.range && first.range->has_time() && overview.time) {
        const auto [from, to] = *overview.time;
        const double inside = real(std::min(to, first.range->to)) - real(std::max(from, first.range->from));
        if (to > from) part = std::clamp(inside / (real(to) - real(from)), 0.0, 1.0);
    }
    double samples = real(overview.samples) * part;
    const TimeOptions& times = run.request.times;
    if (times.from.number || times.to.number) {
        const double last = std::min(samples - 1, real(times.to.number.value_or(overview.samples)));
        samples = std::max(0.0, last - real(times.from.number.value_or(0)) + 1);
    }
    if (is_ranged(times)) return samples / real(std::max<std::uint64_t>(run.how.every, 1));
    // Of every Nth sample, of one interface or of one machine.
    return samples * real(first.samples) / real(std::max(first.passed, first.samples));
}

}  // namespace

std::optional<std::uint64_t> estimate_output(const SampleRun& run) {
    const InputOptions& input = run.request.input;
    const bool is_stored_all = !input.inputs.empty() && std::ranges::all_of(input.inputs, is_stored);
    if (input.live.any() || !input.v2.blocks.empty() || !is_stored_all) return std::nullopt;
    const Strings files = files_of(input);
    const std::size_t step = std::max<std::size_t>(1, (files.size() + most_files - 1) / most_files);
    double all_bytes = 0, bytes = 0, text = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto size = static_cast<double>(size_of_file(files[i]));
        all_bytes += size;
        if (i % step != 0) continue;
        const FirstSamples first = write_first(run, files[i]);
        bytes += size;
        if (first.samples != 0)
            text +=
                samples_of(run, files[i], first) * static_cast<double>(first.text) / static_cast<double>(first.samples);
    }
    if (bytes == 0) return std::nullopt;
    return static_cast<std::uint64_t>(text * all_bytes / bytes);
}

void state_large_output(const SampleRun& run, std::string_view format) {
    if (!error_is_terminal()) return;
    const auto size = estimate_output(run);
    if (!size || *size < stated_from) return;
    complain(run.request.subcommand,
             fmt::format("note: about {} of {} follow; much smaller: --format sqlite -o FILE, or --bucket 1min",
                         size_text(*size), format));
}

}  // namespace hkpd::command
