// Names for objects and counters, for all sources.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hkpd/sample.hpp"

namespace hkpd {

/// The means by which an object and its counters are identified. It determines what their `title_index` means.
enum class KnownBy : std::uint8_t {
    title,       ///< title indices: V1, and blocks in a log
    counterset,  ///< counterset and counter ids: V2
    name,        ///< names only, each represented by a number: raw counters in a log
};
KnownBy known_by(SampleSource source, std::uint32_t number) noexcept;
inline KnownBy known_by(SampleSource source, const Object& object) noexcept {
    return known_by(source, object.title_index);
}

/// Returns the position of a V2 result, given the number of its object, if that number represents a result because the
/// counterset is unknown; none for any other number.
std::optional<std::uint32_t> unknown_result(std::uint32_t number) noexcept;
/// Returns, for example, `result 2`.
std::string result_text(std::uint32_t place);

/// Returns what identifies an object regardless of its name: the title index (`238`); in V2 the GUID of the counterset,
/// or `result 2` if that is unknown; the name itself for an object known only by its name. Numbers that represent
/// countersets and names within one run are never shown.
std::string object_key(SampleSource source, const Object& object);
/// Returns what identifies a counter within its object: the title index or the counter id; `unknown` if the id is
/// unknown; the name itself for a counter known only by its name.
std::string counter_key(SampleSource source, const Column& column);
/// Returns the title index; none in V2, and none for an object known only by its name.
std::optional<std::uint32_t> object_number(SampleSource source, std::uint32_t number) noexcept;
inline std::optional<std::uint32_t> object_number(SampleSource source, const Object& object) noexcept {
    return object_number(source, object.title_index);
}
/// Returns the GUID as text; none if it is unknown, and none for V1.
std::optional<std::string> counterset_text(const Object& object);
/// Returns the title index or the counter id; none if it is unknown or the counter is known only by its name.
std::optional<std::uint32_t> counter_number(SampleSource source, std::uint32_t number) noexcept;
inline std::optional<std::uint32_t> counter_number(SampleSource source, const Column& column) noexcept {
    return counter_number(source, column.title_index);
}

/// Returns an instance's name; `?` if it is damaged.
inline std::string_view shown_name(const Instance& instance) noexcept { return instance.name.value_or("?"); }

/// Returns the key with a word before it: `object 238`, `counterset {b4fc721a-…}`, `result 2`, `object Memory`;
/// `counter 6`.
std::string object_words(SampleSource source, const Object& object);
std::string counter_words(SampleSource source, const Column& column);

/// Returns the name; if there is none, `#238`, in V2 the GUID or `result 2`, and `(no name)` if there is nothing else.
std::string object_label(SampleSource source, const Object& object);
/// Returns the name; if there is none, `#6`, in V2 `id 6`, and `(no name)` if there is nothing else.
std::string counter_label(SampleSource source, const Column& column);
/// Returns the label of an object or counter without a name, from its number (`title_index`) and counterset.
std::string object_label(SampleSource source, std::uint32_t number, const std::optional<Guid>& counterset);
std::string counter_label(SampleSource source, std::uint32_t number);

}  // namespace hkpd
