#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <istream>
#include <memory>
#include <thread>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "commands/overview_instead.hpp"
#include "flags/jobs_option.hpp"
#include "flags/replay_options.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/summary.hpp"
#include "hkpd/write.hpp"
#include "terminal/host.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

/// A delay between consecutive samples: the time that passed between the recording of the two samples, divided by the
/// speed.
class Pace {
  public:
    /// Sets the speed of the replay. If there is no speed, `wait_for` never waits.
    explicit Pace(std::optional<double> speed) noexcept : speed_(speed.value_or(0)) {}

    void wait_for(const Sample& sample) {
        const auto now = unix_time(sample);
        if (speed_ == 0 || !now) return;
        if (begun_ && *now > before_) {
            constexpr double day = 24 * 3600 * 1e9;  // the longest wait, because a time can be damaged
            const double passed = (static_cast<double>(*now) - static_cast<double>(before_)) / speed_;
            std::this_thread::sleep_for(std::chrono::duration<double, std::nano>(std::min(passed, day)));
        }
        begun_ = true;
        before_ = *now;
    }

  private:
    double speed_;
    bool begun_ = false;
    std::int64_t before_ = 0;
};

/// Returns the number of values that the output has for a part of a sample. The formats for programs that have one line
/// or object for each value have all; the others have no bases and no text.
std::uint64_t count_values(const ReplayCommand& o, const Sample& sample, const Selected& part) {
    if (spec_of(o.format).has_all_values) return part.rows.size() * part.columns.size();
    const std::vector<Column>& columns = sample.objects()[part.object].columns;
    const auto is_shown = [&](std::uint32_t position) {
        return o.write.cooked ? is_displayable(columns[position]) : columns[position].storage == Storage::number;
    };
    return part.rows.size() * static_cast<std::uint64_t>(std::ranges::count_if(part.columns, is_shown));
}

/// Passes all samples to the writer once. Returns their number, and that of their values.
Written show(const ReplayCommand& o, Filter& filter, Writer& writer, Input& input, std::optional<double> speed,
             Output& output, Diagnostics& diagnostics) {
    Reader& reader = input.reader();
    filter.use_english(reader.titles());
    Pace pace(speed);
    std::vector<Selected> selected;
    std::string out;
    Written shown;
    while (writer.failure().empty() && reader.next()) {
        if (o.input.strict && diagnostics.any_fault()) break;
        ++shown.samples;
        pace.wait_for(reader.sample());
        filter.select(reader.sample(), selected);
        for (const Selected& part : selected) shown.values += count_values(o, reader.sample(), part);
        writer.sample(reader.sample(), selected, &reader.cooker(), out);
        output.write(out);
    }
    report_matching(filter, diagnostics);
    if (o.raw) report_no_raw_values(diagnostics);
    return shown;
}

/// Passes all samples to the writer, and again as long as the writer requests another pass. Returns the number of
/// samples and values.
Written show_all(const ReplayCommand& o, Filter& filter, Input& input, std::istream::pos_type start, Output& output,
                 TextfileOutput* textfile, Diagnostics& diagnostics) {
    WriteOptions how = o.write;
    how.titles = &input.reader().titles();
    how.drain = [&output](std::string& text) { output.write(text); };
    const auto writer = o.summary             ? make_summary_writer(o.format, how, o.how.cook, o.summary_options)
                        : textfile != nullptr ? make_file_writer(how, *textfile, o.input.live.live || o.speed)
                        : o.for_terminal      ? make_terminal_writer(how)
                                              : make_writer(o.format, how);
    std::string out;
    if (output.is_first()) writer->begin(out);  // with --jobs, only the first CSV has a header
    output.write(out);
    // The first of two passes writes nothing, so it does not wait between samples.
    const bool two_passes = spec_of(o.format).needs_run && !o.write.one_pass;
    const Written shown = show(o, filter, *writer, input, two_passes ? std::nullopt : o.speed, output, diagnostics);
    while (!o.write.one_pass && writer->again(out)) {
        output.write(out);
        standard_input().clear();
        standard_input().seekg(start);
        Diagnostics earlier_faults(0);
        Input once_more(o.input, o.how, earlier_faults);
        show(o, filter, *writer, once_more, o.speed, output, earlier_faults);
    }
    writer->end(diagnostics, out);
    output.write(out);
    // Ends the program at once, as `write_out` does if standard output cannot be written.
    if (!writer->failure().empty()) {
        report_found(o.input, diagnostics, static_cast<std::uint32_t>(shown.samples));
        complain("replay", fmt::format("'{}' cannot be written: {}", o.write.database, writer->failure()));
        end_now(static_cast<int>(Exit::unreadable));
    }
    return shown;
}

