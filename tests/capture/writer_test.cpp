// The files written by CaptureWriter, taken apart without the library.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "support/capture_reading.hpp"
#include "support/mcap_builder.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace capture_writer_test {

using hkpd::CaptureOptions;
using hkpd::CaptureWriter;
using Strings = std::map<std::string, std::string>;

const CaptureOptions never{.samples = ~0U, .bytes = ~0ULL, .time = std::chrono::hours(1)};
/// Holds the default options but for the time, which would end chunks early on a busy machine.
const CaptureOptions usual{.time = std::chrono::hours(1)};

/// Returns all records between the magic at both ends.
std::vector<mcap_file::Record> records_of(const std::string& bytes) {
    EXPECT_TRUE(bytes.starts_with(mcap_file::magic));
    EXPECT_TRUE(bytes.ends_with(mcap_file::magic));
    return mcap_file::records(bytes, mcap_file::magic.size());
}

std::string ops(const std::vector<mcap_file::Record>& records) {
    std::string text;
    for (const mcap_file::Record& record : records) text += "0123456789ABCDEF"[record.op & 15U];
    return text;
}

/// Returns the records with an opcode.
std::vector<mcap_file::Record> only(const std::vector<mcap_file::Record>& records, unsigned op) {
    std::vector<mcap_file::Record> found;
    std::ranges::copy_if(records, std::back_inserter(found), [op](const auto& record) { return record.op == op; });
    return found;
}

/// Returns the messages in each chunk: `a b | c`.
std::string chunks_of(const std::string& bytes) {
    std::string text;
    for (const mcap_file::Record& chunk : only(records_of(bytes), 6)) {
        text += text.empty() ? "" : "| ";
        const auto opened = mcap_file::open_chunk(chunk.content);
        for (const mcap_file::Record& message : only(mcap_file::records(opened.records), 5))
            text += std::string(message.content.substr(22)) + " ";
    }
    return text;
}

Written two_machines() {
    return write_capture(never, [](CaptureWriter& writer) {
        writer.add_metadata("hkpd", {{"os", "6.1.7601"}, {"query", "Global"}});
        writer.add_reference(titles("T1", "PC", "Counter", "009", 5).record());
        writer.add_reference(titles("T2", "PC", "Help", "", 6).record());
        writer.add_block(block("a", 1000, 0, "PC").record());
        writer.add_block(block("b", 900, 0, "").record());
        writer.end_sample();
        writer.add_block(block("c", 2000, 0, "PC").record());
        writer.end_sample();
        writer.finish();
    });
}

TEST(CaptureWriter, OrderOfRecords) {
    const Written written = two_machines();
    EXPECT_TRUE(written.good);
    // Header, Metadata, two chunks and their message indexes, Data End; channels, statistics, chunk indexes, metadata
    // index, four summary offsets, Footer.
    EXPECT_EQ(ops(records_of(written.bytes)), "1C677677F4444B88DEEEE2");
    EXPECT_EQ(chunks_of(written.bytes), "T1 T2 | a b c ");
}

TEST(CaptureWriter, HeaderAndMetadata) {
    const Written written = two_machines();
    const auto records = records_of(written.bytes);
    mcap_file::Taker header(records[0].content);
    EXPECT_EQ(header.text(), "x-hkpd");
    EXPECT_EQ(header.text(), "hkpd");
    mcap_file::Taker metadata(records[1].content);
    EXPECT_EQ(metadata.text(), "hkpd");
    EXPECT_EQ(metadata.strings(), (Strings{{"os", "6.1.7601"}, {"query", "Global"}}));
    mcap_file::Taker index(only(records, 0x0D).at(0).content);
    EXPECT_EQ(index.u64(), records[1].offset);
    EXPECT_EQ(index.u64(), records[1].size());
    EXPECT_EQ(index.text(), "hkpd");
}

struct Channel {
    std::string topic, encoding;
    Strings metadata;
    bool operator==(const Channel&) const = default;
};

