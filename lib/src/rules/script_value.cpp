#include "rules/script_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text/names.hpp"
#include "base/text/parse_number.hpp"

namespace hkpd::pal {
namespace {

std::string_view trimmed(std::string_view text) noexcept {
    const auto begin = text.find_first_not_of(' ');
    return begin == std::string_view::npos ? std::string_view{}
                                           : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

Value ValueStore::keep(std::string text) {
    const std::size_t bytes = text.size() + sizeof(std::string);
    if (bytes > text_bytes_) return {};
    text_bytes_ -= bytes;
    return Value::of(std::string_view(texts_.emplace_front(std::move(text))));
}

Value ValueStore::new_list() {
    if (elements_ == 0) return {};
    --elements_;
    lists_.emplace_back();
    return {.kind = Value::Kind::list, .text = {}, .place = static_cast<std::uint32_t>(lists_.size() - 1)};
}

Value ValueStore::new_map() {
    if (elements_ == 0) return {};
    --elements_;
    maps_.emplace_back();
    return {.kind = Value::Kind::map, .text = {}, .place = static_cast<std::uint32_t>(maps_.size() - 1)};
}

bool ValueStore::add(const Value& list, const Value& element) {
    if (elements_ == 0) return false;
    --elements_;
    lists_[list.place].push_back(element);
    return true;
}

bool ValueStore::set(const Value& list, std::size_t position, const Value& element) {
    if (position >= lists_[list.place].size()) return false;
    lists_[list.place][position] = element;
    return true;
}

bool ValueStore::set(const Value& map, std::string_view key, const Value& element) {
    for (auto& [known, value] : maps_[map.place])
        if (compare_names(known, key) == 0) {
            value = element;
            return true;
        }
    if (elements_ == 0) return false;
    --elements_;
    maps_[map.place].emplace_back(key, element);
    return true;
}

const Value* ValueStore::find(const Value& map, std::string_view key) const {
    for (const auto& [known, value] : maps_[map.place])
        if (compare_names(known, key) == 0) return &value;
    return nullptr;
}

std::optional<double> to_number(const Value& value) noexcept {
    if (value.kind == Value::Kind::number || value.kind == Value::Kind::truth) return value.number;
    if (value.kind != Value::Kind::text) return std::nullopt;
    const std::string_view text = trimmed(value.text);
    if (text.empty()) return 0.0;
    const auto number = parse_double(text);
    return number && std::isfinite(*number) ? number : std::nullopt;
}

bool to_truth(const Value& value, const ValueStore& store) noexcept {
    switch (value.kind) {
        case Value::Kind::text:
            return !value.text.empty();
        case Value::Kind::number:
        case Value::Kind::truth:
            return value.number != 0;
        case Value::Kind::list: {
            const ValueStore::List& list = store.list(value);
            // A list with one element is as true as this; a list in a list is true.
            const bool is_single = list.size() == 1 && list.front().kind != Value::Kind::list;
            return is_single ? to_truth(list.front(), store) : !list.empty();
        }
        default:
            return value.kind != Value::Kind::nothing;
    }
}

std::string to_text(const Value& value) {
    if (value.kind == Value::Kind::truth) return value.number != 0 ? "True" : "False";
    if (value.kind == Value::Kind::number) return fmt::format("{}", value.number);
    return std::string(value.text);
}

bool are_equal(const Value& a, const Value& b) {
    if (a.kind == Value::Kind::nothing || b.kind == Value::Kind::nothing) return a.kind == b.kind;
    const auto first = to_number(a), second = to_number(b);
    const bool has_truth = a.kind == Value::Kind::truth || b.kind == Value::Kind::truth;
    const bool has_text = a.kind == Value::Kind::text || b.kind == Value::Kind::text;
    if (a.kind == Value::Kind::text && b.kind == Value::Kind::text) return compare_names(a.text, b.text) == 0;
    if (first && second && !(has_truth && has_text)) return *first == *second;
    return a.kind <= Value::Kind::truth && b.kind <= Value::Kind::truth && compare_names(to_text(a), to_text(b)) == 0;
}

}  // namespace hkpd::pal
