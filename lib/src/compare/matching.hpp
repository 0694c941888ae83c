// Pairs the objects, counters and instances of a V1 and a V2 sample, and compares their values.
#pragma once

#include <span>
#include <vector>

#include "compare/snapshot.hpp"
#include "hkpd/compare.hpp"
#include "hkpd/names.hpp"

namespace hkpd {

/// The parts of an object that both doors have. V1 has one object; V2 may have several results of its counterset, and
/// a filter may have cut either into parts.
struct MatchedObject {
    std::vector<const KeptObject*> v1, v2;
};

struct MatchedObjects {
    std::vector<MatchedObject> both;
    std::vector<const KeptObject*> only_v1, only_v2;
};

/// By the title index that the registration of the counterset names, else by name.
MatchedObjects match_objects(const KeptSample& v1, const KeptSample& v2, const Countersets& countersets);

/// Places of counters: by name, the first of a name with the first; what serves as base by what it serves. A V2 counter
/// is there more than once where V1 repeats it, as it does with a base that several counters share.
PlacePairs match_columns(const KeptObject& v1, const KeptObject& v2);

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
