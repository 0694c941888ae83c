// Functions that append numbers and text to a byte buffer. Numbers are little-endian, as in Windows' structures.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <boost/endian/conversion.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/text/encoding.hpp"
#include "hkpd/time.hpp"

namespace hkpd {

using ByteBuffer = std::vector<std::byte>;

inline void append_bytes(ByteBuffer& out, std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Returns the bytes of a number, little-endian.
template <std::unsigned_integral T>
std::array<std::byte, sizeof(T)> little_bytes(T value) {
    return std::bit_cast<std::array<std::byte, sizeof(T)>>(boost::endian::native_to_little(value));
}

inline void append_u16(ByteBuffer& out, std::uint16_t value) { append_bytes(out, little_bytes(value)); }
inline void append_u32(ByteBuffer& out, std::uint32_t value) { append_bytes(out, little_bytes(value)); }
inline void append_i32(ByteBuffer& out, std::int32_t value) { append_u32(out, static_cast<std::uint32_t>(value)); }
inline void append_u64(ByteBuffer& out, std::uint64_t value) { append_bytes(out, little_bytes(value)); }
inline void append_i64(ByteBuffer& out, std::int64_t value) { append_u64(out, static_cast<std::uint64_t>(value)); }

/// Returns a size or count as a 32-bit number, the type of most such fields in Windows' structures. Keeps only the low
/// 32 bits of a larger value.
inline std::uint32_t u32(std::size_t value) { return static_cast<std::uint32_t>(value); }

/// Appends `value` as a number of `size` bytes. `size` is 4 or 8.
inline void append_number(ByteBuffer& out, std::uint64_t value, std::uint32_t size) {
    if (size == 4)
        append_u32(out, static_cast<std::uint32_t>(value));
    else
        append_u64(out, value);
}

inline void append_system_time(ByteBuffer& out, const SystemTime& time) {
    for (const std::uint16_t field :
         {time.year, time.month, time.day_of_week, time.day, time.hour, time.minute, time.second, time.milliseconds})
        append_u16(out, field);
}

/// Appends UTF-8 text as UTF-16 with a terminating NUL.
inline void append_utf16z(ByteBuffer& out, std::string_view text) {
    for (const char16_t unit : to_utf16(text)) append_u16(out, unit);
    append_u16(out, 0);
}

/// Appends zeros until the number of bytes after offset `start` is a multiple of 8.
inline void pad_to_8(ByteBuffer& out, std::size_t start = 0) {
    out.resize(start + ((out.size() - start + 7) & ~std::size_t{7}));
}

/// Overwrites the number at offset `at` of `out`. The number is a length or count that was not yet known when the bytes
/// after it were appended.
inline void patch_u32(std::span<std::byte> out, std::size_t at, std::uint32_t value) {
    std::ranges::copy(little_bytes(value), out.subspan(at, sizeof value).begin());
}
inline void patch_u64(std::span<std::byte> out, std::size_t at, std::uint64_t value) {
    std::ranges::copy(little_bytes(value), out.subspan(at, sizeof value).begin());
}

}  // namespace hkpd
