// The simulated machine through its two interfaces: its records, their order, and that they are the same for the same
// options and time.
#include "hkpd/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/win32.hpp"
#include "hkpd/v1_writer.hpp"
#include "live/perflib_query.hpp"
#include "support/sample_reading.hpp"
#include "support/simulated_run.hpp"

namespace simulate_test {

using namespace hkpd_test;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::Not;
using Bytes = std::vector<std::byte>;

constexpr std::int64_t second = 1'000'000'000;
constexpr std::uint32_t process = 230, thread = 232, processor = 238, id_process = 784;

struct Wave {
    std::string_view name;
    std::uint64_t minimum, amplitude;
};
constexpr Wave waves[] = {{"Small Wave", 40, 20}, {"Medium Wave", 30, 40}, {"Large Wave", 20, 60}};

/// Returns the values of the waves at a second: triangle and square of each, then of all together.
std::vector<std::uint64_t> waves_at(std::uint64_t now) {
    const auto i = static_cast<std::int64_t>(now % 10);
    std::vector<std::uint64_t> values;
    std::uint64_t triangles = 0, squares = 0;
    for (const Wave& wave : waves) {
        values.push_back(wave.minimum + wave.amplitude * static_cast<std::uint64_t>(std::abs(5 - i)) / 5);
        values.push_back(wave.minimum + wave.amplitude * (i < 5 ? 1 : 0));
        triangles += values.end()[-2];
        squares += values.end()[-1];
    }
    values.push_back(triangles);
    values.push_back(squares / std::size(waves));
    return values;
}

std::vector<std::uint64_t> waves_of(const hkpd::Object& object) {
    std::vector<std::uint64_t> values;
    for (std::size_t row = 0; row < object.instances.size(); ++row)
        for (const hkpd::Column& column : object.columns) values.push_back(column.values[row]);
    return values;
}

/// Returns all that both interfaces provide.
std::pair<Bytes, Bytes> everything(hkpd::SimulatedMachine& machine) {
    hkpd::PerfQuery query(machine.perflib());
    for (const hkpd::Guid& guid : {waves_guid, processors_guid, synchronization_guid})
        EXPECT_EQ(query.add(guid, "*"), hkpd::win32::success);
    EXPECT_EQ(query.collect(), hkpd::win32::success);
    const auto data = query.data().span();
    return {machine.v1_block(), Bytes(data.begin(), data.end())};
}

std::string objects_in(const Bytes& bytes) {
    hkpd::Diagnostics diagnostics;
    hkpd::v1::Block block;
    EXPECT_TRUE(block.open(hkpd::Bytes(bytes), diagnostics));
    std::string text;
    for (const hkpd::v1::ObjectEntry& entry : block.objects())
        text.append(text.empty() ? "" : ",").append(std::to_string(entry.title_index));
    return text;
}

TEST(Simulate, WavesFollowTheFormulasInBothInterfaces) {
    const SimulatedRun run({.count = 12});
    const std::uint32_t title = hkpd::SimulatedMachine({}).numbering().object(waves_guid);
    ASSERT_EQ(run.samples.size(), 24U);
    for (std::size_t i = 0; i < run.samples.size(); ++i) {
        const hkpd::Sample& sample = run.samples[i];
        const bool is_v1 = sample.source == hkpd::SampleSource::v1;
        EXPECT_EQ(is_v1, i % 2 == 0);
        const hkpd::Object& object = is_v1 ? object_of(sample, title) : object_of(sample, waves_guid);
        EXPECT_EQ(instance_names(object), "Small Wave,Medium Wave,Large Wave,_Total");
        EXPECT_EQ(sample.system_time->second, i / 2);
        EXPECT_THAT(waves_of(object), ElementsAreArray(waves_at(i / 2)));
        EXPECT_EQ(object.name->text, "Geometric Waves");
        EXPECT_EQ(object.columns[1].name->text, "Square Wave");
    }
}

TEST(Simulate, TheSameForAnySteps) {
    hkpd::SimulatedMachine at_once({.seed = 7}), in_steps({.seed = 7});
    at_once.advance_to(90 * second + 123);
    for (std::int64_t i = 0; i <= 300; ++i) {
        in_steps.advance_to(i * second * 3 / 10);
        if (i % 50 == 0) static_cast<void>(everything(in_steps));
    }
    in_steps.advance_to(90 * second + 123);
    in_steps.advance_to(5);  // time never goes back
    EXPECT_EQ(everything(at_once), everything(in_steps));
}

TEST(Simulate, OtherSeedsAreOtherMachines) {
    const auto blocks = [](const hkpd::SimulationOptions& options) {
        hkpd::SimulatedMachine machine(options);
        machine.advance_to(second);
        return everything(machine);
    };
    const auto first = blocks({.seed = 1});
    EXPECT_EQ(first, blocks({.seed = 1}));
    EXPECT_NE(first.first, blocks({.seed = 2}).first);
    EXPECT_NE(first.second, blocks({.seed = 2}).second);
}

// Three notes per sample are expected, as for Windows' own blocks: Avg. Disk sec/Transfer, Read and Write have 8 bytes,
// while their types state 4.
TEST(Simulate, ReadsWithoutAFault) {
    for (const hkpd::SimulationOptions& options :
         {hkpd::SimulationOptions{}, hkpd::SimulationOptions{.cpus = 1, .processes = 1, .threads = 1},
          hkpd::SimulationOptions{.cpus = 256, .processes = 500, .threads = 3000}}) {
        const SimulatedRun run({.count = 3}, options);
        EXPECT_EQ(run.samples.size(), 6U);
        EXPECT_FALSE(run.diagnostics.any_fault()) << faults(run.diagnostics);
        EXPECT_EQ(run.diagnostics.kept().size(), 3 * 3U);
        for (const hkpd::Diagnostic& found : run.diagnostics.kept()) {
            EXPECT_EQ(found.error.code, hkpd::Errc::counter_size);
            EXPECT_EQ(found.object, 234U);
        }
    }
}

TEST(Simulate, EverythingHasAName) {
    const SimulatedRun run({.count = 1});
    for (const hkpd::Sample& sample : run.samples) {
        EXPECT_EQ(sample.machine, "SIMULATED");
        for (const hkpd::Object& object : sample.objects()) {
            EXPECT_TRUE(object.name) << object.title_index;
            for (const hkpd::Column& column : object.columns)
                EXPECT_TRUE(column.name || hkpd::CounterType{column.type}.is_base())
                    << object.title_index << " " << column.title_index;
        }
    }
}

TEST(Simulate, SizesFollowTheOptions) {
    for (const auto [cpus, processes, threads] :
         {std::array{1U, 1U, 1U}, std::array{4U, 40U, 300U}, std::array{64U, 1000U, 12'000U}}) {
        const SimulatedRun run({.count = 2}, {.cpus = cpus, .processes = processes, .threads = threads});
        const hkpd::Sample& v1 = run.samples[2];
        EXPECT_EQ(object_of(v1, processor).instances.size(), cpus + 1);
        EXPECT_EQ(object_of(v1, process).instances.size(), processes + 2);      // Idle, _Total
        EXPECT_EQ(object_of(v1, thread).instances.size(), threads + cpus + 1);  // Idle's, _Total
        EXPECT_EQ(value_of(object_of(v1, 2), 248, 0), processes + 1);
        EXPECT_EQ(value_of(object_of(v1, 2), 250, 0), threads + cpus);
        const hkpd::Sample& v2 = run.samples[3];
        EXPECT_EQ(object_of(v2, processors_guid).instances.size(), cpus + 2);
        EXPECT_EQ(object_of(v2, synchronization_guid).instances.size(), cpus + 1);
    }
    EXPECT_EQ(hkpd::SimulatedMachine({.cpus = 0, .processes = 0, .threads = 0}).v1_block(),
              hkpd::SimulatedMachine({.cpus = 1, .processes = 1, .threads = 1}).v1_block());
}

TEST(Simulate, BlocksHaveTheRequestedObjects) {
    const hkpd::SimulatedMachine machine({});
    const auto requested = [&machine](std::vector<std::uint32_t> objects) {
        return objects_in(machine.v1_block(objects));
    };
    EXPECT_EQ(requested({}), "2,4,230,232,234,238,510,6000,6064,6070");
    EXPECT_EQ(requested({238, 4}), "4,238");
    EXPECT_EQ(requested({232}), "230,232");  // Thread includes Process
    EXPECT_EQ(requested({6064, 510}), "510,6064");
    EXPECT_EQ(requested({10, 9999}), "");
}

TEST(Simulate, ThreadsBelongToTheirProcesses) {
    const SimulatedRun run({.v2 = false, .count = 40, .interval = 10 * second});
    for (const hkpd::Sample& sample : run.samples) {
        const hkpd::Object& threads = object_of(sample, thread);
        const hkpd::Object& processes = object_of(sample, process);
        for (std::size_t i = 0; i < threads.instances.size(); ++i) {
            const auto parent = sample.parent(threads.instances[i]);
            ASSERT_TRUE(parent);
            EXPECT_EQ(value_of(processes, id_process, parent->instance), value_of(threads, id_process, i));
        }
        EXPECT_EQ(sample.parent(threads.instances.back())->instance, processes.instances.size() - 1);
    }
}

TEST(Simulate, ProcessesComeAndGo) {
    const SimulatedRun run({.v2 = false, .count = 2, .interval = 60 * second});
    const auto ids = [&run](std::size_t sample) {
        const auto values = column_of(object_of(run.samples[sample], process), id_process).values;
        std::vector<std::uint64_t> sorted(values.begin() + 1, values.end() - 1);  // Idle and _Total have 0
        std::ranges::sort(sorted);
        EXPECT_THAT(std::ranges::adjacent_find(sorted), sorted.end());
        return sorted;
    };
    const auto before = ids(0), after = ids(1);
    std::vector<std::uint64_t> gone;
    std::ranges::set_difference(before, after, std::back_inserter(gone));
    EXPECT_THAT(gone, Not(IsEmpty()));
    EXPECT_LT(gone.size(), before.size() / 4);
    EXPECT_EQ(before.size(), after.size());
}

TEST(Simulate, SourceReturnsTitlesThenRegistrationsThenSamples) {
    using Kind = hkpd::Record::Kind;
    const auto kinds = [](const hkpd::SimulationRun& run) {
        const auto source = hkpd::simulate({}, run);
        hkpd::Diagnostics diagnostics;
        std::string text;
        while (const auto record = source->next(diagnostics)) {
            const Kind kind = record->kind;
            if (kind == Kind::v2_registration && text.ends_with('r')) continue;
            text += kind == Kind::titles            ? 't'
                    : kind == Kind::v2_registration ? 'r'
                    : kind == Kind::v1_block        ? '1'
                    : kind == Kind::v2_identifiers  ? 'i'
                                                    : '2';
        }
        return text;
    };
    EXPECT_EQ(kinds({.count = 1}), "ttr1i2");
    EXPECT_EQ(kinds({.v1 = false, .count = 2}), "ri2i2");
    EXPECT_EQ(kinds({.v2 = false, .count = 3}), "tt111");
    EXPECT_EQ(kinds({.count = 0}), "ttr");
    EXPECT_EQ(kinds({.v1 = false, .v2 = false, .count = 3}), "");
}

TEST(Simulate, RecordsHaveTheirMachineAndTime) {
    const auto source =
        hkpd::simulate({.machine = "M", .start = 5 * second}, {.v2 = false, .count = 3, .interval = second / 2});
    hkpd::Diagnostics diagnostics;
    std::vector<std::int64_t> times;
    while (const auto record = source->next(diagnostics)) {
        EXPECT_EQ(record->machine, "M");
        hkpd::v1::Block block;
        if (record->kind != hkpd::Record::Kind::v1_block) continue;
        ASSERT_TRUE(block.open(record->bytes, diagnostics));
        times.push_back(hkpd::unix_time(block.header().SystemTime));
    }
    EXPECT_THAT(times, ElementsAre(5'000'000'000, 5'500'000'000, 6'000'000'000));
}

TEST(Simulate, TimeEndsAtTheLastRepresentableOne) {
    hkpd::SimulatedMachine machine({});
    machine.advance_to(std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(machine.now().system_time.year, 2262);
    EXPECT_EQ(objects_in(machine.v1_block()), "2,4,230,232,234,238,510,6000,6064,6070");
    const SimulatedRun run({.v1 = false, .count = 4, .interval = std::numeric_limits<std::int64_t>::max()});
    EXPECT_EQ(run.samples.size(), 4U);
}

}  // namespace simulate_test