/// Returns whether the output of a run replaces the file of `--output`. With `--strict`, a fault has ended the run.
bool is_complete(const ReplayCommand& o, Exit found, std::uint64_t samples) {
    return is_complete(found, samples) && !(o.input.strict && found != Exit::good);
}

/// Ends a run: completes the file of `--output`, or states what was added to the database.
Exit finish(const ReplayCommand& o, OutputFile& file, Exit found, const Written& shown) {
    found = report_no_samples("replay", o.times, found, shown.samples);
    if (spec_of(o.format).needs_file && shown.samples != 0) {
        std::error_code unknown;
        const std::uintmax_t size = std::filesystem::file_size(path_of(o.write.database), unknown);
        report_written(o.write.database, shown, unknown ? 0 : size);
    }
    return file.finish(found, is_complete(o, found, shown.samples), shown);
}

Exit run(ReplayCommand& o, OutputFile& file) {
    Diagnostics diagnostics;
    const std::istream::pos_type start = standard_input().tellg();
    std::optional<TextfileOutput> textfile;
    if (o.textfile.path && !textfile.emplace(*o.textfile.path).try_out()) return Exit::unreadable;
    o.write.one_pass =
        textfile || spec_of(o.format).needs_one_pass || o.input.live.any() || !are_repeatable(all_inputs(o.input));
    standard_input().clear();
    const bool writes_samples = !o.summary && !spec_of(o.format).needs_file && !textfile;
    o.input.progress = shows_progress(file.to_standard_output() && writes_samples);
    set_range("replay", o.times, o.input, o.how);
    Input input(o.input, o.how, diagnostics);
    DirectOutput output([&file](std::string& text) { file.write(text); });
    const Written shown = show_all(o, o.filter, input, start, output, textfile ? &*textfile : nullptr, diagnostics);
    Exit found = conclude("replay", o.input, diagnostics, static_cast<std::uint32_t>(shown.samples), o.filter);
    if (textfile && !textfile->good()) found = Exit::unreadable;
    found = finish(o, file, found, shown);
    if (input.live() != nullptr) return_if_abandoned(*input.live(), found);
    return found;
}

Exit run_each(const ReplayCommand& o, OutputFile& file) {
    const auto show_one = [&o](const InputOptions& one, Output& output, Diagnostics& diagnostics) {
        Filter filter = o.filter;
        ReaderOptions how = o.how;
        set_range("replay", o.times, one, how);
        Input input(one, how, diagnostics);
        Shown shown;
        // The start position `{}` is never used, because `check_jobs` accepts only formats that need one pass.
        const Written written = show_all(o, filter, input, {}, output, nullptr, diagnostics);
        shown.samples = static_cast<std::uint32_t>(written.samples);
        shown.values = written.values;
        shown.unmatched = filter.unmatched();
        return shown;
    };
    const Shown shown = show_each("replay", o.input, file, show_one);
    return finish(o, file, shown.exit, {shown.samples, shown.values});
}

}  // namespace

Exit replay(const Strings& arguments) {
    ReplayCommand o;
    if (const auto done = read_replay(arguments, o)) return *done;
    return run_replay(o);
}

Exit run_replay(ReplayCommand& o) {
    if (o.overview_only) return overview_instead("replay", o.input);
    OutputFile file("replay", spec_of(o.format).needs_file ? "" : o.output);
    if (!file.open()) return Exit::unreadable;
    return o.input.jobs ? run_each(o, file) : run(o, file);
}

}  // namespace hkpd::command
