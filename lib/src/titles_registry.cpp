// The format is Microsoft's "How to add, modify, or delete registry subkeys and values by using a .reg file" and what
// regedit does: `"Name"=hex(7):31,00,...`, continued behind a backslash. Version 5.00 has UTF-16LE in the bytes,
// REGEDIT4 the ANSI code page of the machine that wrote it.
#include "titles_registry.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "titles_pairs.hpp"

namespace hkpd {
namespace {

constexpr std::string_view ansi_signature = "REGEDIT4";
constexpr std::string_view unicode_signature = "Windows Registry Editor Version ";
constexpr std::string_view multi_string = "hex(7):";

/// The ANSI page of a language (Microsoft, [MS-LCID] with the "Code Page Identifiers" of Learn): what a machine with
/// that language most likely wrote. By primary language, except Chinese.
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
    if (text.size() != 3) return false;
    for (const char c : text)
        if (!hex_digit(static_cast<unsigned char>(c))) return false;
    return true;
}

/// The language of a key `...\Perflib\009`; `CurrentLanguage` there does not say which one it is.
std::optional<std::string> language_of_key(const std::string& key) {
    if (!key.starts_with("[hkey_") || !key.ends_with(']')) return std::nullopt;
    const std::size_t last = key.rfind('\\');
    if (last == std::string::npos || !std::string_view(key).substr(0, last).ends_with("\\perflib")) return std::nullopt;
    const std::string leaf = key.substr(last + 1, key.size() - last - 2);
    if (leaf == "currentlanguage") return "";
    return is_language(leaf) ? std::optional(leaf) : std::nullopt;
}

/// Which titles a value holds.
struct ValueName {
    std::string language;
    std::string_view field;
};

/// What a value's name says: `Counter`, `Help` in a key of Perflib, `Counter 009`, `Help 009`, `Explain 009` (as Samba
/// has it) in any.
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

/// The bytes of a hexadecimal value, and where each stands in the input.
struct HexBytes {
    std::vector<std::byte> bytes;
    std::vector<std::uint64_t> places;
    std::vector<bool> damaged;

    /// Puts U+FFFD (in ANSI `?`) where a byte could not be read, so that all others keep their places.
    void replace_damaged(const Encoding& encoding) {
        for (std::size_t at = 0; at < bytes.size(); ++at) {
            if (!damaged[at]) continue;
            const std::size_t unit = encoding.wide() ? at / 2 * 2 : at;
            bytes[unit] = encoding.wide() ? std::byte{0xFD} : std::byte{'?'};
            if (encoding.wide() && unit + 1 < bytes.size()) bytes[unit + 1] = std::byte{0xFF};
        }
    }
};

class ExportReader {
  public:
    ExportReader(const RawText& text, std::string_view origin, Diagnostics& diagnostics)
        : text_(text),
          origin_(origin),
          diagnostics_(diagnostics),
          lines_(text, '\n'),
          ansi_(text.starts_with({0, text.size()}, ansi_signature)) {}

    std::vector<TitleTable> read();

  private:
    void read_value(Piece line);
    HexBytes read_hex(Piece line, std::string_view field);
    bool read_hex_line(Piece line, HexBytes& hex, std::string_view field);
    void read_token(Piece token, HexBytes& hex, std::string_view field);
    std::optional<Piece> continuation();
    void add_table(const ValueName& value, HexBytes hex);
    void tell(std::size_t unit, std::string_view field) {
        diagnostics_.add(Severity::error, {Errc::title_registry_value, text_.offset(unit), "title table", field});
    }
    std::string lower(Piece piece) const {
        std::string decoded;
        text_.append(decoded, piece);
        return lower_case(decoded);
    }

