// Compares two runs: two logs, or two windows of one log.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "commands/compare.hpp"
#include "commands/sample_run.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/overview.hpp"
#include "hkpd/summary.hpp"
#include "hkpd/write.hpp"
#include "terminal/capture_output.hpp"
#include "terminal/cause.hpp"
#include "terminal/input_file.hpp"
#include "terminal/output_file.hpp"
#include "terminal/progress.hpp"

namespace hkpd::command {
namespace {

/// One side of the comparison while a log is read.
struct Side {
    ComparedRun run = ComparedRun::before;
    const TimeWindow* window = nullptr;                    ///< null: the whole log
    Range range{};                                         ///< that of the window, once it is known
    std::function<Range(const Sample& first)> range_of{};  ///< finds it; empty if it is known
    std::uint64_t samples = 0;

    bool is_reversed() const noexcept { return range.from > range.to || range.first > range.last; }
    bool is_numbered() const noexcept { return window != nullptr && (window->from.number || window->to.number); }
};

/// Returns the smallest range that has all samples of two ranges.
Range hull(const Range& a, const Range& b) noexcept {
    return {.from = std::min(a.from, b.from),
            .to = std::max(a.to, b.to),
            .first = std::min(a.first, b.first),
            .last = std::max(a.last, b.last)};
}

/// A log and the sides of the comparison that are in it: one, or both windows.
class SidesOfLog {
  public:
    SidesOfLog(const CompareCommand& o, InputOptions input, std::vector<Side> sides, ReaderOptions how)
        : zone_(o.times.zone), input_(std::move(input)), how_(std::move(how)), sides_(std::move(sides)) {
        for (Side& side : sides_) {
            if (side.window == nullptr) continue;
            ReaderOptions of_side = how_;
            const std::string_view option = side.window->option;
            set_range("compare", {option, option, side.window->from, side.window->to, zone_}, input_, of_side);
            side.range = of_side.range;
            side.range_of = std::move(of_side.range_of);
        }
    }
    SidesOfLog(const SidesOfLog&) = delete;
    SidesOfLog& operator=(const SidesOfLog&) = delete;
    ~SidesOfLog() = default;

    /// Reads the log and passes the samples of each side to the writer. Returns the number of samples.
    std::uint64_t pass(Filter& filter, Diagnostics& diagnostics, ChangeWriter& writer, std::string& out) {
        ReaderOptions how = how_;
        const bool is_known = std::ranges::all_of(sides_, [](const Side& side) { return side.range_of == nullptr; });
        if (is_known) how.range = range();
        if (!is_known)
            how.range_of = [this](const Sample& first) {
                first_ = unix_time(first);
                shown_zone_ = first.shown_zone(zone_);
                for (Side& side : sides_)
                    if (side.range_of != nullptr) side.range = side.range_of(first);
                return range();
            };
        Input input(input_, how, diagnostics);
        Reader& reader = input.reader();
        std::uint64_t samples = 0;
        visit_samples(reader, filter, input_.strict, diagnostics, [&](Reader&, std::span<const Selected> selected) {
            const Side* const side = side_of(reader);
            if (side != nullptr) {
                ++samples;
                writer.continue_with(side->run);
                writer.sample(reader.sample(), selected, &reader.cooker(), out);
            }
            return wrong_.empty();
        });
        count_ = reader.count();
        return samples;
    }

    /// Returns what is wrong with the windows; empty if nothing.
    const std::string& wrong() const noexcept { return wrong_; }

    /// Returns a sentence about each side without samples.
    std::vector<std::string> empty_sides() const {
        std::vector<std::string> found;
        for (const Side& side : sides_) {
            if (side.samples != 0) continue;
            const std::string log = input_.inputs.size() == 1 ? input_.inputs.front() : "the log";
            found.push_back(side.window == nullptr
                                ? fmt::format("no sample in {}", log)
                                : fmt::format("no sample in {}: {}", window_text(*side.window), span_of(side, log)));
        }
        return found;
    }

  private:
    /// Returns the range to read; if a window ends before it begins, a range without samples.
    Range range() {
        constexpr Range nothing{.from = std::numeric_limits<std::int64_t>::max(),
                                .to = std::numeric_limits<std::int64_t>::min()};
        std::optional<Range> all;
        for (const Side& side : sides_) {
            if (side.is_reversed()) {
                wrong_ = fmt::format("{} ends before it begins", window_text(*side.window));
                return nothing;
            }
            all = all ? hull(*all, side.range) : side.range;
        }
        return all.value_or(Range{});
    }

    static bool holds(const Side& side, std::uint64_t number, std::optional<std::int64_t> time) noexcept {
        return side.range.holds_number(number) && (!side.range.has_time() || (time && side.range.holds_time(*time)));
    }

    /// Returns the side of the current sample, and counts it there; null if it is in no window. A sample at which one
    /// window ends and the other begins is in the one that ends, as its rates are about the time before it.
    Side* side_of(Reader& reader) {
        const std::uint64_t number = reader.number();
        const auto time = unix_time(reader.sample());
        Side* found = nullptr;
        for (Side& side : sides_) {
            if (!holds(side, number, time)) continue;
            if (found == nullptr || begins_at(*found, number, time)) {
                found = &side;
            } else if (!begins_at(side, number, time)) {
                wrong_ = fmt::format("{} and {} overlap: the sample of {} is in both", window_text(*found->window),
                                     window_text(*side.window), shown(time, reader.sample().shown_zone(zone_)));
                return nullptr;
            }
        }
        if (found != nullptr) ++found->samples;
        return found;
    }
    static bool begins_at(const Side& side, std::uint64_t number, std::optional<std::int64_t> time) noexcept {
        return (side.window->from.time && side.range.from == time) ||
               (side.window->from.number && side.range.first == number);
    }

