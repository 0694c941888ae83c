#include "hkpd/provider.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "provider/provider_state.hpp"

namespace hkpd {

using enum ProviderFault::Rule;

bool CallGate::enter() {
    const std::scoped_lock lock(mutex_);
    if (closed_) return false;
    inside_.push_back(std::this_thread::get_id());
    return true;
}

void CallGate::leave() {
    const std::scoped_lock lock(mutex_);
    inside_.erase(std::ranges::find(inside_, std::this_thread::get_id()));
    left_.notify_all();
}

void CallGate::close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    const auto own = [me = std::this_thread::get_id()](std::thread::id id) { return id == me; };
    left_.wait(lock, [&] { return std::ranges::all_of(inside_, own); });
}

RegisteredCounterset::RegisteredCounterset(CountersetDescriptor declared, CounterCallback instances_from)
    : descriptor(std::move(declared)), callback(std::move(instances_from)) {
    for (std::size_t i = 0; i < descriptor.counters.size(); ++i) positions_.emplace(descriptor.counters[i].id, i);
    if (descriptor.instances == v2::InstanceType::single_aggregate_history) history.resize(descriptor.counters.size());
}

std::optional<std::size_t> RegisteredCounterset::position(std::uint32_t counter_id) const noexcept {
    const auto found = positions_.find(counter_id);
    if (found == positions_.end()) return std::nullopt;
    return found->second;
}

std::optional<std::uint32_t> RegisteredCounterset::notify(Notification what, const MaskInformation& mask,
                                                          InstanceSink& sink) {
    if (!callback || !gate_.enter()) return std::nullopt;
    struct Leave {
        CallGate& gate;
        ~Leave() { gate.leave(); }
    } const leave{gate_};
    return callback(what, mask, sink);
}

void RegisteredCounterset::end(KeptInstance& instance) {
    const std::scoped_lock lock(mutex);
    if (!instance.open) return;
    instance.open = false;
    taken.remove(instance.name, instance.id);
    std::erase_if(instances, [&](const auto& kept) { return kept.get() == &instance; });
    for (std::size_t i = 0; i < history.size(); ++i) history[i].add(instance.values[i]);
}

void RegisteredCounterset::close() {
    {
        const std::scoped_lock lock(mutex);
        closed = true;
        for (const auto& instance : instances) instance->open = false;
        instances.clear();
        history.clear();
    }
    gate_.close();
}

std::shared_ptr<RegisteredCounterset> find_counterset(const CountersetList& sets, const Guid& guid) {
    const auto found = std::ranges::find(sets, guid, [](const auto& set) { return set->descriptor.guid; });
    return found == sets.end() ? nullptr : *found;
}

std::expected<void, ProviderFault> read_values(const CountersetDescriptor& counterset, CounterData data,
                                               const std::vector<bool>& wanted, std::vector<std::uint64_t>& values) {
    values.assign(counterset.counters.size(), 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!wanted.empty() && !wanted[i]) continue;
        const CounterDescriptor& counter = counterset.counters[i];
        if (counter.struct_index >= data.size())
            return fault(struct_missing, fmt::format("counter {} lies in struct {}, and {} are there", counter.id,
                                                     counter.struct_index, data.size()));
        const auto bytes = data[counter.struct_index];
        const std::size_t end = std::size_t{counter.offset} + counter.size;
        if (end > bytes.size())
            return fault(struct_missing, fmt::format("counter {} ends at byte {} of struct {}, which has {}",
                                                     counter.id, end, counter.struct_index, bytes.size()));
        if (counter.size == 4) {
            std::uint32_t value = 0;
            std::memcpy(&value, bytes.data() + counter.offset, sizeof(value));
            values[i] = value;
        } else {
            std::memcpy(&values[i], bytes.data() + counter.offset, sizeof(std::uint64_t));
        }
    }
    return {};
}

