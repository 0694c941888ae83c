// The text of an instance: the characters that separate its parts, and nothing else knows them.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/parse_number.hpp"

namespace hkpd {

/// Separates the name of a parent from that of its child.
inline constexpr char parent_end = '/';

/// Appends `parent/name#n`. Without a parent, `parent/` is left out; so is `#0`.
inline void append_place(std::string& out, const std::optional<std::string_view>& parent, std::string_view name,
                         std::uint32_t place) {
    if (parent) out.append(*parent) += parent_end;
    out += name;
    if (place != 0) (out += '#') += std::to_string(place);
}

/// Copies the same to `at`, which has space for the texts and `most_place` more characters. Returns the end of the
/// copy.
inline constexpr std::size_t most_place = 12;
inline char* copy_place(char* at, const std::optional<std::string_view>& parent, std::string_view name,
                        std::uint32_t place) noexcept {
    if (parent) {
        at = std::ranges::copy(*parent, at).out;
        *at = parent_end;
        at = std::next(at);
    }
    at = std::ranges::copy(name, at).out;
    if (place == 0) return at;
    *at = '#';
    at = std::next(at);
    return std::to_chars(at, std::next(at, most_place), place).ptr;
}

/// Appends what makes a name stand for all its places: `#*`.
inline void append_all_places(std::string& name) { name += "#*"; }

/// The parts of `name#n`; no place for `name#*`, which stands for all places.
struct PlaceText {
    std::string_view name;
    std::optional<std::uint32_t> place;
};
/// Returns the parts of a text; none if it ends neither in `#` and a number nor in `#*`. Reads only the digits at its
/// end, as names of many series can be long.
inline std::optional<PlaceText> split_place(std::string_view text) {
    if (text.ends_with("#*")) return PlaceText{text.substr(0, text.size() - 2), std::nullopt};
    const auto hash = text.find_last_not_of("0123456789");
    if (hash == std::string_view::npos || text[hash] != '#') return std::nullopt;
    const auto place = parse_number<std::uint32_t>(text.substr(hash + 1));
    return place ? std::optional(PlaceText{text.substr(0, hash), place}) : std::nullopt;
}

/// Returns the number after the last `:` of a text that ends with it; none if it does not.
inline std::optional<std::int64_t> written_id(std::string_view text) {
    auto colon = text.find_last_not_of("0123456789");
    if (colon != std::string_view::npos && colon != 0 && text[colon] == '-') --colon;
    if (colon == std::string_view::npos || text[colon] != ':') return std::nullopt;
    return parse_number<std::int64_t>(text.substr(colon + 1));
}
/// Returns whether a text can be one with ids, as `RunInstances::append_display` writes it.
inline bool may_have_ids(std::string_view text) noexcept { return text.find(':') != std::string_view::npos; }

/// Appends `:id`, with so many zeros before the number.
inline void append_id(std::string& out, std::int64_t id, std::size_t zeros = 0) {
    out += ':';
    if (id < 0) out += '-';
    out.append(zeros, '0') += std::to_string(id < 0 ? -id : id);
}
/// Returns a text with ids without the zeros before its id: of `name:id` and `name:id:life`, and of the parent in
/// `parent:id/name`.
inline std::string without_zeros(std::string_view text) {
    std::string out(text);
    const auto strip = [&out](std::size_t end) {  // returns the position of the ':' before the number that ends there
        const auto colon = end == 0 ? std::string::npos : out.rfind(':', end - 1);
        if (colon == std::string::npos ||
            !parse_number<std::int64_t>(std::string_view(out).substr(colon + 1, end - colon - 1)))
            return std::string::npos;
        const auto digits = colon + (out[colon + 1] == '-' ? 2 : 1);
        out.erase(digits, std::min(out.find_first_not_of('0', digits), end - 1) - digits);
        return colon;
    };
    if (const auto life = strip(out.size()); life != std::string::npos) strip(life);
    for (auto slash = out.rfind(parent_end); slash != std::string::npos;
         slash = slash == 0 ? std::string::npos : out.rfind(parent_end, slash - 1))
        strip(slash);
    return out;
}

}  // namespace hkpd
