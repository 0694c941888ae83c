// Answers as values: the rows, names and numbers that the writers print, in one call and from collectors.
#include "hkpd/answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "hkpd/input_check.hpp"
#include "hkpd/reader.hpp"
#include "hkpd/select.hpp"
#include "hkpd/summary.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace answers_test {

using namespace hkpd;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string captures = std::string(hkpd_test::testdata_folder) + "/captures/";
const std::string simulated = captures + "simulated.mcap";

Reader open(const std::string& path) { return *Reader::open({path}, {.one_source = true}); }

Filter only(std::string_view path) {
    Filter filter;
    filter.add_path(*CounterPath::parse(path));
    return filter;
}

TEST(Answers, SummaryHasTheRowsThatTheWriterPrints) {
    Reader reader = open(simulated);
    Filter everything;
    const Summary found = summary(reader, everything);
    ASSERT_GT(found.series.size(), 100U);
    EXPECT_TRUE(found.run.is_complete);
    EXPECT_EQ(found.run.machines.size(), 1U);

    Reader again = open(simulated);
    const auto writer = make_summary_writer(Format::csv, {.cooked = true}, {});
    std::vector<Selected> selected;
    std::string out;
    Diagnostics diagnostics;
    while (again.next()) {
        everything.select(again.sample(), selected);
        writer->sample(again.sample(), selected, &again.cooker(), out);
    }
    writer->end(diagnostics, out);
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(out, '\n')), found.series.size() + 1);
    for (const Series& series : found.series) {
        ASSERT_NE(series.counter, nullptr);
        ASSERT_THAT(out, HasSubstr("," + series.counter->name + ",")) << series.counter->object;
        if (series.statistics.count == 0) continue;
        EXPECT_LE(series.statistics.min, series.statistics.mean + std::abs(series.statistics.mean) * 1e-12);
        EXPECT_LE(series.statistics.p95, series.statistics.max);
    }
}

TEST(Answers, ValuesOutliveTheReader) {
    Summary found;
    {
        Reader reader = open(simulated);
        Filter filter = only("\\Processor(*)\\% Processor Time");
        found = summary(reader, filter);
    }
    ASSERT_GE(found.series.size(), 2U);
    EXPECT_EQ(found.series.front().counter->object, "Processor");
    EXPECT_EQ(found.series.back().instance->display, "_Total");
    EXPECT_EQ(found.series.back().instance->identity().name, "_Total");
    // The series of one counter share it.
    EXPECT_EQ(found.series.front().counter, found.series.back().counter);
}

TEST(Answers, SortedSeriesAreThoseOfTheUnsortedSummary) {
    const auto means = [](const SummaryOptions& options) {
        Reader reader = open(simulated);
        Filter filter = only("\\Process(*)\\Working Set");
        std::vector<double> found;
        for (const Series& series : summary(reader, filter, options).series) found.push_back(series.statistics.mean);
        return found;
    };
    std::vector<double> all = means({});
    ASSERT_GT(all.size(), 5U);
    ASSERT_FALSE(std::ranges::is_sorted(all, std::greater<>()));
    const std::vector<double> sorted = means({.sort = StatisticColumn::mean});
    std::ranges::sort(all, std::greater<>());
    EXPECT_EQ(sorted, all);
    EXPECT_EQ(means({.sort = StatisticColumn::mean, .top = 3}), std::vector<double>(all.begin(), all.begin() + 3));
}

TEST(Answers, TopHasProcessesAndTheirSeriesInTheOrderOfTheirUses) {
    Reader reader = open(simulated);
    Filter everything;
    const Top found = top(reader, everything, {.top = 4});
    ASSERT_TRUE(found.has_processes);
    ASSERT_EQ(found.processes.size(), 4U);
    EXPECT_EQ(found.all_processes, 6U);
    EXPECT_EQ(found.sorted_by, ProcessUse::processor);
    EXPECT_EQ(found.sorted_column, StatisticColumn::mean);
    double before = INFINITY;
    std::size_t series = 0;
    for (const Top::Process& process : found.processes) {
        const double mean = found.number(process, ProcessUse::processor, StatisticColumn::mean);
        EXPECT_LE(mean, before);
        before = mean;
        for (const ProcessUse use : {ProcessUse::processor, ProcessUse::working_set, ProcessUse::private_bytes,
                                     ProcessUse::handles, ProcessUse::io}) {
            const Series* const one = found.use(process, use);
            ASSERT_NE(one, nullptr);
            EXPECT_EQ(one, &found.series[series++]);
            EXPECT_EQ(one->instance, found.series[process.first].instance);
            EXPECT_TRUE(one->instance->pid.has_value());
            EXPECT_NE(one->instance->name, "_Total");
        }
    }
    EXPECT_EQ(series, found.series.size());
}

