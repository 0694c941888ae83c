// The countersets that are registered with a provider. `Provider`, `LocalPerfLib` and `append_v1_view` share them.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "hkpd/provider.hpp"
#include "hkpd/v2.hpp"
#include "provider/contract.hpp"

namespace hkpd {

/// An aggregate of the values of one counter. The values are added one at a time.
class Aggregation {
  public:
    void add(std::uint64_t value) noexcept {
        high_ += value >> 32;
        low_ += value & 0xFFFF'FFFF;
        least_ = std::min(least_, value);
        most_ = std::max(most_, value);
        ++count_;
    }
    bool empty() const noexcept { return count_ == 0; }

    /// Returns the aggregate of the added values; 0 if there are none. A total wraps at 2^64, as counters do. An
    /// average is rounded down. For PERF_AGGREGATE_UNDEFINED, returns the total: most manifests name no aggregate
    /// function, and no public source documents the result of Windows in this case.
    std::uint64_t result(v2::Aggregate function) const noexcept {
        if (empty()) return 0;
        switch (function) {
            case v2::Aggregate::average:
                return (high_ / count_ << 32) + ((high_ % count_ << 32) + low_) / count_;
            case v2::Aggregate::minimum:
                return least_;
            case v2::Aggregate::maximum:
                return most_;
            default:
                return (high_ << 32) + low_;
        }
    }

  private:
    // Sums of the upper and of the lower 32 bits of each value. A single sum of 64 bits could overflow, and the average
    // would be wrong.
    std::uint64_t high_ = 0, low_ = 0, count_ = 0;
    std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max(), most_ = 0;
};

/// An instance that a provider stores. The mutex of its counterset guards access to it.
struct KeptInstance {
    InstanceName name;
    std::uint32_t id = 0;
    std::vector<std::uint64_t> values;  ///< in the order of the set's counters
    bool open = true;
};

/// A gate for the calls of a counterset's callback. It tracks the calls that are in progress, and ensures that the
/// callback is not called after the counterset has been removed.
class CallGate {
  public:
    /// Returns whether the callback may be called now. If so, the caller must call `leave` after the callback has
    /// returned.
    bool enter();
    void leave();
    /// Prevents further calls of the callback and waits until the calls in progress in other threads have ended.
    void close();

  private:
    std::mutex mutex_;
    std::condition_variable left_;
    std::vector<std::thread::id> inside_;
    bool closed_ = false;
};

/// A registered counterset. The descriptor and the callback never change; `mutex` guards the other public members.
struct RegisteredCounterset {
    RegisteredCounterset(CountersetDescriptor declared, CounterCallback instances_from);

    const CountersetDescriptor descriptor;
    const CounterCallback callback;

    mutable std::shared_mutex mutex;
    bool closed = false;
    std::vector<std::shared_ptr<KeptInstance>> instances;  ///< in the order of their creation
    TakenNames taken;
    /// For each counter, the aggregate of the values of ended instances. Empty if the counterset does not include ended
    /// instances.
    std::vector<Aggregation> history;

    /// Returns the position of a counter in `descriptor.counters`; none if no counter has this id.
    std::optional<std::size_t> position(std::uint32_t counter_id) const noexcept;
    /// Returns whether the set has a counter with this id. Always true for `wildcard_counter`, which means all
    /// counters.
    bool has_counter(std::uint32_t counter_id) const noexcept {
        return counter_id == v2::wildcard_counter || position(counter_id).has_value();
    }
    /// Calls the callback and returns the status that the callback returned. Returns none, without a call, if there is
    /// no callback or the counterset has been closed. No lock is held during the call.
    std::optional<std::uint32_t> notify(Notification what, const MaskInformation& mask, InstanceSink& sink);
    /// Removes an instance from the counterset, and adds its values to `history` if the counterset includes ended
    /// instances.
    void end(KeptInstance& instance);
    /// Ends all instances, prevents further calls of the callback, and waits until calls in other threads have ended.
    void close();

  private:
    std::map<std::uint32_t, std::size_t> positions_;
    CallGate gate_;
};

/// Returns the registered counterset that has this GUID; null if there is none.
std::shared_ptr<RegisteredCounterset> find_counterset(const CountersetList& sets, const Guid& guid);

/// Reads the values of counters from the structs in `data` into `values`. The structs have this machine's byte order.
/// `wanted[i]` states whether the counter at position i is read. If `wanted` is empty, all counters are read. A counter
/// that is not read gets the value 0. Fails if a counter is to be read, but its struct is missing from `data` or does
/// not contain the whole counter.
std::expected<void, ProviderFault> read_values(const CountersetDescriptor& counterset, CounterData data,
                                               const std::vector<bool>& wanted, std::vector<std::uint64_t>& values);

}  // namespace hkpd
