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

    /// Counts a fault and keeps it where there is room. It belongs to the input, record and sample that were entered
    /// last.
    void add(Severity severity, const Error& error, std::uint32_t object = no_index, std::uint32_t instance = no_index);

    /// As above, for one that belongs to an earlier input or sample.
    void add(const Diagnostic& diagnostic);

    /// From now on faults of this code are notes: legal in this run.
    void take_as_note(Errc code) { as_notes_.set(static_cast<std::size_t>(code)); }

    /// Takes over all that another has found meanwhile, and leaves it empty. What `other` added before its first input
    /// belongs to the last one here, and what it added to no sample, to the one that was entered here.
    void take(Diagnostics& other);

    /// Position in `inputs()` of the one that was entered last.
    std::uint32_t input() const noexcept { return static_cast<std::uint32_t>(inputs_.size()) - 1; }

    /// The record that was entered last.
    std::uint32_t record() const noexcept { return record_; }

    /// What is added from now on belongs to this input (a file's name, `-`).
    void enter_input(std::string_view name);
    /// What is added from now on belongs to this record of a capture (`no_index`: to the file itself).
    void enter_record(std::uint32_t record) noexcept { record_ = record; }
    /// What is added from now on belongs to this sample (`no_index`: to none).
    void enter_sample(std::uint32_t sample) noexcept { sample_ = sample; }
    /// Says of what was added from `first` to `end` (former sizes of `kept()`) which sample it belongs to.
    void assign_sample(std::size_t first, std::size_t end, std::uint32_t sample) noexcept;

    /// What the object of a number is called where that is no title index: the GUID of a counterset, or the name of an
    /// object that a log knows by that alone.
    void name_object(std::uint32_t number, std::string_view name);
    /// Empty where it was given no name. Valid until another object is named.
    std::string_view object_name(std::uint32_t number) const noexcept;

    /// Those that were kept, in the order in which they were found; the names that were entered, in theirs. Valid until
    /// something is added or entered.
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
    void take_object_names(std::vector<ObjectName>& names);

    std::size_t keep_;
    std::uint32_t sample_ = no_index, record_ = no_index;
    std::array<std::uint64_t, 3> counts_{};
    std::bitset<256> as_notes_;  // by code, which is a byte
    std::vector<Diagnostic> kept_;
    std::vector<std::string> inputs_;
    std::vector<ObjectName> object_names_;  // by ascending number, each once
};

}  // namespace hkpd
