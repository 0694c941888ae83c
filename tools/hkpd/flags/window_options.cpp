#include "flags/window_options.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "hkpd/time.hpp"
#include "hkpd/time_range.hpp"
#include "hkpd/window.hpp"

namespace hkpd::command {
namespace {

constexpr std::string_view between_times = "..";

std::string_view without_blanks(std::string_view text) noexcept {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

/// Sets a bound. Returns whether the text is a time or a number of a sample.
bool read(std::string_view text, TimeBound& bound) {
    bound = {.text = std::string(text)};
    bound.number = whole_number<std::uint64_t>(text);
    if (!bound.number) bound.time = parse_stated_time(text);
    return bound.number || bound.time;
}

/// Sets both bounds from a date: the day from midnight to midnight. Returns false for any other text.
bool read_day(std::string_view text, TimeBound& from, TimeBound& to) {
    constexpr std::int64_t day = 86'400'000'000'000;
    if (!read(text, from) || !from.time || from.time->kind != StatedTime::Kind::local || text.contains(':'))
        return false;
    to = from;
    to.time->time += day - 1;
    return true;
}

}  // namespace

void describe_windows(po::options_description& shown, TwoWindows& o) {
    auto add = shown.add_options();
    add("before", text_option(o.before.text, "WINDOW"), "first part of a log to compare: 10:00-10:30");
    add("after", text_option(o.after.text, "WINDOW"), "second part");
}

std::string split_window(const std::string& text, TimeBound& from, TimeBound& to) {
    constexpr std::string_view expected =
        "expected two times such as 10:00-10:30 or 2024-05-14T09:30..2024-05-14T10:00";
    const auto wrong = [&](std::string_view why) { return fmt::format("{}, found '{}'{}", expected, text, why); };
    if (const auto at = text.find(between_times); at != std::string::npos) {
        const std::string_view first = without_blanks(std::string_view(text).substr(0, at)),
                               last = without_blanks(std::string_view(text).substr(at + between_times.size()));
        from = to = {};
        if (first.empty() && last.empty()) return wrong(": one end at least");
        for (const auto& [part, bound] : {std::pair(first, &from), std::pair(last, &to)})
            if (!part.empty() && !read(part, *bound)) return wrong(fmt::format(": '{}' is no time", part));
        return {};
    }
    if (read_day(text, from, to)) return {};
    // Dates and zones have hyphens, too: the one that separates has a time on both sides.
    std::size_t splits = 0;
    for (auto at = text.find('-', 1); at != std::string::npos; at = text.find('-', at + 1)) {
        TimeBound first, last;
        if (!read(without_blanks(std::string_view(text).substr(0, at)), first) ||
            !read(without_blanks(std::string_view(text).substr(at + 1)), last))
            continue;
        if (++splits > 1) return wrong(": several hyphens could be the one between the times, so write ..");
        from = std::move(first);
        to = std::move(last);
    }
    return splits == 1 ? std::string() : wrong("");
}

std::string check_windows(TwoWindows& o, const InputOptions& inputs) {
    for (TimeWindow* const window : {&o.before, &o.after}) {
        if (!window->text) continue;
        if (std::string wrong = split_window(*window->text, window->from, window->to); !wrong.empty())
            return fmt::format("{}: {}", window->option, wrong);
        for (TimeBound* const bound : {&window->from, &window->to})
            if (std::string wrong = check_bound(window->option, *bound, inputs); !wrong.empty()) return wrong;
    }
    return {};
}

std::string window_text(const TimeWindow& window) {
    return fmt::format("{} {}", window.option, window.text.value_or(""));
}

void describe_window(po::options_description& shown, WindowChoice& choice) {
    auto add = shown.add_options();
    add("at", text_option(choice.at, "TIME"), "what happened then? 15:42, or 15:42-15:50");
    add("rest", po::bool_switch(&choice.rest), "what happened from --from to --to?");
}

std::string check_window(WindowChoice& choice, const TimeOptions& o, const InputOptions& inputs) {
    if (choice.rest && choice.at) return "--at and --rest cannot be combined: --at is compared with the rest anyway";
    if (choice.rest && !is_ranged(o))
        return "--rest requires --from or --to: the window that is compared with the rest";
    if (!choice.at) return {};
    TimeBound day_begin, day_end;  // a date is a window
    choice.is_moment =
        read(without_blanks(*choice.at), choice.from) && !read_day(without_blanks(*choice.at), day_begin, day_end);
    if (!choice.is_moment)
        if (const std::string wrong = split_window(*choice.at, choice.from, choice.to); !wrong.empty())
            return fmt::format("--at: expected a time such as 15:42, or a window; {}", wrong);
    for (const TimeBound* const bound : {&choice.from, &choice.to})
        if (std::string wrong = check_bound("--at", *bound, inputs); !wrong.empty()) return wrong;
    return {};
}

std::function<Range(const Sample& first)> window_of(std::string_view subcommand, const WindowChoice& choice,
                                                    const TimeOptions& o, const InputOptions& inputs,
                                                    const ReaderOptions& how) {
    const TimeBound &from = choice.at ? choice.from : o.from, &to = choice.at ? choice.to : o.to;
    Range numbers;
    if (from.number) numbers.first = *from.number;
    if (to.number || (choice.is_moment && from.number)) numbers.last = to.number.value_or(numbers.first);
    const RangeOptions stated{choice.at ? "--at" : "--from", choice.at ? "--at" : "--to", from, to, o.zone};
    const auto finder = range_finder(subcommand, stated, numbers, inputs, how, RangeNotes::written);
    return [finder, is_time = choice.is_moment && from.time](const Sample& first) {
        const Range found = finder->find(first);
        return is_time ? window_around(found.from) : found;
    };
}

}  // namespace hkpd::command
