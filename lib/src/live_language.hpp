// Languages as the two doors number them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hkpd {

inline constexpr std::string_view english_language = "009";

/// What Perflib calls the language of a Windows language identifier: `009` of 0x409.
std::string perflib_language(std::uint32_t identifier);

/// The identifier that V2's functions are asked with: 0x409 of `009`, 0x804 of `804`; 0 where it is none.
std::uint32_t language_identifier(std::string_view language);

/// English, that of the user interface, and those that were asked for, each once.
std::vector<std::string> wanted_languages(const std::vector<std::string>& asked, std::uint32_t ui_language);

}  // namespace hkpd
