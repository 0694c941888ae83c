// Damaged and hostile captures: valid records are returned, lost ones are reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/capture_reading.hpp"
#include "support/count_allocations.hpp"
#include "support/mcap_builder.hpp"
#include "support/process.hpp"
#include "support/processor_time.hpp"

namespace hkpd_test {
namespace capture_damage_test {

using hkpd::CaptureOptions;
using hkpd::CaptureWriter;
using mcap_file::message;

const std::string v1 = mcap_file::channel(1, "v1", "x-hkpd-v1");

/// A file of 20 chunks of one sample, whose message is its number and some noise.
struct Small {
    explicit Small(bool noise = true) {
        CaptureOptions options;
        options.samples = 1;
        std::mt19937 random(1);
        written = write_capture(options, [&](CaptureWriter& writer) {
            for (std::uint32_t i = 0; i < 20; ++i) {
                records.push_back(block(std::string(200, 'a') + (noise ? random_bytes(random, 300) : ""), i, i));
                writer.add_block(records.back().record());
                writer.end_sample();
            }
            writer.finish();
        });
    }
    std::vector<Kept> records;
    Written written;
};

TEST(CaptureDamage, CutAnywhere) {
    const Small file;
    std::mt19937 random(2);
    for (int i = 0; i < 400; ++i) {
        const std::size_t size = mcap_file::magic.size() + random() % (file.written.bytes.size() - 8);
        const Reading reading = read_capture(file.written.bytes.substr(0, size));
        // Each write after the first contains a chunk followed by less than 100 bytes of index.
        const auto whole = std::ranges::count_if(file.written.ends, [&](std::size_t end) { return end <= size; }) - 1;
        ASSERT_GE(reading.records.size(), static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(whole, 0, 20))) << size;
        for (std::size_t k = 0; k < reading.records.size(); ++k) ASSERT_EQ(reading.records[k], file.records[k]);
        const std::string reported = found(reading.diagnostics);
        ASSERT_TRUE(reported == "error capture_torn" || reported == "warning capture_unfinished")
            << size << " " << reported;
    }
}

TEST(CaptureDamage, OffsetAndSizesOfATruncatedChunk) {
    const Small file;
    const std::size_t chunk = file.written.ends[3];
    const Reading reading = read_capture(file.written.bytes.substr(0, chunk + 100));
    ASSERT_EQ(reading.diagnostics.kept().size(), 1U);
    const hkpd::Error& error = reading.diagnostics.kept()[0].error;
    EXPECT_EQ(error.code, hkpd::Errc::capture_torn);
    EXPECT_EQ(error.offset, chunk);
    EXPECT_EQ(error.expected, mcap_file::records(file.written.bytes, chunk).at(0).size());
    EXPECT_EQ(error.found, 100U);
    EXPECT_EQ(reading.records.size(), 3U);
}

/// Flips every bit of the records from `begin` to `end` and checks that at most message number `victim` is missing, and
/// that its loss is reported.
void flip_each_bit(const std::string& bytes, const std::vector<Kept>& records, std::size_t begin, std::size_t end,
                   std::size_t victim, bool seeks) {
    std::vector<Kept> others = records;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(victim));
    for (std::size_t bit = begin * 8; bit < end * 8; ++bit) {
        std::string flipped = bytes;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
        MemoryStream stream(flipped, seeks);
        const Reading reading = read_stream(stream);
        const bool whole = reading.records == records;
        ASSERT_TRUE(whole || reading.records == others)
            << "bit " << bit - begin * 8 << ": " << reading.records.size() << " " << found(reading.diagnostics);
        if (!whole) {
            ASSERT_TRUE(reading.diagnostics.any_fault()) << "bit " << bit - begin * 8;
        }
    }
}

TEST(CaptureDamage, EachBitOfAChunk) {
    for (const bool noise : {false, true}) {
        const Small file(noise);
        const std::size_t begin = file.written.ends[7];
        const auto chunk = mcap_file::records(file.written.bytes.substr(0, file.written.ends[8]), begin).at(0);
        flip_each_bit(file.written.bytes, file.records, begin, begin + chunk.size(), 7, noise);
    }
}

