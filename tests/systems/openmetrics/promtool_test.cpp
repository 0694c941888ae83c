// OpenMetrics text in other readers: the reference parser (Debian's python3-prometheus-client) and Prometheus' own
// promtool. They have to find every point of the source, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/located_text.hpp"
#include "hkpd/names.hpp"
#include "hkpd/source.hpp"
#include "support/blob_builder.hpp"
#include "support/machine.hpp"
#include "support/metric_output.hpp"
#include "support/metric_points.hpp"
#include "support/metric_tools.hpp"
#include "support/places.hpp"
#include "support/shared_dir.hpp"

namespace hkpd_test {
namespace promtool_test {

namespace fs = std::filesystem;

using Read = std::function<Points(const std::string& text)>;

/// Expects the points read to be those of the source.
void compare(const MakeSource& source, const Read& read) {
    const Points expected = expected_points(source, &builtin());
    ASSERT_FALSE(expected.empty());
    hkpd::WriteOptions options{.titles = &builtin()};
    const MetricOutput output = write_metrics(source, options);
    EXPECT_EQ(output.faults, "");
    EXPECT_EQ(difference(expected, read(output.text)), "");
}

void compare_captures(const Read& read) {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(testdata_folder) / "captures")) {
        if (entry.path().extension() != ".bin") continue;
        ++count;
        SCOPED_TRACE(entry.path());
        compare([&] { return hkpd::open_files({entry.path()}, {}); }, read);
    }
    EXPECT_EQ(count, 7U);
}

/// Returns blobs with names that are made to break a format.
std::vector<blob::Blob> hostile() {
    const std::u16string names[] = {u"a\"b",
                                    u"a\\b",
                                    u"a\nb",
                                    u"a\\nb",
                                    u"a\r\tb",
                                    u"} 1 2",
                                    u"a # {b=\"c\"} 1 2",
                                    u"a=\"b\",c=\"d\"",
                                    u"\\",
                                    u"\"",
                                    u",",
                                    u"{",
                                    u"\x202Egnp.exe",
                                    u"\x2028\x2029",
                                    u"\x0085\x00A0",
                                    u"#",
                                    u"# EOF",
                                    u"\xD83D\xDE80 日本語",
                                    std::u16string(1024, u'x'),
                                    u" ",
                                    u"machine",
                                    u"__name__",
                                    u"a\x0001\x001B\x007F"};
    std::vector<blob::Blob> blobs;
    for (std::uint16_t second = 1; second <= 2; ++second) {
        blob::Block block{.objects = {{.title = 238, .kind = blob::Kind::multi, .counters = {{.title = 6}}}},
                          .machine = u"\\\"\n}",
                          .perf_time = second,
                          .system_time = {.second = second, .milliseconds = static_cast<std::uint16_t>(900 / second)}};
        std::uint64_t value = second;
        for (const std::u16string& name : names)
            block.objects[0].instances.push_back({.name = name, .values = {value += 10}});
        blobs.push_back(blob::build(block));
    }
    return blobs;
}

/// Titles that are made to break a format, or to clash.
TEST(ReferenceParser, HostileTitles) {
    const std::string python = python_with_parser();
    if (python.empty() && is_skipped(missing("python3-prometheus-client"))) return;
    const std::string titles_of_counters[] = {"x",       "x_total", "X total",   "x created", "x info",     "x bucket",
                                              "x count", "x/sec",   "x seconds", "%",         "\"\\\n",     "x\n# EOF",
                                              "x",       "x 2",     "日本語",    "x}",        "x{a=\"b\"}", "_"};
    hkpd::Titles titles;
    hkpd::TitleTable table("009", "hostile");
    table.add(9000, "Total\n{");
    blob::Object object{.title = 9000};
    std::uint32_t index = 2;
    for (const std::uint32_t type : {0x00010000U, 0x10410400U, 0x20510500U, 0x30020400U, 0x20020400U, 0x12340400U})
        for (const std::string& title : titles_of_counters) {
            table.add(index, title);
            table.add(index + 1, title + " \\ \" \n # HELP");
            object.counters.push_back({.title = index, .type = type, .size = (type >> 8 & 1) != 0 ? 8U : 4U});
            object.values.emplace_back(index);
            index += 2;
        }
    titles.add(table);
    const MetricOutput output = write_metrics(blobs_again({blob::build({.objects = {object}})}), {.titles = &titles});
    EXPECT_EQ(output.faults, "");
    const Points points = parse_text(python, output.text);
    EXPECT_EQ(points.size(), count_points(output.text));
    EXPECT_GE(points.size(), 5 * std::size(titles_of_counters)) << "fractions have no base";
    const std::string tool = promtool();
    if (tool.empty() && is_skipped(missing("promtool"))) return;
    EXPECT_EQ(difference(points, take_in(tool, output.text)), "");
}

TEST(ReferenceParser, Captures) {
    const std::string python = python_with_parser();
    if (python.empty() && is_skipped(missing("python3-prometheus-client"))) return;
    const Read read = [&](const std::string& text) { return parse_text(python, text); };
    compare_captures(read);
    compare(blobs_again(hostile()), read);
}

