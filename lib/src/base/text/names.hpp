// Compares names as Windows does, ignoring case and with wildcards, and finds the name nearest to a mistyped one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace hkpd {

/// Returns a form of the text for comparisons. Two names have the same form if Windows considers them equal, by ordinal
/// comparison ignoring case. The case of each UTF-16 unit is changed by itself: letters outside the BMP keep their
/// case, and `ß` does not become `SS`. No letter outside ASCII becomes an ASCII letter (learn.microsoft.com, "Best
/// practices for comparing strings in .NET").
std::string fold_case(std::string_view text);

/// Returns whether a folded text (from `fold_case`) matches a folded pattern. In the pattern, `*` matches any number of
/// characters and `?` matches one. Takes time up to the product of the two lengths.
bool matches_wildcard(std::string_view pattern, std::string_view text) noexcept;

/// Returns an ASCII letter in lower case, and any other byte unchanged.
constexpr char lower_ascii(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Returns whether a name equals a text in lower case, ignoring the case of ASCII letters.
constexpr bool equals_lower(std::string_view name, std::string_view lower_text) noexcept {
    return std::ranges::equal(name, lower_text, {}, lower_ascii);
}

/// Returns whether all characters of a text are ASCII.
inline bool is_ascii(std::string_view text) noexcept {
    constexpr std::uint64_t high_bits = 0x8080'8080'8080'8080;
    std::uint64_t bits = 0;
    for (; text.size() >= sizeof bits; text.remove_prefix(sizeof bits)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data(), sizeof word);
        bits |= word;
    }
    for (const char c : text) bits |= static_cast<unsigned char>(c);
    return (bits & high_bits) == 0;
}

/// Does what `compare_names` does, for names that are not ASCII.
int compare_folded(std::string_view a, std::string_view b);

/// Compares the results of `fold_case` for two names. Returns a number below 0 if `a` comes before `b`, 0 if they are
/// equal, and a number above 0 if `a` comes after `b`. Allocates nothing.
inline int compare_names(std::string_view a, std::string_view b) {
    const std::size_t common = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < common; ++i) {
        const auto x = static_cast<unsigned char>(lower_ascii(a[i])), y = static_cast<unsigned char>(lower_ascii(b[i]));
        if ((x | y) >= 0x80) return compare_folded(a.substr(i), b.substr(i));
        if (x != y) return x < y ? -1 : 1;
    }
    return a.size() == b.size() ? 0 : (a.size() < b.size() ? -1 : 1);
}

/// A rule for two names that differ only in the case of letters: the names are equal (`ignored`) or different
/// (`matters`).
enum class LetterCase : std::uint8_t { ignored, matters };

/// A search for the name that is nearest to a wanted name, ignoring case. The names to search are offered one by one.
/// If several names are equally near, the first of them is found. A name is near if it has at most one typing error for
/// each three bytes of the wanted name, and at most three errors in all. An error is a character inserted, omitted or
/// replaced, or two neighbouring characters exchanged. The work for each name is bounded, whatever the name's length.
class Nearest {
  public:
    /// Begins a search. No name is near a wanted name that is longer than `longest` bytes or has wildcards. If the
    /// wanted name is shorter than 3 bytes, a name is near only if it differs in case alone, and only with
    /// `LetterCase::matters`.
    explicit Nearest(std::string_view wanted, LetterCase letter_case = LetterCase::ignored);

    void offer(std::string_view name);

    /// Returns the nearest name; empty if none was near, or if the wanted name itself was offered and was thus not
    /// mistyped.
    const std::string& name() const noexcept { return name_; }

    static constexpr std::size_t longest = 64;

  private:
    std::size_t distance(std::string_view name) const noexcept;

    std::string wanted_, name_;
    std::string exact_;      // the wanted name before `fold_case`; empty if case is ignored
    std::size_t size_;       // size of the wanted name in bytes, before `fold_case`
    std::size_t limit_ = 0;  // maximum number of typing errors in a near name
    bool open_ = false;      // whether further names are considered
};

}  // namespace hkpd
