// Reads title files, and recognises their form by their content. A file is read in the first form that it matches. The
// checks therefore go from the surest sign to the weakest.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/text/located_text.hpp"
#include "base/text/parse_number.hpp"
#include "base/text/reg_file.hpp"
#include "base/text/registry_text.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"
#include "hkpd/v2.hpp"
#include "names/titles.hpp"

namespace hkpd {
namespace {

/// Layout of indices and titles in a text.
enum class TitleForm : std::uint8_t {
    none,     ///< no index in the text
    strings,  ///< REG_MULTI_SZ: each string ends with NUL; an empty string ends the list
    lines,    ///< one string per line
    tabbed,   ///< index, tab and title in one line
};

std::optional<std::uint32_t> number_in(const RawText& text, Piece piece) noexcept {
    piece = text.trimmed(piece);
    if (piece.empty()) return std::nullopt;
    std::uint64_t value = 0;
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
        const std::uint32_t unit = text[i];
        if (unit < '0' || unit > '9') return std::nullopt;
        value = value * 10 + (unit - '0');
        if (value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    }
    return static_cast<std::uint32_t>(value);
}

/// Returns whether an empty string in the place of a title is an empty title, not the end of the list. The string is a
/// title if it is followed by an index, or by the empty string that really ends the list. `after`: the strings that
/// follow.
bool blank_title(const RawText& text, Splitter after) noexcept {
    const auto next = after.next();
    return next && (next->empty() || number_in(text, *next));
}

/// Returns whether an empty string in the place of an index is a lost index, not the end of the list. `last`: the last
/// index before the empty string. `after`: the strings that follow. An index is lost if one of the next two strings is
/// an index above `last`; after several empty strings, if two indices above it follow. After the end of the list, the
/// buffer can also contain remains of an older, longer list, but no index in these remains is above `last`.
bool lost_index(const RawText& text, Splitter after, std::uint32_t last) noexcept {
    bool is_several = false;
    for (int strings = 0; strings < 2; ++strings) {
        auto next = after.next();
        for (; next && next->empty(); next = after.next()) is_several = true;
        if (!next) return false;
        const auto index = number_in(text, *next);
        if (!index || *index <= last) continue;
        if (!is_several) return true;
        const auto title = after.next(), following = title ? after.next() : std::nullopt;
        const auto second = following ? number_in(text, *following) : std::nullopt;
        return second && *second > *index;
    }
    return false;
}

/// Returns whether a string in the place of a title is the next index, because the title is missing: it is an index
/// above its own, and no index follows it. `after`: the strings that follow. The text of index 1 is a number.
bool lost_title(const RawText& text, std::uint32_t index, Piece title, Splitter after) noexcept {
    const auto number = number_in(text, title);
    if (!number || *number <= index || index == 1) return false;
    const auto next = after.next();
    return next && !next->empty() && !number_in(text, *next);
}

/// The number of pairs of index and title in a text, and the number of strings in no pair.
struct PairCount {
    std::size_t pairs = 0;
    std::size_t strays = 0;  ///< strings in the place of an index that are not an index
};

/// Reads a text once. Counts its pairs of index and title. If `table` is not null, also adds the pairs to the table.
class Pairs {
  public:
    explicit Pairs(const RawText& text, TitleTable* table = nullptr, const FaultSink& faults = {})
        : text_(text), table_(table), faults_(faults) {}

    PairCount read(TitleForm form) {
        if (form == TitleForm::strings) read_strings();
        if (form == TitleForm::lines) read_lines();
        if (form == TitleForm::tabbed) read_tabbed();
        return count_;
    }

  private:
    void read_strings() {
        Splitter strings(text_, '\0');
        std::optional<std::uint32_t> last;
        while (const auto key = strings.next()) {
            if (key->empty() && !(last && lost_index(text_, strings, *last))) break;
            const auto index = number_in(text_, *key);
            if (!index) {
                // Skips only this string, so that after one superfluous string, indices and titles are still paired.
                stray(*key);
                if (key->empty()) pass_empty(strings);
                continue;
            }
            const Splitter before = strings;
            const auto title = strings.next();
            if (title && lost_title(text_, *index, *title, strings)) {
                unpaired(*index, *key);
                strings = before;
                last = index;
                continue;
            }
            if (!title || (title->empty() && !blank_title(text_, strings))) {
                unpaired(*index, *key);
                break;
            }
            pair(*index, *key, *title);
            last = index;
        }
        // Some programs read the registry value into a longer buffer and store all of this buffer. Zeros after the list
        // are therefore no fault.
        std::size_t end = strings.position();
        while (end < text_.size() && text_[end] == 0) ++end;
        if (end != text_.size()) report(Errc::title_after_end, end, "", (text_.size() - end) * text_.width());
    }

