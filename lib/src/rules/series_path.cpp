#include "rules/series_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace hkpd::pal {

std::optional<SeriesPath> SeriesPath::parse(std::string_view path) {
    const auto parsed = CounterPath::parse(path);
    if (!parsed) return std::nullopt;
    SeriesPath read(parsed->counter);
    if (!parsed->machine.empty()) read.machine_.emplace(parsed->machine);
    read.add_object(parsed->object);
    return read;
}

std::optional<SeriesPath> SeriesPath::parse_regular_expression(std::string_view path) {
    constexpr std::size_t most_alternatives = 16;
    if (!path.starts_with("\\(")) return std::nullopt;
    const std::size_t end = path.find(')');
    if (end == std::string_view::npos || !path.substr(end + 1).starts_with(".*")) return std::nullopt;
    std::string_view alternatives = path.substr(2, end - 2);
    const std::string_view rest = path.substr(end + 3);
    // The rest of the object must have no meaning in a regular expression. An instance and the counter are plain text.
    const std::string_view object_rest = rest.substr(0, rest.find_first_of("(\\"));
    constexpr std::string_view special = "|.*+?()[]{}^$\\";
    if (object_rest.find_first_of(special) != std::string_view::npos) return std::nullopt;
    std::optional<SeriesPath> read;
    for (std::size_t count = 0; count < most_alternatives; ++count) {
        const std::size_t size = std::min(alternatives.find('|'), alternatives.size());
        const std::string_view name = alternatives.substr(0, size);
        if (name.empty() || name.find_first_of(special) != std::string_view::npos) return std::nullopt;
        const auto parsed = CounterPath::parse(fmt::format("\\{}*{}", name, rest));
        if (!parsed) return std::nullopt;
        if (!read) read = SeriesPath(parsed->counter);
        read->add_object(parsed->object);
        if (size == alternatives.size()) return read;
        alternatives.remove_prefix(size + 1);
    }
    return std::nullopt;
}

void SeriesPath::add_object(std::string_view object) {
    constexpr std::size_t most_splits = 64;
    if (object_text_.empty()) object_text_ = object.substr(0, object.find('('));
    splits_.push_back({Pattern(object), std::nullopt});
    stars_ += static_cast<std::uint64_t>(std::ranges::count(object, '*'));
    if (!object.ends_with(')')) return;
    for (auto open = object.find('('); open != object.npos && splits_.size() < most_splits;
         open = object.find('(', open + 1)) {
        splits_.push_back(
            {Pattern(object.substr(0, open)), Pattern(object.substr(open + 1, object.size() - open - 2))});
        has_instance_ = true;
    }
}

/// Returns whether the object of a series matches by one of its names.
static bool matches_any_name(const Pattern& object, const RuleSeries& series) {
    return object.matches(series.object) || (!series.english_object.empty() && object.matches(series.english_object));
}

bool SeriesPath::matches(const RuleSeries& series) const {
    if (machine_ && !machine_->matches(series.machine)) return false;
    return std::ranges::any_of(splits_, [&series](const Split& split) {
        return split.instance.has_value() == series.of_list && matches_any_name(split.object, series) &&
               (!split.instance || split.instance->matches(series.matched()));
    });
}

bool SeriesPath::matches_object(const RuleSeries& series) const {
    return std::ranges::any_of(splits_, [&series](const Split& split) {
        return matches_any_name(split.object, series) ||
               (!series.original_object.empty() && split.object.matches(series.original_object));
    });
}

bool SeriesPath::matches_original(const RuleSeries& series) const {
    if (series.original_object.empty() || (machine_ && !machine_->matches(series.machine))) return false;
    return std::ranges::any_of(splits_, [&series](const Split& split) {
        return split.instance && series.of_list && split.object.matches(series.original_object) &&
               split.instance->matches(series.original_name);
    });
}

std::uint64_t SeriesPath::cost(const RuleSeries& series) const noexcept {
    return splits_.size() * stars_ * (series.object.size() + series.instance.size() + 1);
}

}  // namespace hkpd::pal
