// The provider's side of V2 counters, in process: the contract of the PCW functions (learn.microsoft.com "Providing
// Counter Data Using Version 2.0", wdm.h PcwRegister and its callback), portable. What is registered here is served by
// `LocalPerfLib` as V2 blocks and by `append_v1_view` as a V1 block of the same counters.
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

/// A counter as a manifest declares it, and where its value lies: PCW_COUNTER_DESCRIPTOR's Id, StructIndex, Offset,
/// Size.
struct CounterDescriptor {
    std::uint32_t id = 0;  ///< unique in its set, stable, below 0xFFFFFFFE
    std::uint32_t type = 0;
    std::string name, help;                                ///< no name: for bases
    std::uint16_t struct_index = 0, offset = 0, size = 8;  ///< size 4 or 8, in bytes of the struct
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

/// Which rule of the contract a call has broken, and in words: lowercase, no full stop.
struct ProviderFault {
    /// The rules; each comment says what should hold.
    enum class Rule : std::uint8_t {
        counterset_repeated,    ///< a GUID is registered once
        counter_id_reserved,    ///< 0xFFFFFFFE and 0xFFFFFFFF are no ids
        counter_id_repeated,    ///< ids of counters are unique in their set
        counter_name_repeated,  ///< so are their names, ignoring case
        counter_related,        ///< base, time, frequency and multi ids are ids of other counters of the set
        counter_size,           ///< values have 4 or 8 bytes
        counter_scale,          ///< scales are -10 to 10
        no_counters,            ///< a set has at least one
        name_missing,           ///< instances of a multi-instance set have names
        name_not_allowed,       ///< the instance of a single-instance set has none
        name_repeated,          ///< names of instances are unique, ignoring case
        name_too_long,          ///< at most 1024 characters
        name_reserved,          ///< `_Total` of an aggregate set is computed
        instance_id_reserved,   ///< 0xFFFFFFFE and 0xFFFFFFFF are no ids
        instance_id_repeated,   ///< ids of instances are unique in their set
        struct_missing,         ///< a struct is missing or too short for its counters
        unknown_counter,        ///< the set has no counter of this id
        instances_by_callback,  ///< a set with a callback keeps no instances
        closed,                 ///< the instance or its counterset has been closed, or never was
    };
    Rule rule{};
    std::string message;
};

/// What a callback is asked for (PCW_CALLBACK_TYPE).
enum class Notification : std::uint8_t { add_counter, remove_counter, enumerate_instances, collect_data };

/// PCW_MASK_INFORMATION: what a query wants to know. A callback may use it to do less work; what it delivers beyond is
/// left out by the library.
struct MaskInformation {
    std::uint64_t counter_mask =
        ~std::uint64_t{0};                 ///< bit i: id i; all ones: all (also where a wanted id is above 63)
    std::string_view instance_mask = "*";  ///< UTF-8, `*` and `?` are wildcards
    std::uint32_t instance_id = v2::any_instance;
    bool collect_multiple = false;              ///< whether more than one instance can match
    const std::atomic<bool>* cancel = nullptr;  ///< set when nobody waits for the answer any more; may be null
};

/// The structs of an instance's counters: one span for each struct index.
using CounterData = std::span<const std::span<const std::byte>>;

/// Takes the instances of a callback (PcwAddInstance).
class InstanceSink {
  public:
    virtual ~InstanceSink() = default;
    /// Copies what is wanted of an instance; with `enumerate_instances` data is not looked at. One that breaks a rule
    /// is not taken.
    virtual std::expected<void, ProviderFault> add(std::string_view name, std::uint32_t id, CounterData data) = 0;
};

/// Gives the instances of a counterset. Returns a Win32 status, 0 for success: informational, the query goes on with
/// what was added. May be called from several threads at once. Must not throw: it is also told when a query ends.
using CounterCallback = std::function<std::uint32_t(Notification, const MaskInformation&, InstanceSink&)>;

/// An instance that a provider keeps. Its values are 0 until they are set; it ends with `close` or when the last copy
/// of the handle is gone.
class ProviderInstance {
  public:
    ProviderInstance() = default;

    /// Sets all counters at once: no query sees some of them old and some new.
    std::expected<void, ProviderFault> set(CounterData data);
    /// Sets one counter, of its size: the low bytes count.
    std::expected<void, ProviderFault> set(std::uint32_t counter_id, std::uint64_t value);
    /// Ends it, whatever copies of the handle there are.
    void close() noexcept;

  private:
    friend class Provider;
    struct State;
    explicit ProviderInstance(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
};

struct RegisteredCounterset;

/// Copies of the registrations at one moment: sets that are closed later stay as they are.
using CountersetList = std::vector<std::shared_ptr<RegisteredCounterset>>;

/// The countersets of one machine.
///
/// Sets of type `single_aggregate` may have several instances, which are shown as one by the counters' aggregate
/// functions; with history those that have been closed go on counting. Those of `instance_aggregate` with one name are
/// shown as one.
class Provider {
  public:
    Provider();
    ~Provider();
    Provider(const Provider&) = delete;
    Provider& operator=(const Provider&) = delete;

    /// Registers a counterset (PcwRegister). With a callback the instances come from it, and `create_instance` is not
    /// for this set. The set with instances kept here and of type single needs `create_instance` too, with no name.
    std::expected<void, ProviderFault> add(CountersetDescriptor descriptor, CounterCallback callback = {});
    /// Ends it; its instances are closed. Waits for calls of its callback in other threads, and none comes after: two
    /// callbacks that remove each other's sets would wait for ever.
    void remove(const Guid& counterset);

    /// A new instance of a counterset without callback (PcwCreateInstance).
    std::expected<ProviderInstance, ProviderFault> create_instance(const Guid& counterset, std::string_view name,
                                                                   std::uint32_t id);

    /// In the order of their registration, for those that serve them.
    CountersetList countersets() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace hkpd
