// The entry point: paths, bytes in memory and sources; names, cooked values and faults by default.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hkpd/hkpd.hpp"
#include "hkpd/simulate.hpp"
#include "support/blob_builder.hpp"
#include "support/places.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

namespace reader_test {

using namespace hkpd;

std::string capture_of(const char* name) { return std::string(hkpd_test::testdata_folder) + "/captures/" + name; }

/// Returns two blocks of one counter, a second apart.
std::vector<blob::Blob> two_blocks() {
    std::vector<blob::Blob> blocks;
    for (const std::uint64_t value : {100U, 300U}) {
        blob::Block block{.objects = {{.title = 238, .counters = {{.title = 6}}, .values = {value}}}};
        block.perf_time = static_cast<std::int64_t>(value);
        blocks.push_back(blob::build(block));
    }
    return blocks;
}

std::string bytes_of(const std::vector<blob::Blob>& blocks) {
    std::string all;
    for (const blob::Blob& block : blocks)
        all.append(reinterpret_cast<const char*>(block.bytes().data()), block.bytes().size());
    return all;
}

TEST(Reader, BytesInMemoryAreReadLikeAFile) {
    const std::string content = hkpd_test::read_file(capture_of("demo.bin"));
    auto file = Reader::open({capture_of("demo.bin")});
    auto memory = Reader::open(std::as_bytes(std::span(content)));
    ASSERT_TRUE(file && memory);
    std::size_t samples = 0;
    while (file->next()) {
        ++samples;
        ASSERT_TRUE(memory->next());
        ASSERT_EQ(memory->number(), file->number());
        const auto expected = file->sample().objects(), found = memory->sample().objects();
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t o = 0; o < found.size(); ++o) {
            ASSERT_EQ(found[o].name.has_value(), expected[o].name.has_value());
            for (std::size_t c = 0; c < found[o].columns.size(); ++c) {
                const CookedColumn a = memory->cooked(found[o], found[o].columns[c]);
                const CookedColumn b = file->cooked(expected[o], expected[o].columns[c]);
                ASSERT_EQ(std::vector(a.reasons.begin(), a.reasons.end()),
                          std::vector(b.reasons.begin(), b.reasons.end()));
                for (std::size_t row = 0; row < a.values.size(); ++row) {
                    ASSERT_EQ(a[row].has_value(), b[row].has_value());
                    if (a[row].has_value()) {
                        ASSERT_EQ(a.values[row], b.values[row]);
                    }
                }
            }
        }
    }
    EXPECT_FALSE(memory->next());
    EXPECT_EQ(samples, 3U);
    EXPECT_EQ(memory->diagnostics().count(), file->diagnostics().count());
}

TEST(Reader, OpensTheFilesThatExist) {
    const auto none = Reader::open(std::vector<std::string>{});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, Errc::no_data);
    const auto missing = Reader::open({"/not/there.bin", "/nor/this.bin"});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Errc::cannot_read);
    EXPECT_EQ(missing.error().found, static_cast<std::uint64_t>(ENOENT));

    auto one = Reader::open({"/not/there.bin", capture_of("demo.bin")});
    ASSERT_TRUE(one);
    std::size_t samples = 0;
    while (one->next()) ++samples;
    EXPECT_EQ(samples, 3U);
    EXPECT_EQ(one->diagnostics().count(Severity::error), 1U);
}

TEST(Reader, HasNamesByDefault) {
    const std::string content = bytes_of(two_blocks());
    auto reader = Reader::open(std::as_bytes(std::span(content)));
    ASSERT_TRUE(reader && reader->next());
    const Object& object = reader->sample().objects().front();
    ASSERT_TRUE(object.name && object.columns.front().name);
    EXPECT_EQ(object.name->text, "Processor");
    EXPECT_EQ(object.columns.front().name->text, "% Processor Time");

    auto unnamed = Reader::open(std::as_bytes(std::span(content)), {.titles = Titles()});
    ASSERT_TRUE(unnamed && unnamed->next());
    EXPECT_FALSE(unnamed->sample().objects().front().name);
}

