// V1 blocks end to end, as a stream of records.
#include <memory>
#include <utility>

#include "source/record_stream.hpp"
#include "v1/block_stream.hpp"

namespace hkpd {
namespace {

class V1Records final : public RecordStream {
  public:
    explicit V1Records(RecordInput input) : blocks_(std::move(input.window), input.limits) {}

    void next(std::optional<Record>& record, const FaultSink& faults) override {
        const auto block = blocks_.next(faults);
        if (!block) return;
        record.emplace(Record::Kind::v1_block, *block, faults.place());
        record->opened = blocks_.opened();
    }

  private:
    BlockStream blocks_;
};

}  // namespace

std::unique_ptr<RecordStream> open_v1_records(RecordInput input) {
    return std::make_unique<V1Records>(std::move(input));
}

}  // namespace hkpd
