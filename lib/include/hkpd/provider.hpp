// The provider's side of V2 counters, portable, for use in the same process as the consumer. Follows the contract of
// the PCW functions (Performance Counters for Windows; learn.microsoft.com "Providing Counter Data Using Version 2.0",
// wdm.h PcwRegister and its callback). `LocalPerfLib` returns the registered countersets as V2 blocks; `append_v1_view`
// writes the same counters to a V1 block.
//
// Threads: all functions may be called from any thread at any time. A query sees each instance as it was before or
// after a call that changes the instance, never in between.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/counter_type.hpp"
#include "hkpd/guid.hpp"
#include "hkpd/v2.hpp"

namespace hkpd {

/// A counter as a manifest declares it, and the location of its value. `id`, `struct_index`, `offset` and `size` are
/// the members of PCW_COUNTER_DESCRIPTOR.
struct CounterDescriptor {
    std::uint32_t id = 0;  ///< unique in its counterset, stable, below 0xFFFFFFFE
    std::uint32_t type = 0;
    std::string name, help;                                ///< `name` may be empty, for bases
    std::uint16_t struct_index = 0, offset = 0, size = 8;  ///< offset in the struct and size (4 or 8), in bytes
    std::uint64_t attributes = 0;
    std::uint32_t detail_level = 100;
    std::int32_t scale = 0;  ///< -10 to 10
    std::uint32_t base_id = v2::no_id, time_id = v2::no_id, frequency_id = v2::no_id, multi_id = v2::no_id;
    v2::Aggregate aggregate = v2::Aggregate::undefined;
};

/// A counterset as a manifest declares it.
struct CountersetDescriptor {
    Guid guid, provider_guid;
    std::string provider_name, name, help;
    v2::InstanceType instances = v2::InstanceType::single;
    std::uint32_t detail_level = 100;
    std::vector<CounterDescriptor> counters;
};

/// A violation of the contract: the rule that was broken, and a message (lowercase, no full stop).
struct ProviderFault {
    /// The rules. Each comment states what must hold.
    enum class Rule : std::uint8_t {
        counterset_repeated,    ///< a GUID is registered once
        counter_id_reserved,    ///< 0xFFFFFFFE and 0xFFFFFFFF are not counter ids
        counter_id_repeated,    ///< ids of counters are unique in their set
        counter_name_repeated,  ///< names of counters are unique in their set, ignoring case
        counter_related,        ///< base, time, frequency and multi ids are ids of other counters of the set
        counter_size,           ///< values have 4 or 8 bytes
        counter_scale,          ///< scales are -10 to 10
        no_counters,            ///< a set has at least one counter
        name_missing,           ///< instances of a multi-instance set have names
        name_not_allowed,       ///< the instance of a single-instance set has no name
        name_repeated,          ///< names of instances are unique, ignoring case
        name_too_long,          ///< names have at most 1024 characters
        name_reserved,          ///< `_Total` of an aggregate set is computed, not added
        instance_id_reserved,   ///< 0xFFFFFFFE and 0xFFFFFFFF are not instance ids
        instance_id_repeated,   ///< ids of instances are unique in their set
        struct_missing,         ///< every struct is present and long enough for its counters
        unknown_counter,        ///< the set has a counter with this id
        instances_by_callback,  ///< instances are not created for a set with a callback
        closed,                 ///< the instance and its counterset exist and are not closed
    };
    Rule rule{};
    std::string message;
};

/// The reason for calling a callback (PCW_CALLBACK_TYPE).
enum class Notification : std::uint8_t { add_counter, remove_counter, enumerate_instances, collect_data };

/// The instances and counters that a query needs (PCW_MASK_INFORMATION). To save work, a callback can omit all other
/// instances and counters. If a callback delivers them, the library discards them.
struct MaskInformation {
    std::uint64_t counter_mask = ~std::uint64_t{0};  ///< bit i: counter id i; all ones if any id above 63 is requested
    std::string_view instance_mask = "*";            ///< UTF-8, `*` and `?` are wildcards
    std::uint32_t instance_id = v2::any_instance;
    bool collect_multiple = false;              ///< whether more than one instance can match
    const std::atomic<bool>* cancel = nullptr;  ///< set when the result is no longer needed; may be null
};

/// The structs of an instance's counters: one span for each struct index.
using CounterData = std::span<const std::span<const std::byte>>;

/// Receives the instances that a callback delivers (PcwAddInstance).
class InstanceSink {
  public:
    virtual ~InstanceSink() = default;
    /// Adds an instance by copying its requested counters from `data`. For `enumerate_instances`, `data` is ignored. An
    /// instance that breaks a rule is not added; the fault is returned.
    virtual std::expected<void, ProviderFault> add(std::string_view name, std::uint32_t id, CounterData data) = 0;
};

/// Delivers the instances of a counterset. Returns a Win32 status, 0 for success. If the status is an error, the query
/// still uses the instances that were added. The callback may be called from several threads at once. It must not
/// throw, because it is also called when a query ends.
using CounterCallback = std::function<std::uint32_t(Notification, const MaskInformation&, InstanceSink&)>;

/// A handle to an instance that the provider stores. The values of the instance are 0 until they are set. The instance
/// ends when `close` is called or when the last copy of the handle is destroyed.
class ProviderInstance {
  public:
    ProviderInstance() = default;

    /// Sets all counters at once, so that no query sees a mixture of old and new values.
    std::expected<void, ProviderFault> set(CounterData data);
    /// Sets one counter to the low bytes of `value`, according to the counter's size.
    std::expected<void, ProviderFault> set(std::uint32_t counter_id, std::uint64_t value);
    /// Ends the instance, even if other copies of the handle exist.
    void close() noexcept;

  private:
    friend class Provider;
    struct State;
    explicit ProviderInstance(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
};

struct RegisteredCounterset;

/// A copy of the list of registrations at one moment. Countersets that are removed later remain in the copy.
using CountersetList = std::vector<std::shared_ptr<RegisteredCounterset>>;

/// The countersets of one machine.
///
/// A counterset of type `single_aggregate` may have several instances; consumers see one instance, whose values are
/// computed by the counters' aggregate functions. With `single_aggregate_history`, instances that have been closed are
/// still included. In a counterset of type `instance_aggregate`, consumers see instances with the same name as one
/// instance.
class Provider {
  public:
    Provider();
    ~Provider();
    Provider(const Provider&) = delete;
    Provider& operator=(const Provider&) = delete;

    /// Registers a counterset (PcwRegister). If there is a callback, it delivers the instances, and `create_instance`
    /// must not be called for the set. Without a callback, `create_instance` adds the instances. This also holds for a
    /// counterset of type `single`, whose instance has an empty name.
    std::expected<void, ProviderFault> add(CountersetDescriptor descriptor, CounterCallback callback = {});
    /// Removes a counterset and closes its instances. Waits until all calls of its callback in other threads have
    /// ended; the callback is not called afterwards. Because of this wait, two callbacks that remove each other's
    /// countersets deadlock.
    void remove(const Guid& counterset);

    /// Creates an instance of a counterset without a callback (PcwCreateInstance).
    std::expected<ProviderInstance, ProviderFault> create_instance(const Guid& counterset, std::string_view name,
                                                                   std::uint32_t id);

    /// Returns the countersets in the order of their registration. `LocalPerfLib` and the V1 view read them from this
    /// list.
    CountersetList countersets() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
