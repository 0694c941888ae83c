// Splits a text log into lines, and a line into cells. The text is read through a window, so that a log of any length
// needs the memory of its longest line only.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream_window.hpp"
#include "base/text/located_text.hpp"
#include "base/text/parse_number.hpp"
#include "hkpd/error.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/text_encoding.hpp"
#include "text_log/text_decoder.hpp"

namespace hkpd {

/// The lines of a text. Its parts may be in different encodings, as programs append them to one file: UTF-16 with or
/// without a byte order mark (PowerShell's `>`), UTF-8 or a code page (TextDecoder). A line ends at LF, CR LF, CR CR
/// LF or CR, at a zero byte, and where a part in another encoding begins. Zero bytes between lines are skipped.
class TextLines {
  public:
    /// Keeps references to the window, which must be at the beginning of the text, and to the limits. `stated`: the
    /// encoding of what no byte order mark precedes.
    TextLines(StreamWindow& window, const Limits& limits, const TextEncoding& stated = {});

    struct Line {
        std::uint64_t offset = 0;  ///< in the input
        std::uint64_t number = 0;  ///< from 1; 0 after `seek`
        std::string_view text;     ///< in UTF-8, without the end of the line; valid until the next call of `next`
    };
    /// Returns the next line; none at the end of the text. A line is at most a sixteenth of `Limits::bytes` long: a
    /// longer one is reported and ends the text.
    std::optional<Line> next(const FaultSink& faults);

    /// Calls `look` for each line that ends in the `most` bytes after the line returned last, without passing over it,
    /// until `look` returns false. Returns whether the text goes on after what was looked at. The text of the line
    /// returned last is no longer valid.
    bool look_ahead(std::uint64_t most, const std::function<bool(std::string_view)>& look);

    /// Returns the offset of the line that `next` returns next.
    std::uint64_t position() const noexcept { return window_.offset() + given_; }
    /// Returns the size of the input in bytes; none if it cannot seek.
    std::optional<std::uint64_t> size() { return window_.size(); }
    /// Makes `next` continue at an offset; in UTF-16, it becomes that of a whole character. Returns false if the input
    /// cannot seek.
    bool seek(std::uint64_t offset);

  private:
    /// The end of a line: its size, and the bytes between it and the next line.
    struct End {
        std::uint64_t size = 0, gap = 0;
        bool found = false;                 // false: the text ends
        bool is_ascii = true;               // whether no byte is above 0x7F
        bool is_padded = false;             // whether zero bytes follow
        std::optional<Encoding> changed{};  // the encoding of what follows the gap, if it is another
    };

    /// Begins in the middle of a text, with the encodings that are known of it.
    TextLines(StreamWindow& window, const TextLines& before)
        : window_(window), limits_(before.limits_), encoding_(before.encoding_), decoder_(before.decoder_) {}

    bool read_more(std::uint64_t have);
    Bytes ahead(std::uint64_t at, std::uint64_t size);
    std::optional<Encoding> encoding_at_zero(std::uint64_t at, std::uint64_t& begin);
    End find_end(std::uint64_t most);
    End find_wide_end(std::uint64_t most);
    void begin_line(const FaultSink& faults);
    void take_encoding(const Encoding& encoding, const FaultSink& faults);
    void skip_zeros(const FaultSink& faults);

    StreamWindow& window_;
    const Limits& limits_;
    Encoding encoding_{};
    std::uint64_t aligned_to_ = 0;  // offset at which the part in this encoding begins
    static constexpr std::uint64_t least_step = 4096, most_step = std::uint64_t{64} * 1024;
    std::uint64_t step_ = most_step;  // bytes to read at once; after `seek` at first few, because few lines may follow
    std::uint64_t given_ = 0;         // size in bytes of the line returned last, which is still in the window
    std::uint64_t number_ = 1;        // of the next line; 0: unknown
    std::optional<Encoding> changed_{};  // the encoding of the next line, if it is another
    bool is_padded_ = false;             // whether zero bytes follow the line returned last
    bool is_marked_ = false;             // whether a byte order mark of UTF-8 precedes this part
    bool ended_ = false;
    TextDecoder decoder_;
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
    /// Returns the next cell, which may refer to this object; none after the last. Blanks around a cell without quotes
    /// are not part of it.
    std::optional<Cell> next() &;

    struct Number {
        std::string_view text;
        double value = 0;
    };
    /// Returns the next cell if it has nothing but a finite number with a decimal point, as nearly all cells of a row.
    /// Returns none, and passes over nothing, for any other cell.
    std::optional<Number> next_number() noexcept;
    /// Returns whether all cells were returned.
    bool done() const noexcept { return done_; }

  private:
    Cell quoted();

    std::string_view rest_;
    char separator_;
    bool done_ = false;
    std::string unquoted_;  // text of a cell that contains doubled quotes
};

// In the header, as it is called for each value of a log.
inline std::optional<TextCells::Number> TextCells::next_number() noexcept {
    // The end of the number is that of the cell, so that its quote need not be found first.
    const std::size_t quote = rest_.starts_with('"') ? 1 : 0;
    std::string_view text = rest_;
    text.remove_prefix(quote);
    const auto [value, size] = leading_double(text);
    const std::size_t after = size + 2 * quote;
    if (size == 0 || after > rest_.size() || (quote != 0 && rest_[after - 1] != '"') ||
        (after != rest_.size() && rest_[after] != separator_) || !std::isfinite(value))
        return std::nullopt;
    text.remove_suffix(text.size() - size);
    const Number number{text, value};
    done_ = after == rest_.size();
    rest_.remove_prefix(done_ ? after : after + 1);
    return number;
}

}  // namespace hkpd
