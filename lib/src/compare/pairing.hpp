// Which sample of one interface goes with which of the other.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "compare/snapshot.hpp"
#include "hkpd/compare.hpp"

namespace hkpd {

/// Holds samples until their partner has come, or cannot come any more. Samples of an interface that are older than one
/// of its own that has found its partner are given up.
class SamplePairs {
  public:
    /// Takes a V1 and a V2 sample of one moment. `neighbours`: the samples before them were a pair too, or neither had
    /// one: what was cooked of them is of the same interval.
    using Taker = std::function<void(const KeptSample& v1, const KeptSample& v2, bool neighbours)>;

    /// Keeps references. Counts samples without a partner in `found`.
    SamplePairs(const CompareOptions& options, Comparison& found, Taker take)
        : options_(options), found_(found), take_(std::move(take)) {}

    /// `cooked_alone`: there was no sample before it.
    void add(KeptSample sample, bool cooked_alone);
    /// No more samples come.
    void finish();

  private:
    using Queue = std::multimap<std::int64_t, KeptSample>;  // by moment
    using Ids = std::pair<std::uint64_t, std::uint64_t>;    // V1, V2
    struct Machine {
        Queue v1, v2;
        std::array<std::uint64_t, sample_sources> last{};  // by source: ids
        Ids last_pair;
    };
    Machine& machine_of(const KeptSample& sample);
    void settle(Machine& machine, bool final);
    Queue::iterator nearest(Queue& queue, std::int64_t moment) const;
    void drop(Queue& queue, Queue::iterator end, std::uint64_t& alone);
    void evict_oldest();
    void evict_all();

    const CompareOptions& options_;
    Comparison& found_;
    Taker take_;
    std::map<std::string, Machine> machines_;  // by name in lower case; empty: unknown
    std::uint64_t count_ = 0, memory_ = 0;
};

}  // namespace hkpd