    const RawText& text_;
    std::string_view origin_;
    Diagnostics& diagnostics_;
    Splitter lines_;
    bool ansi_;
    std::optional<std::string> key_language_;
    std::vector<TitleTable> tables_;
    std::map<std::pair<std::string, std::string_view>, std::size_t> table_of_;
};

std::vector<TitleTable> ExportReader::read() {
    while (const auto line = lines_.next()) {
        const Piece piece = text_.trimmed(*line);
        if (piece.empty()) continue;
        if (text_[piece.begin] == '[') key_language_ = language_of_key(lower(piece));
        if (text_[piece.begin] == '"') read_value(piece);
    }
    return std::move(tables_);
}

void ExportReader::read_value(Piece line) {
    const Piece behind_quote{line.begin + 1, line.end};
    const std::size_t quote = text_.find(behind_quote, '"');
    const auto value = titles_of_value(lower({behind_quote.begin, quote}), key_language_);
    if (!value) return;

    Piece rest = text_.trimmed({quote < line.end ? quote + 1 : quote, line.end});
    const bool assigned = text_.starts_with(rest, "=");
    if (assigned) rest = text_.trimmed({rest.begin + 1, rest.end});
    if (!assigned || !text_.starts_with(rest, multi_string)) return tell(rest.begin, value->field);
    add_table(*value, read_hex({rest.begin + multi_string.size(), rest.end}, value->field));
}

HexBytes ExportReader::read_hex(Piece line, std::string_view field) {
    HexBytes hex;
    while (read_hex_line(line, hex, field)) {
        const auto next = continuation();
        if (!next) {
            tell(line.end, field);
            break;
        }
        line = *next;
    }
    return hex;
}

/// Reads the bytes of one line; true where the value goes on in the next.
bool ExportReader::read_hex_line(Piece line, HexBytes& hex, std::string_view field) {
    line = text_.trimmed(line);
    const bool backslash = !line.empty() && text_[line.end - 1] == '\\';
    if (backslash) line = text_.trimmed({line.begin, line.end - 1});
    bool comma = false;
    while (!line.empty()) {
        const std::size_t end = text_.find(line, ',');
        read_token(text_.trimmed({line.begin, end}), hex, field);
        comma = end != line.end;
        line = text_.trimmed({comma ? end + 1 : end, line.end});
    }
    if (comma && !backslash) tell(line.end, field);
    return backslash || comma;
}

void ExportReader::read_token(Piece token, HexBytes& hex, std::string_view field) {
    const auto high = token.size() == 2 ? hex_digit(text_[token.begin]) : std::nullopt;
    const auto low = token.size() == 2 ? hex_digit(text_[token.begin + 1]) : std::nullopt;
    const bool sound = high && low;
    if (!sound) tell(token.begin, field);
    hex.damaged.push_back(!sound);
    hex.bytes.push_back(sound ? static_cast<std::byte>(*high * 16 + *low) : std::byte{0});
    hex.places.push_back(text_.offset(token.begin));
}

/// The next line, unless it begins something of its own.
std::optional<Piece> ExportReader::continuation() {
    Splitter ahead = lines_;
    const auto next = ahead.next();
    if (!next) return std::nullopt;
    const Piece line = text_.trimmed(*next);
    if (line.empty() || text_[line.begin] == '[' || text_[line.begin] == '"') return std::nullopt;
    lines_ = ahead;
    return line;
}

void ExportReader::add_table(const ValueName& value, HexBytes hex) {
    const Encoding encoding{ansi_ ? ansi_page(value.language) : 1200};
    hex.replace_damaged(encoding);
    TitleTable table(value.language, origin_);
    const RawText text(Bytes(hex.bytes), encoding, hex.places);
    read_pairs(text, TitleForm::strings, table, diagnostics_);
    if (table.size() == 0) return;

    // One table for each language and value, however many keys hold it (`WOW6432Node` has copies).
    const auto [at, is_new] = table_of_.try_emplace({value.language, value.field}, tables_.size());
    if (is_new) {
        tables_.push_back(std::move(table));
        return;
    }
    for (std::size_t i = 0; i < table.size(); ++i) tables_[at->second].add(table[i].index, table[i].text);
}

}  // namespace

bool is_registry_export(const RawText& text) noexcept {
    const Piece all{0, text.size()};
    return text.starts_with(all, unicode_signature) || text.starts_with(all, ansi_signature);
}

std::vector<TitleTable> read_registry_export(const RawText& text, std::string_view origin, Diagnostics& diagnostics) {
    return ExportReader(text, origin, diagnostics).read();
}

}  // namespace hkpd
