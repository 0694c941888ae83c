// Captures and the MCAP format's own reader and writer (tests/systems/interop), run by Node.js: each reads what the
// other writes.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "cli/run_command.hpp"
#include "support/capture_reading.hpp"
#include "support/machine.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace interop_test {

namespace fs = std::filesystem;

/// Returns the output of a shell command.
std::string output_of(const std::string& command) {
    std::FILE* const pipe = popen(command.c_str(), "r");
    std::string text;
    char buffer[65536];
    for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;) text.append(buffer, got);
    EXPECT_EQ(pclose(pipe), 0) << command;
    return text;
}

class Interop : public testing::Test {
  protected:
    void SetUp() override {
        if (is_skipped(missing_program("node")) || fs::exists(modules_)) return;
        is_skipped(missing("@mcap/core", "tests/systems/interop/install.sh fetches it"));
    }

    /// Runs one of the scripts.
    std::string node(const std::string& script, const std::string& file, const std::string& more = "") {
        return output_of("node '" + (root_ / "tests/systems/interop" / script).string() + "' '" + modules_.string() +
                         "' '" + file + "' " + more);
    }

    fs::path root_ = fs::path(testdata_folder).parent_path();
    fs::path modules_ = root_ / "build/interop/node_modules";
};

std::string hex(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        text += "0123456789abcdef"[static_cast<unsigned char>(byte) / 16];
        text += "0123456789abcdef"[static_cast<unsigned char>(byte) % 16];
    }
    return text;
}

/// Returns titles, and samples of two machines; later ones later.
std::vector<Kept> some_records() {
    std::mt19937 random(1);
    std::vector<Kept> all{titles(random_bytes(random, 300), "PC", "Counter", "009", 5),
                          titles(random_bytes(random, 200), "PC", "Help", "009", 6)};
    for (std::uint32_t i = 0; i < 50; ++i)
        all.push_back(block(std::string(500, 'x') + random_bytes(random, 50), 1000 + i, i, i % 3 == 0 ? "B" : "PC"));
    return all;
}

std::string written(const std::vector<Kept>& records) {
    hkpd::CaptureOptions options{.time = std::chrono::hours(1)};  // chunks end only with samples
    options.samples = 8;
    return write_capture(options,
                         [&](hkpd::CaptureWriter& writer) {
                             writer.add_metadata("hkpd", {{"os", "6.1.7601"}});
                             for (const Kept& kept : records) {
                                 if (kept.kind == hkpd::Record::Kind::titles) {
                                     writer.add_reference(kept.record());
                                     continue;
                                 }
                                 writer.add_block(kept.record());
                                 writer.end_sample();
                             }
                             writer.finish();
                         })
        .bytes;
}

std::string member(const rapidjson::Value& object, const char* name) {
    return object.HasMember(name) ? object[name].GetString() : "";
}

void expect_messages(const rapidjson::Value& messages, const std::vector<Kept>& records) {
    ASSERT_EQ(messages.Size(), records.size());
    for (rapidjson::SizeType i = 0; i < messages.Size(); ++i) {
        const rapidjson::Value& message = messages[i];
        const Kept& kept = records[i];
        const bool table = kept.kind == hkpd::Record::Kind::titles;
        EXPECT_EQ(member(message, "topic"), table ? "titles/PC/" + kept.name : "v1/" + kept.machine);
        EXPECT_EQ(member(message, "encoding"), table ? "x-hkpd-titles" : "x-hkpd-v1");
        EXPECT_EQ(message["sequence"].GetUint(), kept.sequence.value_or(0));
        EXPECT_EQ(message["time"].GetUint64(), kept.time);
        EXPECT_EQ(message["publishTime"].GetUint64(), kept.time);
        EXPECT_EQ(member(message, "data"), hex(kept.bytes));
        EXPECT_EQ(member(message["metadata"], "machine"), kept.machine);
        EXPECT_EQ(member(message["metadata"], "name"), kept.name);
        EXPECT_EQ(member(message["metadata"], "language"), kept.language);
    }
}