/// The state shared by all copies of an instance's handle. The instance ends when the last copy is destroyed.
struct ProviderInstance::State {
    State(std::shared_ptr<RegisteredCounterset> its_set, std::shared_ptr<KeptInstance> kept)
        : set(std::move(its_set)), instance(std::move(kept)) {}
    ~State() { set->end(*instance); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    const std::shared_ptr<RegisteredCounterset> set;
    const std::shared_ptr<KeptInstance> instance;
};

namespace {

std::unexpected<ProviderFault> instance_closed() { return fault(closed, "the instance has been closed"); }

}  // namespace

std::expected<void, ProviderFault> ProviderInstance::set(CounterData data) {
    if (!state_) return instance_closed();
    std::vector<std::uint64_t> values;
    if (auto read = read_values(state_->set->descriptor, data, {}, values); !read) return read;
    const std::scoped_lock lock(state_->set->mutex);
    if (!state_->instance->open) return instance_closed();
    state_->instance->values.swap(values);
    return {};
}

std::expected<void, ProviderFault> ProviderInstance::set(std::uint32_t counter_id, std::uint64_t value) {
    if (!state_) return instance_closed();
    const RegisteredCounterset& set = *state_->set;
    const auto position = set.position(counter_id);
    if (!position)
        return fault(unknown_counter,
                     fmt::format("counterset \"{}\" has no counter {}", set.descriptor.name, counter_id));
    if (set.descriptor.counters[*position].size == 4) value &= 0xFFFF'FFFF;
    const std::scoped_lock lock(set.mutex);
    if (!state_->instance->open) return instance_closed();
    state_->instance->values[*position] = value;
    return {};
}

void ProviderInstance::close() noexcept {
    if (state_) state_->set->end(*state_->instance);
}

struct Provider::State {
    mutable std::shared_mutex mutex;
    CountersetList sets;
};

Provider::Provider() : state_(std::make_unique<State>()) {}

Provider::~Provider() {
    for (const auto& set : std::exchange(state_->sets, {})) set->close();  // a copy could find no memory
}

std::expected<void, ProviderFault> Provider::add(CountersetDescriptor descriptor, CounterCallback callback) {
    if (auto found = find_fault(descriptor)) return std::unexpected(*std::move(found));
    auto set = std::make_shared<RegisteredCounterset>(std::move(descriptor), std::move(callback));
    const std::scoped_lock lock(state_->mutex);
    const Guid& guid = set->descriptor.guid;
    if (const auto former = find_counterset(state_->sets, guid))
        return fault(counterset_repeated, fmt::format("counterset {} is registered already, as \"{}\"", guid_text(guid),
                                                      former->descriptor.name));
    state_->sets.push_back(std::move(set));
    return {};
}

void Provider::remove(const Guid& counterset) {
    std::shared_ptr<RegisteredCounterset> set;
    {
        const std::scoped_lock lock(state_->mutex);
        set = find_counterset(state_->sets, counterset);
        if (!set) return;
        std::erase(state_->sets, set);
    }
    set->close();
}

std::expected<ProviderInstance, ProviderFault> Provider::create_instance(const Guid& counterset, std::string_view name,
                                                                         std::uint32_t id) {
    std::shared_ptr<RegisteredCounterset> set;
    {
        const std::shared_lock lock(state_->mutex);
        set = find_counterset(state_->sets, counterset);
    }
    if (!set) return fault(closed, fmt::format("counterset {} is not registered", guid_text(counterset)));
    if (set->callback)
        return fault(instances_by_callback,
                     fmt::format("the instances of counterset \"{}\" come from its callback", set->descriptor.name));
    auto instance = std::make_shared<KeptInstance>();
    instance->name = instance_name(name);
    instance->id = id;
    instance->values.resize(set->descriptor.counters.size());
    const std::scoped_lock lock(set->mutex);
    if (set->closed) return fault(closed, fmt::format("counterset \"{}\" has been closed", set->descriptor.name));
    if (auto found = find_fault(set->descriptor, instance->name, id, set->taken))
        return std::unexpected(*std::move(found));
    set->taken.add(instance->name, id);
    set->instances.push_back(instance);
    return ProviderInstance(std::make_shared<ProviderInstance::State>(set, std::move(instance)));
}

CountersetList Provider::countersets() const {
    const std::shared_lock lock(state_->mutex);
    return state_->sets;
}

}  // namespace hkpd
