#include "flags/time_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <istream>
#include <limits>
#include <memory>
#include <utility>

#include "base/file_stream.hpp"
#include "base/path.hpp"
#include "base/time.hpp"
#include "hkpd/diagnostics.hpp"

namespace hkpd::command {
namespace {

namespace chrono = std::chrono;

/// Returns the range to read when the first sample of a run is known.
class RangeFinder {
  public:
    RangeFinder(std::string_view subcommand, const TimeOptions& o, const InputOptions& inputs, ReaderOptions how)
        : subcommand_(subcommand), options_(o), inputs_(inputs), how_(std::move(how)) {}

    /// Returns the range of a run with this first sample. A run that is read twice has the same range both times.
    const Range& find(const Sample& first) {
        if (range_) return *range_;
        zone_ = options_.zone ? *options_.zone : first.zone_rules.value_or(Zone());
        Range range = how_.range;
        // In damaged input, a time can be at the end of the range of 64 bits. A distance keeps all sums in the range.
        using Limits = std::numeric_limits<std::int64_t>;
        constexpr std::int64_t distance = 4 * day_length;
        const std::int64_t begin =
            std::clamp(unix_time(first).value_or(0), Limits::min() + distance, Limits::max() - distance);
        const TimeBound &from = options_.from, &to = options_.to;
        if (from.time) range.from = moment_of("--from " + from.text.value_or(""), *from.time, begin);
        const bool is_later = from.time && range.from > begin && range.from < Limits::max() - distance;
        if (to.time) range.to = moment_of("--to " + to.text.value_or(""), *to.time, is_later ? range.from : begin);
        return range_.emplace(range);
    }

  private:
    using Kind = StatedTime::Kind;
    static constexpr std::int64_t day_length = 86'400'000'000'000;

    /// Returns the moment of one end of the range. A time of day is looked for from the moment `begin` on. `given` is
    /// the option as it was given, for messages.
    std::int64_t moment_of(const std::string& given, const StatedTime& stated, std::int64_t begin) {
        if (stated.kind == Kind::utc) return stated.time;
        if (stated.kind == Kind::before_end) return before(end().value_or(begin), stated.time);
        const std::int64_t local = stated.kind == Kind::local ? stated.time : on_a_day(given, stated.time, begin);
        const LocalMoments moments = zone_.moments_of(local);
        if (moments.kind == LocalMoments::Kind::ambiguous)
            note(fmt::format("{} occurs twice in {}, as {} and as {}: the first is used", given, zone_.name(),
                             shown(moments.first), shown(moments.last)));
        if (moments.kind == LocalMoments::Kind::skipped)
            note(fmt::format("{} does not exist in {}, where clocks were set forward: {} is used", given, zone_.name(),
                             shown(moments.first)));
        return moments.first;
    }

    /// Returns the moment at a distance before another one, or the first moment of 64 bits.
    static std::int64_t before(std::int64_t moment, std::int64_t distance) noexcept {
        constexpr std::int64_t first = std::numeric_limits<std::int64_t>::min();
        return moment < first + distance ? first : moment - distance;
    }

    /// Returns the local time of a time of day: on the day of `begin`, or on the next day.
    std::int64_t on_a_day(const std::string& given, std::int64_t clock, std::int64_t begin) {
        const std::int64_t day = day_of(begin), same_day = day + clock, next_day = same_day + day_length;
        if (zone_.moments_of(same_day).last >= begin || !crosses_midnight(begin)) return same_day;
        note(fmt::format("{} is {}: the first such time in a run that begins at {} and crosses midnight", given,
                         shown(zone_.moments_of(next_day).first), shown(begin)));
        return next_day;
    }

    /// Returns the begin of a moment's day, as local time in nanoseconds since 1970-01-01 00:00.
    std::int64_t day_of(std::int64_t moment) const {
        const chrono::seconds local =
            chrono::floor<chrono::seconds>(chrono::nanoseconds{moment}) + chrono::seconds{zone_.offset_at(moment)};
        return chrono::floor<chrono::days>(local).count() * day_length;
    }

    /// Returns whether the run continues on the day after `begin`. A machine is read until it is interrupted. Of inputs
    /// that cannot be read twice, it is not known.
    bool crosses_midnight(std::int64_t begin) {
        if (inputs_.live.live) return true;
        const auto last = end();
        return last && day_of(*last) > day_of(begin);
    }

    /// Returns the time of the last sample; none if the inputs cannot be read twice.
    std::optional<std::int64_t> end() {
        if (std::exchange(sought_end_, true) || !has_end(inputs_)) return end_;
        Diagnostics discarded(0);
        ReaderOptions how = how_;
        how.compare = false;
        how.range = {};
        Input input(inputs_, how, discarded);
        while (input.reader().next())
            if (const auto time = unix_time(input.reader().sample())) end_ = time;
        return end_;
    }