TEST(Answers, TopOfCountersHasASeriesForEachRow) {
    Reader reader = open(simulated);
    Filter filter = only("\\Process(*)\\Working Set");
    const Top found = top(reader, filter, {.top = 5, .processes = false});
    EXPECT_FALSE(found.has_processes);
    EXPECT_TRUE(found.processes.empty());
    ASSERT_EQ(found.series.size(), 5U);
    EXPECT_TRUE(
        std::ranges::is_sorted(found.series, std::greater<>(), [](const Series& one) { return one.statistics.mean; }));
}

TEST(Answers, LimitsAreStatedInTheValue) {
    Reader reader = open(simulated);
    Filter everything;
    const Summary few = summary(reader, everything, {.limits = {.series = 50}});
    EXPECT_EQ(few.series.size(), 50U);
    EXPECT_FALSE(few.run.is_complete);

    Reader again = open(simulated);
    Summary named = summary(again, everything, {.limits = {.names = 0}});
    EXPECT_TRUE(named.run.is_complete);  // the size of the samples allows all names
}

TEST(Answers, AnEmptyRunHasNoRows) {
    Reader reader = open(simulated);
    Filter nothing = only("\\No such object\\counter");
    EXPECT_TRUE(summary(reader, nothing).series.empty());
    Filter everything;
    const Top none = top(reader, everything);  // the reader has no more samples
    EXPECT_TRUE(none.series.empty());
    EXPECT_EQ(none.run.samples, 0U);
    EXPECT_FALSE(none.run.from.has_value());
}

TEST(Answers, ARunComparedWithItselfHasNotChanged) {
    Reader before = open(simulated), after = open(simulated);
    Filter everything;
    const Changes found = compare_runs(before, after, everything);
    EXPECT_TRUE(found.changed.empty());
    EXPECT_GT(found.unchanged, 100U);
    EXPECT_TRUE(found.only_before.empty());
    EXPECT_TRUE(found.only_after.empty());
    EXPECT_EQ(found.before.samples, found.after.samples);
}

TEST(Answers, ChangesComeWithTheLargestEffectFirst) {
    Reader before = open(captures + "demo.bin"), after = open(simulated);
    Filter everything;
    const Changes found = compare_runs(before, after, everything);
    ASSERT_GT(found.changed.size(), 10U);
    EXPECT_TRUE(std::ranges::is_sorted(found.changed, std::greater<>(),
                                       [](const Change& one) { return std::abs(one.effect()); }));
    for (const Change& change : found.changed) {
        EXPECT_EQ(change.before.counter->name, change.after.counter->name);
        EXPECT_GT(change.noise, 0);
    }
    EXPECT_FALSE(found.only_after.empty());
}

TEST(Answers, AChecksFindingsAreThoseOfItsFaults) {
    const InputCheck found = check({captures + "damaged.bin", captures + "demo.bin"});
    EXPECT_GT(found.checked().samples, 3U);
    ASSERT_FALSE(found.findings().all().empty());
    EXPECT_EQ(found.findings().all().size(), found.findings().diagnostics().kept().size());
    EXPECT_TRUE(found.findings().diagnostics().any_fault());
    EXPECT_TRUE(
        std::ranges::any_of(found.findings().all(), [](const Finding& one) { return one.machine == "DAMAGED"; }));
    EXPECT_FALSE(check({captures + "demo.bin"}).findings().diagnostics().any_fault());
}

}  // namespace answers_test
