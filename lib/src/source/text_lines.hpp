// Splits a text log into lines, and a line into cells. The text is read through a window, so that a log of any length
// needs the memory of its longest line only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream_window.hpp"
#include "base/text/located_text.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"

namespace hkpd {

/// The lines of a text in UTF-8, UTF-16 (as PowerShell's `>` writes it) or the code page Windows-1252.
class TextLines {
  public:
    /// Keeps references to the window, which must be at the beginning of the text, and to the limits.
    TextLines(StreamWindow& window, const Limits& limits);

    struct Line {
        std::uint64_t offset = 0;  ///< in the input
        std::string_view text;     ///< without the end of the line; valid until the next call of `next`
    };
    /// Returns the next line; none at the end of the text. A line is at most a sixteenth of `Limits::bytes` long: a
    /// longer one is reported and ends the text. `text` is UTF-8, or bytes of a code page whose ASCII part is ASCII.
    std::optional<Line> next(const FaultSink& faults);

    /// Calls `look` for each line that ends in the `most` bytes after the line returned last, without passing over it,
    /// until `look` returns false. Returns whether the text goes on after what was looked at. The text of the line
    /// returned last is no longer valid.
    bool look_ahead(std::uint64_t most, const std::function<bool(std::string_view)>& look);

    /// Returns the offset of the line that `next` returns next.
    std::uint64_t position() const noexcept { return window_.offset() + given_; }
    /// Makes `next` continue at an offset; after the mark at the beginning, it becomes that of a whole character.
    /// Returns false if the input cannot seek.
    bool seek(std::uint64_t offset);

    /// Returns the line's text as UTF-8. Text that is not UTF-8 is read as Windows-1252. Valid until the next call.
    std::string_view decoded(const Line& line);

    /// Returns the encoding with which the beginning of a text is marked: UTF-16 with or without a byte order mark,
    /// otherwise UTF-8. Sets `mark` to the size of the mark in bytes.
    static Encoding encoding_of(Bytes beginning, std::size_t& mark) noexcept;

  private:
    /// Begins in the middle of a text.
    TextLines(StreamWindow& window, const Limits& limits, const Encoding& encoding) noexcept
        : window_(window), limits_(limits), encoding_(encoding) {}

    /// Returns the size in bytes of the line at the front of the window, and sets `ended` if its end was found.
    std::uint64_t find_end(bool& ended, std::uint64_t most);

    StreamWindow& window_;
    const Limits& limits_;
    Encoding encoding_{};
    static constexpr std::uint64_t least_step = 4096, most_step = std::uint64_t{64} * 1024;
    std::uint64_t step_ = most_step;  // bytes to read at once; after `seek` at first few, because few lines may follow
    std::uint64_t given_ = 0;         // size in bytes of the line returned last, which is still in the window
    bool ended_ = false;
    std::string text_, decoded_;
};

/// The cells of a line. A cell in double quotes ends at a quote that a separator or the end of the line follows. In the
/// cell, a doubled quote is one quote (RFC 4180), and a single quote that no separator follows is part of the text: PDH
/// does not double the quotes in names of instances.
class TextCells {
  public:
    /// The line must outlive the object.
    TextCells(std::string_view line, char separator) noexcept : rest_(line), separator_(separator) {}

    struct Cell {
        std::string_view text;  ///< valid until the next call of `next`
        bool closed = true;     ///< false if the line ends before the closing quote of the cell
    };
    /// Returns the next cell; none after the last. Blanks around a cell without quotes are not part of it.
    std::optional<Cell> next();
    /// Returns whether all cells were returned.
    bool done() const noexcept { return done_; }

  private:
    Cell quoted();

    std::string_view rest_;
    char separator_;
    bool done_ = false;
    std::string unquoted_;  // text of a cell that contains doubled quotes
};

/// Returns the text of a cell without blanks around it.
std::string_view trimmed_cell(std::string_view text) noexcept;

}  // namespace hkpd