    /// Passes over empty strings, which are one fault.
    static void pass_empty(Splitter& strings) {
        for (Splitter next = strings;; strings = next)
            if (const auto string = next.next(); !string || !string->empty()) return;
    }

    void read_lines() {
        Splitter lines(text_, '\n');
        // The first of the empty lines directly before the current line. It is reported only if another line follows,
        // because PowerShell and editors add empty lines at the end of a file.
        std::optional<Piece> blank;
        while (const auto key = lines.next()) {
            if (text_.trimmed(*key).empty()) {
                if (!blank) blank = key;
                continue;
            }
            if (blank) stray(*blank);
            blank.reset();
            const auto index = number_in(text_, *key);
            if (!index) {
                stray(*key);
                continue;
            }
            const Splitter before = lines;
            const auto title = lines.next();
            if (title && !lost_title(text_, *index, text_.trimmed(*title), lines)) {
                pair(*index, *key, *title);
                continue;
            }
            unpaired(*index, *key);
            if (title) lines = before;
        }
    }

    void read_tabbed() {
        Splitter lines(text_, '\n');
        while (const auto line = lines.next()) {
            if (text_.trimmed(*line).empty()) continue;
            const std::size_t tab = text_.find(*line, '\t');
            const Piece key{line->begin, tab};
            const auto index = number_in(text_, key);
            if (!index)
                stray(key);
            else if (tab == line->end)
                unpaired(*index, key);
            else
                pair(*index, key, Piece{tab + 1, line->end});
        }
    }

    void pair(std::uint32_t index, Piece key, Piece title) {
        ++count_.pairs;
        if (table_ == nullptr || full_) return;
        title_.clear();
        if (!text_.append(title_, title)) report(Errc::bad_text, title.begin, "title");
        if (const auto former = table_->find(index))
            faults_.add(*former == title_ ? Severity::note : Severity::warning,
                        {Errc::title_repeated, text_.offset(key.begin), "title table", "index", 0, index});
        if (title_.empty()) unpaired(index, key);
        full_ = !table_->add(index, title_, text_.offset(key.begin));
        if (full_)
            faults_.add({Errc::byte_limit, text_.offset(key.begin), "title table", "", Limits{}.title_bytes,
                         table_->bytes() + title_.size()});
    }
    void stray(Piece key) {
        ++count_.strays;
        report(text_.trimmed(key).empty() ? Errc::title_index_empty : Errc::title_index, key.begin, "index");
    }
    void unpaired(std::uint32_t index, Piece key) { report(Errc::title_unpaired, key.begin, "index", index); }
    void report(Errc code, std::size_t unit, std::string_view field, std::uint64_t found = 0) const {
        faults_.add({code, text_.offset(unit), "title table", field, 0, found});
    }

