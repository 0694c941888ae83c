// The consumer's side of V2 counters: PerfLib's functions (perflib.h) as one interface, with their buffers and their
// Win32 statuses, over the countersets of a `Provider` here and over Windows' own functions there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/guid.hpp"
#include "hkpd/moment.hpp"
#include "hkpd/provider.hpp"
#include "base/win32.hpp"

namespace hkpd {

/// PerfLib's functions. Each returns a Win32 status. Those with a buffer say in `actual` how much there is, in bytes
/// (GUIDs: in GUIDs); where the buffer is smaller they return `not_enough_memory` and leave it as it is. `machine` is
/// empty for the local one, else a name with or without `\\`.
class PerfLib {
  public:
    /// Of a query, as PerfOpenQueryHandle gives it.
    using Handle = std::uint64_t;

    virtual ~PerfLib() = default;

    /// PerfEnumerateCounterSet.
    virtual std::uint32_t enumerate_countersets(std::string_view machine, std::span<Guid> buffer,
                                                std::uint32_t& actual) = 0;
    /// PerfQueryCounterSetRegistrationInfo. `language` is a Windows language identifier (0x409; 0: the neutral one), or
    /// a counter id for `counter_struct`.
    virtual std::uint32_t registration_info(std::string_view machine, const Guid& counterset,
                                            v2::RegistrationRequest request, std::uint32_t language,
                                            std::span<std::byte> buffer, std::uint32_t& actual) = 0;
    /// PerfEnumerateCounterSetInstances: PERF_INSTANCE_HEADERs with their names, without values.
    virtual std::uint32_t enumerate_instances(std::string_view machine, const Guid& counterset,
                                              std::span<std::byte> buffer, std::uint32_t& actual) = 0;
    /// PerfOpenQueryHandle and PerfCloseQueryHandle: a query asks one machine, and has no counters at first.
    virtual std::uint32_t open_query(std::string_view machine, Handle& query) = 0;
    virtual std::uint32_t close_query(Handle query) = 0;
    /// PerfAddCounters: PERF_COUNTER_IDENTIFIERs end to end, whose Status is set for each; Index too.
    virtual std::uint32_t add_counters(Handle query, std::span<std::byte> identifiers) = 0;
    /// PerfDeleteCounters: likewise; a part of the query goes where GUID, CounterId, InstanceId and name are equal.
    virtual std::uint32_t delete_counters(Handle query, std::span<std::byte> identifiers) = 0;
    /// PerfQueryCounterInfo: the identifiers of the query, each with the Index of its result in the data.
    virtual std::uint32_t query_info(Handle query, std::span<std::byte> buffer, std::uint32_t& actual) = 0;
    /// PerfQueryCounterData: a PERF_DATA_HEADER with a result for each identifier, in the order of Index.
    virtual std::uint32_t query_data(Handle query, std::span<std::byte> buffer, std::uint32_t& actual) = 0;
};

/// Windows' own PerfLib: its functions are found one by one at run time, in advapi32.dll or in another library that has
/// them (a path). `missing` names those that are not there, whose status is `proc_not_found`. None where the library
/// cannot be loaded, or no Windows is here; then `missing` is the library's name.
std::unique_ptr<PerfLib> system_perflib(std::string_view library, std::string& missing);

/// PerfLib's rules over the countersets of a provider, in process. Threads: as `Provider`.
///
/// - An identifier of an unknown counterset has status 4200, and the call succeeds; a name on a single-instance set and
///   a missing one on a multi-instance set have status 87, and so does the call when none could be added.
/// - Names match ignoring case; `*` stands for any characters, `?` for one. `_Total` of an aggregate set is computed
///   from the instances by each counter's aggregate function (none: their total), and comes last; it has the id
///   `any_instance`, and is there where any other is.
/// - A result's type follows its identifier alone: one counter or all, one instance or a name with wildcards.
/// - An exact instance that is not there is a result of type error with status 4201, a counter that is not, 4202.
/// - Results of one counterset in one block are of one moment. What a callback that fails has given is delivered as if
///   it had not; where it gave nothing the result is of type error with the callback's status.
/// - Index is the place in the query: what is behind a deleted part moves up. An identifier that is added twice has two
///   results, and is deleted one by one.
/// - A set that is removed has no instances any more; one that is registered again with its GUID takes its place.
/// - Texts are those of the provider, whatever language they are asked for in. A set or provider without text has
///   status 1168, as has a deleted part that is not there.
/// - A single-instance set whose instance is there is enumerated as one without name.
class LocalPerfLib final : public PerfLib {
  public:
    /// Keeps a reference to `provider`. `clock` is asked once for each data block.
    LocalPerfLib(Provider& provider, std::function<Moment()> clock, std::string_view machine_name);
    ~LocalPerfLib() override;
    LocalPerfLib(const LocalPerfLib&) = delete;
    LocalPerfLib& operator=(const LocalPerfLib&) = delete;

    /// From now on, calls that name this machine go there. Keeps a reference.
    void connect(std::string_view machine, PerfLib& remote);

    std::uint32_t enumerate_countersets(std::string_view machine, std::span<Guid> buffer,
                                        std::uint32_t& actual) override;
    std::uint32_t registration_info(std::string_view machine, const Guid& counterset, v2::RegistrationRequest request,
                                    std::uint32_t language, std::span<std::byte> buffer,
                                    std::uint32_t& actual) override;
    std::uint32_t enumerate_instances(std::string_view machine, const Guid& counterset, std::span<std::byte> buffer,
                                      std::uint32_t& actual) override;
    std::uint32_t open_query(std::string_view machine, Handle& query) override;
    std::uint32_t close_query(Handle query) override;
    std::uint32_t add_counters(Handle query, std::span<std::byte> identifiers) override;
    std::uint32_t delete_counters(Handle query, std::span<std::byte> identifiers) override;
    std::uint32_t query_info(Handle query, std::span<std::byte> buffer, std::uint32_t& actual) override;
    std::uint32_t query_data(Handle query, std::span<std::byte> buffer, std::uint32_t& actual) override;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Appends an identifier as PerfAddCounters takes it, padded to a multiple of 8. `instances` is empty for
/// single-instance sets.
void append_identifier(std::vector<std::byte>& out, const Guid& counterset, std::string_view instances,
                       std::uint32_t counter_id = v2::wildcard_counter, std::uint32_t instance_id = v2::any_instance);

}  // namespace hkpd
