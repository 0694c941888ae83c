// A source on a thread of its own: it returns the same records, and a source that hangs blocks no caller.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "hkpd/live.hpp"
#include "support/capture_reading.hpp"
#include "support/live_kit.hpp"
#include "support/odd_sources.hpp"
#include "support/sample_reading.hpp"
#include "support/waiting.hpp"

namespace interruptible_source_test {

using namespace hkpd_test;
using namespace std::chrono_literals;
using hkpd::InterruptibleSource;
using Clock = std::chrono::steady_clock;

/// Lives as long as the program, as an abandoned thread may still read it.
std::atomic<bool> stop = false;

class Interruptible : public testing::Test {
  protected:
    void SetUp() override { stop = false; }
};

/// All that is visible of a source's run, with a fault added by the caller after each record.
struct Seen {
    std::vector<Kept> records;
    std::vector<std::optional<std::uint64_t>> costs;
    std::vector<std::map<std::string, std::string>> entries;
    std::vector<std::size_t> kept_after;  ///< number of diagnostics after each record
    hkpd::Diagnostics diagnostics{100};

    explicit Seen(hkpd::Source& source) {
        std::uint64_t number = 0;
        while (const auto record = source.next(diagnostics)) {
            const auto sample = static_cast<std::uint32_t>(number);
            hkpd::FaultSink(diagnostics, {record->place.input, record->place.record, sample})
                .add(hkpd::Severity::note, {hkpd::Errc::no_data, number++, {}, {}});
            records.push_back(keep(*record));
            costs.push_back(record->cost);
            entries.push_back(record->entries ? *record->entries : std::map<std::string, std::string>{});
            kept_after.push_back(diagnostics.kept().size());
        }
    }
    auto found() const {
        std::vector<std::tuple<int, int, std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>>
            all;
        for (const hkpd::Diagnostic& d : diagnostics.kept())
            all.emplace_back(static_cast<int>(d.severity), static_cast<int>(d.error.code), d.error.offset, d.object,
                             d.instance, d.place.sample, d.place.input);
        return all;
    }
};

void expect_equal(const Seen& plain, const Seen& threaded) {
    EXPECT_EQ(plain.records, threaded.records);
    EXPECT_EQ(plain.costs, threaded.costs);
    EXPECT_EQ(plain.entries, threaded.entries);
    EXPECT_EQ(plain.kept_after, threaded.kept_after) << "each fault comes with its record";
    EXPECT_EQ(plain.found(), threaded.found());
    EXPECT_TRUE(std::ranges::equal(plain.diagnostics.inputs(), threaded.diagnostics.inputs()));
    using enum hkpd::Severity;
    for (const auto severity : {note, warning, error})
        EXPECT_EQ(plain.diagnostics.count(severity), threaded.diagnostics.count(severity));
    for (std::uint32_t i = 0; i < 12; ++i)
        EXPECT_EQ(plain.diagnostics.object_name(hkpd::first_counterset + i),
                  threaded.diagnostics.object_name(hkpd::first_counterset + i));
}

TEST_F(Interruptible, ReturnsWhatThePlainSourceReturns) {
    for (const std::uint64_t count : {0U, 1U, 5U, 500U}) {
        ChattySource source(count);
        const Seen plain(source);
        ASSERT_EQ(plain.records.size(), count);
        InterruptibleSource threaded(std::make_unique<ChattySource>(count), stop);
        const Seen seen(threaded);
        expect_equal(plain, seen);
        hkpd::Diagnostics diagnostics;
        EXPECT_FALSE(threaded.next(diagnostics)) << "the end is final";
        EXPECT_FALSE(threaded.was_abandoned());
    }
}

TEST_F(Interruptible, ReturnsTheRecordsOfAMachine) {
    const ServedMachine plain_machine, threaded_machine;
    const auto source = plain_machine.open({.v2 = true}, 5);
    Seen plain(*source);
    InterruptibleSource threaded(threaded_machine.open({.v2 = true}, 5), stop);
    Seen seen(threaded);
    for (Seen* each : {&plain, &seen})
        for (std::optional<std::uint64_t>& cost : each->costs) cost = cost ? std::optional<std::uint64_t>(0) : cost;
    for (Seen* each : {&plain, &seen})
        for (Kept& kept : each->records) kept.time.reset();
    expect_equal(plain, seen);
    EXPECT_FALSE(threaded.was_abandoned());
}

TEST_F(Interruptible, EndsBetweenRecords) {
    const auto is_kept = [](std::chrono::milliseconds grace) {
        stop = false;
        InterruptibleSource source(std::make_unique<ChattySource>(1'000'000'000), stop, grace);
        hkpd::Diagnostics diagnostics;
        for (int i = 0; i < 10; ++i) EXPECT_TRUE(source.next(diagnostics));
        stop = true;
        const auto start = Clock::now();
        while (source.next(diagnostics)) {
            if (Clock::now() - start > long_enough) {
                ADD_FAILURE() << "it does not end";
                break;
            }
        }
        EXPECT_FALSE(source.next(diagnostics));
        return !source.was_abandoned();
    };
    EXPECT_TRUE(is_kept_with_some_grace(50ms, is_kept)) << "it does not hang";
}

TEST_F(Interruptible, WaitsForASourceThatEndsByItself) {
    const auto gate = std::make_shared<Gate>();
    {
        InterruptibleSource source(std::make_unique<StuckSource>(gate, 2), stop, long_enough);
        hkpd::Diagnostics diagnostics;
        EXPECT_TRUE(source.next(diagnostics));
        EXPECT_TRUE(source.next(diagnostics));
        const auto signal = std::async(std::launch::async, [&] {
            gate->wait_until_reached();
            stop = true;
            std::this_thread::sleep_for(5ms);
            gate->open();
        });
        EXPECT_FALSE(source.next(diagnostics));
        EXPECT_FALSE(source.was_abandoned());
    }
    EXPECT_TRUE(gate->left()) << "the source is destroyed too";
}

TEST_F(Interruptible, AbandonsASourceThatHangs) {
    const auto gate = std::make_shared<Gate>();
    {
        InterruptibleSource source(std::make_unique<StuckSource>(gate, 2), stop, 30ms);
        hkpd::Diagnostics diagnostics;
        EXPECT_TRUE(source.next(diagnostics));
        EXPECT_TRUE(source.next(diagnostics));
        Clock::time_point stopped;
        const auto signal = std::async(std::launch::async, [&] {
            gate->wait_until_reached();
            stopped = Clock::now();
            stop = true;
        });
        EXPECT_FALSE(source.next(diagnostics));
        signal.wait();
        EXPECT_LT(Clock::now() - stopped, long_enough);
        EXPECT_TRUE(source.was_abandoned());
        EXPECT_FALSE(source.next(diagnostics)) << "and again immediately";
        EXPECT_FALSE(gate->left());
    }  // the destructor does not wait either
    gate->open();
    gate->wait_until_left();  // the thread owns what it reads until it ends
}

TEST_F(Interruptible, AbandonsAProviderThatNeverReturns) {
    const auto gate = std::make_shared<Gate>();
    auto machine = std::make_unique<ServedMachine>();
    machine->registry->block_status = [gate](std::size_t before) {
        if (before == 2) gate->pass();
        return hkpd::win32::success;
    };
    {
        InterruptibleSource source(machine->open({}, 1000), stop, 30ms);
        hkpd::Diagnostics diagnostics;
        const auto signal = std::async(std::launch::async, [&] {
            gate->wait_until_reached();
            stop = true;
        });
        std::size_t blocks = 0;
        while (const auto record = source.next(diagnostics))
            blocks += record->kind == hkpd::Record::Kind::v1_block ? 1U : 0U;
        EXPECT_LE(blocks, 2U);
        EXPECT_TRUE(source.was_abandoned());
        EXPECT_EQ(machine->registry->closed, 0U);
    }
    gate->open();
    // The registry is shared by the thread and the test; once the thread has released it, it has been closed.
    wait_until([&] { return machine->registry.use_count() == 1; },
               "the thread that was left has let go of the registry");
    EXPECT_EQ(machine->registry->closed, 1U);
}

TEST_F(Interruptible, MayEndAtAnyTime) {
    {
        const InterruptibleSource unread(std::make_unique<ChattySource>(1'000'000'000), stop);
    }
    for (int records = 1; records < 20; ++records) {
        const auto start = Clock::now();
        {
            InterruptibleSource source(std::make_unique<ChattySource>(1'000'000'000), stop);
            hkpd::Diagnostics diagnostics;
            for (int i = 0; i < records; ++i) EXPECT_TRUE(source.next(diagnostics));
        }
        EXPECT_LT(Clock::now() - start, long_enough);
    }
}

TEST_F(Interruptible, EndsIfStoppedAndNotReadAnyFurther) {
    const auto gate = std::make_shared<Gate>();
    const auto start = Clock::now();
    {
        InterruptibleSource source(std::make_unique<StuckSource>(gate, 1), stop, 30ms);
        hkpd::Diagnostics diagnostics;
        EXPECT_TRUE(source.next(diagnostics));
        stop = true;
    }
    EXPECT_LT(Clock::now() - start, long_enough);
    gate->open();
    gate->wait_until_left();
}

TEST_F(Interruptible, StoppedBeforeItBegins) {
    stop = true;
    InterruptibleSource source(std::make_unique<ChattySource>(1'000'000'000), stop, 20ms);
    hkpd::Diagnostics diagnostics;
    const auto start = Clock::now();
    while (source.next(diagnostics)) ASSERT_LT(Clock::now() - start, long_enough);
}

}  // namespace interruptible_source_test
