// Reads registry exports, the files that `reg export` and regedit write, one value after another. The file offset of
// each part of an export is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/text/located_text.hpp"

namespace hkpd {

/// Types of registry values that hkpd reads (winnt.h). The `RegistryType` of a value written as `hex(N):` in the export
/// is N, even if no enumerator has the value N.
enum class RegistryType : std::uint8_t {
    unknown = 0xFF,  ///< no valid value follows the name
    string = 1,
    expand_string = 2,
    binary = 3,
    dword = 4,
    multi_string = 7,
};

/// A value in the export, as pieces of the export's text.
struct RegistryValue {
    Piece name;         ///< between the quotes; empty for a key's default value
    std::size_t begin;  ///< position of the data, after the `=`
    RegistryType type;
    bool hexadecimal;  ///< written as bytes: `hex:`, `hex(2):`
    Piece data;        ///< the part of the first line after the type
};

/// Bytes of a value that was written in hexadecimal. `places` has the offset of each byte in the input. If a byte
/// of a character is unreadable, the character becomes U+FFFD (in 8-bit text `?`), so that all other characters keep
/// their positions.
struct HexBytes {
    std::vector<std::byte> bytes;
    std::vector<std::uint64_t> places;
    std::vector<std::uint64_t> faults;  ///< offsets of errors, including unreadable bytes
};

/// Returns whether the text begins with the first line of a registry export.
bool is_registry_export(const RawText& text) noexcept;

/// A reader that goes through an export once, in linear time. It does not own the text.
class RegistryExport {
  public:
    enum class Step : std::uint8_t { key, value, end };

    explicit RegistryExport(const RawText& text) noexcept;

    /// Advances to the next key or value, and skips comments and all other lines. Returns whether the reader is now at
    /// a key (`key`), at a value (`value`), or at the end of the export (`end`).
    Step next() noexcept;
    /// Returns the path of the current key without its brackets; empty before the first key, and if the current key is
    /// malformed or marked for removal (`[-HKEY...]`).
    Piece key() const noexcept { return key_; }
    const RegistryValue& value() const noexcept { return value_; }

    const RawText& text() const noexcept { return *text_; }
    /// Returns a piece as UTF-8 with ASCII letters in lower case, because the registry ignores case in names.
    std::string lower(Piece piece) const;
    /// Returns whether strings that are written as bytes are in an ANSI code page (in files that begin with `REGEDIT4`)
    /// and not in UTF-16.
    bool ansi() const noexcept { return ansi_; }

    /// Returns the bytes of the current value, including those on continuation lines. Must be called only if
    /// `RegistryValue::hexadecimal` is true for this value.
    HexBytes hex();
    /// Returns the current value as a number; none if the value is not a `dword` or the number is not valid.
    std::optional<std::uint32_t> number();
    /// Returns the current value as UTF-8, up to its NUL; none if the value is damaged, or is neither a `string` nor an
    /// `expand_string`.
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