TEST(CaptureDamage, EachBitOfAChunkInAFileWithoutItsEnd) {
    const Small file(false);
    const std::size_t begin = file.written.ends[7];
    const std::string bytes = file.written.bytes.substr(0, file.written.ends[20]);
    const auto chunk = mcap_file::records(bytes, begin).at(0);
    flip_each_bit(bytes, file.records, begin, begin + chunk.size(), 7, true);
    const std::size_t last = file.written.ends[19];
    flip_each_bit(bytes, file.records, last, last + mcap_file::records(bytes, last).at(0).size(), 19, false);
}

TEST(CaptureDamage, EachBitOfAMessageIndexAndOfTheEnd) {
    const Small file(false);
    const std::string& bytes = file.written.bytes;
    const std::size_t begin = file.written.ends[7], end = file.written.ends[8];
    const auto chunk = mcap_file::records(bytes.substr(0, end), begin).at(0);
    // One bit of the opcode turns the index into a message, which only the count reveals.
    const std::size_t index = begin + chunk.size();
    flip_each_bit(bytes, file.records, index + 1, end, 7, true);
    std::string flipped = bytes;
    flipped[index] = 5;
    EXPECT_EQ(found(read_capture(flipped).diagnostics), "warning capture_count");
    flip_each_bit(bytes, file.records, file.written.ends[20], bytes.size(), 19, true);
}

TEST(CaptureDamage, OverwrittenAnywhere) {
    const Small file;
    std::mt19937 random(3);
    for (int i = 0; i < 300; ++i) {
        std::string bytes = file.written.bytes;
        const std::size_t at = 8 + random() % (file.written.ends[20] - 8), size = 1 + random() % 200;
        for (std::size_t k = at; k < std::min(bytes.size(), at + size); ++k)
            bytes[k] = static_cast<char>(i % 2 == 0 ? 0 : random());
        if (bytes == file.written.bytes) continue;
        const Reading reading = read_capture(bytes);
        // 200 bytes span two chunks at most.
        ASSERT_GE(reading.records.size(), 18U) << at << " " << size << found(reading.diagnostics);
        if (reading.records.size() < 20) {
            ASSERT_TRUE(reading.diagnostics.any_fault());
        }
        for (const Kept& kept : reading.records) ASSERT_EQ(kept, file.records.at(kept.sequence.value_or(99)));
    }
}

TEST(CaptureDamage, BytesRemovedOrInserted) {
    const Small file;
    std::mt19937 random(4);
    for (int i = 0; i < 300; ++i) {
        std::string bytes = file.written.bytes;
        const std::size_t at = 8 + random() % (file.written.ends[20] - 8), size = 1 + random() % 200;
        i % 2 == 0 ? bytes.erase(at, size) : bytes.insert(at, random_bytes(random, size));
        const Reading reading = read_capture(bytes);
        ASSERT_GE(reading.records.size(), 18U) << at << " " << size << found(reading.diagnostics);
        if (reading.records.size() < 20) {
            ASSERT_TRUE(reading.diagnostics.any_fault());
        }
    }
}

/// Reads a file of three chunks of which the second is `bad`, checks that the others are read, and returns the
/// diagnostic.
hkpd::Diagnostic read_with(const std::string& bad, const hkpd::Limits& limits = {}) {
    mcap_file::Builder file;
    file.chunk(v1 + message(1, 0, 1, "a")).add(bad).chunk(v1 + message(1, 0, 1, "c"));
    const Reading reading = read_capture(file.finish(), Wanted::all, limits);
    EXPECT_EQ(reading.bytes(), "a|c|");
    EXPECT_EQ(reading.diagnostics.kept().size(), 1U) << found(reading.diagnostics);
    if (reading.diagnostics.kept().empty()) return {};
    EXPECT_EQ(reading.diagnostics.kept()[0].severity, hkpd::Severity::error);
    EXPECT_EQ(reading.diagnostics.kept()[0].error.offset, file.places[0].first + file.places[0].second);
    return reading.diagnostics.kept()[0];
}

