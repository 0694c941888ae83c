// Passes over the rows of a log that lie outside a range: binary logs and text logs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "blg/blg.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/record.hpp"
#include "source/passed_samples.hpp"
#include "source/record_stream.hpp"

namespace hkpd {

/// A row of a log, with the id of the log.
struct TimedRow {
    std::uint64_t time = 0;
    Guid log;
};

/// Returns the next row that has a time; none at the end.
template <class Rows>
std::optional<TimedRow> next_timed_row(Rows& rows) {
    while (const auto record = rows.next({}))
        if (record->kind == Record::Kind::log_row && record->time) return TimedRow{*record->time, record->log};
    return std::nullopt;
}

/// Makes a stream of rows pass over those outside a range. `Rows` is `LogStream` or `TextLogStream`.
template <class Rows>
class RowSeek {
  public:
    /// Counts the rows in the first bytes of an input.
    using Count = std::function<std::uint64_t(StreamWindow& window, std::uint64_t end)>;

    /// Keeps a reference to `rows`.
    RowSeek(Rows& rows, Count count) : rows_(rows), count_(std::move(count)) {}

    /// Passes over rows (`RecordStream::seek`). `find` moves `rows` to the beginning of the range in a window on the
    /// whole input, and returns the bytes passed over; none if it cannot.
    template <class Find>
    void seek(const Find& find, const Range& range, std::uint64_t first, const InputAgain& again,
              PassedSamples& passed) {
        // The last row before the range is read, also if it is the last one of the input.
        if (const std::uint64_t before = range.first - std::min(range.first, first); before > rows_.rows() + 1)
            pass_to(before - 1, again);
        if (!range.has_time()) return;
        const auto stream = again();
        if (!stream) return;
        before_ = rows_.rows();
        StreamWindow window(*stream);
        const std::optional<std::uint64_t> bytes = find(window);
        if (!bytes) return;
        again_ = again;
        samples_ = &passed;
        constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();
        if (range.to < latest - LogStream::disorder)
            end_ = static_cast<std::uint64_t>(std::max<std::int64_t>(range.to + LogStream::disorder, 0));
        if (*bytes == 0) return;
        passed_ = passed.count_later(again.stays, [again, counted = count_, before = before_, end = rows_.sought()] {
            const std::uint64_t up_to_end = count_up_to(again, counted, end);
            return up_to_end - std::min(up_to_end, before);
        });
    }

    /// Sets `Record::passed` of a record that the stream has returned. Returns false if neither the record nor a later
    /// one of the input is in the range.
    bool take(Record& record) {
        if (record.kind != Record::Kind::log_row) return true;
        record.passed = rows_.passed_rows();
        if (const std::uint64_t passed = std::exchange(passed_, 0); passed != 0) record.passed = passed;
        if (!end_ || !record.time || *record.time <= *end_) return true;
        end_rows();
        return false;
    }

  private:
    /// Passes over the rows before row `row`, or before the last one if there are fewer.
    void pass_to(std::uint64_t row, const InputAgain& again) {
        const auto sought = again();
        if (!sought) return;
        StreamWindow window(*sought);
        if (rows_.seek_row(window, row)) return;
        const std::uint64_t all = count_up_to(again, count_, std::numeric_limits<std::uint64_t>::max());
        const std::uint64_t last = std::min(row, all - std::min<std::uint64_t>(all, 1));
        if (last > rows_.rows()) rows_.pass_rows(last - rows_.rows());
    }

    static std::uint64_t count_up_to(const InputAgain& again, const Count& count, std::uint64_t end) {
        const auto stream = again();
        if (!stream) return 0;
        StreamWindow window(*stream);
        return count(window, end);
    }

    /// Ends the input at a row that is not read. The rows up to it were read, or passed over up to the offset that was
    /// sought.
    void end_rows() {
        const auto rest = [again = again_, counted = count_, known = rows_.rows() - 1, sought = rows_.sought(),
                           before = before_] {
            const std::uint64_t all = count_up_to(again, counted, std::numeric_limits<std::uint64_t>::max());
            const std::uint64_t passed = sought == 0 ? before : std::max(count_up_to(again, counted, sought), before);
            return all - std::min(all, known + (passed - before));
        };
        samples_->end_input(samples_->count_later(again_.stays, rest));
    }

    Rows& rows_;
    Count count_;
    InputAgain again_;
    PassedSamples* samples_ = nullptr;
    std::optional<std::uint64_t> end_;  // time of rows from which no later row is in the range
    std::uint64_t before_ = 0;          // rows that were read before the stream passed over others
    std::uint64_t passed_ = 0;          // what the next row states
};

}  // namespace hkpd
