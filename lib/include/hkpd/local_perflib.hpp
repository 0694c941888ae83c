// PerfLib's functions over the countersets of a `Provider`, in process: for tests of consumers on any machine.
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

}  // namespace hkpd