std::map<std::uint16_t, Channel> channels_of(const std::vector<mcap_file::Record>& records) {
    std::map<std::uint16_t, Channel> channels;
    for (const mcap_file::Record& record : only(records, 4)) {
        mcap_file::Taker in(record.content);
        const std::uint16_t id = in.u16();
        EXPECT_EQ(in.u16(), 0U);  // no schema
        Channel& channel = channels[id];
        channel.topic = in.text();
        channel.encoding = in.text();
        channel.metadata = in.strings();
        EXPECT_TRUE(in.rest.empty());
    }
    return channels;
}

TEST(CaptureWriter, EachChunkDescribesItsChannels) {
    const Written written = two_machines();
    const std::map<std::uint16_t, Channel> all{
        {1, {"titles/PC/Counter", "x-hkpd-titles", {{"machine", "PC"}, {"name", "Counter"}, {"language", "009"}}}},
        {2, {"titles/PC/Help", "x-hkpd-titles", {{"machine", "PC"}, {"name", "Help"}}}},
        {3, {"v1/PC", "x-hkpd-v1", {{"machine", "PC"}}}},
        {4, {"v1", "x-hkpd-v1", {}}}};
    const auto records = records_of(written.bytes);
    const auto end = std::ranges::find(records, 0x0FU, &mcap_file::Record::op);
    EXPECT_EQ(channels_of({end, records.end()}), all);
    const auto chunks = only(records, 6);
    ASSERT_EQ(chunks.size(), 2U);
    const auto first = mcap_file::open_chunk(chunks[0].content), second = mcap_file::open_chunk(chunks[1].content);
    EXPECT_EQ(ops(mcap_file::records(first.records)), "4455");
    EXPECT_EQ(ops(mcap_file::records(second.records)), "44555");
    EXPECT_EQ(channels_of(mcap_file::records(first.records)), (std::map(all.begin(), std::next(all.begin(), 2))));
    EXPECT_EQ(channels_of(mcap_file::records(second.records)), (std::map(std::next(all.begin(), 2), all.end())));
    EXPECT_EQ((std::vector{first.start, first.end, second.start, second.end}),
              (std::vector<std::uint64_t>{5, 6, 900, 2000}));
}

TEST(CaptureWriter, Messages) {
    const Written written = two_machines();
    const auto opened = mcap_file::open_chunk(only(records_of(written.bytes), 6).at(1).content);
    std::string text;
    for (const mcap_file::Record& message : only(mcap_file::records(opened.records), 5)) {
        mcap_file::Taker in(message.content);
        text += std::to_string(in.u16()) + " #";
        text += std::to_string(in.u32()) + " ";
        const std::uint64_t time = in.u64();
        EXPECT_EQ(in.u64(), time);
        text += std::to_string(time) + " " + std::string(in.rest) + "\n";
    }
    EXPECT_EQ(text, "3 #0 1000 a\n4 #0 900 b\n3 #1 2000 c\n");
}

/// Checks a chunk index and the message indexes that it refers to.
void check_index(const std::string& bytes, const mcap_file::Record& index, const mcap_file::Record& chunk) {
    mcap_file::Taker in(index.content);
    const auto opened = mcap_file::open_chunk(chunk.content);
    EXPECT_EQ(in.u64(), opened.start);
    EXPECT_EQ(in.u64(), opened.end);
    EXPECT_EQ(in.u64(), chunk.offset);
    EXPECT_EQ(in.u64(), chunk.size());
    std::uint64_t length = 0;
    for (const auto& [id, offset] : in.numbers()) {
        const auto there = mcap_file::records(std::string_view(bytes).substr(0, bytes.size()), offset).at(0);
        EXPECT_EQ(there.op, 7U);
        length += there.size();
        mcap_file::Taker entries(there.content);
        EXPECT_EQ(entries.u16(), id);
        const std::uint32_t size = entries.u32();
        EXPECT_EQ(size, entries.rest.size());
        while (!entries.rest.empty()) {
            const std::uint64_t time = entries.u64();
            const auto message = mcap_file::records(opened.records, entries.u64()).at(0);
            EXPECT_EQ(message.op, 5U);
            mcap_file::Taker fields(message.content);
            EXPECT_EQ(fields.u16(), id);
            fields.u32();
            EXPECT_EQ(fields.u64(), time);
        }
    }
    EXPECT_EQ(in.u64(), length);
    EXPECT_EQ(in.text(), opened.compression);
    EXPECT_EQ(in.u64(), opened.stored);
    EXPECT_EQ(in.u64(), opened.records.size());
}

