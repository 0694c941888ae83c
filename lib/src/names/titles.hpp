// Internal functions for titles, in addition to `names.hpp`: languages, their numbers in V1 and V2 and their order of
// preference; whether a file begins as a title database does.
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

/// Returns Perflib's name for the language of a Windows language identifier: `009` for 0x409.
std::string perflib_language(std::uint32_t identifier);

/// Returns the identifier to pass to V2's functions: 0x409 for `009`, 0x804 for `804`; 0 if it is no language.
std::uint32_t language_identifier(std::string_view language);

/// Returns English, the language of the user interface and those in `asked`, each once.
std::vector<std::string> wanted_languages(const std::vector<std::string>& asked, std::uint32_t ui_language);

/// Number of ranks after the preferred languages: English, unknown, others.
inline constexpr std::size_t unasked_languages = 3;

/// Returns a language's rank, 0 the best. `preferred` are normal languages (`normal_language`).
inline std::size_t language_rank(const std::vector<std::string>& preferred, std::string_view language) {
    constexpr std::size_t english = 0, unknown = 1, other = 2;
    const std::string normal = normal_language(language);
    const auto at = std::ranges::find(preferred, normal);
    if (at != preferred.end()) return static_cast<std::size_t>(at - preferred.begin());
    return preferred.size() + (normal == "009" ? english : normal.empty() ? unknown : other);
}

/// Bytes of a file that `begins_like_titles` needs.
inline constexpr std::size_t titles_beginning = std::size_t{64} * 1024;

/// Returns whether a file that begins like this may be a title database and is worth reading completely. True for every
/// title database, wherever it is truncated.
bool begins_like_titles(Bytes beginning);

}  // namespace hkpd
