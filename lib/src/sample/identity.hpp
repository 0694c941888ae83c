// Which instance of one sample is which of another: never by its place in the list, since a process that took the slot
// of one that ended is not that one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace hkpd {

class Sample;

/// Finds the objects, counters and instances of one sample in the sample before it. An instance is the same where its
/// parent's identity, its name, its UniqueID and its ID Process (784) or ID Thread (804) are; the first among equals is
/// the first, and so on. One whose name or id is damaged is none that was there before. In V2 only name and InstanceId
/// count; samples of V1 and V2 have nothing in common. Reusable: memory is kept.
class Matcher {
  public:
    Matcher();
    Matcher(Matcher&&) noexcept;
    Matcher& operator=(Matcher&&) noexcept;
    Matcher(const Matcher&) = delete;
    Matcher& operator=(const Matcher&) = delete;
    ~Matcher();

    /// Finds them. What is asked afterwards is of these two samples, as they were.
    void match(const Sample& before, const Sample& now);

    /// How many objects `now` had.
    std::size_t size() const noexcept;
    /// Position in `before.objects()` of an object of `now`; `no_index` where it was not there.
    std::uint32_t object(std::size_t position) const noexcept;
    /// For each instance of an object of `now` its place in that object before; `no_index` where it is new. Empty where
    /// the object is new.
    std::span<const std::uint32_t> rows(std::size_t object) const noexcept;
    /// Likewise for its counters, by title index.
    std::span<const std::uint32_t> columns(std::size_t object) const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Numbers the instances of a whole run: each identity has one number, which it keeps, also when it was away for a
/// while.
class Identities {
  public:
    /// What an instance is known by, whenever it was there.
    struct Identity {
        std::uint32_t object = 0;  ///< ObjectNameTitleIndex
        std::string_view parent;   ///< name of the direct parent; empty where it has none. Lives with the Identities
        std::string name;          ///< with `#n` where others of the object were called the same before: kept for good
        std::uint32_t repeat = 0;  ///< that n; 0 where `name` has none
        /// The name without `#n`.
        std::string_view own_name() const noexcept;
        /// `parent/name#n`, as in counter paths; empty for an object that is no list.
        std::string path() const;
    };

    /// At most so many identities; instances beyond have none.
    explicit Identities(std::size_t most);
    Identities(Identities&&) noexcept;
    Identities& operator=(Identities&&) noexcept;
    Identities(const Identities&) = delete;  // parents' names would lie in the other
    Identities& operator=(const Identities&) = delete;
    ~Identities();

    /// Takes in the next sample. `matches` tells which instance was which in the sample of this machine that was taken
    /// in before; null where there was none.
    void add(const Sample& now, const Matcher* matches);

    /// The number of an instance of the sample that was taken in last; `no_index` where it has none. No two instances
    /// of a sample have the same one.
    std::uint32_t number(std::size_t object, std::size_t row) const noexcept;
    /// The identity of a number below `size`.
    const Identity& operator[](std::uint32_t number) const noexcept;
    std::size_t size() const noexcept;
    /// Whether an instance had to go without a number.
    bool overflowed() const noexcept;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
