// Matches the instances of one sample with the instances of another sample. Positions in the instance list are not
// used, because a new process may be at the position of a process that has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

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

}  // namespace hkpd
