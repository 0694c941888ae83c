// A source that reads only the beginning and the end of large captures and logs, and reports what it skipped. A summary
// of an input needs no more: the first and last samples, and what index and trailer state about those between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "blg/blg.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/error.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/limits.hpp"
#include "hkpd/record.hpp"
#include "hkpd/source.hpp"

namespace hkpd {

/// The parts of all inputs of a source that were skipped.
struct Skipped {
    std::uint64_t v1_blocks = 0, v2_blocks = 0, log_rows = 0;
    bool rows_estimated = false;  ///< whether `log_rows` is an estimate: a log did not state the number of its rows
    bool any = false;             ///< whether anything was skipped
    /// A part of a run, in nanoseconds since 1970 (UTC).
    struct Part {
        std::uint64_t from = 0, to = 0;
    };
    /// The skipped parts: in a capture from the first to the last skipped message, in a log from the last row that was
    /// read before to the first one after.
    std::vector<Part> parts;
    std::vector<Part> pauses;  ///< in skipped parts of captures: times without any message, between two chunks
};

/// Opens files and directories as `open_files` does, and skips the middle of each capture with more than `whole` bytes
/// of content and of each log with more than `whole` bytes. What is skipped is added to `skipped`: the parts before the
/// first record after them, the counts at the end of each input. `skipped` must outlive the source. Inputs without an
/// index, and standard input, are read completely.
std::unique_ptr<Source> open_head_and_tail(std::vector<std::string> paths, const Limits& limits,
                                           Subdirectories subdirectories, std::uint64_t whole, Skipped& skipped);
/// Opens bytes in memory as `open_bytes` does, and skips as `open_head_and_tail` of files does.
std::unique_ptr<Source> open_head_and_tail(std::span<const std::byte> bytes, const Limits& limits, std::uint64_t whole,
                                           Skipped& skipped);

/// Decides for one input after another when the middle begins, and adds up what is skipped.
class HeadAndTail {
  public:
    static constexpr std::uint32_t rows = 4;  ///< rows of a log that are read at each end

    HeadAndTail(std::uint64_t whole, Skipped& skipped) noexcept : whole_(whole), skipped_(skipped) {}

    void begin_log(std::uint64_t bytes) noexcept {
        left_ = bytes > whole_ ? rows : 0;
        enough_.reset();
        skipping_ = false;
    }
    /// Counts a record of a log.
    void count_of_log(const Record& record) {
        if (record.kind != Record::Kind::log_row) return;
        const std::uint64_t time = record.time.value_or(0);
        if (std::exchange(skipping_, false)) skipped_.parts.push_back({last_, time});
        last_ = time;
        if (left_ == 0) return;
        --left_;
        if (left_ == 0) enough_ = record.log;
    }
    /// Returns the log, once, after its first rows were counted; none before and afterwards.
    std::optional<Guid> enough() noexcept { return std::exchange(enough_, std::nullopt); }
    /// Notes that the log continues after its middle.
    void begin_middle() noexcept { skipping_ = true; }
    void end_log(const std::optional<LogStream::SkippedRows>& middle) {
        if (!middle) return;
        skipped_.any = true;
        skipped_.log_rows += middle->count;
        skipped_.rows_estimated |= !middle->exact;
    }

    void begin_capture(CaptureReader& capture, const FaultSink& faults) {
        capture_ = capture.skip_middle(whole_, faults);
        if (!capture_) return;
        skipped_.parts.push_back({capture_->first_time, capture_->last_time});
        for (const auto& pause : capture_->pauses) skipped_.pauses.push_back({pause.from, pause.to});
    }
    /// Counts a record of a capture that was not skipped.
    void count_of_capture(const Record& record) noexcept {
        if (!capture_) return;
        const auto one_less = [](std::uint64_t& number) { number -= number == 0 ? 0 : 1; };
        if (record.kind == Record::Kind::v1_block) one_less(capture_->v1_blocks);
        if (record.kind == Record::Kind::v2_block) one_less(capture_->v2_blocks);
        if (record.kind == Record::Kind::log_row) one_less(capture_->log_rows);
    }
    void end_capture() {
        if (!capture_) return;
        skipped_.any = true;
        skipped_.v1_blocks += capture_->v1_blocks;
        skipped_.v2_blocks += capture_->v2_blocks;
        skipped_.log_rows += capture_->log_rows;
        capture_.reset();
    }

  private:
    std::uint64_t whole_;
    Skipped& skipped_;
    std::uint32_t left_ = 0;      // rows to read before the middle of the log
    std::optional<Guid> enough_;  // the log, after the last of these rows
    bool skipping_ = false;       // whether the next row is the first one after the middle
    std::uint64_t last_ = 0;      // time of the last row
    std::optional<CaptureReader::SkippedMiddle> capture_;
};

}  // namespace hkpd