TEST(CaptureWriter, Indexes) {
    const Written written = two_machines();
    const auto records = records_of(written.bytes), chunks = only(records, 6), indexes = only(records, 8);
    ASSERT_EQ(indexes.size(), chunks.size());
    for (std::size_t i = 0; i < chunks.size(); ++i) check_index(written.bytes, indexes[i], chunks[i]);
    std::set<unsigned> grouped;
    for (const mcap_file::Record& offset : only(records, 0x0E)) {
        mcap_file::Taker in(offset.content);
        const unsigned op = static_cast<std::uint8_t>(in.take(1)[0]);
        grouped.insert(op);
        const std::uint64_t start = in.u64(), length = in.u64();
        for (const mcap_file::Record& record : mcap_file::records(written.bytes.substr(0, start + length), start))
            EXPECT_EQ(record.op, op);
    }
    EXPECT_EQ(grouped, (std::set<unsigned>{4, 8, 0x0B, 0x0D}));
}

TEST(CaptureWriter, StatisticsAndChecksums) {
    const Written written = two_machines();
    const auto records = records_of(written.bytes);
    mcap_file::Taker in(only(records, 0x0B).at(0).content);
    EXPECT_EQ(in.u64(), 5U);  // messages
    EXPECT_EQ(in.u16(), 0U);
    EXPECT_EQ(in.u32(), 4U);  // channels
    EXPECT_EQ(in.u32(), 0U);
    EXPECT_EQ(in.u32(), 1U);  // metadata
    EXPECT_EQ(in.u32(), 2U);  // chunks
    EXPECT_EQ(in.u64(), 5U);
    EXPECT_EQ(in.u64(), 2000U);
    EXPECT_EQ(in.numbers(), (std::map<std::uint16_t, std::uint64_t>{{1, 1}, {2, 1}, {3, 2}, {4, 1}}));

    const auto data_end = only(records, 0x0F).at(0), last = records.back();
    EXPECT_EQ(mcap_file::Taker(data_end.content).u32(),
              mcap_file::crc32(std::string_view(written.bytes).substr(0, data_end.offset)));
    mcap_file::Taker footer(last.content);
    const std::uint64_t start = footer.u64();
    EXPECT_EQ(start, data_end.offset + data_end.size());
    EXPECT_EQ(footer.u64(), only(records, 0x0E).at(0).offset);
    EXPECT_EQ(footer.u32(),
              mcap_file::crc32(std::string_view(written.bytes).substr(start, last.offset + 9 + 16 - start)));
}

std::string after_samples(const CaptureOptions& options, int samples, int blocks = 1) {
    return chunks_of(write_capture(options, [&](CaptureWriter& writer) {
                         for (int i = 0; i < samples * blocks; ++i) {
                             writer.add_block(block(std::to_string(i), 1).record());
                             if ((i + 1) % blocks == 0) writer.end_sample();
                         }
                         writer.finish();
                     }).bytes);
}

TEST(CaptureWriter, ChunksEndWithASample) {
    CaptureOptions options = never;
    EXPECT_EQ(after_samples(options, 7), "0 1 2 3 4 5 6 ");
    options.samples = 3;
    EXPECT_EQ(after_samples(options, 7), "0 1 2 | 3 4 5 | 6 ");
    EXPECT_EQ(after_samples(options, 4, 2), "0 1 2 3 4 5 | 6 7 ");
    options = never;
    options.bytes = 40;  // a message has 31 bytes of framing and 1 of content
    EXPECT_EQ(after_samples(options, 5), "0 1 | 2 3 | 4 ");
    EXPECT_EQ(after_samples(options, 2, 3), "0 1 2 | 3 4 5 ");
    options = never;
    options.time = std::chrono::milliseconds(0);
    EXPECT_EQ(after_samples(options, 3), "0 | 1 | 2 ");
    EXPECT_EQ(after_samples(never, 0), "");
}