    std::string shown(std::int64_t moment) const {
        std::string text;
        append_time(text, system_time_at(moment), zone_);
        return text;
    }

    void note(const std::string& text) const { complain(subcommand_, "note: " + text); }

  public:
    /// Returns whether the end of the inputs can be found before they are read.
    static bool has_end(const InputOptions& inputs) {
        const Strings paths = all_inputs(inputs);
        return !inputs.live.live && std::ranges::find(paths, "-") == paths.end() && are_repeatable(paths);
    }

  private:
    std::string_view subcommand_;
    const TimeOptions& options_;
    const InputOptions& inputs_;
    ReaderOptions how_;
    Zone zone_;
    std::optional<Range> range_;
    std::optional<std::int64_t> end_;
    bool sought_end_ = false;
};

/// Parses the text of a bound. Returns the error message; empty on success.
std::string read_bound(std::string_view option, TimeBound& bound, const InputOptions& inputs) {
    if (!bound.text) return {};
    const std::string& text = *bound.text;
    const char* const end = std::to_address(text.end());
    std::uint64_t digits = 0;
    if (const auto parsed = std::from_chars(text.data(), end, digits); parsed.ec == std::errc{} && parsed.ptr == end) {
        bound.number = digits;
        return {};
    }
    bound.time = parse_stated_time(text);
    if (!bound.time)
        return fmt::format(
            "{}: expected a time such as 10:00, 2024-05-14T09:30:02 or -5min, or a sample number, found '{}'", option,
            text);
    if (bound.time->kind == StatedTime::Kind::before_end && !RangeFinder::has_end(inputs))
        return fmt::format("{}: {} is counted from the last sample, so it requires files, not a machine or a pipe",
                           option, text);
    return {};
}

}  // namespace

void describe_zone(po::options_description& shown, TimeOptions& o) {
    auto add = shown.add_options();
    add("tz", text_option(o.zone_text, "ZONE"), "time zone: local, log, UTC, Europe/Berlin or NAME,BIAS");
    add("utc", po::bool_switch(&o.utc), "the same as --tz UTC");
}

void describe_range(po::options_description& shown, TimeOptions& o) {
    auto add = shown.add_options();
    add("from", text_option(o.from.text, "TIME"), "start at this time: 10:00, -5min, a sample number");
    add("to", text_option(o.to.text, "TIME"), "end at this time");
}

std::string check_zone(TimeOptions& o) {
    if (o.utc && o.zone_text) return "--utc and --tz cannot be combined";
    if (o.utc) o.zone = Zone();
    if (!o.zone_text) return {};
    const std::string& text = *o.zone_text;
    if (text == "log") {
        o.log_zone = true;
        return {};
    }
    auto zone = Zone::parse(text);
    if (zone) {
        o.zone = *std::move(zone);
        return {};
    }
    if (zone.error() == ZoneError::no_rules)
        return fmt::format(
            "--tz: this system has no rules for '{}'; install its time zones (Debian: tzdata), or give "
            "NAME,BIAS such as 'Pacific Standard Time,480'",
            text);
    return fmt::format(
        "--tz: expected local, log, UTC, the name of a zone such as America/New_York or 'Eastern Standard "
        "Time', or NAME,BIAS such as 'Pacific Standard Time,480', found '{}'{}",
        text, did_you_mean(Zone::similar_name(text)));
}

std::string check_range(TimeOptions& o, const InputOptions& inputs) {
    std::string wrong = read_bound("--from", o.from, inputs);
    return wrong.empty() ? read_bound("--to", o.to, inputs) : wrong;
}

void set_range(std::string_view subcommand, const TimeOptions& o, const InputOptions& inputs, ReaderOptions& how) {
    if (o.from.number) how.range.first = *o.from.number;
    if (o.to.number) how.range.last = *o.to.number;
    if (!o.from.time && !o.to.time) return;
    const auto finder = std::make_shared<RangeFinder>(subcommand, o, inputs, how);
    how.range_of = [finder](const Sample& first) { return finder->find(first); };
}

bool are_repeatable(const Strings& paths) {
    return std::ranges::all_of(paths, [](const std::string& path) {
        if (path == "-") return standard_input().tellg() != std::istream::pos_type(-1);
        std::error_code error;
        const auto type = std::filesystem::status(path_of(path), error).type();
        return type != std::filesystem::file_type::fifo && type != std::filesystem::file_type::character;
    });
}

}  // namespace hkpd::command
