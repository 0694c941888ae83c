// The command on inputs of kinds that once showed a fault.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "run_command.hpp"
#include "support/blob_builder.hpp"
#include "support/mcap_builder.hpp"
#include "support/places.hpp"
#include "support/processor_time.hpp"
#include "support/record_source.hpp"
#include "support/temp_folder.hpp"
#include "support/v2_builder.hpp"

namespace hkpd_test {
namespace found_cli_test {

class FoundInputs : public testing::Test {
  protected:
    const std::string demo = std::string(testdata_folder) + "/captures/demo.bin";
    std::string demo_capture() const {
        const std::string path = folder_.path("demo.mcap");
        EXPECT_EQ(run({"capture", "--simulate", "--count", "3", "-o", path}).exit, 0);
        return path;
    }

    TempFolder folder_;
};

/// Returns a block of one object with a counter and these instances, whose values are 1, 2 and so on.
blob::Blob block_of(const std::vector<std::u16string>& instances, std::uint16_t second = 40) {
    blob::Object object{.title = 230, .kind = blob::Kind::multi, .counters = {{.title = 6}}};
    for (const std::u16string& name : instances)
        object.instances.push_back({.name = name, .values = {object.instances.size() + 1}});
    return blob::build({.objects = {object}, .perf_time = 10'000'000LL * second, .system_time = {.second = second}});
}

/// Returns a capture of one sample in each chunk, as other writers of MCAP make it. `step`: the difference of the
/// sequence numbers; `described_once`: only the first chunk and the summary describe the channel.
std::string of_another_writer(unsigned step, bool described_once) {
    mcap_file::Builder file;
    for (unsigned i = 0; i < 5; ++i) {
        const std::uint64_t time = 1'600'000'000'123'000'000 + i * 1'000'000'000ULL;
        const std::string message =
            mcap_file::message(1, i * step, time, to_text(block_of({u"a"}, static_cast<std::uint16_t>(40 + i))));
        const bool described = i == 0 || !described_once;
        file.chunk((described ? file.channels : "") + message, {.compression = "", .start = time, .end = time});
    }
    return file.finish(5);
}

/// Checks that a capture gives the same from a file as from a pipe, wherever it is read from.
TEST_F(FoundInputs, CapturesOfOtherWritersAreReadFromTheMiddle) {
    for (const std::string& capture : {of_another_writer(1, true), of_another_writer(2, false)}) {
        const std::string path = folder_.write("other.mcap", capture);
        for (const std::vector<std::string>& subcommand :
             {std::vector<std::string>{"dump", "--sample", "3"}, {"replay", "--from", "2"}, {"dump"}}) {
            std::vector<std::string> file = subcommand, pipe = subcommand;
            file.push_back(path);
            pipe.emplace_back("-");
            const Result of_file = run(file);
            const Result of_pipe = run({.arguments = pipe, .input = capture});
            EXPECT_EQ(of_file.exit, 0) << of_file.err;
            EXPECT_EQ(of_file.err, "");
            EXPECT_EQ(of_file.out, of_pipe.out);
            EXPECT_TRUE(of_file.out.contains(":43.123Z, ")) << "sample 3: " << of_file.out;
            EXPECT_EQ(of_file.out.contains(":40.123Z, "), subcommand.size() == 1) << "the first: " << of_file.out;
        }
    }
}

TEST_F(FoundInputs, OneWrongInstanceLengthIsCorrected) {
    blob::Blob block = blob::build({.objects = {{.title = 4000,
                                                 .kind = blob::Kind::multi,
                                                 .counters = {{.title = 4002, .type = 0x00010100, .size = 8},
                                                              {.title = 4004, .type = 0x00010100, .size = 8}},
                                                 .instances = {{.name = u"ab", .values = {1, 2}},
                                                               {.name = u"cd", .values = {3, 4}},
                                                               {.name = u"ef", .values = {5, 6}}}}},
                                    .machine = u"HOLDOUT"});
    ASSERT_EQ(block.instance(0, 0), 0xf8U);
    block.put32(block.instance(0, 0), 56);  // with the counter block
    const Result result = dump({"--format", "csv", folder_.write("length.bin", block)});
    EXPECT_EQ(result.exit, 1);
    EXPECT_TRUE(result.err.contains("offset 0xf8: error: PERF_INSTANCE_DEFINITION.ByteLength")) << result.err;
    EXPECT_TRUE(result.err.contains("expected 32, found 56")) << result.err;
    std::string values;
    for (const std::string& line : lines(result.out)) values += line.substr(line.rfind(',') + 1) + " ";
    EXPECT_EQ(values, "raw 1 2 3 4 5 6 ") << result.out;
}

TEST_F(FoundInputs, NamesAreNumberedAsPathsMatchThem) {
    const blob::Blob block = block_of({u"a", u"a", u"A", u"\u00E4", u"\u00C4"});
    const Result all = run({"replay", "--format", "csv", folder_.write("names.bin", block)});
    EXPECT_EQ(all.exit, 0) << all.err;
    for (const std::string name : {",a,", ",a#1,", ",A#2,", ",\u00E4,", ",\u00C4#1,"})
        EXPECT_TRUE(all.out.contains(name)) << name << all.out;
}

TEST_F(FoundInputs, NoDirectionMarkReachesPdhCsv) {
    const std::vector<std::u16string> name{u"a\u200F\u061C\u200Eb\u200B\uFEFFc"};
    const Result result = run({"replay", "--format", "pdh-csv",
                               folder_.write("marks.bin", to_text(block_of(name, 40)) + to_text(block_of(name, 41)))});
    EXPECT_TRUE(result.out.contains("\\Process(a   b  c)\\% Processor Time")) << result.out;
    for (const std::string mark : {"\u200E", "\u200F", "\u061C", "\u200B", "\uFEFF"})
        EXPECT_FALSE(result.out.contains(mark)) << result.out;
}

TEST_F(FoundInputs, PathsAreNoLongerThanPdhAllows) {
    const std::string path = "\\" + std::string(20'000, '(') + std::string(20'000, ')') + "\\*";
    const Result result = run({"replay", demo, "-cf", folder_.write("parentheses.cf", path)});
    EXPECT_EQ(result.exit, 2);
    EXPECT_TRUE(result.err.contains("40003 bytes, and PDH allows 2048 characters")) << result.err;
}

/// Returns a chunk of almost 64 MiB that consists of this message, and takes a few kilobytes.
std::string chunk_of(std::string_view message) {
    static constexpr std::size_t expanded = 64 << 20;
    std::string records;
    records.reserve(expanded);
    while (records.size() + message.size() <= expanded) records += message;
    return mcap_file::chunk(records, {.end = 1, .crc = 0});
}

TEST_F(FoundInputs, ExpansionIsLimited) {
    mcap_file::Builder messages, blobs;
    const std::string unknown = chunk_of(mcap_file::message(9, 1, 1, ""));  // of a channel that is not described
    for (int i = 0; i < 8; ++i) messages.add(unknown);
    blobs.add(blobs.channels)
        .add(chunk_of(mcap_file::message(
            1, 1, 1, to_text(blob::build({.objects = {{.title = 2, .counters = {{.title = 10}}}}})))));
    messages.channels.clear();
    blobs.channels.clear();
    const std::string of_messages = folder_.write("messages.mcap", messages.finish());
    const std::string of_blobs = folder_.write("blobs.mcap", blobs.finish());
    for (const std::string& path : {of_messages, of_blobs}) {
        EXPECT_LT(std::filesystem::file_size(path), 100'000U);
        for (const std::vector<std::string>& subcommand : {std::vector<std::string>{"dump"},
                                                           {"replay", "--summary"},
                                                           {"map"},
                                                           {"check"},
                                                           {"capture", "--info"},
                                                           {"capture", "-o", folder_.path("x.mcap")},
                                                           {"capture", "--export", folder_.path("out")}}) {
            std::vector<std::string> arguments = subcommand;
            arguments.push_back(path);
            const Result result = run(arguments);
            EXPECT_NE(result.exit, 0) << path << subcommand[0];
            EXPECT_TRUE((result.err + result.out).contains("than --limit-expansion still allows"))
                << path << subcommand[0];
            EXPECT_LT(result.out.size(), 1'000'000U);
            std::filesystem::remove_all(folder_.path("out"));
        }
    }
    const Result allowed = run({"capture", "--info", "--limit-expansion", "100000", of_blobs});
    EXPECT_EQ(allowed.exit, 0) << allowed.err;
    const Result files = run({"capture", "--export", folder_.path("few"), "--limit-files", "2", demo_capture()});
    EXPECT_EQ(files.exit, 1);
    EXPECT_TRUE(files.err.contains("more files than --limit-files allows")) << files.err;
}

/// Returns a block with a million values, all of them at one place, whose names have kilobytes when they are shown.
blob::Blob long_names() {
    blob::Object object{.title = 230, .kind = blob::Kind::multi};
    for (std::uint32_t i = 1; i <= 4000; ++i) object.counters.push_back({.title = 2 * i, .offset = 4});
    for (char16_t i = 0; i < 250; ++i)
        object.instances.push_back(
            {.name = std::u16string{static_cast<char16_t>(u'\u0100' + i)} + std::u16string(500, u'\1')});
    return blob::build({.objects = {object}, .machine = std::u16string(255, u'\1')});
}

/// Checks that names of kilobytes cost no more than the limit, in every format.
TEST_F(FoundInputs, NamesAreLimited) {
    mcap_file::Builder file;
    file.chunk(file.channels + mcap_file::message(1, 0, 1, to_text(long_names())));
    const std::string path = folder_.write("names.mcap", file.finish(1));
    EXPECT_LT(std::filesystem::file_size(path), 100'000U);
    for (const std::vector<std::string>& subcommand :
         {std::vector<std::string>{"dump"},
          {"dump", "--format", "jsonl"},
          {"dump", "--format", "csv"},
          {"replay", "--summary"},
          {"replay", "--format", "pdh-csv"},
          {"replay", "--format", "openmetrics"},
          {"replay", "--format", "sqlite", "-o", folder_.path("names.db")}}) {
        std::vector<std::string> arguments = subcommand;
        arguments.insert(arguments.end(), {"--limit-names", "16", path});
        const Result result = run(arguments);
        EXPECT_EQ(result.exit, 1) << subcommand[0];
        EXPECT_TRUE(result.err.contains("the names in the output take more bytes than --limit-names allows"))
            << result.err;
        if (optimized) {
            EXPECT_LT(result.processor_seconds, 2) << subcommand.back();
        }
    }
}

TEST_F(FoundInputs, ARepeatedIdThatLosesAValueIsAWarning) {
    const std::string block = to_text(
        v2_blob::build({.results = {{.ids = {7, 7, 9}, .instances = {{.name = u"A", .values = {111, 222, 333}}}}}}));
    const std::string query =
        to_text(v2_blob::build_identifiers({{.guid = v2_blob::guid(0x11111111, 0x2222, 0x3333)}}));
    const Result result =
        dump({"--v2", folder_.write("repeated.v2", block), "--identifiers", folder_.write("repeated.v2-query", query)});
    EXPECT_EQ(result.exit, 0);
    EXPECT_TRUE(
        result.err.contains("warning: PERF_COUNTER_DATA: duplicate counter id, the first counter is used: id 7"))
        << result.err;
    EXPECT_TRUE(result.out.contains("  A   111   333")) << result.out;
}

}  // namespace found_cli_test
}  // namespace hkpd_test
