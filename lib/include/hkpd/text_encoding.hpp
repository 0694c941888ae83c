// The encoding of text logs, as a caller states it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hkpd {

/// An encoding whose first 128 characters are ASCII, or UTF-16.
class TextEncoding {
  public:
    /// Constructs one that is not stated: it is guessed from the text.
    TextEncoding() = default;

    /// Returns the encoding of a name: `utf-8`, `utf-16le`, `utf-16be`, a code page (`1251`, `cp866`, `windows-1250`),
    /// or any other name that the system's converter knows (`koi8-r`, `iso-8859-2`, `gb18030`): iconv, or Windows' code
    /// pages. Case is ignored. Returns none if the name is unknown, or its first characters are not ASCII.
    static std::optional<TextEncoding> parse(std::string_view name);

    bool is_stated() const noexcept { return !name_.empty(); }
    /// Returns the number of the code page; 1200 and 1201 are UTF-16, 65001 is UTF-8. 0 if it has none.
    std::uint32_t page() const noexcept { return page_; }

    /// Appends text of a stated encoding as UTF-8. U+FFFD replaces each invalid byte. Returns whether all were valid.
    bool append(std::string& out, std::span<const std::byte> bytes) const;

  private:
    std::string name_;  // as the system's converter knows it, if there is no page
    std::uint32_t page_ = 0;
};

}  // namespace hkpd