TEST(ReferenceParser, CookedGauges) {
    const std::string python = python_with_parser();
    if (python.empty() && is_skipped(missing("python3-prometheus-client"))) return;
    const hkpd::WriteOptions options{.titles = &builtin(), .cooked_gauges = true};
    const std::string demo = std::string(testdata_folder) + "/captures/demo.bin";
    const MetricOutput output = write_metrics([&] { return hkpd::open_files({demo}, {}); }, options);
    EXPECT_EQ(output.faults, "");
    EXPECT_GT(count_points(output.text), 1000U);
    EXPECT_EQ(parse_text(python, output.text).size(), count_points(output.text));
}

TEST(Promtool, Captures) {
    const std::string tool = promtool();
    if (tool.empty() && is_skipped(missing("promtool"))) return;
    const Read read = [&](const std::string& text) { return take_in(tool, text); };
    compare_captures(read);
    compare(blobs_again(hostile()), read);
}

/// Returns the output of `promtool check metrics` for a textfile, after its exit code, which is 3 if it only criticises
/// names.
std::string check_metrics(const std::string& tool, const std::string& text) {
    EXPECT_GT(count_points(text), 0U);
    const TempFolder folder;
    const ShellResult result = shell(tool + " check metrics <" + quoted(folder.write("metrics", text)) + " 2>&1");
    return std::to_string(result.exit) + " " + result.out;
}

TEST(Promtool, CheckMetrics) {
    const std::string tool = promtool();
    if (tool.empty() && is_skipped(missing("promtool"))) return;
    for (const bool gauges : {false, true}) {
        hkpd::WriteOptions options = with_titles();
        options.cooked_gauges = gauges;
        for (const auto& entry : fs::directory_iterator(fs::path(testdata_folder) / "captures")) {
            SCOPED_TRACE(entry.path());
            const Textfile file = write_textfile([&] { return hkpd::open_files({entry.path()}, {}); }, options);
            EXPECT_EQ(file.faults, "");
            // No rate can be computed from a single sample.
            const bool none = gauges && count_points(file.end) == 0 && file.texts.size() == 1;
            if (!none) {
                EXPECT_EQ(check_metrics(tool, file.end), "0 ");
            }
        }
    }
    EXPECT_TRUE(check_metrics(tool, "hkpd_x_count 1\n").starts_with("3 ")) << "it does find fault";
}

TEST(Promtool, ChecksHostileTextfiles) {
    const std::string tool = promtool();
    if (tool.empty() && is_skipped(missing("promtool"))) return;
    const Textfile file = write_textfile(blobs_again(hostile()));
    EXPECT_EQ(check_metrics(tool, file.end), "0 ");
}

/// Returns a textfile with a counter of each title and of each of these types, in two objects.
Textfile textfile_of_titles(std::span<const std::string_view> titles_of_counters, bool gauges) {
    hkpd::Titles titles;
    hkpd::TitleTable table("009", "titles");
    std::vector<blob::Object> objects;
    std::uint32_t index = 10'000;
    for (const std::string_view title : {"SQLServer:Locks", "MS Counter (KB)"}) {
        table.add(index, std::string(title));
        blob::Object object{.title = index++};
        for (const std::string_view counter : titles_of_counters)
            for (const std::uint32_t type : {0x00010000U, 0x10410400U, 0x20410500U, 0x12340400U}) {
                table.add(index, std::string(counter));
                object.counters.push_back({.title = index++, .type = type, .size = (type >> 8 & 1) != 0 ? 8U : 4U});
                object.values.emplace_back(index);
            }
        objects.push_back(std::move(object));
    }
    titles.add(table);
    hkpd::WriteOptions options = with_titles(titles);
    options.cooked_gauges = gauges;
    const auto block = [&](std::uint16_t second) { return blob::build(block_at_second(second, objects)); };
    return write_textfile(blobs_again({block(1), block(2)}), options);
}

/// Returns promtool's advice on names, except advice that follows from words of titles, which names keep: units that
/// are abbreviated or no base units (no value is converted), and words that are types of metrics.
std::string other_advice(const std::string& output, std::span<const std::string_view> titles_of_counters) {
    std::string titles, others;
    for (const std::string_view title : titles_of_counters) titles.append(hkpd::lower_case(title)).append("\n");
    for (std::string_view left = std::string_view(output).substr(output.find(' ') + 1); !left.empty();) {
        const std::string_view line = left.substr(0, left.find('\n'));
        left.remove_prefix(std::min(left.size(), line.size() + 1));
        constexpr std::string_view unit = " instead of \"";
        const std::size_t at = line.find(unit);
        const bool of_title =
            at != std::string_view::npos && line.find(" use base unit \"") != std::string_view::npos &&
            titles.find(line.substr(at + unit.size(), line.size() - at - unit.size() - 1)) != std::string::npos;
        if (!of_title && !line.ends_with(" metric names should not contain abbreviated units") &&
            line.find(" metric name should not include type '") == std::string_view::npos)
            others.append(line).append("\n");
    }
    return others;
}

