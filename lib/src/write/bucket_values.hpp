// The values of one series in one interval of time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hkpd/summary.hpp"

namespace hkpd {

/// Number, minimum, maximum and mean of values. If there is no value, only the number has a meaning.
struct BucketValues {
    std::uint64_t count = 0;
    double min = 0, max = 0, mean = 0;

    void add(double value) noexcept {
        min = count == 0 ? value : std::min(min, value);
        max = count == 0 ? value : std::max(max, value);
        ++count;
        mean += (value - mean) / static_cast<double>(count);
    }
};

/// Returns the intervals that the options request: in the requested time zone, or in UTC.
inline Buckets buckets_of(const WriteOptions& options) {
    return {options.bucket_length, options.zone.value_or(Zone())};
}

}  // namespace hkpd
