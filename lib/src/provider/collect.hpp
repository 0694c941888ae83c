// Collects the instances of a counterset at one moment: the instances that the provider stores, or those that the
// counterset's callback delivers.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/provider.hpp"
#include "provider/provider_state.hpp"

namespace hkpd {

/// The instances that a query requests, selected by name and id. `folded` is the form of `pattern` that is used for
/// comparisons. For a single-instance counterset, the pattern is empty. An empty pattern is not a wildcard: it matches
/// only instances without a name.
struct InstanceRequest {
    std::string pattern, folded;  ///< `*` and `?` are wildcards
    std::uint32_t id = v2::any_instance;

    InstanceRequest() : InstanceRequest("*") {}
    explicit InstanceRequest(std::string_view text, std::uint32_t instance_id = v2::any_instance);
    bool operator==(const InstanceRequest& other) const noexcept { return folded == other.folded && id == other.id; }
    bool has_wildcard() const noexcept { return folded.find_first_of("*?") != std::string::npos; }
    bool matches(const InstanceName& name, std::uint32_t instance_id) const noexcept;
};

/// The instances and counters of a counterset that a query requests.
class CollectRequest {
  public:
    explicit CollectRequest(const RegisteredCounterset& set) : set_(&set), counters_(set.descriptor.counters.size()) {}
    /// Adds a request for one counter of some instances; `wildcard_counter` requests all counters. If the instances of
    /// two requests differ, all instances are requested.
    void add(const InstanceRequest& instances, std::uint32_t counter_id);

    const RegisteredCounterset& set() const noexcept { return *set_; }
    const InstanceRequest& instances() const noexcept { return instances_; }
    const std::vector<bool>& counters() const noexcept { return counters_; }
    /// Returns the request in the form that a callback receives. The result is valid as long as this object exists.
    MaskInformation mask() const noexcept;

    const std::atomic<bool>* cancel = nullptr;

  private:
    const RegisteredCounterset* set_;
    bool empty_ = true;
    InstanceRequest instances_;
    std::vector<bool> counters_;  // whether each counter is requested, by position
    std::uint64_t counter_mask_ = 0;
};

/// An instance at one moment. Values of counters that were not requested are meaningless.
struct CollectedInstance {
    InstanceName name;
    std::uint32_t id = 0;
    std::vector<std::uint64_t> values;  ///< in the order of the set's counters
};

struct Collected {
    /// The requested instances. Contains other instances too if several requests had different instances (see
    /// `CollectRequest::add`), or if `_Total` was requested, because it is computed from all instances.
    std::vector<CollectedInstance> instances;
    /// The status that the callback returned, if it added no instance; otherwise 0.
    std::uint32_t status = 0;
};

/// Returns the requested instances of a counterset. `what` is `collect_data`, or `enumerate_instances` for instances
/// without values. The result includes aggregates: instances whose values are computed from those of other instances. A
/// requested `_Total` is the last instance; it exists only if there is another instance.
Collected collect(RegisteredCounterset& set, Notification what, const CollectRequest& request);

/// Returns all instances of a counterset, with all counters, as `collect` does.
Collected collect_all(RegisteredCounterset& set, Notification what);

/// Notifies a counterset's callback that a query begins (`add_counter`) or ceases (`remove_counter`) to request a
/// counter.
void notify_interest(RegisteredCounterset& set, Notification what, const InstanceRequest& instances,
                     std::uint32_t counter_id);

}  // namespace hkpd
