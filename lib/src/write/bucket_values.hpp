// The values of one series in one interval of time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hkpd/sample.hpp"
#include "hkpd/statistics.hpp"
#include "hkpd/zone.hpp"
#include "write/writers.hpp"

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

/// Returns the zone of the intervals of a sample and, in CSV, of their times: the requested zone, the zone of the log
/// if this was requested (`--tz log`), otherwise UTC.
inline Zone bucket_zone(const WriteOptions& options, const Sample& sample) {
    const Zone& shown = sample.shown_zone(options.zone);
    return options.zone || options.log_zone ? shown : utc_if_stated(shown);
}

/// Returns the intervals that the options request for a sample.
inline Buckets buckets_of(const WriteOptions& options, const Sample& sample) {
    return {options.bucket_length, bucket_zone(options, sample)};
}

}  // namespace hkpd