void expect_error(const std::string& bad, hkpd::Errc code, std::string_view field, std::uint64_t expected = 0,
                  std::uint64_t found = 0, const hkpd::Limits& limits = {}) {
    const hkpd::Error error = read_with(bad, limits).error;
    EXPECT_EQ(code_name(error.code), code_name(code));
    EXPECT_EQ(error.field, field);
    EXPECT_EQ(error.expected, expected) << field;
    EXPECT_EQ(error.found, found) << field;
}

TEST(CaptureDamage, FaultsOfOneChunk) {
    using enum hkpd::Errc;
    const std::string records = v1 + message(1, 0, 1, std::string(300, 'b'));
    const auto crc = mcap_file::crc32(records);
    for (const std::string compression : {"", "zstd"}) {
        const auto chunk = [&](mcap_file::Chunk how) {
            how.compression = compression;
            return mcap_file::chunk(records, how);
        };
        const std::uint64_t size = records.size(), more = compression.empty() ? size : size - 1;
        expect_error(chunk({.crc = crc ^ 1U}), chunk_checksum, "uncompressed_crc", crc ^ 1U, crc);
        expect_error(chunk({.size = size + 1}), chunk_size, "uncompressed_size", size + 1, size);
        expect_error(chunk({.size = size - 2}), chunk_size, "uncompressed_size", size - 2, more);
        expect_error(chunk({.size = 0}), chunk_size, "uncompressed_size", 0, compression.empty() ? size : 1);
        expect_error(chunk({.size = ~0ULL}), chunk_limit, "uncompressed_size", 256 << 20, ~0ULL);
        expect_error(chunk({}), chunk_limit, "uncompressed_size", 200, size, {.chunk = 200});
    }
    for (const std::string compression : {"lz4", "bz2", "a compression of 32 letters long"})
        expect_error(mcap_file::chunk(records, {.compression = compression}), chunk_compression, "compression");
    const std::string frame = mcap_file::zstd(records);
    for (const std::string& stored :
         {std::string(), std::string("nonsense"), frame.substr(0, frame.size() - 1), frame + "more", frame.substr(1)})
        expect_error(mcap_file::chunk(records, {.stored = stored}), chunk_damaged, "records");
}

