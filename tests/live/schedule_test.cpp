// The times of samples: delays do not accumulate, missed samples are skipped and counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <thread>
#include <vector>

#include "hkpd/live.hpp"
#include "support/fake_clock.hpp"
#include "support/waiting.hpp"

namespace ticks_test {

using namespace std::chrono_literals;
using hkpd::Schedule;
using hkpd_test::FakeClock;
using std::chrono::nanoseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Numbers = std::vector<std::uint64_t>;
using Times = std::vector<nanoseconds>;

/// Holds the ticks of a run, at most 100; the caller is busy for `work` after each.
struct Taken {
    Numbers numbers;
    Times times;
};
Taken run(hkpd::Ticks& ticks, FakeClock& clock, nanoseconds work = 0ns) {
    Taken run;
    while (run.numbers.size() < 100) {
        const auto number = ticks.next();
        if (!number) break;
        run.numbers.push_back(*number);
        run.times.push_back(clock.now);
        clock.now += work;
    }
    return run;
}

TEST(SteadyTicks, ComeOnTime) {
    FakeClock clock;
    const auto ticks = hkpd::steady_ticks({.interval = 1s, .count = 4}, clock.clock());
    const Taken done = run(*ticks, clock);
    EXPECT_THAT(done.numbers, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(done.times, ElementsAre(5s, 6s, 7s, 8s)) << "the first immediately";
    EXPECT_EQ(ticks->missed(), 0U);
    EXPECT_EQ(clock.now, 8s) << "no wait for a tick that does not come";
    EXPECT_EQ(ticks->next(), std::nullopt);
}

TEST(SteadyTicks, DelaysDoNotAccumulate) {
    FakeClock clock;
    clock.lateness = 3ms;
    const auto ticks = hkpd::steady_ticks({.interval = 100ms}, clock.clock());
    const Taken done = run(*ticks, clock, 60ms);
    ASSERT_EQ(done.times.size(), 100U);
    for (std::size_t i = 1; i < done.times.size(); ++i) {
        EXPECT_EQ(done.numbers[i], i);
        EXPECT_EQ(done.times[i], done.times[0] + static_cast<int>(i) * 100ms + 3ms);
    }
    EXPECT_EQ(ticks->missed(), 0U);
}

TEST(SteadyTicks, MissedTicksAreSkippedAndCounted) {
    FakeClock clock;
    const auto ticks = hkpd::steady_ticks({.interval = 1s}, clock.clock());
    EXPECT_EQ(ticks->next(), 0U);
    EXPECT_EQ(ticks->missed(), 0U);
    clock.now += 2500ms;
    EXPECT_EQ(ticks->next(), 2U) << "1 is missed, and 2 only late";
    EXPECT_EQ(clock.now, 7500ms);
    EXPECT_EQ(ticks->missed(), 1U);
    EXPECT_EQ(ticks->next(), 3U);
    EXPECT_EQ(clock.now, 8s);
    EXPECT_EQ(ticks->missed(), 1U);
    clock.now += 3'600'000ms + 100ms;  // asleep for an hour
    EXPECT_EQ(ticks->next(), 3603U);
    EXPECT_EQ(clock.now, 8s + 3600s + 100ms);
    EXPECT_EQ(ticks->missed(), 3600U);
}

TEST(SteadyTicks, ACallerJustInTimeMissesNothing) {
    FakeClock clock;
    const auto ticks = hkpd::steady_ticks({.interval = 1s, .count = 5}, clock.clock());
    const Taken done = run(*ticks, clock, 1s);
    EXPECT_THAT(done.numbers, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(done.times, ElementsAre(5s, 6s, 7s, 8s, 9s));
    EXPECT_EQ(ticks->missed(), 0U);
}

TEST(SteadyTicks, CountIsTheNumberOfSamples) {
    FakeClock clock;
    const auto ticks = hkpd::steady_ticks({.interval = 1s, .count = 3}, clock.clock());
    const Taken done = run(*ticks, clock, 2000ms);
    EXPECT_THAT(done.numbers, ElementsAre(0, 2, 4)) << "missed ticks are not samples";
    EXPECT_EQ(ticks->missed(), 2U);
    FakeClock other;
    EXPECT_EQ(hkpd::steady_ticks({.count = 0}, other.clock())->next(), std::nullopt);
    EXPECT_EQ(other.now, 5s);
}

TEST(SteadyTicks, NoTickComesAfterTheDuration) {
    for (const auto& [duration, expected] :
         {std::pair<nanoseconds, std::size_t>{2500ms, 3}, {2s, 3}, {1999ms, 2}, {0s, 1}}) {
        FakeClock clock;
        const auto ticks = hkpd::steady_ticks({.interval = 1s, .duration = duration}, clock.clock());
        EXPECT_EQ(run(*ticks, clock).numbers.size(), expected) << duration.count();
        EXPECT_LE(clock.now, 5s + duration) << "no wait for a tick that does not come";
        EXPECT_EQ(ticks->missed(), 0U);
    }
}

TEST(SteadyTicks, DurationCountsFromTheFirstTick) {
    FakeClock clock;
    const auto ticks = hkpd::steady_ticks({.interval = 1s, .duration = 2s}, clock.clock());
    clock.now += 20s;
    EXPECT_THAT(run(*ticks, clock).times, ElementsAre(25s, 26s, 27s));
    EXPECT_EQ(ticks->missed(), 0U);
}

TEST(SteadyTicks, TicksAfterTheDurationAreNotMissed) {
    FakeClock clock;
    const auto ticks = hkpd::steady_ticks({.interval = 1s, .duration = 3s}, clock.clock());
    EXPECT_EQ(ticks->next(), 0U);
    clock.now += 100s;
    EXPECT_EQ(ticks->next(), std::nullopt);
    EXPECT_EQ(ticks->missed(), 3U);
    EXPECT_EQ(ticks->next(), std::nullopt);
    EXPECT_EQ(ticks->missed(), 3U) << "another call changes nothing";
}

TEST(SteadyTicks, CountAndDurationBothApply) {
    FakeClock clock, other;
    const auto few = hkpd::steady_ticks({.interval = 1s, .count = 2, .duration = 10s}, clock.clock());
    EXPECT_EQ(run(*few, clock).numbers.size(), 2U);
    const auto brief = hkpd::steady_ticks({.interval = 1s, .count = 10, .duration = 1s}, other.clock());
    EXPECT_EQ(run(*brief, other).numbers.size(), 2U);
}

TEST(SteadyTicks, EndWhenWaitingEnds) {
    FakeClock clock;
    clock.stop_at = 7500ms;
    const auto ticks = hkpd::steady_ticks({.interval = 1s}, clock.clock());
    EXPECT_THAT(run(*ticks, clock).numbers, ElementsAre(0, 1, 2));
    EXPECT_EQ(clock.now, 7500ms);
    EXPECT_EQ(ticks->next(), std::nullopt);
    EXPECT_EQ(ticks->missed(), 0U);
}

TEST(SteadyTicks, IntervalsOfAnyLength) {
    FakeClock clock, other;
    const auto none = hkpd::steady_ticks({.interval = 0s, .count = 3}, clock.clock());
    EXPECT_EQ(run(*none, clock, 1ms).numbers.size(), 3U);
    // Longer than the range of any clock: the wait goes on and is not taken as over.
    const auto far = hkpd::steady_ticks({.interval = nanoseconds::max()}, other.clock());
    EXPECT_EQ(far->next(), 0U);
    other.stop_at = 100s;
    EXPECT_EQ(far->next(), std::nullopt);
    EXPECT_EQ(other.now, 100s);
    EXPECT_EQ(far->missed(), 0U);
}

TEST(ImmediateTicks, AreEqualWithoutWaiting) {
    const auto numbers = [](const Schedule& schedule) {
        FakeClock unused;
        return run(*hkpd::immediate_ticks(schedule), unused).numbers;
    };
    EXPECT_THAT(numbers({.count = 3}), ElementsAre(0, 1, 2));
    EXPECT_THAT(numbers({.count = 0}), IsEmpty());
    EXPECT_THAT(numbers({.interval = 1s, .duration = 2500ms}), ElementsAre(0, 1, 2));
    EXPECT_THAT(numbers({.interval = 1s, .duration = 2s}), ElementsAre(0, 1, 2));
    EXPECT_THAT(numbers({.interval = 1s, .count = 2, .duration = 2s}), ElementsAre(0, 1));
    EXPECT_EQ(numbers({.interval = 24h}).size(), 100U) << "without end, and immediately";
    EXPECT_EQ(hkpd::immediate_ticks({.count = 1})->missed(), 0U);
}

// The system's clock.

TEST(SteadyClock, WaitsUntilTheTime) {
    const std::atomic<bool> stop = false;
    const hkpd::TickClock clock = hkpd::steady_clock(stop);
    const nanoseconds start = clock.now();
    EXPECT_TRUE(clock.wait_until(start + 25ms));
    const nanoseconds end = clock.now();
    EXPECT_GE(end, start + 25ms);
    EXPECT_LT(end, start + hkpd_test::long_enough) << "the wait ends";
    EXPECT_TRUE(clock.wait_until(start)) << "no wait for a time in the past";
}

TEST(SteadyClock, EndsSoonAfterStop) {
    std::atomic<bool> stop = false;
    const hkpd::TickClock clock = hkpd::steady_clock(stop);
    // The shortest of several: on a busy machine any of these threads may wait for a processor after the stop.
    constexpr int attempts = 200;
    nanoseconds shortest = nanoseconds::max();
    for (int i = 0; i < attempts && shortest >= 100ms; ++i) {
        stop = false;
        nanoseconds stopped{};
        const auto signal = std::async(std::launch::async, [&] {
            std::this_thread::sleep_for(20ms);
            stopped = clock.now();
            stop = true;
        });
        EXPECT_FALSE(clock.wait_until(clock.now() + 1h));
        const nanoseconds end = clock.now();
        signal.wait();
        shortest = std::min(shortest, end - stopped);
    }
    EXPECT_LT(shortest, 100ms);
    EXPECT_FALSE(clock.wait_until(clock.now() + 1h)) << "it remains stopped, and does not wait";
}

TEST(SteadyClock, DrivesTicks) {
    std::atomic<bool> stop = false;
    const hkpd::TickClock clock = hkpd::steady_clock(stop);
    const auto ticks = hkpd::steady_ticks({.interval = 10ms, .count = 6}, clock);
    const nanoseconds start = clock.now();
    ASSERT_EQ(ticks->next(), 0U);
    std::uint64_t last = 0, taken = 1;
    while (const auto number = ticks->next()) {
        EXPECT_GT(*number, last);
        last = *number;
        ++taken;
        EXPECT_GE(clock.now() - start, static_cast<int>(last) * 10ms);
    }
    EXPECT_EQ(taken, 6U);
    EXPECT_EQ(taken + ticks->missed(), last + 1);
}

}  // namespace ticks_test