/// Returns the number of messages in each chunk of one channel by its message index: nothing is decompressed.
std::vector<std::size_t> counts_of_chunks(const std::string& bytes) {
    std::vector<std::size_t> counts;
    for (const mcap_file::Record& index : only(records_of(bytes), 7)) {
        mcap_file::Taker in(index.content);
        in.u16();
        counts.push_back(in.u32() / 16);
    }
    return counts;
}

TEST(CaptureWriter, ChunksEndInsideAHugeSample) {
    const std::string large(22 << 20, 'x');
    const Written written = write_capture(never, [&](CaptureWriter& writer) {
        for (int i = 0; i < 3; ++i) writer.add_block(block(large, 1).record());
        writer.end_sample();
        writer.add_block(block("next", 2).record());
        writer.finish();
    });
    EXPECT_EQ(counts_of_chunks(written.bytes), (std::vector<std::size_t>{2, 2}));
    const Reading reading = read_capture(written.bytes, Wanted::all, {.expansion = 1ULL << 30});
    EXPECT_EQ(found(reading.diagnostics), "");
    ASSERT_EQ(reading.records.size(), 4U);
    EXPECT_TRUE(std::ranges::all_of(std::span(reading.records).first(3),
                                    [&](const Kept& kept) { return kept.sequence == 0U && kept.bytes == large; }));
    EXPECT_EQ(reading.records[3].sequence, 1U);
}

/// Returns the number of messages in each chunk for `samples` samples of `blocks` blocks.
std::vector<std::size_t> messages_of_chunks(const CaptureOptions& options, int samples, int blocks,
                                            const std::string& bytes) {
    const Written written = write_capture(options, [&](CaptureWriter& writer) {
        for (int s = 0; s < samples; ++s) {
            for (int i = 0; i < blocks; ++i) writer.add_block(block(bytes, 1).record());
            writer.end_sample();
        }
        writer.finish();
    });
    return counts_of_chunks(written.bytes);
}

TEST(CaptureWriter, TwoLargeSamplesShareAChunk) {
    using Counts = std::vector<std::size_t>;
    const std::string nine(9 << 20, 'x'), twenty(20 << 20, 'x');
    EXPECT_EQ(messages_of_chunks(usual, 5, 1, nine), (Counts{2, 2, 1}));
    EXPECT_EQ(messages_of_chunks(usual, 3, 1, nine.substr(0, 5 << 20)), (Counts{2, 1}));
    EXPECT_EQ(messages_of_chunks({.samples = 1, .time = std::chrono::hours(1)}, 3, 1, nine), (Counts{1, 1, 1}));
    EXPECT_EQ(messages_of_chunks({.time = std::chrono::milliseconds(0)}, 3, 1, nine), (Counts{1, 1, 1}));
    // Each of the two may have 64 MiB: the second sample of four blocks continues in another chunk.
    EXPECT_EQ(messages_of_chunks(usual, 3, 3, twenty), (Counts{6, 3}));
    EXPECT_EQ(messages_of_chunks(usual, 2, 4, twenty), (Counts{3, 4, 1}));
    EXPECT_EQ(messages_of_chunks(never, 8, 1, twenty), (Counts{6, 2}));
}

TEST(CaptureWriter, LargeSamplesInOneChunkCompressWell) {
    std::mt19937_64 random(1);
    std::string sample(20 << 20, '\0');
    for (std::size_t i = 0; i < sample.size(); i += 8) sample.replace(i, 8, mcap_file::u64(random()));
    const Written written = write_capture(usual, [&](CaptureWriter& writer) {
        for (int i = 0; i < 2; ++i) {
            writer.add_block(block(sample, 1).record());
            writer.end_sample();
            for (std::size_t at = 0; at < sample.size(); at += 1000) ++sample[at];
        }
        writer.finish();
    });
    const auto chunks = only(records_of(written.bytes), 6);
    ASSERT_EQ(chunks.size(), 1U);
    const mcap_file::OpenedChunk opened = mcap_file::open_chunk(chunks[0].content);
    EXPECT_LT(opened.stored, sample.size() + sample.size() / 50);
    // For readers that decompress a frame as a whole, and for those whose window is at most 128 MiB (RFC 8878,
    // 3.1.1.1.1.2): a single segment that states its size.
    const std::string_view content = chunks[0].content;
    const std::size_t frame = content.size() - opened.stored;
    EXPECT_EQ(content.substr(frame, 4), "\x28\xB5\x2F\xFD");
    EXPECT_NE(static_cast<unsigned char>(content[frame + 4]) & 0x20U, 0U);
    EXPECT_LE(opened.records.size(), 128U << 20U);
}

