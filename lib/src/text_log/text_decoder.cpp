#include "text_log/text_decoder.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/text/encoding.hpp"
#include "base/text/names.hpp"
#include "base/zone_texts.hpp"
#include "hkpd/select.hpp"
#include "names/local_titles.hpp"
#include "text_log/text_head.hpp"
#include "text_log/text_lines.hpp"

namespace hkpd {
namespace {

constexpr std::uint32_t page_western = 1252;

/// Pages of the languages in which names are known; those of Windows' ANSI programs come before those of its console.
constexpr std::array<std::uint32_t, 15> guessed_pages{1252, 1251, 1250, 932, 936, 949, 950, 1254,
                                                      1253, 1257, 866,  850, 852, 857, 737};

/// A time zone by the beginning of its English name, and the ANSI code page of the languages spoken there.
struct ZonePage {
    std::string_view zone;
    std::uint32_t page;
};
constexpr auto zone_pages = std::to_array<ZonePage>({
    {"Russia", 1251},     {"Belarus", 1251},     {"Kaliningrad", 1251},     {"Samara", 1251},
    {"Saratov", 1251},    {"Volgograd", 1251},   {"Astrakhan", 1251},       {"Ekaterinburg", 1251},
    {"Omsk", 1251},       {"Altai", 1251},       {"N. Central Asia", 1251}, {"Tomsk", 1251},
    {"North Asia", 1251}, {"Transbaikal", 1251}, {"Yakutsk", 1251},         {"Vladivostok", 1251},
    {"Magadan", 1251},    {"Sakhalin", 1251},    {"Kamchatka", 1251},       {"Tokyo", 932},
    {"China", 936},       {"Korea", 949},        {"Taipei", 950},           {"Central Europe", 1250},
    {"GTB", 1253},        {"Turkey", 1254},      {"Israel", 1255},          {"Egypt", 1256},
    {"Arab", 1256},
});

/// Returns the text of a line's bytes in a code page; empty if any byte is none of its characters.
std::string text_in(std::string_view bytes, std::uint32_t page) {
    std::string text;
    if (!append_code_page(text, std::as_bytes(std::span(bytes)), page, ByteOrder::little)) text.clear();
    return text;
}

/// Returns the name of the time zone in the first cell of a log: `(PDH-CSV 4.0) (Pacific Standard Time)(480)`.
std::string_view stated_zone(std::string_view line) {
    const std::size_t kind = line.find(')'), open = line.find('(', std::min(kind, line.size()));
    if (open == std::string_view::npos) return {};
    const std::string_view rest = line.substr(open + 1);
    return rest.substr(0, std::min(rest.find(")("), rest.find('"')));
}

/// Returns the cells of a line that have bytes above 0x7F, each once. Separators and quotes are no byte of a character
/// of more bytes in any of the guessed pages.
std::vector<std::string> local_cells(std::string_view line) {
    std::vector<std::string> found;
    std::unordered_set<std::string> known;
    TextCells cells(line, separator_in(line));
    while (const auto cell = cells.next()) {
        if (is_ascii(cell->text)) continue;
        if (const auto [place, added] = known.emplace(cell->text); added) found.push_back(*place);
    }
    return found;
}

/// Returns how many names of objects and counters in the first cells of a log are known in some language. Names in
/// ASCII are the same in every code page, and do not count.
std::size_t known_names(std::span<const std::string> cells) {
    constexpr std::size_t most = 64;
    std::vector<CounterPath> paths;
    for (const std::string& cell : cells) {
        if (paths.size() == most) break;
        if (auto path = CounterPath::parse(cell)) paths.push_back(*std::move(path));
    }
    if (paths.empty()) return 0;
    std::vector<NamedObject> objects;
    for (const CounterPath& path : paths) {
        const std::string_view object = path.object;
        objects.push_back({object.substr(0, object.find('(')), {path.counter}});
    }
    const auto translation = translate(objects);
    std::size_t known = 0;
    const auto add = [&known](std::string_view name, std::string_view english) {
        if (!english.empty() && !is_ascii(name)) ++known;
    };
    for (std::size_t i = 0; translation && i < objects.size(); ++i) {
        const NamedObject& english = translation->objects[i];
        add(objects[i].name, english.name);
        add(objects[i].counters.front(), english.counters.front());
    }
    return known;
}

/// Returns the number of U+FFFD in a text.
std::uint64_t replaced_in(std::string_view text) {
    constexpr std::string_view replacement = "\xEF\xBF\xBD";
    std::uint64_t count = 0;
    for (std::size_t at = 0; (at = text.find(replacement, at)) != std::string_view::npos; at += replacement.size())
        ++count;
    return count;
}

}  // namespace

std::uint32_t guess_code_page(std::string_view first_line) {
    constexpr std::size_t longest = std::size_t{64} << 10U;
    if (first_line.size() > longest) first_line = first_line.substr(0, first_line.find_last_of("\",;\t", longest));
    const std::string_view zone = stated_zone(first_line);
    const bool is_zone_ascii = is_ascii(zone);
    const auto named =
        std::ranges::find_if(zone_pages, [&](const ZonePage& row) { return zone.starts_with(row.zone); });
    std::uint32_t best = 0, by_zone = named == zone_pages.end() ? 0 : named->page;
    std::size_t most = 0, most_by_zone = 0;
    const std::vector<std::string> cells = local_cells(first_line);
    std::vector<std::string> texts(cells.size());
    for (const std::uint32_t page : guessed_pages) {
        std::ranges::transform(cells, texts.begin(), [page](std::string_view cell) { return text_in(cell, page); });
        if (std::ranges::any_of(texts, &std::string::empty)) continue;
        if (by_zone == 0 && !is_zone_ascii && zone_of_text(text_in(zone, page))) by_zone = page;
        const std::size_t known = known_names(texts);
        if (page == by_zone) most_by_zone = known;
        if (known <= most) continue;
        most = known;
        best = page;
    }
    // Some names are the same in several pages.
    if (by_zone != 0 && most_by_zone == most) return by_zone;
    return best != 0 ? best : page_western;
}

void TextDecoder::note(std::uint32_t page, const LinePlace& place, const FaultSink& faults) {
    if (noted_ == page) return;
    faults.add(Severity::note,
               {Errc::text_encoding, place.offset, "text log", noted_ == 0 ? "" : "change", place.number, page});
    noted_ = page;
}

void TextDecoder::change(std::uint32_t page, const LinePlace& place, const FaultSink& faults) {
    if (noted_ == 0) noted_ = page == page_utf8 ? page_utf16 : page_utf8;
    note(page, place, faults);
}

/// Returns the code page of a line that has bytes above 0x7F.
std::uint32_t TextDecoder::page_of(std::string_view line) {
    if (valid_utf8(std::as_bytes(std::span(line))) == line.size()) return page_utf8;
    if (guessed_ == 0) guessed_ = guess_code_page(head_.empty() ? line : std::string_view(head_));
    return guessed_;
}

/// Sets the text to the bytes in a code page, or in the stated encoding for page 0. Returns whether all were valid.
bool TextDecoder::append_in(std::uint32_t page, Bytes bytes, ByteOrder order) {
    text_.clear();
    return page == 0 ? stated_.append(text_, bytes.span()) : append_code_page(text_, bytes.span(), page, order);
}

std::string_view TextDecoder::decode(Bytes bytes, const Known& known, const LinePlace& place, const FaultSink& faults) {
    const std::string_view line(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const bool is_wide = known.encoding.wide(), is_stated = stated_.is_stated() && !known.is_marked;
    std::uint32_t page = page_utf16;
    if (!is_wide) {
        if (line.starts_with("\"(") || line.starts_with('(')) {
            constexpr std::size_t enough = std::size_t{64} << 10U;
            const std::string_view head = line.substr(0, enough);
            if (head != head_) guessed_ = 0;
            head_ = head;
        }
        if (known.is_ascii) return line;
        page = is_stated ? 0 : page_of(line);
    }
    if (page == page_utf8) {
        note(page, place, faults);
        return line;
    }
    const bool is_valid = append_in(page, bytes, known.encoding.order);
    if (page != 0 && (!is_wide || 2 * text_.size() != bytes.size())) note(page, place, faults);
    if (!is_valid) {
        const std::uint64_t lost = replaced_in(text_) * (is_wide ? 2 : 1);
        faults.add(Severity::error, {Errc::text_encoding, place.offset, "text log", "bytes", place.number, lost});
    }
    return text_;
}

}  // namespace hkpd
