#include "provider/collect.hpp"

#include <unordered_map>
#include <utility>

#include "base/text/names.hpp"

namespace hkpd {
namespace {

/// Returns whether consumers see all instances of a counterset as one instance.
bool is_single_aggregate(const CountersetDescriptor& set) noexcept {
    return v2::is_aggregate(set.instances) && !v2::is_multi(set.instances);
}

bool requests_total(const CountersetDescriptor& set, const InstanceRequest& request) {
    return v2::is_aggregate(set.instances) && v2::is_multi(set.instances) &&
           request.matches(instance_name(total_name), v2::any_instance);
}

/// Returns the instances that must be collected for a request. A request that includes an aggregate needs all instances
/// that the aggregate combines, even if the request selects only some of them.
InstanceRequest needed_for(const CountersetDescriptor& set, const InstanceRequest& request) {
    if (is_single_aggregate(set) || requests_total(set, request)) return InstanceRequest{};
    if (set.instances == v2::InstanceType::instance_aggregate) return InstanceRequest(request.pattern);
    return request;
}

/// A sink that stores the instances that a callback adds, if they are valid and requested.
class CollectingSink final : public InstanceSink {
  public:
    CollectingSink(const CollectRequest& request, bool with_values, Collected& collected)
        : request_(request), with_values_(with_values), collected_(collected) {}

    std::expected<void, ProviderFault> add(std::string_view name, std::uint32_t id, CounterData data) override {
        const CountersetDescriptor& set = request_.set().descriptor;
        CollectedInstance instance{instance_name(name), id, {}};
        if (auto found = find_fault(set, instance.name, id, taken_)) return std::unexpected(*std::move(found));
        if (with_values_) {
            if (auto read = read_values(set, data, request_.counters(), instance.values); !read) return read;
        } else {
            instance.values.resize(set.counters.size());
        }
        taken_.add(instance.name, id);
        any_ = true;
        if (request_.instances().matches(instance.name, id)) collected_.instances.push_back(std::move(instance));
        return {};
    }
    bool any() const noexcept { return any_; }

  private:
    const CollectRequest& request_;
    const bool with_values_;
    Collected& collected_;
    TakenNames taken_;
    bool any_ = false;
};

/// A sink for notifications that do not request instances. It ignores instances that the callback adds nevertheless.
class IgnoringSink final : public InstanceSink {
  public:
    std::expected<void, ProviderFault> add(std::string_view, std::uint32_t, CounterData) override { return {}; }
};

/// The aggregates of all counters. The values of several instances are combined with each counter's aggregate function.
class Aggregator {
  public:
    explicit Aggregator(const CountersetDescriptor& set) : set_(set), counters_(set.counters.size()) {}
    Aggregator(const CountersetDescriptor& set, std::vector<Aggregation> history)
        : set_(set), counters_(std::move(history)) {}

    void add(const std::vector<std::uint64_t>& values) {
        for (std::size_t i = 0; i < counters_.size(); ++i) counters_[i].add(values[i]);
    }
    std::vector<std::uint64_t> results() const {
        std::vector<std::uint64_t> values(counters_.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = counters_[i].result(set_.counters[i].aggregate);
            if (set_.counters[i].size == 4) values[i] &= 0xFFFF'FFFF;
        }
        return values;
    }
    bool empty() const noexcept { return counters_.front().empty(); }

