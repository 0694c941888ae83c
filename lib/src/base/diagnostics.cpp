#include "hkpd/diagnostics.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace hkpd {

void Diagnostics::add(Severity severity, const Error& error, std::uint32_t object, std::uint32_t instance) {
    add({severity, error, object, instance, sample_, input(), record_});
}

void Diagnostics::add(const Diagnostic& diagnostic) {
    Diagnostic added = diagnostic;
    if (as_notes_[static_cast<std::size_t>(added.error.code)]) added.severity = Severity::note;
    const std::uint64_t before = counts_[static_cast<std::size_t>(added.severity)]++;
    // That something could not be read decides what the whole run comes to.
    if (before < keep_ || added.error.code == Errc::cannot_read) kept_.push_back(added);
}

void Diagnostics::enter_input(std::string_view name) {
    inputs_.emplace_back(name);
    record_ = no_index;
}

void Diagnostics::take(Diagnostics& other) {
    const auto inputs_before = static_cast<std::uint32_t>(inputs_.size());
    std::array<std::uint64_t, 3> not_kept = other.counts_;
    for (Diagnostic diagnostic : other.kept_) {
        diagnostic.input = diagnostic.input == no_index ? input() : inputs_before + diagnostic.input;
        if (diagnostic.sample == no_index) diagnostic.sample = sample_;
        --not_kept[static_cast<std::size_t>(diagnostic.severity)];
        add(diagnostic);
    }
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += not_kept[i];
    for (std::string& name : other.inputs_) inputs_.push_back(std::move(name));
    take_object_names(other.object_names_);
    record_ = other.record_;
    other = Diagnostics(other.keep_);
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

void Diagnostics::assign_sample(std::size_t first, std::size_t end, std::uint32_t sample) noexcept {
    for (std::size_t i = first; i < end; ++i) kept_[i].sample = sample;
}

}  // namespace hkpd
