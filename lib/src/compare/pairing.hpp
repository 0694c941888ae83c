// Which sample of one door goes with which of the other.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "compare/snapshot.hpp"

namespace hkpd {

/// Holds samples until their partner has come, or cannot come any more. Samples of a door that are older than one of
/// its own that has found its partner are given up.
class SamplePairs {
  public:
    /// Takes a V1 and a V2 sample of one moment. `neighbours`: the samples before them were a pair too, or neither had
    /// one: what was cooked of them is of the same interval.
    using Taker = std::function<void(const KeptSample& v1, const KeptSample& v2, bool neighbours)>;

    /// Nanoseconds, bytes.
    SamplePairs(std::int64_t window, std::uint64_t buffer, std::uint32_t machines) noexcept
        : window_(window), buffer_(buffer), most_machines_(machines) {}

    /// `cooked_alone`: there was no sample before it.
    void add(KeptSample sample, bool cooked_alone, const Taker& take);
    /// No more samples come.
    void finish(const Taker& take);

    std::uint64_t v1_alone() const noexcept { return v1_alone_; }
    std::uint64_t v2_alone() const noexcept { return v2_alone_; }
    std::uint64_t forgotten() const noexcept { return forgotten_; }

  private:
    using Queue = std::multimap<std::int64_t, KeptSample>;  // by moment
    struct Ids {
        std::uint64_t v1 = 0, v2 = 0;
    };
    struct Machine {
        Queue v1, v2;
        std::array<std::uint64_t, sample_sources> last{};  // by door: ids
        Ids last_pair;
    };
    Machine& machine_of(const KeptSample& sample);
    void settle(Machine& machine, bool final, const Taker& take);
    Queue::iterator nearest(Queue& queue, std::int64_t moment) const;
    void drop(Queue& queue, Queue::iterator end, std::uint64_t& alone);
    void forget_oldest();
    void forget_all();

    std::int64_t window_;
    std::uint64_t buffer_;
    std::uint32_t most_machines_;
    std::map<std::string, Machine> machines_;  // by name in lower case; empty: unknown
    std::uint64_t count_ = 0, memory_ = 0, v1_alone_ = 0, v2_alone_ = 0, forgotten_ = 0;
};

}  // namespace hkpd