TEST(Reader, ReturnsTheRequestedSamples) {
    const auto numbers = [](ReaderOptions options) {
        std::vector<std::uint32_t> found;
        Reader reader(simulate({}, {.v2 = false, .count = 7}), std::move(options));
        while (reader.next()) found.push_back(reader.number());
        return found;
    };
    using Numbers = std::vector<std::uint32_t>;
    EXPECT_EQ(numbers({}), (Numbers{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(numbers({.range = {.first = 2, .last = 4}}), (Numbers{2, 3, 4}));
    EXPECT_EQ(numbers({.range = {.first = 2, .last = 4}, .compare = false}), (Numbers{2, 3, 4}));
    EXPECT_EQ(numbers({.every = 3}), (Numbers{0, 3, 6}));
    EXPECT_EQ(numbers({.only = SampleSource::v2}), Numbers());
}

TEST(Reader, WithoutComparisonThereIsNoSampleBefore) {
    for (const bool compare : {true, false}) {
        Reader reader(simulate({}, {.v2 = false, .count = 2}), {.compare = compare});
        ASSERT_TRUE(reader.next());
        ASSERT_TRUE(reader.next());
        for (const Object& object : reader.sample().objects())
            for (const Column& column : object.columns)
                if (needs_two_samples(column)) {
                    for (const Reason reason : reader.cooked(object, column).reasons)
                        ASSERT_EQ(reason == Reason::first_sample, !compare);
                }
    }
}

TEST(Reader, FaultsGoToTheCallersDiagnostics) {
    Diagnostics mine;
    auto reader = Reader::open({capture_of("damaged.bin")}, {.diagnostics = &mine});
    ASSERT_TRUE(reader);
    while (reader->next()) {
    }
    EXPECT_GT(mine.count(Severity::error), 0U);
    EXPECT_EQ(&reader->diagnostics(), &mine);
}

/// Returns a block of so many objects without counters, whose length is no multiple of 8.
blob::ByteBuffer block_of_uneven(std::size_t objects) {
    constexpr std::uint32_t length = 68;
    const blob::Blob one = blob::build({.objects = {{.title = 2}}});
    blob::ByteBuffer block;
    block.append(one.bytes().first(one.object(0)));
    for (std::size_t k = 0; k < objects; ++k) {
        const std::size_t at = block.size();
        block.append(one.bytes().subspan(one.object(0), length));
        block.put32(at + blob::object_type::TotalByteLength, length);
        block.put32(at + blob::object_type::ObjectNameTitleIndex, static_cast<std::uint32_t>(2 + 2 * k));
    }
    block.put32(blob::data_block::TotalByteLength, static_cast<std::uint32_t>(block.size()));
    block.put32(blob::data_block::NumObjectTypes, static_cast<std::uint32_t>(objects));
    return block;
}

/// Faults wait in a list of their own until it is known which sample their block belongs to.
TEST(Reader, KeepsAsManyFaultsAsItsListDoes) {
    for (const std::size_t objects : {3'000U, 25'000U}) {
        const blob::ByteBuffer block = block_of_uneven(objects);
        for (const std::size_t keep : {objects, objects / 2}) {
            Diagnostics faults(keep);
            auto reader = Reader::open(block.bytes(), {.diagnostics = &faults});
            ASSERT_TRUE(reader && reader->next());
            ASSERT_EQ(reader->sample().objects().size(), objects);
            const auto uneven = [](const Diagnostic& found) { return found.error.code == Errc::length_uneven; };
            EXPECT_EQ(faults.count(Severity::note), objects);
            EXPECT_EQ(static_cast<std::size_t>(std::ranges::count_if(faults.kept(), uneven)), keep);
        }
    }
}

TEST(Decode, ReturnsTheSampleOfABlock) {
    const auto blocks = two_blocks();
    const auto sample = decode(blocks[1].bytes());
    ASSERT_TRUE(sample);
    ASSERT_EQ(sample->objects().size(), 1U);
    EXPECT_EQ(sample->objects()[0].columns[0].values[0], 300U);
    EXPECT_EQ(sample->objects()[0].name->text, "Processor");
}

TEST(Decode, ReportsBytesThatItDoesNotRead) {
    const auto blocks = two_blocks();
    const std::string both = bytes_of(blocks);
    Diagnostics faults;
    ASSERT_TRUE(decode(std::as_bytes(std::span(both)), &faults));
    ASSERT_EQ(faults.kept().size(), 1U);
    EXPECT_EQ(faults.kept()[0].error.code, Errc::leftover_bytes);
    EXPECT_EQ(faults.kept()[0].error.offset, blocks[0].bytes().size());
    EXPECT_EQ(faults.kept()[0].error.found, blocks[1].bytes().size());

    const auto nothing = decode(std::as_bytes(std::span("nonsense")));
    ASSERT_FALSE(nothing);
    EXPECT_EQ(nothing.error().code, Errc::not_performance_data);
}

TEST(CaptureFile, IsReadAsItWasWritten) {
    const hkpd_test::TempFolder folder;
    const std::string path = folder.path("run.mcap");
    const auto blocks = two_blocks();
    {
        Diagnostics faults;
        auto capture = CaptureFile::create(path);
        ASSERT_TRUE(capture);
        for (const blob::Blob& block : blocks) capture->add({.bytes = Bytes(block.bytes())}, faults);
        EXPECT_TRUE(capture->finish());
        EXPECT_EQ(faults.count(), 0U);
    }
    auto reader = Reader::open({path});
    ASSERT_TRUE(reader);
    for (const std::uint64_t value : {100U, 300U}) {
        ASSERT_TRUE(reader->next());
        EXPECT_EQ(reader->sample().objects()[0].columns[0].values[0], value);
    }
    EXPECT_FALSE(reader->next());
}

TEST(CaptureFile, ReportsWhyItCannotBeWritten) {
    const auto none = CaptureFile::create("/not/there/run.mcap");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, Errc::cannot_write);
    EXPECT_EQ(none.error().found, static_cast<std::uint64_t>(ENOENT));
}

TEST(CaptureFile, OneRecordIsOneBlock) {
    const hkpd_test::TempFolder folder;
    const std::string both = bytes_of(two_blocks());
    Diagnostics faults;
    auto capture = CaptureFile::create(folder.path("run.mcap"));
    ASSERT_TRUE(capture);
    capture->add({.bytes = Bytes(std::as_bytes(std::span(both)))}, faults);
    ASSERT_EQ(faults.kept().size(), 1U);
    EXPECT_EQ(faults.kept()[0].error.code, Errc::leftover_bytes);
}

}  // namespace reader_test
