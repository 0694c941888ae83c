#include "hkpd/names.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "hkpd/limits.hpp"
#include "names/language.hpp"
#include "base/text/located_text.hpp"

namespace hkpd {
namespace {

bool is_builtin(const TitleTable& table) noexcept { return table.origin() == builtin_titles().origin(); }

/// Position in the order of preference: languages that were asked for, English, unknown, others. Of a language that was
/// asked for, the built-in table comes behind those of the machine; else it is the last of all.
std::size_t rank(const std::vector<std::string>& preferred, const TitleTable& table) {
    const std::size_t place = language_rank(preferred, table.language());
    if (!is_builtin(table)) return 2 * place;
    return place < preferred.size() ? 2 * place + 1 : 2 * (preferred.size() + unasked_languages);
}

}  // namespace

bool TitleTable::add(std::uint32_t index, std::string_view text, std::uint64_t offset) {
    static_assert(sizeof(Entry) == 24);
    if (bytes() + entry_bytes + text.size() > Limits{}.title_bytes) return false;
    entries_.push_back(
        {offset, index, static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(text.size())});
    text_ += text;
    by_index_[index] = static_cast<std::uint32_t>(entries_.size() - 1);
    return true;
}

std::optional<std::string_view> TitleTable::find(std::uint32_t index) const {
    const auto found = by_index_.find(index);
    if (index == 1 || found == by_index_.end()) return std::nullopt;
    return (*this)[found->second].text;
}

TitleTable::Title TitleTable::operator[](std::size_t position) const noexcept {
    const Entry& entry = entries_[position];
    return {entry.index, std::string_view(text_).substr(entry.begin, entry.length), entry.offset};
}

void Titles::add(TitleTable table) {
    tables_.push_back(std::move(table));
    const auto rank_of = [this](std::uint32_t position) { return rank(languages_, tables_[position]); };
    const auto position = static_cast<std::uint32_t>(tables_.size() - 1);
    order_.insert(std::ranges::upper_bound(order_, rank_of(position), {}, rank_of), position);
}

void Titles::prefer(const std::vector<std::string>& languages) {
    languages_.clear();
    for (const std::string& language : languages) languages_.push_back(normal_language(language));
    std::ranges::sort(order_);
    std::ranges::stable_sort(order_, {},
                             [this](std::uint32_t position) { return rank(languages_, tables_[position]); });
}

std::optional<Titles::Answer> Titles::find(std::uint32_t index, const Asker& asker) const {
    for (const std::uint32_t position : order_) {
        const TitleTable& table = tables_[position];
        if (!asker.windows_own && is_builtin(table)) continue;
        if (!table.machine().empty() && !asker.machine.empty() && table.machine() != asker.machine) continue;
        if (const auto text = table.find(index)) return Answer{*text, position};
    }
    return std::nullopt;
}

}  // namespace hkpd
