#include "sample/grouping.hpp"

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
    // If `titles_` has many more entries than the block has objects, all entries are evicted: most are out of use.
    constexpr std::size_t kept = 4096;
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

std::expected<void, Error> KeptQueries::keep(const Record& identifiers, const FaultSink& faults) {
    const auto bytes = identifiers.bytes.span();
    auto found = queries_.find(identifiers.machine);
    if (found != queries_.end()) {
        if (std::ranges::equal(found->second.bytes, bytes)) return {};
        size_ -= found->second.bytes.size();
        queries_.erase(found);
    }
    if (bytes.empty()) return {};
    if (bytes.size() > limits_.title_bytes)
        return std::unexpected(Error{Errc::byte_limit, identifiers.bytes.offset(), "PERF_COUNTER_IDENTIFIER", "",
                                     limits_.title_bytes, bytes.size()});
    // At the limit on machines or bytes, all queries are evicted. This is rare, because few runs have so many machines.
    if (queries_.size() >= limits_.machines || size_ + bytes.size() > limits_.title_bytes) {
        queries_.clear();
        size_ = 0;
    }
    Query& query = queries_[std::string(identifiers.machine)];
    query.bytes.assign(bytes.begin(), bytes.end());
    size_ += bytes.size();
    query.identifiers.open(Bytes(query.bytes, identifiers.bytes.offset()), faults);
    return {};
}

const KeptQueries::Query* KeptQueries::find(std::string_view machine) const noexcept {
    const auto found = queries_.find(machine);
    return found == queries_.end() ? nullptr : &found->second;
}

}  // namespace hkpd
