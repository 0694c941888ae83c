#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "commands/overview_instead.hpp"
#include "commands/sample_run.hpp"
#include "flags/format_option.hpp"
#include "flags/replay_options.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/summary.hpp"
#include "hkpd/write.hpp"
#include "terminal/cause.hpp"
#include "terminal/large_output.hpp"
#include "terminal/output_file.hpp"

namespace hkpd::command {
namespace {

/// A delay between consecutive samples: the time that passed between the recording of the two samples, divided by the
/// speed.
class Pace {
  public:
    explicit Pace(double speed) noexcept : speed_(speed) {}

    void wait_for(const Sample& sample) {
        const auto now = unix_time(sample);
        if (!now) return;
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

/// Creates the writer of a part of the run.
std::unique_ptr<Writer> make_replay_writer(const ReplayCommand& o, TextfileOutput* textfile, Reader& reader,
                                           const Diagnostics& diagnostics, const Sink& drain) {
    WriteOptions how = o.write;
    if (o.file_column) use_file_column(how, diagnostics);
    how.titles = &reader.titles();
    how.drain = drain;
    if (o.summary) return make_summary_writer(o.format, how, o.how.cook, o.summary_options);
    if (textfile != nullptr) return make_file_writer(how, *textfile, o.input.live.live || o.speed);
    return o.for_terminal ? make_terminal_writer(how) : make_writer(o.format, how);
}

Exit run(ReplayCommand& o, OutputFile& file) {
    const FormatSpec& row = spec_of(o.format);
    std::optional<TextfileOutput> textfile;
    if (o.textfile.path && !textfile.emplace(o.subcommand, *o.textfile.path).try_out())
        return exit_of(Cause::unwritable);
    o.write.one_pass =
        textfile || row.needs_one_pass || o.input.live.any() || o.input.jobs || !are_repeatable(all_inputs(o.input));
    SampleRun run{.request = {o.subcommand, o.input, o.times}, .how = o.how};
    run.shows_samples = !o.summary && !row.needs_file && !textfile;
    run.database = o.write.database;
    run.run.filter = o.filter;
    run.run.repeats = !o.write.one_pass;
    run.run.make_writer = [&o, &textfile](Reader& reader, Diagnostics& diagnostics, const Sink& drain) {
        return make_replay_writer(o, textfile ? &*textfile : nullptr, reader, diagnostics, drain);
    };
    // The first of two passes writes nothing, so it does not wait between samples.
    const std::size_t paced_pass = row.needs_run && !o.write.one_pass ? 1 : 0;
    if (o.speed)
        run.run.before_sample = [paced_pass, pace = std::make_shared<Pace>(*o.speed)](const Sample& sample,
                                                                                      std::size_t pass) {
            if (pass >= paced_pass) pace->wait_for(sample);
        };
    run.run.count_values = [&o](const Sample& sample, const Selected& part) { return count_values(o, sample, part); };
    // Formats whose times are numbers of UTC cannot mark a time as local.
    run.run.before_end = [raw = o.raw, numbers = textfile || row.needs_file || o.format == Format::openmetrics](
                             const Reader& reader, Diagnostics& diagnostics) {
        if (raw) report_no_raw_values(reader, diagnostics);
        if (numbers) report_local_times(reader, diagnostics);
    };
    run.before_finish = [&](Exit found, const RunCount& count) {
        if (row.needs_file && count.samples != 0 && found != exit_of(Cause::unwritable))
            report_written(o.write.database, {count.samples, count.values});
        return textfile && !textfile->good() ? exit_of(Cause::unwritable) : found;
    };
    if (o.format == Format::csv || o.format == Format::jsonl) {
        if (!o.summary && !o.statistics.bucket) state_large_output(run, row.name);
    }
    return run_samples(run, file);
}

}  // namespace

Exit replay(const Strings& arguments) {
    ReplayCommand o;
    if (const auto done = read_replay(arguments, o)) return *done;
    return run_replay(o);
}

Exit run_replay(ReplayCommand& o) {
    if (o.overview_only) return overview_instead(o.subcommand, o.input);
    OutputFile file(o.subcommand, spec_of(o.format).needs_file ? "" : o.output);
    if (!file.open()) return exit_of(Cause::unwritable);
    return run(o, file);
}

}  // namespace hkpd::command
