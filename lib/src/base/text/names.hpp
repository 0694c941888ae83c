// Comparison of names as Windows does it: without regard to case, with wildcards; and the nearest to a mistyped one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hkpd {

/// Every letter in lower case, one character for one, as Windows compares names: no letter becomes two.
std::string fold_case(std::string_view text);

/// Whether a folded text matches a folded pattern: `*` stands for any characters, `?` for one. At most the product of
/// the lengths.
bool matches_wildcard(std::string_view pattern, std::string_view text) noexcept;

/// Compares names without regard to the case of ASCII letters: below 0 where `a` comes before `b`, 0 where they are
/// equal, above 0 where it comes after. Allocates nothing.
inline int compare_names(std::string_view a, std::string_view b) noexcept {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    const std::size_t common = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < common; ++i) {
        const auto x = static_cast<unsigned char>(lower(a[i])), y = static_cast<unsigned char>(lower(b[i]));
        if (x != y) return x < y ? -1 : 1;
    }
    return a.size() == b.size() ? 0 : (a.size() < b.size() ? -1 : 1);
}

/// Whether names are one name that differ in the case of letters alone.
enum class LetterCase : std::uint8_t { ignored, matters };

/// Is offered names one by one, and keeps the one that is most like the wanted one, without regard to case: one slip of
/// the fingers away for each three characters, three at most. A slip is a character too many, too few or another one,
/// or two neighbours in turn. Of names that are equally like it, the first. Bounded work for a name of any length.
class Nearest {
  public:
    /// Nothing is like a text that is shorter than three bytes, but for the same letters in another case where that
    /// matters; nor like one that is longer than `longest`, or has wildcards.
    explicit Nearest(std::string_view wanted, LetterCase letter_case = LetterCase::ignored);

    void offer(std::string_view name);

    /// Empty where nothing was like it, or the wanted name itself was offered: then it is not what was mistyped.
    const std::string& name() const noexcept { return name_; }

    static constexpr std::size_t longest = 64;

  private:
    std::size_t distance(std::string_view name) const noexcept;

    std::string wanted_, name_;
    std::string exact_;      // the wanted name as it was given, where case matters
    std::size_t size_;       // of the wanted name as it was given
    std::size_t limit_ = 0;  // a name with as many slips is near enough
    bool open_ = false;      // for further names
};

}  // namespace hkpd
