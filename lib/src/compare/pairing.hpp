// Pairs V1 samples with V2 samples.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "base/text/names.hpp"
#include "compare/snapshot.hpp"
#include "hkpd/compare.hpp"

namespace hkpd {

/// Pairs V1 samples with V2 samples of the same machine (see `Comparer`). Stores each sample until its partner, the
/// sample from the other interface, has arrived or can no longer arrive. When a pair is found, all older samples of the
/// machine are discarded.
class SamplePairs {
  public:
    /// Receives each pair of a V1 and a V2 sample. `neighbours` is true in two cases. In the first case, each of the
    /// two samples was cooked against the sample of the previous pair that is from the same interface, so that the
    /// cooked values of both cover the same interval. In the second case, there was no previous pair, and both samples
    /// were cooked without a previous sample.
    using OnPair = std::function<void(const KeptSample& v1, const KeptSample& v2, bool neighbours)>;

    /// Keeps references to `options` and `found`. Adds the numbers of samples without a partner to `found`, and calls
    /// `on_pair` with each pair.
    SamplePairs(const CompareOptions& options, Comparison& found, OnPair on_pair)
        : options_(options), found_(found), on_pair_(std::move(on_pair)) {}

    /// Adds a sample. `cooked_alone` is true if the sample was cooked without a previous sample.
    void add(KeptSample sample, bool cooked_alone) {
        const bool v1 = sample.is_v1();
        Machine& machine = machine_of(sample);
        std::uint64_t& last = machine.last[std::to_underlying(sample.source)];
        sample.id = ++count_;
        // `last` is the id of the previous sample. It is 0 if there was no previous sample, or if `evict_all` has
        // discarded the machine since then. In the second case, the sample can have been cooked against a previous
        // sample whose id is no longer known. `before` is then set to the sample's own id. This id equals no id in
        // `last_pair`, so `settle` does not assume that the sample was cooked against the sample in `last_pair`.
        sample.before = cooked_alone ? 0 : last != 0 ? last : sample.id;
        last = sample.id;
        if (!sample.moment) {
            ++(v1 ? found_.v1_alone : found_.v2_alone);
            return;
        }
        memory_ += sample.memory;
        const std::int64_t moment = *sample.moment;
        (v1 ? machine.v1 : machine.v2).emplace(moment, std::move(sample));
        settle(machine, false);
        while (memory_ > options_.buffer) evict_oldest();
    }

    /// Pairs the samples that are still stored. No more samples may be added afterwards.
    void finish() {
        for (auto& [name, machine] : machines_) {
            settle(machine, true);
            drop(machine.v1, machine.v1.end(), found_.v1_alone);
        }
    }

  private:
    using Queue = std::multimap<std::int64_t, KeptSample>;  // samples of one interface, by `KeptSample::moment`
    using Ids = std::pair<std::uint64_t, std::uint64_t>;    // `KeptSample::id` of a V1 and a V2 sample
    struct Machine {
        Queue v1, v2;
        std::array<std::uint64_t, sample_sources> last{};  // id of the last sample of each `SampleSource`
        Ids last_pair;
    };
    /// Returns the distance between two moments, without overflow.
    static std::uint64_t distance(std::int64_t a, std::int64_t b) noexcept {
        return static_cast<std::uint64_t>(std::max(a, b)) - static_cast<std::uint64_t>(std::min(a, b));
    }

    /// Returns the machine of a sample. While only one machine is known, a sample without a machine name belongs to
    /// that machine. If that machine has no name yet, the first sample with a machine name gives it its name.
    Machine& machine_of(const KeptSample& sample) {
        std::string name = fold_case(sample.machine);
        if (const auto found = machines_.find(name); found != machines_.end()) return found->second;
        if (machines_.size() == 1) {
            if (name.empty()) return machines_.begin()->second;
            if (machines_.begin()->first.empty()) {
                auto only = machines_.extract(machines_.begin());
                only.key() = name;
                return machines_.insert(std::move(only)).position->second;
            }
        }
        if (machines_.size() >= options_.machines) evict_all();
        return machines_[std::move(name)];
    }

    /// Pairs the V2 samples of a machine in order of time. If `final` is false, stops at the first V2 sample whose
    /// partner is not certain yet. The partner is not certain if a nearer V1 sample can still arrive, or if another V2
    /// sample that is nearer to the partner can still arrive.
    void settle(Machine& machine, bool final) {
        while (!machine.v2.empty()) {
            const auto asked = machine.v2.begin();
            const std::int64_t moment = asked->first;
            const bool later_v1 = !machine.v1.empty() && machine.v1.rbegin()->first >= moment;
            if (!final && !later_v1) return;
            const auto partner = nearest(machine.v1, moment);
            const auto follower = std::next(asked);
            bool taken = partner != machine.v1.end();
            if (taken && partner->first != moment) {
                if (!final && follower == machine.v2.end()) return;  // the next V2 sample may be nearer
                taken = follower == machine.v2.end() ||
                        distance(follower->first, partner->first) >= distance(moment, partner->first);
            }
            if (taken) {
                const KeptSample &v1 = partner->second, &v2 = asked->second;
                on_pair_(v1, v2, Ids{v1.before, v2.before} == machine.last_pair);
                machine.last_pair = {v1.id, v2.id};
                drop(machine.v1, partner, found_.v1_alone);
                std::uint64_t found_one = 0;
                drop(machine.v1, std::next(partner), found_one);
                drop(machine.v2, follower, found_one);
            } else {
                drop(machine.v2, follower, found_.v2_alone);
            }
        }
    }

    /// Returns the sample nearest to `moment`; the end of the queue if no sample is within `CompareOptions::window`.
    Queue::iterator nearest(Queue& queue, std::int64_t moment) const {
        auto found = queue.lower_bound(moment);
        if (found != queue.begin()) {
            const auto before = std::prev(found);
            if (found == queue.end() || distance(before->first, moment) <= distance(found->first, moment))
                found = before;
        }
        if (found == queue.end() || distance(found->first, moment) > static_cast<std::uint64_t>(options_.window))
            return queue.end();
        return found;
    }

    /// Discards the samples before `end` in `queue`, and adds their number to `alone`.
    void drop(Queue& queue, Queue::iterator end, std::uint64_t& alone) {
        while (queue.begin() != end) {
            memory_ -= queue.begin()->second.memory;
            queue.erase(queue.begin());
            ++alone;
        }
    }

    void evict_oldest() {
        Queue* oldest = nullptr;
        for (auto& [name, machine] : machines_)
            for (Queue* queue : {&machine.v1, &machine.v2})
                if (!queue->empty() && (oldest == nullptr || queue->begin()->second.id < oldest->begin()->second.id))
                    oldest = queue;
        if (oldest == nullptr) return;
        const bool v1 = oldest->begin()->second.is_v1();
        drop(*oldest, std::next(oldest->begin()), v1 ? found_.v1_alone : found_.v2_alone);
        ++found_.evicted;
    }

    void evict_all() {
        const std::uint64_t before = found_.v1_alone + found_.v2_alone;
        for (auto& [name, machine] : machines_) {
            drop(machine.v1, machine.v1.end(), found_.v1_alone);
            drop(machine.v2, machine.v2.end(), found_.v2_alone);
        }
        found_.evicted += found_.v1_alone + found_.v2_alone - before;
        machines_.clear();
    }

    const CompareOptions& options_;
    Comparison& found_;
    OnPair on_pair_;
    std::map<std::string, Machine> machines_;  // by folded name; empty if the name is unknown
    std::uint64_t count_ = 0, memory_ = 0;
};

}  // namespace hkpd
