#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>

#include "base/path.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/write.hpp"
#include "host.hpp"
#include "jobs_option.hpp"
#include "progress.hpp"
#include "replay_options.hpp"

namespace hkpd::command {
namespace {

/// Returns whether every input can be read a second time.
bool repeatable(const Strings& inputs) {
    return std::ranges::all_of(inputs, [](const std::string& path) {
        if (path == "-") return std::cin.tellg() != std::istream::pos_type(-1);
        std::error_code error;
        const auto type = std::filesystem::status(path_of(path), error).type();
        return type != std::filesystem::file_type::fifo && type != std::filesystem::file_type::character;
    });
}

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

/// Passes all samples to the writer once. Returns their number.
std::uint32_t show(const ReplayCommand& o, Filter& filter, Writer& writer, Input& input, std::optional<double> speed,
                   Output& output, Diagnostics& diagnostics) {
    Reader& reader = input.reader();
    filter.use_english(reader.titles());
    Pace pace(speed);
    Progress progress(!o.summary && o.format != Format::sqlite);
    std::vector<Selected> selected;
    std::string out;
    std::uint32_t shown = 0;
    while (writer.failure().empty() && reader.next()) {
        if (o.input.strict && diagnostics.any_fault()) break;
        ++shown;
        pace.wait_for(reader.sample());
        filter.select(reader.sample(), selected);
        writer.sample(reader.sample(), selected, &reader.cooker(), out);
        output.write(out);
        if (output.is_direct()) progress.show(shown);
    }
    report_matching(filter, diagnostics);
    if (o.raw) report_no_raw_values(diagnostics);
    return shown;
}

/// Passes all samples to the writer, and again as long as the writer requests another pass. Returns the number of
/// samples.
std::uint32_t show_all(const ReplayCommand& o, Filter& filter, Input& input, std::istream::pos_type start,
                       Output& output, TextfileOutput* textfile, Diagnostics& diagnostics) {
    WriteOptions how = o.write;
    how.titles = &input.reader().titles();
    how.drain = [&output](std::string& text) { output.write(text); };
    const auto writer = o.summary             ? make_summary_writer(o.format, how, o.how.cook)
                        : textfile != nullptr ? make_file_writer(how, *textfile, o.input.live.live || o.speed)
                                              : make_writer(o.format, how);
    std::string out;
    if (output.is_first()) writer->begin(out);  // with --jobs, only the first CSV has a header
    output.write(out);
    // The first of two passes writes nothing, so it does not wait between samples.
    const bool two_passes = remembers_instances(o.format) && !o.write.one_pass;
    const std::uint32_t shown =
        show(o, filter, *writer, input, two_passes ? std::nullopt : o.speed, output, diagnostics);
    while (!o.write.one_pass && writer->again(out)) {
        output.write(out);
        std::cin.clear();
        std::cin.seekg(start);
        Diagnostics earlier_faults(0);
        Input once_more(o.input, o.how, earlier_faults);
        show(o, filter, *writer, once_more, o.speed, output, earlier_faults);
    }
    writer->end(diagnostics, out);
    output.write(out);
    // Ends the program at once, as `write_out` does if standard output cannot be written.
    if (!writer->failure().empty()) {
        report_found(o.input, diagnostics, shown);
        complain("replay", fmt::format("'{}' cannot be written: {}", o.write.database, writer->failure()));
        end_now(static_cast<int>(Exit::unreadable));
    }
    return shown;
}

/// Reports an input or range without samples. Returns the exit code.
Exit end(const ReplayCommand& o, Exit found, std::uint32_t shown) {
    if (found != Exit::good || shown != 0) return found;
    const bool ranged = o.from || o.to;
    fmt::print(stderr, "hkpd replay: no sample in the {}\n", ranged ? "range" : "input");
    return ranged ? Exit::usage : Exit::good;
}

Exit run(ReplayCommand& o) {
    Diagnostics diagnostics;
    const std::istream::pos_type start = std::cin.tellg();
    std::optional<TextfileOutput> textfile;
    if (o.textfile.path && !textfile.emplace(*o.textfile.path).try_out()) return Exit::unreadable;
    o.write.one_pass = textfile || o.format == Format::sqlite || o.input.live.any() || !repeatable(all_inputs(o.input));
    std::cin.clear();
    Input input(o.input, o.how, diagnostics);
    DirectOutput output(write_out);
    const std::uint32_t shown =
        show_all(o, o.filter, input, start, output, textfile ? &*textfile : nullptr, diagnostics);
    Exit found = conclude("replay", o.input, diagnostics, shown, o.filter);
    if (textfile && !textfile->good()) found = Exit::unreadable;
    if (input.live() != nullptr) return_if_abandoned(*input.live(), found);
    return end(o, found, shown);
}

Exit run_each(const ReplayCommand& o) {
    const auto show_one = [&o](const InputOptions& one, Output& output, Diagnostics& diagnostics) {
        Filter filter = o.filter;
        Input input(one, o.how, diagnostics);
        Shown shown;
        // The start position `{}` is never used, because `check_jobs` accepts only formats that need one pass.
        shown.samples = show_all(o, filter, input, {}, output, nullptr, diagnostics);
        shown.unmatched = filter.unmatched();
        return shown;
    };
    const Shown shown = show_each("replay", o.input, show_one);
    return end(o, shown.exit, shown.samples);
}

}  // namespace

Exit replay(const Strings& arguments) {
    ReplayCommand o;
    if (const auto done = read_replay(arguments, o)) return *done;
    return o.input.jobs ? run_each(o) : run(o);
}

}  // namespace hkpd::command
