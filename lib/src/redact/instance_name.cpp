// Sources: Microsoft's pages on Process V2, GPU Engine, ProcessNameFormat of .NET Framework, User Input Delay and
// W3SVC_W3WP for the form of names; the names themselves are in logs of any Windows.
#include "redact/instance_name.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/text/names.hpp"
#include "hkpd/identity.hpp"
#include "hkpd/redact.hpp"

namespace hkpd {
namespace {

constexpr auto public_names = std::to_array<std::string_view>(
    {"_Total", "_Global_", "Total", "Idle", "System", "Registry", "Memory Compression", "Secure System", "Default",
     "Console", "Services", "RDP-Tcp", "Max", "Average", "*"});

constexpr std::string_view decimal_digits = "0123456789";
constexpr std::size_t longest_number = 10;  // of 32 bits; longer ones can identify people

/// Returns the number of decimal_digits at the beginning of a text; 0 if they are too many for a number of Windows.
std::size_t leading_digits(std::string_view text) {
    const std::size_t count = std::min(text.find_first_not_of(decimal_digits), text.size());
    return count <= longest_number ? count : 0;
}
/// Returns the number of decimal_digits at the end of a text, in the same way.
std::size_t trailing_digits(std::string_view text) {
    const std::size_t last = text.find_last_not_of(decimal_digits);
    const std::size_t count = last == std::string_view::npos ? text.size() : text.size() - last - 1;
    return count <= longest_number ? count : 0;
}

bool equal(std::string_view a, std::string_view b) { return compare_names(a, b) == 0; }

/// Removes a word in front, in any case. Returns whether it was there.
bool take(std::string_view& text, std::string_view word) {
    if (!equal(text.substr(0, word.size()), word)) return false;
    text.remove_prefix(word.size());
    return true;
}
/// Removes a number in front. Returns whether it was there.
bool take_number(std::string_view& text) {
    const std::size_t count = leading_digits(text);
    text.remove_prefix(count);
    return count != 0;
}
/// Removes `0x` and hexadecimal decimal_digits in front. Returns whether they were there.
bool take_hex(std::string_view& text) {
    if (!take(text, "0x")) return false;
    constexpr std::size_t most = 16;
    const std::size_t count = std::min(text.find_first_not_of("0123456789abcdefABCDEF"), text.size());
    text.remove_prefix(count);
    return count != 0 && count <= most;
}

/// Returns whether a text has numbers, letters of drives and totals only: `0`, `0,_Total`, `0 C: D:`.
bool is_numbers(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(" ,"), text.size());
        const std::string_view word = text.substr(0, end);
        const bool is_number = !word.empty() && leading_digits(word) == word.size();
        const bool is_drive =
            word.size() == 2 && word[1] == ':' && lower_ascii(word[0]) >= 'a' && lower_ascii(word[0]) <= 'z';
        if (!is_number && !is_drive && !equal(word, "_Total")) return false;
        if (end == text.size()) return true;
        text.remove_prefix(end + 1);
        if (text.starts_with(' ')) text.remove_prefix(1);
    }
    return false;
}

/// Returns whether a text is one of some words, and a number after it.
bool is_numbered(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [text](std::string_view word) {
        std::string_view rest = text;
        return take(rest, word) && take_number(rest) && rest.empty();
    });
}

/// Returns whether a text is the type of an engine of a GPU, as the drivers of Windows name them.
bool is_engine(std::string_view text) {
    constexpr auto types = std::to_array<std::string_view>({"3D",
                                                            "Copy",
                                                            "Compute",
                                                            "Graphics",
                                                            "Cuda",
                                                            "VideoDecode",
                                                            "VideoEncode",
                                                            "VideoProcessing",
                                                            "Video Decode",
                                                            "Video Encode",
                                                            "Video Processing",
                                                            "Legacy Overlay",
                                                            "LegacyOverlay",
                                                            "High Priority 3D",
                                                            "High Priority Compute",
                                                            "Security",
                                                            "Overlay",
                                                            "Timer",
                                                            "OFA",
                                                            "VR",
                                                            "JPEG",
                                                            "Other"});
    const std::size_t count = trailing_digits(text);
    if (std::ranges::any_of(types, [text](std::string_view type) { return equal(text, type); })) return true;
    if (count == 0 || count >= text.size()) return false;
    const std::string_view word = text.substr(0, text.size() - count - 1);
    const char between = text[text.size() - count - 1];
    return (between == '_' || between == ' ') &&
           std::ranges::any_of(types, [word](std::string_view type) { return equal(word, type); });
}

