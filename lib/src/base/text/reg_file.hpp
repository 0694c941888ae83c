// What `reg export` and regedit write, value by value, with the place in the input of everything that is in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/located_text.hpp"

namespace hkpd {

/// The types of values that are of use here (winnt.h); the number in `hex(7):`, which may be another one.
enum class RegistryType : std::uint8_t {
    unknown = 0xFF,  ///< what is behind the name is no value at all
    string = 1,
    expand_string = 2,
    binary = 3,
    dword = 4,
    multi_string = 7,
};

/// A value as it stands in the export. Pieces of the export's text.
struct RegistryValue {
    Piece name;         ///< between the quotes; empty for a key's default value
    std::size_t begin;  ///< where what is assigned to it begins
    RegistryType type;
    bool hexadecimal;  ///< written as bytes: `hex:`, `hex(2):`
    Piece data;        ///< on its first line, behind the word for the type
};

/// Bytes that were written in hexadecimal, and where each stands in the input. U+FFFD (in 8-bit text `?`) stands where
/// a byte could not be read, so that all others keep their places.
struct HexBytes {
    std::vector<std::byte> bytes;
    std::vector<std::uint64_t> places;
    std::vector<std::uint64_t> faults;  ///< places of what is wrong, of bytes that could not be read among them
};

/// Whether the text begins as a registry export does.
bool is_registry_export(const RawText& text) noexcept;

/// Goes through an export once, in time proportional to it. Does not own the text.
class RegistryExport {
  public:
    enum class Step : std::uint8_t { key, value, end };

    explicit RegistryExport(const RawText& text) noexcept;

    /// Goes on to the next key or value. Comments and lines that are neither are passed over.
    Step next() noexcept;
    /// The path of the key at hand, without its brackets; empty before the first, and for one that is not well formed
    /// or taken away (`[-HKEY...]`).
    Piece key() const noexcept { return key_; }
    const RegistryValue& value() const noexcept { return value_; }

    const RawText& text() const noexcept { return *text_; }
    /// A piece as UTF-8 in lower case (ASCII's), as the registry compares names.
    std::string lower(Piece piece) const;
    /// Whether strings that are written as bytes are ANSI ones (`REGEDIT4`), and not UTF-16.
    bool ansi() const noexcept { return ansi_; }

    /// The bytes of a value at hand that is `hexadecimal`, with the lines on which it goes on.
    HexBytes hex();
    /// The value at hand as a number; none where it is no `dword`, or no number that has 32 bits.
    std::optional<std::uint32_t> number();
    /// The value at hand as UTF-8, up to its NUL; none where it is no `string` or `expand_string`, or is damaged.
    std::optional<std::string> string();

  private:
    RegistryValue value_of(Piece line) const noexcept;
    bool read_hex_line(Piece line, HexBytes& hex) const;
    void read_token(Piece token, HexBytes& hex) const;
    std::optional<Piece> continuation() noexcept;
    std::optional<std::string> quoted_string() const;

    const RawText* text_;
    Splitter lines_;
    bool ansi_;
    Piece key_{0, 0};
    RegistryValue value_{};
};

}  // namespace hkpd
