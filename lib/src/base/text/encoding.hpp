// Converts between Windows' encodings and UTF-8, and reads names in structures. UTF-16 is converted with Boost.Nowide's
// traits, other code pages with the system's converter.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"

namespace hkpd {

/// Appends UTF-16 as UTF-8. U+FFFD replaces unpaired surrogates and an odd last byte; returns false if anything was
/// replaced.
bool append_utf16(std::string& out, std::span<const std::byte> bytes, ByteOrder order);

/// Returns whether the text in `field` is ASCII and equals `text`. The text in `field` is UTF-16 and takes the first
/// `size` bytes, or ends before the first NUL character in these bytes. `host` states whether `field` has the byte
/// order of this machine.
template <bool host>
bool is_ascii_text(Bytes field, std::size_t size, std::string_view text) noexcept {
    const std::size_t units = size / 2, length = text.size();
    if (units < length || size % 2 != 0) return false;
    if (units == 0) return true;
    constexpr std::size_t word = sizeof(std::uint64_t), unit_bits = 16;
    if constexpr (host && std::endian::native == std::endian::little) {
        // Most instance names, such as those of threads, are short numbers. Names of at most 8 bytes are compared in
        // one step.
        if (size <= word && field.size() >= word) {
            std::uint64_t wanted = 0;
            for (std::size_t i = 0; i < length; ++i)
                wanted |= std::uint64_t{static_cast<unsigned char>(text[i])} << (unit_bits * i);
            const std::size_t others = word / 2 - (units == length ? units : length + 1);
            const std::uint64_t here =
                load<std::uint64_t, host>(field.data()) & (~std::uint64_t{0} >> (unit_bits * others));
            return here == wanted && (wanted & 0x0080'0080'0080'0080) == 0;
        }
    }
    const auto unit = [&field](std::size_t i) -> std::uint32_t { return load<std::uint16_t, host>(field.at(2 * i)); };
    std::uint32_t difference = 0, all = 0;
    for (std::size_t i = 0; i < length; ++i) {
        difference |= unit(i) ^ static_cast<unsigned char>(text[i]);
        all |= unit(i);
    }
    return difference == 0 && all < 0x80 && (units == length || unit(length) == 0);
}

/// Returns UTF-8 text as UTF-16. U+FFFD replaces invalid characters.
std::u16string to_utf16(std::string_view text);

/// Appends UTF-8 text. U+FFFD replaces each byte that belongs to no valid character. Returns false if any byte was
/// replaced.
bool append_utf8(std::string& out, std::span<const std::byte> bytes);

/// Returns the number of leading bytes that are valid UTF-8.
std::size_t valid_utf8(std::span<const std::byte> bytes) noexcept;

/// Numbers of the code pages UTF-16 and UTF-8. For UTF-16, functions take the byte order as another parameter.
inline constexpr std::uint32_t page_utf16 = 1200, page_utf16_big = 1201, page_utf8 = 65001;

/// Appends text of an ANSI code page (932, 1252, ...) as UTF-8. Pages 0 and 1200 mean UTF-16 in byte order `order`,
/// page 65001 means UTF-8. U+FFFD replaces invalid bytes. If the page is unknown, U+FFFD replaces all bytes that are
/// not ASCII. Returns false if anything was replaced.
bool append_code_page(std::string& out, std::span<const std::byte> bytes, std::uint32_t page, ByteOrder order);

/// Appends text of a code page as UTF-8, using the system's converter (iconv, or MultiByteToWideChar on Windows).
/// U+FFFD replaces each invalid byte. Returns whether all bytes were valid. If the converter does not know the page,
/// appends nothing and returns none.
std::optional<bool> append_system_page(std::string& out, std::span<const std::byte> bytes, std::uint32_t page);

/// Does the same for an encoding by its name in lower case (iconv) or the number of its code page (Windows).
std::optional<bool> append_system_encoding(std::string& out, std::span<const std::byte> bytes, const std::string& name,
                                           std::uint32_t page);

/// Returns whether `append_code_page` can decode text of this code page.
bool knows_code_page(std::uint32_t page);

/// Appends text as UTF-8. Reports invalid characters as a warning. If the code page is unknown, U+FFFD replaces all
/// bytes that are not ASCII, and if there are such bytes, the code page is reported as an error.
inline void append_text(std::string& out, const EncodedText& text, std::string_view structure, std::string_view field,
                        std::uint32_t object, std::uint32_t instance, const FaultSink& faults) {
    if (append_code_page(out, text.bytes.span(), text.code_page, text.order)) return;
    if (knows_code_page(text.code_page))
        faults.add({Errc::bad_text, text.bytes.offset(), structure, field, 0, text.bytes.size()}, object, instance);
    else
        faults.add({Errc::code_page, text.bytes.offset(), structure, field, 0, text.code_page}, object, instance);
}

/// Maximum size in bytes of a name in UTF-16, with the terminating NUL (`longest_name_field`) and without it
/// (`longest_name_text`): 1024 characters (PDH_MAX_INSTANCE_NAME, pdh.h). The size is limited because Windows accepts
/// no longer names, and because every line of output repeats the name.
inline constexpr std::uint32_t longest_name_field = 1025 * 2, longest_name_text = 1024 * 2;

/// Returns the text in a name field: the bytes before the first NUL, or all bytes if there is no NUL. In UTF-16, an odd
/// last byte is left out.
EncodedText name_text(const Bytes& bytes, std::uint32_t code_page, ByteOrder order) noexcept;

/// Returns whether this code page means UTF-16. V1 blocks use 0 for UTF-16; Windows' functions use 1200.
constexpr bool is_utf16(std::uint32_t code_page) noexcept { return code_page == 0 || code_page == 1200; }

}  // namespace hkpd
