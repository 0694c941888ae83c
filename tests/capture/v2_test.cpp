// V2 records in captures: written, read, skipped, recorded.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "hkpd/capture.hpp"
#include "support/mcap_builder.hpp"
#include "support/record_source.hpp"

namespace hkpd_test {
namespace capture_v2_test {

using hkpd::CaptureOptions;
using hkpd::CaptureWriter;
using Kind = hkpd::Record::Kind;
using mcap_file::message;

const CaptureOptions never{.samples = ~0U, .bytes = ~0ULL, .time = std::chrono::hours(1)};
constexpr const char* guid_text = "{11223344-5566-7788-0102-030405060708}";

Kept named(Kept kept, std::string machine, std::uint64_t time = 0, std::optional<std::uint32_t> sequence = {}) {
    kept.machine = std::move(machine);
    if (time != 0) kept.time = time;
    kept.sequence = sequence;
    return kept;
}

bool is_reference(const Kept& kept) { return kept.kind == Kind::titles || kept.kind == Kind::v2_registration; }

/// Writes the records and ends a sample after each block.
Written write_all(const CaptureOptions& options, const std::vector<Kept>& records) {
    return write_capture(options, [&](CaptureWriter& writer) {
        for (const Kept& kept : records) {
            is_reference(kept) ? writer.add_reference(kept.record()) : writer.add_block(kept.record());
            if (kept.kind == Kind::v1_block || kept.kind == Kind::v2_block) writer.end_sample();
        }
        writer.finish();
    });
}

std::vector<Kept> of_all_kinds() {
    Kept with_index = named(v2_registration(1, waves_struct()), "PC", 5);
    with_index.title_index = 4102;
    Kept other = v2_registration(1, "x");
    other.counterset = v2_blob::guid(7);
    other.title_index = 0;
    return {titles("T", "PC", "Counter", "009", 5),
            with_index,
            named(v2_registration(3, "n", {}, "009"), "PC"),
            named(v2_registration(3, "N", {}, "007"), "PC"),
            other,
            named(v1_block(1, 10), "PC", 1000, 0),
            named(v2_query(), "PC", 1001, 1),
            named(v2_block(1, 20), "PC", 1001, 1),
            named(v2_query(), "", 1002, 2),
            named(v2_block(2, 30), "", 1002, 2),
            named(v2_block(3, 30), "PC", 1003, 3),
            named(v2_registration(7, "late"), "PC"),
            named(v1_block(4, 11), "PC", 1004, 4)};
}

TEST(CaptureV2, AllKindsAreReadBack) {
    const std::vector<Kept> records = of_all_kinds();
    for (const std::uint32_t samples : {1U, 2U, 64U}) {
        CaptureOptions options = never;
        options.samples = samples;
        const Written written = write_all(options, records);
        EXPECT_TRUE(written.good);
        const Reading reading = read_capture(written.bytes);
        EXPECT_EQ(reading.records, records);
        EXPECT_EQ(found(reading.diagnostics), "");
    }
}

TEST(CaptureV2, ChannelsAndChunks) {
    std::istringstream stream(write_all(never, of_all_kinds()).bytes);
    hkpd::Diagnostics diagnostics;
    const hkpd::CaptureInfo info = info_of(stream, diagnostics);
    EXPECT_TRUE(info.indexed);
    EXPECT_EQ(info.chunks, 4U);  // references, samples, the late one, samples
    EXPECT_EQ(info.messages, 13U);
    std::string text;
    for (const hkpd::CaptureInfo::Channel& channel : info.channels) {
        text += std::to_string(channel.messages) + " " + channel.encoding + " " + channel.topic;
        for (const auto& [key, value] : channel.metadata) text.append(" ").append(key).append("=").append(value);
        text += "\n";
    }
    const std::string guid = guid_text, registration = " x-hkpd-v2-registration v2-registration/PC/" + guid;
    const std::string set = " counterset=" + guid, machine = " machine=PC";
    EXPECT_EQ(text,
              "1 x-hkpd-titles titles/PC/Counter language=009 machine=PC name=Counter\n"
              "1" +
                  registration + "/1" + set + machine +
                  " request=1 title_index=4102\n"
                  "1" +
                  registration + "/3/009" + set + " language=009" + machine +
                  " request=3\n"
                  "1" +
                  registration + "/3/007" + set + " language=007" + machine +
                  " request=3\n"
                  "1 x-hkpd-v2-registration v2-registration/{00000007-0000-0000-0000-000000000000}/1"
                  " counterset={00000007-0000-0000-0000-000000000000} request=1 title_index=0\n"
                  "2 x-hkpd-v1 v1/PC machine=PC\n"
                  "1 x-hkpd-v2-query v2-query/PC machine=PC\n"
                  "2 x-hkpd-v2 v2/PC machine=PC\n"
                  "1 x-hkpd-v2-query v2-query\n"
                  "1 x-hkpd-v2 v2\n"
                  "1" +
                  registration + "/7" + set + machine + " request=7\n");
}

TEST(CaptureV2, IncompleteRegistrationsAreForeign) {
    const mcap_file::Pairs no_guid{{"request", "1"}}, no_request{{"counterset", guid_text}},
        bad_guid{{"counterset", "{11223344}"}, {"request", "1"}},
        bad_request{{"counterset", guid_text}, {"request", "1x"}},
        odd_index{{"counterset", guid_text}, {"request", "4000000000"}, {"title_index", "-1"}};
    for (const mcap_file::Pairs& metadata : {no_guid, no_request, bad_guid, bad_request}) {
        mcap_file::Builder file;
        const std::string channel = mcap_file::channel(2, "r", "x-hkpd-v2-registration", metadata);
        file.chunk(channel + message(2, 0, 1, "r") + channel + message(2, 0, 1, "r"), {}, {2});
        file.chunk(mcap_file::channel(1, "v1", "x-hkpd-v1") + message(1, 0, 1, "a"));
        const Reading reading = read_capture(file.finish());
        EXPECT_EQ(reading.bytes(), "a|");
        EXPECT_EQ(found(reading.diagnostics), "error capture_foreign_channel");
        ASSERT_FALSE(reading.diagnostics.kept().empty());
        EXPECT_EQ(reading.diagnostics.kept()[0].error.field, "metadata");
    }
    mcap_file::Builder file;
    file.chunk(mcap_file::channel(2, "r", "x-hkpd-v2-registration", odd_index) + message(2, 0, 1, "r"), {}, {2});
    const Reading reading = read_capture(file.finish());
    ASSERT_EQ(reading.records.size(), 1U);
    EXPECT_EQ(reading.records[0].request, 4'000'000'000U);
    EXPECT_EQ(reading.records[0].counterset, waves);
    EXPECT_EQ(reading.records[0].title_index, std::nullopt);
}

/// A run with V1 and V2 samples, a chunk for every four samples, registrations at the start and in the middle.
struct Mixed {
    static constexpr std::uint64_t second = 1'000'000'000;
    static constexpr std::uint32_t count = 800;  // samples

    explicit Mixed(std::size_t noise = 3000) {
        CaptureOptions options = never;
        options.samples = 4;
        std::mt19937 random(1);
        for (std::uint32_t sample = 0; sample < count; ++sample) {
            if (sample % 400 == 0) records.push_back(v2_registration(1 + sample, "r", "PC"));
            const std::uint64_t time = (sample / 2 + 1) * second;
            if (sample % 2 == 0) {
                records.push_back(block(random_bytes(random, noise), time, sample, "PC"));
                continue;
            }
            records.push_back(named(v2_query(), "PC", time, sample));
            records.push_back({Kind::v2_block, random_bytes(random, noise), "PC", {}, {}, time, sample});
        }
        written = write_all(options, records);
    }
    std::vector<Kept> records;
    Written written;
};

TEST(CaptureV2, RegistrationsAreReadWithoutTheSamples) {
    const Mixed file;
    MemoryStream stream(file.written.bytes, true);
    const Reading reading = read_stream(stream, Wanted::titles_alone);
    EXPECT_LT(stream.bytes_read(), file.written.bytes.size() / 20);
    EXPECT_EQ(std::ranges::count(reading.records, Kind::v2_registration, &Kept::kind), 2);
    EXPECT_LT(reading.records.size(), 20U);
}

TEST(CaptureV2, Truncated) {
    const Mixed file(100);
    std::mt19937 random(2);
    for (int i = 0; i < 200; ++i) {
        const std::size_t size = mcap_file::magic.size() + random() % (file.written.bytes.size() - 8);
        const Reading reading = read_capture(file.written.bytes.substr(0, size));
        ASSERT_LE(reading.records.size(), file.records.size());
        ASSERT_TRUE(std::ranges::equal(reading.records, std::span(file.records).first(reading.records.size()))) << size;
        const std::string reported = found(reading.diagnostics);
        ASSERT_TRUE(reported == "error capture_torn" || reported == "warning capture_unfinished")
            << size << " " << reported;
    }
}

TEST(CaptureV2, ADamagedChunkLosesOnlyItself) {
    const Mixed file(100);
    std::string bytes = file.written.bytes;
    // The chunk of samples after that of the first registration: samples 0 to 3 are lost.
    bytes[file.written.ends[2] - 200] ^= 1;
    const Reading reading = read_capture(bytes);
    EXPECT_TRUE(found(reading.diagnostics).starts_with("error chunk_")) << found(reading.diagnostics);
    EXPECT_EQ(file.records.size() - reading.records.size(), 6U);
    EXPECT_EQ(reading.records.at(0), file.records[0]);
    EXPECT_EQ(reading.records.at(1).sequence, 4U);
}

struct Recorded {
    Reading reading;
    hkpd::Diagnostics diagnostics;
    std::uint64_t samples = 0, blocks = 0;
};

void record(const std::vector<Kept>& records, Recorded& recorded, std::optional<std::uint64_t> cost = {}) {
    const Written written = write_capture(never, [&](CaptureWriter& writer) {
        hkpd::Recorder recorder(writer);
        recorder.set_provenance({{"tool", "test"}});
        recorder.add_titles({"counter.txt", "2\nSystem\n", "009"});
        for (const Kept& kept : records) {
            hkpd::Record record = kept.record();
            record.cost = cost;
            recorder.add(record, recorded.diagnostics);
        }
        recorder.finish();
        recorded.samples = recorder.samples();
        recorded.blocks = recorder.blocks();
        writer.finish();
    });
    recorded.reading = read_capture(written.bytes);
    EXPECT_EQ(found(recorded.reading.diagnostics), "");
}

/// Returns the kinds, machines and sequences of the records: `titles/DEMO v1/DEMO#0 ...`.
std::string outline(const Reading& reading) {
    constexpr std::array kinds{"v1", "titles", "provenance", "v2", "query", "registration"};
    std::string text;
    for (const Kept& kept : reading.records) {
        text.append(text.empty() ? "" : " ").append(kinds.at(static_cast<std::size_t>(kept.kind)));
        if (!kept.machine.empty()) text.append("/").append(kept.machine);
        if (kept.sequence) text.append("#").append(std::to_string(*kept.sequence));
    }
    return text;
}

TEST(RecorderV2, EachV2BlockIsASample) {
    Recorded recorded;
    // Two V1 blocks of the same time are one sample, unless a V2 block is between them.
    record({v2_registration(1, waves_struct(), "DEMO"), v1_block(1, 5, 2), v1_block(1, 6, 4), v2_query("DEMO"),
            v2_block(1, 7, "DEMO"), v1_block(1, 8, 6), v1_block(2, 9), v2_query("DEMO"), v2_block(2, 10, "DEMO")},
           recorded);
    EXPECT_EQ(outline(recorded.reading),
              "registration/DEMO titles/DEMO v1/DEMO#0 v1/DEMO#0 query/DEMO#1 v2/DEMO#1 v1/DEMO#2 v1/DEMO#3 "
              "query/DEMO#4 v2/DEMO#4");
    EXPECT_EQ(recorded.samples, 5U);
    EXPECT_EQ(recorded.blocks, 6U);
    EXPECT_EQ(found(recorded.diagnostics), "");
    EXPECT_EQ(recorded.reading.records[5].bytes, v2_block(1, 7).bytes);
    EXPECT_EQ(recorded.reading.records[4].bytes, v2_query().bytes);
    constexpr std::uint64_t second = 1'600'000'000'000'000'000 - 39'000'000'000;  // 2020-09-13 12:26:01
    EXPECT_EQ(recorded.reading.records[5].time, second + 123'000'000);
    EXPECT_EQ(recorded.reading.records[4].time, recorded.reading.records[5].time);
}

TEST(RecorderV2, FirstRecordsOfAMachine) {
    Recorded recorded;
    record({v2_block(1, 7, "A"), v2_block(1, 7), v2_block(2, 7, "A")}, recorded);
    EXPECT_EQ(outline(recorded.reading), "titles/A v2/A#0 titles v2#1 v2/A#2");
    ASSERT_EQ(recorded.reading.metadata.size(), 2U);
    EXPECT_EQ(recorded.reading.metadata[0].entries.at("machine"), "A");
    EXPECT_EQ(recorded.reading.metadata[1].entries.at("machine"), "");
}

TEST(RecorderV2, BlocksAreWrittenWithTheirQuery) {
    Recorded recorded;
    const Kept other = v2_query("A", v2_blob::guid(9)), none{Kind::v2_identifiers, "", "A"};
    record({v2_query("A"), v2_query("B"), v2_block(1, 1, "A"), v2_block(2, 2, "A"), v2_block(2, 2, "B"),
            v2_block(2, 2, "C"), other, v2_block(3, 3, "A"), none, v2_block(4, 4, "A")},
           recorded);
    EXPECT_EQ(outline(recorded.reading),
              "titles/A query/A#0 v2/A#0 query/A#1 v2/A#1 titles/B query/B#2 v2/B#2 titles/C v2/C#3 query/A#4 v2/A#4 "
              "v2/A#5");
    EXPECT_EQ(recorded.reading.records[3].bytes, v2_query().bytes);
    EXPECT_EQ(recorded.reading.records[10].bytes, other.bytes);
}

TEST(RecorderV2, InvalidBlocksAreNotRecorded) {
    Recorded recorded;
    Kept cut = v2_block(1, 1, "A");
    cut.bytes.resize(40);
    record({cut, v2_block(2, 1, "A")}, recorded);
    EXPECT_EQ(outline(recorded.reading), "titles/A v2/A#0");
    EXPECT_EQ(found(recorded.diagnostics), "error truncated_header");
}

TEST(RecorderV2, TimeOfABlockWithoutADate) {
    v2_blob::Block moment = v2_moment(1, 1);
    moment.system_time.month = 13;
    Recorded recorded;
    record({{Kind::v2_block, to_text(v2_blob::build(moment)), "A"}}, recorded);
    ASSERT_EQ(recorded.reading.records.size(), 2U);
    EXPECT_EQ(recorded.reading.records[1].time, 1'600'000'000'123'000'000U);
}

TEST(RecorderV2, RecordsWithoutATimeTakeThatOfTheBlocks) {
    Recorded recorded, none;
    record({v2_registration(1, "a", "A"), v2_registration(3, "b", "A"), v2_block(1, 1, "A"),
            v2_registration(4, "c", "A"), v2_block(2, 1, "A"), named(v2_registration(5, "d"), "A", 7)},
           recorded);
    EXPECT_EQ(outline(recorded.reading),
              "registration/A registration/A titles/A v2/A#0 registration/A v2/A#1 registration/A");
    const auto& records = recorded.reading.records;
    EXPECT_EQ(recorded.reading.bytes().substr(0, 4), "a|b|");
    for (const std::size_t i : {0U, 1U, 4U}) EXPECT_EQ(records[i].time, records[3].time);
    EXPECT_EQ(records[6].time, 7U);
    record({v2_registration(1, "a", "A"), titles("t", "A", "n", "009")}, none);
    EXPECT_EQ(outline(none.reading), "registration/A titles/A");
    EXPECT_EQ(none.reading.records[1].name, "n");
    EXPECT_EQ(none.reading.records[1].language, "009");
}

TEST(RecorderV2, CostsOfRecords) {
    Recorded recorded;
    record({v1_block(1, 5, 2), v1_block(1, 6, 4), v2_query("DEMO"), v2_block(1, 7, "DEMO"), v1_block(2, 8, 2),
            v2_block(1, 7, "B")},
           recorded, 1000);
    const auto& metadata = recorded.reading.metadata;
    ASSERT_EQ(metadata.size(), 4U);
    EXPECT_EQ(metadata[2].name, "collection");
    EXPECT_EQ(metadata[2].entries.at("machine"), "B");
    EXPECT_EQ(metadata[2].entries.size(), 4U);
    EXPECT_EQ(metadata[3].name, "collection");
    const std::string v1_bytes = std::to_string(3 * v1_block(1, 5).bytes.size());
    const std::string v2_bytes = std::to_string(v2_block(1, 5).bytes.size());
    EXPECT_EQ(metadata[3].entries, (CaptureWriter::Metadata{{"machine", "DEMO"},
                                                            {"v1_samples", "2"},
                                                            {"v1_bytes", v1_bytes},
                                                            {"v1_nanoseconds", "3000"},
                                                            {"v2_samples", "1"},
                                                            {"v2_bytes", v2_bytes},
                                                            {"v2_nanoseconds", "1000"}}));
}

}  // namespace capture_v2_test
}  // namespace hkpd_test
