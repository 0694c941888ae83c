// Comparison of names as Windows does it: without regard to case, with wildcards.
#pragma once

#include <algorithm>
#include <cstddef>
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

}  // namespace hkpd
