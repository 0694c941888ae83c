#include "source/exported_name.hpp"

#include <algorithm>
#include <array>

#include "base/text/names.hpp"

namespace hkpd {
namespace {

constexpr bool is_letter(char c) noexcept { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
/// Returns whether a byte continues a character in UTF-8.
constexpr bool continues(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Returns the extension of `name`, in lower case and with its dot, if title databases usually have this extension;
/// otherwise `.titles`.
std::string_view extension_of(std::string_view name) noexcept {
    constexpr std::array<std::string_view, 7> all{".txt", ".reg", ".dat", ".ini", ".csv", ".json", ".multisz"};
    const auto same = [](char a, char b) { return a == lower_ascii(b); };
    const auto found = std::ranges::find_if(all, [&](std::string_view extension) {
        return name.size() > extension.size() &&
               std::ranges::equal(extension, name.substr(name.size() - extension.size()), same);
    });
    return found == all.end() ? ".titles" : *found;
}

}  // namespace

std::string exported_name(std::string_view name) {
    constexpr std::size_t longest = 100;
    name.remove_prefix(name.find_last_of("/\\:") + 1);  // removes nothing if there is no separator
    const std::string_view extension = extension_of(name);
    if (extension != ".titles") name.remove_suffix(extension.size());
    std::string safe = "titles-";
    for (const char given : name) {
        if (safe.size() == longest) break;
        const char c = lower_ascii(given);
        if (is_letter(c) || is_digit(c) || c == '-')
            safe += c;
        else if (!continues(c))
            safe += '_';
    }
    return safe.append(extension);
}

}  // namespace hkpd
