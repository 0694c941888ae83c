// All that is wrong with the inputs of a run, in one list.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/error.hpp"

namespace hkpd {

/// Appends the fault in plain words: lowercase, no full stop, with the numbers where the code has any.
/// Offset, structure and field are not repeated in it.
void append_message(std::string& out, const Error& error);

/// All that was found in one run, in the order in which it was found. Counts everything and keeps the first
/// `keep` of each severity, so that a hostile input cannot fill the memory. Allocates only when it keeps something.
class Diagnostics {
  public:
    /// `keep`: how many of each severity are kept at most; the others are only counted.
    explicit Diagnostics(std::size_t keep = 1000) noexcept : keep_(keep) {}

    /// Returns an empty list that keeps as many and has the same codes as notes.
    Diagnostics alike() const {
        Diagnostics list(keep_);
        list.as_notes_ = as_notes_;
        return list;
    }

    /// Counts a fault and keeps it while there is room for its severity. This one belongs to the input added last.
    void add(Severity severity, const Error& error, std::uint32_t object = no_index, std::uint32_t instance = no_index);
    void add(const Diagnostic& diagnostic);

    /// From now on faults of this code are notes: legal in this run.
    void take_as_note(Errc code) { as_notes_.set(static_cast<std::size_t>(code)); }

    /// Moves all faults of another list to the end of this one. They belong to `place`.
    void take(Diagnostics& other, const Place& place);
    /// Moves all faults of another list to the end of this one. `inputs` has the position here of each input there;
    /// faults without one belong to the input added last.
    void take(Diagnostics& other, std::span<const std::uint32_t> inputs);

    /// Adds an input (a file's name, `-`) and returns its position in `inputs()`, for `Place::input`.
    std::uint32_t add_input(std::string_view name);
    /// Returns the position of the input that was added last; `no_index` before the first.
    std::uint32_t last_input() const noexcept { return static_cast<std::uint32_t>(inputs_.size()) - 1; }

    /// What the object of a number is called where that is no title index: the GUID of a counterset, or the name of an
    /// object that a log knows by that alone.
    void name_object(std::uint32_t number, std::string_view name);
    /// Empty where it was given no name. Valid until another object is named.
    std::string_view object_name(std::uint32_t number) const noexcept;

    /// Those that were kept, in the order in which they were found; the inputs' names, in theirs. Valid until
    /// something is added.
    std::span<const Diagnostic> kept() const noexcept { return kept_; }
    std::span<const std::string> inputs() const noexcept { return inputs_; }
    /// How many were added, kept or not.
    std::uint64_t count(Severity severity) const noexcept { return counts_[static_cast<std::size_t>(severity)]; }
    /// Of all severities together.
    std::uint64_t count() const noexcept { return counts_[0] + counts_[1] + counts_[2]; }
    /// Whether anything breaks a rule: what strict mode refuses.
    bool any_fault() const noexcept { return count(Severity::warning) + count(Severity::error) != 0; }

  private:
    struct ObjectName {
        std::uint32_t number;
        std::string name;
    };
    template <class PlaceOf>
    void take_each(Diagnostics& other, PlaceOf place_of);
    void take_object_names(std::vector<ObjectName>& names);

    std::size_t keep_;
    std::array<std::uint64_t, 3> counts_{};
    std::bitset<256> as_notes_;  // by code, which is a byte
    std::vector<Diagnostic> kept_;
    std::vector<std::string> inputs_;
    std::vector<ObjectName> object_names_;  // by ascending number, each once
};

}  // namespace hkpd
