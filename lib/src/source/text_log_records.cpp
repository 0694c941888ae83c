// Text logs (CSV and TSV), as a stream of records.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "source/head_and_tail.hpp"
#include "source/record_stream.hpp"
#include "source/row_seek.hpp"
#include "text_log/text_log.hpp"

namespace hkpd {
namespace {

/// Longest end of a text log that is searched for a row.
constexpr std::uint64_t most_searched = std::uint64_t{16} << 20U;

class TextLogRecords final : public RecordStream {
  public:
    explicit TextLogRecords(RecordInput input)
        : limits_(input.limits),
          window_(std::move(input.window)),
          log_(window_, limits_, std::move(input.zone), input.encoding) {}

    void next(std::optional<Record>& record, const FaultSink& faults) override {
        if (std::exchange(at_middle_, false)) {
            const auto skipped = log_.skip_middle(std::max(least_end, rows_at_ends * (last_offset_ - first_offset_)));
            skipped_bytes_ = skipped.value_or(0);
            is_after_middle_ = skipped.has_value();
        }
        record = log_.next(faults);
        if (skipped_ != nullptr) count(record);
        if (record && !seek_.take(*record)) record.reset();
    }

    void seek(const Range& range, std::uint64_t first, const InputAgain& again, PassedSamples& passed) override {
        const auto find = [&](StreamWindow& window) { return log_.seek(window, range.from); };
        seek_.seek(find, range, first, again, passed);
    }

    std::optional<Source::Span> span(const InputAgain& again) override {
        const auto first = next_timed_row(log_);
        if (!first) return std::nullopt;
        const auto stream = again();
        if (!stream) return std::nullopt;
        StreamWindow window(*stream);
        const auto last = log_.last_time(window, most_searched);
        if (!last || *last < 0) return std::nullopt;
        const std::uint64_t begin = first->time, end = static_cast<std::uint64_t>(*last);
        return span_between(std::min(begin, end), std::max(begin, end));
    }

    void skip_middle(std::uint64_t sample_above_bytes, Skipped& skipped, const FaultSink& /*faults*/) override {
        skipped_ = &skipped;
        before_middle_ = window_.size().value_or(0) > sample_above_bytes ? rows_at_ends : 0;
    }

  private:
    static constexpr std::uint64_t rows_at_ends = 4, least_end = std::uint64_t{64} << 10U;

    /// Counts a record, and notes the times between which rows were skipped. States at the end how many were, from the
    /// lengths of those that were read.
    void count(const std::optional<Record>& record) {
        if (!record) {
            if (skipped_bytes_ == 0) return;
            const std::uint64_t read = window_.size().value_or(0) - first_offset_ - skipped_bytes_;
            skipped_->any = skipped_->rows_estimated = true;
            skipped_->log_rows += static_cast<std::uint64_t>(static_cast<double>(skipped_bytes_) *
                                                             static_cast<double>(rows_) / static_cast<double>(read));
            skipped_bytes_ = 0;
            return;
        }
        if (record->kind != Record::Kind::log_row) return;
        const std::uint64_t time = record->time.value_or(0);
        if (std::exchange(is_after_middle_, false)) skipped_->parts.push_back({last_, time});
        last_ = time;
        last_offset_ = record->bytes.offset();
        if (rows_++ == 0) first_offset_ = last_offset_;
        if (before_middle_ != 0) at_middle_ = --before_middle_ == 0;
    }

    const Limits& limits_;
    StreamWindow window_;
    TextLogStream log_;
    RowSeek<TextLogStream> seek_{log_, [limits = limits_](StreamWindow& window, std::uint64_t end) {
                                     return TextLogStream::count_rows(window, limits, end);
                                 }};
    Skipped* skipped_ = nullptr;
    std::uint64_t before_middle_ = 0;  // rows to read before the middle
    bool at_middle_ = false;           // whether they were read just now
    bool is_after_middle_ = false;     // whether the next row is the first one after the middle
    std::uint64_t rows_ = 0, first_offset_ = 0, last_offset_ = 0, skipped_bytes_ = 0;
    std::uint64_t last_ = 0;  // time of the last row
};

}  // namespace

std::unique_ptr<RecordStream> open_text_log_records(RecordInput input) {
    return std::make_unique<TextLogRecords>(std::move(input));
}

}  // namespace hkpd
