// Decodes the lines of a text log to UTF-8, and reports in which encoding they were read and what was lost.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/located_text.hpp"
#include "hkpd/bytes.hpp"
#include "hkpd/error.hpp"
#include "hkpd/text_encoding.hpp"

namespace hkpd {

/// Returns the ANSI or OEM code page of a text log, guessed from its first line, whose bytes are not UTF-8: the page in
/// which most names of objects and counters are known in some language, else that of the language of the time zone,
/// else 1252. A byte that the page does not have speaks against it.
std::uint32_t guess_code_page(std::string_view first_line);

/// The place of a line, for faults.
struct LinePlace {
    std::uint64_t offset = 0;  ///< in the input
    std::uint64_t number = 0;  ///< from 1; 0 if it is unknown
};

/// Decodes lines. Text that is not UTF-16 may be UTF-8 in one line and text of a code page in another: parts that
/// were appended by different programs. The code page is guessed anew for each first line of a log.
class TextDecoder {
  public:
    /// `stated`: the encoding of all that is neither UTF-16 nor marked, if it need not be guessed.
    explicit TextDecoder(TextEncoding stated = {}) : stated_(std::move(stated)) {}

    /// Facts about a line.
    struct Known {
        Encoding encoding{};     ///< UTF-16, or UTF-8 for any other
        bool is_ascii = false;   ///< no byte is above 0x7F; not used for UTF-16
        bool is_marked = false;  ///< a byte order mark states that it is UTF-8
    };
    /// Returns a line as UTF-8. Reports the encoding of the first line that is not ASCII, every other encoding
    /// after it, and bytes that are no characters. The result refers to `bytes` or to this object, until the next call.
    std::string_view decode(Bytes bytes, const Known& known, const LinePlace& place, const FaultSink& faults);
    /// Takes over the code page that another decoder has guessed, if both are in a log with the same first line.
    void learn(const TextDecoder& other) {
        if (guessed_ == 0 && head_ == other.head_) guessed_ = other.guessed_;
    }
    /// Reports that a part in another encoding begins. `page`: UTF-8 for a part whose bytes decide later.
    void change(std::uint32_t page, const LinePlace& place, const FaultSink& faults);

  private:
    bool append_in(std::uint32_t page, Bytes bytes, ByteOrder order);
    std::uint32_t page_of(std::string_view line);
    void note(std::uint32_t page, const LinePlace& place, const FaultSink& faults);

    TextEncoding stated_;
    std::uint32_t guessed_ = 0;  // code page of the current log's lines that are not UTF-8; 0: not guessed
    std::uint32_t noted_ = 0;    // code page that was reported last; 0: none
    std::string head_;           // beginning of the current log's first line, as bytes
    std::string text_;
};

}  // namespace hkpd