/// Checks that large samples with repetitions of every kind are read back unchanged.
TEST(CaptureWriter, LargeSamplesAreReadBack) {
    std::mt19937_64 random(3);
    std::string sample(5 << 20, '\0');
    for (std::size_t i = 0; i < sample.size(); i += 32) sample.replace(i, 8, mcap_file::u64(random()));
    std::vector<std::string> samples{sample};
    const auto add_changed = [&](auto change) {
        change(sample);
        for (int i = 0; i < 50'000; ++i) ++sample[random() % sample.size()];
        samples.push_back(sample);
    };
    add_changed([](std::string&) {});
    add_changed([](std::string& bytes) { bytes.insert(2 << 20, 136, 'i'); });
    add_changed([](std::string& bytes) { bytes.erase(3 << 20, 1000).insert(1 << 20, 5001, '\0'); });
    add_changed([](std::string& bytes) { bytes.resize(bytes.size() - 12345); });
    add_changed([&](std::string& bytes) { std::ranges::generate(bytes, std::ref(random)); });
    add_changed([](std::string& bytes) { bytes.append(1 << 20, '\0'); });
    add_changed([](std::string& bytes) { bytes.assign(7 << 20, 'x'); });
    samples.emplace_back("small");
    samples.push_back(sample);
    const Written written = write_capture(never, [&](CaptureWriter& writer) {
        for (const std::string& bytes : samples) {
            writer.add_block(block(bytes, 1).record());
            writer.end_sample();
        }
        writer.finish();
    });
    EXPECT_EQ(only(records_of(written.bytes), 6).size(), 1U);
    std::string all;
    for (const std::string& bytes : samples) all += bytes + "|";
    const Reading reading = read_capture(written.bytes);
    EXPECT_EQ(found(reading.diagnostics), "");
    EXPECT_TRUE(reading.bytes() == all);
}

TEST(CaptureWriter, TitlesHaveTheirOwnChunks) {
    const Written written = write_capture(never, [](CaptureWriter& writer) {
        writer.add_block(block("a", 1).record());
        writer.end_sample();
        writer.add_reference(titles("T", "", "t").record());
        writer.add_reference(titles("U", "", "u").record());
        writer.add_block(block("b", 2).record());
        writer.add_reference(titles("V", "", "t").record());
        writer.end_sample();
        writer.add_reference(titles("W", "", "t").record());
        writer.finish();
    });
    EXPECT_EQ(chunks_of(written.bytes), "a | T U | b | V | W ");
}

TEST(CaptureWriter, IncompressibleDataIsStored) {
    std::mt19937 random(1);
    const std::string noise = random_bytes(random, 4 << 20);
    const Written written = write_capture(never, [&](CaptureWriter& writer) {
        writer.add_block(block(noise, 1).record());
        writer.end_sample();
        writer.add_reference(titles(std::string(1000, 'x'), "", "").record());
        writer.finish();
    });
    const auto chunks = only(records_of(written.bytes), 6);
    ASSERT_EQ(chunks.size(), 2U);
    EXPECT_EQ(mcap_file::open_chunk(chunks[0].content).compression, "");
    EXPECT_EQ(mcap_file::open_chunk(chunks[1].content).compression, "zstd");
    const Reading reading = read_capture(written.bytes);
    EXPECT_EQ(found(reading.diagnostics), "");
    EXPECT_TRUE(reading.bytes() == noise + "|" + std::string(1000, 'x') + "|");
}

TEST(CaptureWriter, OneWriteForEachChunk) {
    CaptureOptions options = never;
    options.samples = 1;
    const Written written = write_capture(options, [](CaptureWriter& writer) {
        for (const char* const bytes : {"a", "b", "c"}) {
            writer.add_block(block(bytes, 1).record());
            writer.end_sample();
        }
    });
    ASSERT_EQ(written.ends.size(), 4U);
    const std::string all[] = {"", "a|", "a|b|", "a|b|c|"};
    for (std::size_t i = 0; i < written.ends.size(); ++i) {
        const Reading reading = read_capture(written.bytes.substr(0, written.ends[i]));
        EXPECT_EQ(reading.bytes(), all[i]);
        EXPECT_EQ(found(reading.diagnostics), "warning capture_unfinished");
    }
}

TEST(CaptureWriter, NothingIsWrittenAfterAFailure) {
    for (int allowed = 0; allowed < 5; ++allowed) {
        int calls = 0;
        CaptureOptions options = never;
        options.samples = 1;
        CaptureWriter writer([&](auto) { return calls++ < allowed; }, options);
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(writer.good(), i < allowed);
            writer.add_block(block("a", 1).record());
            writer.end_sample();
        }
        writer.add_metadata("m", {});
        writer.finish();
        writer.finish();
        EXPECT_FALSE(writer.good());
        EXPECT_EQ(calls, allowed + 1);
    }
}