/// Titles as in SQL Server, Exchange, ESE, IIS, .NET, Hyper-V and others.
TEST(Promtool, ChecksTitlesOfOtherProducts) {
    const std::string tool = promtool();
    if (tool.empty() && is_skipped(missing("promtool"))) return;
    const std::string_view titles[] = {"Lock Wait Time (ms)",
                                       "Average Wait Time (ms)",
                                       "Average Latch Wait Time (ms)",
                                       "Total Latch Wait Time (ms)",
                                       "Lock Timeouts (timeout > 0)/sec",
                                       "Total Server Memory (KB)",
                                       "Data File(s) Size (KB)",
                                       "Log File(s) Used Size (KB)",
                                       "Percent Log Used",
                                       "Free Space in tempdb (KB)",
                                       "Cache Object Counts",
                                       "Backup/Restore Throughput/sec",
                                       "Batches >=000001ms & <000002ms",
                                       "CPU Time:Total(ms)",
                                       "Elapsed Time:Requests",
                                       "Disk Read IO (ms)",
                                       "Avg Disk Read IO (ms)",
                                       "Network IO waits",
                                       "Average execution time (ms)",
                                       "Redo Bytes Remaining",
                                       "Recovery Queue KB",
                                       "Flow Control Time (ms/sec)",
                                       "Database Cache Size (MB)",
                                       "I/O Database Reads (Attached) Average Latency",
                                       "Log Generation Checkpoint Depth",
                                       "RPC Averaged Latency",
                                       "LDAP Searches timed out per minute",
                                       "Average Delivery Time in Milliseconds",
                                       "Messages Queued for Delivery Per Second",
                                       "User Count",
                                       "Requests/Sec",
                                       "Request Execution Time",
                                       "Errors Total",
                                       "Sessions Total",
                                       "State Server Sessions Active",
                                       "Request Bytes In Total",
                                       "Service Uptime",
                                       "% 401 HTTP Response Sent",
                                       "URI Cache Hits %",
                                       "# of Exceps Thrown / sec",
                                       "Throw To Catch Depth / Sec",
                                       "# Bytes in all Heaps",
                                       "Rate of Load Failures",
                                       "rate of recognized threads / sec",
                                       "Finalization Survivors",
                                       "Queue Length / sec",
                                       "Calls Duration",
                                       "Guest Visible Physical Memory",
                                       "Physical Memory, MB",
                                       "Bits Received/sec",
                                       "Kilobits sent",
                                       "Total Days Up",
                                       "Hours since last full crawl",
                                       "Minutes",
                                       "Milliseconds Count",
                                       "Counter",
                                       "Gauge",
                                       "Summary Count",
                                       "Counter Count",
                                       "Performance Counter Timeouts",
                                       "Histogram: Bucket",
                                       "Histogram Sum",
                                       "Client's Waits",
                                       "Drive D Free",
                                       "Latency (\xC2\xB5s)",
                                       "Transferred (Mb)",
                                       "Speed (mb/s)",
                                       "Sec",
                                       "(s)",
                                       "U.S. Mails",
                                       "U Count",
                                       "Temperature (Fahrenheit)",
                                       "% \xD0\xB7"};
    for (const bool gauges : {false, true}) {
        const Textfile file = textfile_of_titles(titles, gauges);
        EXPECT_EQ(file.faults, "");
        EXPECT_GT(count_points(file.end), std::size(titles) * (gauges ? 2U : 4U));
        const std::string output = check_metrics(tool, file.end);
        EXPECT_TRUE(output.starts_with("3 ")) << output << ": for a text that it cannot read it exits with 1";
        EXPECT_EQ(other_advice(output, titles), "");
    }
}

class WindowsMetrics : public WindowsData {
  protected:
    MakeSource vista() const {
        return [this] { return hkpd::open_files({path("data/v1/vista-2007")}, {}); };
    }
};

TEST_F(WindowsMetrics, ReferenceParser) {
    const std::string python = python_with_parser();
    if (python.empty() && is_skipped(missing("python3-prometheus-client"))) return;
    compare(vista(), [&](const std::string& text) { return parse_text(python, text); });
}

TEST_F(WindowsMetrics, Promtool) {
    const std::string tool = promtool();
    if (tool.empty() && is_skipped(missing("promtool"))) return;
    compare(vista(), [&](const std::string& text) { return take_in(tool, text); });
}

TEST_F(WindowsMetrics, WhatDoesNotFitIntoMemoryIsTheSame) {
    const MetricOutput whole = write_metrics(vista(), {.titles = &builtin()});
    const MetricOutput parts = write_metrics(vista(), {.titles = &builtin(), .buffer = 200'000});
    EXPECT_TRUE(whole.text == parts.text);
    EXPECT_EQ(parts.passes, 1U);
}

}  // namespace promtool_test
}  // namespace hkpd_test
