// A capture that is larger than the memory allowed for reading it. Under a sanitizer memory use is not meaningful, and
// the test would take minutes.
#ifndef HKPD_SANITIZED

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "hkpd/capture.hpp"
#include "run_command.hpp"
#include "support/blob_builder.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace large_capture_cli_test {

constexpr std::size_t instances = 1000, counters = 60;

blob::Block large_block() {
    blob::Block block;
    blob::Object object{.title = 900, .kind = blob::Kind::multi};
    for (std::uint32_t c = 0; c < counters; ++c)
        object.counters.push_back({.title = 902 + 2 * c, .type = blob::counter_type::large_rawcount, .size = 8});
    const std::vector<blob::Value> values(counters, std::uint64_t{0});
    for (std::size_t i = 0; i < instances; ++i) {
        const std::string digits = std::to_string(i);
        object.instances.push_back({.name = std::u16string(digits.begin(), digits.end()), .values = values});
    }
    block.objects.push_back(std::move(object));
    return block;
}

/// Numbers without a pattern, which cannot be compressed.
class Noise {
  public:
    std::uint64_t next() noexcept {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_;
    }

  private:
    std::uint64_t state_ = 88172645463325252ULL;
};

/// Writes samples of noise until the file has this size; returns their number.
std::uint64_t write_capture(const std::string& path, std::uint64_t size) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
    std::uint64_t written = 0, samples = 0;
    hkpd::CaptureWriter writer(
        [&](std::span<const std::byte> bytes) {
            written += bytes.size();
            return std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
        },
        {});
    blob::Blob blob = blob::build(large_block());
    Noise noise;
    while (written < size) {
        blob.put64(56, samples * 10'000'000);                                // PerfTime
        blob.put16(36 + 10, static_cast<std::uint16_t>(samples / 60 % 60));  // SystemTime
        blob.put16(36 + 12, static_cast<std::uint16_t>(samples % 60));
        for (std::size_t i = 0; i < instances; ++i) {
            std::array<std::uint64_t, counters> values;
            for (std::size_t c = 0; c < counters; ++c) values[c] = noise.next();
            blob.put_bytes(blob.counter_block(0, i) + 8, std::as_bytes(std::span(values)));
        }
        hkpd::Record record{hkpd::Record::Kind::v1_block, hkpd::Bytes(blob.bytes())};
        record.machine = "DEMO";
        record.time = samples * 1'000'000'000;
        writer.add_block(record);
        writer.end_sample();
        ++samples;
    }
    writer.finish();
    EXPECT_TRUE(writer.good());
    return samples;
}

TEST(LargeCapture, ReplaysInConstantMemory) {
    const TempFolder folder;
    const std::string path = folder.path("large.mcap");
    // tests/run.sh --all: more than a signed 32-bit number counts.
    const std::uint64_t size = std::uint64_t{std::getenv("HKPD_WHOLE") != nullptr ? 2048U : 512U} << 20;
    const std::uint64_t samples = write_capture(path, size);
    ASSERT_GE(std::filesystem::file_size(path), size);
    const Result rows =
        run({"replay", "--format", "csv", "--object", "900", "--instance", "7", "--counter", "902", path});
    EXPECT_EQ(rows.exit, 0) << rows.err.substr(0, 1000);
    EXPECT_EQ(lines(rows.out).size(), samples + 1);
    const long most_kib = std::max(100L * 1024, peak_memory_kib() + 1024);  // a program has its parent's peak, too
    EXPECT_LT(rows.peak_kib, most_kib);
    const Result summary = run({"replay", "--summary", "--format", "csv", "--object", "900", "--counter", "902", path});
    EXPECT_EQ(lines(summary.out).size(), instances + 1);
    EXPECT_LT(summary.peak_kib, most_kib);
    RecordProperty("peak_kib", std::to_string(std::max(rows.peak_kib, summary.peak_kib)));
}

}  // namespace large_capture_cli_test
}  // namespace hkpd_test

#endif
