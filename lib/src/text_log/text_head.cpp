#include "text_log/text_head.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text/located_text.hpp"
#include "base/text/parse_number.hpp"
#include "base/text/trimmed.hpp"
#include "text_log/text_lines.hpp"

namespace hkpd {
namespace {

/// Returns the ASCII text at the beginning of an input up to the end of its first line, with `?` for other characters;
/// zero bytes (of UTF-16) and the byte order mark are left out. Returns none if it has bytes that no text has.
std::optional<std::string> plain_beginning(Bytes beginning) {
    constexpr std::uint32_t first_of_text = 0x20, first_of_others = 0x80;
    const bool is_big = starts_with(beginning, "\xFE\xFF");
    const bool is_wide =
        is_big || starts_with(beginning, "\xFF\xFE") || (beginning.size() >= 2 && beginning.span()[1] == std::byte{0});
    const std::size_t width = is_wide ? 2 : 1;
    std::string text;
    for (std::size_t at = 0; at + width <= beginning.size(); at += width) {
        const std::uint32_t unit =
            is_wide ? load<std::uint16_t>(beginning.at(at), is_big ? ByteOrder::big : ByteOrder::little)
                    : std::to_integer<std::uint32_t>(beginning.span()[at]);
        const char c = static_cast<char>(unit);
        if ((unit == '\n' || unit == '\r') && !text.empty()) return text + '\n';
        if (unit == 0 || unit == '\r' || unit == '\n') continue;
        if (unit >= first_of_others) {
            if (!text.empty()) text += '?';
            continue;
        }
        if (unit < first_of_text && unit != '\t') return std::nullopt;
        if (!text.empty() || c != ' ') text += c;
    }
    return text;
}

/// Returns whether a cell looks like a counter path: `\\host\object\counter` or `\object\counter`.
bool is_like_path(std::string_view cell) {
    if (!cell.starts_with('\\')) return false;
    const bool has_host = cell.starts_with("\\\\");
    const std::size_t object = has_host ? cell.find('\\', 3) : 0;
    return object != std::string_view::npos && cell.find('\\', object + 2) != std::string_view::npos;
}

/// Returns the number of cells after the first one that look like counter paths; 0 if the first one does, which then is
/// no heading of times.
std::size_t paths_in(std::string_view line, char separator) {
    TextCells cells(line, separator);
    const auto first = cells.next();
    if (!first || is_like_path(first->text)) return 0;
    std::size_t count = 0;
    while (const auto cell = cells.next())
        if (is_like_path(cell->text)) ++count;
    return count;
}

constexpr std::array separators{',', ';', '\t'};

bool begins_with_kind(std::string_view line) noexcept {
    return line.starts_with("\"(PDH-") || line.starts_with("(PDH-");
}

/// Returns the number of a text such as `(480)`.
std::optional<std::int32_t> number_in_parentheses(std::string_view text) {
    if (!text.starts_with('(') || !text.ends_with(')')) return std::nullopt;
    return parse_number<std::int32_t>(text.substr(1, text.size() - 2));
}

}  // namespace

bool is_first_line(std::string_view line) {
    if (begins_with_kind(line)) return true;
    // Most lines are rows, which begin with a digit.
    const std::string_view begin = line.substr(line.starts_with('"') ? 1 : 0);
    if (begin.empty() || (begin.front() >= '0' && begin.front() <= '9') || !line.contains('\\')) return false;
    return std::ranges::any_of(separators, [line](char separator) { return paths_in(line, separator) != 0; });
}

bool is_text_log(StreamWindow& window) {
    // The first call of `peek` reads only two bytes. A sender of blocks may pause after a few bytes, and a longer read
    // would wait for more.
    const Bytes first = window.peek(2);
    if (first.empty() || *first.data() == std::byte{0}) return false;
    constexpr std::uint64_t head = 512, longest = std::uint64_t{64} << 10U, step = 8;
    for (std::uint64_t size = head;; size *= step) {
        const Bytes beginning = window.peek(size);
        const auto text = plain_beginning(beginning);
        if (!text) return false;
        if (is_first_line(*text)) return true;
        if (text->ends_with('\n') || beginning.size() < size || size >= longest) return false;
    }
}

char separator_in(std::string_view line) {
    char best = ',';
    std::size_t most = 0;
    for (const char separator : separators) {
        const std::size_t count = paths_in(line, separator);
        if (count > most) best = separator;
        most = std::max(most, count);
    }
    if (most != 0) return best;
    // Without a path: what follows the first cell, which ends with a parenthesis.
    for (auto at = line.find(')'); at != std::string_view::npos; at = line.find(')', at + 1)) {
        std::string_view rest = line.substr(at + 1);
        if (rest.starts_with('"')) rest.remove_prefix(1);
        if (!rest.empty() && std::ranges::count(separators, rest.front()) != 0) return rest.front();
    }
    return best;
}

TextLogHead TextLogHead::parse(std::string_view cell) {
    TextLogHead head;
    cell = trimmed(cell);
    head.has_kind = cell.starts_with('(');
    const std::size_t kind = cell.starts_with("(PDH-") ? cell.find(')') : std::string_view::npos;
    const std::string_view rest = kind == std::string_view::npos ? cell : trimmed(cell.substr(kind + 1));
    const std::size_t begin = rest.find('(');
    if (begin == std::string_view::npos) {
        head.has_other_text = !rest.empty();
        return head;
    }
    // The minutes are the last number in parentheses that follows a name in parentheses.
    for (std::size_t close = rest.rfind(')'); close != std::string_view::npos && close > begin;
         close = rest.rfind(')', close - 1)) {
        const std::size_t open = rest.rfind('(', close);
        const std::string_view name = trimmed(rest.substr(0, open));
        const auto bias = number_in_parentheses(rest.substr(open, close + 1 - open));
        if (open <= begin || !name.ends_with(')') || !bias) continue;
        head.has_other_text = begin != 0 || close + 1 != rest.size();
        if (*bias >= -most_minutes && *bias <= most_minutes) {
            head.zone = TimeZone{std::string(name.substr(begin + 1, name.size() - begin - 2)), *bias};
        } else {
            head.is_zone_damaged = true;
            head.minutes = bias;
        }
        return head;
    }
    head.has_other_text = begin != 0;
    if (!head.has_kind) return head;  // any other heading, such as `Time (local)`
    // Without minutes: the cell ends in the name, after it, or in the minutes.
    const std::size_t minutes = rest.find(")(", begin);
    if (minutes != std::string_view::npos && rest.ends_with(')')) {
        head.is_zone_damaged = true;
        return head;
    }
    std::string_view name = rest.substr(begin + 1, minutes == std::string_view::npos ? minutes : minutes - begin - 1);
    head.is_name_cut = minutes == std::string_view::npos;
    if (head.is_name_cut && std::ranges::count(rest, '(') == std::ranges::count(rest, ')')) {
        head.is_name_cut = false;
        name.remove_suffix(name.ends_with(')') ? 1 : 0);
    }
    head.cut_name = std::string(name);
    return head;
}

}  // namespace hkpd
