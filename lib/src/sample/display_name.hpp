// What objects and counters are called, through whichever door they came.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/sample.hpp"

namespace hkpd {

/// By what an object and its counters are told apart, and what their numbers (`title_index`) are.
enum class KnownBy : std::uint8_t {
    title,       ///< indices of titles: all of V1, and blocks of a log
    counterset,  ///< a counterset, with ids of its counters: all of V2
    name,        ///< names alone, which the numbers stand for: raw counters of a log
};
KnownBy known_by(SampleSource source, std::uint32_t number) noexcept;
inline KnownBy known_by(SampleSource source, const Object& object) noexcept {
    return known_by(source, object.title_index);
}

/// The place of a result that the number of an object stands for, where nothing tells its counterset; none for any
/// other number.
std::optional<std::uint32_t> unknown_result(std::uint32_t number) noexcept;
/// `result 2`.
std::string result_text(std::uint32_t place);

/// What tells an object from others whatever its name: the title index (`238`), of V2 the GUID of the counterset, or
/// `result 2` where nothing tells that; of one that is known by its name alone, that. The numbers that stand for
/// countersets and names in one run are never shown.
std::string object_key(SampleSource source, const Object& object);
/// Likewise a counter of its object: the title index or the counter id; `unknown` where nothing tells the id.
std::string counter_key(SampleSource source, const Column& column);
/// The title index; none of V2, and none of one that is known by its name alone.
std::optional<std::uint32_t> object_number(SampleSource source, std::uint32_t number) noexcept;
inline std::optional<std::uint32_t> object_number(SampleSource source, const Object& object) noexcept {
    return object_number(source, object.title_index);
}
/// The GUID as text; none where nothing tells it, and none of V1.
std::optional<std::string> counterset_text(const Object& object);
/// The title index or the counter id; none where nothing tells it, or the counter is known by its name alone.
std::optional<std::uint32_t> counter_number(SampleSource source, std::uint32_t number) noexcept;
inline std::optional<std::uint32_t> counter_number(SampleSource source, const Column& column) noexcept {
    return counter_number(source, column.title_index);
}

/// An instance's name; `?` where it is damaged.
inline std::string_view shown_name(const Instance& instance) noexcept { return instance.name.value_or("?"); }

/// With a word in front: `object 238`, `counterset {b4fc721a-…}`, `result 2`, `object Memory`; `counter 6`.
std::string object_words(SampleSource source, const Object& object);
std::string counter_words(SampleSource source, const Column& column);

/// The name; where there is none, `#238`, of V2 the GUID or `result 2`, and `(no name)` of what has nothing else.
std::string object_label(SampleSource source, const Object& object);
/// The name; where there is none, `#6`, of V2 `id 6`, and `(no name)` likewise.
std::string counter_label(SampleSource source, const Column& column);
/// The label of an object or counter without a name, by its number (`title_index`) and its counterset.
std::string object_label(SampleSource source, std::uint32_t number, const std::optional<Guid>& counterset);
std::string counter_label(SampleSource source, std::uint32_t number);

}  // namespace hkpd
