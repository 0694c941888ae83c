// OpenMetrics text in memory and in a temporary file, and cut at its limits.
#include <gtest/gtest.h>

#ifndef _WIN32
#include <sys/resource.h>
#endif

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/blob_builder.hpp"
#include "support/demo_machine.hpp"
#include "support/metric_output.hpp"

namespace hkpd_test {
namespace openmetrics_buffer_test {

TEST(OpenMetricsBuffer, PointsOutOfOrderOrWithoutTimeAreDropped) {
    const auto at = [](std::uint16_t second, std::uint64_t value) {
        return blob::build(block_at_second(second, {{.title = 9000, .counters = {{.title = 2}}, .values = {value}}}));
    };
    blob::Blob old = at(43, 6), timeless = at(44, 5);
    old.put16(blob::data_block::SystemTime, 1969);
    timeless.put16(blob::data_block::SystemTime + 2, 13);  // the month
    const MetricOutput output =
        write_metrics(blobs_again({at(40, 1), at(42, 2), at(42, 3), at(41, 4), timeless, old, at(43, 7)}), {});
    EXPECT_EQ(lines_with(output.text, "machine"),
              "hkpd_object_9000_index_2{machine=\"DEMO\"} 1 1600000000.123e0\n"
              "hkpd_object_9000_index_2{machine=\"DEMO\"} 2 1600000002.123e0\n"
              "hkpd_object_9000_index_2{machine=\"DEMO\"} 7 1600000003.123e0\n");
    EXPECT_EQ(output.faults, "warning point_order 4|");
}

TEST(OpenMetricsBuffer, SeriesLimit) {
    const auto block = block_at_second(40, {{.title = 9000,
                                             .kind = blob::Kind::multi,
                                             .counters = {{.title = 2}, {.title = 4}},
                                             .instances = {{.name = u"a"}, {.name = u"b"}, {.name = u"c"}}}});
    const auto limited = [&](std::uint64_t series) {
        const MetricOutput output = write_metrics(blobs_again({blob::build(block)}), {.series = series});
        return std::to_string(count_points(output.text)) + " " + output.faults;
    };
    EXPECT_EQ(limited(6), "6 ");
    EXPECT_EQ(limited(5), "5 error series_limit 1|");
    EXPECT_EQ(limited(2), "2 error series_limit 4|");
    EXPECT_EQ(limited(0), "0 error series_limit 6|");
}

TEST(OpenMetricsBuffer, LimitOfFamilies) {
    constexpr std::uint32_t most = 65'536, count = 70'000;
    blob::Object object{.title = 9000};
    for (std::uint32_t i = 0; i < count; ++i) object.counters.push_back({.title = i, .offset = 4});
    const MetricOutput output = write_metrics(blobs_again({blob::build({.objects = {object}})}), {});
    EXPECT_EQ(count_points(output.text), most);
    EXPECT_EQ(output.faults, "error series_limit " + std::to_string(count - most) + "|");
}

/// Returns samples of two machines in turn, with processes that come and go.
std::vector<blob::Blob> two_machines() {
    std::vector<blob::Blob> blobs;
    for (std::uint64_t second = 0; second < 10; second += 2) {
        blob::Block block = demo::machine(second);
        blobs.push_back(blob::build(block));
        block.machine = u"OTHER";
        std::erase_if(block.objects, [&](const blob::Object& object) { return object.title % 10 == second; });
        blobs.push_back(blob::build(block));
    }
    return blobs;
}

TEST(OpenMetricsBuffer, WhatDoesNotFitIntoMemoryIsTheSame) {
    const MakeSource source = blobs_again(two_machines());
    hkpd::WriteOptions options = with_titles();
    const MetricOutput whole = write_metrics(source, options);
    EXPECT_EQ(whole.faults, "");
    ASSERT_GT(count_points(whole.text), 10'000U);
    EXPECT_TRUE(whole.text.ends_with("\n# EOF\n"));
    for (const std::uint64_t buffer :
         {whole.text.size(), whole.text.size() / 2, whole.text.size() / 20, std::size_t{300}, std::size_t{0}}) {
        options.buffer = buffer;
        const MetricOutput parts = write_metrics(source, options);
        EXPECT_TRUE(parts.text == whole.text) << buffer;
        EXPECT_EQ(parts.faults, "");
        EXPECT_EQ(parts.passes, 1U);
    }
    options.one_pass = true;
    EXPECT_TRUE(write_metrics(source, options).text == whole.text);
}

TEST(OpenMetricsBuffer, ASeriesLargerThanTheBuffer) {
    std::vector<blob::Blob> blobs;
    for (std::uint16_t second = 1; second <= 3; ++second)
        blobs.push_back(blob::build(block_at_second(second, {{.title = 9000,
                                                              .kind = blob::Kind::multi,
                                                              .counters = {{.title = 2}, {.title = 4}},
                                                              .instances = {{.name = u"a"}, {.name = u"b"}}}})));
    const MakeSource source = blobs_again(std::move(blobs));
    const MetricOutput whole = write_metrics(source, {});
    EXPECT_EQ(count_points(whole.text), 12U);
    for (std::uint64_t buffer = 0; buffer < 1500; ++buffer)
        EXPECT_EQ(write_metrics(source, {.buffer = buffer}).text, whole.text) << buffer;
}

#ifndef _WIN32  // which has no limit of this kind
/// Limits the size of files that this process writes, for as long as the object exists.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

  private:
    rlimit before_{};
    void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

/// The scratch file can be full at any point: each point is written or counted, and none is written twice or changed.
TEST(OpenMetricsBuffer, WhatDoesNotFitIntoTheScratchFileIsCounted) {
    const MakeSource source = blobs_again(two_machines());
    hkpd::WriteOptions options = with_titles();
    const MetricOutput whole = write_metrics(source, options);
    const auto lines_of = [](const std::string& text) {
        std::istringstream in(text);
        std::set<std::string> lines;
        for (std::string line; std::getline(in, line);) lines.insert(line);
        return lines;
    };
    const std::set<std::string> all = lines_of(whole.text);
    for (const std::size_t buffer : {std::size_t{1000}, whole.text.size() / 100, whole.text.size() / 20}) {
        for (const rlim_t size : {0U, 1U, 5000U, 20'000U, 50'000U}) {
            options.buffer = buffer;
            MetricOutput output;
            {
                const FileSizeLimit limit(size);
                output = write_metrics(source, options);
            }
            const std::string counted = "error output_limit ";
            ASSERT_TRUE(output.faults.starts_with(counted)) << output.faults << " " << size;
            EXPECT_EQ(count_points(output.text) + std::stoull(output.faults.substr(counted.size())),
                      count_points(whole.text))
                << buffer << " " << size;
            const std::set<std::string> written = lines_of(output.text);
            EXPECT_TRUE(std::ranges::includes(all, written)) << buffer << " " << size;
        }
    }
}
#endif

}  // namespace openmetrics_buffer_test
}  // namespace hkpd_test
