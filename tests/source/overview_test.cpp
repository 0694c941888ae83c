// Summaries of inputs: what they state, and that of large captures and logs only both ends are read.
#include "hkpd/overview.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "support/blob_builder.hpp"
#include "support/demo_machine.hpp"
#include "support/log_samples.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace overview_test {

using hkpd::Diagnostics;
using hkpd::InputKind;
using hkpd::Overview;
using hkpd::OverviewOptions;
using hkpd::Severity;
using testing::ElementsAre;
using testing::SizeIs;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

struct Found {
    Overview overview;
    Diagnostics diagnostics;
};
Found found(const std::string& input, OverviewOptions options = {}) {
    Found result;
    result.overview = hkpd::summarize(bytes_of(input), options, result.diagnostics);
    return result;
}
/// Returns the summary of an input of which only both ends are read, however small it is.
Found found_by_ends(const std::string& input) { return found(input, {.sample_above_bytes = 0}); }

std::vector<std::string> paths_of(const Overview& overview) {
    std::vector<std::string> paths;
    hkpd::visit_paths(overview, [&paths](std::string_view path) {
        paths.emplace_back(path);
        return true;
    });
    return paths;
}

/// Returns the time of a row of `counting_log`.
std::int64_t row_time(std::int64_t row) { return *hkpd::unix_nanoseconds(log_utc + row * log_second); }

