// Valid files read by CaptureReader, written by this library and by others.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/capture_reading.hpp"
#include "support/mcap_builder.hpp"

namespace hkpd_test {
namespace capture_reader_test {

using hkpd::CaptureInfo;
using hkpd::CaptureOptions;
using hkpd::CaptureWriter;
using mcap_file::channel;
using mcap_file::message;

const std::string v1 = channel(1, "v1", "x-hkpd-v1");

/// Returns samples of all sizes, of two machines, and titles between them.
std::vector<Kept> some_records(std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<Kept> all;
    for (std::uint32_t sample = 0; sample < 60; ++sample) {
        if (sample % 20 == 3)
            all.push_back(titles(random_bytes(random, 300), "PC", "Counter", sample < 10 ? "009" : "", sample));
        for (std::size_t i = 0; i <= random() % 3; ++i)
            all.push_back(block(std::string(random() % 3000, 'x') + random_bytes(random, random() % 100),
                                1'600'000'000'000'000'000 + sample, sample, random() % 2 == 0 ? "PC" : ""));
    }
    return all;
}

void write(CaptureWriter& writer, const std::vector<Kept>& records) {
    std::uint32_t ended = 0;
    for (const Kept& kept : records) {
        for (; kept.sequence && ended < *kept.sequence; ++ended) writer.end_sample();
        kept.kind == hkpd::Record::Kind::titles ? writer.add_reference(kept.record()) : writer.add_block(kept.record());
    }
    writer.end_sample();
}

/// Returns the records as they are read back: a time of 0 is no time.
std::vector<Kept> expected(std::vector<Kept> records) {
    for (Kept& kept : records)
        if (kept.kind == hkpd::Record::Kind::titles && kept.time == 0U) kept.time.reset();
    return records;
}

TEST(CaptureReader, RoundTripByteForByte) {
    for (std::uint32_t seed = 0; seed < 10; ++seed) {
        const auto records = some_records(seed);
        CaptureOptions options{.time = std::chrono::hours(1)};  // chunks end only by number of samples
        options.samples = 1 + seed * 7;
        options.library = "hkpd 9";
        const Written written = write_capture(options, [&](CaptureWriter& writer) {
            writer.add_metadata("hkpd", {{"machine", "PC"}});
            write(writer, records);
            writer.add_metadata("end", {});
            writer.finish();
        });
        for (const bool seeks : {true, false}) {
            MemoryStream stream(written.bytes, seeks);
            const Reading reading = read_stream(stream);
            EXPECT_EQ(reading.records, expected(records));
            EXPECT_EQ(found(reading.diagnostics), "");
            ASSERT_EQ(reading.metadata.size(), 2U);
            EXPECT_EQ(reading.metadata[0].name, "hkpd");
            EXPECT_EQ(reading.metadata[0].entries.at("machine"), "PC");
        }
    }
}

TEST(CaptureReader, IsCapture) {
    const auto is = [](std::string_view text) {
        return hkpd::CaptureReader::is_capture(hkpd::Bytes(std::as_bytes(std::span(text))));
    };
    EXPECT_TRUE(is(mcap_file::magic));
    EXPECT_TRUE(is(std::string(mcap_file::magic) + "x"));
    EXPECT_FALSE(is(mcap_file::magic.substr(0, 7)));
    EXPECT_FALSE(is("\x89MCAP1\r\n"));
    EXPECT_EQ(hkpd::CaptureReader::magic_size, mcap_file::magic.size());
    const Reading reading = read_capture("no capture at all");
    EXPECT_EQ(found(reading.diagnostics), "error not_recognised");
}

TEST(CaptureReader, BeginsAtThePositionOfTheStream) {
    const std::string file = mcap_file::Builder()
                                 .chunk(v1 + message(1, 0, 1, "b"), {.start = 1, .end = 1})
                                 .chunk(v1 + message(1, 0, 5, "a"), {.start = 5, .end = 5})
                                 .finish(2);
    std::istringstream stream("something else" + file);
    stream.seekg(14);
    const Reading reading = read_stream(stream, Wanted::titles_alone);
    EXPECT_EQ(reading.bytes(), "");
    EXPECT_EQ(found(reading.diagnostics), "");
}

TEST(CaptureReader, RecordsAreNumbered) {
    const std::string file = mcap_file::Builder().chunk(v1 + message(1, 0, 5, "a") + message(1, 0, 5, "b")).finish(2);
    std::istringstream stream(file);
    hkpd::CaptureReader reader(stream, {});
    hkpd::Diagnostics diagnostics;
    for (std::uint32_t i = 0; i < 2; ++i) {
        const auto record = reader.next(diagnostics);
        ASSERT_TRUE(record);
        EXPECT_EQ(record->place.record, i);
    }
    EXPECT_FALSE(reader.next(diagnostics));
}

TEST(CaptureReader, UncompressedChunksAndChecksums) {
    mcap_file::Builder file;
    file.chunk(v1 + message(1, 0, 1, "a"), {.compression = ""});
    file.chunk(v1 + message(1, 0, 1, "b"), {.compression = "", .crc = 0});
    file.chunk(v1 + message(1, 0, 1, "c"), {.crc = 0});
    const std::string two = v1 + message(1, 0, 1, "d");
    file.chunk(two, {.stored = mcap_file::zstd(two.substr(0, 20)) + mcap_file::zstd(two.substr(20))});
    const Reading reading = read_capture(file.finish(4));
    EXPECT_EQ(reading.bytes(), "a|b|c|d|");
    EXPECT_EQ(found(reading.diagnostics), "");
}

TEST(CaptureReader, MessagesOutsideOfChunks) {
    mcap_file::Builder file;
    file.add(
        mcap_file::record(3, mcap_file::u16(1) + mcap_file::text("s") + mcap_file::text("e") + mcap_file::text("d")));
    file.add(v1).add(message(1, 3, 7, "a")).add(message(1, 4, 8, ""));
    file.chunk(message(1, 5, 9, "b"));
    file.add(channel(2, "t", "x-hkpd-titles", {{"machine", "M"}, {"name", "n"}, {"language", "00C"}}));
    file.add(message(2, 0, 0, "T"));
    for (const bool seeks : {true, false}) {
        MemoryStream stream(file.finish(4), seeks);
        const Reading reading = read_stream(stream);
        EXPECT_EQ(reading.records,
                  (std::vector{block("a", 7, 3), block("", 8, 4), block("b", 9, 5), titles("T", "M", "n", "00C")}));
        EXPECT_EQ(found(reading.diagnostics), "");
    }
}

TEST(CaptureReader, ForeignChannels) {
    mcap_file::Builder file;
    const std::string others = channel(2, "imu", "cdr") + channel(3, "log", "json");
    for (int i = 0; i < 2; ++i)
        file.chunk(v1 + others + message(2, 0, 1, "no") + message(1, 0, 1, "a") + message(3, 0, 1, "no"));
    const Reading reading = read_capture(file.finish(6));
    EXPECT_EQ(reading.bytes(), "a|a|");
    EXPECT_EQ(found(reading.diagnostics), "warning capture_foreign_channel, warning capture_foreign_channel");
}

TEST(CaptureReader, TheLatestDescriptionOfAChannelApplies) {
    mcap_file::Builder file;
    file.chunk(v1 + message(1, 0, 1, "a") + channel(1, "v1/B", "x-hkpd-v1", {{"machine", "B"}}) +
               message(1, 0, 2, "b") + channel(1, "t", "x-hkpd-titles") + message(1, 0, 3, "c"));
    const Reading reading = read_capture(file.finish());
    EXPECT_EQ(reading.records, (std::vector{block("a", 1), block("b", 2, 0, "B"), titles("c", "", "", "", 3)}));
    EXPECT_EQ(found(reading.diagnostics), "");
}

TEST(CaptureReader, UnknownRecords) {
    mcap_file::Builder file;
    file.add(mcap_file::record(0x80, "an application's")).add(mcap_file::record(0xFF, ""));
    file.chunk(v1 + mcap_file::record(0x90, "x") + message(1, 0, 1, "a"));
    file.add(mcap_file::record(0x10, "reserved"));
    file.add(mcap_file::attachment("file.txt", std::string(200'000, 'x')));
    file.add(mcap_file::record(0x7F, ""));
    file.chunk(v1 + mcap_file::record(0x33, "x") + message(1, 0, 1, "b"));
    for (const bool seeks : {true, false}) {
        MemoryStream stream(file.finish(2), seeks);
        const Reading reading = read_stream(stream);
        EXPECT_EQ(reading.bytes(), "a|b|");
        EXPECT_EQ(found(reading.diagnostics),
                  "warning capture_unknown_record, note capture_unknown_record, warning capture_unknown_record, "
                  "warning capture_unknown_record");
    }
}

TEST(CaptureReader, LaterVersionsMayAppendFields) {
    mcap_file::Builder file;
    file.add(mcap_file::record(0x0C, mcap_file::text("m") + mcap_file::pairs({{"k", "v"}}) + "more"));
    file.chunk(v1 + message(1, 0, 1, "a"));
    file.add(mcap_file::record(0x07, mcap_file::u16(1) + mcap_file::text("") + "more"));
    const Reading reading = read_capture(file.finish(1));
    EXPECT_EQ(reading.bytes(), "a|");
    EXPECT_EQ(reading.metadata.at(0).entries.at("k"), "v");
    EXPECT_EQ(found(reading.diagnostics), "");
}

TEST(CaptureReader, InvalidUtf8) {
    const Reading reading =
        read_capture(mcap_file::Builder()
                         .chunk(channel(1, "v1", "x-hkpd-v1", {{"machine", "a\xFF"}}) + message(1, 0, 1, "a"))
                         .finish());
    ASSERT_EQ(reading.records.size(), 1U);
    EXPECT_EQ(reading.records[0].machine, "a\xEF\xBF\xBD");
}

/// A file of chunks of noise with two samples each, one sample per second, with titles before every 400th sample.
struct Long {
    explicit Long(std::uint32_t count = 800) {
        std::mt19937 random(1);
        for (std::uint32_t sample = 0; sample < count; ++sample)
            for (int i = 0; i < 2; ++i) records.push_back(block(random_bytes(random, 4000), sample * second, sample));
        CaptureOptions options{.time = std::chrono::hours(1)};  // chunks end only by number of samples
        options.samples = 2;
        written = write_capture(options, [&](CaptureWriter& writer) {
            for (std::uint32_t sample = 0; sample < count; ++sample) {
                if (sample % 400 == 0) writer.add_reference(titles("T", "", "t").record());
                writer.add_block(records[2 * sample].record());
                writer.add_block(records[2 * sample + 1].record());
                writer.end_sample();
            }
            writer.finish();
        });
    }
    static constexpr std::uint64_t second = 1'000'000'000;
    std::vector<Kept> records;
    Written written;
};

TEST(CaptureTitlesAlone, ChunksOfSamplesAreNotRead) {
    const Long file;
    MemoryStream stream(file.written.bytes, true);
    const Reading reading = read_stream(stream, Wanted::titles_alone);
    std::size_t tables = 0;
    for (const Kept& kept : reading.records) tables += kept.sequence ? 0U : 1U;
    EXPECT_EQ(tables, 2U);
    EXPECT_EQ(found(reading.diagnostics), "");
    EXPECT_LT(stream.bytes_read(), file.written.bytes.size() / 20);
}

TEST(CaptureTitlesAlone, APipeIsReadFromFrontToBack) {
    const Long file;
    MemoryStream stream(file.written.bytes, false);
    const Reading reading = read_stream(stream, Wanted::titles_alone);
    EXPECT_EQ(reading.records.size(), 1602U);
    EXPECT_EQ(found(reading.diagnostics), "");
}

/// A channel may be described in a chunk that is skipped, and again in the summary (mcap.dev/spec, "Channel").
TEST(CaptureTitlesAlone, ChannelsOfTheSummaryCount) {
    const std::string table = channel(2, "t", "x-hkpd-titles");
    mcap_file::Builder file;
    file.channels += table;
    file.chunk(v1 + table + message(1, 0, 1, "a"));
    file.chunk(message(1, 1, 2, "b"));
    file.chunk(message(2, 0, 3, "T"), {.start = 3, .end = 3}, {2});
    const Reading all = read_capture(file.finish(3));
    EXPECT_EQ(all.bytes(), "a|b|T|");
    const Reading titles = read_capture(file.finish(3), Wanted::titles_alone);
    EXPECT_EQ(titles.bytes(), "T|");
    EXPECT_EQ(found(titles.diagnostics), "");
}

TEST(CaptureTitlesAlone, WhatTheIndexDoesNotCoverIsRead) {
    mcap_file::Builder file;
    file.chunk(v1 + message(1, 0, 1, "a"), {.start = 1, .end = 1});
    file.chunk(v1 + message(1, 1, 1, "b"), {.start = 1, .end = 1}, {});       // no message indexes
    file.chunk(v1 + message(1, 2, 1, "c"), {.start = 1, .end = 1}, {1, 77});  // with a channel that is not described
    file.chunk(v1 + message(1, 3, 1, "d"), {.start = 1, .end = 1});
    file.indexes.pop_back();
    file.add(message(1, 4, 1, "e"));
    file.chunk(v1 + message(1, 5, 9, "f"), {.start = 9, .end = 9});
    const Reading reading = read_capture(file.finish(), Wanted::titles_alone);
    EXPECT_EQ(reading.bytes(), "b|c|d|e|");
    EXPECT_EQ(found(reading.diagnostics), "");
}

/// Checks that a damaged capture gives the same records whether the input can seek, as a file, or not, as a pipe.
TEST(CaptureReader, FilesAndPipesGiveTheSameRecords) {
    std::mt19937 random(7);
    const Long file(40);
    for (int mutant = 0; mutant < 600; ++mutant) {
        std::string bytes = file.written.bytes;
        // Half of the mutants are damaged in the index, which is small.
        const std::size_t from = mutant % 2 == 0 ? mcap_file::magic.size() : file.written.ends[20];
        for (int i = 0; i < 3; ++i)
            bytes[from + random() % (bytes.size() - from)] = static_cast<char>(random() % 2 == 0 ? random() : 0xFF);
        MemoryStream seeking(bytes, true), pipe(bytes, false);
        const Reading one = read_stream(seeking), other = read_stream(pipe);
        ASSERT_EQ(one.records, other.records) << mutant;
        ASSERT_EQ(found(one.diagnostics, true), found(other.diagnostics, true)) << mutant;
    }
}

std::string describe(const CaptureInfo& info) {
    std::ostringstream out;
    out << info.profile << "," << info.library << " " << (info.finished ? "finished " : "unfinished ") << info.chunks
        << " chunks " << info.compressed_bytes << "<" << info.uncompressed_bytes << " messages " << info.messages
        << " from " << info.first_time.value_or(99) << " to " << info.last_time.value_or(99) << " attachments "
        << info.attachments << " bytes " << info.file_bytes;
    for (const CaptureInfo::Channel& entry : info.channels) {
        out << "\n" << entry.id << " " << entry.topic << " " << entry.encoding << " " << entry.messages;
        for (const auto& [key, value] : entry.metadata) out << " " << key << "=" << value;
    }
    for (const CaptureInfo::MetadataRecord& record : info.metadata) {
        out << "\n" << record.name;
        for (const auto& [key, value] : record.entries) out << " " << key << "=" << value;
    }
    return out.str();
}

TEST(CaptureInfo, FromTheSummaryOrByReading) {
    CaptureOptions options{.time = std::chrono::hours(1)};  // chunks end only by number of samples
    options.samples = 8;
    const Written written = write_capture(options, [&](CaptureWriter& writer) {
        writer.add_metadata("hkpd", {{"machine", "PC"}});
        write(writer, some_records(1));
        writer.finish();
    });
    MemoryStream file(written.bytes, true), pipe(written.bytes, false);
    hkpd::Diagnostics diagnostics;
    const CaptureInfo indexed = info_of(file, diagnostics), read = info_of(pipe, diagnostics);
    EXPECT_TRUE(indexed.indexed);
    EXPECT_FALSE(read.indexed);
    EXPECT_EQ(describe(indexed), describe(read));
    EXPECT_TRUE(describe(indexed).starts_with("x-hkpd,hkpd finished 13 chunks ")) << describe(indexed);
    EXPECT_EQ(indexed.messages, some_records(1).size());
    EXPECT_EQ(indexed.channels.size(), 4U);
    EXPECT_EQ(indexed.file_bytes, written.bytes.size());
    EXPECT_LT(file.bytes_read(), written.bytes.size() / 3);
    EXPECT_EQ(found(diagnostics), "");
}

TEST(CaptureInfo, OfAFileWithoutItsEnd) {
    const Written written = write_capture({}, [&](CaptureWriter& writer) {
        writer.add_metadata("hkpd", {});
        writer.add_block(block("a", 7).record());
        writer.end_sample();
        writer.finish();
    });
    MemoryStream file(written.bytes.substr(0, written.ends.at(2)), true);
    hkpd::Diagnostics diagnostics;
    const CaptureInfo info = info_of(file, diagnostics);
    EXPECT_FALSE(info.indexed);
    EXPECT_FALSE(info.finished);
    EXPECT_EQ(info.messages, 1U);
    EXPECT_EQ(info.first_time, 7U);
    EXPECT_EQ(info.metadata.size(), 1U);
    EXPECT_EQ(found(diagnostics), "warning capture_unfinished");
}

TEST(CaptureInfo, OfOtherWriters) {
    mcap_file::Builder file;
    file.add(mcap_file::attachment("a", "b")).chunk(v1 + message(1, 0, 3, "a"));
    std::istringstream stream(file.finish());  // without statistics
    hkpd::Diagnostics diagnostics;
    const CaptureInfo info = info_of(stream, diagnostics);
    EXPECT_FALSE(info.indexed);
    EXPECT_TRUE(info.finished);
    EXPECT_EQ(info.attachments, 1U);
    EXPECT_EQ(info.channels.at(0).messages, 1U);
    EXPECT_EQ(found(diagnostics), "note capture_unknown_record");
}

}  // namespace capture_reader_test
}  // namespace hkpd_test
