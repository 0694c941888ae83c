#include "answers/verdict_areas.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "base/text/names.hpp"
#include "hkpd/identity.hpp"
#include "quantity/unit.hpp"

namespace hkpd {
namespace {

// Thresholds; tools/OUTPUTS.md states where each comes from.
constexpr double busy_processors = 90, busy_processor = 95;  // %
constexpr double least_available = 100 * bytes_of_mebibyte, most_low_memory = 1024 * bytes_of_mebibyte;
constexpr double low_share = 0.05, paging_share = 0.1;  // of memory
constexpr double many_pages = 250, many_reads = 100;    // hard page faults, /s
constexpr double full_commit = 90;                      // %
constexpr double slow_transfer = 0.025, long_queue = 2, busy_disk = 90;
constexpr double full_network = 80, full_direction = 60, half_network = 50, long_output_queue = 2;
constexpr double least_bandwidth = 1e6, most_bandwidth = 1e12, absurd_network = 250;

constexpr auto processor_measures = std::to_array<WatchedMeasure>({
    {VerdictMeasure::processor_time, busy_processors, false, FactObject::processor, Fact::processor_time},
    {VerdictMeasure::ready_threads, no_fact, false, FactObject::system, Fact::ready_threads},
});
constexpr auto memory_measures = std::to_array<WatchedMeasure>({
    {VerdictMeasure::available_memory, least_available, true, FactObject::memory, Fact::available},
    {VerdictMeasure::hard_faults, no_fact, false, FactObject::memory, Fact::pages_input},
});
constexpr auto commit_measures = std::to_array<WatchedMeasure>({
    {VerdictMeasure::committed_share, full_commit, false, FactObject::memory, Fact::committed_share},
});
constexpr auto disk_measures = std::to_array<WatchedMeasure>({
    {VerdictMeasure::transfer_time, slow_transfer, false, FactObject::physical_disk, Fact::transfer_time},
    {VerdictMeasure::disk_queue, long_queue, false, FactObject::physical_disk, Fact::disk_queue},
    {VerdictMeasure::disk_busy, busy_disk, false, FactObject::physical_disk, Fact::disk_idle},
});
constexpr auto network_measures = std::to_array<WatchedMeasure>({
    {VerdictMeasure::network_share, full_network, false, FactObject::network_interface, Fact::bytes_total},
    {VerdictMeasure::output_queue, long_output_queue, false, FactObject::network_interface, Fact::output_queue},
});
constexpr auto single_measures = std::to_array<WatchedMeasure>({
    {VerdictMeasure::one_processor, busy_processor, false, FactObject::processor, Fact::processor_time},
});

/// Returns whether any instance has one of these facts.
bool has_any(const std::vector<FactRow>& rows, std::span<const Fact> facts) {
    return std::ranges::any_of(rows, [&](const FactRow& row) {
        return std::ranges::any_of(facts, [&](Fact fact) { return !std::isnan(row[fact]); });
    });
}

/// Returns the larger number, or the one that is no NaN.
double larger(double a, double b) { return std::isnan(a) || b > a ? b : a; }

/// Returns the busy time of a processor in %.
double busy_time(const FactRow& row) {
    const double busy = row[Fact::processor_time];
    return std::isnan(busy) ? all_percent - row[Fact::processor_idle] : busy;
}

/// Returns the instances that are judged: all but totals or, if there is no other, totals.
auto judged(const std::vector<FactRow>& rows) {
    const bool any = std::ranges::any_of(rows, [](const FactRow& row) { return !row.is_total; });
    return rows |
           std::views::filter([any](const FactRow& row) { return any ? !row.is_total : is_grand_total(row.name); });
}

}  // namespace

std::span<const WatchedMeasure> measures_of(Watch watch) noexcept {
    switch (watch) {
        case Watch::processor:
            return processor_measures;
        case Watch::memory:
            return memory_measures;
        case Watch::commit:
            return commit_measures;
        case Watch::disk:
            return disk_measures;
        case Watch::network:
            return network_measures;
        default:
            return single_measures;
    }
}

void AreaWatch::judge_processor(const FactReader& facts) {
    using enum FactObject;
    constexpr auto times = std::to_array({Fact::processor_time, Fact::processor_idle});
    const FactObject object = has_any(facts.rows(processor), times) ? processor : processor_information;
    double total = no_fact, sum = 0;
    std::uint32_t count = 0;
    for (const FactRow& row : facts.rows(object)) {
        const double busy = busy_time(row);
        if (is_grand_total(row.name)) total = busy;
        if (row.is_total || std::isnan(busy)) continue;
        sum += busy;
        ++count;
    }
    objects_[static_cast<std::size_t>(Watch::processor)] = object;
    processors_ = std::max(processors_, count);
    if (std::isnan(total) && count != 0) total = sum / count;
    if (std::isnan(total)) {  // of Process, the total includes the time of Idle
        double idle = no_fact, all = no_fact;
        for (const FactRow& row : facts.rows(process)) (row.is_total ? all : idle) = row[Fact::processor_time];
        if (all > 0 && idle >= 0) {
            total = std::clamp(all_percent * (all - idle) / all, 0.0, all_percent);
            processors_ =
                std::max(processors_, static_cast<std::uint32_t>(std::lround(std::min(all, 1e6) / all_percent)));
            objects_[static_cast<std::size_t>(Watch::processor)] = process;
        }
    }
    if (std::isnan(total)) return;
    const double waiting = facts.value(system, Fact::ready_threads);
    instances(Watch::processor)
        .push_back({"", total >= busy_processors, {total, processors_ != 0 ? waiting / processors_ : no_fact}});
    if (count < 2) return;
    objects_[static_cast<std::size_t>(Watch::single_processor)] = object;
    for (const FactRow& row : facts.rows(object))
        if (const double busy = busy_time(row); !row.is_total && !std::isnan(busy))
            instances(Watch::single_processor)
                .push_back({row.name, busy >= busy_processor && total < busy_processors, {busy}});
}

void AreaWatch::judge_memory(const FactReader& facts) {
    using enum FactObject;
    const double available = facts.value(memory, Fact::available);
    double installed = 0;
    for (const FactRow& row : judged(facts.rows(numa_node)))
        if (row[Fact::total_memory] > 0) installed += row[Fact::total_memory];
    objects_[static_cast<std::size_t>(Watch::memory)] = objects_[static_cast<std::size_t>(Watch::commit)] = memory;
    if (!std::isnan(available)) {
        most_available_ = std::max(most_available_, available);
        low_memory_ =
            installed > 0 ? std::clamp(low_share * installed, least_available, most_low_memory) : least_available;
        const double pages = facts.value(memory, Fact::pages_input), reads = facts.value(memory, Fact::page_reads);
        const double any = facts.value(memory, Fact::pages);
        // Pages that are read while memory is plentiful are files, which are mapped: memory is not short.
        const bool reads_much =
            pages >= many_pages || reads >= many_reads || (std::isnan(pages) && std::isnan(reads) && any >= many_pages);
        const double scarce = paging_share * std::max(installed, most_available_);
        instances(Watch::memory)
            .push_back({"",
                        available < low_memory_ || (reads_much && available < scarce),
                        {available, std::isnan(pages) ? (std::isnan(reads) ? any : reads) : pages}});
    }
    double share = facts.value(memory, Fact::committed_share);
    if (const double limit = facts.value(memory, Fact::commit_limit); std::isnan(share) && limit > 0)
        share = all_percent * facts.value(memory, Fact::committed) / limit;
    if (!std::isnan(share)) instances(Watch::commit).push_back({"", share >= full_commit, {share}});
}

void AreaWatch::judge_disk(const FactReader& facts) {
    using enum FactObject;
    constexpr auto all = std::to_array({Fact::transfer_time, Fact::read_time, Fact::write_time, Fact::disk_queue,
                                        Fact::current_disk_queue, Fact::disk_idle});
    const FactObject object = has_any(facts.rows(physical_disk), all) ? physical_disk : logical_disk;
    objects_[static_cast<std::size_t>(Watch::disk)] = object;
    for (const FactRow& row : judged(facts.rows(object))) {
        double time = row[Fact::transfer_time], queue = row[Fact::disk_queue];
        if (std::isnan(time)) time = larger(row[Fact::read_time], row[Fact::write_time]);
        if (std::isnan(queue)) queue = row[Fact::current_disk_queue];
        const double busy = all_percent - row[Fact::disk_idle];
        const auto known =
            std::ranges::count_if(std::array{time, queue, busy}, [](double v) { return !std::isnan(v); });
        if (known == 0) continue;
        const int beyond = (time > slow_transfer ? 1 : 0) + (queue > long_queue ? 1 : 0) + (busy > busy_disk ? 1 : 0);
        instances(Watch::disk)
            .push_back({row.name, beyond >= std::min<int>(2, static_cast<int>(known)), {time, queue, busy}});
    }
}

void AreaWatch::judge_network(const FactReader& facts) {
    using enum FactObject;
    constexpr auto all = std::to_array({Fact::bytes_total, Fact::bytes_received, Fact::bytes_sent, Fact::output_queue});
    constexpr double bits = 8;
    const FactObject object = has_any(facts.rows(network_interface), all) ? network_interface : network_adapter;
    objects_[static_cast<std::size_t>(Watch::network)] = object;
    for (const FactRow& row : judged(facts.rows(object))) {
        if (fold_case(row.name).contains(fold_case("loopback"))) continue;
        const double bandwidth = row[Fact::bandwidth];
        const bool is_usable = bandwidth >= least_bandwidth && bandwidth <= most_bandwidth;
        const auto share_of = [&](double bytes) {
            return is_usable ? all_percent * bytes * bits / bandwidth : no_fact;
        };
        const double received = share_of(row[Fact::bytes_received]), sent = share_of(row[Fact::bytes_sent]);
        double bytes = row[Fact::bytes_total];
        if (std::isnan(bytes)) bytes = row[Fact::bytes_received] + row[Fact::bytes_sent];
        double share = share_of(bytes);
        if (share > absurd_network) share = no_fact;
        const double queue = row[Fact::output_queue];
        if (std::isnan(share) && std::isnan(queue)) continue;
        // Links carry their bandwidth in each direction: both together can have twice as much.
        const bool is_full = share >= full_network && !(std::max(received, sent) < full_direction);
        const bool waits = queue > long_output_queue && !(share < half_network);
        instances(Watch::network).push_back({row.name, is_full || waits, {share, queue, bytes}});
    }
}

void AreaWatch::follow_kernel_memory(const FactReader& facts, std::int64_t time) {
    constexpr auto followed = std::to_array({Fact::committed, Fact::paged_pool, Fact::nonpaged_pool});
    for (std::size_t i = 0; i < followed.size(); ++i) {
        const double value = facts.value(FactObject::memory, followed[i]);
        if (std::isnan(value)) continue;
        kernel_memory_[i].add(time, value);
        kernel_ends_[i] = {value, 1};
    }
}

void AreaWatch::add(const FactReader& facts, std::int64_t time, double seconds, bool after_gap) {
    for (Instances& each : instances_) each.clear();
    sample_seconds_ = seconds;
    judge_processor(facts);
    judge_memory(facts);
    judge_disk(facts);
    judge_network(facts);
    follow_kernel_memory(facts, time);
    for (std::size_t i = 0; i < watches; ++i) {
        const auto measures = measures_of(static_cast<Watch>(i));
        std::array<bool, most_levels> low{};
        for (std::size_t each = 0; each < measures.size(); ++each) {
            low[each] = measures[each].low;
            double worst = no_fact;
            for (const WatchedInstance& instance : instances_[i])
                if (const double value = instance.values[each];
                    std::isnan(worst) || (low[each] ? value < worst : value > worst))
                    worst = value;
            levels_[i][each].add(worst, seconds, low[each]);
        }
        spells_[i].add(time, seconds, after_gap, instances_[i], low);
    }
}

void AreaWatch::finish() {
    for (SpellWatch& each : spells_) each.finish();
}

}  // namespace hkpd
