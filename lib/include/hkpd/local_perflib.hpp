// PerfLib's functions for the countersets of a `Provider` in the same process. For testing consumers on any system.
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

/// Implements PerfLib's functions for the countersets of a provider in the same process. All functions are thread-safe,
/// as those of `Provider` are. The rules:
///
/// - Adding an identifier of an unknown counterset sets the identifier's Status to 4200, and the call succeeds. An
///   identifier gets Status 87 if it has a name for a single-instance set or no name for a multi-instance set. If at
///   least one identifier has Status 87 and none could be added, the call returns 87 too.
/// - Names are matched ignoring case; `*` matches any number of characters, `?` matches one. In an aggregate set,
///   each counter's aggregate function computes the value of `_Total` from the other instances. A counter without an
///   aggregate function is summed. `_Total` is the last instance, has the id `any_instance`, and exists only if there
///   are other instances.
/// - The type of a result depends only on two properties of the identifier: whether it requests one counter or all
///   counters, and whether it requests one instance or a name with wildcards.
/// - If an instance requested without wildcards does not exist, the result is of type error with status 4201. If a
///   requested counter does not exist, the result is of type error with status 4202.
/// - All results of one counterset in a block are of the same moment. If the counterset's callback fails, the instances
///   that it had added are still delivered. If it had added none, the result is of type error with the callback's
///   status.
/// - The Index of an identifier is its position in the query. When an identifier is deleted, the Index of each
///   identifier after it decreases by one. An identifier that was added twice has two results, and has to be deleted
///   twice.
/// - A counterset that is removed has no instances any more. If its GUID is registered again, the new counterset
///   replaces the removed one, also in existing queries.
/// - Texts are returned in the provider's language; the requested language is ignored. Requesting a text that the
///   counterset or provider does not have returns status 1168. Deleting an identifier that is not in the query sets its
///   Status to 1168.
/// - The instance of a single-instance set is enumerated without a name.
class LocalPerfLib final : public PerfLib {
  public:
    /// Keeps a reference to `provider`. `clock` is called once for each data block.
    LocalPerfLib(Provider& provider, std::function<Moment()> clock, std::string_view machine_name);
    ~LocalPerfLib() override;
    LocalPerfLib(const LocalPerfLib&) = delete;
    LocalPerfLib& operator=(const LocalPerfLib&) = delete;

    /// Forwards all further calls for the machine named `machine` to `remote`. Keeps a reference to `remote`.
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
