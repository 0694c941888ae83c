// Performance logs (.blg), as a stream of records.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "blg/blg.hpp"
#include "source/head_and_tail.hpp"
#include "source/record_stream.hpp"
#include "source/row_seek.hpp"

namespace hkpd {
namespace {

/// A log whose middle cannot be skipped is read whole up to this size, to find its last row.
constexpr std::uint64_t small_log = std::uint64_t{4} << 20U;

class LogRecords final : public RecordStream {
  public:
    explicit LogRecords(RecordInput input)
        : window_(std::move(input.window)), log_(window_, input.name, input.limits) {}

    void next(std::optional<Record>& record, const FaultSink& faults) override {
        if (at_middle_) {
            at_middle_ = false;
            is_after_middle_ = log_.skip_middle(rows_at_ends, guid_);
        }
        record = log_.next(faults);
        if (!record) return end();
        guid_ = record->log;
        if (skipped_ != nullptr) count(*record);
        if (!seek_.take(*record)) record.reset();
    }

    void seek(const Range& range, std::uint64_t first, const InputAgain& again, PassedSamples& passed) override {
        const auto find = [&](StreamWindow& window) { return log_.seek(window, guid_, range.from); };
        seek_.seek(find, range, first, again, passed);
    }

    std::optional<Source::Span> span(const InputAgain& /*again*/) override {
        const std::uint64_t size = window_.size().value_or(0);
        const auto first = next_timed_row(log_);
        if (!first) return std::nullopt;
        std::uint64_t begin = first->time, end = begin;
        constexpr std::uint32_t last_rows = 2;  // the last one may be incomplete
        if (!log_.skip_middle(last_rows, first->log) && size > small_log) return std::nullopt;
        while (const auto row = next_timed_row(log_)) {
            begin = std::min(begin, row->time);
            end = std::max(end, row->time);
        }
        return span_between(begin, end);
    }

    void skip_middle(std::uint64_t sample_above_bytes, Skipped& skipped, const FaultSink& /*faults*/) override {
        skipped_ = &skipped;
        before_middle_ = window_.size().value_or(0) > sample_above_bytes ? rows_at_ends : 0;
    }

  private:
    static constexpr std::uint32_t rows_at_ends = 4;  // that are read at each end

    /// Counts a record, and notes the times between which rows were skipped.
    void count(const Record& record) {
        if (record.kind != Record::Kind::log_row) return;
        const std::uint64_t time = record.time.value_or(0);
        if (std::exchange(is_after_middle_, false)) skipped_->parts.push_back({last_, time});
        last_ = time;
        if (before_middle_ != 0) at_middle_ = --before_middle_ == 0;
    }

    /// States what was skipped.
    void end() {
        const auto middle = skipped_ == nullptr ? std::nullopt : log_.skipped();
        if (!middle) return;
        skipped_->any = true;
        skipped_->log_rows += middle->count;
        skipped_->rows_estimated |= !middle->exact;
    }

    StreamWindow window_;
    LogStream log_;
    Guid guid_{};  // of the latest record
    RowSeek<LogStream> seek_{log_, &LogStream::count_rows};
    Skipped* skipped_ = nullptr;
    std::uint32_t before_middle_ = 0;  // rows to read before the middle
    bool at_middle_ = false;           // whether they were read just now
    bool is_after_middle_ = false;     // whether the next row is the first one after the middle
    std::uint64_t last_ = 0;           // time of the last row
};

}  // namespace

std::unique_ptr<RecordStream> open_log_records(RecordInput input) {
    return std::make_unique<LogRecords>(std::move(input));
}

}  // namespace hkpd
