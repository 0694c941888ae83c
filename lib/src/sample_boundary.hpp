// Where one sample ends and the next begins in a stream of blocks.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "hkpd/v1.hpp"

namespace hkpd {

/// Neighbouring blocks of one machine with equal PerfTime and PerfTime100nSec are one sample, as agents and logs ask
/// object by object; an object that repeats begins a new one.
class SampleBoundary {
  public:
    /// Whether the block belongs to another sample than the one that was taken in last.
    bool crossed_by(const v1::Block& block) const;
    /// The block begins a sample, or is one more of the sample at hand.
    void begin(const v1::Block& block);
    void add(const v1::Block& block);

  private:
    std::string machine_;
    bool has_machine_ = false;
    std::int64_t perf_time_ = 0, perf_time_100ns_ = 0;
    std::uint64_t sample_ = 0;
    // Title index → the last sample that had it. Nodes are kept, so that the next sample allocates nothing.
    std::map<std::uint32_t, std::uint64_t> titles_;
};

/// The machine's name as UTF-8; empty where it is damaged.
void assign_machine(std::string& out, const v1::Block& block);

}  // namespace hkpd
