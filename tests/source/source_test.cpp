// Files and directories, and the records in them.
#include "hkpd/source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/blob_builder.hpp"
#include "support/blob_quirks.hpp"
#include "support/places.hpp"
#include "support/process.hpp"
#include "support/processor_time.hpp"
#include "support/sample_reading.hpp"
#include "support/temp_folder.hpp"
#include "v1/block_stream.hpp"

namespace hkpd_test {
namespace source_test {

using hkpd::Diagnostic;
using hkpd::Severity;
namespace data_block = blob::data_block;

/// Returns a block of one object at a time of its own.
blob::Block moment(std::int64_t time, std::uint32_t title = 2) {
    return {.objects = {{.title = title,
                         .kind = blob::Kind::multi,
                         .counters = {{.title = 10}},
                         .instances = {{.name = u"a", .values = {time}}, {.name = u"b", .values = {time + 1}}}}},
            .perf_time = time};
}

blob::Blob plain(std::int64_t time, std::uint32_t title = 2) { return blob::build(moment(time, title)); }

std::unique_ptr<Samples> read_files(std::vector<std::string> paths, const hkpd::Limits& limits = {}) {
    auto samples = std::make_unique<Samples>();
    const auto source = hkpd::open_files(std::move(paths), limits);
    read_all(*source, nullptr, limits, *samples);
    return samples;
}

/// Returns PerfTime and the first value of each sample: `1=1,2=2`.
std::string times(const Samples& samples) {
    std::string text;
    for (const hkpd::Sample& sample : samples.all) {
        text.append(text.empty() ? "" : ",").append(std::to_string(sample.perf.time)).append("=");
        for (const hkpd::Object& object : sample.objects())
            text += column_text(object, 0).substr(0, column_text(object, 0).find(' '));
    }
    return text;
}

class Source : public testing::Test {
  protected:
    std::unique_ptr<Samples> read(std::string_view content, const hkpd::Limits& limits = {}) const {
        return read_files({folder_.write("input.bin", content)}, limits);
    }
    TempFolder folder_;
};

TEST_F(Source, ConcatenatedBlobs) {
    std::string content;
    for (std::int64_t i = 1; i <= 100; ++i) content += to_text(plain(i));
    const auto samples = read(content);
    EXPECT_EQ(faults(samples->diagnostics), "");
    ASSERT_EQ(samples->all.size(), 100U);
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(samples->all[i].perf.time, static_cast<std::int64_t>(i + 1));
        EXPECT_EQ(column_text(samples->object(i, 0), 0), std::to_string(i + 1) + " " + std::to_string(i + 2));
    }
}

TEST_F(Source, ProducersWithQuirksBetweenOthers) {
    blob::Block big = moment(4);
    big.endian = blob::Endian::big;
    const blob::Blob blobs[] = {blob::samba_like(moment(1)), blob::wine_like(moment(2)), plain(3), blob::build(big)};
    for (std::size_t first = 0; first < 4; ++first) {
        for (std::size_t second = 0; second < 4; ++second) {
            const std::string content = to_text(blobs[first]) + to_text(blobs[second]) + to_text(plain(9));
            const auto samples = read(content);
            const std::string a = std::to_string(first + 1), b = std::to_string(second + 1);
            EXPECT_EQ(times(*samples), a + "=" + a + "," + b + "=" + b + ",9=9");
            EXPECT_EQ(samples->diagnostics.count(Severity::error), 0U) << faults(samples->diagnostics);
            EXPECT_EQ(faults(samples->diagnostics).find("leftover_bytes"), std::string::npos) << first << second;
        }
    }
}

TEST_F(Source, GarbageBetweenBlobs) {
    for (const std::size_t length : {1U, 7U, 8U, 87U, 88U, 200U, 70'000U, 300'000U}) {
        const std::string garbage(length, 'x'), first = to_text(plain(1));
        const auto samples = read(first + garbage + to_text(plain(2)) + garbage);
        EXPECT_EQ(times(*samples), "1=1,2=2") << length;
        EXPECT_EQ(faults(samples->diagnostics), "warning leftover_bytes|warning leftover_bytes|") << length;
        const Diagnostic& between = samples->diagnostics.kept()[0];
        EXPECT_EQ(between.error.offset, first.size());
        EXPECT_EQ(between.error.found, length);
        EXPECT_EQ(samples->diagnostics.kept()[1].error.offset, 2 * first.size() + length);
    }
}

TEST_F(Source, PaddingBetweenBlobsIsANote) {
    const auto samples = read(to_text(plain(1)) + std::string(500, '\0') + to_text(plain(2)) + std::string(4096, '\0'));
    EXPECT_EQ(times(*samples), "1=1,2=2");
    EXPECT_EQ(faults(samples->diagnostics), "note leftover_bytes|note leftover_bytes|");
}

TEST_F(Source, ASignatureAcrossTheEndOfAReadIsFound) {
    const std::string first = to_text(plain(1));
    for (std::size_t length = 65'536 - first.size() - 10; length < 65'536 - first.size() + 2; ++length)
        EXPECT_EQ(times(*read(first + std::string(length, 'P') + to_text(plain(2)))), "1=1,2=2") << length;
}

TEST_F(Source, NamesThatLookLikeASignature) {
    for (const std::u16string_view name : {u"PERF", u"SMBPERF", u"PERF01", u"ERFPERFPERF"}) {
        std::string content;
        for (std::int64_t i = 1; i <= 3; ++i) {
            blob::Block block = moment(i);
            block.machine = name;
            block.objects[0].instances[1].name = std::u16string(name);
            content += to_text(i == 2 ? blob::samba_like(block) : i == 3 ? blob::wine_like(block) : blob::build(block));
        }
        const auto samples = read(content);
        EXPECT_EQ(times(*samples), "1=1,2=2,3=3");
        EXPECT_EQ(faults(samples->diagnostics), "warning length_without_header|warning gap_after_header|");
    }
}

TEST_F(Source, JunkFirst) {
    for (const std::size_t length : {3U, 100U, 100'000U}) {
        const auto samples = read(std::string(length, 'j') + to_text(plain(1)) + to_text(plain(2)));
        EXPECT_EQ(times(*samples), "1=1,2=2") << length;
        ASSERT_NE(samples->diagnostics.count(Severity::error), 0U);
        EXPECT_EQ(samples->diagnostics.kept()[0].error.code, hkpd::Errc::not_performance_data);
        EXPECT_EQ(samples->diagnostics.kept()[0].error.offset, 0U);
    }
}

TEST_F(Source, JunkOnly) {
    for (const std::size_t length : {1U, 8U, 88U, 1000U, 200'000U}) {
        const auto samples = read(std::string(length, 'j'));
        EXPECT_TRUE(samples->all.empty());
        EXPECT_EQ(samples->diagnostics.count(Severity::error), 1U) << length << faults(samples->diagnostics);
    }
}

TEST_F(Source, OffsetsCountFromTheStartOfTheFile) {
    const std::string first = to_text(plain(1)), second = to_text(blob::wine_like(moment(2)));
    blob::Blob damaged = plain(3);
    damaged.put32(damaged.counter(0, 0) + blob::counter_definition::CounterOffset, 1U << 31U);
    const auto samples = read(first + second + "junk" + to_text(damaged));
    EXPECT_EQ(times(*samples), "1=1,2=2,3=-");
    const auto found = samples->diagnostics.kept();
    ASSERT_EQ(faults(samples->diagnostics),
              "warning gap_after_header|warning leftover_bytes|error counter_outside_block|");
    EXPECT_EQ(found[0].error.offset, first.size() + data_block::HeaderLength);
    EXPECT_EQ(found[1].error.offset, first.size() + second.size());
    EXPECT_EQ(found[2].error.offset,
              first.size() + second.size() + 4 + damaged.counter(0, 0) + blob::counter_definition::CounterOffset);
    EXPECT_EQ(found[0].place.sample, 1U);
    EXPECT_EQ(found[2].place.sample, 2U);
}

TEST_F(Source, ATruncatedLastBlob) {
    const std::string first = to_text(plain(1));
    blob::Block block = moment(2);
    block.objects.push_back(moment(7, 4).objects[0]);
    blob::Blob last = blob::build(block);
    last.truncate(last.object(1) + 70);
    const auto samples = read(first + to_text(last));
    ASSERT_EQ(samples->all.size(), 2U);
    EXPECT_EQ(column_text(samples->object(1, 0), 0), "2 3");
    EXPECT_NE(faults(samples->diagnostics).find("error block_truncated|"), std::string::npos);
    last.truncate(60);
    const auto less = read(first + to_text(last));
    EXPECT_EQ(times(*less), "1=1");
    EXPECT_EQ(faults(less->diagnostics), "error truncated_header|");
    EXPECT_EQ(less->diagnostics.kept()[0].error.offset, first.size());
    last.truncate(5);
    const auto least = read(first + to_text(last));
    EXPECT_EQ(times(*least), "1=1");
    EXPECT_EQ(least->diagnostics.kept()[0].error.offset, first.size());
}

TEST_F(Source, AWrongLengthAllocatesNoMemory) {
    read(to_text(plain(1)) + to_text(plain(2)));  // what a first block takes is not a wrong length's
    for (const std::uint32_t length : {0xFFFFFFFFU, 0xFFFFFFF8U, 0x80000000U, 1U << 29U}) {
        blob::Blob wrong = plain(1);
        wrong.put32(data_block::TotalByteLength, length);
        const long before = peak_memory_kib();
        const auto samples = read(to_text(wrong) + to_text(plain(2)));
        EXPECT_LT(peak_memory_kib() - before, 64 * 1024);
        ASSERT_FALSE(samples->all.empty());
        EXPECT_EQ(column_text(samples->object(0, 0), 0), "1 2") << length;
        EXPECT_TRUE(samples->diagnostics.any_fault()) << length;
    }
}

TEST_F(Source, BlobsAfterAWrongLengthAreFound) {
    for (const std::uint32_t length : {0xFFFFFFFFU, 1000U}) {
        blob::Blob wrong = plain(1);
        wrong.put32(data_block::TotalByteLength, length);
        EXPECT_EQ(times(*read(to_text(wrong) + to_text(plain(2)) + to_text(plain(3)))), "1=1,2=2,3=3") << length;
    }
}

/// Returns blocks that all claim slightly more than half of the stream, which nothing confirms.
std::string far_reaching(blob::Blob one, std::size_t count) {
    one.put32(data_block::TotalByteLength, static_cast<std::uint32_t>(one.size() * count / 2 + 8));
    one.put32(data_block::NumObjectTypes, 1000);
    std::string content;
    for (std::size_t i = 0; i < count; ++i) content += to_text(one);
    return content;
}

TEST_F(Source, LengthsThatReachFarTakeNoTime) {
    if (!hkpd_test::optimized) GTEST_SKIP() << "meaningful for optimised code only";
    for (const blob::Blob& one : {blob::build({.objects = {}, .machine = u""}), plain(1)}) {
        const std::string content = far_reaching(one, (4U << 20U) / one.size());
        std::istringstream stream(content);
        const hkpd::Limits limits;
        hkpd::BlockStream blocks(stream, limits);
        hkpd::Diagnostics diagnostics;
        hkpd::v1::Block block;
        std::size_t objects = 0;
        const hkpd_test::ProcessorTime used;
        while (const auto bytes = blocks.next(diagnostics))
            if (block.open(*bytes, diagnostics)) objects += block.objects().size();
        EXPECT_LT(used.seconds(), 2) << one.size();
        EXPECT_EQ(objects, one.object_count() * (content.size() / one.size()));
    }
}

TEST_F(Source, BytesOfABlockAreLimited) {
    blob::Block big = moment(2);
    for (int i = 0; i < 40'000; ++i) big.objects[0].instances.push_back({.name = u"more", .values = {i}});
    const std::string content = to_text(plain(1)) + to_text(blob::build(big)) + to_text(plain(3));
    EXPECT_EQ(faults(read(content)->diagnostics), "");
    const auto samples = read(content, {.bytes = 100'000});
    EXPECT_NE(faults(samples->diagnostics).find("error byte_limit|"), std::string::npos)
        << faults(samples->diagnostics);
    EXPECT_EQ(samples->all.front().perf.time, 1);
    EXPECT_EQ(samples->all.back().perf.time, 3);
}

TEST_F(Source, ADirectoryInTheOrderOfItsNames) {
    folder_.write("s10.bin", plain(10));
    folder_.write("s2.bin", to_text(plain(2)) + to_text(plain(3)));
    folder_.write("S1.bin", plain(1));
    folder_.write("a-note.txt", "these are the blobs\n");
    folder_.write("counter009.txt", "2\nSystem\n");
    folder_.write("z-empty", "");
    folder_.write("sub/s11.bin", plain(11));
    const auto samples = read_files({folder_.path()});
    EXPECT_EQ(times(*samples), "1=1,10=10,2=2,3=3");
    EXPECT_EQ(samples->diagnostics.count(Severity::warning) + samples->diagnostics.count(Severity::error), 0U)
        << faults(samples->diagnostics);
    std::string noted;
    for (const Diagnostic& found : samples->diagnostics.kept())
        noted += std::filesystem::path(samples->diagnostics.inputs()[found.place.input]).filename().string() + "|";
    EXPECT_EQ(noted, "a-note.txt|z-empty|" + std::filesystem::path(folder_.path()).filename().string() + "|");
    EXPECT_EQ(faults(samples->diagnostics), "note foreign_file|note foreign_file|note files_skipped|");
}

/// Returns the records of a source: the file of a block; name and machine of titles.
std::string record_list(std::vector<std::string> paths, hkpd::Diagnostics& diagnostics,
                        const hkpd::Limits& limits = {}) {
    const auto source = hkpd::open_files(std::move(paths), limits);
    std::string text;
    while (const auto record = source->next(diagnostics)) {
        const std::string input = std::filesystem::path(diagnostics.inputs()[record->place.input]).filename().string();
        if (record->kind == hkpd::Record::Kind::titles) {
            EXPECT_EQ(input, record->name);
            text.append(record->name).append("@").append(record->machine).append(" ");
        } else {
            text.append(input).append(" ");
        }
    }
    return text;
}

blob::Blob of_machine(std::u16string_view name, std::int64_t time) {
    blob::Block block = moment(time);
    block.machine = name;
    return blob::build(block);
}

TEST_F(Source, TitlesOfADirectoryComeBeforeItsBlobs) {
    folder_.write("a.bin", to_text(of_machine(u"A", 1)) + to_text(of_machine(u"A", 2)));
    folder_.write("b.bin", of_machine(u"A", 3));
    folder_.write("counter-009.txt", "2\r\nSystem\r\n");
    folder_.write("help-009.multi_sz", std::string("3\0\0\0H\0\0\0\0\0", 10));
    hkpd::Diagnostics diagnostics;
    EXPECT_EQ(record_list({folder_.path()}, diagnostics), "counter-009.txt@A help-009.multi_sz@A a.bin a.bin b.bin ");
    EXPECT_EQ(faults(diagnostics), "");
}

TEST_F(Source, TitlesApplyToTheirOwnDirectoryOnly) {
    for (const std::u16string_view machine : {u"A", u"B"}) {
        const std::string name = machine == u"A" ? "a" : "b";
        folder_.write(name + "/" + name + ".bin", of_machine(machine, 1));
        folder_.write(name + "/counter.txt", "2\n" + name + "\n");
    }
    const std::string plain_file = folder_.write("c.bin", of_machine(u"C", 1));
    folder_.write("titles/counter.txt", "2\nnobody's\n");
    hkpd::Diagnostics diagnostics;
    EXPECT_EQ(record_list({folder_.path("a"), folder_.path("titles"), plain_file, folder_.path("b")}, diagnostics),
              "counter.txt@A a.bin c.bin counter.txt@B b.bin ");
    EXPECT_EQ(faults(diagnostics), "error foreign_file|") << "for the directory that has only titles";
}

TEST_F(Source, TitlesOfADirectoryWithSeveralMachines) {
    for (const std::string_view name : {"1.bin", "4.bin"}) folder_.write(name, of_machine(u"A", 1));
    folder_.write("2.bin", of_machine(u"B", 1));
    folder_.write("3.bin", of_machine(u"C", 1));
    folder_.write("counter.txt", "2\nSystem\n");
    hkpd::Diagnostics diagnostics;
    EXPECT_EQ(record_list({folder_.path()}, diagnostics), "counter.txt@A 1.bin counter.txt@ 2.bin 3.bin 4.bin ");
    EXPECT_EQ(faults(diagnostics), "");
}

TEST_F(Source, OtherFilesAreSkipped) {
    folder_.write("a.bin", plain(1));
    folder_.write("b.bin", "junk");
    folder_.write("log.txt", "12:00 started\n2\nstopped\n12:05 started\n12:06 stopped\n");
    folder_.write("long.txt", "2\n" + std::string(1000, 'x') + "\n");
    folder_.write("number", "2");
    hkpd::Diagnostics diagnostics;
    EXPECT_EQ(record_list({folder_.path()}, diagnostics, {.title_bytes = 400}), "a.bin ");
    EXPECT_EQ(faults(diagnostics),
              "error not_recognised|note foreign_file|note foreign_file|note foreign_file|note files_skipped|");
}

TEST_F(Source, AFileIsReadOnce) {
    const std::string a = folder_.write("a.bin", plain(1, 2));
    const std::string name = std::filesystem::path(folder_.path()).filename().string();
    for (const std::vector<std::string>& paths :
         std::vector<std::vector<std::string>>{{a, a},
                                               {a, folder_.path("../" + name + "/a.bin")},
                                               {folder_.path(), a},
                                               {folder_.path(), folder_.path()}}) {
        const auto samples = read_files(paths);
        EXPECT_EQ(samples->all.size(), 1U);
        EXPECT_EQ(faults(samples->diagnostics), "note read_before|");
    }
    // In front of its directory, too.
    EXPECT_EQ(read_files({a, folder_.path()})->all.size(), 1U);
}

TEST_F(Source, FilesOfADirectoryAreOneStream) {
    folder_.write("a.bin", plain(1, 2));
    folder_.write("b.bin", plain(1, 4));
    const hkpd_test::TempFolder other;
    const auto samples = read_files({folder_.path(), other.write("a.bin", plain(1, 2))});
    ASSERT_EQ(samples->all.size(), 2U);
    EXPECT_EQ(object_indices(samples->all[0]), "2,4");
    EXPECT_EQ(object_indices(samples->all[1]), "2");
    EXPECT_EQ(samples->diagnostics.inputs().size(), 3U);
}

TEST_F(Source, DirectoriesWithoutBlobs) {
    EXPECT_EQ(faults(read_files({folder_.path()})->diagnostics), "error foreign_file|");
    folder_.write("notes.txt", "nothing here");
    const auto samples = read_files({folder_.path()});
    EXPECT_EQ(faults(samples->diagnostics), "note foreign_file|error foreign_file|");
    EXPECT_EQ(samples->diagnostics.inputs()[samples->diagnostics.kept()[1].place.input], folder_.path());
}

TEST_F(Source, EmptyAndMissingFiles) {
    EXPECT_EQ(faults(read("")->diagnostics), "error foreign_file|");
    const auto samples = read_files({folder_.path("missing.bin"), folder_.write("good.bin", plain(1))});
    EXPECT_EQ(faults(samples->diagnostics), "error cannot_read|");
    EXPECT_EQ(samples->diagnostics.inputs()[samples->diagnostics.kept()[0].place.input], folder_.path("missing.bin"));
    EXPECT_EQ(times(*samples), "1=1");
}

TEST_F(Source, RecordsAreCutWhereTheyEnd) {
    const std::string first = to_text(plain(1)), second = to_text(plain(2));
    const auto source = hkpd::open_files({folder_.write("input.bin", first + "junk" + second)}, {});
    hkpd::Diagnostics diagnostics;
    const auto one = source->next(diagnostics);
    ASSERT_TRUE(one);
    EXPECT_EQ(one->bytes.offset(), 0U);
    EXPECT_EQ(one->bytes.size(), first.size());
    const auto two = source->next(diagnostics);
    ASSERT_TRUE(two);
    EXPECT_EQ(two->bytes.offset(), first.size() + 4);
    EXPECT_EQ(two->bytes.size(), second.size());
    EXPECT_FALSE(source->next(diagnostics));
    EXPECT_FALSE(source->next(diagnostics));
    EXPECT_EQ(diagnostics.inputs().size(), 1U);
}

}  // namespace source_test
}  // namespace hkpd_test
