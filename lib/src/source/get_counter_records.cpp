// Samples of Get-Counter, as the records of the text log that they are turned into.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/text/located_text.hpp"
#include "source/get_counter_text.hpp"
#include "source/record_stream.hpp"

namespace hkpd {

std::unique_ptr<RecordStream> open_text_log_records(RecordInput input);

namespace {

class GetCounterRecords final : public RecordStream {
  public:
    explicit GetCounterRecords(RecordInput input) : input_(std::move(input)) {}

    void next(std::optional<Record>& record, const FaultSink& faults) override {
        if (!std::exchange(begun_, true)) begin(faults);
        if (log_) log_->next(record, faults);
    }

  private:
    /// Reads the whole input: the columns of a log are those of all samples.
    void begin(const FaultSink& faults) {
        const std::uint64_t most = input_.limits.bytes / 16;
        const Bytes all = input_.window.peek(most + 1);
        if (all.size() > most) return faults.add({Errc::byte_limit, 0, "Get-Counter", "", most, all.size()});
        const FileText file = open_text(all);
        std::string text;
        file.text.append(text, {0, file.text.size()});
        text_ = text_log_of_samples(text, input_.limits, faults);
        if (text_.empty()) return faults.add(foreign_error(get_counter_output));
        log_ = open_text_log_records(
            {StreamWindow(std::as_bytes(std::span(text_))), input_.name, input_.limits, input_.zone});
    }

    RecordInput input_;
    bool begun_ = false;
    std::string text_;
    std::unique_ptr<RecordStream> log_;
};

}  // namespace

std::unique_ptr<RecordStream> open_get_counter_records(RecordInput input) {
    return std::make_unique<GetCounterRecords>(std::move(input));
}

}  // namespace hkpd
