// Matches the instances of one sample with the instances of another sample. Positions in the instance list are not
// used, because a new process may be at the position of a process that has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace hkpd {

class Sample;

/// Finds the objects, counters and instances of one sample in the sample before it. Two instances are the same if their
/// parents, names and UniqueIDs are equal, and if their values of the counters ID Process (title index 784) and ID
/// Thread (title index 804) are equal, where the object has these counters. In V2, only names and InstanceIds are
/// compared. If a sample has several instances that are equal in all these fields, the first of them is paired with the
/// first in the other sample, the second with the second, and so on. An instance whose name or id is damaged matches no
/// instance. Samples from different sources (V1, V2, log) have no matches. A Matcher can be used again and keeps its
/// memory.
class Matcher {
  public:
    Matcher();
    Matcher(Matcher&&) noexcept;
    Matcher& operator=(Matcher&&) noexcept;
    Matcher(const Matcher&) = delete;
    Matcher& operator=(const Matcher&) = delete;
    ~Matcher();

    /// Matches two samples. The functions below refer to these samples, as they were at the time of the call.
    void match(const Sample& before, const Sample& now);

    /// Returns the number of objects in `now`.
    std::size_t size() const noexcept;
    /// Returns the position in `before.objects()` of an object of `now`; `no_index` if the object is new.
    std::uint32_t object(std::size_t position) const noexcept;
    /// Returns, for each instance of an object of `now`, the instance's row in the same object of `before`; `no_index`
    /// if the instance is new. Empty if the object is new.
    std::span<const std::uint32_t> rows(std::size_t object) const noexcept;
    /// Returns, for each counter of an object of `now`, the position of the counter with the same title index in the
    /// same object of `before`; `no_index` if the counter is new. Empty if the object is new.
    std::span<const std::uint32_t> columns(std::size_t object) const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Assigns numbers to the instances of a whole run. An instance keeps its number even if the instance is missing from
/// some samples.
class Identities {
  public:
    /// The identity of an instance throughout the run.
    struct Identity {
        std::uint32_t object = 0;  ///< ObjectNameTitleIndex
        std::string_view parent;   ///< name of the direct parent; empty if none. Valid as long as the Identities
        std::string name;          ///< with `#n` if earlier instances of the object had the same name; never changes
        std::uint32_t repeat = 0;  ///< n of `#n`; 0 if `name` has none
        /// Returns the name without `#n`.
        std::string_view own_name() const noexcept;
        /// Returns `parent/name#n`, as in counter paths; empty for an object without a list of instances.
        std::string path() const;
    };

    /// `most`: maximum number of identities. `name_bytes`: maximum total size in bytes of all keys and names of
    /// identities, counting each stored copy. Instances beyond a limit have no identity.
    explicit Identities(std::uint64_t most, std::uint64_t name_bytes = std::uint64_t{256} << 20U);
    Identities(Identities&&) noexcept;
    Identities& operator=(Identities&&) noexcept;
    Identities(const Identities&) = delete;  // the parents' names in a copy would refer to the original
    Identities& operator=(const Identities&) = delete;
    ~Identities();

    /// Adds the next sample. `matches` pairs the instances of `now` with the instances of the machine's previous
    /// sample; null if there was no previous sample.
    void add(const Sample& now, const Matcher* matches);

    /// Returns the number of an instance of the sample added last; `no_index` if the instance has no number. No two
    /// instances of a sample have the same number.
    std::uint32_t number(std::size_t object, std::size_t row) const noexcept;
    /// Returns the identity with this number, which must be below `size()`.
    const Identity& operator[](std::uint32_t number) const noexcept;
    std::size_t size() const noexcept;
    /// Returns whether any instance was left without a number, because a limit was reached or because objects contain
    /// each other's parents (a cycle, see `ObjectOrder`).
    bool overflowed() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
