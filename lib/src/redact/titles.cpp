// Title databases in which names are replaced.
#include <string>
#include <utility>

#include "hkpd/names.hpp"
#include "redact/rewrite.hpp"

namespace hkpd {
namespace {

/// Returns a title in which the name is replaced; none for help texts, which have odd indices and can contain any name.
std::optional<std::string> redacted_title(const TitleTable::Title& title, Pseudonyms& names) {
    // The text of index 1 is the highest index of Windows' own titles.
    const bool is_number = title.text.find_first_not_of("0123456789") == std::string_view::npos;
    if (title.index == 1) return is_number ? std::optional<std::string>(title.text) : std::nullopt;
    std::string name = names.replace(NameKind::title, title.text);
    if (title.index % 2 != 0 && name != title.text) return std::nullopt;
    return name;
}

}  // namespace

TitleTable redact(const TitleTable& table, Pseudonyms& names) {
    if (table.origin() == builtin_titles().origin()) return table;
    TitleTable made(table.language(), "titles");
    if (!table.machine().empty()) made.set_machine(names.replace(NameKind::machine, table.machine()));
    for (std::size_t i = 0; i < table.size(); ++i)
        if (const auto text = redacted_title(table[i], names)) made.add(table[i].index, *text);
    return made;
}

Titles redact(const Titles& titles, const std::vector<std::string>& languages, Pseudonyms& names) {
    Titles made;
    made.prefer(languages);
    for (const TitleTable& table : titles.tables()) made.add(redact(table, names));
    return made;
}

std::vector<RedactedTitles> redacted_titles(const Record& record, Pseudonyms& names, const FaultSink& faults) {
    std::vector<RedactedTitles> all;
    const auto tables = parse_titles(record.bytes, record.name, faults);
    if (!tables) {
        faults.add(Severity::error, tables.error());
        return all;
    }
    for (const TitleTable& table : *tables) {
        const TitleTable redacted = redact(table, names);
        if (redacted.size() == 0) continue;
        std::string text;
        append_multi_sz(text, redacted);
        text.append(2, '\0');
        const auto bytes = std::as_bytes(std::span(text));
        all.push_back({ByteBuffer(bytes.begin(), bytes.end()),
                       table.language().empty() ? std::string(record.language) : table.language()});
    }
    return all;
}

}  // namespace hkpd
