// The histories of series that charts show, against a plain recomputation.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "report/history.hpp"

namespace report_history_test {

using hkpd::BlockValue;
using hkpd::CookedValue;
using hkpd::History;
using hkpd::HistorySlot;
using hkpd::Reason;
using hkpd::ReducedValues;

constexpr std::int64_t second = 1'000'000'000;

CookedValue missing(Reason reason) { return {std::numeric_limits<double>::quiet_NaN(), reason}; }

/// All values of one series, as they were added.
struct Plain {
    std::vector<std::pair<std::int64_t, CookedValue>> values;
};

/// Returns the values of a series that lie in a slot.
ReducedValues reduce(const Plain& series, const HistorySlot& slot) {
    ReducedValues reduced;
    for (const auto& [time, value] : series.values) {
        if (time < slot.from || time > slot.to) continue;
        if (value.has_value())
            reduced.add(value.value);
        else if (value.reason != Reason::first_sample)
            reduced.missing = value.reason;
    }
    return reduced;
}

/// Compares the history of each series with its values.
void expect_same(const History& history, const std::vector<Plain>& all) {
    std::vector<ReducedValues> read;
    for (std::size_t i = 0; i < all.size(); ++i) {
        history.read(i, read);
        if (read.empty()) continue;
        const auto slots = history.slots(history.stream(i));
        ASSERT_EQ(read.size(), slots.size());
        for (std::size_t s = 0; s < slots.size(); ++s) {
            const ReducedValues expected = reduce(all[i], slots[s]);
            ASSERT_EQ(read[s].count, expected.count) << "series " << i << ", slot " << s;
            EXPECT_EQ(read[s].missing, expected.missing);
            if (expected.count == 0) continue;
            EXPECT_EQ(read[s].min, expected.min);
            EXPECT_EQ(read[s].max, expected.max);
            EXPECT_NEAR(read[s].mean(), expected.mean(), 1e-12 * std::max(1.0, std::abs(expected.mean())));
        }
    }
}

/// Samples whose values are added later, series by series.
struct Block {
    std::uint32_t samples = 0;
    std::map<std::size_t, std::vector<BlockValue>> values{};