/// Returns the number of bytes that the name of a GPU's part has in front of the type of its engine; all of them if the
/// name ends there or the type is known, 0 if it is no such name: `pid_4711_luid_0x0_0x1_phys_0_eng_1_engtype_Copy`.
std::size_t gpu_part(std::string_view name) {
    std::string_view rest = name;
    if (take(rest, "pid_") && !(take_number(rest) && take(rest, "_"))) return 0;
    if (!take(rest, "luid_") || !take_hex(rest) || !take(rest, "_") || !take_hex(rest)) return 0;
    for (const std::string_view word : {"_phys_", "_eng_", "_part_"})
        if (take(rest, word) && !take_number(rest)) return 0;
    if (take(rest, "_engtype_") && is_engine(rest)) rest = {};
    return name.size() - rest.size();
}

/// Returns the position of `_p580_r5` or `_p580_r5_ad2` at the end of a name; its size if there is none.
std::size_t clr_suffix(std::string_view name) {
    for (std::size_t at = name.rfind("_p"); at != std::string_view::npos && at != 0; at = name.rfind("_p", at - 1)) {
        std::string_view rest = name.substr(at + 2);
        if (!take_number(rest)) continue;
        if (take(rest, "_r") && !take_number(rest)) continue;
        if (take(rest, "_ad") && !take_number(rest)) continue;
        if (rest.empty()) return at;
    }
    return name.size();
}

bool is_public(std::string_view name) {
    return std::ranges::any_of(public_names, [name](std::string_view one) { return equal(name, one); }) ||
           is_numbers(name) ||
           is_numbered(name, {"HarddiskVolume", "RDP-Tcp ", "ICA-Tcp ", "Hv LP ", "Root VP ", "Node "});
}

}  // namespace

InstanceNameParts split_instance_name(std::string_view name) {
    if (is_public(name)) return {{}, name, {}, true};
    if (const std::size_t count = gpu_part(name); count != 0)
        return {name.substr(0, count), name.substr(count), {}, count == name.size()};
    std::string_view rest = name;
    // In front: `4711_pool`, and `1:4711 program`.
    std::string_view front = rest;
    if (take_number(front)) {
        std::string_view more = front;
        if (more.starts_with('_'))
            rest = more.substr(1);
        else if (take(more, ":") && take_number(more) && more.starts_with(' '))
            rest = more.substr(1);
    }
    const std::size_t begin = rest.empty() ? 0 : name.size() - rest.size();
    rest = name.substr(begin);
    // At the end, in this order from the right: `#1`, `:4711`, `:Hv VP 0`, `_p4711_r5`, `.exe`.
    const auto drop = [&rest](std::size_t count) {
        if (count < rest.size()) rest.remove_suffix(count);
    };
    for (const char mark : {'#', ':'})
        if (const std::size_t count = trailing_digits(rest);
            count != 0 && count < rest.size() && rest[rest.size() - count - 1] == mark)
            drop(count + 1);
    if (const std::size_t colon = rest.rfind(':');
        colon != std::string_view::npos && is_numbered(rest.substr(colon + 1), {"Hv VP "}))
        drop(rest.size() - colon);
    drop(rest.size() - clr_suffix(rest));
    constexpr std::string_view exe = ".exe";
    if (rest.size() > exe.size() && equal(rest.substr(rest.size() - exe.size()), exe)) drop(exe.size());
    return {name.substr(0, begin), rest, name.substr(begin + rest.size()), is_public(rest)};
}

void append_kept_names(std::string& out) {
    for (const std::string_view name : public_names) {
        if (name == "*") continue;
        if (!out.empty() && out.back() != ' ') out += ", ";
        out += name;
    }
}

}  // namespace hkpd
