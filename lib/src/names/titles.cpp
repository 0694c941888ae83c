#include "names/titles.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "base/text/encoding.hpp"
#include "base/text/located_text.hpp"
#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"

namespace hkpd {
namespace {

/// Titles with an index below this number are found in an array by their index. The array takes at most 128 KiB in each
/// title table.
constexpr std::uint32_t low_indices = std::uint32_t{1} << 15U;

bool is_builtin(const TitleTable& table) noexcept { return table.origin() == builtin_titles().origin(); }

/// Returns a table's rank; 0 is the best. Tables other than the built-in table have this order: preferred languages,
/// English, unknown language, all others. The built-in table comes directly after the other tables of its language
/// (English) if this language is preferred, otherwise after all tables.
std::size_t rank(const std::vector<std::string>& preferred, const TitleTable& table) {
    const std::size_t place = language_rank(preferred, table.language());
    if (!is_builtin(table)) return 2 * place;
    return place < preferred.size() ? 2 * place + 1 : 2 * (preferred.size() + unasked_languages);
}

/// Returns whether a table is searched for the title indices of the producer that `scope` describes. The built-in table
/// is searched only for indices of Windows itself. A table of one machine is searched only for producers on this
/// machine or on an unknown machine.
bool applies(const TitleTable& table, const Titles::Scope& scope) noexcept {
    if (!scope.windows_own && is_builtin(table)) return false;
    return table.machine().empty() || scope.machine.empty() || table.machine() == scope.machine;
}

/// Returns the approximate memory use of a table in bytes, without its titles.
std::uint64_t bytes_of_names(const TitleTable& table) noexcept {
    return 512 + 2 * (table.language().size() + table.origin().size() + table.machine().size());
}

/// Appends UTF-8 text as UTF-16, little endian, and a NUL.
void append_utf16_string(std::string& out, std::string_view text) {
    for (const char16_t unit : to_utf16(text) + u'\0') {
        out += static_cast<char>(unit & 0xFF);
        out += static_cast<char>(unit >> 8);
    }
}

}  // namespace

std::string normal_language(std::string_view language) {
    std::string normal = lower_case(language);
    if (!normal.empty() && normal.size() < 3) normal.insert(0, 3 - normal.size(), '0');
    const auto number = parse_number<std::uint32_t>(normal, 16);
    if (normal.size() != 3 || !number) return normal;
    // Perflib uses only the primary language (the low 10 bits), except for two forms each of Chinese and Portuguese.
    constexpr std::array<std::uint32_t, 4> whole{0x404, 0x804, 0x416, 0x816};
    if (std::ranges::find(whole, *number) != whole.end()) return normal;
    constexpr std::string_view digits = "0123456789abcdef";
    return {digits[*number >> 8 & 3], digits[*number >> 4 & 15], digits[*number & 15]};
}

std::string perflib_language(std::uint32_t identifier) { return normal_language(fmt::format("{:03x}", identifier)); }

std::uint32_t language_identifier(std::string_view language) {
    constexpr std::uint32_t primary_language = 0x3FF, default_sublanguage = 0x400;  // winnt.h: MAKELANGID
    constexpr int hexadecimal = 16;
    const std::uint32_t identifier = parse_number<std::uint32_t>(language, hexadecimal).value_or(0);
    if (identifier == 0) return 0;
    return identifier > primary_language ? identifier : default_sublanguage | identifier;
}

std::vector<std::string> requested_languages(const std::vector<std::string>& asked, std::uint32_t ui_language) {
    std::vector<std::string> wanted{std::string(english_language)};
    const auto add = [&wanted](std::string language) {
        if (std::ranges::find(wanted, language) == wanted.end()) wanted.push_back(std::move(language));
    };
    if (ui_language != 0) add(perflib_language(ui_language));
    for (const std::string& language : asked) add(normal_language(language));
    return wanted;
}

std::size_t TitleTable::Contents::bytes() const noexcept {
    constexpr std::size_t high_bytes = 48;  // of a node of the map, at most
    return text.size() + entries.size() * sizeof(Entry) + low.size() * sizeof(low[0]) + high.size() * high_bytes;
}

void report_languages(const std::vector<std::string>& languages, const Titles& titles, const Countersets& countersets,
                      const FaultSink& faults) {
    constexpr int hexadecimal = 16;
    for (const std::string& language : languages) {
        if (titles.has_language(language) || countersets.has_language(language)) continue;
        const auto number = parse_number<std::uint32_t>(normal_language(language), hexadecimal);
        faults.add({Errc::language_missing, 0, "", "", 0, number.value_or(0)});
    }
}

bool TitleTable::add(std::uint32_t index, std::string_view text, std::uint64_t offset) {
    constexpr std::size_t entry_bytes = sizeof(Entry) + 48;
    const bool is_low = index < low_indices;
    const std::size_t lows = is_low && index >= contents_->low.size() ? index + 1 - contents_->low.size() : 0;
    if (bytes() + entry_bytes + lows * sizeof(contents_->low[0]) + text.size() > Limits{}.title_bytes) return false;
    if (contents_.use_count() > 1) contents_ = std::make_shared<Contents>(*contents_);
    Contents& to = *contents_;
    constexpr std::size_t prime = 16'777'619;
    to.hash = (to.hash ^ index) * prime + std::hash<std::string_view>{}(text);
    to.entries.push_back(
        {offset, index, static_cast<std::uint32_t>(to.text.size()), static_cast<std::uint32_t>(text.size())});
    to.text += text;
    if (lows != 0) to.low.resize(to.low.size() + lows, no_index);
    (is_low ? to.low[index] : to.high[index]) = static_cast<std::uint32_t>(to.entries.size() - 1);
    return true;
}

TitleTable::Title TitleTable::operator[](std::size_t position) const noexcept {
    const Entry& entry = contents_->entries[position];
    return {entry.index, std::string_view(contents_->text).substr(entry.begin, entry.length), entry.offset};
}

/// Returns the contents that are kept already and are equal to those of `table`; null if there are none.
std::shared_ptr<TitleTable::Contents> Titles::equal_contents(const TitleTable& table) const {
    const auto [first, last] = contents_.equal_range(table.contents_->hash);
    for (auto kept = first; kept != last; ++kept)
        if (*kept->second == *table.contents_) return kept->second;
    return nullptr;
}

Titles::Key Titles::key_of(const Contents* contents, const TitleTable& table) {
    return {contents, table.machine(), table.language(), table.origin()};
}

bool Titles::contains(const TitleTable& table) const {
    const auto contents = equal_contents(table);
    return contents && known_.contains(key_of(contents.get(), table));
}

std::uint64_t Titles::bytes_with(const TitleTable& further) const {
    return bytes_ + bytes_of_names(further) + (equal_contents(further) ? 0 : further.bytes());
}

/// Inserts a table into a list that is in the order of search.
void Titles::insert_by_rank(std::vector<std::uint32_t>& order, std::uint32_t position) const {
    const auto rank_of = [this](std::uint32_t at) { return ranks_[at]; };
    order.insert(std::ranges::upper_bound(order, rank_of(position), {}, rank_of), position);
}

const TitleTable& Titles::add(TitleTable table) {
    bytes_ = bytes_with(table);
    if (auto equal = equal_contents(table))
        table.contents_ = std::move(equal);
    else
        contents_.emplace(table.contents_->hash, table.contents_);
    known_.insert(key_of(table.contents_.get(), table));
    tables_.push_back(std::move(table));
    ranks_.push_back(rank(languages_, tables_.back()));
    const auto position = static_cast<std::uint32_t>(tables_.size() - 1);
    insert_by_rank(order_, position);
    insert_by_rank(of_machine_[tables_.back().machine()], position);
    return tables_.back();
}

bool Titles::has_language(std::string_view language) const {
    const std::string normal = normal_language(language);
    return std::ranges::any_of(tables_, [&](const TitleTable& table) { return table.language() == normal; });
}

void Titles::prefer(const std::vector<std::string>& languages) {
    languages_.clear();
    for (const std::string& language : languages) languages_.push_back(normal_language(language));
    for (std::size_t i = 0; i < tables_.size(); ++i) ranks_[i] = rank(languages_, tables_[i]);
    const auto sort = [this](std::vector<std::uint32_t>& order) {
        std::ranges::sort(order);
        std::ranges::stable_sort(order, {}, [this](std::uint32_t position) { return ranks_[position]; });
    };
    sort(order_);
    for (auto& [machine, order] : of_machine_) sort(order);
}

/// Calls `visit` with the position of each table that applies to a scope, in the order of search, until it returns
/// true.
template <typename Visit>
void Titles::visit_in_scope(const Scope& scope, Visit visit) const {
    const auto offer = [&](std::uint32_t position) { return applies(tables_[position], scope) && visit(position); };
    if (scope.machine.empty()) {
        std::ignore = std::ranges::any_of(order_, offer);
        return;
    }
    const auto list = [this](std::string_view machine) -> std::span<const std::uint32_t> {
        const auto found = of_machine_.find(machine);
        return found == of_machine_.end() ? std::span<const std::uint32_t>() : found->second;
    };
    auto common = list(""), own = list(scope.machine);
    const auto key = [this](std::uint32_t at) { return std::pair(ranks_[at], at); };
    while (!common.empty() || !own.empty()) {
        auto& next = own.empty() || (!common.empty() && key(common.front()) < key(own.front())) ? common : own;
        if (offer(next.front())) return;
        next = next.subspan(1);
    }
}

std::optional<Titles::Answer> Titles::find(std::uint32_t index, const Scope& scope, std::string_view language) const {
    std::optional<Answer> answer;
    visit_in_scope(scope, [&](std::uint32_t position) {
        if (!language.empty() && tables_[position].language() != language) return false;
        if (const auto text = tables_[position].find(index)) answer = Answer{*text, position};
        return answer.has_value();
    });
    return answer;
}

Titles::ScopedTables Titles::in_scope(const Scope& scope) const {
    ScopedTables scoped;
    visit_in_scope(scope, [&](std::uint32_t position) {
        scoped.tables_.emplace_back(&tables_[position], position);
        return false;
    });
    return scoped;
}

std::string similar_title(std::span<const TitleTable* const> tables, std::string_view text) {
    Nearest nearest(text);
    for (const TitleTable* table : tables)
        for (std::size_t i = 0; i < table->size(); ++i) nearest.offer((*table)[i].text);
    return nearest.name();
}

void append_multi_sz(std::string& out, const TitleTable& table) {
    for (std::size_t i = 0; i < table.size(); ++i) {
        append_utf16_string(out, std::to_string(table[i].index));
        append_utf16_string(out, table[i].text);
    }
}

}  // namespace hkpd
