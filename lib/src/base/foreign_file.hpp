// What a file is that has no performance data: one table of signatures, so that each such file is named for what it is,
// with what would help.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"

namespace hkpd {

/// A kind of file without performance data.
struct ForeignFile {
    std::string_view name;      ///< `Error::structure` of its fault
    std::string_view sentence;  ///< what it is, and what would help; the message of its fault
    /// Bytes by which the file is recognised: those of a binary file are at `offset`, those of a text, in lower case,
    /// anywhere in its beginning, or at its begin. Empty for kinds that are recognised otherwise.
    std::string_view mark{};
    enum class Where : unsigned char { binary, text_begin, text } where = Where::binary;
    std::size_t offset = 0;
};

/// Number of bytes at the beginning of a file from which it is recognised.
inline constexpr std::size_t foreign_beginning = std::size_t{8} * 1024;

/// Returns what a file with this beginning is, if it has no performance data. The formats of inputs must have been
/// compared before.
const ForeignFile& foreign_file(Bytes beginning);

/// Names of kinds that are not recognised by a mark.
/// @{
inline constexpr std::string_view empty_file = "empty file", zero_bytes = "zero bytes", unknown_bytes = "unknown bytes",
                                  plain_text = "text without a counter path",
                                  get_counter_output = "output of Get-Counter",
                                  empty_directory = "directory without performance data", v2_file = "V2 (PerfLib) data",
                                  title_file = "title database", no_title_file = "file without titles",
                                  no_v2_file = "file without V2 (PerfLib) data";
/// @}

/// Returns whether performance data may follow what looks like a file of this kind.
constexpr bool may_have_blocks(std::string_view name) noexcept {
    return name == zero_bytes || name == plain_text || name == unknown_bytes;
}

/// Returns the fault of a file that is of this kind; `name` must be a name of the table.
constexpr Error foreign_error(std::string_view name) noexcept { return {Errc::foreign_file, 0, name, "", 0, 0}; }

/// Returns the fault of an input of which a certain content was expected, and not found. `beginning`: that of the file.
/// `expected`: the kind (`no_title_file`, `no_v2_file`) that states what was expected, for texts. None if the bytes may
/// be damaged content.
std::optional<Error> foreign_in_place_of(Bytes beginning, std::string_view expected);

/// Returns the message for a kind; empty if the table has no such name.
std::string_view foreign_sentence(std::string_view name) noexcept;

}  // namespace hkpd
