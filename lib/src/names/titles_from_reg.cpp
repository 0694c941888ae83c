#include "names/titles_from_reg.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/text/reg_file.hpp"
#include "hkpd/diagnostics.hpp"
#include "names/title_pairs.hpp"

namespace hkpd {
namespace {

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
    if (!key.starts_with("hkey_")) return std::nullopt;
    const std::size_t last = key.rfind('\\');
    if (last == std::string::npos || !std::string_view(key).substr(0, last).ends_with("\\perflib")) return std::nullopt;
    const std::string leaf = key.substr(last + 1);
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

class ExportReader {
  public:
    ExportReader(const RawText& text, std::string_view origin, const FaultSink& faults)
        : origin_(origin), faults_(faults), export_(text) {}

    std::vector<TitleTable> read();

  private:
    void read_value(const ValueName& name);
    void add_table(const ValueName& name, HexBytes hex);
    void tell(std::uint64_t offset, std::string_view field) {
        faults_.add(Severity::error, {Errc::title_registry_value, offset, "title table", field});
    }

    std::string_view origin_;
    FaultSink faults_;
    RegistryExport export_;
    std::vector<TitleTable> tables_;
    std::map<std::pair<std::string, std::string_view>, std::size_t> table_of_;
};

std::vector<TitleTable> ExportReader::read() {
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

void ExportReader::read_value(const ValueName& name) {
    const RegistryValue& value = export_.value();
    if (value.type != RegistryType::multi_string) return tell(export_.text().offset(value.begin), name.field);
    HexBytes hex = export_.hex();
    for (const std::uint64_t fault : hex.faults) tell(fault, name.field);
    add_table(name, std::move(hex));
}

void ExportReader::add_table(const ValueName& name, HexBytes hex) {
    const Encoding encoding{export_.ansi() ? ansi_page(name.language) : 1200};
    hex.replace_damaged(encoding);
    TitleTable table(name.language, origin_);
    const RawText text(Bytes(hex.bytes), encoding, hex.places);
    read_pairs(text, TitleForm::strings, table, faults_);
    if (table.size() == 0) return;

    // One table for each language and value, however many keys hold it (`WOW6432Node` has copies).
    const auto [at, is_new] = table_of_.try_emplace({name.language, name.field}, tables_.size());
    if (is_new) {
        tables_.push_back(std::move(table));
        return;
    }
    for (std::size_t i = 0; i < table.size(); ++i)
        tables_[at->second].add(table[i].index, table[i].text, table[i].offset);
}

}  // namespace

std::vector<TitleTable> read_registry_export(const RawText& text, std::string_view origin, const FaultSink& faults) {
    return ExportReader(text, origin, faults).read();
}

}  // namespace hkpd
