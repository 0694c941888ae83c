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

    // Runs of equal length become one, as in binary counting; each position takes part in log2(size) merges.
    by_index_.push_back(static_cast<std::uint32_t>(entries_.size() - 1));
    const auto less = [this](std::uint32_t a, std::uint32_t b) { return entries_[a].index < entries_[b].index; };
    for (std::size_t run = 1; by_index_.size() % (2 * run) == 0; run *= 2) {
        const auto middle = by_index_.end() - static_cast<std::ptrdiff_t>(run);
        if (!less(*middle, *std::prev(middle))) continue;
        const auto begin = middle - static_cast<std::ptrdiff_t>(run);
        std::vector<std::uint32_t> merged(2 * run);
        std::merge(begin, middle, middle, by_index_.end(), merged.begin(), less);
        std::ranges::copy(merged, begin);
    }
}

std::optional<std::string_view> TitleTable::find(std::uint32_t index) const {
    if (index == 1) return std::nullopt;
    const auto index_of = [this](std::uint32_t at) { return entries_[at].index; };
    // From the last run to the first, as the last of several entries counts.
    for (std::size_t end = by_index_.size(), begin = 0; end != 0; end = begin) {
        begin = end & (end - 1);
        const auto run = std::span(by_index_).subspan(begin, end - begin);
        const auto behind = std::ranges::upper_bound(run, index, {}, index_of);
        if (behind == run.begin()) continue;
        const std::uint32_t position = *std::prev(behind);
        if (entries_[position].index == index) return (*this)[position].text;
    }
    return std::nullopt;
}

TitleTable::Title TitleTable::operator[](std::size_t position) const noexcept {
    const Entry& entry = entries_[position];
    return {entry.index, {text_.data() + entry.begin, entry.length}};
}

void Titles::add(TitleTable table) {
    const std::size_t place = rank(languages_, table);
    std::size_t at = tables_.size();
    while (at != 0 && rank(languages_, tables_[at - 1]) > place) --at;
    tables_.insert(tables_.begin() + static_cast<std::ptrdiff_t>(at), std::move(table));
    added_.insert(added_.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint32_t>(added_.size()));
}

void Titles::prefer(std::vector<std::string> languages) {
    languages_ = std::move(languages);
    for (std::string& language : languages_) language = normal_language(language);
    order();
}

void Titles::order() {
    std::vector<std::size_t> positions(tables_.size());
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = i;
    std::ranges::sort(positions, [this](std::size_t a, std::size_t b) {
        return std::pair(rank(languages_, tables_[a]), added_[a]) < std::pair(rank(languages_, tables_[b]), added_[b]);
    });
    std::vector<TitleTable> tables;
    std::vector<std::uint32_t> added;
    for (const std::size_t position : positions) {
        tables.push_back(std::move(tables_[position]));
        added.push_back(added_[position]);
    }
    tables_ = std::move(tables);
    added_ = std::move(added);
}

std::optional<Titles::Answer> Titles::find(std::uint32_t index) const {
    for (std::size_t i = 0; i < tables_.size(); ++i)
        if (const auto text = tables_[i].find(index)) return Answer{*text, static_cast<std::uint32_t>(i)};
    return std::nullopt;
}

}  // namespace hkpd
