// The messages of faults, and the implementation of `FaultSink` and `Diagnostics`.
#include "hkpd/error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "base/fault_table.hpp"
#include "base/file_stream.hpp"
#include "base/win32.hpp"
#include "hkpd/diagnostics.hpp"

namespace hkpd {
namespace {

using enum NumberForm;

bool is_comparison(NumberForm numbers) noexcept { return numbers == expected_found || numbers == signed_count; }

/// Appends `expected 2, found 1`, or `found 1`.
void append_named(std::string& out, const FaultNumbers& numbers) {
    std::string_view separator;
    for (const FaultNumber& number : numbers) {
        if (number.is_signed)
            fmt::format_to(std::back_inserter(out), "{}{} {}", separator, number.name,
                           static_cast<std::int32_t>(number.value));
        else
            fmt::format_to(std::back_inserter(out), "{}{} {}", separator, number.name, number.value);
        separator = ", ";
    }
}

}  // namespace

bool has_place(Errc code) noexcept { return code != Errc::query_failed && code != Errc::ticks_missed; }

std::string_view code_name(Errc code) noexcept { return fault_row(code).name; }

Severity usual_severity(Errc code) noexcept { return fault_row(code).severity; }

FaultNumbers fault_numbers(const Error& error) noexcept {
    const FaultNumber found_one{"found", error.found};
    switch (fault_row(error.code).numbers) {
        case none:
            return {};
        case found:
        case value:
            return FaultNumbers(found_one);
        case expected_found:
            return {{"expected", error.expected}, found_one};
        case signed_count:
            return {{"expected", error.expected, true}, {"found", error.found, true}};
        case line:
            return error.expected == 0 ? FaultNumbers(found_one) : FaultNumbers({"line", error.expected}, found_one);
        case range:
            return {{"first", error.expected}, {"last", error.found}};
        case system:
            return FaultNumbers({"error_number", error.found});
        case status:
            return FaultNumbers({"status", error.found});
        case language:
            return FaultNumbers({"language", error.found});
    }
    return {};
}

void append_message(std::string& out, const Error& error) {
    const NumberForm numbers = fault_row(error.code).numbers;
    const bool equal = error.expected == error.found;
    out += sentence_for(error);
    // The message is the sentence alone if the fault shows no numbers, or if the two numbers to compare are equal.
    if (numbers == none || (is_comparison(numbers) && equal)) return;
    out += numbers == value ? " " : ": ";
    if (numbers == system) {
        out += read_message(static_cast<int>(error.found));
    } else if (numbers == language) {
        fmt::format_to(std::back_inserter(out), "{:03X}", error.found);
    } else if (numbers == status) {
        win32::append_status(out, static_cast<std::uint32_t>(error.found));
    } else if (numbers == value || (numbers == range && equal)) {
        fmt::format_to(std::back_inserter(out), "{}", error.found);
    } else if (numbers == range) {
        fmt::format_to(std::back_inserter(out), "{} to {}", error.expected, error.found);
    } else {
        append_named(out, fault_numbers(error));
    }
}

void append_message(std::string& out, const Diagnostic& diagnostic) {
    append_message(out, diagnostic.error);
    if (diagnostic.cell == nullptr) return;
    const FaultCell& cell = *diagnostic.cell;
    const char* separator = ": ";
    const auto add = [&](std::string_view name, std::string_view text) {
        if (text.empty()) return;
        out.append(std::exchange(separator, ", ")).append(name).append(text);
    };
    if (cell.line != 0)
        add("line ", std::to_string(cell.line));
    else if (diagnostic.place.sample != no_index)
        add("sample ", std::to_string(diagnostic.place.sample));
    add("time ", cell.time);
    add("after the row of ", cell.time_before);
    add("", cell.path);
    if (cell.text) add("found ", '"' + *cell.text + '"');
}

std::string_view severity_name(Severity severity) noexcept {
    constexpr std::array<std::string_view, 3> names{"note", "warning", "error"};
    return names[static_cast<std::size_t>(severity)];
}

FaultSink::FaultSink(Diagnostics& list) noexcept : list_(&list), place_{.input = list.last_input()} {}

void FaultSink::add(Severity severity, const Error& error, std::uint32_t object, std::uint32_t instance) const {
    if (list_ != nullptr) list_->add({severity, error, object, instance, place_});
}

void FaultSink::add(const Error& error, std::uint32_t object, std::uint32_t instance) const {
    add(usual_severity(error.code), error, object, instance);
}

void FaultSink::add(Severity severity, const Error& error, FaultCell cell, std::uint32_t object,
                    std::uint32_t instance) const {
    if (list_ == nullptr) return;
    list_->add({severity, error, object, instance, place_, std::make_shared<const FaultCell>(std::move(cell))});
}

bool FaultSink::keeps(Severity severity) const noexcept { return list_ != nullptr && list_->keeps(severity); }

void FaultSink::take(Diagnostics& other) const {
    if (list_ != nullptr) list_->take(other, place_);
}

void FaultSink::name_object(std::uint32_t number, std::string_view name) const {
    if (list_ != nullptr) list_->name_object(number, name);
}

std::string_view FaultSink::object_name(std::uint32_t number) const noexcept {
    return list_ == nullptr ? std::string_view{} : list_->object_name(number);
}

std::optional<std::uint64_t> FaultSink::count() const noexcept {
    return list_ == nullptr ? std::nullopt : std::optional(list_->count());
}

void Diagnostics::add(Severity severity, const Error& error, std::uint32_t object, std::uint32_t instance) {
    add({severity, error, object, instance, {.input = last_input()}});
}

void Diagnostics::add(const Error& error, std::uint32_t object, std::uint32_t instance) {
    add(usual_severity(error.code), error, object, instance);
}

void Diagnostics::add(const Diagnostic& diagnostic) {
    const Errc code = diagnostic.error.code;
    const Severity severity = as_notes_[static_cast<std::size_t>(code)] ? Severity::note : diagnostic.severity;
    const std::uint64_t before = counts_[static_cast<std::size_t>(severity)]++;
    // Callers search the kept faults for these codes to choose the exit status.
    const bool is_sought = code == Errc::cannot_read || (code == Errc::foreign_file && severity == Severity::error);
    if (before < keep_ || is_sought) kept_.emplace_back(diagnostic).severity = severity;
}

void Diagnostics::locate(const FaultCell& cell) {
    const auto shared = std::make_shared<const FaultCell>(cell);
    for (Diagnostic& diagnostic : kept_)
        if (diagnostic.cell == nullptr) diagnostic.cell = shared;
}

std::uint32_t Diagnostics::add_input(std::string_view name) {
    inputs_.emplace_back(name);
    return last_input();
}

void Diagnostics::take(Diagnostics& other, const Place& place) {
    if (other.count() == 0 && other.object_names_.empty()) return;
    take_each(other, [&place](const Place&) { return place; });
}

void Diagnostics::take(Diagnostics& other, std::span<const std::uint32_t> inputs) {
    take_each(other, [&](Place place) {
        place.input = place.input < inputs.size() ? inputs[place.input] : last_input();
        return place;
    });
}

template <class PlaceOf>
void Diagnostics::take_each(Diagnostics& other, PlaceOf place_of) {
    std::array<std::uint64_t, 3> not_kept = std::exchange(other.counts_, {});
    for (Diagnostic& diagnostic : other.kept_) {
        --not_kept[static_cast<std::size_t>(diagnostic.severity)];
        diagnostic.place = place_of(diagnostic.place);
        add(diagnostic);
    }
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += not_kept[i];
    other.kept_.clear();
    take_object_names(other.object_names_);
    other.object_names_.clear();
}

void Diagnostics::name_object(std::uint32_t number, std::string_view name) {
    const auto place = std::ranges::lower_bound(object_names_, number, {}, &ObjectName::number);
    if (place == object_names_.end() || place->number != number)
        object_names_.insert(place, {number, std::string(name)});
}

/// Adds a name from `names` to `object_names_` if `object_names_` has no name with the same number. Both lists are
/// sorted by number.
void Diagnostics::take_object_names(std::vector<ObjectName>& names) {
    const std::size_t known = object_names_.size();
    for (ObjectName& named : names)
        if (!std::ranges::binary_search(std::span(object_names_).first(known), named.number, {}, &ObjectName::number))
            object_names_.push_back(std::move(named));
    std::ranges::inplace_merge(object_names_, object_names_.begin() + static_cast<std::ptrdiff_t>(known), {},
                               &ObjectName::number);
}

std::string_view Diagnostics::object_name(std::uint32_t number) const noexcept {
    const auto found = std::ranges::lower_bound(object_names_, number, {}, &ObjectName::number);
    return found == object_names_.end() || found->number != number ? std::string_view{} : found->name;
}

}  // namespace hkpd
