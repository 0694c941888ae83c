// Tells the form of a title file by its content. What is accepted here decides what may be called a title table, so
// the order is from the surest sign to the weakest.
#include "names/parse_titles.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/text/located_text.hpp"
#include "base/text/reg_file.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"
#include "hkpd/v2.hpp"
#include "names/title_pairs.hpp"
#include "names/titles_from_reg.hpp"

namespace hkpd {
namespace {

/// A performance data block: no title table, though one of V1 is UTF-16 at its start, and the dwTotalSize of a V2 block
/// without data reads as the index "0".
bool is_block(Bytes input) noexcept {
    using namespace std::string_view_literals;
    return starts_with(input, "P\0E\0R\0F\0"sv) || starts_with(input, "\0P\0E\0R\0F"sv) || v2::is_data_block(input);
}

bool is_alphanumeric(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }

/// The language at the front of a name's rest: `-009.txt`, `007.dat`. One decimal digit at least, as in all languages
/// that Windows has, so that `help-bad.txt` is none.
std::optional<std::string> language_at(std::string_view rest) {
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" -_.,+()[]")));
    const std::string_view digits = rest.substr(0, 3);
    if (digits.size() != 3 || (rest.size() > 3 && is_alphanumeric(rest[3]))) return std::nullopt;
    if (digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
    if (digits.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
    return std::string(digits);
}

/// The language that a file's name tells, as in `perfc009.dat` (Windows) and `Counter 009` (Perflib's own values).
std::string language_of_name(std::string_view name) {
    const std::size_t slash = name.find_last_of("/\\");
    const std::string base = lower_case(slash == std::string_view::npos ? name : name.substr(slash + 1));
    for (const std::string_view stem : {"counter", "help", "perfc", "perfh", "explain"}) {
        for (std::size_t at = base.find(stem); at != std::string::npos; at = base.find(stem, at + 1))
            if (auto language = language_at(std::string_view(base).substr(at + stem.size()))) return *language;
    }
    return {};
}

/// Whether a text is a list of pairs. Any log has a number on a line of its own somewhere, so most of what should be an
/// index has to be one.
bool is_title_list(const RawText& text, TitleForm form) {
    const PairCount count = count_pairs(text, form);
    return count.pairs != 0 && count.pairs >= count.strays;
}

/// The table of a list of pairs; nothing where too little of the text is one.
std::optional<TitleTable> read_list(const FileText& file, std::string_view name, const FaultSink& faults) {
    const TitleForm form = title_form(file.text);
    if (!is_title_list(file.text, form)) return std::nullopt;
    if (file.not_utf8) faults.add(Severity::note, {Errc::title_not_text, *file.not_utf8, "title table", "", 0, 0});
    TitleTable table(language_of_name(name), name);
    read_pairs(file.text, form, table, faults);
    return table;
}

}  // namespace

bool begins_like_titles(Bytes beginning) {
    const FileText file = open_text(beginning);
    return !is_block(beginning) && (is_registry_export(file.text) || is_title_list(file.text, title_form(file.text)));
}

std::expected<std::vector<TitleTable>, Error> parse_titles(Bytes input, std::string_view name,
                                                           const FaultSink& faults) {
    const std::uint64_t most = Limits{}.bytes;
    if (input.size() > most)
        return std::unexpected(Error{Errc::byte_limit, input.offset(), "title table", "", most, input.size()});
    const Error unknown{Errc::not_recognised, input.offset(), "title table", "", 0, 0};
    if (is_block(input)) return std::unexpected(unknown);

    const FileText file = open_text(input);
    std::vector<TitleTable> tables;
    if (is_registry_export(file.text))
        tables = read_registry_export(file.text, name, faults);
    else if (auto table = read_list(file, name, faults))
        tables.push_back(std::move(*table));
    if (tables.empty()) return std::unexpected(unknown);
    return tables;
}

}  // namespace hkpd
