#include "names/language.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/parse_number.hpp"
#include "hkpd/names.hpp"

namespace hkpd {

std::string perflib_language(std::uint32_t identifier) { return normal_language(fmt::format("{:03x}", identifier)); }

std::uint32_t language_identifier(std::string_view language) {
    constexpr std::uint32_t primary_language = 0x3FF, default_sublanguage = 0x400;  // winnt.h: MAKELANGID
    constexpr int hexadecimal = 16;
    const std::uint32_t identifier = parse_number<std::uint32_t>(language, hexadecimal).value_or(0);
    if (identifier == 0) return 0;
    return identifier > primary_language ? identifier : default_sublanguage | identifier;
}

std::vector<std::string> wanted_languages(const std::vector<std::string>& asked, std::uint32_t ui_language) {
    std::vector<std::string> wanted{std::string(english_language)};
    const auto add = [&wanted](std::string language) {
        if (std::ranges::find(wanted, language) == wanted.end()) wanted.push_back(std::move(language));
    };
    if (ui_language != 0) add(perflib_language(ui_language));
    for (const std::string& language : asked) add(normal_language(language));
    return wanted;
}

}  // namespace hkpd
