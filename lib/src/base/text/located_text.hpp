// Text of a file before it is decoded: so that every string still knows the byte at which it stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hkpd/bytes.hpp"

namespace hkpd {

/// A Windows code page, and the byte order where that is 1200 (UTF-16).
struct Encoding {
    std::uint32_t page;
    ByteOrder order = ByteOrder::little;

    bool wide() const noexcept { return page == 1200; }
};

/// Part of a text, in units.
struct Piece {
    std::size_t begin, end;

    bool empty() const noexcept { return begin == end; }
    std::size_t size() const noexcept { return end - begin; }
};

/// A run of code units, two bytes each in UTF-16 and one in all others. Does not own.
class RawText {
  public:
    /// `places` has the input's offset of each byte where the bytes are no slice of the input; else it is empty.
    RawText(Bytes bytes, Encoding encoding, std::span<const std::uint64_t> places = {}) noexcept
        : bytes_(bytes), encoding_(encoding), places_(places) {}

    const Encoding& encoding() const noexcept { return encoding_; }
    std::size_t width() const noexcept { return encoding_.wide() ? 2 : 1; }
    std::size_t size() const noexcept { return bytes_.size() / width(); }
    std::uint32_t operator[](std::size_t unit) const noexcept;
    /// Where a unit stands in the input; for `size()`, its end.
    std::uint64_t offset(std::size_t unit) const noexcept;
    /// Whether a byte is left behind the last unit; it stands at `offset(size())`.
    bool odd_byte() const noexcept { return bytes_.size() % width() != 0; }

    /// The piece without spaces and tabs around it.
    Piece trimmed(Piece piece) const noexcept;
    /// Where a unit is first found in the piece; its end if it is not.
    std::size_t find(Piece piece, char unit) const noexcept;
    /// Whether the piece begins with this ASCII text, in any case.
    bool starts_with(Piece piece, std::string_view ascii) const noexcept;
    /// Appends a piece as UTF-8; false if that took a U+FFFD.
    bool append(std::string& out, Piece piece) const;

  private:
    Bytes bytes_;
    Encoding encoding_;
    std::span<const std::uint64_t> places_;
};

/// A file's text without its byte order mark.
struct FileText {
    RawText text;
    std::optional<std::uint64_t> not_utf8;  ///< where it stops being UTF-8, if that is why it is read as Windows-1252
};

/// Finds out how a file's text is encoded: by its mark, by its zero bytes, or by what is valid.
FileText open_text(Bytes input) noexcept;

/// Whether bytes begin like this.
bool starts_with(Bytes input, std::string_view start) noexcept;

/// Cuts a text at each separator: NUL, or line feed, where a carriage return before it goes too. What is behind the
/// last separator is a piece of its own, unless it is empty.
class Splitter {
  public:
    Splitter(const RawText& text, char separator) noexcept : text_(&text), separator_(separator) {}

    std::optional<Piece> next() noexcept;
    /// Where the next piece begins.
    std::size_t position() const noexcept { return position_; }

  private:
    const RawText* text_;
    char separator_;
    std::size_t position_ = 0;
};

/// The value of a hexadecimal digit; nothing for other units.
std::optional<std::uint8_t> hex_digit(std::uint32_t unit) noexcept;

/// ASCII letters in lower case; the rest as it is.
std::string lower_case(std::string_view text);

}  // namespace hkpd
