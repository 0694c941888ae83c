// Which of several languages is shown.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/names.hpp"

namespace hkpd {

/// How many ranks there are behind the languages that were asked for: English, unknown, others.
inline constexpr std::size_t unasked_languages = 3;

/// Place in the order of preference, 0 the best. `preferred` are normal languages (`normal_language`).
inline std::size_t language_rank(const std::vector<std::string>& preferred, std::string_view language) {
    constexpr std::size_t english = 0, unknown = 1, other = 2;
    const std::string normal = normal_language(language);
    const auto at = std::ranges::find(preferred, normal);
    if (at != preferred.end()) return static_cast<std::size_t>(at - preferred.begin());
    return preferred.size() + (normal == "009" ? english : normal.empty() ? unknown : other);
}

}  // namespace hkpd
