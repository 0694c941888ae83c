// Memory for the names of metrics, whatever names a hostile input has for its machines and counters.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/blob_builder.hpp"
#include "support/count_allocations.hpp"
#include "support/metric_output.hpp"
#include "write/metrics/names.hpp"

namespace hkpd_test {
namespace metric_memory_test {

/// Returns the number of a column with this index and title, the only one of its object.
hkpd::TitleNumber number(hkpd::TitleNumbers& numbers, std::uint32_t machine, std::uint32_t index,
                         std::string_view title) {
    std::vector<hkpd::Column> columns(1);
    columns[0].title_index = index;
    numbers.list(std::span<const hkpd::Column>(columns));
    return numbers.number({machine, 238}, 0, hkpd::Titles::Answer{title, 0}, index);
}

TEST(MetricMemory, TitlesOfAllMachinesShareTheLimit) {
    hkpd::TitleNumbers numbers(3);
    EXPECT_EQ(number(numbers, 0, 2, "Same").number, 0U);
    EXPECT_EQ(number(numbers, 0, 4, "same").number, 1U);
    EXPECT_EQ(number(numbers, 1, 4, "SAME").number, 0U) << "of another machine";
    EXPECT_EQ(number(numbers, 2, 2, "Same").number, hkpd::no_index);
    EXPECT_EQ(number(numbers, 0, 6, "Other").number, hkpd::no_index);
    EXPECT_EQ(number(numbers, hkpd::no_index, 2, "Same").number, hkpd::no_index);
    EXPECT_EQ(number(numbers, 0, 4, "Same").number, 1U) << "a known title keeps its number";
    EXPECT_EQ(number(numbers, 0, 4, "Same").title, number(numbers, 1, 4, "same").title);
}

/// Checks that all points beyond the series limit are counted, whichever limit they reach first; each machine has
/// another name.
TEST(MetricMemory, MachinesBeyondTheSeriesLimit) {
    constexpr std::uint64_t machines = 1100, counters = 4, series = 1000;
    std::vector<blob::Blob> blobs;
    for (std::uint64_t i = 0; i < machines; ++i) {
        blob::Block block = block_at_second(40, {{.title = 9000, .counters = std::vector<blob::Counter>(counters)}});
        for (std::uint32_t j = 0; j < counters; ++j) block.objects[0].counters[j].title = 2 * j;
        const std::string digits = std::to_string(i);
        block.machine = std::u16string(digits.begin(), digits.end());
        blobs.push_back(blob::build(block));
    }
    const MetricOutput output = write_metrics(blobs_again(std::move(blobs)), {.series = series});
    EXPECT_EQ(count_points(output.text), series);
    EXPECT_EQ(output.faults, "error series_limit " + std::to_string(machines * counters - series) + "|");
}

/// Checks that beyond the limit of families no name is made for another: it would be made again with each sample.
TEST(MetricMemory, NoNamesBeyondTheFamilyLimit) {
    constexpr std::uint32_t most = 65'536, count = 40'000, beyond = 2 * count - most;
    std::vector<blob::Object> objects{{.title = 9000}, {.title = 9002}};
    for (blob::Object& object : objects)
        for (std::uint32_t i = 0; i < count; ++i) object.counters.push_back({.title = i, .offset = 4});
    const blob::Blob blob = blob::build(block_at_second(40, objects));

    MemorySource source({blob});
    hkpd::SampleReader reader(source, nullptr, {});
    hkpd::Replay replay(reader, {});
    hkpd::Diagnostics found;
    ASSERT_TRUE(replay.next(found));
    hkpd::WriteOptions options;
    options.buffer = 0;
    options.one_pass = true;
    const auto writer = hkpd::make_writer(hkpd::Format::openmetrics, options);
    std::vector<hkpd::Selected> selected;
    hkpd::Filter().select(replay.sample(), selected);
    std::string out;
    std::size_t before = 0;
    for (int i = 0; i < 2; ++i) {
        before = allocations();
        writer->sample(replay.sample(), selected, &replay.cooker(), out);
    }
    EXPECT_LT(allocations() - before, 2 * count + beyond) << "at most one for each counter";
    writer->end(found, out);
    EXPECT_EQ(found.kept().front().error.found, 2 * beyond);
}

}  // namespace metric_memory_test
}  // namespace hkpd_test
