// The parts of a sample that a comparison keeps until the sample of the other interface arrives, and the matching of
// the objects and counters of two samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/names.hpp"
#include "hkpd/sample.hpp"
#include "hkpd/select.hpp"

namespace hkpd {

/// A name in a list, with its ordinal among equal names and its position among the kept entries.
struct NamePlace {
    std::string_view name;
    std::uint32_t ordinal = 0, place = 0;
};

struct KeptColumn {
    std::uint32_t index = 0, ordinal = 0;  ///< Column::title_index, and number of earlier columns with that index
    std::uint32_t type = 0;
    std::uint64_t attributes = 0;
    std::int32_t scale = 0;
    std::int32_t base = -1;  ///< position among the kept columns; -1: none
    Storage storage = Storage::number;
    std::string_view name;  ///< owned by a title table or registration, which lives longer; empty: none
    // The following vectors are indexed by the position of the instance.
    std::vector<std::uint64_t> values;   ///< for text and bytes, offsets in `KeptObject::text`
    std::vector<std::uint64_t> lengths;  ///< for text and bytes only
    std::vector<ValueStatus> status;     ///< empty if all values are valid
    std::vector<double> cooked;
    std::vector<Reason> reasons;

    bool is_valid(std::size_t row) const noexcept { return status.empty() || status[row] == ValueStatus::valid; }
};

/// The selected part of an object.
struct KeptObject {
    SampleSource source{};
    std::uint32_t index = 0;  ///< Object::title_index
    std::optional<Guid> counterset;
    std::string_view name;  ///< owned by a title table or registration, which lives longer; empty: none
    std::vector<KeptColumn> columns;
    std::vector<NamePlace> column_names;  ///< columns that have a name, in the order of `same_names`
    std::vector<std::string_view> rows;   ///< names of the instances, `?` where one is damaged
    std::vector<std::uint32_t> row_ordinals;
    std::vector<NamePlace> row_names;  ///< valid names, in the order of `same_names`
    // Vectors, not strings: a short text moves in memory with its string, which would invalidate views of the text.
    std::vector<char> name_text, text;

    std::string_view bytes(const KeptColumn& column, std::size_t row) const noexcept {
        return std::string_view(text.data(), text.size()).substr(column.values[row], column.lengths[row]);
    }
};

struct KeptSample {
    SampleSource source{};
    bool is_v1() const noexcept { return source != SampleSource::v2; }  ///< samples of a log count as V1
    std::string machine;                                                ///< empty: unknown
    std::optional<SystemTime> system_time;
    std::optional<std::int64_t> moment;  ///< nanoseconds since 1970 (UTC)
    std::uint64_t id = 0, before = 0;    ///< own id, from 1; id of the sample that rates are computed against, 0: none
    std::uint64_t bytes = 0;             ///< size of the sample's blocks
    std::uint64_t memory = 0;            ///< approximate bytes needed to keep the sample
    std::vector<KeptObject> objects;
};

using PlacePairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // a position in each of two lists
/// Returns the pairs of positions at which two lists have equal names. Both lists must be sorted by name, ignoring
/// ASCII case, and equal names by `NamePlace::ordinal`.
PlacePairs same_names(std::span<const NamePlace> a, std::span<const NamePlace> b);

/// Copies the selected parts of a sample, with cooked values. The caller sets `id` and `before`.
KeptSample keep(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);

/// The parts of an object that both interfaces have. There are several parts if V2 has several results for the
/// counterset, or if a filter has split the V1 object or a V2 result.
struct MatchedObject {
    std::vector<const KeptObject*> v1, v2;
};

struct MatchedObjects {
    std::vector<MatchedObject> both;
    std::vector<const KeptObject*> only_v1, only_v2;
};

/// Matches each V2 object with a V1 object: the object whose title index the V2 registration states or, if there is
/// none, the object with the same name.
MatchedObjects match_objects(const KeptSample& v1, const KeptSample& v2, const Countersets& countersets);

/// Returns pairs of positions of equal counters. The k-th counter of a name in `v1` is matched with the k-th counter of
/// that name in `v2`. If two counters are matched, their bases are matched too. A V2 counter is in several pairs if V1
/// repeats the counter, as V1 does with a base that several counters share.
PlacePairs match_columns(const KeptObject& v1, const KeptObject& v2);

}  // namespace hkpd
