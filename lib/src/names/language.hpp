// Languages: how V1 and V2 number them, and which one is shown where there are several.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/names.hpp"

namespace hkpd {

inline constexpr std::string_view english_language = "009";

/// What Perflib calls the language of a Windows language identifier: `009` of 0x409.
std::string perflib_language(std::uint32_t identifier);

/// The identifier that V2's functions are asked with: 0x409 of `009`, 0x804 of `804`; 0 where it is none.
std::uint32_t language_identifier(std::string_view language);

/// English, that of the user interface, and those that were asked for, each once.
std::vector<std::string> wanted_languages(const std::vector<std::string>& asked, std::uint32_t ui_language);

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