TEST_F(Interop, TheReferenceReadersReadOurCaptures) {
    const TempFolder folder;
    const std::vector<Kept> records = some_records();
    const auto json = parse_json(node("read.js", folder.write("ours.mcap", written(records))));
    ASSERT_TRUE(json.IsObject());
    const auto& indexed = json["indexed"];
    EXPECT_EQ(member(indexed, "profile"), "x-hkpd");
    EXPECT_EQ(member(indexed, "library"), "hkpd");
    expect_messages(indexed["messages"], records);
    expect_messages(json["stream"]["messages"], records);
    EXPECT_TRUE(json["stream"]["done"].GetBool());
    ASSERT_EQ(indexed["metadata"].Size(), 1U);
    EXPECT_EQ(member(indexed["metadata"][0][1], "os"), "6.1.7601");

    const auto& chunks = indexed["chunks"];
    ASSERT_EQ(chunks.Size(), 8U);  // titles; 50 samples in chunks of 8
    EXPECT_EQ(chunks[0]["channels"].GetUint(), 2U);
    EXPECT_EQ(chunks[1]["from"].GetUint(), 1000U);
    EXPECT_EQ(chunks[1]["to"].GetUint(), 1007U);
    EXPECT_EQ(member(chunks[1], "compression"), "zstd");
    const auto& statistics = indexed["statistics"];
    EXPECT_EQ(statistics["messages"].GetUint(), 52U);
    EXPECT_EQ(statistics["channels"].GetUint(), 4U);
    EXPECT_EQ(statistics["chunks"].GetUint(), 8U);
    EXPECT_EQ(statistics["metadata"].GetUint(), 1U);
    EXPECT_EQ(statistics["from"].GetUint(), 5U);
    EXPECT_EQ(statistics["to"].GetUint(), 1049U);
    EXPECT_EQ(statistics["counts"]["3"].GetUint(), 17U);
}

TEST_F(Interop, TheReferenceReadersReadAnEmptyCapture) {
    const TempFolder folder;
    const auto json = parse_json(node("read.js", folder.write("ours.mcap", written({}))));
    ASSERT_TRUE(json.IsObject());
    EXPECT_EQ(json["indexed"]["messages"].Size(), 0U);
    EXPECT_TRUE(json["stream"]["done"].GetBool());
}

TEST_F(Interop, WeReadCapturesOfTheReferenceWriter) {
    std::vector<Kept> expected{titles("titles", "PC", "Counter", "009", 1)};
    for (std::uint32_t i = 0; i < 100; ++i) {
        expected.push_back(block("", 1000 + i, i, "PC"));
        for (int k = 0; k < 100; ++k) expected.back().bytes += "sample " + std::to_string(i) + " ";
    }
    const TempFolder folder;
    for (const std::string compression : {"zstd", "none"}) {
        const std::string path = folder.path(compression);
        node("write.js", path, compression);
        std::ifstream file(path, std::ios::binary);
        const Reading reading = read_stream(file);
        EXPECT_EQ(reading.records, expected);
        EXPECT_EQ(found(reading.diagnostics), "warning capture_foreign_channel, note capture_unknown_record");
        ASSERT_EQ(reading.metadata.size(), 1U);
        EXPECT_EQ(reading.metadata[0].entries.at("os"), "6.1.7601");
    }
}

TEST_F(Interop, WeUseTheIndexOfTheReferenceWriter) {
    const TempFolder folder;
    const std::string path = folder.path("theirs");
    node("write.js", path, "zstd");
    std::ifstream file(path, std::ios::binary), again(path, std::ios::binary);
    hkpd::Diagnostics diagnostics;
    const hkpd::CaptureInfo info = info_of(file, diagnostics);
    EXPECT_TRUE(info.indexed);
    EXPECT_EQ(info.library.substr(0, 7), "interop");
    EXPECT_EQ(info.messages, 111U);
    EXPECT_EQ(info.attachments, 1U);
    ASSERT_EQ(info.channels.size(), 3U);
    EXPECT_EQ(info.channels[0].messages, 100U);
    const Reading reading = read_stream(again, Wanted::titles_alone);
    EXPECT_LT(reading.records.size(), 51U);
    EXPECT_EQ(found(reading.diagnostics), "warning capture_foreign_channel, note capture_unknown_record");
}

}  // namespace interop_test
}  // namespace hkpd_test
