// Values in scripts, and their conversions, as PowerShell makes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/error.hpp"

namespace hkpd::pal {

/// A value in a script. Texts that are numbers are numbers where they are used as numbers.
struct Value {
    enum class Kind : std::uint8_t { nothing, number, text, truth, list, map, collection, instance, series };
    Kind kind = Kind::nothing;
    double number = 0;      // of truth: 0 or 1
    std::string_view text;  // valid as long as what it was taken from
    /// list, map: its position in `ValueStore`. collection: its position in the script. instance, series: the
    /// collection of the instance, whose position in it is `number`. number: the series whose value it is, or
    /// `no_index`.
    std::uint32_t place = no_index;

    static Value of(double number) noexcept { return {Kind::number, number, {}}; }
    static Value of(std::string_view text) noexcept { return {Kind::text, 0, text}; }
    static Value of_truth(bool truth) noexcept { return {Kind::truth, truth ? 1.0 : 0.0, {}}; }
};

/// The texts, lists and maps that one evaluation makes. Lists and maps are kept by reference, as in PowerShell: copies
/// of a value are the same list.
class ValueStore {
  public:
    ValueStore(std::size_t text_bytes, std::size_t elements) noexcept : text_bytes_(text_bytes), elements_(elements) {}

    using List = std::vector<Value>;
    /// Keys are compared as names are.
    using Map = std::vector<std::pair<std::string_view, Value>>;

    /// Keeps a text; `nothing` if there are too many.
    Value keep(std::string text);
    Value new_list();
    Value new_map();
    const List& list(const Value& of) const noexcept { return lists_[of.place]; }
    const Map& map(const Value& of) const noexcept { return maps_[of.place]; }
    /// Returns whether the element could be added.
    bool add(const Value& list, const Value& element);
    bool set(const Value& list, std::size_t position, const Value& element);
    /// Sets the value of a key; returns false if it cannot be added.
    bool set(const Value& map, std::string_view key, const Value& element);
    /// Returns the value of a key; null if the map does not have it.
    const Value* find(const Value& map, std::string_view key) const;

  private:
    std::size_t text_bytes_, elements_;  // what is left
    std::forward_list<std::string> texts_;
    std::vector<List> lists_;
    std::vector<Map> maps_;
};

/// Returns the value as a number; an empty text is 0, as in PowerShell. Returns none for a text that is no number, and
/// for lists and instances.
std::optional<double> to_number(const Value& value) noexcept;
/// Returns whether a condition with this value holds.
bool to_truth(const Value& value, const ValueStore& store) noexcept;
/// Returns the value as text.
std::string to_text(const Value& value);
/// Returns whether `-eq` holds.
bool are_equal(const Value& a, const Value& b);

}  // namespace hkpd::pal
