// Provides V2 counters on any operating system, to consumers in the same process.
//
// The functions follow the contract of the PCW functions (Performance Counters for Windows; learn.microsoft.com
// "Providing Counter Data Using Version 2.0", wdm.h PcwRegister and its callback). `LocalPerfLib` returns the
// registered countersets as V2 blocks. `append_v1_view` writes the same counters to a V1 block.
//
// Threads: all functions may be called from any thread at any time. If one thread changes an instance while another
// thread queries it, the query returns the values from before or from after the change, never a mixture.
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

/// A counter as a provider's manifest declares it, and the location of its value in the provider's structs. `id`,
/// `struct_index`, `offset` and `size` are the members of PCW_COUNTER_DESCRIPTOR.
struct CounterDescriptor {
    /// Unique in its counterset and below 0xFFFFFFFE. A newer version of the provider must not change the id, because
    /// consumers identify the counter by it.
    std::uint32_t id = 0;
    std::uint32_t type = 0;
    std::string name, help;  ///< `name` may be empty, for example for a base
    /// Location of the value: position of the struct in `CounterData`, offset in this struct and size (4 or 8) in
    /// bytes.
    std::uint16_t struct_index = 0, offset = 0, size = 8;
    std::uint64_t attributes = 0;
    std::uint32_t detail_level = 100;
    std::int32_t scale = 0;  ///< -10 to 10
    std::uint32_t base_id = v2::no_id, time_id = v2::no_id, frequency_id = v2::no_id, multi_id = v2::no_id;
    v2::Aggregate aggregate = v2::Aggregate::undefined;
};

/// A counterset as a provider's manifest declares it.
struct CountersetDescriptor {
    Guid guid, provider_guid;
    std::string provider_name, name, help;
    v2::InstanceType instances = v2::InstanceType::single;
    std::uint32_t detail_level = 100;
    std::vector<CounterDescriptor> counters;
};

/// A violation of the contract between provider and library: the rule that the provider broke, and a message for people
/// (lowercase, no full stop).
struct ProviderFault {
    /// The rules of the contract. A rule is broken if the statement in its comment is false.
    enum class Rule : std::uint8_t {
        counterset_repeated,    ///< a GUID is registered only once
        counter_id_reserved,    ///< 0xFFFFFFFE and 0xFFFFFFFF are not counter ids
        counter_id_repeated,    ///< ids of counters are unique in their counterset
        counter_name_repeated,  ///< names of counters are unique in their counterset, ignoring case
        counter_related,        ///< base, time, frequency and multi ids are ids of other counters of the counterset
        counter_size,           ///< values have 4 or 8 bytes
        counter_scale,          ///< scales are -10 to 10
        no_counters,            ///< a counterset has at least one counter
        name_missing,           ///< instances of a multi-instance counterset have names
        name_not_allowed,       ///< the instance of a single-instance counterset has no name
        name_repeated,          ///< names of instances are unique, ignoring case, unless the `InstanceType` merges them
        name_too_long,          ///< names of instances have at most 1024 characters of UTF-16
        name_reserved,          ///< no instance of an aggregate counterset is called `_Total`; hkpd computes `_Total`
        instance_id_reserved,   ///< 0xFFFFFFFE and 0xFFFFFFFF are not instance ids
        instance_id_repeated,   ///< ids of instances are unique in their counterset
        struct_missing,         ///< `CounterData` has the struct of each requested counter, long enough for its value
        unknown_counter,        ///< the counterset has a counter with the id that is passed to `set`
        instances_by_callback,  ///< `create_instance` is not called for a counterset with a callback
        closed,                 ///< the instance and its counterset exist and are not closed
    };
    Rule rule{};
    std::string message;
};

/// The reason for calling a callback (PCW_CALLBACK_TYPE).
enum class Notification : std::uint8_t { add_counter, remove_counter, enumerate_instances, collect_data };

