// The order of names that differ in more than the case of ASCII letters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace hkpd {

/// Below 0, 0 or above 0 as `a` stands before, beside or behind `b`. Allocates nothing.
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