    void add_to(History& history) {
        for (const auto& [series, all] : values) history.add(series, all);
        history.end_block();
        *this = {};
    }
};

/// Adds a sample of one series.
void add_sample(History& history, std::int64_t time, double value) {
    history.begin(0, time);
    history.add(0, std::array{BlockValue{0, {value, Reason::none}}});
    history.end_block();
}

/// Adds samples of several series that vary, stay, come, go and miss values. `of_block`: number of samples whose values
/// are added together.
std::vector<Plain> fill(History& history, std::uint32_t samples, std::uint64_t seed, std::size_t of_block = 1) {
    std::mt19937_64 random(seed);
    std::vector<Plain> all(8);
    Block block;
    std::int64_t time = 1'700'000'000 * second;
    for (std::uint32_t sample = 0; sample < samples; ++sample) {
        time += second * (random() % 50 == 0 ? 3600 : 1);
        if (history.is_full(0, time)) block.add_to(history);
        history.begin(0, time);
        for (std::size_t i = 0; i < all.size(); ++i) {
            CookedValue value{static_cast<double>(random() % 1000) / 7, Reason::none};
            if (i == 1) value.value = 42;                                // never changes
            if (i == 2) value.value = sample < samples / 2 ? 1.5 : 2.5;  // changes once
            if (i == 3 && random() % 3 == 0) value = missing(Reason::counter_went_back);
            if (i == 4 && sample / 100 % 2 == 1) continue;  // comes and goes
            if (i == 5 && sample < samples / 3) continue;   // begins late
            if (i == 6) value = sample == 0 ? missing(Reason::first_sample) : CookedValue{7, Reason::none};
            if (i == 7 && sample > samples / 4) continue;  // ends early
            block.values[i].push_back({block.samples, value});
            all[i].values.emplace_back(time, value);
        }
        if (++block.samples >= of_block) block.add_to(history);
    }
    block.add_to(history);
    history.finish();
    return all;
}

TEST(ReportHistory, KeepsEverySampleOfAShortRun) {
    History history(960, 1'000'000);
    const auto all = fill(history, 300, 1);
    ASSERT_EQ(history.slots(0).size(), 300U);
    expect_same(history, all);
    EXPECT_TRUE(history.is_constant(1));
    EXPECT_FALSE(history.is_constant(2));
    EXPECT_TRUE(history.is_constant(6));  // the first value of a rate is always missing
}

TEST(ReportHistory, JoinsSamplesOfALongRun) {
    for (const std::uint32_t samples : {960U, 961U, 1440U, 3839U, 3840U, 3841U, 5000U, 20000U}) {
        History history(960, 1'000'000);
        const auto all = fill(history, samples, samples, samples % 37);
        EXPECT_LE(history.slots(0).size(), 960U);
        EXPECT_GE(history.slots(0).size(), 100U);
        expect_same(history, all);
    }
}

TEST(ReportHistory, JoinsMoreIfThereAreTooManyValues) {
    for (const std::size_t of_block : {1U, 32U}) {
        History history(960, 1000);
        const auto all = fill(history, 3000, 3, of_block);
        EXPECT_LE(history.slots(0).size(), 400U);
        expect_same(history, all);
    }
}

TEST(ReportHistory, APeakOfOneSampleStays) {
    History history(960, 1'000'000);
    for (std::int64_t sample = 0; sample < 86'400; ++sample) {
        add_sample(history, sample * second, sample == 54'321 ? 1e6 : std::sin(static_cast<double>(sample)));
    }
    history.finish();
    std::vector<ReducedValues> read;
    history.read(0, read);
    const auto peak = std::ranges::max_element(read, {}, &ReducedValues::max);
    EXPECT_EQ(peak->max, 1e6);
    const HistorySlot& slot = history.slots(0)[static_cast<std::size_t>(peak - read.begin())];
    EXPECT_LE(slot.from, 54'321 * second);
    EXPECT_GE(slot.to, 54'321 * second);
    EXPECT_EQ(*history.time_of_max(0), 54'321 * second);
}

TEST(ReportHistory, TimesMayGoBackwards) {
    History history(16, 1'000'000);
    std::uint64_t count = 0;
    for (std::int64_t sample = 0; sample < 1000; ++sample) {
        add_sample(history, (sample % 7) * second - 3 * second, static_cast<double>(sample));
    }
    EXPECT_LE(history.slots(0).size(), 16U);
    history.finish();
    std::vector<ReducedValues> read;
    history.read(0, read);
    for (const ReducedValues& each : read) count += each.count;
    EXPECT_EQ(count, 1000U);
}

TEST(ReportHistory, OneSeriesMayHaveSeveralValuesInASample) {
    History history(16, 1'000'000);
    std::vector<Plain> all(1);
    for (std::int64_t sample = 0; sample < 10; ++sample) {
        history.begin(0, sample * second);
        for (const CookedValue value : {CookedValue{static_cast<double>(sample), Reason::none},
                                        sample == 5 ? missing(Reason::no_base) : CookedValue{0.5, Reason::none}}) {
            if (sample < 4 && value.value == 0.5) continue;
            history.add(0, std::array{BlockValue{0, value}});
            all[0].values.emplace_back(sample * second, value);
        }
        history.end_block();
    }
    history.finish();
    expect_same(history, all);
}

TEST(ReportHistory, TheMeanOfHugeValuesIsFinite) {
    ReducedValues values;
    for (int i = 0; i < 3; ++i) values.add(std::numeric_limits<double>::max());
    EXPECT_TRUE(std::isfinite(values.mean()));
}

}  // namespace report_history_test