/// The instances and counters that a query needs (PCW_MASK_INFORMATION). To save work, a callback can omit all other
/// instances and counters. If a callback delivers other instances or counters, the library discards them.
struct MaskInformation {
    /// A bit mask of the requested counters: bit i is set if the counter with id i is requested. All bits are set if
    /// all counters are requested, or if a counter with an id above 63 is requested.
    std::uint64_t counter_mask = ~std::uint64_t{0};
    std::string_view instance_mask = "*";          ///< name of the instances in UTF-8; `*` and `?` are wildcards
    std::uint32_t instance_id = v2::any_instance;  ///< id of the instance
    bool collect_multiple = false;                 ///< whether more than one instance can match
    const std::atomic<bool>* cancel = nullptr;     ///< true as soon as the result is no longer needed; may be null
};

/// The values of one instance, in the structs in which the provider stores them. Each span has the bytes of one struct.
/// `CounterDescriptor::struct_index` is the position of a counter's struct in this list.
using CounterData = std::span<const std::span<const std::byte>>;

/// Receives the instances that a callback delivers (PcwAddInstance).
class InstanceSink {
  public:
    virtual ~InstanceSink() = default;
    /// Adds an instance, and copies the values of the requested counters from `data`. Ignores `data` if the callback
    /// was called for `Notification::enumerate_instances`. If the instance breaks a rule, returns the fault and does
    /// not add the instance.
    virtual std::expected<void, ProviderFault> add(std::string_view name, std::uint32_t id, CounterData data) = 0;
};

/// A callback of a provider that delivers the instances of a counterset. The callback returns a Win32 status, 0 for
/// success. If the status is an error, the query still uses the instances that the callback has added. The callback may
/// be called from several threads at once. The callback must not throw, because it is also called when a query is
/// closed, and closing must not fail.
using CounterCallback = std::function<std::uint32_t(Notification, const MaskInformation&, InstanceSink&)>;

/// A handle to an instance that `Provider::create_instance` has created. The values of the instance are 0 until they
/// are set. The instance ends when `close` is called or when the last copy of the handle is destroyed.
class ProviderInstance {
  public:
    ProviderInstance() = default;

    /// Sets all counters at once, so that no query sees a mixture of old and new values.
    std::expected<void, ProviderFault> set(CounterData data);
    /// Sets the value of one counter. If the size of the counter is 4 bytes, sets it to the low 4 bytes of `value`.
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

/// The countersets that are registered at one moment. A counterset that is removed later remains in this list.
using CountersetList = std::vector<std::shared_ptr<RegisteredCounterset>>;

/// The countersets of one machine.
///
/// In countersets of the aggregate types (`v2::InstanceType`), the instances that consumers see differ from those that
/// the provider has added:
///
/// - `single_aggregate`: consumers see one instance. The aggregate function of each counter computes the value from the
///   values of all instances.
/// - `single_aggregate_history`: as `single_aggregate`, but instances that the provider has closed are included, too.
/// - `multi_aggregate`: consumers see all instances, and in addition the instance `_Total`. The values of `_Total` are
///   computed from all instances.
/// - `instance_aggregate`: as `multi_aggregate`, but consumers see all instances with the same name as one instance.
class Provider {
  public:
    Provider();
    ~Provider();
    Provider(const Provider&) = delete;
    Provider& operator=(const Provider&) = delete;

    /// Registers a counterset (PcwRegister). If `callback` is not empty, the callback delivers the instances, and
    /// `create_instance` must not be called for the counterset. Without a callback, `create_instance` creates the
    /// instances. This also applies to the only instance of a counterset of type `single`; the instance has an empty
    /// name.
    std::expected<void, ProviderFault> add(CountersetDescriptor descriptor, CounterCallback callback = {});
    /// Removes a counterset and closes its instances. Waits until all calls of the counterset's callback in other
    /// threads have ended. The callback is not called afterwards. If two callbacks in different threads remove each
    /// other's countersets, each waits for the other to end: a deadlock.
    void remove(const Guid& counterset);

    /// Creates an instance of a registered counterset that has no callback (PcwCreateInstance).
    std::expected<ProviderInstance, ProviderFault> create_instance(const Guid& counterset, std::string_view name,
                                                                   std::uint32_t id);

    /// Returns the registered countersets in the order of their registration. `LocalPerfLib` and `append_v1_view` take
    /// the countersets from this list.
    CountersetList countersets() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
