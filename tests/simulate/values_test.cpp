// The values of the simulated machine are consistent: times add up, averages have their bases, both interfaces agree,
// and counters never decrease.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hkpd/counter_type.hpp"
#include "hkpd/v1_writer.hpp"
#include "support/simulated_run.hpp"

namespace simulate_values_test {

using namespace hkpd_test;

constexpr std::uint32_t system_object = 2, memory = 4, process = 230, thread = 232, disk = 234, processor = 238;
constexpr std::uint32_t processor_time = 6, user_time = 142, privileged_time = 144, id_process = 784, id_thread = 804;

/// Returns the samples of the machine that most tests use: one minute, V1 only.
const std::deque<hkpd::Sample>& minute() {
    static const SimulatedRun run({.v2 = false, .count = 61});
    return run.samples;
}

/// Returns the time since the machine started, in 100 ns.
std::uint64_t up_time(const hkpd::Sample& sample) {
    constexpr std::uint32_t system_up_time = 674;
    return static_cast<std::uint64_t>(sample.perf_time_100ns) -
           value_of(object_of(sample, system_object), system_up_time, 0);
}

bool counts(std::uint32_t type) {
    const hkpd::CounterType fields{type};
    constexpr std::uint32_t raw_base = 0x4003'0403;
    return fields.is_base() ? type != raw_base : fields.form() == hkpd::CounterType::Form::counter && fields.delta();
}

/// Returns the identity of an instance during its life; none for sums over instances that end.
std::optional<std::tuple<std::string, std::uint64_t, std::uint64_t>> identity(const hkpd::Object& object,
                                                                              std::size_t row) {
    const std::string name(*object.instances[row].name);
    const bool has_process = object.title_index == process || object.title_index == thread;
    if (has_process && name == "_Total") return std::nullopt;
    return std::tuple(name, has_process ? value_of(object, id_process, row) : 0,
                      object.title_index == thread ? value_of(object, id_thread, row) : 0);
}

std::uint64_t sum_but_last(const hkpd::Column& column) {
    std::uint64_t sum = 0;
    for (const std::uint64_t value : column.values.first(column.values.size() - 1)) sum += value;
    return sum;
}

TEST(SimulatedValues, ProcessorsAreIdleOrBusyAllTheTime) {
    for (const hkpd::Sample& sample : minute()) {
        const hkpd::Object& object = object_of(sample, processor);
        for (std::size_t row = 0; row + 1 < object.instances.size(); ++row) {
            const std::uint64_t idle = value_of(object, processor_time, row);
            const std::uint64_t user = value_of(object, user_time, row),
                                privileged = value_of(object, privileged_time, row);
            EXPECT_EQ(idle + user + privileged, up_time(sample));
            EXPECT_LE(value_of(object, 696, row) + value_of(object, 698, row), privileged);  // DPC, interrupt
            EXPECT_LE(value_of(object, 1748, row) + value_of(object, 1750, row), idle);      // C1, C2
        }
        for (const std::uint32_t title : {processor_time, user_time, privileged_time}) {
            const hkpd::Column& column = column_of(object, title);
            EXPECT_EQ(column.values.back(), sum_but_last(column) / (object.instances.size() - 1));
        }
    }
}

TEST(SimulatedValues, ProcessorsAreNeitherIdleNorFull) {
    for (const std::uint32_t cpus : {1U, 4U, 64U}) {
        const SimulatedRun run({.v2 = false, .count = 120}, {.cpus = cpus});
        double least = 100, most = 0;
        for (std::size_t i = 1; i < run.samples.size(); ++i)
            for (std::size_t row = 0; row < cpus; ++row) {
                const auto idle = value_of(object_of(run.samples[i], processor), processor_time, row) -
                                  value_of(object_of(run.samples[i - 1], processor), processor_time, row);
                const double busy = 100 * (1 - static_cast<double>(idle) / 1e7);
                least = std::min(least, busy);
                most = std::max(most, busy);
            }
        EXPECT_GT(least, 3);
        EXPECT_LT(most, 85);
        EXPECT_GT(most - least, 10) << cpus;
    }
}

TEST(SimulatedValues, CountersNeverDecrease) {
    using Key = std::pair<std::uint32_t, std::tuple<std::string, std::uint64_t, std::uint64_t>>;
    std::map<std::pair<Key, std::size_t>, std::uint64_t> last;
    std::size_t compared = 0, grown = 0;
    for (const hkpd::Sample& sample : minute())
        for (const hkpd::Object& object : sample.objects())
            for (std::size_t c = 0; c < object.columns.size(); ++c)
                for (std::size_t row = 0; row < object.instances.size(); ++row) {
                    const auto who = identity(object, row);
                    if (!counts(object.columns[c].type) || !who) continue;
                    const std::uint64_t value = object.columns[c].values[row];
                    const auto [known, is_new] = last.try_emplace({{object.title_index, *who}, c}, value);
                    ASSERT_GE(value, known->second) << object.title_index << " " << object.columns[c].title_index;
                    if (!is_new) ++compared;
                    if (value > known->second) ++grown;
                    known->second = value;
                }
    EXPECT_GT(compared, 100'000U);
    EXPECT_GT(grown, compared / 2);
}

TEST(SimulatedValues, ProcessesUseTheTimeOfTheProcessors) {
    const auto near = [](std::uint64_t one, std::uint64_t other, std::uint64_t within) {
        EXPECT_LE(std::max(one, other) - std::min(one, other), within);
    };
    const auto grown = [](std::uint32_t object, std::uint32_t title, std::size_t row) {
        return value_of(object_of(minute()[1], object), title, row) -
               value_of(object_of(minute()[0], object), title, row);
    };
    const std::size_t cpus = object_of(minute()[0], processor).instances.size() - 1;
    std::uint64_t idle = 0, busy = 0, used = 0;
    for (std::size_t i = 0; i < cpus; ++i) {
        idle += grown(processor, processor_time, i);
        busy += grown(processor, user_time, i) + grown(processor, privileged_time, i);
    }
    EXPECT_EQ(grown(process, processor_time, 0), idle);
    const hkpd::Object &before = object_of(minute()[0], process), &after = object_of(minute()[1], process);
    for (std::size_t row = 1; row + 1 < after.instances.size(); ++row) {
        EXPECT_EQ(value_of(after, processor_time, row),
                  value_of(after, user_time, row) + value_of(after, privileged_time, row));
        if (value_of(before, id_process, row) == value_of(after, id_process, row))
            used += grown(process, processor_time, row);
    }
    near(used, busy, busy / 50);

    for (const hkpd::Sample& sample : minute()) {
        const hkpd::Object &processes = object_of(sample, process), &threads = object_of(sample, thread);
        std::vector<std::uint64_t> times(processes.instances.size());
        for (std::size_t row = 0; row < threads.instances.size(); ++row)
            times[threads.instances[row].parent_instance] += value_of(threads, processor_time, row);
        for (std::size_t row = 0; row + 1 < times.size(); ++row)
            near(times[row], value_of(processes, processor_time, row),
                 value_of(processes, processor_time, row) / 1'000'000 + 2 * threads.instances.size());
        for (const std::uint32_t title : {processor_time, 28U, 180U, 680U, 952U, 1420U})
            EXPECT_EQ(column_of(processes, title).values.back(), sum_but_last(column_of(processes, title)));
    }
}

TEST(SimulatedValues, BothInterfacesAgree) {
    const SimulatedRun run({.count = 5});
    const hkpd::SimulatedMachine machine({});
    for (std::size_t i = 0; i < run.samples.size(); i += 2)
        for (const hkpd::Guid& guid : {waves_guid, processors_guid, synchronization_guid}) {
            const hkpd::Object& v1 = object_of(run.samples[i], machine.numbering().object(guid));
            const hkpd::Object& v2 = object_of(run.samples[i + 1], guid);
            ASSERT_EQ(v1.instances.size(), v2.instances.size());
            for (const hkpd::Column& column : v2.columns) {
                const hkpd::Column& other = column_of(v1, machine.numbering().counter(guid, column.title_index));
                EXPECT_TRUE(std::ranges::equal(column.values, other.values)) << column.title_index;
                EXPECT_EQ(column.type, other.type);
            }
        }
}

TEST(SimulatedValues, BothObjectsOfProcessorsAgree) {
    const SimulatedRun run({.count = 3});
    // By instance id: the title in Processor Information and that in Processor.
    constexpr std::pair<std::uint32_t, std::uint32_t> same[] = {{0, 6},     {1, 142},   {2, 144},  {3, 148},  {4, 696},
                                                                {5, 698},   {6, 1334},  {7, 1336}, {8, 1746}, {9, 1748},
                                                                {10, 1750}, {12, 1754}, {13, 1756}};
    for (std::size_t i = 0; i < run.samples.size(); i += 2) {
        const hkpd::Object& old = object_of(run.samples[i], processor);
        const hkpd::Object& information = object_of(run.samples[i + 1], processors_guid);
        for (const auto& [id, title] : same) {
            for (std::size_t row = 0; row + 1 < old.instances.size(); ++row)
                EXPECT_EQ(value_of(information, id, row), value_of(old, title, row)) << id;
            EXPECT_EQ(column_of(information, id).values.back(), column_of(old, title).values.back()) << id;
        }
    }
}

TEST(SimulatedValues, MemoryAndDisksAddUp) {
    for (const hkpd::Sample& sample : minute()) {
        const hkpd::Object& memories = object_of(sample, memory);
        const std::uint64_t available = value_of(memories, 24, 0);
        EXPECT_EQ(available / 1024, value_of(memories, 1380, 0));
        EXPECT_EQ(available / 1024 / 1024, value_of(memories, 1382, 0));
        EXPECT_EQ(available, value_of(memories, 1676, 0) + value_of(memories, 1680, 0) + value_of(memories, 1682, 0) +
                                 value_of(memories, 1684, 0));
        EXPECT_LT(value_of(memories, 26, 0), value_of(memories, 30, 0));  // committed, limit
        const hkpd::Object& processes = object_of(sample, process);
        for (std::size_t row = 0; row < processes.instances.size(); ++row)
            EXPECT_LE(value_of(processes, 180, row), value_of(processes, 178, row));  // working set, peak

        const hkpd::Object& disks = object_of(sample, disk);
        for (std::size_t row = 0; row < disks.instances.size(); ++row) {
            EXPECT_EQ(value_of(disks, 218, row), value_of(disks, 220, row) + value_of(disks, 222, row));
            EXPECT_EQ(value_of(disks, 212, row), value_of(disks, 214, row) + value_of(disks, 216, row));
            const hkpd::Column& bytes = column_of(disks, 224);
            const hkpd::Column& base = disks.columns.at(static_cast<std::size_t>(bytes.base));
            EXPECT_EQ(base.values[row], value_of(disks, 212, row));
            if (row + 1 == disks.instances.size()) continue;
            EXPECT_EQ(value_of(disks, 200, row) + value_of(disks, 1482, row), up_time(sample));
        }
    }
}

}  // namespace simulate_values_test
