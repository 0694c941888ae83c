// A title database in any form: parsed and queried, and each table exported as REG_MULTI_SZ and parsed again.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/names.hpp"
#include "properties.hpp"

namespace {

using namespace hkpd;
using namespace hkpd_fuzz;

std::vector<TitleTable> parse(Bytes input, std::string_view name) {
    const Budget budget(input.size(), 0, 8);
    Diagnostics diagnostics;
    auto tables = parse_titles(input, name, diagnostics);
    require_places(diagnostics, input.end());
    if (tables) {
        require(!tables->empty());
        return *std::move(tables);
    }
    require(tables.error().offset <= input.end());
    return {};
}

/// Returns whether REG_MULTI_SZ can hold a table so that readers find all of it: a blank text or a NUL ends strings and
/// lists.
bool fits_multi_sz(const TitleTable& table) {
    for (std::size_t i = 0; i < table.size(); ++i)
        if (table[i].text.empty() || table[i].text.find('\0') != std::string_view::npos) return false;
    return true;
}

void require_export(const TitleTable& table) {
    std::string exported;
    append_multi_sz(exported, table);
    exported.append(2, '\0');
    const ExactCopy copy(std::as_bytes(std::span(exported)));
    const std::vector<TitleTable> again = parse(copy.bytes(), table.origin());
    if (!fits_multi_sz(table) || table.size() == 0) return;
    require(again.size() == 1 && again[0].size() == table.size());
    for (std::size_t i = 0; i < table.size(); ++i)
        require(again[0][i].index == table[i].index && again[0][i].text == table[i].text);
}

/// Requires that the last of equal indices counts, and that `Titles` answers like its table. Index 1 is no title.
void require_answers(const TitleTable& table) {
    Titles titles;
    titles.add(table);
    for (std::size_t i = 0; i < table.size(); ++i) {
        const auto found = table.find(table[i].index);
        const auto answer = titles.find(table[i].index);
        require(found.has_value() == (table[i].index != 1) && answer.has_value() == found.has_value());
        require(!found || answer->text == *found);
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span input = std::as_bytes(std::span(data, size));
    const ExactCopy here(input);
    const std::vector<TitleTable> tables = parse(here.bytes(), "perfc007.dat");
    if (!Effort(data, size).thorough()) return 0;
    const ExactCopy there(input, 1);
    require(tables == parse(there.bytes(), "perfc007.dat"));
    Titles all;
    for (const TitleTable& table : tables) all.add(table);
    all.prefer({"007", "009"});
    for (const TitleTable& table : tables) {
        require_export(table);
        require_answers(table);
    }
    return 0;
}
