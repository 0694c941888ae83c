// Passes over what lies outside a range in one input, and finds the times of an input without reading it whole.
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
        if (!end_ || !record.time || *record.time <= *end_) return true;
        end_rows(rows.rows() - 1, rows.sought());
        return false;
    }

    /// Ends a capture, which may have passed over samples at its end: the first record of the next input states them.
    void end(const CaptureReader& capture);
    /// Sets `Record::passed` of the first record after the end of an input.
    void take_first(Record& record) {
        if (const std::uint64_t passed = std::exchange(tail_passed_, 0); passed != 0) record.passed = passed;
    }

    /// Counts the samples that were passed over where a record stated `Record::uncounted`.
    std::uint64_t count_passed();

  private:
    using Count = std::function<std::uint64_t(StreamWindow&, std::uint64_t)>;
    template <class Rows, class Find>
    void seek_rows(Rows& rows, const Find& find, Count count, const Range& range, std::uint64_t first);
    void end_rows(std::uint64_t rows, std::uint64_t sought);
    std::uint64_t later(std::function<std::uint64_t()> count);

    const Limits& limits_;
    Again again_;
    bool stays_ = false;
    std::optional<std::uint64_t> end_;  // time of rows from which no later row is in the range
    Count count_rows_;                  // counts the rows in the first bytes of the input
    std::uint64_t rows_before_ = 0;     // rows that were read before the stream passed over others
    std::uint64_t rows_passed_ = 0;     // that the next row states
    std::uint64_t tail_passed_ = 0;     // that the first record of the next input states
    std::vector<std::function<std::uint64_t()>> uncounted_;
};

}  // namespace hkpd
