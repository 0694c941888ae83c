// A list of the faults in all inputs of a run.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/error.hpp"

namespace hkpd {

/// Appends a message that describes the fault. The message is lowercase and has no full stop. It contains the numbers
/// `Error::expected` and `Error::found` if they have a meaning for the fault's code. It does not contain the offset,
/// the structure or the field of the fault.
void append_message(std::string& out, const Error& error);
/// Appends the same message and, for a fault in a row of a log, its line or the number of its sample, its time and
/// counter path, and what was found.
void append_message(std::string& out, const Diagnostic& diagnostic);

/// A number of a fault, under the name that states its meaning: `expected`, `found`, `first`, `last`, `error_number`,
/// `status`.
struct FaultNumber {
    std::string_view name;
    std::uint64_t value = 0;
    bool is_signed = false;  ///< the value is a signed 32-bit number: a count of -1 stands for "none"
};

/// The numbers of a fault that have a meaning for its code: none, one or two. Iterable.
class FaultNumbers {
  public:
    FaultNumbers() = default;
    explicit FaultNumbers(FaultNumber only) : all_{only}, count_(1) {}
    FaultNumbers(FaultNumber first, FaultNumber second) : all_{first, second}, count_(2) {}

    const FaultNumber* begin() const noexcept { return all_.data(); }
    const FaultNumber* end() const noexcept { return all_.data() + count_; }

  private:
    std::array<FaultNumber, 2> all_{};
    std::size_t count_ = 0;
};

/// Returns the numbers of a fault, in the order in which messages show them.
FaultNumbers fault_numbers(const Error& error) noexcept;

/// The faults of one run, in the order in which they were found. The list counts all faults, but stores (keeps) only
/// the first `keep` faults of each severity and every fault with code `cannot_read`, so that a hostile input cannot
/// fill the memory. Counting a fault without keeping it allocates no memory.
class Diagnostics {
  public:
    /// Constructs an empty list that keeps the first `keep` faults of each severity and every `cannot_read`, and only
    /// counts the others.
    explicit Diagnostics(std::size_t keep = 1000) noexcept : keep_(keep) {}

    /// Returns an empty list with the settings of this list: `keep`, and the codes for which `take_as_note` was called.
    Diagnostics empty_copy() const {
        Diagnostics list(keep_);
        list.as_notes_ = as_notes_;
        return list;
    }

    /// Adds a fault, and assigns it the input that was added last as its place. Counts the fault. Keeps it if fewer
    /// than `keep` faults of its severity came before, or if its code is `cannot_read`.
    void add(Severity severity, const Error& error, std::uint32_t object = no_index, std::uint32_t instance = no_index);
    /// Adds a fault with the usual severity of its code, as the first `add` does.
    void add(const Error& error, std::uint32_t object = no_index, std::uint32_t instance = no_index);
    /// Adds a fault with the place that `diagnostic` states. Counts and keeps the fault as the first `add` does.
    void add(const Diagnostic& diagnostic);

    /// Makes notes of all faults with this code that are added later: their severity becomes `Severity::note`. Intended
    /// for codes that describe valid data in the inputs of the caller.
    void take_as_note(Errc code) { as_notes_.set(static_cast<std::size_t>(code)); }

    /// Moves all faults of `other` to the end of this list and assigns `place` to each of them. Moves the names of
    /// objects (`name_object`) too. Afterwards `other` contains no faults and no names of objects.
    void take(Diagnostics& other, const Place& place);
    /// Moves all faults of `other` to the end of this list. A fault in input `i` of `other` becomes a fault in input
    /// `inputs[i]` of this list. If a fault has no input, or if `inputs` has no element for its input, the fault is
    /// assigned the input that was added to this list last. Moves the names of objects too.
    void take(Diagnostics& other, std::span<const std::uint32_t> inputs);

