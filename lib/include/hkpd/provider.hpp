// The provider's side of V2 counters, in process and portable: the contract of the PCW functions (learn.microsoft.com
// "Providing Counter Data Using Version 2.0", wdm.h PcwRegister and its callback). `LocalPerfLib` serves the registered
// countersets as V2 blocks, and `append_v1_view` as a V1 block of the same counters.
//
// Threads: everything may be called from any thread at any time. A query sees each instance as it was between two
// calls, never in the middle of one.
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

/// A counter as a manifest declares it, and the place of its value: Id, StructIndex, Offset and Size of
/// PCW_COUNTER_DESCRIPTOR.
struct CounterDescriptor {
    std::uint32_t id = 0;  ///< unique in its counterset, stable, below 0xFFFFFFFE
    std::uint32_t type = 0;
    std::string name, help;                                ///< `name` may be empty, for bases
    std::uint16_t struct_index = 0, offset = 0, size = 8;  ///< offset in bytes in its struct; size 4 or 8 bytes
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

/// A violation of the contract: the rule broken, and a message (lowercase, no full stop).
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
        name_not_allowed,       ///< the instance of a single-instance set has none
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

/// The instances and counters that a query needs (PCW_MASK_INFORMATION). A callback may use it to do less work; the
/// library discards anything else that it delivers.
struct MaskInformation {
    std::uint64_t counter_mask =
        ~std::uint64_t{0};                 ///< bit i: id i; all ones: all counters, also if a requested id is above 63
    std::string_view instance_mask = "*";  ///< UTF-8, `*` and `?` are wildcards
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
    /// Copies the requested counters of an instance; for `enumerate_instances`, `data` is ignored. An instance that
    /// breaks a rule is not added.
    virtual std::expected<void, ProviderFault> add(std::string_view name, std::uint32_t id, CounterData data) = 0;
};

/// Delivers the instances of a counterset. Returns a Win32 status, 0 for success; the status is informational, and the
/// query continues with the instances that were added. May be called from several threads at once. Must not throw: it
/// is also called when a query ends.
using CounterCallback = std::function<std::uint32_t(Notification, const MaskInformation&, InstanceSink&)>;

/// A handle to an instance that the provider stores. Its values are 0 until they are set. The instance ends with
/// `close` or when the last copy of the handle is destroyed.
class ProviderInstance {
  public:
    ProviderInstance() = default;

    /// Sets all counters at once: no query sees a mixture of old and new values.
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

/// A copy of the registrations at one moment: sets that are closed later remain in it.
using CountersetList = std::vector<std::shared_ptr<RegisteredCounterset>>;

/// The countersets of one machine.
///
/// Sets of type `single_aggregate` may have several instances, which are shown as one by the counters' aggregate
/// functions; with `single_aggregate_history`, instances that have been closed still count. In sets of type
/// `instance_aggregate`, instances with the same name are shown as one.
class Provider {
  public:
    Provider();
    ~Provider();
    Provider(const Provider&) = delete;
    Provider& operator=(const Provider&) = delete;

    /// Registers a counterset (PcwRegister). If there is a callback, it delivers the instances, and `create_instance`
    /// must not be called for the set. Otherwise `create_instance` adds them; a set of type `single` needs it too, with
    /// an empty name.
    std::expected<void, ProviderFault> add(CountersetDescriptor descriptor, CounterCallback callback = {});
    /// Removes a counterset and closes its instances. Waits for calls of its callback in other threads; there are none
    /// afterwards. Two callbacks that remove each other's sets would therefore deadlock.
    void remove(const Guid& counterset);

    /// Creates an instance of a counterset without a callback (PcwCreateInstance).
    std::expected<ProviderInstance, ProviderFault> create_instance(const Guid& counterset, std::string_view name,
                                                                   std::uint32_t id);

    /// Returns the countersets in the order of their registration, for the interfaces that serve them.
    CountersetList countersets() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
