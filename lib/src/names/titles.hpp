// Internal functions for titles, in addition to `names.hpp`. They convert and rank languages, and test whether a file
// begins like a title database.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/limits.hpp"
#include "hkpd/names.hpp"

namespace hkpd {

inline constexpr std::string_view english_language = "009";

/// Returns Perflib's name for the language of a Windows language identifier: `009` for 0x409.
std::string perflib_language(std::uint32_t identifier);

/// Returns the Windows language identifier that V2's functions need for a language: 0x409 for `009`, 0x804 for `804`; 0
/// if `language` is not a hexadecimal number.
std::uint32_t language_identifier(std::string_view language);

/// Returns the languages in which to read titles, each once and as in Perflib (`009`): English, the language of the
/// user interface, and the languages in `asked`. `ui_language`: a Windows language identifier; 0: unknown.
std::vector<std::string> requested_languages(const std::vector<std::string>& asked, std::uint32_t ui_language);

/// Number of ranks for languages that are not preferred: English, unknown, all others.
inline constexpr std::size_t unasked_languages = 3;

/// Returns a language's rank; 0 is the best. The languages in `preferred` must be in the form that `normal_language`
/// returns.
inline std::size_t language_rank(const std::vector<std::string>& preferred, std::string_view language) {
    constexpr std::size_t english = 0, unknown = 1, other = 2;
    const std::string normal = normal_language(language);
    const auto at = std::ranges::find(preferred, normal);
    if (at != preferred.end()) return static_cast<std::size_t>(at - preferred.begin());
    return preferred.size() + (normal == "009" ? english : normal.empty() ? unknown : other);
}

/// Reports the requested languages in which neither titles nor registrations have names.
void report_languages(const std::vector<std::string>& languages, const Titles& titles, const Countersets& countersets,
                      const FaultSink& faults);

/// Returns the largest size of a title file, in bytes. `Limits::title_bytes` is the largest size of the titles in
/// UTF-8. In UTF-16, most titles have twice as many bytes.
inline std::uint64_t most_title_bytes(const Limits& limits) noexcept { return 2 * limits.title_bytes; }

/// Number of bytes at the beginning of a file that a caller passes to `begins_like_titles`.
inline constexpr std::size_t titles_beginning = std::size_t{64} * 1024;

/// Returns whether a file with this beginning may be a title database and is worth reading completely. Returns true for
/// every title database, wherever `beginning` ends.
bool begins_like_titles(Bytes beginning);

}  // namespace hkpd
