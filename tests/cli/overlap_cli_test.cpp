// A block of 1 MiB whose overlapping counters ask for two hundred million values: the limit stops it soon, with a
// message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "run_command.hpp"
#include "support/blob_builder.hpp"
#include "support/places.hpp"
#include "support/processor_time.hpp"
#include "support/sample_reading.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace overlap_cli_test {

/// Returns counters that all overlap, in as many instances as fit.
blob::Blob overlapping() {
    blob::Object object{.title = 2, .kind = blob::Kind::multi, .counters = {}, .instances = {}};
    for (std::uint32_t c = 0; c < 13'000; ++c) object.counters.push_back({.title = 4 + 2 * c, .offset = 4});
    object.instances.assign(16'000, {.name = u"", .values = {7}, .nul = false});
    blob::Blob blob = blob::build({.objects = {std::move(object)}, .machine = u""});
    EXPECT_LE(blob.size(), std::size_t{1} << 20);
    return blob;
}

/// Seconds of processor time that suffice for an optimised build; sanitizers may take more.
const double enough = hkpd_test::optimized ? 1 : 60;

TEST(Overlap, SampleStopsAtTheLimit) {
    const blob::Blob blob = overlapping();
    const ProcessorTime used;
    const auto samples = read_blobs({blob});
    EXPECT_LT(used.seconds(), enough);
    EXPECT_EQ(faults(samples->diagnostics), "error value_limit|");
    ASSERT_EQ(samples->all.size(), 1U);
    const hkpd::Object& object = samples->object(0, 0);
    const std::uint64_t limit = hkpd::Limits{}.values_for(blob.size());
    EXPECT_EQ(object.instances.size(), limit / 13'000) << "as many complete instances as the limit allows";
    for (const hkpd::Column& column : object.columns)
        ASSERT_EQ(std::ranges::count(column.values, 7U), static_cast<std::ptrdiff_t>(limit / 13'000));
}

class OverlapCli : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(OverlapCli, StopsAtTheLimit) {
    const TempFolder folder;
    const std::string input = folder.write("overlap.bin", to_text(overlapping()));
    std::vector<std::string> arguments = GetParam();
    arguments.push_back(input);
    const Result result = run(arguments);
    EXPECT_EQ(result.exit, 1) << "valid parts have been shown";
    EXPECT_THAT(result.err, testing::HasSubstr("error: "));
    EXPECT_LE(lines(result.err).size(), 2U);
    EXPECT_FALSE(result.out.empty());
    EXPECT_LT(result.processor_seconds, 2 * enough) << "with what it prints";
    // The memory of a sanitizer is not hkpd's, nor is that of a large parent before the program starts.
    if (hkpd_test::optimized) {
        EXPECT_LT(result.peak_kib, std::max(512L * 1024, peak_memory_kib() + 1024));
    }
}

INSTANTIATE_TEST_SUITE_P(Commands, OverlapCli,
                         testing::Values(std::vector<std::string>{"dump"},
                                         std::vector<std::string>{"dump", "--counter", "4"},
                                         std::vector<std::string>{"dump", "--format", "csv"},
                                         std::vector<std::string>{"dump", "--format", "json"},
                                         std::vector<std::string>{"replay", "--format", "csv"}));

}  // namespace overlap_cli_test
}  // namespace hkpd_test
