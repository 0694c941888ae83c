// Tells the form of a title file by its content. What is accepted here decides what may be called a title table, so
// the order is from the surest sign to the weakest.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "hkpd/limits.hpp"
#include "hkpd/titles.hpp"
#include "text.hpp"
#include "titles_pairs.hpp"
#include "titles_registry.hpp"
#include "titles_text.hpp"

namespace hkpd {
namespace {

constexpr std::uint32_t page_utf16 = 1200, page_utf8 = 65001, page_western = 1252;

bool starts_with(Bytes input, std::string_view start) noexcept {
    return input.size() >= start.size() &&
           std::equal(start.begin(), start.end(), input.data(),
                      [](char a, std::byte b) { return static_cast<std::byte>(a) == b; });
}

/// A performance data block: no title table, though it is UTF-16 at its start.
bool is_block(Bytes input) noexcept {
    using namespace std::string_view_literals;
    return starts_with(input, "P\0E\0R\0F\0"sv) || starts_with(input, "\0P\0E\0R\0F"sv);
}

/// The byte order of UTF-16 without a mark. A list begins with a digit of an index; of other text, most is ASCII, so
/// that of the first units one byte is zero.
std::optional<ByteOrder> zero_bytes_order(Bytes input) noexcept {
    const auto is_digit = [&](std::size_t i) {
        return input.data()[i] >= std::byte{'0'} && input.data()[i] <= std::byte{'9'};
    };
    if (input.size() >= 2 && is_digit(0) && input.data()[1] == std::byte{0}) return ByteOrder::little;
    if (input.size() >= 2 && input.data()[0] == std::byte{0} && is_digit(1)) return ByteOrder::big;
    const Bytes start = input.clip(0, 64);
    std::array<std::size_t, 2> zeros{};
    for (std::size_t i = 0; i < start.size(); ++i)
        if (start.data()[i] == std::byte{0}) ++zeros[i % 2];
    if (zeros[0] == 0 && zeros[1] == 0) return std::nullopt;
    return zeros[0] > zeros[1] ? ByteOrder::big : ByteOrder::little;
}

/// A file's text without its byte order mark.
struct FileText {
    RawText text;
    std::optional<std::uint64_t> not_utf8;  ///< where it stops being UTF-8, if that is why it is read as Windows-1252
};

FileText open_text(Bytes input) noexcept {
    if (starts_with(input, "\xFF\xFE")) return {{input.from(2), {page_utf16, ByteOrder::little}}, {}};
    if (starts_with(input, "\xFE\xFF")) return {{input.from(2), {page_utf16, ByteOrder::big}}, {}};
    if (starts_with(input, "\xEF\xBB\xBF")) return {{input.from(3), {page_utf8}}, {}};
    if (const auto order = zero_bytes_order(input)) return {{input, {page_utf16, *order}}, {}};
    // PowerShell 5.1's Set-Content writes the ANSI code page; Windows-1252 is the commonest, and wrong only in accents.
    const std::size_t valid = valid_utf8(input.span());
    if (valid == input.size()) return {{input, {page_utf8}}, {}};
    return {{input, {page_western}}, input.offset() + valid};
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

/// The table of a list of pairs; nothing where too little of the text is one.
std::optional<TitleTable> read_list(const FileText& file, std::string_view name, Diagnostics& diagnostics) {
    const TitleForm form = title_form(file.text);
    const PairCount count = count_pairs(file.text, form);
    // Any log has a number on a line of its own somewhere, so most of what should be an index has to be one.
    if (count.pairs == 0 || count.pairs < count.strays) return std::nullopt;
    if (file.not_utf8) diagnostics.add(Severity::note, {Errc::title_not_text, *file.not_utf8, "title table", "", 0, 0});
    TitleTable table(language_of_name(name), name);
    read_pairs(file.text, form, table, diagnostics);
    return table;
}

}  // namespace

std::expected<std::vector<TitleTable>, Error> parse_titles(Bytes input, std::string_view name,
                                                           Diagnostics& diagnostics) {
    const std::uint64_t most = Limits{}.bytes;
    if (input.size() > most)
        return std::unexpected(Error{Errc::byte_limit, input.offset(), "title table", "", most, input.size()});
    const Error unknown{Errc::not_recognised, input.offset(), "title table", "", 0, 0};
    if (is_block(input)) return std::unexpected(unknown);

    const FileText file = open_text(input);
    std::vector<TitleTable> tables;
    if (is_registry_export(file.text))
        tables = read_registry_export(file.text, name, diagnostics);
    else if (auto table = read_list(file, name, diagnostics))
        tables.push_back(std::move(*table));
    if (tables.empty()) return std::unexpected(unknown);
    return tables;
}

}  // namespace hkpd
