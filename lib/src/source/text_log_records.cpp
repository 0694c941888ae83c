// Text logs (CSV and TSV), as a stream of records.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "source/record_stream.hpp"
#include "source/row_seek.hpp"
#include "source/text_log.hpp"

namespace hkpd {
namespace {

/// Longest end of a text log that is searched for a row.
constexpr std::uint64_t most_searched = std::uint64_t{16} << 20U;

class TextLogRecords final : public RecordStream {
  public:
    explicit TextLogRecords(RecordInput input)
        : limits_(input.limits), window_(std::move(input.window)), log_(window_, limits_) {}

    void next(std::optional<Record>& record, const FaultSink& faults) override {
        record = log_.next(faults);
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

  private:
    const Limits& limits_;
    StreamWindow window_;
    TextLogStream log_;
    RowSeek<TextLogStream> seek_{log_, [limits = limits_](StreamWindow& window, std::uint64_t end) {
                                     return TextLogStream::count_rows(window, limits, end);
                                 }};
};

}  // namespace

std::unique_ptr<RecordStream> open_text_log_records(RecordInput input) {
    return std::make_unique<TextLogRecords>(std::move(input));
}

}  // namespace hkpd