TEST(CaptureDamage, RecordsLargerThanTheLimit) {
    mcap_file::Builder file;
    std::mt19937 random(1);
    const std::string large = random_bytes(random, 200'000);
    file.chunk(v1 + message(1, 0, 1, "a"));
    file.chunk(v1 + message(1, 0, 1, large));
    file.chunk(v1 + message(1, 0, 1, "c"));
    for (const bool seeks : {true, false}) {
        MemoryStream stream(file.finish(3), seeks);
        const Reading reading = read_stream(stream, {}, {.chunk = 100'000});
        EXPECT_EQ(reading.bytes(), "a|c|");
        EXPECT_EQ(found(reading.diagnostics), "error chunk_limit, warning capture_count");
    }
}

TEST(CaptureDamage, Bombs) {
    const std::string kilobytes(1 << 20, '\0');
    std::string frames;  // 2 GiB of zeros in 64 KiB
    const std::string frame = mcap_file::zstd(kilobytes, 19);
    for (int i = 0; i < 2048; ++i) frames += frame;
    read_capture(mcap_file::Builder().chunk(kilobytes).finish());  // what a first chunk takes is no bomb's
    [[maybe_unused]] const long before = peak_memory_kib();
    using enum hkpd::Errc;
    const hkpd::Limits unlimited{.expansion = 1ULL << 30};
    expect_error(mcap_file::chunk("", {.size = 1ULL << 31, .stored = frames}), chunk_limit, "uncompressed_size",
                 256 << 20, 1ULL << 31);
    expect_error(mcap_file::chunk("", {.size = 100, .stored = frames}), chunk_size, "uncompressed_size", 100, 101);
    expect_error(mcap_file::chunk("", {.size = 256 << 20, .stored = "nonsense"}), chunk_damaged, "records", 0, 0,
                 unlimited);
    expect_error(mcap_file::chunk("", {.size = 256 << 20, .stored = frame}), chunk_size, "uncompressed_size", 256 << 20,
                 1 << 20, unlimited);
    // 15 MiB of zeros in half a kilobyte.
    const std::string zeros(15 << 20, '\0');
    const Reading reading = read_capture(mcap_file::Builder()
                                             .chunk(zeros)
                                             .chunk(zeros, {.compression = "zstd"})
                                             .chunk(zeros, {.compression = "zstd"})
                                             .finish());
    EXPECT_TRUE(found(reading.diagnostics).contains("error expansion_limit")) << found(reading.diagnostics);
#ifndef HKPD_SANITIZED
    EXPECT_LT(peak_memory_kib() - before, 20 * 1024);
#endif
}

/// Returns a zstd frame that states a size and contains this many uncompressed blocks of 128 KiB, none of them marked
/// as the last (RFC 8878).
std::string frame_that_states(std::uint32_t size, int blocks) {
    std::mt19937 random(2);
    const std::string block = std::string("\0\0\x10", 3) + random_bytes(random, 128 << 10);
    std::string frame = "\x28\xB5\x2F\xFD\xA0" + mcap_file::u32(size);
    for (int i = 0; i < blocks; ++i) frame += block;
    return frame;
}

TEST(CaptureDamage, AStatedSizeAllocatesNoMemory) {
    read_capture(mcap_file::Builder().chunk(std::string(1 << 20, '\0')).finish());  // as above
    [[maybe_unused]] const long before = peak_memory_kib();
    // A size that is not plausible, and one that might be.
    for (const std::uint32_t size : {256U << 20U, 100U << 20U})
        expect_error(mcap_file::chunk("", {.size = size, .stored = frame_that_states(size, 4)}),
                     hkpd::Errc::chunk_damaged, "records");
#ifndef HKPD_SANITIZED
    EXPECT_LT(peak_memory_kib() - before, 20 * 1024);
#endif
}

TEST(CaptureDamage, WrongLengths) {
    std::string huge = mcap_file::record(0x0C, "");
    huge.replace(1, 8, mcap_file::u64(1ULL << 40));
    std::string application = mcap_file::record(0x90, "");
    application.replace(1, 8, mcap_file::u64(60));  // reaches into the chunk after it
    for (const std::string& bad :
         {huge, application, std::string(20, '\0'), mcap_file::record(0, "x"), std::string("text between records")}) {
        const hkpd::Error error = read_with(bad).error;
        EXPECT_EQ(error.code, hkpd::Errc::capture_leftover) << bad;
        EXPECT_EQ(error.found, bad.size());
    }
}

TEST(CaptureDamage, AMessageWithoutItsChannel) {
    mcap_file::Builder file;
    const std::string lost = message(7, 0, 1, "lost");
    file.chunk(v1 + lost + lost + message(1, 0, 1, "a") + lost).chunk(lost + message(1, 0, 1, "b"));
    const Reading reading = read_capture(file.finish(6));
    EXPECT_EQ(reading.bytes(), "a|b|");
    EXPECT_EQ(found(reading.diagnostics), "error capture_no_channel, error capture_no_channel");
    EXPECT_EQ(reading.diagnostics.kept()[0].error.found, 7U);
}

TEST(CaptureDamage, RecordsInAChunk) {
    using enum hkpd::Errc;
    const std::string good = v1 + message(1, 0, 1, "a");
    const auto reads = [](const std::string& records, const std::string& bytes, std::string_view faults) {
        const Reading reading = read_capture(mcap_file::Builder().chunk(records).finish());
        EXPECT_EQ(reading.bytes(), bytes);
        EXPECT_EQ(found(reading.diagnostics), faults);
    };
    reads(good + message(1, 0, 1, "b").substr(0, 30), "a|", "error capture_record");
    reads(good + "\x05", "a|", "error capture_record");
    reads(good + mcap_file::record(5, "short") + message(1, 0, 1, "b"), "a|b|", "error capture_record");
    reads(good + mcap_file::record(4, "short") + message(1, 0, 1, "b"), "a|b|", "error capture_record");
    reads("", "", "");
}

TEST(CaptureDamage, NumberOfChannelsIsLimited) {
    const std::string large(500'000, 'x');
    mcap_file::Builder file;
    std::string records = v1;
    for (unsigned id = 2; id < 100; ++id) records += mcap_file::channel(id, large, "x-hkpd-v1");
    records += mcap_file::channel(2, large + large + large, "x-hkpd-v1");
    const Reading reading =
        read_capture(file.chunk(records + message(1, 0, 1, "a")).finish(), Wanted::all, {.expansion = 1ULL << 30});
    EXPECT_EQ(reading.bytes(), "a|");
    EXPECT_EQ(reading.diagnostics.count(hkpd::Severity::error), 98U - 67U + 1U);
    EXPECT_TRUE(found(reading.diagnostics).starts_with("error byte_limit"));
}

TEST(CaptureDamage, TheSummaryHasOtherCounts) {
    const Reading reading = read_capture(mcap_file::Builder().chunk(v1 + message(1, 0, 1, "a")).finish(2));
    EXPECT_EQ(found(reading.diagnostics), "warning capture_count");
    EXPECT_EQ(reading.diagnostics.kept()[0].error.expected, 1U);
    EXPECT_EQ(reading.diagnostics.kept()[0].error.found, 2U);
}

TEST(CaptureDamage, BytesAfterTheEnd) {
    const Reading reading = read_capture(mcap_file::Builder().chunk(v1 + message(1, 0, 1, "a")).finish() + "more");
    EXPECT_EQ(reading.bytes(), "a|");
    EXPECT_EQ(found(reading.diagnostics), "error capture_leftover");
}

/// Reads the titles of a file of three chunks, of which the last has titles, with `index` as the index of the second
/// chunk.
Reading read_with_index(const std::string& index, bool checksum = true) {
    const std::string table = mcap_file::channel(2, "t", "x-hkpd-titles");
    mcap_file::Builder file;
    file.channels += table;
    for (unsigned i = 1; i <= 2; ++i)
        file.chunk(v1 + message(1, i, i, std::string(1, static_cast<char>('a' + i))), {.start = i, .end = i});
    file.chunk(table + message(2, 3, 3, "d"), {.start = 3, .end = 3}, {2});
    if (!index.empty()) file.indexes[1] = index;
    return read_capture(file.finish(3, checksum), Wanted::titles_alone);
}

TEST(CaptureIndex, WrongEntriesAreReportedAndTheChunkIsRead) {
    EXPECT_EQ(read_with_index("").bytes(), "d|");
    const auto index = [](std::uint64_t offset, std::uint64_t length) {
        return mcap_file::record(0x08, mcap_file::u64(2) + mcap_file::u64(2) + mcap_file::u64(offset) +
                                           mcap_file::u64(length) +
                                           mcap_file::text(mcap_file::u16(1) + mcap_file::u64(0)) + mcap_file::u64(0) +
                                           mcap_file::text("") + mcap_file::u64(0) + mcap_file::u64(0));
    };
    mcap_file::Builder file;
    file.chunk(v1 + message(1, 1, 1, "b"), {.start = 1, .end = 1});
    file.chunk(v1 + message(1, 2, 2, "c"), {.start = 2, .end = 2});
    const auto [offset, length] = file.places[1];
    EXPECT_EQ(read_with_index(index(offset, length)).bytes(), "d|");
    for (const std::string& wrong :
         {index(offset + 1, length), index(offset, length + 1), index(offset, length - 1), index(0, length),
          index(file.places[0].first, file.places[0].second), index(~0ULL, length), index(offset, ~0ULL),
          index(1 << 20, length), index(offset, 0), mcap_file::record(0x08, "short"), std::string("\x08")})
        for (const bool checksum : {true, false}) {
            const Reading reading = read_with_index(wrong, checksum);
            EXPECT_EQ(reading.bytes(), "b|c|d|");
            EXPECT_TRUE(found(reading.diagnostics).starts_with("warning capture_index")) << found(reading.diagnostics);
            EXPECT_EQ(reading.diagnostics.count(hkpd::Severity::error), 0U);
        }
}

TEST(CaptureIndex, AWrongChecksumDisablesTheIndex) {
    const Small file;
    const std::size_t summary = file.written.ends[21], end = file.written.bytes.size() - 8;
    EXPECT_EQ(read_capture(file.written.bytes, Wanted::titles_alone).records.size(), 0U);
    for (std::size_t at = summary; at < end; ++at) {
        std::string bytes = file.written.bytes;
        bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
        const Reading reading = read_capture(bytes, Wanted::titles_alone);
        ASSERT_EQ(reading.records.size(), 20U) << at;
        ASSERT_TRUE(reading.diagnostics.any_fault());
        std::istringstream stream(bytes);
        hkpd::Diagnostics diagnostics;
        const hkpd::CaptureInfo info = info_of(stream, diagnostics);
        ASSERT_EQ(info.messages, 20U);
        ASSERT_FALSE(info.indexed);
    }
}

/// Checks the cost of records that claim to reach almost to the end of the file, each of them followed by a chunk.
TEST(CaptureDamage, NestedRecordsCostLittle) {
    const std::string chunk = mcap_file::chunk(v1 + message(1, 0, 1, "a"));
    constexpr std::size_t count = 30'000;
    for (const unsigned op : {0x90U, 0x05U, 0x0CU}) {
        std::string bytes(mcap_file::magic);
        const std::size_t size = count * (9 + 8 + chunk.size());
        for (std::size_t i = 0; i < count; ++i) {
            std::string wrong = mcap_file::record(op, std::string(8, '\0'));
            wrong.replace(1, 8, mcap_file::u64(size - bytes.size() + 20));
            bytes += wrong + chunk;
        }
        bytes += std::string(200, '\0');
        const hkpd_test::ProcessorTime used;
        for (const bool seeks : {true, false}) {
            MemoryStream stream(bytes, seeks);
            EXPECT_EQ(read_stream(stream).records.size(), count);
        }
        EXPECT_LT(used.seconds(), 20);
    }
}

/// Reads a file of nested metadata records, each of which contains all that follow: chunks, the other records and 8 MB
/// of entries, of which the last has no value. Returns the processor time.
double read_nested_metadata(std::size_t levels) {
    const std::string chunk = mcap_file::chunk(v1 + message(1, 0, 1, "a"));
    std::string entries = mcap_file::u32(0);  // the value of the first key, which contains the records that follow
    for (std::uint32_t key = 0; entries.size() < 8'000'000; ++key)
        entries += mcap_file::u32(4) + mcap_file::u32(key) + mcap_file::u32(0);
    entries += mcap_file::u32(0);
    const std::size_t step = 9 + 3 * 4 + chunk.size();
    std::string bytes(mcap_file::magic);
    for (std::size_t left = levels; left != 0; --left) {
        const std::size_t key = chunk.size() + (left - 1) * step, map = 4 + key + entries.size();
        bytes += '\x0C' + mcap_file::u64(8 + map) + mcap_file::u32(0) + mcap_file::u32(map) + mcap_file::u32(key);
        bytes += chunk;
    }
    bytes += entries;
    const std::size_t before = allocations();
    const hkpd_test::ProcessorTime used;
    MemoryStream stream(bytes, true);
    EXPECT_EQ(read_stream(stream).records.size(), levels);
    EXPECT_LT(allocations() - before, 200'000U) << "entries were kept of what is no record";
    return used.seconds();
}

TEST(CaptureDamage, MetadataOfManyLevelsCostsNoMoreThanOfSome) {
    const double some = read_nested_metadata(50);
    EXPECT_LT(read_nested_metadata(500), 4 * some + 0.1);
}

TEST(CaptureDamage, RandomBytesAreReadToTheEnd) {
    std::mt19937 random(5);
    for (int i = 0; i < 300; ++i) {
        std::string bytes(mcap_file::magic);
        for (int k = 0; k < 50; ++k) {
            std::string content = random_bytes(random, random() % 100);
            bytes += mcap_file::record(static_cast<unsigned>(random() % 20), content);
            if (random() % 20 == 0) bytes += random_bytes(random, random() % 50);
        }
        const Reading reading = read_capture(bytes);
        EXPECT_TRUE(reading.diagnostics.any_fault());
        std::istringstream stream(bytes);
        hkpd::Diagnostics diagnostics;
        EXPECT_FALSE(info_of(stream, diagnostics).indexed);
    }
}

}  // namespace capture_damage_test
}  // namespace hkpd_test
