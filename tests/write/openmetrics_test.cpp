// The content of OpenMetrics text: names, labels, values, help.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hkpd/names.hpp"
#include "support/blob_builder.hpp"
#include "support/metric_output.hpp"

namespace hkpd_test {
namespace openmetrics_test {

using namespace blob::counter_type;

/// Returns the text of samples that all fit into the buffer.
std::string text_of(const std::vector<blob::Block>& blocks, const hkpd::WriteOptions& options = with_titles()) {
    std::vector<blob::Blob> blobs;
    for (const blob::Block& block : blocks) blobs.push_back(blob::build(block));
    const MetricOutput output = write_metrics(blobs_again(std::move(blobs)), options);
    EXPECT_EQ(output.faults, "");
    EXPECT_EQ(output.passes, 1U);
    return output.text;
}

TEST(OpenMetrics, FamiliesSeriesPoints) {
    const auto block = [](std::uint16_t second, std::uint64_t more) {
        return block_at_second(
            second, {{.title = 238,
                      .kind = blob::Kind::multi,
                      .counters = {{.title = 6, .type = 0x21510500, .size = 8}, {.title = 148, .type = counter}},
                      .instances = {{.name = u"0", .values = {15'000'000 + more, 100 + more}},
                                    {.name = u"_Total", .values = {3 + more, 0xFFFF'FFFE}}}},
                     {.title = 4,
                      .counters = {{.title = 24, .type = large_rawcount, .size = 8},
                                   {.title = 1406, .type = raw_fraction},
                                   {.title = 1406, .type = raw_base}},
                      .values = {0xFFFF'FFFF'FFFF'FFFF - more, 1, 8}}});
    };
    EXPECT_EQ(text_of({block(40, 0), block(42, 10)}),
              R"(# TYPE hkpd_processor_processor_time_inactive_seconds counter
# UNIT hkpd_processor_processor_time_inactive_seconds seconds
# HELP hkpd_processor_processor_time_inactive_seconds Processor: % Processor Time (PERF_100NSEC_TIMER_INV)
hkpd_processor_processor_time_inactive_seconds_total{machine="DEMO",instance="0"} 1.5 1600000000.123e0
hkpd_processor_processor_time_inactive_seconds_total{machine="DEMO",instance="0"} 1.500001 1600000002.123e0
hkpd_processor_processor_time_inactive_seconds_total{machine="DEMO",instance="_Total"} 3e-07 1600000000.123e0
hkpd_processor_processor_time_inactive_seconds_total{machine="DEMO",instance="_Total"} 1.3e-06 1600000002.123e0
# TYPE hkpd_processor_interrupts counter
# HELP hkpd_processor_interrupts Processor: Interrupts/sec (PERF_COUNTER_COUNTER)
hkpd_processor_interrupts_total{machine="DEMO",instance="0"} 100 1600000000.123e0
hkpd_processor_interrupts_total{machine="DEMO",instance="0"} 110 1600000002.123e0
hkpd_processor_interrupts_total{machine="DEMO",instance="_Total"} 4294967294 1600000000.123e0
hkpd_processor_interrupts_total{machine="DEMO",instance="_Total"} 4294967294 1600000002.123e0
# TYPE hkpd_memory_available_bytes gauge
# HELP hkpd_memory_available_bytes Memory: Available Bytes (PERF_COUNTER_LARGE_RAWCOUNT)
hkpd_memory_available_bytes{machine="DEMO"} 18446744073709551615 1600000000.123e0
hkpd_memory_available_bytes{machine="DEMO"} 18446744073709551605 1600000002.123e0
# TYPE hkpd_memory_committed_bytes_in_use_ratio gauge
# UNIT hkpd_memory_committed_bytes_in_use_ratio ratio
# HELP hkpd_memory_committed_bytes_in_use_ratio Memory: % Committed Bytes In Use (PERF_RAW_FRACTION)
hkpd_memory_committed_bytes_in_use_ratio{machine="DEMO"} 0.125 1600000000.123e0
hkpd_memory_committed_bytes_in_use_ratio{machine="DEMO"} 0.125 1600000002.123e0
# EOF
)");
}

TEST(OpenMetrics, NoSamples) {
    EXPECT_EQ(text_of({}), "# EOF\n");
    EXPECT_EQ(text_of({{}}), "# EOF\n");
}

constexpr std::uint32_t double_raw = 0x00012000;

/// Returns the points of an object with one instance and counters of these types and values, named by their index: `0`,
/// `2`.
std::string points_of(const std::vector<std::pair<std::uint32_t, std::uint64_t>>& values, blob::Block block = {},
                      std::int64_t object_frequency = 0) {
    blob::Object object{.title = 9000, .perf_time = 5000, .perf_freq = object_frequency};
    for (const auto& [type, value] : values) {
        object.counters.push_back({.title = static_cast<std::uint32_t>(object.counters.size()) * 2,
                                   .type = type,
                                   .size = (type >> 8 & 3) == 1 || type == double_raw ? 8U : 4U});
        object.values.emplace_back(value);
    }
    block.machine = u"";
    block.objects = {std::move(object)};
    std::string points;
    const std::string text = text_of({block}, {});
    for (std::string_view left = text; !left.empty();) {
        std::string_view line = left.substr(0, left.find('\n') + 1);
        left.remove_prefix(line.size());
        if (line.starts_with('#')) continue;
        line.remove_prefix(std::string_view("hkpd_object_9000_index_").size());
        points.append(points.empty() ? "" : ", ").append(line.substr(0, line.rfind(' ')));
    }
    return points;
}

TEST(OpenMetrics, TimersCountSecondsOfTheirClock) {
    constexpr std::uint32_t tick_timer = 0x20410500, object_timer = 0x20610500, queue = 0x00450500,
                            object_queue = 0x00650500, hundred_ns_queue = 0x00550500;
    EXPECT_EQ(points_of({{tick_timer, 50}, {queue, 25}}, {.perf_freq = 100}),
              "0_seconds_total 0.5, 2_seconds_total 0.25");
    EXPECT_EQ(points_of({{tick_timer, 50}, {queue, 25}}, {.perf_freq = 0}), "0_ticks_total 50, 2_ticks_total 25");
    EXPECT_EQ(points_of({{tick_timer, 50}}, {.perf_freq = -5}), "0_ticks_total 50");
    EXPECT_EQ(points_of({{object_timer, 50}, {object_queue, 25}}, {.perf_freq = 1}, 1000),
              "0_seconds_total 0.05, 2_seconds_total 0.025");
    EXPECT_EQ(points_of({{object_timer, 50}, {object_queue, 25}}), "0_ticks_total 50, 2_ticks_total 25");
    EXPECT_EQ(points_of({{timer_100ns, 50}, {hundred_ns_queue, 25}}, {.perf_freq = 0}),
              "0_seconds_total 5e-06, 2_seconds_total 2.5e-06");
    EXPECT_EQ(points_of({{0x21410500, 50}}, {.perf_freq = 0}), "0_inactive_ticks_total 50");
}

TEST(OpenMetrics, CountersWithBases) {
    constexpr std::uint32_t average_timer = 0x30020400, sample_fraction = 0x20C20400, sample_base = 0x40030401;
    EXPECT_EQ(points_of({{average_timer, 50}, {average_base, 4}}, {.perf_freq = 100}),
              "0_seconds_total 0.5, 0_base_total 4");
    EXPECT_EQ(points_of({{average_bulk, 50}, {average_base, 0}}), "0_total 50, 0_base_total 0");
    EXPECT_EQ(points_of({{sample_fraction, 50}, {sample_base, 200}}), "0_total 50, 0_base_total 200");
    EXPECT_EQ(points_of({{raw_fraction, 50}, {raw_base, 200}}), "0_ratio 0.25");
    EXPECT_EQ(points_of({{raw_fraction, 50}, {raw_base, 0}}), "");
    EXPECT_EQ(points_of({{raw_fraction, 50}}), "");
    EXPECT_EQ(points_of({{average_bulk, 50}}), "0_total 50");
    EXPECT_EQ(points_of({{multi_timer, 50}, {multi_base, 4}}, {.perf_freq = 100}),
              "0_seconds_total 0.5, 0_instances 4");
    EXPECT_EQ(points_of({{multi_timer, 50}, {rawcount, 3}}, {.perf_freq = 100}),
              "0_seconds_total 0.5, 0_instances 3, 2 3")
        << "the DWORD after the value";
}

TEST(OpenMetrics, OtherTypes) {
    EXPECT_EQ(points_of({{elapsed_time, 2000}}, {}, 1000), "0_seconds 3");
    EXPECT_EQ(points_of({{elapsed_time, 2000}}), "") << "without a frequency";
    const auto of_double = [](double value) { return points_of({{double_raw, std::bit_cast<std::uint64_t>(value)}}); };
    EXPECT_EQ(of_double(-1.5), "0 -1.5");
    EXPECT_EQ(of_double(0.1), "0 0.1");
    EXPECT_EQ(of_double(-std::numeric_limits<double>::infinity()), "0 -Inf");
    EXPECT_EQ(of_double(std::numeric_limits<double>::quiet_NaN()), "");
    EXPECT_EQ(points_of({{0x00000100, 255}}), "0 255");
    EXPECT_EQ(points_of({{0x12340400, 7}}), "0 7");
    EXPECT_EQ(points_of({{raw_base, 7}, {nodata, 0}}), "");
}

TEST(OpenMetrics, TextOddSizesAndDamageGiveNoPoints) {
    blob::Block block = block_at_second(40, {{.title = 9000,
                                              .kind = blob::Kind::multi,
                                              .counters = {{.title = 2},
                                                           {.title = 4, .type = text_unicode, .size = 16},
                                                           {.title = 6, .size = 3},
                                                           {.title = 8, .offset = 60}},
                                              .instances = {{.name = u"a", .values = {1}}}}});
    block.machine = u"";
    blob::Blob blob = blob::build(block);
    blob.put32(blob.counter(0, 3) + blob::counter_definition::CounterOffset, 1U << 20);
    const MetricOutput output = write_metrics(blobs_again({blob}), {});
    EXPECT_EQ(lines_with(output.text, " 1600000000.123e0"),
              "hkpd_object_9000_index_2{instance=\"a\"} 1 1600000000.123e0\n");
}

TEST(OpenMetrics, ADamagedNameContinuesNoSeries) {
    blob::Blob blob =
        blob::build(block_at_second(40, {{.title = 9000,
                                          .kind = blob::Kind::multi,
                                          .counters = {{.title = 2}},
                                          .instances = {{.name = u"a"}, {.name = u"b"}, {.name = u"c"}}}}));
    blob.put32(blob.instance(0, 1) + blob::instance_definition::NameLength, 1U << 31);
    const MetricOutput output = write_metrics(blobs_again({blob}), {});
    EXPECT_EQ(lines_with(output.text, "machine"),
              "hkpd_object_9000_index_2{machine=\"DEMO\",instance=\"a\"} 0 1600000000.123e0\n"
              "hkpd_object_9000_index_2{machine=\"DEMO\",instance=\"c\"} 0 1600000000.123e0\n");
    EXPECT_EQ(output.faults, "warning point_order 1|") << "what is left out is counted";
}

TEST(OpenMetrics, ParentsAndEqualNames) {
    const auto thread = [](std::uint32_t parent, std::uint64_t value) {
        return blob::Instance{.name = u"0", .values = {value}, .parent_object = 230, .parent = parent};
    };
    const auto block = block_at_second(
        40,
        {{.title = 230,
          .kind = blob::Kind::multi,
          .counters = {{.title = 784}},
          .instances = {{.name = u"svchost", .values = {7}}, {.name = u"svchost", .values = {8}}, {.name = u"a/b"}}},
         {.title = 232,
          .kind = blob::Kind::multi,
          .counters = {{.title = 682}},
          .instances = {thread(0, 70), thread(2, 90)}}});
    const std::string text = text_of({block});
    EXPECT_EQ(lines_with(text, "hkpd_process_id_process{"),
              "hkpd_process_id_process{machine=\"DEMO\",instance=\"svchost\",pid=\"7\"} 7 1600000000.123e0\n"
              "hkpd_process_id_process{machine=\"DEMO\",instance=\"svchost\",pid=\"8\"} 8 1600000000.123e0\n"
              "hkpd_process_id_process{machine=\"DEMO\",instance=\"a/b\",pid=\"0\"} 0 1600000000.123e0\n");
    EXPECT_EQ(
        lines_with(text, "hkpd_thread_priority_base{machine=\"DEMO\",parent=\"a/b\""),
        "hkpd_thread_priority_base{machine=\"DEMO\",parent=\"a/b\",instance=\"0\",pid=\"0\"} 90 1600000000.123e0\n");
}

TEST(OpenMetrics, TitlesGiveHelp) {
    hkpd::Titles titles;
    hkpd::TitleTable table("009", "test");
    table.add(9000, "Line\nfeed");
    table.add(2, "Back\\slash");
    table.add(3, "Some \"help\"\\\nand more.");
    table.add(5, "");
    table.add(4, std::string(1024, 'x'));
    titles.add(table);
    const auto block = block_at_second(40, {{.title = 9000, .counters = {{.title = 2}, {.title = 4}, {.title = 6}}}});
    const std::string text = text_of({block}, with_titles(titles)), name = "hkpd_line_feed_";
    EXPECT_EQ(lines_with(text, "# HELP"),
              "# HELP " + name + "back_slash Some \\\"help\\\"\\\\\\nand more.\n" +  //
                  "# HELP " + name + std::string(256, 'x') + " Line\\nfeed: " + std::string(1024, 'x') +
                  " (PERF_COUNTER_RAWCOUNT)\n" +  //
                  "# HELP " + name + "index_6 Line\\nfeed: counter 6 (PERF_COUNTER_RAWCOUNT)\n");
}

/// Checks that names begin with a letter or `_`, even if titles do not.
TEST(OpenMetrics, Prefixes) {
    hkpd::Titles titles;
    hkpd::TitleTable table("009", "test");
    table.add(9000, "2nd Object");
    table.add(2, "3rd Counter");
    titles.add(table);
    hkpd::WriteOptions options = with_titles(titles);
    const auto name = [&](std::string_view prefix) {
        options.metric_prefix = prefix;
        const std::string text = text_of({block_at_second(40, {{.title = 9000, .counters = {{.title = 2}}}})}, options);
        return lines_with(text, "# TYPE");
    };
    EXPECT_EQ(name("hkpd_"), "# TYPE hkpd_2nd_object_3rd_counter gauge\n");
    EXPECT_EQ(name("total:"), "# TYPE total:2nd_object_3rd_counter gauge\n");
    EXPECT_EQ(name(""), "# TYPE _2nd_object_3rd_counter gauge\n");
}

TEST(OpenMetrics, LabelsAreEscaped) {
    auto block = block_at_second(40, {{.title = 9000,
                                       .kind = blob::Kind::multi,
                                       .counters = {{.title = 2}},
                                       .instances = {{.name = u"a\"b\\c\nd\x202E} # 1"}, {.name = u""}}}});
    block.machine = u"X\"";
    EXPECT_EQ(lines_with(text_of({block}, {}), "_2{"),
              "hkpd_object_9000_index_2{machine=\"X\\\"\",instance=\"a\\\"b\\\\c\\nd\\\\u202E} # 1\"} 0 "
              "1600000000.123e0\n"
              "hkpd_object_9000_index_2{machine=\"X\\\"\"} 0 1600000000.123e0\n");
}

TEST(OpenMetrics, OneFamilyForOneTitle) {
    // A title has another index on another machine; within one sample two indices are two families.
    hkpd::Titles titles;
    hkpd::TitleTable table("009", "test");
    for (const std::uint32_t index : {2U, 4U, 6U}) table.add(index, "Same");
    table.add(9000, "Object");
    table.add(9002, "Object");
    titles.add(table);
    auto other = block_at_second(40, {{.title = 9002, .counters = {{.title = 6}}, .values = {3}}});
    other.machine = u"OTHER";
    const auto one = block_at_second(40, {{.title = 9000, .counters = {{.title = 2}, {.title = 4}}, .values = {1, 2}}});
    EXPECT_EQ(lines_with(text_of({one, other}, with_titles(titles)), "machine"),
              "hkpd_object_same{machine=\"DEMO\"} 1 1600000000.123e0\n"
              "hkpd_object_same{machine=\"OTHER\"} 3 1600000000.123e0\n"
              "hkpd_object_same_4{machine=\"DEMO\"} 2 1600000000.123e0\n");
    const auto two = block_at_second(40, {{.title = 9000, .counters = {{.title = 2}}, .values = {1}},
                                          {.title = 9002, .counters = {{.title = 4}}, .values = {2}}});
    EXPECT_EQ(lines_with(text_of({two}, with_titles(titles)), "machine"),
              "hkpd_object_same{machine=\"DEMO\"} 1 1600000000.123e0\n"
              "hkpd_object_same_4{machine=\"DEMO\"} 2 1600000000.123e0\n");
    // With another metric type it is another metric.
    const auto later =
        block_at_second(41, {{.title = 9000, .counters = {{.title = 2, .type = counter}}, .values = {5}}});
    EXPECT_EQ(lines_with(text_of({one, later}, with_titles(titles)), " 5 "),
              "hkpd_object_same_2_total{machine=\"DEMO\"} 5 1600000001.123e0\n");
}

/// Checks that a name does not depend on earlier logs: one has `% Processor Time`, another `% processor time`.
TEST(OpenMetrics, CaseMakesNoOtherFamily) {
    hkpd::Titles titles;
    hkpd::TitleTable table("009", "test");
    for (const auto& [index, text] : {std::pair{9000, "Object"}, {9002, "OBJECT"}, {2, "Same"}, {4, "same"}})
        table.add(static_cast<std::uint32_t>(index), text);
    titles.add(table);
    const auto one = block_at_second(40, {{.title = 9000, .counters = {{.title = 2}}, .values = {1}}});
    auto other = block_at_second(40, {{.title = 9002, .counters = {{.title = 4}}, .values = {2}}});
    other.machine = u"OTHER";
    EXPECT_EQ(text_of({one, other}, with_titles(titles)),
              "# TYPE hkpd_object_same gauge\n"
              "# HELP hkpd_object_same Object: Same (PERF_COUNTER_RAWCOUNT)\n"
              "hkpd_object_same{machine=\"DEMO\"} 1 1600000000.123e0\n"
              "hkpd_object_same{machine=\"OTHER\"} 2 1600000000.123e0\n"
              "# EOF\n");
    const auto both =
        block_at_second(40, {{.title = 9000, .counters = {{.title = 2}, {.title = 4}}, .values = {1, 2}}});
    EXPECT_EQ(lines_with(text_of({both}, with_titles(titles)), "machine"),
              "hkpd_object_same{machine=\"DEMO\"} 1 1600000000.123e0\n"
              "hkpd_object_same_4{machine=\"DEMO\"} 2 1600000000.123e0\n")
        << "within one machine they are two";
}

TEST(OpenMetrics, CookedGauges) {
    const auto block = [](std::uint16_t second, std::uint64_t more) {
        return block_at_second(second, {{.title = 238,
                                         .kind = blob::Kind::multi,
                                         .counters = {{.title = 148, .type = counter},
                                                      {.title = 1406, .type = raw_fraction},
                                                      {.title = 1406, .type = raw_base},
                                                      {.title = 1336}},
                                         .instances = {{.name = u"0", .values = {100 + more, 1, 8, 3}}}}});
    };
    hkpd::WriteOptions options = with_titles();
    options.cooked_gauges = true;
    EXPECT_EQ(text_of({block(40, 0), block(42, 10)}, options),
              R"(# TYPE hkpd_processor_committed_bytes_in_use_percent gauge
# UNIT hkpd_processor_committed_bytes_in_use_percent percent
# HELP hkpd_processor_committed_bytes_in_use_percent Processor: % Committed Bytes In Use (PERF_RAW_FRACTION)
hkpd_processor_committed_bytes_in_use_percent{machine="DEMO",instance="0"} 12.5 1600000000.123e0
hkpd_processor_committed_bytes_in_use_percent{machine="DEMO",instance="0"} 12.5 1600000002.123e0
# TYPE hkpd_processor_dpc_rate gauge
# HELP hkpd_processor_dpc_rate Processor: DPC Rate (PERF_COUNTER_RAWCOUNT)
hkpd_processor_dpc_rate{machine="DEMO",instance="0"} 3 1600000000.123e0
hkpd_processor_dpc_rate{machine="DEMO",instance="0"} 3 1600000002.123e0
# TYPE hkpd_processor_interrupts_per_second gauge
# UNIT hkpd_processor_interrupts_per_second per_second
# HELP hkpd_processor_interrupts_per_second Processor: Interrupts/sec (PERF_COUNTER_COUNTER)
hkpd_processor_interrupts_per_second{machine="DEMO",instance="0"} 5 1600000002.123e0
# EOF
)");
}

}  // namespace openmetrics_test
}  // namespace hkpd_test
