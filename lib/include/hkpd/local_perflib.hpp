// PerfLib's functions over the countersets of a `Provider`, in process: for testing consumers on any system.
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

/// PerfLib's rules over the countersets of a provider, in process. All functions are thread-safe, as `Provider`'s are.
///
/// - An identifier of an unknown counterset gets status 4200, and the call succeeds. A name for a single-instance set,
///   or no name for a multi-instance set, gets status 87; the call returns 87 too if nothing else could be added.
/// - Names are matched ignoring case; `*` matches any characters, `?` matches one. `_Total` of an aggregate set is
///   computed from the instances by each counter's aggregate function (if it has none, their total), and comes last. It
///   has the id `any_instance` and exists only if there are other instances.
/// - The type of a result depends on its identifier alone: one counter or all, one instance or a name with wildcards.
/// - If an exactly named instance does not exist, the result is of type error with status 4201; if a counter does not
///   exist, with status 4202.
/// - All results of one counterset in a block are of one moment. Instances from a callback that fails are delivered
///   nevertheless; if there are none, the result is of type error with the callback's status.
/// - Index is the position in the query: parts after a deleted one move up. An identifier added twice has two results,
///   and has to be deleted twice.
/// - A set that is removed has no instances any more; if its GUID is registered again, the new set replaces it.
/// - Texts are the provider's, whatever language is requested. Requesting a missing text of a set or provider returns
///   status 1168, and so does deleting a part that does not exist.
/// - The instance of a single-instance set is enumerated without a name.
class LocalPerfLib final : public PerfLib {
  public:
    /// Keeps a reference to `provider`. `clock` is called once for each data block.
    LocalPerfLib(Provider& provider, std::function<Moment()> clock, std::string_view machine_name);
    ~LocalPerfLib() override;
    LocalPerfLib(const LocalPerfLib&) = delete;
    LocalPerfLib& operator=(const LocalPerfLib&) = delete;

    /// Forwards calls that name this machine to `remote` from now on. Keeps a reference to it.
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
