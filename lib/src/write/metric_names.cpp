#include "metric_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cook/formula.hpp"
#include "hkpd/counter_type.hpp"
#include "metric_words.hpp"

namespace hkpd {
namespace {

/// What counters of a formula are shown as.
namespace metric_lists {

using enum Metric::Type;
using enum Metric::Quantity;

constexpr std::array<Metric, 1> plain_counter{{{counter, number}}};
constexpr std::array<Metric, 1> plain_gauge{{{gauge, number}}};
constexpr std::array<Metric, 1> plain_unknown{{{unknown, number}}};
constexpr std::array<Metric, 1> floating_gauge{{{gauge, floating}}};
constexpr std::array<Metric, 1> ratio_gauge{{{gauge, ratio, "", "ratio"}}};
constexpr std::array<Metric, 1> elapsed_gauge{{{gauge, cooked, "", "seconds"}}};
// An inverse timer counts the time in which that was not so which it is named after.
constexpr std::array<Metric, 1> timer{{{counter, seconds, "", "seconds"}}};
constexpr std::array<Metric, 1> timer_ticks{{{counter, number, "_ticks"}}};
constexpr std::array<Metric, 1> inverse{{{counter, seconds, "_inactive", "seconds"}}};
constexpr std::array<Metric, 1> inverse_ticks{{{counter, number, "_inactive_ticks"}}};
constexpr Metric instances{gauge, base, "_instances"};
constexpr std::array<Metric, 2> multi_timer{{timer[0], instances}};
constexpr std::array<Metric, 2> multi_timer_ticks{{timer_ticks[0], instances}};
constexpr std::array<Metric, 2> multi_inverse{{inverse[0], instances}};
constexpr std::array<Metric, 2> multi_inverse_ticks{{inverse_ticks[0], instances}};
constexpr Metric base_counter{counter, base, "_base"};
constexpr std::array<Metric, 2> counter_and_base{{plain_counter[0], base_counter}};
constexpr std::array<Metric, 2> timer_and_base{{timer[0], base_counter}};
constexpr std::array<Metric, 2> timer_ticks_and_base{{timer_ticks[0], base_counter}};

constexpr std::array<Metric, 1> cooked_plain{{{gauge, cooked}}};
constexpr std::array<Metric, 1> cooked_rate{{{gauge, cooked, "", "per_second"}}};
constexpr std::array<Metric, 1> cooked_percent{{{gauge, cooked, "", "percent"}}};
constexpr std::array<Metric, 1> cooked_seconds{{{gauge, cooked, "", "seconds"}}};

}  // namespace metric_lists

constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// What is no counter must not end like the samples of counters, summaries and histograms: `Handle Count` is `handles`.
void avoid_reserved_end(std::string& stem) {
    constexpr std::string_view count = "_count";
    const std::size_t word = stem.size() - std::min(count.size(), stem.size());
    std::string plural = stem.substr(0, word);
    append_plural(plural);
    if (stem.ends_with(count) && word != 0 && is_letter(stem[word - 1]) &&
        !is_abbreviated_unit(plural.substr(plural.rfind('_') + 1))) {
        stem = std::move(plural);
    } else if (std::ranges::any_of(std::array{"_count", "_total", "_sum", "_bucket"},
                                   [&stem](std::string_view end) { return stem.ends_with(end); })) {
        stem += "_value";
    }
}

}  // namespace

std::span<const Metric> metrics_of(std::uint32_t type, bool has_seconds) noexcept {
    using namespace metric_lists;
    const auto timed = [has_seconds](std::span<const Metric> with, std::span<const Metric> without) {
        return has_seconds ? with : without;
    };
    switch (formula_of(type)) {
        case Formula::not_displayable:
            return {};
        case Formula::raw:
            return plain_gauge;
        case Formula::raw_double:
            return floating_gauge;
        case Formula::fraction:
            return ratio_gauge;
        case Formula::elapsed:
            return elapsed_gauge;
        case Formula::delta:
        case Formula::rate:
            return plain_counter;
        case Formula::queue_length:
        case Formula::percent:
            return timed(timer, timer_ticks);
        case Formula::percent_inverse:
            return timed(inverse, inverse_ticks);
        case Formula::multi:
            return timed(multi_timer, multi_timer_ticks);
        case Formula::multi_inverse:
            return timed(multi_inverse, multi_inverse_ticks);
        case Formula::average_timer:
            return timed(timer_and_base, timer_ticks_and_base);
        case Formula::sample_fraction:
        case Formula::average_bulk:
            return counter_and_base;
        default:
            return plain_unknown;
    }
}

std::span<const Metric> cooked_metrics_of(std::uint32_t type) noexcept {
    if (!is_displayable(type)) return {};
    using namespace metric_lists;
    constexpr std::uint32_t per_second = 1, percent = 2, in_seconds = 3;
    switch (CounterType{type}.display()) {
        case per_second:
            return cooked_rate;
        case percent:
            return cooked_percent;
        case in_seconds:
            return cooked_seconds;
        default:
            return cooked_plain;
    }
}

std::string_view title_start(std::string_view title) noexcept {
    // Windows' longest names have less; a hostile table's could have any length, and names are in every line.
    constexpr std::size_t most = 256;
    return title.substr(0, most);
}

void append_metric_name(std::string& out, const std::optional<Titles::Answer>& title, std::string_view otherwise) {
    const std::string name = title ? metric_words(title_start(title->text)) : std::string();
    out += name.empty() ? metric_words(otherwise) : name;
}

std::string MetricNames::claim(std::string stem, const Metric& metric, std::uint32_t index) {
    stem += metric.suffix;
    const std::string end = metric.unit.empty() ? "" : fmt::format("_{}", metric.unit);
    // `Bytes Total/sec` is `bytes_total`, and not `bytes_total_total`; likewise for units.
    const std::string repeated = end.empty() && metric.type == Metric::Type::counter ? "_total" : end;
    if (stem.ends_with(repeated)) stem.resize(stem.size() - repeated.size());
    if (end.empty() && metric.type != Metric::Type::counter) avoid_reserved_end(stem);
    stem = without_faulty_words(stem);
    std::string name = stem + end;
    if (take(name, metric.type)) return name;
    stem += fmt::format("_{}", index);
    std::uint32_t& tries = tries_[stem + end];
    do {
        name = tries++ == 0 ? stem + end : fmt::format("{}_{}{}", stem, tries, end);
    } while (!take(name, metric.type));
    return name;
}

bool MetricNames::take(const std::string& name, Metric::Type type) {
    // The samples of a counter are called so; `_created` is the time at which one began, which nothing here tells.
    const std::string total = name + "_total", created = name + "_created";
    if (taken_.contains(name)) return false;
    if (type == Metric::Type::counter) {
        if (taken_.contains(total) || taken_.contains(created)) return false;
        taken_.insert({total, created});
    }
    taken_.insert(name);
    return true;
}

}  // namespace hkpd
