// Numbers and text put straight into the space of a buffer: a check of the room for each line, not for each character.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace hkpd {

/// Appends what `write` puts there, which has room for `most` characters: it is given the place of the first and
/// returns the one behind the last.
template <class Write>
void append_within(std::string& out, std::size_t most, const Write& write) {
    const std::size_t before = out.size();
    out.resize_and_overwrite(before + most, [&write, before](char* text, std::size_t /*size*/) {
        return static_cast<std::size_t>(write(std::next(text, static_cast<std::ptrdiff_t>(before))) - text);
    });
}

/// Characters of the longest number of those below: -1.7976931348623157e+308.
inline constexpr std::size_t most_digits = 24;

// Each puts something where there is room for it, and returns the place behind it.

inline char* put(char* to, std::string_view text) noexcept { return std::copy_n(text.data(), text.size(), to); }
inline char* put(char* to, char character) noexcept {
    *to = character;
    return std::next(to);
}
inline char* put(char* to, std::uint64_t number) noexcept {
    return std::to_chars(to, std::next(to, most_digits), number).ptr;
}
/// In as few digits as give it back, as {fmt} shows it.
char* put_shortest(char* to, double number);
/// In at most 17 significant digits, as C's `%.17g`.
char* put_17_digits(char* to, double number);

inline void append_digits(std::string& out, std::uint64_t number) {
    append_within(out, most_digits, [number](char* to) { return put(to, number); });
}

}  // namespace hkpd
