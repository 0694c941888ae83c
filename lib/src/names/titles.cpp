#include "names/titles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
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
    static_assert(sizeof(Entry) <= 24);  // less where 64 bits are aligned to 4 bytes
    if (bytes() + entry_bytes + text.size() > Limits{}.title_bytes) return false;
    entries_.push_back(
        {offset, index, static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(text.size())});
    text_ += text;
    if (index < low_indices && index >= low_.size()) low_.resize(std::size_t{index} + 1, no_index);
    (index < low_indices ? low_[index] : high_[index]) = static_cast<std::uint32_t>(entries_.size() - 1);
    return true;
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

bool Titles::has_language(std::string_view language) const {
    const std::string normal = normal_language(language);
    return std::ranges::any_of(tables_, [&](const TitleTable& table) { return table.language() == normal; });
}

void Titles::prefer(const std::vector<std::string>& languages) {
    languages_.clear();
    for (const std::string& language : languages) languages_.push_back(normal_language(language));
    std::ranges::sort(order_);
    std::ranges::stable_sort(order_, {},
                             [this](std::uint32_t position) { return rank(languages_, tables_[position]); });
}

std::optional<Titles::Answer> Titles::find(std::uint32_t index, const Scope& scope) const {
    for (const std::uint32_t position : order_)
        if (const TitleTable& table = tables_[position]; applies(table, scope))
            if (const auto text = table.find(index)) return Answer{*text, position};
    return std::nullopt;
}

Titles::ScopedTables Titles::in_scope(const Scope& scope) const {
    ScopedTables scoped;
    for (const std::uint32_t position : order_)
        if (const TitleTable& table = tables_[position]; applies(table, scope))
            scoped.tables_.emplace_back(&table, position);
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