TEST(Overview, OfALogThatIsReadCompletely) {
    const auto [overview, diagnostics] = found(log_file::build(counting_log(20)).text());
    EXPECT_EQ(overview.kind, InputKind::log);
    EXPECT_TRUE(overview.complete && overview.samples_exact && overview.objects_exact);
    EXPECT_EQ(overview.samples, 20U);
    EXPECT_EQ(overview.interval, 1'000'000'000);
    EXPECT_EQ(overview.gaps, 0U);
    ASSERT_TRUE(overview.time);
    // Sample times are in milliseconds.
    EXPECT_EQ(overview.time->from / 1'000'000, row_time(0) / 1'000'000);
    EXPECT_EQ(overview.time->to / 1'000'000, row_time(19) / 1'000'000);
    ASSERT_TRUE(overview.zone);
    EXPECT_EQ(overview.zone->bias, 480);
    EXPECT_THAT(overview.machines, ElementsAre("PC"));
    ASSERT_THAT(overview.objects, SizeIs(1));
    EXPECT_EQ(overview.objects[0].name, "object");
    EXPECT_EQ(overview.objects[0].counters, 1U);
    EXPECT_FALSE(diagnostics.any_fault());
}

TEST(Overview, TheMiddleOfALogIsNotRead) {
    constexpr std::uint32_t rows = 1000;
    log_file::File file = log_file::build(counting_log(rows));
    ASSERT_GT(file.buffer_count(), 10U);
    const Overview all = found(file.text()).overview;
    // Were the middle read, these buffers would be faults.
    for (std::size_t k = 3; k + 3 < file.buffer_count(); ++k)
        file.fill(file.buffer(k) + 8, file.buffer_size() - 8, 0xEE);
    ASSERT_TRUE(found(file.text()).diagnostics.any_fault());
    const auto [overview, diagnostics] = found_by_ends(file.text());
    EXPECT_FALSE(overview.complete);
    EXPECT_TRUE(overview.samples_exact);  // the trailer states it
    EXPECT_EQ(overview.samples, rows);
    EXPECT_EQ(overview.time->from, all.time->from);
    EXPECT_EQ(overview.time->to, all.time->to);
    EXPECT_EQ(overview.interval, all.interval);
    EXPECT_EQ(overview.gaps, 0U);
    EXPECT_THAT(overview.objects, SizeIs(1));
    EXPECT_EQ(diagnostics.count(), 0U);
}

TEST(Overview, RowsOfManyFragmentsAreFoundFromTheEnd) {
    log_file::Log log = counting_log(200);
    for (log_file::Event& event : log.events) event.cut = 40;  // a row has 56 bytes
    const auto [overview, diagnostics] = found_by_ends(log_file::build(log).text());
    EXPECT_FALSE(overview.complete);
    EXPECT_EQ(overview.samples, 200U);
    EXPECT_EQ(diagnostics.count(), 0U);
}

TEST(Overview, WithoutATrailerTheNumberOfRowsIsAnEstimate) {
    constexpr std::uint64_t rows = 2000;
    log_file::Log log = counting_log(rows);
    log.events.pop_back();
    log.header.closed = false;
    const Overview overview = found_by_ends(log_file::build(log).text()).overview;
    EXPECT_FALSE(overview.complete);
    EXPECT_FALSE(overview.samples_exact);
    EXPECT_GT(overview.samples, rows * 9 / 10);
    EXPECT_LT(overview.samples, rows * 11 / 10);
}

TEST(Overview, OfACircularLog) {
    log_file::Log log = counting_log(1000);
    log.header.mode |= 2;
    log_file::File file = log_file::build(log);
    for (const std::size_t first : {std::size_t{2}, std::size_t{5}, file.buffer_count() - 2}) {
        log_file::File turned = log_file::build(log);
        turned.rotate(1, first);
        const Overview all = found(turned.text()).overview;
        const auto [overview, diagnostics] = found_by_ends(turned.text());
        EXPECT_FALSE(overview.complete) << first;
        EXPECT_EQ(overview.time->from, all.time->from) << first;
        EXPECT_EQ(overview.time->to, all.time->to) << first;
        EXPECT_EQ(overview.interval, 1'000'000'000) << first;
        EXPECT_FALSE(diagnostics.any_fault()) << first;
    }
}

TEST(Overview, BuffersThatWereNeverWrittenArePassedOver) {
    log_file::Log log = counting_log(1000);
    log.unfilled = 20;
    const Overview overview = found_by_ends(log_file::build(log).text()).overview;
    EXPECT_FALSE(overview.complete);
    EXPECT_EQ(overview.samples, 1000U);
    EXPECT_EQ(overview.time->to / 1'000'000, row_time(999) / 1'000'000);
}

TEST(Overview, LogsOneAfterTheOtherAreReadCompletely) {
    log_file::Log second = counting_log(300);
    for (log_file::Event& event : second.events) event.log[0] = 99;
    const std::string both = log_file::build(counting_log(300)).text() + log_file::build(second).text();
    const auto [overview, diagnostics] = found_by_ends(both);
    EXPECT_EQ(overview.samples, found(both).overview.samples);
    EXPECT_EQ(overview.samples, 600U);
}

TEST(Overview, Gaps) {
    log_file::Log log = counting_log(0);
    log.events.pop_back();
    // Rows at 0, 1, 2, 3, 10, 11, 12, 40, 41, 42: two gaps, of 7 and of 28 s.
    for (const std::int64_t second : {0, 1, 2, 3, 10, 11, 12, 40, 41, 42})
        log.events.push_back(row_event({log_file::raw({.first = second, .time = log_time})}, second));
    const Overview overview = found(log_file::build(log).text()).overview;
    EXPECT_EQ(overview.interval, 1'000'000'000);
    EXPECT_EQ(overview.gaps, 2U);
    ASSERT_TRUE(overview.longest_gap);
    EXPECT_EQ(overview.longest_gap->from / 1'000'000, row_time(12) / 1'000'000);
    EXPECT_EQ((overview.longest_gap->to - overview.longest_gap->from) / 1'000'000, 28'000);
}

/// Returns a capture of the demo machine with one sample in each chunk, and where its chunks lie. Samples from `gap` on
/// are a minute later.
std::string capture_of(std::uint64_t samples, std::uint64_t gap, std::vector<std::size_t>* chunks = nullptr) {
    std::string file;
    hkpd::CaptureWriter writer(
        [&](std::span<const std::byte> bytes) {
            file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            return true;
        },
        {.samples = 1});
    hkpd::Recorder recorder(writer);
    for (std::uint64_t i = 0; i < samples; ++i) {
        const std::string blob = to_text(blob::build(demo::machine(i + (i >= gap ? 60 : 0))));
        hkpd::Record record{hkpd::Record::Kind::v1_block, hkpd::Bytes(bytes_of(blob))};
        record.whole_sample = true;
        if (chunks != nullptr) chunks->push_back(file.size());
        recorder.add(record, {});
    }
    recorder.finish();
    writer.finish();
    return file;
}

TEST(Overview, TheMiddleOfACaptureIsNotRead) {
    std::vector<std::size_t> chunks;
    std::string file = capture_of(50, 50, &chunks);
    const auto [all, none] = found(file);
    EXPECT_EQ(all.kind, InputKind::capture);
    EXPECT_TRUE(all.complete);
    EXPECT_EQ(all.samples, 50U);
    EXPECT_EQ(none.count(), 0U);
    // Inside of what is compressed: the header of a chunk is compared with the index before the chunk is skipped.
    for (std::size_t k = 20; k < 30; ++k) file[chunks[k] + 200] = static_cast<char>(~file[chunks[k] + 200]);
    ASSERT_TRUE(found(file).diagnostics.any_fault());
    const auto [overview, diagnostics] = found_by_ends(file);
    EXPECT_FALSE(overview.complete);
    EXPECT_TRUE(overview.samples_exact);
    EXPECT_EQ(overview.samples, 50U);
    EXPECT_EQ(overview.interval, all.interval);
    EXPECT_EQ(overview.time->from, all.time->from);
    EXPECT_EQ(overview.time->to, all.time->to);
    EXPECT_EQ(overview.gaps, 0U);
    EXPECT_EQ(overview.objects.size(), all.objects.size());
    EXPECT_EQ(diagnostics.count(), 0U);
}

TEST(Overview, TheIndexOfACaptureShowsGaps) {
    const Overview overview = found_by_ends(capture_of(50, 25)).overview;
    EXPECT_FALSE(overview.complete);
    EXPECT_EQ(overview.gaps, 1U);
    ASSERT_TRUE(overview.longest_gap);
    EXPECT_EQ((overview.longest_gap->to - overview.longest_gap->from) / 1'000'000'000, 61);
}

TEST(Overview, PathsNameEachInstanceOnce) {
    blob::Object list{.title = 9000,
                      .kind = blob::Kind::multi,
                      .counters = {{.title = 9002}, {.title = 9004}},
                      .instances = {{u"a", {1, 2}}, {u"a", {1, 2}}, {u"b", {1, 2}}}};
    const blob::Object single{.title = 9010, .counters = {{.title = 9012}}, .values = {1}};
    blob::Block block{.objects = {list, single}, .machine = u"M"};
    std::string blobs = to_text(blob::build(block));
    block.objects[0].instances.push_back({u"late", {1, 2}});
    block.perf_time += block.perf_freq;
    block.perf_time_100ns += 10'000'000;
    blobs += to_text(blob::build(block));
    const Overview overview = found(blobs, {.paths = true}).overview;
    EXPECT_THAT(paths_of(overview),
                ElementsAre(R"(\\M\9000(a)\9002)", R"(\\M\9000(a#1)\9002)", R"(\\M\9000(b)\9002)",
                            R"(\\M\9000(late)\9002)", R"(\\M\9000(a)\9004)", R"(\\M\9000(a#1)\9004)",
                            R"(\\M\9000(b)\9004)", R"(\\M\9000(late)\9004)", R"(\\M\9010\9012)"));
    ASSERT_THAT(overview.objects, SizeIs(2));
    EXPECT_EQ(overview.objects[0].name, "#9000");
    EXPECT_EQ(overview.objects[0].instances, 4U);
}

TEST(Overview, LimitsAreObeyed) {
    hkpd::Limits limits;
    limits.series = 5;
    const Overview overview = found(to_text(blob::build(demo::machine(0))), {.limits = limits, .paths = true}).overview;
    EXPECT_FALSE(overview.objects_exact);
    std::size_t entries = 0;
    for (const Overview::Object& object : overview.objects) {
        ++entries;
        for (const Overview::Object::Part& part : object.parts) entries += part.instances.size();
        entries += object.counters;
    }
    EXPECT_LE(entries, 5U);
}

TEST(Overview, OfNothing) {
    const auto [overview, diagnostics] = found("no performance data");
    EXPECT_EQ(overview.samples, 0U);
    EXPECT_FALSE(overview.time);
    EXPECT_TRUE(overview.objects.empty());
    EXPECT_NE(diagnostics.count(Severity::error), 0U);
}

}  // namespace overview_test
}  // namespace hkpd_test
