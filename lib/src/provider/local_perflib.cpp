#include <algorithm>
#include <new>
#include <utility>

#include "base/byte_writer.hpp"
#include "base/text/names.hpp"
#include "base/win32.hpp"
#include "provider/collect.hpp"
#include "provider/local_perflib_state.hpp"
#include "provider/query_part.hpp"
#include "provider/v2_writer.hpp"

namespace hkpd {

std::string machine_key(std::string_view machine) {
    if (machine.starts_with(R"(\\)")) machine.remove_prefix(2);
    return fold_case(machine);
}

void notify_interest(const std::vector<QueryPart>& parts, Notification what) {
    for (const QueryPart& part : parts) notify_interest(*part.set, what, part.instances, part.counter_id);
}

std::uint32_t deliver(std::span<const std::byte> bytes, std::span<std::byte> buffer, std::uint32_t& actual) {
    actual = static_cast<std::uint32_t>(bytes.size());
    if (buffer.size() < bytes.size()) return win32::not_enough_memory;
    std::ranges::copy(bytes, buffer.begin());
    return win32::success;
}

LocalPerfLib::State::State(Provider& its_provider, std::function<Moment()> its_clock, std::string_view name)
    : provider(its_provider), clock(std::move(its_clock)), machine(machine_key(name)) {}

LocalPerfLib::State::Target LocalPerfLib::State::target(std::string_view name) const {
    const std::string key = machine_key(name);
    if (key.empty() || key == machine) return {};
    const std::shared_lock lock(mutex);
    const auto found = remotes.find(key);
    return found == remotes.end() ? Target{false, nullptr} : Target{true, found->second};
}

std::shared_ptr<LocalQuery> LocalPerfLib::State::query(Handle handle) const {
    const std::shared_lock lock(mutex);
    const auto found = queries.find(handle);
    return found == queries.end() ? nullptr : found->second;
}

LocalPerfLib::Handle LocalPerfLib::State::open(PerfLib* remote, Handle remote_handle) {
    auto query = std::make_shared<LocalQuery>();
    query->remote = remote;
    query->remote_handle = remote_handle;
    const std::scoped_lock lock(mutex);
    queries.emplace(++last, std::move(query));
    return last;
}

std::uint32_t LocalPerfLib::State::close(Handle handle) {
    std::shared_ptr<LocalQuery> query;
    {
        const std::scoped_lock lock(mutex);
        const auto node = queries.extract(handle);
        if (node.empty()) return win32::invalid_handle;
        query = node.mapped();
    }
    if (query->remote != nullptr) return query->remote->close_query(query->remote_handle);
    std::vector<QueryPart> parts;
    {
        const std::scoped_lock lock(query->mutex);
        query->closed = true;
        parts.swap(query->parts);
    }
    // Destructors close queries, so that this must not throw. The query is closed even if its callbacks are not called.
    try {
        notify_interest(parts, Notification::remove_counter);
    } catch (const std::bad_alloc&) {
        return win32::not_enough_memory;
    }
    return win32::success;
}

LocalPerfLib::LocalPerfLib(Provider& provider, std::function<Moment()> clock, std::string_view machine_name)
    : state_(std::make_unique<State>(provider, std::move(clock), machine_name)) {}

LocalPerfLib::~LocalPerfLib() {
    while (!state_->queries.empty()) state_->close(state_->queries.begin()->first);
}

void LocalPerfLib::connect(std::string_view machine, PerfLib& remote) {
    const std::scoped_lock lock(state_->mutex);
    state_->remotes[machine_key(machine)] = &remote;
}

std::uint32_t LocalPerfLib::enumerate_countersets(std::string_view machine, std::span<Guid> buffer,
                                                  std::uint32_t& actual) {
    const auto target = state_->target(machine);
    if (!target.known) return win32::bad_net_path;
    if (target.remote != nullptr) return target.remote->enumerate_countersets({}, buffer, actual);
    const CountersetList sets = state_->provider.countersets();
    actual = static_cast<std::uint32_t>(sets.size());
    if (buffer.size() < sets.size()) return win32::not_enough_memory;
    std::ranges::transform(sets, buffer.begin(), [](const auto& set) { return set->descriptor.guid; });
    return win32::success;
}

std::uint32_t LocalPerfLib::registration_info(std::string_view machine, const Guid& counterset,
                                              v2::RegistrationRequest request, std::uint32_t language,
                                              std::span<std::byte> buffer, std::uint32_t& actual) {
    const auto target = state_->target(machine);
    if (!target.known) return win32::bad_net_path;
    if (target.remote != nullptr)
        return target.remote->registration_info({}, counterset, request, language, buffer, actual);
    const auto set = find_counterset(state_->provider.countersets(), counterset);
    if (!set) return win32::wmi_guid_not_found;
    ByteBuffer answer;
    const std::uint32_t status = append_registration(answer, set->descriptor, request, language);
    return status == win32::success ? deliver(answer, buffer, actual) : status;
}

std::uint32_t LocalPerfLib::enumerate_instances(std::string_view machine, const Guid& counterset,
                                                std::span<std::byte> buffer, std::uint32_t& actual) {
    const auto target = state_->target(machine);
    if (!target.known) return win32::bad_net_path;
    if (target.remote != nullptr) return target.remote->enumerate_instances({}, counterset, buffer, actual);
    const auto set = find_counterset(state_->provider.countersets(), counterset);
    if (!set) return win32::wmi_guid_not_found;
    ByteBuffer answer;
    for (const CollectedInstance& instance : collect_all(*set, Notification::enumerate_instances).instances)
        append_instance_header(answer, instance.name.text, instance.id);
    return deliver(answer, buffer, actual);
}

std::uint32_t LocalPerfLib::open_query(std::string_view machine, Handle& query) {
    const auto target = state_->target(machine);
    if (!target.known) return win32::bad_net_path;
    Handle remote_handle = 0;
    if (target.remote != nullptr)
        if (const std::uint32_t status = target.remote->open_query({}, remote_handle); status != win32::success)
            return status;
    query = state_->open(target.remote, remote_handle);
    return win32::success;
}

std::uint32_t LocalPerfLib::close_query(Handle query) { return state_->close(query); }

}  // namespace hkpd
