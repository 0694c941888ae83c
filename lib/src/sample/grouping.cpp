#include "sample_boundary.hpp"

#include <algorithm>

#include "base/text/encoding.hpp"

namespace hkpd {

void assign_machine(std::string& out, const v1::Block& block) {
    out.clear();
    if (const auto& name = block.machine()) append_utf16(out, name->bytes.span(), name->order);
}

bool SampleBoundary::crossed_by(const v1::Block& block) const {
    const v1::DataBlock& header = block.header();
    if (perf_time_ != header.PerfTime || perf_time_100ns_ != header.PerfTime100nSec ||
        has_machine_ != block.machine().has_value())
        return true;
    std::string machine;
    assign_machine(machine, block);
    return machine != machine_ || std::ranges::any_of(block.objects(), [this](const v1::ObjectEntry& entry) {
               const auto found = titles_.find(entry.title_index);
               return found != titles_.end() && found->second == sample_;
           });
}

void SampleBoundary::begin(const v1::Block& block) {
    constexpr std::size_t kept = 4096;  // titles that no sample has had for long are forgotten together
    if (titles_.size() > kept + 2 * block.objects().size()) titles_.clear();
    ++sample_;
    assign_machine(machine_, block);
    has_machine_ = block.machine().has_value();
    perf_time_ = block.header().PerfTime;
    perf_time_100ns_ = block.header().PerfTime100nSec;
    add(block);
}

void SampleBoundary::add(const v1::Block& block) {
    for (const v1::ObjectEntry& entry : block.objects()) titles_[entry.title_index] = sample_;
}

}  // namespace hkpd
