// What of two samples is the same, seen through both doors.
#pragma once

#include <span>
#include <vector>

#include "compare/snapshot.hpp"
#include "hkpd/countersets.hpp"

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

}  // namespace hkpd
