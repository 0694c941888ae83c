// The faults of all inputs of a run, in one list.
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

/// Appends a message that describes the fault. The message is lowercase and has no full stop. It contains `need` and
/// `have` if they have a meaning for the fault's code, but not the offset, structure and field.
void append_message(std::string& out, const Error& error);

/// The faults of one run, in the order in which they were found. The list counts all faults, but keeps only the first
/// `keep` faults of each severity and every `cannot_read`, so that a hostile input cannot fill the memory. Counting a
/// fault without keeping it allocates no memory.
class Diagnostics {
  public:
    /// Constructs an empty list that keeps at most `keep` faults of each severity and only counts the others.
    explicit Diagnostics(std::size_t keep = 1000) noexcept : keep_(keep) {}

    /// Returns an empty list with the same settings: `keep`, and the codes that `take_as_note` was called with.
    Diagnostics empty_copy() const {
        Diagnostics list(keep_);
        list.as_notes_ = as_notes_;
        return list;
    }

    /// Adds a fault. Its place is the input that was added last. Counts the fault, and keeps it if fewer than `keep`
    /// faults of its severity came before.
    void add(Severity severity, const Error& error, std::uint32_t object = no_index, std::uint32_t instance = no_index);
    /// Adds a fault with the place that `diagnostic` states. Counts the fault, and keeps it if fewer than `keep` faults
    /// of its severity came before.
    void add(const Diagnostic& diagnostic);

    /// Changes the severity to note for all faults with this code that are added afterwards. Used for faults that are
    /// legal in this run.
    void take_as_note(Errc code) { as_notes_.set(static_cast<std::size_t>(code)); }

    /// Moves all faults of `other` to the end of this list and assigns them `place`.
    void take(Diagnostics& other, const Place& place);
    /// Moves all faults of `other` to the end of this list. A fault in input `i` of `other` becomes a fault in input
    /// `inputs[i]` of this list. A fault without an input is assigned the input that was added to this list last.
    void take(Diagnostics& other, std::span<const std::uint32_t> inputs);

    /// Adds the name of an input (a file's name, or `-` for standard input). Returns its position in `inputs()`, for
    /// `Place::input`.
    std::uint32_t add_input(std::string_view name);
    /// Returns the position of the input that was added last; `no_index` if there is none.
    std::uint32_t last_input() const noexcept { return static_cast<std::uint32_t>(inputs_.size()) - 1; }

    /// Sets the name of an object whose number is not a title index: the GUID of a counterset, or the name of an object
    /// that a log knows only by name. A number keeps the first name that it is given.
    void name_object(std::uint32_t number, std::string_view name);
    /// Returns the name of an object; empty if it has none. Valid until another object is named.
    std::string_view object_name(std::uint32_t number) const noexcept;

    /// Returns the faults that were kept, in the order in which they were found. Valid until a fault is added.
    std::span<const Diagnostic> kept() const noexcept { return kept_; }
    /// Returns the names of the inputs, in the order in which they were added. Valid until an input is added.
    std::span<const std::string> inputs() const noexcept { return inputs_; }
    /// Returns the number of faults of a severity, including those that were not kept.
    std::uint64_t count(Severity severity) const noexcept { return counts_[static_cast<std::size_t>(severity)]; }
    /// Returns the number of faults of all severities, including those that were not kept.
    std::uint64_t count() const noexcept { return counts_[0] + counts_[1] + counts_[2]; }
    /// Returns whether a warning or an error was added, even if it was not kept. Notes do not count.
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
