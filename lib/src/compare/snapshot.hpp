// What a comparison keeps of a sample until the one of the other interface has come, and which objects and counters of
// two samples are the same.
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

/// A name in a list: which it is among those that are called the same, and its place in what was kept.
struct NamePlace {
    std::string_view name;
    std::uint32_t ordinal = 0, place = 0;
};

struct KeptColumn {
    std::uint32_t index = 0, ordinal = 0;  ///< Column::title_index, and how many of it stand before in the object
    std::uint32_t type = 0;
    std::uint64_t attributes = 0;
    std::int32_t scale = 0;
    std::int32_t base = -1;  ///< place among what was kept; -1 none
    Storage storage = Storage::number;
    std::string_view name;  ///< of a title table or registration, which live longer; empty: none
    // By place of the instance.
    std::vector<std::uint64_t> values;   ///< of text and bytes the places in `KeptObject::text`
    std::vector<std::uint64_t> lengths;  ///< of text and bytes
    std::vector<ValueStatus> status;     ///< empty where all are sound
    std::vector<double> cooked;
    std::vector<Reason> reasons;

    bool is_valid(std::size_t row) const noexcept { return status.empty() || status[row] == ValueStatus::valid; }
};

/// The selected part of an object.
struct KeptObject {
    SampleSource source{};
    std::uint32_t index = 0;  ///< Object::title_index
    std::optional<Guid> counterset;
    std::string_view name;  ///< likewise
    std::vector<KeptColumn> columns;
    std::vector<NamePlace> column_names;  ///< those that have a name, in the order of `same_names`
    std::vector<std::string_view> rows;   ///< names of the instances, `?` where one is damaged
    std::vector<std::uint32_t> row_ordinals;
    std::vector<NamePlace> row_names;  ///< those that are sound, likewise
    // No strings, whose short texts move with them.
    std::vector<char> name_text, text;

    std::string_view bytes(const KeptColumn& column, std::size_t row) const noexcept {
        return std::string_view(text.data(), text.size()).substr(column.values[row], column.lengths[row]);
    }
};

struct KeptSample {
    SampleSource source{};
    bool is_v1() const noexcept { return source != SampleSource::v2; }  ///< or a log's, which stands for V1
    std::string machine;                                                ///< empty: unknown
    std::optional<SystemTime> system_time;
    std::optional<std::int64_t> moment;  ///< nanoseconds since 1970 (UTC)
    std::uint64_t id = 0, before = 0;    ///< counted from 1; that of the sample which rates are cooked against, 0 none
    std::uint64_t bytes = 0;             ///< of its blocks
    std::uint64_t memory = 0;            ///< that keeping it takes, roughly
    std::vector<KeptObject> objects;
};

/// Pairs of places of equal names in two lists that are in the order of names without regard to ASCII case, then of
/// ordinals.
using PlacePairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
PlacePairs same_names(std::span<const NamePlace> a, std::span<const NamePlace> b);

/// Copies the selected parts of a sample, cooked. `id` and `before` are left to who counts.
KeptSample keep(const Sample& sample, std::span<const Selected> selected, Cooker& cooker);

/// The parts of an object that both interfaces have. V1 has one object; V2 may have several results of its counterset,
/// and a filter may have cut either into parts.
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