TEST(CaptureWriter, NothingIsWrittenAfterTheEnd) {
    const Written written = write_capture(never, [](CaptureWriter& writer) {
        writer.finish();
        writer.add_block(block("a", 1).record());
        writer.end_sample();
        writer.add_metadata("m", {});
        writer.add_reference(titles("T", "", "").record());
        writer.finish();
    });
    EXPECT_TRUE(written.good);
    EXPECT_EQ(ops(records_of(written.bytes)), "1FBE2");
}

TEST(CaptureWriter, AsManyChannelsAsTheFormatAllows) {
    hkpd::CaptureOptions options = never;
    bool good_before = false;
    const Written written = write_capture(options, [&](CaptureWriter& writer) {
        for (int i = 0; i < 65535; ++i) writer.add_block(block("", 1, 0, std::to_string(i)).record());
        writer.add_block(block("", 1, 0, "7").record());
        good_before = writer.good();
        writer.add_block(block("", 1, 0, "one more").record());
    });
    EXPECT_TRUE(good_before);
    EXPECT_FALSE(written.good);
}

class WindowsCaptureSize : public WindowsData {
  protected:
    /// Returns the samples of a real machine, eight blobs each: `s00-obj2.bin` and so on.
    std::map<std::string, std::vector<std::string>> samples() const {
        std::map<std::string, std::vector<std::string>> all;
        for (const auto& entry : std::filesystem::directory_iterator(folder_ / "data/v1/vista-2007"))
            all[entry.path().filename().string().substr(0, 3)].push_back(read_file(entry.path()));
        return all;
    }
};

TEST_F(WindowsCaptureSize, SamplesInOneChunkCompressWell) {
    const auto all = samples();
    ASSERT_EQ(all.size(), 11U);
    std::size_t raw = 0;
    const auto size = [&](std::size_t count) {
        const Written written = write_capture(never, [&](CaptureWriter& writer) {
            raw = 0;
            for (auto sample = all.begin(); sample != std::next(all.begin(), static_cast<std::ptrdiff_t>(count));
                 ++sample) {
                for (const std::string& bytes : sample->second) writer.add_block(block(bytes, 1).record());
                if (sample != all.begin())
                    for (const std::string& bytes : sample->second) raw += bytes.size();
                writer.end_sample();
            }
            writer.finish();
        });
        return mcap_file::open_chunk(only(records_of(written.bytes), 6).at(0).content).stored;
    };
    const std::size_t one = size(1), eleven = size(11);
    EXPECT_LT((eleven - one) * 100, raw * 10) << (eleven - one) << " of " << raw;
}

}  // namespace capture_writer_test
}  // namespace hkpd_test
