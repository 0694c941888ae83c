// `hkpd map`: the listing, JSON, one place, captures, exit codes. Golden files: testdata/golden/map.*, rewritten with
// HKPD_UPDATE_GOLDEN=1 in the environment.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "run_command.hpp"
#include "support/blob_builder.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"
#include "support/v2_builder.hpp"

namespace hkpd_test {
namespace map_cli_test {

using Arguments = std::vector<std::string>;

const std::string captures = std::string(testdata_folder) + "/captures/";

std::string capture(std::string_view name) { return captures + std::string(name); }

Result map_of(Arguments arguments, std::string input = {}) {
    arguments.insert(arguments.begin(), "map");
    return run({.arguments = std::move(arguments), .input = std::move(input)});
}

std::string content_of(const blob::ByteBuffer& buffer) {
    return {reinterpret_cast<const char*>(buffer.bytes().data()), buffer.size()};
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// Requires that the runs of an input in the JSON document are adjacent from its first byte to its last.
void expect_accounted(const rapidjson::Value& input) {
    std::uint64_t at = 0;
    for (const auto& entry : input["entries"].GetArray()) {
        ASSERT_EQ(entry["offset"].GetUint64(), at);
        at += entry["size"].GetUint64();
        ASSERT_EQ(entry["bytes"].GetStringLength(), 2 * entry["size"].GetUint64());
    }
    EXPECT_EQ(at, input["size"].GetUint64());
    EXPECT_EQ(input["totals"]["sum"].GetUint64(), at);
}

TEST(MapCommand, Golden) {
    const char* const update = std::getenv("HKPD_UPDATE_GOLDEN");
    const bool writes = update != nullptr && std::string_view(update) == "1";
    for (const std::string_view form : {"listing", "json"}) {
        Arguments arguments{"map", "wine-like.bin", "--verbose"};
        if (form == "json") arguments.emplace_back("--json");
        const Result result = run({.arguments = arguments, .directory = captures});
        EXPECT_EQ(result.exit, 0) << result.err;
        std::string now = result.out;
        if (form == "listing") now += "\n---- standard error, exit 0\n" + result.err;
        const auto path = std::filesystem::path(testdata_folder) / "golden" / ("map." + std::string(form));
        if (writes)
            std::ofstream(path, std::ios::binary) << now;
        else
            EXPECT_EQ(now, read_file(path)) << path;
    }
}

TEST(MapCommand, JsonAccountsForEveryByte) {
    for (const std::string_view name : {"demo.bin", "damaged.bin", "xp-like.bin", "text-and-bytes.bin"}) {
        const Result result = map_of({capture(name), "--json"});
        EXPECT_EQ(result.exit, name == "damaged.bin" ? 1 : 0);
        const auto document = parse_json(result.out);
        const auto inputs = document["inputs"].GetArray();
        ASSERT_EQ(inputs.Size(), 1U);
        expect_accounted(inputs[0]);
        EXPECT_EQ(inputs[0]["size"].GetUint64(), std::filesystem::file_size(capture(name)));
    }
}

TEST(MapCommand, EachRecordOfACaptureAddsUp) {
    const Result result = map_of({capture("simulated.mcap"), "--json"});
    EXPECT_EQ(result.exit, 0) << result.err;
    const auto document = parse_json(result.out);
    std::vector<std::string> forms;
    for (const auto& input : document["inputs"].GetArray()) {
        expect_accounted(input);
        EXPECT_TRUE(input["record"].IsUint());
        forms.emplace_back(input["form"].GetString());
    }
    for (const std::string_view form : {"v1", "v2_data", "identifiers", "registration", "strings", "text", "guid"})
        EXPECT_NE(std::ranges::find(forms, form), forms.end()) << form;
    const Result one = map_of({capture("simulated.mcap"), "--record", "2", "--json"});
    EXPECT_EQ(parse_json(one.out)["inputs"].GetArray().Size(), 1U);
}

TEST(MapCommand, RegistrationsOfACaptureNameItsV2Blocks) {
    const Result result = map_of({capture("simulated.mcap"), "--object", "Geometric Waves"});
    EXPECT_EQ(result.exit, 0) << result.err;
    for (const std::string_view part :
         {"PERF_COUNTER_HEADER, result 1 Geometric Waves\n", "CounterId                 1  Triangle Wave\n",
          "instance 0 \"Small Wave\"\n", "  Square Wave  "})
        EXPECT_TRUE(has(result.out, part)) << part;
}

TEST(MapCommand, OnePlace) {
    const Result result = map_of({capture("xp-like.bin"), "--at", "0x4a4"});
    EXPECT_EQ(result.exit, 0);
    EXPECT_EQ(result.out,
              "0x4a4: block 0 > object 238 Processor > instance 2 \"_Total\" > counter 9 % C1 Time > "
              "PERF_COUNTER_BLOCK > (value)\n"
              "  byte 4 of 8, starting at 0x4a0: 40 b0 8e 76 ae 01 00 00\n"
              "  1848825000000  100 ns\n");
    EXPECT_EQ(map_of({capture("xp-like.bin"), "--at", "1188"}).out, result.out);
}

TEST(MapCommand, APlaceIsShownWithItsFaults) {
    const Result result = map_of({capture("damaged.bin"), "--at", "0x66e"});
    EXPECT_EQ(result.exit, 1);
    EXPECT_TRUE(has(result.out, "> DefinitionLength\n")) << result.out;
    EXPECT_TRUE(
        has(result.out,
            "error: PERF_OBJECT_TYPE.DefinitionLength: the object's definitions extend past the end of the object"))
        << result.out;
    EXPECT_FALSE(has(result.out, "TotalByteLength")) << result.out;
    EXPECT_FALSE(has(result.err, "DefinitionLength")) << "reported twice: " << result.err;
}

TEST(MapCommand, APlaceMayBelongToSeveral) {
    TempFolder folder;
    const blob::Blob blob = blob::build(
        {.objects = {{.title = 2, .counters = {{.title = 44}, {.title = 250, .offset = 4}}, .values = {7, 7}}}});
    const std::string path = folder.write("shared.bin", blob);
    const Result result = map_of({path, "--at", std::to_string(blob.counter_block(0) + 4)});
    EXPECT_TRUE(has(result.out, "counter 0 Processor Queue Length")) << result.out;
    EXPECT_TRUE(has(result.out, "counter 1 Threads")) << result.out;
    EXPECT_TRUE(has(result.out, "[shares 4 bytes with PERF_COUNTER_BLOCK counter 0 Processor Queue Length at"));
    EXPECT_TRUE(has(map_of({path}).out, "overlaps: 1 fields share 4 bytes with others"));
}

TEST(MapCommand, OneObject) {
    const Result all = map_of({capture("demo.bin")});
    for (const std::string request : {"238", "Processor", "proc*sor"}) {
        const Result one = map_of({capture("demo.bin"), "--object", request});
        EXPECT_EQ(one.exit, 0);
        EXPECT_TRUE(has(one.out, "PERF_OBJECT_TYPE, object 238 Processor\n"));
        EXPECT_FALSE(has(one.out, "PERF_OBJECT_TYPE, object 230"));
        EXPECT_FALSE(has(one.out, "PERF_DATA_BLOCK"));
        EXPECT_LT(one.out.size(), all.out.size() / 2);
        EXPECT_TRUE(has(one.out, "46392  100.0 %"));
    }
    const Result none = map_of({capture("demo.bin"), "--object", "Nothing"});
    EXPECT_EQ(none.exit, 2);
    EXPECT_EQ(none.out, "");
    EXPECT_TRUE(has(none.err, "no object 'Nothing'")) << none.err;
}

TEST(MapCommand, FormsGivenAsOptions) {
    TempFolder folder;
    const std::string text = folder.write("name.bin", content_of(v2_blob::build_string(u"Processors")));
    const Result named = map_of({"--registration", text});
    EXPECT_EQ(named.exit, 0);
    EXPECT_TRUE(has(named.out, "\"Processors\"")) << named.out;
    const std::string data =
        folder.write("data.bin", content_of(v2_blob::build({.results = {{.type = 1, .values = {1000}}}})));
    for (const Arguments& arguments : {Arguments{data}, Arguments{"--v2", data}}) {
        const Result block = map_of(arguments);
        EXPECT_EQ(block.exit, 0);
        EXPECT_TRUE(has(block.out, "PERF_COUNTER_DATA, result 0\n")) << block.out;
    }
}

TEST(MapCommand, StandardInputAndSeveralInputs) {
    const std::string content = read_file(capture("xp-like.bin"));
    EXPECT_TRUE(has(map_of({"-"}, content).out, "-: v1, 1232 bytes\n"));
    const Result two = map_of({capture("xp-like.bin"), capture("wine-like.bin")});
    EXPECT_TRUE(has(two.out, "xp-like.bin: v1, 1232 bytes\n") && has(two.out, "wine-like.bin: v1, 536 bytes\n"));
}

TEST(MapCommand, LongRunsAreShownCompletely) {
    const Result brief = map_of({capture("wine-like.bin")}), all = map_of({capture("wine-like.bin"), "--all"});
    EXPECT_TRUE(has(brief.out, "... 64 more bytes\n")) << brief.out;
    EXPECT_FALSE(has(all.out, "more bytes"));
}

TEST(MapCommand, NamesHaveNoEffectOnATerminal) {
    TempFolder folder;
    const blob::Blob blob = blob::build({.objects = {{.title = 2,
                                                      .kind = blob::Kind::multi,
                                                      .counters = {{.title = 44}},
                                                      .instances = {{u"\x1b[31mred\n", {1}}}}}});
    const std::string path = folder.write("names.bin", blob);
    for (const Arguments& arguments :
         {Arguments{path}, Arguments{path, "--at", std::to_string(blob.counter_block(0))}}) {
        const Result result = map_of(arguments);
        EXPECT_FALSE(has(result.out, "\x1b"));
        EXPECT_TRUE(has(result.out, "\\x1B[31mred\\x0A")) << result.out;
    }
}

TEST(MapCommand, ExitCodes) {
    TempFolder folder;
    EXPECT_EQ(map_of({}).exit, 2);
    EXPECT_EQ(map_of({capture("demo.bin"), "--at", "0xZZ"}).exit, 2);
    EXPECT_EQ(map_of({capture("demo.mcap"), "--at", "0"}).exit, 2) << "of which record?";
    EXPECT_EQ(map_of({capture("demo.mcap"), "--record", "1000"}).exit, 2);
    EXPECT_EQ(map_of({capture("demo.bin"), capture("xp-like.bin"), "--at", "0"}).exit, 2);
    const Result beyond = map_of({capture("demo.bin"), "--at", "46392"});
    EXPECT_EQ(beyond.exit, 2);
    EXPECT_EQ(beyond.err,
              "hkpd map: offset 0xb538 is beyond the end of the input (0xb538 bytes) (see hkpd map --help)\n");
    EXPECT_EQ(map_of({folder.path("missing.bin")}).exit, 3);
    EXPECT_EQ(map_of({folder.write("empty.bin", "")}).exit, 3);
    EXPECT_EQ(map_of({folder.write("noise.bin", std::string(100, '\x07'))}).exit, 3);
    EXPECT_EQ(map_of({capture("demo.bin"), "--record", "0"}).exit, 3) << "no capture";
    const auto empty = std::filesystem::path(folder.path("empty"));
    std::filesystem::create_directory(empty);
    const Result nothing = map_of({empty.string()});
    EXPECT_EQ(nothing.exit, 3);
    EXPECT_TRUE(has(nothing.err, "no performance data found")) << nothing.err;
    const Result titles = map_of({folder.write("counter.txt", "1\n1847\n2\nSystem\n4\nMemory\n")});
    EXPECT_EQ(titles.exit, 3);
    EXPECT_TRUE(has(titles.err, "is a title database")) << titles.err;
}

}  // namespace map_cli_test
}  // namespace hkpd_test
