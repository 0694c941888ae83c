#include <algorithm>
#include <utility>

#include "base/byte_writer.hpp"
#include "base/win32.hpp"
#include "provider/collect.hpp"
#include "provider/local_perflib_state.hpp"
#include "provider/query_part.hpp"
#include "provider/v2_writer.hpp"

namespace hkpd {
namespace {

/// Returns the Status that PerfAddCounters sets for a part of a query: success, or why the part cannot be added.
std::uint32_t status_of(const QueryPart& part) {
    if (!part.set) return win32::wmi_guid_not_found;
    const bool named = !part.instances.folded.empty();
    const bool multi = v2::is_multi(part.set->descriptor.instances);
    return (multi ? named : !part.has_name()) ? win32::success : win32::invalid_parameter;
}

/// The data that a query requests from its countersets. Each counterset is collected once, so that all results of one
/// counterset are of the same moment.
class QuerySnapshot {
  public:
    QuerySnapshot(const std::vector<QueryPart>& parts, const CountersetList& sets, const std::atomic<bool>& cancel) {
        std::map<Guid, CollectRequest> requests;
        for (const QueryPart& part : parts) {
            // The current registration of the counterset is used. It can be newer than `part.set`, the registration at
            // the time when the part was added. `part.set` is used only if the counterset is no longer registered.
            Entry& entry = entries_[part.guid];
            if (!entry.set) entry.set = find_counterset(sets, part.guid);
            if (!entry.set) entry.set = part.set;
            if (!entry.set->has_counter(part.counter_id)) continue;
            requests.try_emplace(part.guid, *entry.set).first->second.add(part.instances, part.counter_id);
        }
        for (auto& [guid, request] : requests) {
            request.cancel = &cancel;
            Entry& entry = entries_[guid];
            entry.collected = collect(*entry.set, Notification::collect_data, request);
        }
    }
    void append(ByteBuffer& out, const QueryPart& part) const {
        const Entry& entry = entries_.at(part.guid);
        append_result(out, part, *entry.set, entry.collected);
    }

  private:
    struct Entry {
        std::shared_ptr<RegisteredCounterset> set;
        Collected collected;
    };
    std::map<Guid, Entry> entries_;
};

/// The identifiers that can be added to a query, each read into a `QueryPart`. `places[i]` is the offset in the
/// caller's buffer of the identifier from which `parts[i]` was read.
struct Accepted {
    std::vector<QueryPart> parts;
    std::vector<std::size_t> places;
};

/// Sets the Status of each identifier in the caller's buffer `identifiers`. Moves to `accepted` the parts that can be
/// added to the query. Returns false if no part can be added and at least one identifier is invalid. An identifier
/// whose counterset is not registered does not count as invalid, because the counterset can be registered later.
bool accept(std::vector<QueryPart> parts, const CountersetList& sets, std::span<std::byte> identifiers,
            Accepted& accepted) {
    bool refused = false;
    std::size_t at = 0;
    for (QueryPart& part : parts) {
        const std::size_t place = at;
        at += part.bytes.size();
        part.set = find_counterset(sets, part.guid);
        const std::uint32_t status = status_of(part);
        patch_u32(identifiers, place + query_status_at, status);
        refused = refused || status == win32::invalid_parameter;
        if (status != win32::success) continue;
        accepted.places.push_back(place);
        accepted.parts.push_back(std::move(part));
    }
    return !(refused && accepted.parts.empty());
}

}  // namespace

std::uint32_t LocalPerfLib::add_counters(Handle handle, std::span<std::byte> identifiers) {
    const auto query = state_->query(handle);
    if (!query) return win32::invalid_handle;
    if (query->remote != nullptr) return query->remote->add_counters(query->remote_handle, identifiers);
    auto parts = read_identifiers(identifiers);
    if (!parts) return win32::invalid_parameter;
    Accepted accepted;
    if (!accept(*std::move(parts), state_->provider.countersets(), identifiers, accepted))
        return win32::invalid_parameter;
    notify_interest(accepted.parts, Notification::add_counter);
    std::unique_lock lock(query->mutex);
    if (query->closed) {
        lock.unlock();
        notify_interest(accepted.parts, Notification::remove_counter);
        return win32::invalid_handle;
    }
    for (std::size_t i = 0; i < accepted.parts.size(); ++i) {
        patch_u32(identifiers, accepted.places[i] + query_index_at, static_cast<std::uint32_t>(query->parts.size()));
        query->parts.push_back(std::move(accepted.parts[i]));
    }
    return win32::success;
}

std::uint32_t LocalPerfLib::delete_counters(Handle handle, std::span<std::byte> identifiers) {
    const auto query = state_->query(handle);
    if (!query) return win32::invalid_handle;
    if (query->remote != nullptr) return query->remote->delete_counters(query->remote_handle, identifiers);
    const auto parts = read_identifiers(identifiers);
    if (!parts) return win32::invalid_parameter;
    std::vector<QueryPart> deleted;
    {
        const std::scoped_lock lock(query->mutex);
        std::size_t at = 0;
        for (const QueryPart& part : *parts) {
            const auto found = std::ranges::find_if(query->parts, [&](const auto& one) { return one.same_as(part); });
            const bool there = found != query->parts.end();
            patch_u32(identifiers, at + query_status_at, there ? win32::success : win32::not_found);
            if (there) {
                deleted.push_back(std::move(*found));
                query->parts.erase(found);
            }
            at += part.bytes.size();
        }
    }
    notify_interest(deleted, Notification::remove_counter);
    return win32::success;
}

std::uint32_t LocalPerfLib::query_info(Handle handle, std::span<std::byte> buffer, std::uint32_t& actual) {
    const auto query = state_->query(handle);
    if (!query) return win32::invalid_handle;
    if (query->remote != nullptr) return query->remote->query_info(query->remote_handle, buffer, actual);
    ByteBuffer answer;
    const std::scoped_lock lock(query->mutex);
    for (std::size_t i = 0; i < query->parts.size(); ++i) {
        const std::size_t start = answer.size();
        append_bytes(answer, query->parts[i].bytes);
        patch_u32(answer, start + query_status_at, win32::success);
        patch_u32(answer, start + query_index_at, static_cast<std::uint32_t>(i));
    }
    return deliver(answer, buffer, actual);
}

std::uint32_t LocalPerfLib::query_data(Handle handle, std::span<std::byte> buffer, std::uint32_t& actual) {
    const auto query = state_->query(handle);
    if (!query) return win32::invalid_handle;
    if (query->remote != nullptr) return query->remote->query_data(query->remote_handle, buffer, actual);
    std::vector<QueryPart> parts;
    {
        const std::scoped_lock lock(query->mutex);
        parts = query->parts;
    }
    ByteBuffer answer;
    append_data_header(answer, state_->clock(), static_cast<std::uint32_t>(parts.size()));
    const QuerySnapshot snapshot(parts, state_->provider.countersets(), query->closed);
    if (query->closed) return win32::invalid_handle;
    for (const QueryPart& part : parts) snapshot.append(answer, part);
    finish_data(answer);
    return deliver(answer, buffer, actual);
}

}  // namespace hkpd
