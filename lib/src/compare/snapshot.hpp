// Copies of samples for a comparison, and the matching of the objects and counters of a V1 and a V2 sample. A
// comparison stores the copy of a sample until the sample from the other interface arrives.
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

/// The name of a counter or instance in a copied object.
struct NamePlace {
    std::string_view name;
    /// `ordinal`: number of earlier counters (or instances) of the original object with this name. `place`: position in
    /// `KeptObject::columns` (or `KeptObject::rows`).
    std::uint32_t ordinal = 0, place = 0;
};

/// The copy of a column (`Column`), with its cooked values.
struct KeptColumn {
    std::uint32_t index = 0, ordinal = 0;  ///< Column::title_index, and number of earlier columns with that index
    std::uint32_t type = 0;
    std::uint64_t attributes = 0;
    std::int32_t scale = 0;
    std::int32_t base = -1;  ///< position of the base in `KeptObject::columns`; -1 if there is no base in it
    Storage storage = Storage::number;
    /// View of a text in a title table or registration, which must outlive this copy; empty if the name is unknown.
    std::string_view name;
    // Views of the lists of the object, with one element for each row (`KeptObject::rows`); `lengths` and `status` can
    // also be empty.
    std::span<const std::uint64_t> values;   ///< raw values; for text and bytes: offsets in `KeptObject::text`
    std::span<const std::uint64_t> lengths;  ///< for text and bytes: lengths in bytes; empty for numbers
    std::span<const ValueStatus> status;     ///< empty if all values are valid
    std::span<const double> cooked;
    std::span<const Reason> reasons;

    bool is_valid(std::size_t row) const noexcept { return status.empty() || status[row] == ValueStatus::valid; }
};

/// The copy of the selected part of an object.
struct KeptObject {
    SampleSource source{};
    std::uint32_t index = 0;  ///< Object::title_index
    std::optional<Guid> counterset;
    /// View of a text in a title table or registration, which must outlive this copy; empty if the name is unknown.
    std::string_view name;
    std::vector<KeptColumn> columns;
    std::vector<NamePlace> column_names;      ///< names of the columns, without empty names; sorted as for `same_names`
    std::vector<std::string_view> rows;       ///< names of the instances; `?` in place of a damaged name
    std::vector<std::uint32_t> row_ordinals;  ///< `NamePlace::ordinal` of each row
    std::vector<NamePlace> row_names;  ///< names of the instances, without damaged names; sorted as for `same_names`
    // `name_text` has the text of the names in `rows`; `text` has the values of text and bytes columns. These are
    // vectors, not strings, because a short text lies inside its string object: if the string moves, views of its text
    // are invalid.
    std::vector<char> name_text, text;
    // What the columns have of all rows, column by column.
    std::vector<std::uint64_t> values, lengths;
    std::vector<ValueStatus> status;
    std::vector<double> cooked;
    std::vector<Reason> reasons;

    std::string_view bytes(const KeptColumn& column, std::size_t row) const noexcept {
        return std::string_view(text.data(), text.size())
            .substr(static_cast<std::size_t>(column.values[row]), static_cast<std::size_t>(column.lengths[row]));
    }
};

/// The copy of the selected parts of a sample.
struct KeptSample {
    SampleSource source{};
    bool is_v1() const noexcept { return source != SampleSource::v2; }  ///< samples of a log count as V1
    std::string machine;                                                ///< name of the machine; empty if unknown
    std::optional<SystemTime> system_time;
    std::optional<std::int64_t> moment;  ///< time of the sample, in nanoseconds since 1970 (UTC)
    /// `id`: number of the sample in the comparison, from 1. `before`: `id` of the sample against which this sample was
    /// cooked; 0 if this sample was cooked without a previous sample; this sample's own `id` if that of the previous
    /// sample is no longer known.
    std::uint64_t id = 0, before = 0;
    std::uint64_t bytes = 0;   ///< size in bytes of the sample's blocks
    std::uint64_t memory = 0;  ///< approximate size in bytes of this copy in memory
    std::vector<KeptObject> objects;
};

/// Pairs of positions: the first in a V1 list, the second in a V2 list.
using PlacePairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
/// Finds the entries that two lists have in common: those with the same name, ignoring case, and the same
/// `NamePlace::ordinal`, which numbers the entries of a list that have equal names. Returns the positions
/// (`NamePlace::place`) of these entries in both lists. Both lists must be sorted by name, and entries with equal names
/// by ordinal.
PlacePairs same_names(std::span<const NamePlace> a, std::span<const NamePlace> b);

/// Copies the selected parts of a sample, with cooked values. The caller must set `KeptSample::id` and
/// `KeptSample::before`.
KeptSample keep(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);

/// An object that both interfaces have. Usually there is one `KeptObject` from each interface. There are several if V2
/// has several results for the counterset, or if a filter selects different counters for different instances.
struct MatchedObject {
    std::vector<const KeptObject*> v1, v2;
};

/// The objects of a V1 and a V2 sample: those that both samples have, and those that only one of them has.
struct MatchedObjects {
    std::vector<MatchedObject> both;
    std::vector<const KeptObject*> only_v1, only_v2;
};

/// Matches each V2 object with the V1 object that has the title index from the V2 object's registration
/// (`Counterset::title_index`). If the V1 sample has no such object, matches the V2 object with the V1 object of the
/// same name. Objects that match none are returned in `only_v1` and `only_v2`.
MatchedObjects match_objects(const KeptSample& v1, const KeptSample& v2, const Countersets& countersets);

/// Returns pairs of positions of matching counters. The k-th counter with a name in `v1` matches the k-th counter with
/// that name in `v2`. If two counters match, their bases match too. V1 repeats a base after each counter that uses it,
/// but V2 has the base only once. A V2 counter can therefore be in several pairs.
PlacePairs match_columns(const KeptObject& v1, const KeptObject& v2);

}  // namespace hkpd
