#include "sample/display_name.hpp"

#include "hkpd/names.hpp"
#include "hkpd/v2.hpp"
#include "sample/memory.hpp"

namespace hkpd {
namespace {

constexpr std::string_view no_name = "(no name)";

std::string object_key(SampleSource source, std::uint32_t number, const std::optional<Guid>& counterset) {
    if (id_kind(source, number) == IdKind::title) return std::to_string(number);
    if (id_kind(source, number) == IdKind::name) return std::string(no_name);
    if (counterset) return guid_text(*counterset);
    return result_text(unknown_result(number).value_or(0));
}

std::string counter_key(SampleSource source, std::uint32_t number) {
    const auto known = counter_number(source, number);
    if (known) return std::to_string(*known);
    return id_kind(source, number) == IdKind::name ? std::string(no_name) : "unknown";
}

/// Returns the name of an object or counter that is identified only by its name (`IdKind::name`): the name is then its
/// key. Returns none for all other objects and counters.
template <class Titled>
std::optional<std::string_view> name_for_key(SampleSource source, const Titled& titled) {
    if (!titled.name || id_kind(source, titled.title_index) != IdKind::name) return std::nullopt;
    return titled.name->text;
}

}  // namespace

IdKind id_kind(SampleSource source, std::uint32_t number) noexcept {
    if (source == SampleSource::v2) return IdKind::counterset;
    const bool stands_for_name = number >= first_logged && number < first_counterset;
    return source == SampleSource::log && stands_for_name ? IdKind::name : IdKind::title;
}

std::optional<std::uint32_t> unknown_result(std::uint32_t number) noexcept {
    if (number < first_unknown_result || number == no_index) return std::nullopt;
    return number - first_unknown_result;
}

std::string result_text(std::uint32_t place) { return "result " + std::to_string(place); }

std::string object_key(SampleSource source, const Object& object) {
    if (const auto name = name_for_key(source, object)) return std::string(*name);
    return object_key(source, object.title_index, object.counterset);
}

std::optional<std::uint32_t> object_number(SampleSource source, std::uint32_t number) noexcept {
    return id_kind(source, number) == IdKind::title ? std::optional(number) : std::nullopt;
}

std::optional<std::string> counterset_text(const Object& object) {
    return object.counterset ? std::optional(guid_text(*object.counterset)) : std::nullopt;
}

std::optional<std::uint32_t> counter_number(SampleSource source, std::uint32_t number) noexcept {
    const IdKind known = id_kind(source, number);
    const bool none = known == IdKind::name || (known == IdKind::counterset && number == v2::no_id);
    return none ? std::nullopt : std::optional(number);
}

std::string counter_key(SampleSource source, const Column& column) {
    if (const auto name = name_for_key(source, column)) return std::string(*name);
    return counter_key(source, column.title_index);
}

std::string object_words(SampleSource source, const Object& object) {
    const bool result = id_kind(source, object) == IdKind::counterset && !object.counterset;
    const std::string_view word = result ? "" : object.counterset ? "counterset " : "object ";
    return std::string(word) + object_key(source, object);
}

std::string counter_words(SampleSource source, const Column& column) {
    return "counter " + counter_key(source, column);
}

bool has_other_names(const Object& object) noexcept { return object.memory().other_names != nullptr; }

std::string_view other_name(const Object& object) noexcept {
    const OtherNames* const other = object.memory().other_names.get();
    return other == nullptr ? std::string_view() : other->object;
}

std::string_view other_name(const Object& object, const Column& column) noexcept {
    const OtherNames* const other = object.memory().other_names.get();
    if (other == nullptr) return {};
    const auto position = static_cast<std::size_t>(&column - object.columns.data());
    return position < other->columns.size() ? other->columns[position] : std::string_view();
}

static bool shows_english(const Object& object) noexcept {
    const OtherNames* const other = object.memory().other_names.get();
    return other == nullptr || other->shows_english;
}

std::string_view english_name(const Object& object) noexcept {
    if (!shows_english(object) && !other_name(object).empty()) return other_name(object);
    return object.name ? object.name->text : std::string_view();
}

std::string_view english_name(const Object& object, const Column& column) noexcept {
    if (!shows_english(object)) {
        const std::string_view name = other_name(object, column);
        if (!name.empty()) return name;
    }
    return column.name ? column.name->text : std::string_view();
}

std::string object_label(SampleSource source, const Object& object) {
    if (object.name) return std::string(object.name->text);
    return object_label(source, object.title_index, object.counterset);
}

std::string counter_label(SampleSource source, const Column& column) {
    if (column.name) return std::string(column.name->text);
    return counter_label(source, column.title_index);
}

std::string object_label(SampleSource source, std::uint32_t number, const std::optional<Guid>& counterset) {
    return (id_kind(source, number) == IdKind::title ? "#" : "") + object_key(source, number, counterset);
}

std::string counter_label(SampleSource source, std::uint32_t number) {
    const IdKind known = id_kind(source, number);
    const std::string_view word = known == IdKind::title ? "#" : known == IdKind::counterset ? "id " : "";
    return std::string(word) + counter_key(source, number);
}

/// Returns the English name of a counter by its title index, if it has one; otherwise `name`.
static std::string_view known_english(SampleSource source, std::uint32_t object, std::uint32_t number,
                                      std::string_view name) noexcept {
    if (id_kind(source, object) == IdKind::title)
        if (const auto english = builtin_titles().find(number)) return *english;
    return name;
}

Unit unit_of(SampleSource source, std::uint32_t object, std::uint32_t number, std::uint32_t type,
             std::string_view name) noexcept {
    return unit_of(type, known_english(source, object, number, name));
}

Meaning meaning_of(SampleSource source, std::uint32_t object, std::uint32_t number, std::uint32_t type,
                   std::string_view name) noexcept {
    return meaning_of(type, known_english(source, object, number, name));
}

Unit unit_of(SampleSource source, const Object& object, const Column& column) noexcept {
    return unit_of(source, object.title_index, column.title_index, column.type, english_name(object, column));
}

}  // namespace hkpd
