#include <array>
#include <cassert>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/win32.hpp"
#include "hkpd/live.hpp"
#include "simulate/countersets.hpp"

namespace hkpd::simulation {
namespace {

struct LockCounter {
    std::string_view name;
    std::uint64_t rate;  // number of events in 1000 seconds of activity
    std::string_view help;
};

/// The counters in the order of their ids, which begin at 0. The rates are consistent: for each kind of acquisition,
/// the number of attempts is the number of acquires plus the number of attempts that failed instead of waiting
/// (no-Waits).
constexpr LockCounter lock_counters[] = {
    {"Spinlock Acquires/sec", 40'000'000, "How often the processor acquires spinlocks of any kind."},
    {"Spinlock Contentions/sec", 40'000, "How often a spinlock that the processor wants is held by another one."},
    {"Spinlock Spins/sec", 9'000'000, "How often the processor looks again at a spinlock that it waits for."},
    {"IPI Send Broadcast Requests/sec", 120'000, ""},
    {"IPI Send Routine Requests/sec", 300'000, ""},
    {"IPI Send Software Interrupts/sec", 700'000, ""},
    {"Exec. Resource Total Initialize/sec", 90'000, ""},
    {"Exec. Resource Total Re-Initialize/sec", 20'000, ""},
    {"Exec. Resource Total Delete/sec", 88'000, ""},
    {"Exec. Resource Total Acquires/sec", 8'765'800, "How often executive resources are acquired in any way."},
    {"Exec. Resource Total Contentions/sec", 13'650, "How often a thread has to wait for an executive resource."},
    {"Exec. Resource Total Exclusive Releases/sec", 2'394'000, ""},
    {"Exec. Resource Total Shared Releases/sec", 6'369'800, ""},
    {"Exec. Resource Total Conv. Exclusive To Shared/sec", 15'000, ""},
    {"Exec. Resource Attempts AcqExclLite/sec", 2'400'000, ""},
    {"Exec. Resource Acquires AcqExclLite/sec", 2'395'000, ""},
    {"Exec. Resource Recursive Excl. Acquires AcqExclLite/sec", 120'000, ""},
    {"Exec. Resource Contention AcqExclLite/sec", 9'000, ""},
    {"Exec. Resource no-Waits AcqExclLite/sec", 5'000, ""},
    {"Exec. Resource Attempts AcqShrdLite/sec", 6'000'000, ""},
    {"Exec. Resource Recursive Excl. Acquires AcqShrdLite/sec", 60'000, ""},
    {"Exec. Resource Acquires AcqShrdLite/sec", 5'992'000, ""},
    {"Exec. Resource Recursive Sh. Acquires AcqShrdLite/sec", 240'000, ""},
    {"Exec. Resource Contention AcqShrdLite/sec", 4'000, ""},
    {"Exec. Resource no-Waits AcqShrdLite/sec", 8'000, ""},
    {"Exec. Resource Attempts AcqShrdStarveExcl/sec", 300'000, ""},
    {"Exec. Resource Recursive Excl. Acquires AcqShrdStarveExcl/sec", 3'000, ""},
    {"Exec. Resource Acquires AcqShrdStarveExcl/sec", 299'000, ""},
    {"Exec. Resource Recursive Sh. Acquires AcqShrdStarveExcl/sec", 12'000, ""},
    {"Exec. Resource Contention AcqShrdStarveExcl/sec", 500, ""},
    {"Exec. Resource no-Waits AcqShrdStarveExcl/sec", 1'000, ""},
    {"Exec. Resource Attempts AcqShrdWaitForExcl/sec", 80'000, ""},
    {"Exec. Resource Recursive Excl. Acquires AcqShrdWaitForExcl/sec", 500, ""},
    {"Exec. Resource Acquires AcqShrdWaitForExcl/sec", 79'800, ""},
    {"Exec. Resource Recursive Sh. Acquires AcqShrdWaitForExcl/sec", 2'000, ""},
    {"Exec. Resource Contention AcqShrdWaitForExcl/sec", 150, ""},
    {"Exec. Resource no-Waits AcqShrdWaitForExcl/sec", 200, ""},
    {"Exec. Resource Set Owner Pointer Exclusive/sec", 8'000, ""},
    {"Exec. Resource Set Owner Pointer Shared (New Owner)/sec", 1'500, ""},
    {"Exec. Resource Set Owner Pointer Shared (Existing Owner)/sec", 2'500, ""},
    {"Exec. Resource Boost Excl. Owner/sec", 600, ""},
    {"Exec. Resource Boost Shared Owners/sec", 900, ""},
};
constexpr std::size_t lock_counter_count = std::size(lock_counters);

using SynchronizationValues = std::array<std::uint32_t, lock_counter_count>;

CountersetDescriptor synchronization_counterset() {
    constexpr std::uint32_t counter = 0x1041'0400, advanced = 200;  // PERF_COUNTER_COUNTER, PERF_DETAIL_ADVANCED
    CountersetDescriptor set;
    set.guid = guid_of("{370E979A-377A-4f30-B2C4-9A0FD072890B}");
    set.provider_guid = guid_of("{383487A6-3676-4870-A4E7-D45B30C35629}");
    set.name = "Synchronization";
    set.help = "How the kernel keeps processors and threads out of each other's way, for each processor.";
    set.instances = v2::InstanceType::multi_aggregate;
    for (std::uint32_t id = 0; id < lock_counter_count; ++id)
        set.counters.push_back({.id = id,
                                .type = counter,
                                .name = std::string(lock_counters[id].name),
                                .help = std::string(lock_counters[id].help),
                                .offset = static_cast<std::uint16_t>(id * sizeof(std::uint32_t)),
                                .size = sizeof(std::uint32_t),
                                .detail_level = advanced});
    return set;
}

/// The activity of one processor in the kernel, from which the values of its counters are computed.
struct Locking {
    std::string name;
    Activity activity;
    Ticks active_wrapped = 0;

    SynchronizationValues at(Ticks now) const noexcept {
        const Ticks recent = activity.at(now) - active_wrapped;
        SynchronizationValues values{};
        for (std::size_t id = 0; id < lock_counter_count; ++id)
            values[id] = static_cast<std::uint32_t>(count(lock_counters[id].rate, recent));
        return values;
    }
};

}  // namespace

void add_synchronization(Provider& provider, const MachineModel& model, const CurrentTime& now) {
    std::vector<Locking> processors;
    for (std::uint32_t i = 0; i < model.processors.size(); ++i) {
        const Activity activity(mix(model.seed, 8, i));
        processors.push_back({"0," + std::to_string(i), activity, activity.at(model.clock.wrapped())});
    }
    const auto report_it = [processors = std::move(processors), &now](Notification what, const MaskInformation&,
                                                                      InstanceSink& sink) {
        if (what != Notification::enumerate_instances && what != Notification::collect_data) return win32::success;
        const Ticks time = now;
        for (std::uint32_t i = 0; i < processors.size(); ++i) {
            const SynchronizationValues values = processors[i].at(time);
            const std::span<const std::byte> data = std::as_bytes(std::span(values));
            if (!sink.add(processors[i].name, i, {&data, 1})) return win32::invalid_parameter;
        }
        return win32::success;
    };
    [[maybe_unused]] const auto added = provider.add(synchronization_counterset(), report_it);
    assert(added);
}

}  // namespace hkpd::simulation