    const RawText& text_;
    TitleTable* table_;
    FaultSink faults_;
    PairCount count_;
    std::string title_;
    bool full_ = false;
};

/// Returns the form of a text. The form follows from the first separator (NUL or newline) and from the first line with
/// an index.
TitleForm title_form(const RawText& text) noexcept {
    // Only the registry ends strings with NUL, and its strings are UTF-16. 8-bit text therefore consists of lines.
    const Piece all{0, text.size()};
    if (text.encoding().wide() && text.find(all, '\0') < text.find(all, '\n')) return TitleForm::strings;
    Splitter lines(text, '\n');
    while (const auto line = lines.next()) {
        if (number_in(text, *line)) return TitleForm::lines;
        const std::size_t tab = text.find(*line, '\t');
        if (tab != line->end && number_in(text, {line->begin, tab})) return TitleForm::tabbed;
    }
    return TitleForm::none;
}

/// Adds all pairs of an index and a title in the text to the table. Reports the faults of the pairs, and a single byte
/// at the end of UTF-16 text.
void read_pairs(const RawText& text, TitleForm form, TitleTable& table, const FaultSink& faults) {
    Pairs(text, &table, faults).read(form);
    if (text.odd_byte()) faults.add({Errc::title_odd_byte, text.offset(text.size()), "title table", "", 0, 1});
}

/// Returns the ANSI code page that a machine with this language most likely uses. The table has primary languages, such
/// as `011`, and two forms of Chinese, `404` and `804`. Source: Microsoft, [MS-LCID] and "Code Page Identifiers" on
/// Learn.
std::uint32_t ansi_page(std::string_view language) {
    using namespace std::string_view_literals;
    static constexpr auto pages = std::to_array<std::pair<std::string_view, std::uint32_t>>({
        {"404"sv, 950},  {"804"sv, 936},  {"004"sv, 936},  {"011"sv, 932},  {"012"sv, 949},  {"01e"sv, 874},
        {"005"sv, 1250}, {"00e"sv, 1250}, {"015"sv, 1250}, {"018"sv, 1250}, {"01a"sv, 1250}, {"01b"sv, 1250},
        {"024"sv, 1250}, {"002"sv, 1251}, {"019"sv, 1251}, {"022"sv, 1251}, {"008"sv, 1253}, {"01f"sv, 1254},
        {"00d"sv, 1255}, {"001"sv, 1256}, {"025"sv, 1257}, {"026"sv, 1257}, {"027"sv, 1257}, {"02a"sv, 1258},
    });
    for (const auto& [name, page] : pages)
        if (name == language) return page;
    return 1252;
}

bool is_language(std::string_view text) noexcept {
    return text.size() == 3 && parse_number<std::uint16_t>(text, 16).has_value();
}

/// Returns the language of the registry key with this path: `009` for `...\Perflib\009`; empty for
/// `...\Perflib\CurrentLanguage`, which does not identify a language; none for other keys.
std::optional<std::string> language_of_key(const std::string& key) {
    if (!key.starts_with("hkey_")) return std::nullopt;
    const std::size_t last = key.rfind('\\');
    if (last == std::string::npos || !std::string_view(key).substr(0, last).ends_with("\\perflib")) return std::nullopt;
    const std::string leaf = key.substr(last + 1);
    if (leaf == "currentlanguage") return "";
    return is_language(leaf) ? std::optional(leaf) : std::nullopt;
}

/// Language and kind of the titles in a registry value.
struct ValueName {
    std::string language;
    std::string_view field;
};

/// Returns the language and kind of the titles in the registry value `name` (in lower case); none if the value contains
/// no titles. `Counter` and `Help` contain titles only in a key of Perflib, in the language of the key. `Counter 009`,
/// `Help 009` and Samba's `Explain 009` contain titles in any key.
std::optional<ValueName> titles_of_value(std::string_view name, const std::optional<std::string>& key_language) {
    const std::size_t space = name.find(' ');
    const std::string_view kind = name.substr(0, space);
    if (kind != "counter" && kind != "help" && kind != "explain") return std::nullopt;
    const std::string_view field = kind == "counter" ? "Counter" : "Help";
    if (space == std::string_view::npos)
        return key_language ? std::optional(ValueName{*key_language, field}) : std::nullopt;
    const std::string_view language = name.substr(space + 1);
    return is_language(language) ? std::optional(ValueName{std::string(language), field}) : std::nullopt;
}

class ExportReader {
  public:
    ExportReader(const RawText& text, std::string_view origin, const FaultSink& faults)
        : origin_(origin), faults_(faults), export_(text) {}

    /// Returns the tables of an export, one for each language and value (names, help), in order of appearance.
    std::vector<TitleTable> read() {
        using enum RegistryExport::Step;
        std::optional<std::string> language;
        for (auto step = export_.next(); step != end; step = export_.next()) {
            if (step == key)
                language = language_of_key(export_.lower(export_.key()));
            else if (const auto name = titles_of_value(export_.lower(export_.value().name), language))
                read_value(*name);
        }
        return std::move(tables_);
    }

  private:
    void read_value(const ValueName& name) {
        const RegistryValue& value = export_.value();
        if (value.type != RegistryType::multi_string) return report_it(export_.text().offset(value.begin), name.field);
        const HexBytes hex = export_.hex();
        for (const std::uint64_t fault : hex.faults) report_it(fault, name.field);
        add_table(name, hex);
    }

    void add_table(const ValueName& name, const HexBytes& hex) {
        const Encoding encoding{export_.ansi() ? ansi_page(name.language) : 1200};
        TitleTable table(name.language, origin_);
        const RawText text(Bytes(hex.bytes), encoding, hex.places);
        read_pairs(text, TitleForm::strings, table, faults_);
        if (table.size() == 0) return;

        // Adds all titles of one language and registry value (`Counter` or `Help`) to one table, even if the export has
        // the value in several keys: the registry key `WOW6432Node` contains copies of other keys.
        const auto [at, is_new] = table_of_.try_emplace({name.language, name.field}, tables_.size());
        if (is_new) {
            tables_.push_back(std::move(table));
            return;
        }
        for (std::size_t i = 0; i < table.size(); ++i)
            tables_[at->second].add(table[i].index, table[i].text, table[i].offset);
    }

