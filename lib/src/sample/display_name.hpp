// The names and keys under which hkpd shows objects and counters, for samples of every source (V1, V2 and logs).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/sample.hpp"
#include "quantity/meaning.hpp"
#include "quantity/unit.hpp"

namespace hkpd {

/// The means by which an object and its counters are identified. The means determine what `title_index` contains.
enum class IdKind : std::uint8_t {
    title,       ///< title indices: V1, and blocks in a log
    counterset,  ///< counterset and counter ids: V2
    name,        ///< names only, each represented by a number: raw counters in a log
};
IdKind id_kind(SampleSource source, std::uint32_t number) noexcept;
inline IdKind id_kind(SampleSource source, const Object& object) noexcept {
    return id_kind(source, object.title_index);
}

/// Returns the position of a V2 result in its block, if `number` (the `title_index` of an object) represents this
/// result because its counterset is unknown. Returns none for all other numbers.
std::optional<std::uint32_t> unknown_result(std::uint32_t number) noexcept;
/// Returns the text that stands for a V2 result whose counterset is unknown, such as `result 2`. `place`: position of
/// the result in its block.
std::string result_text(std::uint32_t place);

/// Returns what identifies an object regardless of its name: the title index (`238`) or, in V2, the GUID of the
/// counterset (`result 2` if the GUID is unknown). Returns the name itself for an object known only by its name. If
/// `title_index` is only a number that represents a counterset or a name within one run, this number is never returned.
std::string object_key(SampleSource source, const Object& object);
/// Returns what identifies a counter within its object: the title index or, in V2, the counter id (`unknown` if the
/// id is unknown). Returns the name itself for a counter known only by its name.
std::string counter_key(SampleSource source, const Column& column);
/// Returns the title index of an object. `number` is the object's member `title_index`. Returns none if that number is
/// not a title index: in V2, and for an object known only by its name.
std::optional<std::uint32_t> object_number(SampleSource source, std::uint32_t number) noexcept;
inline std::optional<std::uint32_t> object_number(SampleSource source, const Object& object) noexcept {
    return object_number(source, object.title_index);
}
/// Returns the counterset's GUID as text; none if the GUID is unknown, and none for V1.
std::optional<std::string> counterset_text(const Object& object);
/// Returns the title index or counter id; none if the id is unknown or the counter is known only by its name.
std::optional<std::uint32_t> counter_number(SampleSource source, std::uint32_t number) noexcept;
inline std::optional<std::uint32_t> counter_number(SampleSource source, const Column& column) noexcept {
    return counter_number(source, column.title_index);
}

/// Returns whether two instances of one object have the same parent, or both have none. Consecutive instances often
/// have, so that what is derived from the parent can be kept from one to the next.
inline bool have_same_parent(const Instance& a, const Instance& b) noexcept {
    return a.parent_object == b.parent_object && a.parent_instance == b.parent_instance;
}

/// Returns an instance's name; `?` if the name is damaged.
inline std::string_view shown_name(const Instance& instance) noexcept { return instance.name.value_or("?"); }

/// Returns the English name of an object or of one of its counters, if it is known, and otherwise the name that the
/// sample has; empty if there is none.
std::string_view english_name(const Object& object) noexcept;
std::string_view english_name(const Object& object, const Column& column) noexcept;
/// Returns whether an object or its counters have names in a second language.
bool has_other_names(const Object& object) noexcept;
/// Returns the name of an object or of one of its counters in a second language: the English one or, if that is shown,
/// the name of the input; empty if there is none.
std::string_view other_name(const Object& object) noexcept;
std::string_view other_name(const Object& object, const Column& column) noexcept;

/// Returns a word for the kind of the object's key, and the key: `object 238`, `counterset {b4fc721a-…}`. A key such as
/// `result 2` has no word before it. `counter_words` does the same for a counter: `counter 6`.
std::string object_words(SampleSource source, const Object& object);
std::string counter_words(SampleSource source, const Column& column);

/// Returns the object's name. If the name is unknown, returns the object's number (`#238`), or in V2 the GUID or
/// `result 2`. An object of raw counters in a log has no number; if its name is unknown too, returns `(no name)`.
std::string object_label(SampleSource source, const Object& object);
/// Returns the counter's name. If the name is unknown, returns the counter's number: `#6`, or in V2 `id 6`. A raw
/// counter of a log has no number; if its name is unknown too, returns `(no name)`.
std::string counter_label(SampleSource source, const Column& column);
/// Returns the label of an object or counter without a name, from its number (`title_index`) and counterset.
std::string object_label(SampleSource source, std::uint32_t number, const std::optional<Guid>& counterset);
std::string counter_label(SampleSource source, std::uint32_t number);

/// Returns the unit of a counter's cooked value. `object`, `number`: `title_index` of the object and of the counter;
/// title indices give the English name, if `name` is in another language. `name` is empty if it is unknown.
Unit unit_of(SampleSource source, std::uint32_t object, std::uint32_t number, std::uint32_t type,
             std::string_view name) noexcept;
Unit unit_of(SampleSource source, const Object& object, const Column& column) noexcept;
/// Returns what a larger value of a counter means. Parameters are those of `unit_of`.
Meaning meaning_of(SampleSource source, std::uint32_t object, std::uint32_t number, std::uint32_t type,
                   std::string_view name) noexcept;

}  // namespace hkpd
