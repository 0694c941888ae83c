// Aggregate functions over the values of a counter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "hkpd/v2.hpp"

namespace hkpd {

/// Values of one counter, folded one by one.
class Aggregation {
  public:
    void add(std::uint64_t value) noexcept {
        high_ += value >> 32;
        low_ += value & 0xFFFF'FFFF;
        least_ = std::min(least_, value);
        most_ = std::max(most_, value);
        ++count_;
    }
    bool empty() const noexcept { return count_ == 0; }

    /// The total is modulo 2^64, as counters are; the average is rounded down. No public source tells what Windows
    /// makes of PERF_AGGREGATE_UNDEFINED; most manifests give no function, and here it is the total.
    std::uint64_t result(v2::Aggregate function) const noexcept {
        if (empty()) return 0;
        switch (function) {
            case v2::Aggregate::average:
                return (high_ / count_ << 32) + ((high_ % count_ << 32) + low_) / count_;
            case v2::Aggregate::minimum:
                return least_;
            case v2::Aggregate::maximum:
                return most_;
            default:
                return (high_ << 32) + low_;
        }
    }

  private:
    // Sums of the halves, so that an average is exact whatever the values are.
    std::uint64_t high_ = 0, low_ = 0, count_ = 0;
    std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max(), most_ = 0;
};

}  // namespace hkpd
