// The text format of Prometheus for the last samples, for textfile collectors.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/blob_builder.hpp"
#include "support/metric_output.hpp"

namespace hkpd_test {
namespace textfile_test {

using namespace blob::counter_type;

Textfile textfile_of(const std::vector<blob::Block>& blocks, const hkpd::WriteOptions& options = with_titles()) {
    std::vector<blob::Blob> blobs;
    for (const blob::Block& block : blocks) blobs.push_back(blob::build(block));
    return write_textfile(blobs_again(std::move(blobs)), options);
}

/// Returns a block of processors with these names, each with this number of interrupts.
blob::Block processors(std::uint16_t second, const std::vector<std::u16string>& names, std::uint64_t interrupts) {
    blob::Object object{
        .title = 238, .kind = blob::Kind::multi, .counters = {{.title = 148, .type = counter}, {.title = 1336}}};
    for (const std::u16string& name : names) object.instances.push_back({.name = name, .values = {interrupts, 7}});
    return block_at_second(second, {object});
}

TEST(TextfileText, FamiliesAndPoints) {
    const auto block = block_at_second(
        40, {{.title = 238,
              .kind = blob::Kind::multi,
              .counters = {{.title = 6, .type = 0x21510500, .size = 8}, {.title = 148, .type = counter}},
              .instances = {{.name = u"0", .values = {15'000'000, 100}}, {.name = u"_Total", .values = {3, 5}}}},
             {.title = 4, .counters = {{.title = 24, .type = large_rawcount, .size = 8}}, .values = {8}}});
    const std::string_view expected =
        R"(# TYPE hkpd_processor_processor_time_inactive_seconds_total counter
# HELP hkpd_processor_processor_time_inactive_seconds_total Processor: % Processor Time (PERF_100NSEC_TIMER_INV)
hkpd_processor_processor_time_inactive_seconds_total{machine="DEMO",instance="0"} 1.5
hkpd_processor_processor_time_inactive_seconds_total{machine="DEMO",instance="_Total"} 3e-07
# TYPE hkpd_processor_interrupts_total counter
# HELP hkpd_processor_interrupts_total Processor: Interrupts/sec (PERF_COUNTER_COUNTER)
hkpd_processor_interrupts_total{machine="DEMO",instance="0"} 100
hkpd_processor_interrupts_total{machine="DEMO",instance="_Total"} 5
# TYPE hkpd_memory_available_bytes gauge
# HELP hkpd_memory_available_bytes Memory: Available Bytes (PERF_COUNTER_LARGE_RAWCOUNT)
hkpd_memory_available_bytes{machine="DEMO"} 8
)";
    const Textfile file = textfile_of({block});
    EXPECT_EQ(file.texts.at(0), expected);
    EXPECT_EQ(file.end, expected);
    EXPECT_EQ(file.faults, "");
}

TEST(TextfileText, RemovedInstancesAreNotInTheNextText) {
    const Textfile file =
        textfile_of({processors(40, {u"0", u"1"}, 10), processors(41, {u"1", u"2"}, 20), block_at_second(42, {})});
    EXPECT_EQ(lines_with(file.texts.at(0), "interrupts_total{"),
              "hkpd_processor_interrupts_total{machine=\"DEMO\",instance=\"0\"} 10\n"
              "hkpd_processor_interrupts_total{machine=\"DEMO\",instance=\"1\"} 10\n");
    EXPECT_EQ(lines_with(file.texts.at(1), "interrupts_total{"),
              "hkpd_processor_interrupts_total{machine=\"DEMO\",instance=\"1\"} 20\n"
              "hkpd_processor_interrupts_total{machine=\"DEMO\",instance=\"2\"} 20\n");
    EXPECT_EQ(file.texts.at(2), "") << "no family without points";
    EXPECT_EQ(file.end, "");
}

TEST(TextfileText, TheLastSampleOfEachMachine) {
    std::vector<blob::Block> blocks;
    for (std::uint16_t second = 0; second < 3; ++second)
        for (const char16_t* machine : {u"A", u"B"}) {
            if (second == 2 && machine == std::u16string_view(u"B")) continue;
            blocks.push_back(processors(second, {u"0"}, second * 10U));
            blocks.back().machine = machine;
        }
    const Textfile file = textfile_of(blocks);
    ASSERT_EQ(file.texts.size(), 5U);
    EXPECT_EQ(lines_with(file.end, "hkpd_processor_interrupts"),
              "# TYPE hkpd_processor_interrupts_total counter\n"
              "# HELP hkpd_processor_interrupts_total Processor: Interrupts/sec (PERF_COUNTER_COUNTER)\n"
              "hkpd_processor_interrupts_total{machine=\"A\",instance=\"0\"} 20\n"
              "hkpd_processor_interrupts_total{machine=\"B\",instance=\"0\"} 10\n");
}

TEST(TextfileText, EscapesAndUnknownTypes) {
    hkpd::Titles titles;
    hkpd::TitleTable table("009", "hostile");
    table.add(9000, "Object");
    table.add(2, "Odd");
    table.add(3, "He wrote \"no\" \\ and\nleft\x1B[2J");
    titles.add(table);
    const Textfile file = textfile_of({block_at_second(40, {{.title = 9000,
                                                             .kind = blob::Kind::multi,
                                                             .counters = {{.title = 2, .type = 0x1234'0400, .help = 3}},
                                                             .instances = {{.name = u"\"\\\n\x1B}", .values = {1}}}}})},
                                      with_titles(titles));
    EXPECT_EQ(file.end,
              "# TYPE hkpd_object_odd untyped\n"
              "# HELP hkpd_object_odd He wrote \"no\" \\\\ and\\nleft\\\\x1B[2J\n"
              "hkpd_object_odd{machine=\"DEMO\",instance=\"\\\"\\\\\\n\\\\x1B}\"} 1\n");
}

TEST(TextfileText, NoSeriesOccursTwice) {
    // Different names may be shown as the same: Prometheus refuses a whole text in which a series occurs twice.
    const Textfile file = textfile_of({processors(40, {u"\x1B", u"\\x1B"}, 10), processors(41, {u"0"}, 20)});
    EXPECT_EQ(count_points(file.texts.at(0)), 2U);
    EXPECT_EQ(file.faults, "point_order 2|");
    // The same applies to machines.
    auto other = processors(40, {u"0"}, 30);
    auto machine = processors(40, {u"0"}, 40);
    other.machine = u"\x1B";
    machine.machine = u"\\x1B";
    EXPECT_EQ(lines_with(textfile_of({other, machine}).end, "interrupts_total{"),
              "hkpd_processor_interrupts_total{machine=\"\\\\x1B\",instance=\"0\"} 40\n");
}

TEST(TextfileText, ATimeIsNotNeeded) {
    blob::Blob timeless = blob::build(processors(40, {u"0"}, 10));
    timeless.put16(blob::data_block::SystemTime + 2, 13);  // the month
    const Textfile file = write_textfile(blobs_again({timeless, blob::build(processors(39, {u"0"}, 5))}));
    EXPECT_EQ(count_points(file.texts.at(0)), 2U);
    EXPECT_EQ(lines_with(file.end, "interrupts_total{"),
              "hkpd_processor_interrupts_total{machine=\"DEMO\",instance=\"0\"} 5\n");
    EXPECT_EQ(file.faults, "");
}

TEST(TextfileText, CookedGauges) {
    hkpd::WriteOptions options = with_titles();
    options.cooked_gauges = true;
    const Textfile file = textfile_of({processors(40, {u"0"}, 100), processors(42, {u"0"}, 110)}, options);
    EXPECT_EQ(lines_with(file.texts.at(0), "per_second"), "") << "a rate needs two samples";
    EXPECT_EQ(lines_with(file.end, "per_second"),
              "# TYPE hkpd_processor_interrupts_per_second gauge\n"
              "# HELP hkpd_processor_interrupts_per_second Processor: Interrupts/sec (PERF_COUNTER_COUNTER)\n"
              "hkpd_processor_interrupts_per_second{machine=\"DEMO\",instance=\"0\"} 5\n");
}

TEST(TextfileText, LimitsApplyToAllMachinesTogether) {
    std::vector<blob::Block> blocks;
    for (const char16_t* machine : {u"A", u"B", u"A", u"C"}) {
        blocks.push_back(processors(40, {u"0", u"1"}, 10));
        blocks.back().machine = machine;
    }
    hkpd::WriteOptions options = with_titles();
    options.series = 8;
    Textfile file = textfile_of(blocks, options);
    EXPECT_EQ(count_points(file.end), 8U);
    EXPECT_EQ(file.faults, "series_limit 4|");
    options = with_titles();
    for (const std::uint64_t buffer : {0U, 300U, 1000U}) {
        options.buffer = buffer;
        file = textfile_of(blocks, options);
        EXPECT_LE(file.end.size(), buffer);
        EXPECT_TRUE(file.faults.starts_with("output_limit ")) << file.faults;
    }
}

/// Checks processes that come and go for years.
TEST(TextfileText, RemovedSeriesAreEvicted) {
    constexpr std::uint16_t samples = 50;
    std::vector<blob::Block> blocks;
    for (std::uint16_t i = 0; i < samples; ++i) {
        const std::string digits = std::to_string(i);
        blocks.push_back(processors(i, {u"stays", std::u16string(digits.begin(), digits.end())}, i));
    }
    hkpd::WriteOptions options = with_titles();
    options.series = 10;
    const Textfile file = textfile_of(blocks, options);
    EXPECT_EQ(file.faults, "");
    for (const std::string& text : file.texts) EXPECT_EQ(count_points(text), 4U) << text;
    EXPECT_EQ(lines_with(file.end, "interrupts_total{"),
              "hkpd_processor_interrupts_total{machine=\"DEMO\",instance=\"stays\"} 49\n"
              "hkpd_processor_interrupts_total{machine=\"DEMO\",instance=\"49\"} 49\n");
}

}  // namespace textfile_test
}  // namespace hkpd_test
