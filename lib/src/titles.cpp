#include "hkpd/titles.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "titles_text.hpp"

namespace hkpd {
namespace {

/// Position in the order of preference: languages that were asked for, English, unknown, others.
std::size_t rank(const std::vector<std::string>& preferred, const TitleTable& table) {
    const std::string language = normal_language(table.language());
    const auto at = std::ranges::find(preferred, language);
    if (at != preferred.end()) return static_cast<std::size_t>(at - preferred.begin());
    return preferred.size() + (language == "009" ? 0 : language.empty() ? 1 : 2);
}

}  // namespace

void TitleTable::add(std::uint32_t index, std::string_view text) {
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
    if (entries_.size() == most || text.size() > most - text_.size()) return;
    entries_.push_back({index, static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(text.size())});
    text_ += text;
    by_index_[index] = static_cast<std::uint32_t>(entries_.size() - 1);
}

std::optional<std::string_view> TitleTable::find(std::uint32_t index) const {
    const auto found = by_index_.find(index);
    if (index == 1 || found == by_index_.end()) return std::nullopt;
    return (*this)[found->second].text;
}

TitleTable::Title TitleTable::operator[](std::size_t position) const noexcept {
    const Entry& entry = entries_[position];
    return {entry.index, {text_.data() + entry.begin, entry.length}};
}

void Titles::add(TitleTable table) {
    const auto place = std::ranges::upper_bound(tables_, rank(languages_, table), {},
                                                [this](const TitleTable& t) { return rank(languages_, t); });
    tables_.insert(place, std::move(table));
}

void Titles::prefer(const std::vector<std::string>& languages) {
    languages_.clear();
    for (const std::string& language : languages) languages_.push_back(normal_language(language));
    std::ranges::stable_sort(tables_, {}, [this](const TitleTable& t) { return rank(languages_, t); });
}

std::optional<Titles::Answer> Titles::find(std::uint32_t index, bool windows_own) const {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
        if (!windows_own && tables_[i].origin() == builtin_titles().origin()) continue;
        if (const auto text = tables_[i].find(index)) return Answer{*text, static_cast<std::uint32_t>(i)};
    }
    return std::nullopt;
}

}  // namespace hkpd
