// Decodes text in code pages with POSIX iconv, which names Windows' code pages CP932, CP1252, ...
#include <iconv.h>

#include <array>
#include <cerrno>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <unordered_map>

#include "base/text/encoding.hpp"

namespace hkpd {
namespace {

/// An open conversion from a code page to UTF-8; null if iconv does not know the page.
using Converter = std::unique_ptr<std::remove_pointer_t<iconv_t>, int (*)(iconv_t)>;

Converter open_converter(const std::string& name) {
    errno = 0;
    const iconv_t opened = iconv_open("UTF-8", name.c_str());
    if (errno == ENOMEM) throw std::bad_alloc();
    // On errors, iconv_open returns -1, converted to iconv_t (POSIX).
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return {opened == reinterpret_cast<iconv_t>(-1) ? nullptr : opened, iconv_close};
}

/// Converts input until it ends or the local buffer is full, and appends the result to `out`. Returns false if the next
/// byte of the input begins no valid character.
bool convert(iconv_t converter, std::string& out, char*& in, std::size_t& left) {
    std::array<char, 512> buffer;
    char* to = buffer.data();
    std::size_t free = buffer.size();
    const std::size_t before = left;
    const bool done = iconv(converter, &in, &left, &to, &free) != static_cast<std::size_t>(-1);
    const bool full = !done && errno == E2BIG;
    out.append(buffer.data(), to);
    // If the buffer is too small, but the converter neither read nor wrote anything, the result is false. If it
    // were true, `append_system_page` would call this function for ever.
    return done || (full && (left != before || free != buffer.size()));
}

/// Appends the characters that the converter still holds back, and resets the converter. Converters of pages with
/// combining marks (1255, 1258) hold characters back.
void finish(iconv_t converter, std::string& out) {
    char* no_input = nullptr;
    std::size_t none = 0;
    convert(converter, out, no_input, none);
}

/// Appends text as UTF-8. U+FFFD replaces each invalid byte. Returns whether all bytes were valid; none without a
/// converter.
std::optional<bool> append_all(iconv_t converter, std::string& out, std::span<const std::byte> bytes) {
    if (converter == nullptr) return std::nullopt;
    // iconv does not write to its input, but POSIX declares the parameter without const.
    char* in = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
    std::size_t left = bytes.size();
    bool valid = true;
    while (left != 0) {
        if (convert(converter, out, in, left) || left == 0) continue;
        finish(converter, out);
        out += "\xEF\xBF\xBD";
        in = std::next(in);
        --left;
        valid = false;
    }
    finish(converter, out);
    return valid;
}

}  // namespace

std::optional<bool> append_system_page(std::string& out, std::span<const std::byte> bytes, std::uint32_t page) {
    // Code page identifiers are 16-bit numbers (Microsoft Learn, "Code Page Identifiers"). Rejecting larger numbers
    // bounds the size of the cache.
    if (page > 0xFFFF) return std::nullopt;
    // Opening a converter costs much more than converting a name. Each thread therefore caches its converters, and
    // caches null for each unknown page.
    thread_local std::unordered_map<std::uint32_t, Converter> converters;
    auto found = converters.find(page);
    if (found == converters.end()) found = converters.emplace(page, open_converter("CP" + std::to_string(page))).first;
    return append_all(found->second.get(), out, bytes);
}

std::optional<bool> append_system_encoding(std::string& out, std::span<const std::byte> bytes, const std::string& name,
                                           std::uint32_t /*page*/) {
    // Callers state few names, an input none.
    thread_local std::unordered_map<std::string, Converter> converters;
    auto found = converters.find(name);
    if (found == converters.end()) found = converters.emplace(name, open_converter(name)).first;
    return append_all(found->second.get(), out, bytes);
}

}  // namespace hkpd