  private:
    const CountersetDescriptor& set_;
    std::vector<Aggregation> counters_;
};

/// Merges instances that have the same name. A merged instance has the position and the id of the first instance with
/// that name.
void merge_equal_names(const CountersetDescriptor& set, std::vector<CollectedInstance>& instances) {
    std::unordered_map<std::string, std::size_t> places;
    std::vector<CollectedInstance> merged;
    std::vector<Aggregator> aggregators;
    for (CollectedInstance& instance : instances) {
        const auto [place, is_new] = places.try_emplace(instance.name.folded, merged.size());
        if (is_new) {
            aggregators.emplace_back(set);
            merged.push_back(std::move(instance));
            aggregators.back().add(merged.back().values);
        } else {
            aggregators[place->second].add(instance.values);
        }
    }
    for (std::size_t i = 0; i < merged.size(); ++i) merged[i].values = aggregators[i].results();
    instances = std::move(merged);
}

void append_total(const CountersetDescriptor& set, std::vector<CollectedInstance>& instances) {
    if (instances.empty()) return;
    Aggregator total(set);
    for (const CollectedInstance& instance : instances) total.add(instance.values);
    instances.push_back({instance_name(total_name), v2::any_instance, total.results()});
}

/// Merges all instances of a counterset into the one instance that consumers see. `history`: for each counter, the
/// aggregate of instances that have ended; empty if the counterset does not include ended instances.
void merge_all(const CountersetDescriptor& set, std::vector<Aggregation> history,
               std::vector<CollectedInstance>& instances) {
    Aggregator all = history.empty() ? Aggregator(set) : Aggregator(set, std::move(history));
    for (const CollectedInstance& instance : instances) all.add(instance.values);
    if (all.empty()) return;
    const std::uint32_t id = instances.empty() ? 0 : instances.front().id;
    instances.assign(1, {InstanceName{}, id, all.results()});
}

void copy_kept(const RegisteredCounterset& set, const InstanceRequest& wanted, Collected& collected,
               std::vector<Aggregation>& history) {
    const std::shared_lock lock(set.mutex);
    for (const auto& instance : set.instances)
        if (wanted.matches(instance->name, instance->id))
            collected.instances.push_back({instance->name, instance->id, instance->values});
    history = set.history;
}

}  // namespace

InstanceRequest::InstanceRequest(std::string_view text, std::uint32_t instance_id)
    : pattern(text), folded(fold_case(text)), id(instance_id) {}

bool InstanceRequest::matches(const InstanceName& name, std::uint32_t instance_id) const noexcept {
    if (id != v2::any_instance && id != instance_id) return false;
    return has_wildcard() ? matches_wildcard(folded, name.folded) : folded == name.folded;
}

void CollectRequest::add(const InstanceRequest& instances, std::uint32_t counter_id) {
    const InstanceRequest needed = needed_for(set_->descriptor, instances);
    if (empty_)
        instances_ = needed;
    else if (!(instances_ == needed))
        instances_ = InstanceRequest{};
    empty_ = false;
    if (counter_id == v2::wildcard_counter) {
        counters_.assign(counters_.size(), true);
        counter_mask_ = ~std::uint64_t{0};
    } else if (const auto position = set_->position(counter_id)) {
        counters_[*position] = true;
        // The mask has a bit for each id from 0 to 63. If any other id is requested, the mask requests all counters.
        counter_mask_ |= counter_id < 64 ? std::uint64_t{1} << counter_id : ~std::uint64_t{0};
    }
}

MaskInformation CollectRequest::mask() const noexcept {
    const CountersetDescriptor& set = set_->descriptor;
    const bool single = !v2::is_multi(set.instances) && !is_single_aggregate(set);
    return {.counter_mask = counter_mask_,
            .instance_mask = v2::is_multi(set.instances) ? std::string_view(instances_.pattern) : "*",
            .instance_id = instances_.id,
            .collect_multiple = !single && instances_.has_wildcard(),
            .cancel = cancel};
}

Collected collect(RegisteredCounterset& set, Notification what, const CollectRequest& request) {
    Collected collected;
    std::vector<Aggregation> history;
    if (set.callback) {
        CollectingSink sink(request, what == Notification::collect_data, collected);
        const std::uint32_t status = set.notify(what, request.mask(), sink).value_or(0);
        if (!sink.any()) collected.status = status;
    } else {
        copy_kept(set, request.instances(), collected, history);
    }
    const CountersetDescriptor& descriptor = set.descriptor;
    if (is_single_aggregate(descriptor)) {
        merge_all(descriptor, std::move(history), collected.instances);
    } else {
        if (descriptor.instances == v2::InstanceType::instance_aggregate)
            merge_equal_names(descriptor, collected.instances);
        if (requests_total(descriptor, request.instances())) append_total(descriptor, collected.instances);
    }
    return collected;
}

Collected collect_all(RegisteredCounterset& set, Notification what) {
    CollectRequest request(set);
    request.add(InstanceRequest{}, v2::wildcard_counter);
    return collect(set, what, request);
}

void notify_interest(RegisteredCounterset& set, Notification what, const InstanceRequest& instances,
                     std::uint32_t counter_id) {
    if (!set.callback || !set.has_counter(counter_id)) return;
    CollectRequest request(set);
    request.add(instances, counter_id);
    IgnoringSink sink;
    set.notify(what, request.mask(), sink);
}

}  // namespace hkpd