    void report_it(std::uint64_t offset, std::string_view field) {
        faults_.add({Errc::title_registry_value, offset, "title table", field});
    }

    std::string_view origin_;
    FaultSink faults_;
    RegistryExport export_;
    std::vector<TitleTable> tables_;
    std::map<std::pair<std::string, std::string_view>, std::size_t> table_of_;
};

/// Returns whether the input is a performance data block, which can look like titles: a V1 block begins with UTF-16
/// text, and the dwTotalSize of a V2 block without data (0x30) is the character "0", which is a valid index.
bool is_block(Bytes input) noexcept {
    using namespace std::string_view_literals;
    return starts_with(input, "P\0E\0R\0F\0"sv) || starts_with(input, "\0P\0E\0R\0F"sv) || v2::is_data_block(input);
}

bool is_alphanumeric(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }

/// Returns the language code at the beginning of `rest`, the part of a file's name after a stem such as `counter` or
/// `perfc`: `009` for `-009.txt`, `007` for `007.dat`. A code is three hexadecimal digits. Returns none for three
/// letters without a decimal digit, as in `help-bad.txt`, because every language code of Windows has at least one.
std::optional<std::string> language_at(std::string_view rest) {
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" -_.,+()[]")));
    const std::string_view digits = rest.substr(0, 3);
    if (digits.size() != 3 || (rest.size() > 3 && is_alphanumeric(rest[3]))) return std::nullopt;
    if (digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
    if (digits.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
    return std::string(digits);
}

/// Returns the language code in the name of a title file; empty if the name contains none. Returns `009` for
/// `perfc009.dat` (a file of Windows) and for `Counter 009` (the name of a registry value of Perflib).
std::string language_of_name(std::string_view name) {
    const std::size_t slash = name.find_last_of("/\\");
    const std::string base = lower_case(slash == std::string_view::npos ? name : name.substr(slash + 1));
    for (const std::string_view stem : {"counter", "help", "perfc", "perfh", "explain"}) {
        for (std::size_t at = base.find(stem); at != std::string::npos; at = base.find(stem, at + 1))
            if (auto language = language_at(std::string_view(base).substr(at + stem.size()))) return *language;
    }
    return {};
}

/// Returns whether a text is a list of title indices and titles, in pairs: at least half of the strings in the place of
/// an index must be indices. One index is not enough, because almost any text file has a number on a line of its own
/// somewhere.
bool is_title_list(const RawText& text, TitleForm form) {
    const PairCount count = Pairs(text).read(form);
    return count.pairs != 0 && count.pairs >= count.strays;
}

/// Returns the title table of a file; none if the text is not a title list (`is_title_list`).
std::optional<TitleTable> read_list(const FileText& file, std::string_view name, const FaultSink& faults) {
    const TitleForm form = title_form(file.text);
    if (!is_title_list(file.text, form)) return std::nullopt;
    if (file.not_utf8) faults.add({Errc::title_not_text, *file.not_utf8, "title table", "", 0, 0});
    TitleTable table(language_of_name(name), name);
    read_pairs(file.text, form, table, faults);
    return table;
}

}  // namespace

bool begins_like_titles(Bytes beginning) {
    const FileText file = open_text(beginning);
    return !is_block(beginning) &&
           (registry_form(file.text) != RegistryForm::none || is_title_list(file.text, title_form(file.text)));
}

std::expected<std::vector<TitleTable>, Error> parse_titles(Bytes input, std::string_view name,
                                                           const FaultSink& faults) {
    const std::uint64_t most = Limits{}.bytes;
    if (input.size() > most)
        return std::unexpected(Error{Errc::byte_limit, input.offset(), "title table", "", most, input.size()});
    const Error unknown{Errc::not_recognised, input.offset(), "title table", "", 0, 0};
    if (is_block(input)) return std::unexpected(unknown);

    const RegistryText registry(input);
    std::vector<TitleTable> tables;
    if (registry.form() != RegistryForm::none)
        tables = ExportReader(registry.text(), name, faults).read();
    else if (auto table = read_list(registry.file(), name, faults))
        tables.push_back(std::move(*table));
    if (tables.empty()) return std::unexpected(unknown);
    return tables;
}

}  // namespace hkpd
