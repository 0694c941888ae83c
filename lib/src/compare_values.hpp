// Whether the values of a counter are the same through both doors.
#pragma once

#include "compare/snapshot.hpp"
#include "hkpd/compare.hpp"

namespace hkpd {

/// Two samples of one moment.
struct ComparedMoment {
    std::uint64_t pair = 0;
    std::optional<SystemTime> time;
    bool neighbours = false;  ///< see SamplePairs
    double tolerance = 0;
};

/// Adds what the values of a counter of both doors say, for these pairs of instances, to what is known of it.
void compare_values(ComparedCounter& found, const KeptObject& v1, const KeptColumn& v1_column, const KeptObject& v2,
                    const KeptColumn& v2_column, const PlacePairs& rows, const ComparedMoment& moment);

/// `name`, or `name#1` where others are called the same.
std::string instance_label(const KeptObject& object, std::size_t row);

}  // namespace hkpd
