#include "labels.hpp"

#include "hkpd/v2.hpp"

namespace hkpd {
namespace {

std::string object_key(SampleSource source, std::uint32_t number, const std::optional<Guid>& counterset) {
    if (source == SampleSource::v1) return std::to_string(number);
    if (counterset) return guid_text(*counterset);
    return result_text(unknown_result(number).value_or(0));
}

std::optional<std::uint32_t> counter_number(SampleSource source, std::uint32_t number) noexcept {
    return source == SampleSource::v2 && number == v2::no_id ? std::nullopt : std::optional(number);
}

std::string counter_key(SampleSource source, std::uint32_t number) {
    const auto known = counter_number(source, number);
    return known ? std::to_string(*known) : "unknown";
}

}  // namespace

std::optional<std::uint32_t> unknown_result(std::uint32_t number) noexcept {
    if (number < first_unknown_result || number == no_index) return std::nullopt;
    return number - first_unknown_result;
}

std::string result_text(std::uint32_t place) { return "result " + std::to_string(place); }

std::string object_key(SampleSource source, const Object& object) {
    return object_key(source, object.title_index, object.counterset);
}

std::optional<std::uint32_t> object_number(SampleSource source, const Object& object) noexcept {
    return source == SampleSource::v1 ? std::optional(object.title_index) : std::nullopt;
}

std::optional<std::string> counterset_text(const Object& object) {
    return object.counterset ? std::optional(guid_text(*object.counterset)) : std::nullopt;
}

std::optional<std::uint32_t> counter_number(SampleSource source, const Column& column) noexcept {
    return counter_number(source, column.title_index);
}

std::string counter_key(SampleSource source, const Column& column) { return counter_key(source, column.title_index); }

std::string object_words(SampleSource source, const Object& object) {
    const std::string_view word = source == SampleSource::v1 ? "object " : object.counterset ? "counterset " : "";
    return std::string(word) + object_key(source, object);
}

std::string counter_words(SampleSource source, const Column& column) {
    return "counter " + counter_key(source, column);
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
    return (source == SampleSource::v1 ? "#" : "") + object_key(source, number, counterset);
}

std::string counter_label(SampleSource source, std::uint32_t number) {
    return (source == SampleSource::v1 ? "#" : "id ") + counter_key(source, number);
}

}  // namespace hkpd
