// Bytes that a test writes and damages, one integer at a time, in either byte order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blob {

enum class Endian : std::uint8_t { little, big };

constexpr std::size_t round_up(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

/// Returns UTF-16 as bytes.
inline std::string utf16(std::u16string_view text, Endian endian = Endian::little) {
    std::string bytes;
    for (const char16_t unit : text) {
        const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
        bytes += endian == Endian::little ? low : high;
        bytes += endian == Endian::little ? high : low;
    }
    return bytes;
}

class ByteBuffer {
  public:
    explicit ByteBuffer(Endian endian = Endian::little) : endian_(endian) {}

    std::span<const std::byte> bytes() const { return bytes_; }
    std::size_t size() const { return bytes_.size(); }

    void put8(std::size_t at, std::uint8_t value) { put(at, value, 1); }
    void put16(std::size_t at, std::uint16_t value) { put(at, value, 2); }
    void put32(std::size_t at, std::uint32_t value) { put(at, value, 4); }
    void put64(std::size_t at, std::uint64_t value) { put(at, value, 8); }
    void put_bytes(std::size_t at, std::span<const std::byte> bytes) {
        std::ranges::copy(bytes, std::span(bytes_).subspan(at, bytes.size()).begin());
    }
    std::uint32_t get32(std::size_t at) const {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < 4; ++i)
            value |= std::to_integer<std::uint32_t>(bytes_.at(at + i)) << (8 * place(i, 4));
        return value;
    }
    /// Adds to the u32 at `at`, modulo 2^32.
    void add32(std::size_t at, std::uint32_t more) { put32(at, get32(at) + more); }
    void fill(std::size_t at, std::size_t length, std::uint8_t value) {
        for (std::size_t i = 0; i < length; ++i) put8(at + i, value);
    }
    void truncate(std::size_t size) { bytes_.resize(std::min(size, bytes_.size())); }
    void append(std::span<const std::byte> more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }

    void grow(std::size_t length) { bytes_.resize(bytes_.size() + length); }
    /// Appends zeros up to a multiple of 8.
    void pad() { grow(round_up(size(), 8) - size()); }
    /// Appends integers of `width` bytes each.
    template <class... T>
    void integers(std::size_t width, T... values) {
        const auto one = [&](std::uint64_t value) {
            grow(width);
            put(size() - width, value, width);
        };
        (one(static_cast<std::uint64_t>(values)), ...);
    }
    void string(std::string_view bytes) {
        for (const char c : bytes) bytes_.push_back(static_cast<std::byte>(c));
    }

    /// Writes an integer of `width` bytes; those beyond 8 are zero.
    void put(std::size_t at, std::uint64_t value, std::size_t width) {
        for (std::size_t i = 0; i < width; ++i)
            bytes_.at(at + i) =
                place(i, width) < 8 ? static_cast<std::byte>(value >> (8 * place(i, width)) & 0xFF) : std::byte{0};
    }

  protected:
    /// Inserts `length` stray bytes at `at`.
    void insert_bytes(std::size_t at, std::size_t length, std::uint8_t value) {
        bytes_.insert(bytes_.begin() + static_cast<std::ptrdiff_t>(at), length, static_cast<std::byte>(value));
    }

  private:
    /// Returns the significance of byte `i` of an integer.
    std::size_t place(std::size_t i, std::size_t width) const { return endian_ == Endian::little ? i : width - 1 - i; }

    Endian endian_;
    std::vector<std::byte> bytes_;
};

}  // namespace blob
