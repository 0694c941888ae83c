// A source on a thread of its own, read by another and stopped by a third, at any moment. Run under -fsanitize=thread
// too.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "hkpd/live.hpp"
#include "support/live_kit.hpp"
#include "support/odd_sources.hpp"
#include "support/waiting.hpp"

namespace live_threads_test {

using namespace hkpd_test;
using namespace std::chrono_literals;

std::atomic<bool> stop = false;

/// Checks the values that belong to one record only, and that they are complete.
void check(const hkpd::Record& record, std::uint64_t number) {
    EXPECT_EQ(record.machine, "text of the record that has the number " + std::to_string(number));
    EXPECT_EQ(record.bytes.size(), number % 100);
    EXPECT_TRUE(std::ranges::all_of(record.bytes.span(),
                                    [&](std::byte byte) { return byte == static_cast<std::byte>(number & 0xFF); }));
}

TEST(LiveThreads, RecordsAreCompleteAndInOrder) {
    std::atomic<std::uint64_t> total = 0;
    for (int round = 0; round < 50; ++round) {
        const auto is_kept = [&](std::chrono::milliseconds grace) {
            stop = false;
            hkpd::InterruptibleSource source(std::make_unique<ChattySource>(1'000'000'000), stop, grace);
            const auto signal = std::async(std::launch::async, [&total, round] {
                // Most are stopped at any moment, perhaps before the first record; the last only after one.
                if (round == 49) wait_until([&total] { return total > 0; }, "a record has been read");
                std::this_thread::sleep_for(std::chrono::microseconds(20 * round));
                stop = true;
            });
            hkpd::Diagnostics diagnostics;
            std::uint64_t number = 0;
            while (const auto record = source.next(diagnostics)) {
                check(*record, number++);
                EXPECT_EQ(diagnostics.inputs().size(), number > 3 ? 2U : 1U);
                ++total;
            }
            return !source.was_abandoned();
        };
        EXPECT_TRUE(is_kept_with_some_grace(500ms, is_kept)) << round;
    }
    EXPECT_GT(total, 0U);
}

TEST(LiveThreads, AnAbandonedThreadTouchesNothing) {
    for (int round = 0; round < 10; ++round) {
        stop = false;
        const auto gate = std::make_shared<Gate>();
        {
            hkpd::InterruptibleSource source(std::make_unique<StuckSource>(gate, 3), stop, 1ms);
            const auto signal = std::async(std::launch::async, [&gate] {
                gate->wait_until_reached();
                stop = true;
            });
            hkpd::Diagnostics diagnostics;
            while (source.next(diagnostics)) {
            }
            EXPECT_TRUE(source.was_abandoned());
            if (round % 2 == 0) gate->open();  // while the source exists, or after it is destroyed
        }
        gate->open();
        gate->wait_until_left();
    }
}

/// Reads a machine whose ticks come fast, up to `most` blocks or until it is stopped. Returns the number of blocks.
std::uint64_t read_machine(const ServedMachine& machine, std::uint64_t most) {
    hkpd::InterruptibleSource source(hkpd::open_live(machine.interfaces(), {.v2 = true},
                                                     hkpd::steady_ticks({.interval = 1ms}, hkpd::steady_clock(stop))),
                                     stop, long_enough);
    hkpd::Diagnostics diagnostics;
    std::uint64_t blocks = 0;
    while (const auto record = source.next(diagnostics)) {
        blocks += record->kind == hkpd::Record::Kind::v1_block ? 1U : 0U;
        if (blocks == most) stop = true;
    }
    EXPECT_FALSE(source.was_abandoned());
    return blocks;
}

TEST(LiveThreads, AMachineIsStoppedAtAnyMoment) {
    constexpr std::uint64_t without_end = 1'000'000'000;
    const ServedMachine machine;
    for (int round = 0; round < 10; ++round) {
        stop = false;
        machine.registry->closed = 0;
        {
            const auto signal = std::async(std::launch::async, [round] {
                std::this_thread::sleep_for(std::chrono::milliseconds(round));
                stop = true;
            });
            read_machine(machine, without_end);
        }
        EXPECT_EQ(machine.registry->closed, 1U);
    }
    stop = false;
    machine.registry->closed = 0;
    EXPECT_GE(read_machine(machine, 5), 5U);
}

}  // namespace live_threads_test