    static std::string shown(std::optional<std::int64_t> time, const Zone& zone) {
        std::string text;
        if (time) append_time(text, system_time_at(*time), zone);
        return time ? text : "unknown time";
    }

    /// Returns what the log has in place of a window.
    std::string span_of(const Side& side, const std::string& log) const {
        if (side.is_numbered() && count_ != 0) return fmt::format("{} has the samples 0 to {}", log, count_ - 1);
        const auto latest = latest_time_of(input_, how_);
        if (!first_ || !latest) return fmt::format("{} has none of these times", log);
        return fmt::format("{} has samples from {} to {}", log, shown(first_, shown_zone_), shown(latest, shown_zone_));
    }

    std::optional<Zone> zone_;
    InputOptions input_;
    ReaderOptions how_;
    std::vector<Side> sides_;
    std::optional<std::int64_t> first_;  // time of the first sample
    Zone shown_zone_;
    std::uint64_t count_ = 0;
    std::string wrong_;
};

/// Returns the logs with their sides: two logs with a side each, or one log with both.
std::vector<std::unique_ptr<SidesOfLog>> logs_of(const CompareCommand& o, const ReaderOptions& how) {
    const auto window = [](const TimeWindow& one) { return one.text ? &one : nullptr; };
    const Side before{.run = ComparedRun::before, .window = window(o.windows.before)},
        after{.run = ComparedRun::after, .window = window(o.windows.after)};
    std::vector<std::unique_ptr<SidesOfLog>> logs;
    if (o.input.inputs.size() != 2) {
        logs.push_back(std::make_unique<SidesOfLog>(o, o.input, std::vector{before, after}, how));
        return logs;
    }
    for (const Side& side : {before, after}) {
        InputOptions one = o.input;
        one.inputs = {o.input.inputs[logs.size()]};
        logs.push_back(std::make_unique<SidesOfLog>(o, std::move(one), std::vector{side}, how));
    }
    return logs;
}

/// Notes that both inputs are one file: nothing can have changed.
void note_same_file(const Strings& inputs) {
    if (are_same_file(inputs[0], inputs[1]))
        complain("compare", fmt::format("note: {} and {} are the same file", inputs[0], inputs[1]));
}

}  // namespace

bool are_two_runs(const CompareCommand& o, const Limits& limits) {
    if (o.input.inputs.size() != 2 || !o.input.v2.blocks.empty() || o.input.live.any()) return false;
    if (!are_repeatable(o.input.inputs)) return false;
    std::set<SampleSource> sources;
    for (const std::string& path : o.input.inputs) {
        Diagnostics ignored(0);
        const Overview overview =
            summarize(path, {.limits = limits, .log_zones = o.input.log_zones, .encoding = o.input.encoding}, ignored);
        for (const Overview::Object& object : overview.objects) sources.insert(object.source);
    }
    return sources.size() == 1;
}

Exit compare_runs(CompareCommand& o, const Limits& limits, const Filter& filter) {
    OutputFile file("compare", o.output);
    if (!file.open()) return exit_of(Cause::unwritable);
    o.input.progress = shows_progress(false);
    Diagnostics diagnostics;
    WriteOptions write;
    write.cooked = write.one_pass = true;
    write.zone = o.times.zone;
    use_limits(write, limits);
    write.width = output_width();
    constexpr std::size_t usual = 25;
    const std::size_t top = o.all ? static_cast<std::size_t>(-1) : usual;
    ReaderOptions how{.limits = limits};
    how.one_source = o.windows.any();
    const auto writer = make_change_writer(o.format == "json" ? Format::json : Format::table, write, how.cook, top);
    RunCount count;
    std::string out, wrong;
    Filter both = filter;  // a filter that matches nothing in one of them is no mistake
    const auto logs = logs_of(o, how);
    for (const auto& log : logs) {
        count.samples += log->pass(both, diagnostics, *writer, out);
        if (wrong.empty()) wrong = log->wrong();
    }
    if (!wrong.empty()) return file.finish(usage_error("compare", wrong), false);
    count.unmatched = both.unmatched();
    std::vector<std::string> empty;
    for (const auto& log : logs)
        for (std::string& sentence : log->empty_sides()) empty.push_back(std::move(sentence));
    const bool windows_are_empty = o.windows.any() && !empty.empty();
    if (windows_are_empty) {
        const Exit faults = report_faults(o.input, diagnostics, count.samples);
        for (const std::string& sentence : empty) complain("compare", sentence);
        return file.finish(std::max(faults, exit_of(Cause::empty_range)), false);
    }
    writer->end(diagnostics, out);
    file.write(out);
    Exit found = conclude({"compare", o.input, o.times}, diagnostics, count);
    if (found == Exit::good && count.samples != 0 && !empty.empty())
        found = end_with("compare", Cause::nothing_compared, empty.front());
    if (found == Exit::good && o.input.inputs.size() == 2 && !o.windows.any()) note_same_file(o.input.inputs);
    return file.finish(found, is_complete(found, count.samples), {count.samples});
}

}  // namespace hkpd::command
