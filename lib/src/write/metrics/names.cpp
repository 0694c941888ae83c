#include "write/metrics/names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text/names.hpp"
#include "cook/formula.hpp"
#include "hkpd/counter_type.hpp"
#include "hkpd/write.hpp"

namespace hkpd {
namespace {

/// A rule: the metrics that are written for each counter whose values are cooked with `formula`.
struct Rule {
    Formula formula;
    std::uint8_t count;  ///< number of metrics used
    std::array<Metric, 2> metrics;
    std::array<Metric, 2> without_seconds = metrics;  ///< used if the ticks per second are unknown
};

/// The table of rules, also listed in tools/OUTPUTS.md. Counters whose formula has no rule are shown raw, with the
/// metric type `unknown`.
constexpr auto rules = [] {
    using enum Metric::Type;
    using enum Metric::Quantity;
    constexpr Metric running{counter, number}, running_base{counter, base, "_base"};
    constexpr Metric timer{counter, seconds, "", "seconds"}, ticks{counter, number, "_ticks", "", "seconds"};
    // The title of an inverse timer names an activity, but the timer counts the time without this activity. The suffix
    // of the name states this.
    constexpr Metric idle{counter, seconds, "_inactive", "seconds"};
    constexpr Metric idle_ticks{counter, number, "_inactive_ticks", "", "seconds"};
    constexpr Metric timer_base{counter, base, "_base", "", "seconds"};
    constexpr Metric instances{gauge, base, "_instances", "", "seconds"};
    return std::to_array<Rule>({
        {Formula::not_displayable, 0, {}},
        {Formula::raw, 1, {{{gauge, number}}}},
        {Formula::raw_double, 1, {{{gauge, floating}}}},
        {Formula::fraction, 1, {{{gauge, ratio, "", "ratio"}}}},
        {Formula::elapsed, 1, {{{gauge, cooked, "", "seconds"}}}},
        {Formula::delta, 1, {{running}}},
        {Formula::rate, 1, {{running}}},
        {Formula::queue_length, 1, {{timer}}, {{ticks}}},
        {Formula::percent, 1, {{timer}}, {{ticks}}},
        {Formula::percent_inverse, 1, {{idle}}, {{idle_ticks}}},
        {Formula::multi, 2, {{timer, instances}}, {{ticks, instances}}},
        {Formula::multi_inverse, 2, {{idle, instances}}, {{idle_ticks, instances}}},
        {Formula::average_timer, 2, {{timer, timer_base}}, {{ticks, timer_base}}},
        {Formula::average_bulk, 2, {{running, running_base}}},
        {Formula::sample_fraction, 2, {{running, running_base}}},
    });
}();
constexpr Metric anything_else{Metric::Type::unknown, Metric::Quantity::number};

constexpr Metric cooked_gauge(std::string_view unit) {
    return {Metric::Type::gauge, Metric::Quantity::cooked, "", unit};
}
/// Metrics of cooked values, indexed by how Windows displays the values (`CounterType::display`).
constexpr std::array cooked_rules{cooked_gauge(""), cooked_gauge("per_second"), cooked_gauge("percent"),
                                  cooked_gauge("seconds")};

constexpr bool is_word(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

void append_word(std::string& words, std::string_view word) {
    if (!words.empty() && !word.empty()) words += '_';
    words += word;
}

/// Returns the words of a title, joined by `_`. Omits `/sec`: the metric shows a count, which only Windows' display
/// turns into a rate.
std::string words_of(std::string_view title) {
    std::string words, word;
    char before = '\0';  // the last character that is not a blank
    for (std::size_t at = 0; at < title.size();) {
        if (!is_word(title[at])) {
            if (title[at] != ' ') before = title[at];
            ++at;
            continue;
        }
        word.clear();
        for (; at < title.size() && is_word(title[at]); ++at) word += lower_ascii(title[at]);
        if (word != "sec")
            append_word(words, word);
        else if (before != '/')
            append_word(words, "seconds");
        before = 'a';
    }
    return words;
}

/// Returns `words` without the word `unit`, because a metric's name ends with its unit. Without `seconds`,
/// `avg_disk_seconds_read` is `avg_disk_read`.
std::string without(std::string_view unit, std::string_view words) {
    std::string others;
    while (!words.empty()) {
        const std::string_view word = words.substr(0, words.find('_'));
        if (word != unit) append_word(others, word);
        words.remove_prefix(std::min(words.size(), word.size() + 1));
    }
    return others;
}

/// Returns whether a name has an ending that OpenMetrics reserves for the samples of counters, summaries and
/// histograms.
bool has_reserved_end(std::string_view name) noexcept {
    return std::ranges::any_of(std::array{"_total", "_count", "_sum", "_bucket"},
                               [name](std::string_view end) { return name.ends_with(end); });
}

/// Returns the part of a title that is used for the names of metrics: its first bytes.
std::string_view title_start(std::string_view title) noexcept {
    // Maximum size of the part in bytes. The titles of Windows are shorter. Without this limit, long titles in a
    // hostile table would be repeated in every line.
    constexpr std::size_t most = 256;
    return title.substr(0, most);
}

// The maximum number of titles. Each title needs at least one metric family (OpenMetrics: the metrics that have the
// same name), and the output has at most this number of families.
constexpr std::size_t most_titles = 65'536;

/// Returns the key of a title: its text with letter case folded, because some logs have the whole title in lower case.
/// If there is no title, the key is the index.
std::string title_key(const std::optional<Titles::Answer>& title, std::uint32_t index) {
    return title ? fold_case(title_start(title->text)) : fmt::format("\n{}", index);
}

}  // namespace

std::span<const Metric> metrics_of(std::uint32_t type, bool has_seconds) noexcept {
    const auto rule = std::ranges::find(rules, formula_of(type), &Rule::formula);
    if (rule == rules.end()) return {&anything_else, 1};
    return std::span(has_seconds ? rule->metrics : rule->without_seconds).first(rule->count);
}

std::span<const Metric> cooked_metrics_of(std::uint32_t type) noexcept {
    if (!is_displayable(type)) return {};
    const std::uint32_t display = CounterType{type}.display();
    return {&cooked_rules[display < cooked_rules.size() ? display : 0], 1};
}

bool is_metric_prefix(std::string_view prefix) noexcept {
    const bool begins_with_digit = !prefix.empty() && prefix.front() >= '0' && prefix.front() <= '9';
    return !begins_with_digit && std::ranges::all_of(prefix, [](char c) { return is_word(c) || c == '_' || c == ':'; });
}

std::string metric_words(const std::optional<Titles::Answer>& title, std::string_view otherwise) {
    std::string words = title ? words_of(title_start(title->text)) : std::string();
    return words.empty() ? words_of(otherwise) : words;
}

std::uint32_t name_number(std::map<std::string, std::uint32_t>& numbers, std::string&& name, std::uint64_t most) {
    const auto found = numbers.lower_bound(name);
    if (found != numbers.end() && found->first == name) return found->second;
    if (numbers.size() >= most) return no_index;
    return numbers.emplace_hint(found, std::move(name), static_cast<std::uint32_t>(numbers.size()))->second;
}

TitleNumber TitleNumbers::number(const Scope& scope, std::size_t place, const std::optional<Titles::Answer>& title,
                                 std::uint32_t index) {
    const std::uint32_t text = name_number(titles_, title_key(title, index), most_titles);
    if (text == no_index || scope.machine == no_index) return {};
    const Known known{scope.machine, scope.object, text, index, repeats_[place]};
    if (const auto found = numbers_.find(known); found != numbers_.end()) return {text, found->second};
    if (numbers_.size() >= most_) return {};
    const std::uint32_t number = counts_[{scope.machine, scope.object, text}]++;
    numbers_.emplace(known, number);
    return {text, number};
}

std::string MetricNames::claim(std::string_view object, std::string_view counter, const Metric& metric,
                               std::uint32_t index) {
    std::string stem(object);
    append_word(stem, without(metric.left_out, counter));
    stem += metric.suffix;
    const std::string end = metric.unit.empty() ? "" : fmt::format("_{}", metric.unit);
    if (end.empty() && metric.type == Metric::Type::counter) {
        // The ending `_total` is appended to the names of counters later. It is removed here, so that the result for
        // `Bytes Total/sec` is `bytes_total` and not `bytes_total_total`.
        if (constexpr std::string_view total = "_total"; stem.ends_with(total)) stem.resize(stem.size() - total.size());
    } else if (end.empty() && has_reserved_end(stem)) {
        stem += "_value";
    }
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
    // The samples of a counter family have the names NAME_total and NAME_created. NAME_created is the start time of a
    // counter. It is never written, because the start time is unknown, but the name is reserved.
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
