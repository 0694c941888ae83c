// PerfLib's functions for the countersets of a `Provider` in the same process. Tests of consumers can use them on any
// operating system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "hkpd/guid.hpp"
#include "hkpd/live.hpp"
#include "hkpd/provider.hpp"
#include "hkpd/time.hpp"

namespace hkpd {

/// An implementation of PerfLib's functions for the countersets of a provider in the same process. All functions are
/// thread-safe, as the functions of `Provider` are. Statuses are Win32 statuses: 87 is ERROR_INVALID_PARAMETER, 1168 is
/// ERROR_NOT_FOUND, 4200 is ERROR_WMI_GUID_NOT_FOUND, 4201 is ERROR_WMI_INSTANCE_NOT_FOUND and 4202 is
/// ERROR_WMI_ITEMID_NOT_FOUND. A counterset is multi-instance if `v2::is_multi` is true for its type, otherwise it is
/// single-instance. It is an aggregate counterset if `v2::is_aggregate` is true for its type. The functions follow
/// these rules:
///
/// - `add_counters` sets an identifier's Status to 4200 if its counterset is unknown; the call still succeeds. It sets
///   the Status to 87 if the identifier has an instance name but the counterset is single-instance, or if the
///   identifier has no instance name but the counterset is multi-instance. If at least one identifier has Status 87 and
///   no identifier could be added, the call returns 87 too.
/// - Instance names are matched ignoring case; `*` matches any number of characters, `?` matches one.
/// - A multi-instance aggregate counterset has the additional instance `_Total`. Each counter's aggregate function
///   computes the value of `_Total` from the values of the other instances. If a counter has no aggregate function, its
///   values are summed. `_Total` is the last instance, has the id `v2::any_instance`, and exists only if there are
///   other instances.
/// - A single-instance aggregate counterset has one instance without a name. The aggregate functions compute its values
///   from the values of all instances that the provider has. If the type is `single_aggregate_history`, instances that
///   have ended are included.
/// - The type of a result depends only on two properties of the identifier: whether it requests one counter or all
///   counters, and whether it requests one instance or a name with wildcards.
/// - If an instance requested without wildcards does not exist, the result has type `error` and status 4201. If a
///   requested counter does not exist, the result has type `error` and status 4202.
/// - All results of one counterset in a block are of the same moment. If the counterset's callback fails, the block
///   still contains the instances that the callback added before. If it added none, the result has type `error` and the
///   callback's status.
/// - The Index of an identifier is its position in the query. When an identifier is deleted, the Index of each
///   identifier after it decreases by one. An identifier that was added twice has two results, and has to be deleted
///   twice.
/// - A counterset that the provider has removed has no instances any more. If a counterset with the same GUID is
///   registered again, it replaces the removed counterset, also in existing queries.
/// - Texts are returned in the provider's language; the requested language is ignored. `registration_info` returns 1168
///   if the counterset or provider does not have the requested text. `delete_counters` sets the Status of an identifier
///   to 1168 if the identifier is not in the query.
/// - `enumerate_instances` returns the instance of a single-instance counterset with an empty name.
class LocalPerfLib final : public PerfLib {
  public:
    /// Keeps a reference to `provider`. `clock` is called once for each data block. `machine_name` is the local
    /// machine's name: calls with this name or with an empty name use `provider`.
    LocalPerfLib(Provider& provider, std::function<Moment()> clock, std::string_view machine_name);
    ~LocalPerfLib() override;
    LocalPerfLib(const LocalPerfLib&) = delete;
    LocalPerfLib& operator=(const LocalPerfLib&) = delete;

    /// Makes all later calls for the machine named `machine` use `remote`. Keeps a reference to `remote`.
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

}  // namespace hkpd
