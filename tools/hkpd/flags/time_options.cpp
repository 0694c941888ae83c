#include "flags/time_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "hkpd/diagnostics.hpp"
#include "hkpd/time_range.hpp"
#include "hkpd/window.hpp"

namespace hkpd::command {
namespace {

/// Returns whether the end of the inputs can be found before they are read.
bool has_end(const InputOptions& inputs) {
    const Strings paths = all_inputs(inputs);
    return !inputs.live.live && std::ranges::find(paths, "-") == paths.end() && are_repeatable(paths);
}

/// Returns one end of the range, under the name of its option; none if it is not a time.
std::optional<StatedRange::Bound> stated_bound(std::string_view option, const TimeBound& bound) {
    if (!bound.time) return std::nullopt;
    return StatedRange::Bound{fmt::format("{} {}", option, bound.text.value_or("")), *bound.time};
}

/// Parses the text of a bound. Returns the error message; empty on success.
std::string read_bound(std::string_view option, TimeBound& bound, const InputOptions& inputs) {
    if (!bound.text) return {};
    const std::string& text = *bound.text;
    bound.number = whole_number<std::uint64_t>(text);
    if (bound.number) return {};
    bound.time = parse_stated_time(text);
    if (!bound.time)
        return fmt::format(
            "{}: expected a time such as 10:00, 2024-05-14T09:30:02 or -5min, or a sample number, found '{}'", option,
            text);
    if (bound.time->kind == StatedTime::Kind::before_end && !has_end(inputs))
        return fmt::format("{}: {} is counted from the last sample, so it requires files, not a machine or a pipe",
                           option, text);
    return {};
}

/// Returns the error message for a text that states no zone.
std::string why_no_zone(std::string_view option, const std::string& text, ZoneError error) {
    if (error == ZoneError::no_rules)
        return fmt::format(
            "{}: this system has no rules for '{}'; install its time zones (Debian: tzdata), or give "
            "NAME,BIAS such as 'Pacific Standard Time,480'",
            option, text);
    return fmt::format(
        "{}: expected local, {}UTC, the name of a zone such as America/New_York or 'Eastern Standard "
        "Time', or NAME,BIAS such as 'Pacific Standard Time,480', found '{}'{}",
        option, option == "--tz" ? "log, " : "", text, did_you_mean(Zone::similar_name(text)));
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

void describe_log_zones(po::options_description& shown, Strings& texts) {
    shown.add_options()("log-tz", po::value(&texts)->value_name("[FILE=]ZONE"),
                        "zone of text logs that state none, as those of typeperf: local, UTC, Europe/Berlin or "
                        "NAME,BIAS; FILE=ZONE: of this input, whatever it states (repeatable)");
}

std::string read_log_zones(const Strings& texts, LogZones& zones) {
    zones.clear();
    for (const std::string& text : texts) {
        auto stated = parse_log_zone(text);
        if (!stated) return why_no_zone("--log-tz", text.substr(text.rfind('=') + 1), stated.error());
        zones.push_back(*std::move(stated));
    }
    return {};
}

void describe_encoding(po::options_description& shown, std::optional<std::string>& name) {
    shown.add_options()("encoding", text_option(name, "NAME"),
                        "encoding of text logs without a byte order mark: utf-8, utf-16le, 1251, cp866, koi8-r, ...; "
                        "default: guessed from names and time zone");
}

std::string read_encoding(const std::optional<std::string>& name, TextEncoding& encoding) {
    if (!name) return {};
    auto parsed = TextEncoding::parse(*name);
    if (!parsed)
        return fmt::format(
            "--encoding: expected utf-8, utf-16le, a code page such as 1251, or another encoding of this "
            "system that begins like ASCII; found '{}'",
            *name);
    encoding = *std::move(parsed);
    return {};
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
    if (!zone) return why_no_zone("--tz", text, zone.error());
    o.zone = *std::move(zone);
    return {};
}

std::string check_range(TimeOptions& o, const InputOptions& inputs) {
    std::string wrong = read_bound("--from", o.from, inputs);
    return wrong.empty() ? read_bound("--to", o.to, inputs) : wrong;
}

void describe_window(po::options_description& shown, WindowChoice& choice) {
    auto add = shown.add_options();
    add("at", text_option(choice.at, "TIME"), "what happened then? 15:42, or 15:42..15:50");
    add("rest", po::bool_switch(&choice.rest), "what happened from --from to --to?");
}

std::string check_window(WindowChoice& choice, const TimeOptions& o, const InputOptions& inputs) {
    if (choice.rest && choice.at) return "--at and --rest cannot be combined: --at is compared with the rest anyway";
    if (choice.rest && !is_ranged(o))
        return "--rest requires --from or --to: the window that is compared with the rest";
    if (!choice.at) return {};
    constexpr std::string_view between = "..";
    const std::size_t end = choice.at->find(between);
    choice.from.text = choice.at->substr(0, end);
    if (end != std::string::npos) choice.to.text = choice.at->substr(end + between.size());
    std::string wrong = read_bound("--at", choice.from, inputs);
    return wrong.empty() ? read_bound("--at", choice.to, inputs) : wrong;
}

/// Returns a finder of a stated range of `inputs`, to which it keeps a reference.
static std::shared_ptr<RangeFinder> finder_of(std::string_view subcommand, const StatedRange& stated,
                                              const InputOptions& inputs, const ReaderOptions& how) {
    const auto latest = [&inputs, again = how]() mutable -> std::optional<std::int64_t> {
        if (!has_end(inputs)) return std::nullopt;
        again.only = inputs.only;
        Diagnostics discarded(0);
        if (inputs.live.any()) return latest_time(std::make_unique<LiveInput>(inputs.live, discarded), again);
        return latest_time(open_inputs(inputs.inputs, inputs.v2, again.limits, subdirectories_of(inputs.recursive),
                                       inputs.log_zones, inputs.encoding),
                           again);
    };
    const auto note = [subcommand](const std::string& text) { complain(subcommand, "note: " + text); };
    return std::make_shared<RangeFinder>(stated, RangeFinder::Calls{latest, note}, inputs.live.live);
}

std::function<Range(const Sample& first)> window_of(std::string_view subcommand, const WindowChoice& choice,
                                                    const TimeOptions& o, const InputOptions& inputs,
                                                    const ReaderOptions& how) {
    const bool is_moment = choice.at && !choice.to.text;
    const TimeBound &from = choice.at ? choice.from : o.from, &to = choice.at ? choice.to : o.to;
    Range numbers;
    if (from.number) numbers.first = *from.number;
    if (to.number || (is_moment && from.number)) numbers.last = to.number.value_or(numbers.first);
    const StatedRange stated{stated_bound(choice.at ? "--at" : "--from", from),
                             stated_bound(choice.at ? "--at" : "--to", to), o.zone, numbers};
    const auto finder = finder_of(subcommand, stated, inputs, how);
    return [finder, is_time = is_moment && from.time](const Sample& first) {
        const Range found = finder->find(first);
        return is_time ? window_around(found.from) : found;
    };
}

void set_range(std::string_view subcommand, const TimeOptions& o, const InputOptions& inputs, ReaderOptions& how) {
    if (o.from.number) how.range.first = *o.from.number;
    if (o.to.number) how.range.last = *o.to.number;
    if (!o.from.time && !o.to.time) return;
    const StatedRange stated{stated_bound("--from", o.from), stated_bound("--to", o.to), o.zone, how.range};
    const auto finder = finder_of(subcommand, stated, inputs, how);
    how.range_of = [finder](const Sample& first) { return finder->find(first); };
}

}  // namespace hkpd::command
