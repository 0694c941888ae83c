// V1 blocks end to end, as a stream of records.
#include <memory>
#include <utility>

#include "source/record_stream.hpp"
#include "v1/block_stream.hpp"

namespace hkpd {
namespace {

class V1Records final : public RecordStream {
  public:
    explicit V1Records(RecordInput input) : foreign_(input.foreign), blocks_(std::move(input.window), input.limits) {}

    void next(std::optional<Record>& record, const FaultSink& faults) override {
        auto block = blocks_.next(faults);
        if (!std::exchange(started_, true) && block && !v1::has_signature(*block)) {
            // Bytes before the first block are no record: they are a fault of the file, or the file has no block.
            const std::uint64_t size = block->size();
            block = blocks_.next(faults);
            if (!block) return faults.add(foreign_error(foreign_));
            faults.add({Errc::not_performance_data, 0, "PERF_DATA_BLOCK", "Signature", 8, size});
        }
        if (!block) return;
        record.emplace(Record::Kind::v1_block, *block, faults.place());
        record->opened = blocks_.opened();
    }

  private:
    std::string_view foreign_;
    BlockStream blocks_;
    bool started_ = false;
};

}  // namespace

std::unique_ptr<RecordStream> open_v1_records(RecordInput input) {
    return std::make_unique<V1Records>(std::move(input));
}

}  // namespace hkpd
