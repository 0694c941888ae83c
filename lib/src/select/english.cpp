#include "select/english.hpp"

#include <algorithm>

#include "base/text/names.hpp"
#include "names/titles.hpp"

namespace hkpd {
namespace {

void add_once(std::string_view text, std::vector<std::string_view>& names) {
    if (std::ranges::find(names, text) == names.end()) names.push_back(text);
}

}  // namespace

bool EnglishNames::is_english(std::uint32_t table) const noexcept {
    return table < titles_.tables().size() && titles_.tables()[table].language() == english_language;
}

bool EnglishNames::update() {
    for (; tables_ < titles_.tables().size(); ++tables_) {
        const TitleTable& table = titles_.tables()[tables_];
        if (table.language() == english_language) continue;
        any_local_ = true;
        if (!known_.insert(table.titles_address()).second) continue;
        for (std::size_t i = 0; i < table.size(); ++i) {
            std::vector<std::uint32_t>& indices = indices_[fold_case(table[i].text)];
            if (indices.empty() || indices.back() != table[i].index) indices.push_back(table[i].index);
        }
    }
    return any_local_;
}

void EnglishNames::add(std::uint32_t index, std::string_view machine, std::vector<std::string_view>& names) const {
    const Titles::Scope scope{.machine = machine};
    if (const auto found = titles_.find(index, scope, english_language)) return add_once(found->text, names);
    if (const auto text = builtin_titles().find(index)) add_once(*text, names);
}

void EnglishNames::find(const std::optional<Titles::Answer>& name, std::optional<std::uint32_t> index,
                        std::string_view machine, std::vector<std::string_view>& names) const {
    names.clear();
    if (name && is_english(name->table)) return names.push_back(name->text);
    if (index) return add(*index, machine, names);
    const auto found = name ? indices_.find(fold_case(name->text)) : indices_.end();
    if (found == indices_.end()) {
        if (name) names.push_back(name->text);
        return;
    }
    constexpr std::size_t most = 16;  // many titles can have the same text
    for (const std::uint32_t title : found->second)
        if (names.size() < most) add(title, machine, names);
}

}  // namespace hkpd
