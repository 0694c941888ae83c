// State shared by the functions of `LocalPerfLib`.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/local_perflib.hpp"
#include "provider/query_part.hpp"

namespace hkpd {

/// An open query. For this machine, `remote` is null, and the query has `parts`. For another machine, `remote` is not
/// null, and all calls are forwarded to the query that has the handle `remote_handle` there.
struct LocalQuery {
    PerfLib* remote = nullptr;
    PerfLib::Handle remote_handle = 0;
    std::atomic<bool> closed = false;
    std::mutex mutex;
    std::vector<QueryPart> parts;  // guarded by `mutex`; in the order of their Index
};

struct LocalPerfLib::State {
    State(Provider& its_provider, std::function<Moment()> its_clock, std::string_view name);

    /// The machine that a call is for: this machine or a remote one.
    struct Target {
        bool known = true;
        PerfLib* remote = nullptr;  ///< the other machine; null for this machine
    };
    Target target(std::string_view name) const;
    /// Returns the query that has this handle; null if no query has it.
    std::shared_ptr<LocalQuery> query(Handle handle) const;
    Handle open(PerfLib* remote, Handle remote_handle);
    std::uint32_t close(Handle handle);

    Provider& provider;
    const std::function<Moment()> clock;
    const std::string machine;
    mutable std::shared_mutex mutex;
    std::map<std::string, PerfLib*> remotes;
    std::map<Handle, std::shared_ptr<LocalQuery>> queries;
    Handle last = 0;
};

/// Returns a machine's name in the form used for comparisons, without leading `\\`.
std::string machine_key(std::string_view machine);

/// Notifies the callbacks of these parts' countersets that a query begins (`add_counter`) or ceases (`remove_counter`)
/// to request the parts.
void notify_interest(const std::vector<QueryPart>& parts, Notification what);

/// Copies the result of a call to `buffer` and returns success. If the result does not fit completely, copies nothing
/// and returns `not_enough_memory`. In both cases, sets `actual` to the size of the result in bytes.
std::uint32_t deliver(std::span<const std::byte> bytes, std::span<std::byte> buffer, std::uint32_t& actual);

}  // namespace hkpd
