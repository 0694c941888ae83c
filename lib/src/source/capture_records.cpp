// Captures, as a stream of records.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "hkpd/capture.hpp"
#include "source/head_and_tail.hpp"
#include "source/passed_samples.hpp"
#include "source/record_stream.hpp"

namespace hkpd {
namespace {

class CaptureRecords final : public RecordStream {
  public:
    explicit CaptureRecords(RecordInput input) : limits_(input.limits), capture_(std::move(input.window), limits_) {}

    void next(std::optional<Record>& record, const FaultSink& faults) override {
        // When `CaptureReader::next` reads a record, it also reads the metadata before this record. The metadata is
        // returned first, as provenance records.
        if (held_) {
            record = std::exchange(held_, std::nullopt);
        } else if (!ended_) {
            record = capture_.next(faults);
            ended_ = !record;
        }
        if (stated_ < capture_.metadata().size()) {
            const CaptureInfo::MetadataRecord& stated = capture_.metadata()[stated_++];
            held_ = record;
            record.emplace(Record::Kind::provenance, Bytes(), faults.place());
            record->name = stated.name;
            record->entries = &stated.entries;
        }
        if (!record) return end();
        if (middle_) count(*record, *middle_);
    }

    void seek(const Range& range, std::uint64_t first, const InputAgain& again, PassedSamples& passed) override {
        const auto stream = again();
        if (!stream || !capture_.seek(*stream, range, first)) return;
        again_ = again;
        passed_ = &passed;
    }

    std::optional<Source::Span> span(const InputAgain& again) override {
        const auto stream = again();
        const auto times = stream ? CaptureReader::times(*stream, limits_) : std::nullopt;
        return times ? std::optional(span_between(times->first, times->last)) : std::nullopt;
    }

    void skip_middle(std::uint64_t sample_above_bytes, Skipped& skipped, const FaultSink& faults) override {
        middle_ = capture_.skip_middle(sample_above_bytes, faults);
        if (!middle_) return;
        skipped_ = &skipped;
        skipped.parts.push_back({middle_->first_time, middle_->last_time});
        for (const auto& pause : middle_->pauses) skipped.pauses.push_back({pause.from, pause.to});
    }

  private:
    /// Counts a record that was not skipped. `middle` then has the number of those that were.
    static void count(const Record& record, CaptureReader::SkippedMiddle& middle) noexcept {
        const auto one_less = [](std::uint64_t& number) { number -= number == 0 ? 0 : 1; };
        if (record.kind == Record::Kind::v1_block) one_less(middle.v1_blocks);
        if (record.kind == Record::Kind::v2_block) one_less(middle.v2_blocks);
        if (record.kind == Record::Kind::log_row) one_less(middle.log_rows);
    }

    /// States what was skipped, or passed over at the end.
    void end() {
        if (const auto middle = std::exchange(middle_, std::nullopt)) {
            skipped_->any = true;
            skipped_->v1_blocks += middle->v1_blocks;
            skipped_->v2_blocks += middle->v2_blocks;
            skipped_->log_rows += middle->log_rows;
        }
        const auto read = passed_ == nullptr ? std::nullopt : capture_.cut_at();
        if (!read) return;
        passed_->end_input(passed_->count_later(again_.stays, [again = again_, before = *read, limits = limits_] {
            const auto stream = again();
            const std::uint32_t all = stream ? CaptureReader::count_samples(*stream, limits) : 0;
            return std::uint64_t{all - std::min(all, before)};
        }));
    }

    const Limits& limits_;
    CaptureReader capture_;
    std::optional<Record> held_;  // the record after the metadata that is returned
    std::size_t stated_ = 0;      // number of metadata records returned
    bool ended_ = false;
    InputAgain again_;
    PassedSamples* passed_ = nullptr;  // set by `seek`
    std::optional<CaptureReader::SkippedMiddle> middle_;
    Skipped* skipped_ = nullptr;
};

}  // namespace

std::unique_ptr<RecordStream> open_capture_records(RecordInput input) {
    return std::make_unique<CaptureRecords>(std::move(input));
}

}  // namespace hkpd
