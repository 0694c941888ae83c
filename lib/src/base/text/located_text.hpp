// Text of a file in its original encoding. Pieces of the text are decoded one by one, so that the file offset of every
// string is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hkpd/bytes.hpp"

namespace hkpd {

/// A Windows code page and, if the page is 1200 (UTF-16), the byte order.
struct Encoding {
    std::uint32_t page;
    ByteOrder order = ByteOrder::little;

    bool wide() const noexcept { return page == 1200; }
};

/// Part of a text: from the code unit at position `begin` up to, but not including, the code unit at position `end`.
struct Piece {
    std::size_t begin, end;

    bool empty() const noexcept { return begin == end; }
    std::size_t size() const noexcept { return end - begin; }
};

/// A view of a text as code units. A unit has two bytes in UTF-16 and one byte in all other encodings.
class RawText {
  public:
    /// Constructs a view. `places` contains, for each byte of `bytes`, the offset of the byte in the input. If `bytes`
    /// is a slice of the input, `places` is empty, because the offsets then follow from `Bytes::offset`.
    RawText(Bytes bytes, Encoding encoding, std::span<const std::uint64_t> places = {}) noexcept
        : bytes_(bytes), encoding_(encoding), places_(places) {}

    const Encoding& encoding() const noexcept { return encoding_; }
    std::size_t width() const noexcept { return encoding_.wide() ? 2 : 1; }
    std::size_t size() const noexcept { return bytes_.size() / width(); }
    std::uint32_t operator[](std::size_t unit) const noexcept;
    /// Returns the offset of a unit in the input. For unit `size()`, returns the offset after the last unit.
    std::uint64_t offset(std::size_t unit) const noexcept;
    /// Returns whether one byte follows the last unit: half of another UTF-16 unit. Its offset is `offset(size())`.
    bool odd_byte() const noexcept { return bytes_.size() % width() != 0; }

    /// Returns the piece without leading and trailing spaces and tabs.
    Piece trimmed(Piece piece) const noexcept;
    /// Returns the position of the first unit in the piece that equals `unit`, or the piece's end.
    std::size_t find(Piece piece, char unit) const noexcept;
    /// Returns whether the piece begins with this ASCII text, ignoring case.
    bool starts_with(Piece piece, std::string_view ascii) const noexcept;
    /// Appends a piece as UTF-8. Returns false if U+FFFD replaced anything.
    bool append(std::string& out, Piece piece) const;

  private:
    Bytes bytes_;
    Encoding encoding_;
    std::span<const std::uint64_t> places_;
};

/// A file's text without its byte order mark.
struct FileText {
    RawText text;
    /// If the text is read as Windows-1252 because it is not valid UTF-8: offset of its first byte that is not valid
    /// UTF-8. None for text in all other encodings.
    std::optional<std::uint64_t> not_utf8;
};

/// Returns a file's text without its byte order mark. Detects the encoding by the byte order mark, by zero bytes, or by
/// whether the text is valid UTF-8.
FileText open_text(Bytes input) noexcept;

/// Returns whether the bytes begin with `start`.
bool starts_with(Bytes input, std::string_view start) noexcept;

/// An iteration over the pieces of a text between its separators. The separator is NUL or line feed. A carriage return
/// before a line feed is not part of the piece. The text after the last separator is a piece unless it is empty.
class Splitter {
  public:
    Splitter(const RawText& text, char separator) noexcept : text_(&text), separator_(separator) {}

    std::optional<Piece> next() noexcept;
    /// Returns the position of the next piece.
    std::size_t position() const noexcept { return position_; }

  private:
    const RawText* text_;
    char separator_;
    std::size_t position_ = 0;
};

/// Returns the value of a hexadecimal digit; none if the code unit is not a hexadecimal digit.
std::optional<std::uint8_t> hex_digit(std::uint32_t unit) noexcept;

/// Returns the text with ASCII letters in lower case.
std::string lower_case(std::string_view text);

}  // namespace hkpd
