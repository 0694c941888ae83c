#include "live/requested_objects.hpp"

#include <algorithm>
#include <ranges>

#include "base/text/parse_number.hpp"
#include "names/titles.hpp"

namespace hkpd {
namespace {

/// Returns patterns for the name of a requested object. `object` can be the part of a counter path that names the
/// object and its instance, such as `Processor(_Total)`. Names of objects can contain parentheses too. The patterns are
/// therefore the whole text, and the text before each opening parenthesis.
std::vector<Pattern> patterns_of(const std::string& object) {
    std::vector<Pattern> patterns{Pattern(object)};
    for (std::size_t at = object.find('('); at != std::string::npos; at = object.find('(', at + 1))
        patterns.emplace_back(std::string_view(object).substr(0, at));
    return patterns;
}

/// Returns the words of a query if all are title indices; otherwise none, as of `Global`.
std::vector<std::string> listed_indices(std::string_view value) {
    std::vector<std::string> words;
    for (const auto part : std::views::split(value, ' ')) {
        std::string word(part.begin(), part.end());
        if (word.empty()) continue;
        if (word.find_first_not_of("0123456789") != std::string::npos) return {};
        words.push_back(std::move(word));
    }
    return words;
}

bool has_counter_names(const TitleTable& table) { return table.origin().starts_with("counter-"); }

}  // namespace

RequestedObjects::Object::Object(const std::string& requested)
    : text(requested), patterns(patterns_of(requested)), nearest(requested) {
    for (const Pattern& pattern : patterns)
        if (const auto index = pattern.index()) indices.insert(*index);
}

bool RequestedObjects::Object::is_counterset(const Guid& guid, std::span<const std::string> names,
                                             std::optional<std::uint32_t> title_index) const {
    if (parse_guid(text) == guid) return true;
    return std::ranges::any_of(patterns, [&](const Pattern& pattern) {
        return (pattern.index() && pattern.index() == title_index) ||
               std::ranges::any_of(names, [&](const std::string& name) { return pattern.matches(name); });
    });
}

RequestedObjects::RequestedObjects(const LiveQuery& query) {
    for (const std::string& object : query.objects) objects_.emplace_back(object);
    for (std::string& word : listed_indices(query.value)) indices_.push_back({std::move(word)});
    for (const std::string& language : query.languages) languages_.push_back({normal_language(language)});
}

void RequestedObjects::find_indices(const Titles& titles) {
    const auto find_in = [this](const TitleTable& table) {
        for (std::size_t i = 0; i < table.size(); ++i) {
            if (table[i].index == 1) continue;  // the highest index, as a text
            for (Object& object : objects_) {
                if (std::ranges::any_of(object.patterns,
                                        [&](const Pattern& pattern) { return pattern.matches(table[i].text); }))
                    object.indices.insert(table[i].index);
                else
                    object.nearest.offer(table[i].text);
            }
        }
    };
    if (std::ranges::none_of(titles.tables(), has_counter_names)) return find_in(builtin_titles());
    for (const TitleTable& table : titles.tables())
        if (has_counter_names(table)) find_in(table);
}

std::set<std::uint32_t> RequestedObjects::indices() const {
    std::set<std::uint32_t> all;
    for (const Object& object : objects_) all.insert(object.indices.begin(), object.indices.end());
    return all;
}

void RequestedObjects::add_v1_object(std::uint32_t title_index) {
    for (Object& object : objects_) object.has_match = object.has_match || object.indices.contains(title_index);
    for (Word& index : indices_)
        index.has_match = index.has_match || parse_number<std::uint32_t>(index.text) == title_index;
}

bool RequestedObjects::is_requested(const Guid& guid, std::span<const std::string> names,
                                    std::optional<std::uint32_t> title_index) {
    bool requested = objects_.empty();
    for (Object& object : objects_) {
        if (object.is_counterset(guid, names, title_index)) {
            requested = true;
            continue;
        }
        for (const std::string& name : names) object.nearest.offer(name);
    }
    return requested;
}

void RequestedObjects::add_counterset(const Guid& guid, std::span<const std::string> names,
                                      std::optional<std::uint32_t> title_index) {
    for (Object& object : objects_)
        object.has_match = object.has_match || object.is_counterset(guid, names, title_index);
}

void RequestedObjects::add_language(std::string_view language) {
    for (Word& requested : languages_)
        requested.has_match = requested.has_match || requested.text == normal_language(language);
}

bool RequestedObjects::has_match() const {
    return (objects_.empty() && indices_.empty()) || std::ranges::any_of(objects_, &Object::has_match) ||
           std::ranges::any_of(indices_, &Word::has_match);
}

std::vector<UnmatchedQuery> RequestedObjects::unmatched() const {
    using Kind = UnmatchedQuery::Kind;
    std::vector<UnmatchedQuery> all;
    for (const Object& object : objects_)
        if (!object.has_match) all.push_back({Kind::object, object.text, object.nearest.name()});
    for (const Word& index : indices_)
        if (!index.has_match) all.push_back({Kind::index, index.text, {}});
    for (const Word& language : languages_)
        if (!language.has_match) all.push_back({Kind::language, language.text, {}});
    return all;
}

}  // namespace hkpd
