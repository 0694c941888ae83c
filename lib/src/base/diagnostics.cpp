#include "hkpd/diagnostics.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace hkpd {

FaultSink::FaultSink(Diagnostics& list) noexcept : list_(&list), place_{.input = list.last_input()} {}

void FaultSink::add(Severity severity, const Error& error, std::uint32_t object, std::uint32_t instance) const {
    if (list_ != nullptr) list_->add({severity, error, object, instance, place_});
}

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

void Diagnostics::add(const Diagnostic& diagnostic) {
    Diagnostic added = diagnostic;
    if (as_notes_[static_cast<std::size_t>(added.error.code)]) added.severity = Severity::note;
    const std::uint64_t before = counts_[static_cast<std::size_t>(added.severity)]++;
    // That something could not be read decides what the whole run comes to.
    if (before < keep_ || added.error.code == Errc::cannot_read) kept_.push_back(added);
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

/// Takes over those that have no name here. Both lists ascend.
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