    /// The length of a list at some time.
    struct Mark {
        std::size_t kept = 0;
        std::array<std::uint64_t, 3> counts{};
        bool operator==(const Mark&) const = default;
    };
    /// Returns the length of the list.
    Mark mark() const noexcept { return {kept_.size(), counts_}; }
    /// Removes the faults that were added between two marks, except those for which `stays` returns true, and those
    /// with code `cannot_read`. Faults that were only counted are removed. Inputs and names of objects stay. Later
    /// marks are no longer valid.
    template <class Stays>
    void forget(const Mark& from, const Mark& to, const Stays& stays) {
        std::array<std::uint64_t, 3> staying{};
        const auto begin = kept_.begin();
        const auto goes = [&](const Diagnostic& found) {
            const bool kept = found.error.code == Errc::cannot_read || stays(found);
            if (kept) ++staying[static_cast<std::size_t>(found.severity)];
            return !kept;
        };
        const auto end = begin + static_cast<std::ptrdiff_t>(to.kept);
        kept_.erase(std::remove_if(begin + static_cast<std::ptrdiff_t>(from.kept), end, goes), end);
        for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] -= to.counts[i] - from.counts[i] - staying[i];
    }
    /// Adds a number to the sample numbers of the faults that were added since a mark.
    void renumber_since(const Mark& mark, std::uint64_t more) noexcept {
        for (std::size_t i = mark.kept; i < kept_.size(); ++i)
            if (kept_[i].place.sample != no_index) kept_[i].place.sample += static_cast<std::uint32_t>(more);
    }

    /// Returns whether a fault that was kept after a mark has a number of a sample.
    bool is_numbered_since(const Mark& mark) const noexcept {
        for (std::size_t i = mark.kept; i < kept_.size(); ++i)
            if (kept_[i].place.sample != no_index) return true;
        return false;
    }

    /// Sets the cell of the kept faults that have none.
    void locate(const FaultCell& cell);
    /// Sets the sample number of the faults in rows of logs that were kept since a mark and have none.
    void number_rows_since(const Mark& mark, std::uint32_t sample) noexcept {
        for (std::size_t i = mark.kept; i < kept_.size(); ++i)
            if (kept_[i].cell != nullptr && kept_[i].place.sample == no_index) kept_[i].place.sample = sample;
    }

    /// Replaces the cell of each fault that was kept since a mark and has one by what `replace` returns for it.
    template <class Replace>
    void replace_cells_since(const Mark& mark, const Replace& replace) {
        for (std::size_t i = mark.kept; i < kept_.size(); ++i)
            if (kept_[i].cell != nullptr) kept_[i].cell = std::make_shared<const FaultCell>(replace(*kept_[i].cell));
    }

    /// Returns whether a fault of this severity that is added next is kept.
    bool keeps(Severity severity) const noexcept { return count(severity) < keep_; }

    /// Adds the name of an input (a file's name, or `-` for standard input). Returns its position in `inputs()`, for
    /// `Place::input`.
    std::uint32_t add_input(std::string_view name);
    /// Replaces the name of an input.
    void rename_input(std::uint32_t input, std::string_view name) { inputs_[input] = name; }
    /// Returns the position of the input that was added last; `no_index` if there is none.
    std::uint32_t last_input() const noexcept { return static_cast<std::uint32_t>(inputs_.size()) - 1; }

    /// Sets the name of an object whose number is not a title index. For a V2 counterset, `name` is its GUID. For an
    /// object that has no title index in its log, `name` is its name in the log. If the number already has a name, the
    /// earlier name stays.
    void name_object(std::uint32_t number, std::string_view name);
    /// Returns the name that `name_object` set for an object; empty if there is none. Valid until another object is
    /// named.
    std::string_view object_name(std::uint32_t number) const noexcept;

    /// Returns the faults that were kept, in the order in which they were found. Valid until a fault is added.
    std::span<const Diagnostic> kept() const noexcept { return kept_; }
    /// Returns the names of the inputs, in the order in which they were added. Valid until an input is added.
    std::span<const std::string> inputs() const noexcept { return inputs_; }
    /// Returns the number of faults of a severity, including those that were not kept.
    std::uint64_t count(Severity severity) const noexcept { return counts_[static_cast<std::size_t>(severity)]; }
    /// Returns the number of faults of all severities, including those that were not kept.
    std::uint64_t count() const noexcept { return counts_[0] + counts_[1] + counts_[2]; }
    /// Returns whether a warning or an error was added, whether kept or only counted. Notes do not count.
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
    std::bitset<256> as_notes_;  // indexed by code; a code is one byte
    std::vector<Diagnostic> kept_;
    std::vector<std::string> inputs_;
    std::vector<ObjectName> object_names_;  // in ascending order of `number`, each number once
};

}  // namespace hkpd
