// Passes over what lies outside a range in one input, and tells the times of an input without reading it whole.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "blg/blg.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/source.hpp"
#include "source/text_log.hpp"

namespace hkpd {

/// Returns the span of a capture with an index, a performance log or a text log, which begins at the beginning of a
/// stream that can seek. Returns none for any other input, and for one that would have to be read whole.
std::optional<Source::Span> span_of(std::istream& stream, const Limits& limits);

/// Passes over the parts of one input after another that lie outside a range.
class InputSeek {
  public:
    explicit InputSeek(const Limits& limits) noexcept : limits_(limits) {}

    /// A function that opens the current input again, at its beginning; returns null if that is impossible.
    using Again = std::function<std::unique_ptr<std::istream>()>;
    /// Begins an input. `stays`: whether `again` can be called when the input is no longer the current one.
    void begin(Again again, bool stays) {
        again_ = std::move(again);
        stays_ = stays;
        end_.reset();
        rows_passed_ = 0;
    }

    /// Makes a stream of the current input pass over what lies outside the range (`Source::seek`).
    void seek(CaptureReader& capture, const Range& range, std::uint64_t first) const;
    void seek(LogStream& log, const Guid& guid, const Range& range, std::uint64_t first);
    void seek(TextLogStream& log, const Range& range, std::uint64_t first);

    /// Sets `Record::passed` of a record that a stream has returned. Returns false if neither the record nor a later
    /// one of the input is in the range.
    template <class Rows>
    bool take(Rows& rows, Record& record) {
        if (record.kind != Record::Kind::log_row) return true;
        record.passed = rows.passed_rows();
        if (const std::uint64_t passed = std::exchange(rows_passed_, 0); passed != 0) record.passed = passed;
        return !end_ || !record.time || *record.time <= *end_;
    }

    /// Counts the rows that were passed over where a record stated `Record::uncounted`.
    std::uint64_t count_passed();

  private:
    template <class Rows, class Find, class Count>
    void seek_rows(Rows& rows, const Find& find, const Count& count, const Range& range, std::uint64_t first);

    const Limits& limits_;
    Again again_;
    bool stays_ = false;
    std::optional<std::uint64_t> end_;  // time of rows from which no later row is in the range
    std::uint64_t rows_passed_ = 0;     // that the next row states
    std::vector<std::function<std::uint64_t()>> uncounted_;
};

}  // namespace hkpd
