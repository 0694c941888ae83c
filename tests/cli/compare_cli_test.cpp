// hkpd compare as a user runs it, on captures of the simulated machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "capture_cli.hpp"
#include "json_text.hpp"

namespace hkpd_test {
namespace compare_cli_test {

using testing::HasSubstr;
using testing::Not;

Result compare(std::vector<std::string> arguments, std::string input = {}) {
    arguments.insert(arguments.begin(), "compare");
    return run({.arguments = std::move(arguments), .input = std::move(input)});
}

class CompareCli : public testing::Test {
  protected:
    /// Returns a capture of the simulated machine.
    std::string simulated(std::vector<std::string> options = {}) const {
        const std::string path = folder_.path("simulated.mcap");
        options.insert(options.end(), {"--simulate", "--count", "5", "-o", path});
        const Result made = capture(options);
        EXPECT_EQ(made.exit, 0) << made.err;
        return path;
    }

    /// Returns arguments that name the same content as bare files.
    std::vector<std::string> bare_files() const {
        const std::string folder = folder_.path("bare");
        std::filesystem::create_directory(folder);
        EXPECT_EQ(capture({"--export", folder, simulated()}).exit, 0);
        v1_ = folder_.write("v1.bin", all_files(folder, ".bin"));
        v2_ = folder_.write("v2.bin", all_files(folder, ".v2"));
        std::vector<std::string> arguments{v1_, "--v2", v2_, "--titles",
                                           folder_.path("bare/titles-counter-009.titles")};
        std::vector<std::string> files;
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            files.push_back(hkpd::path_text(entry.path()));
        std::ranges::sort(files);
        bool asked = false;
        for (const std::string& file : files) {
            if (file.ends_with(".v2-query") && !std::exchange(asked, true))
                arguments.insert(arguments.end(), {"--identifiers", file});
            if (file.ends_with(".v2-registration")) arguments.insert(arguments.end(), {"--registration", file});
        }
        return arguments;
    }

    /// Adds 1 to a counter after the name of an instance in the nth block that has it: the first counter, or a later
    /// one.
    void alter(std::u16string_view instance, std::size_t block, std::size_t counter) const {
        constexpr std::size_t counter_data = 16, value = 8, instance_header = 8;
        std::string bytes = read_file(v2_);
        const std::string name = blob::utf16(std::u16string(instance) + u'\0');
        std::size_t at = bytes.find(name);
        for (std::size_t i = 0; i < block; ++i) at = bytes.find(name, at + 1);
        ASSERT_NE(at, std::string::npos);
        at += blob::round_up(name.size() + instance_header, 8) - instance_header + counter * counter_data + value;
        ++bytes[at];
        (void)folder_.write("v2.bin", bytes);
    }

    TempFolder folder_;
    mutable std::string v1_, v2_;
};

TEST_F(CompareCli, BothInterfacesOfTheSimulatedMachineAgree) {
    const Result result = compare({simulated()});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, HasSubstr("5 pairs of V1 and V2 samples of SIMULATED, taken at the same times\n"));
    EXPECT_THAT(result.out, HasSubstr(" counters agree, 0 differ, 0 only V1, 0 only V2 in the objects of both"));
    EXPECT_THAT(result.out, HasSubstr("objects only V1 (number of counters): System (18)"));
    EXPECT_THAT(result.out, HasSubstr("Thread ("));
    EXPECT_THAT(result.out, Not(HasSubstr("agrees")));
    EXPECT_THAT(result.out, HasSubstr("bytes per sample"));
    EXPECT_THAT(result.out, HasSubstr("microseconds to collect a sample of SIMULATED: "));
}

TEST_F(CompareCli, AllCountersOnRequest) {
    const Result result = compare({simulated(), "--all", "--object", "Geometric Waves"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("agrees    Geometric Waves\\Triangle Wave: 20 values, 20 cooked\n"));
    EXPECT_THAT(result.out, HasSubstr("agrees    Geometric Waves\\Square Wave: 20 values, 20 cooked\n"));
    EXPECT_THAT(result.out, HasSubstr("2 counters agree, 0 differ"));
    EXPECT_THAT(result.out, Not(HasSubstr("System")));
}

TEST_F(CompareCli, StandardInput) {
    const Result result = compare({"-"}, read_file(simulated()));
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("5 pairs"));
}

TEST_F(CompareCli, TwoInputs) {
    const Result result = compare(bare_files());
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("5 pairs of V1 and V2 samples of SIMULATED, taken at the same times\n"));
    EXPECT_THAT(result.out, HasSubstr(" counters agree, 0 differ"));
    EXPECT_THAT(result.out, Not(HasSubstr("only V2,")));
}

TEST_F(CompareCli, OneAlteredCounterOfOneInstanceIsTheOnlyDifference) {
    const std::vector<std::string> files = bare_files();
    alter(u"Medium Wave", 2, 0);
    const Result result = compare(files);
    EXPECT_EQ(result.exit, 1) << result.err;
    std::vector<std::string> differing = lines(result.out);
    std::erase_if(differing, [](const std::string& line) { return !line.starts_with("differs"); });
    ASSERT_EQ(differing.size(), 1U) << result.out;
    EXPECT_THAT(differing[0], HasSubstr("Geometric Waves\\Triangle Wave: raw in 1 of 20 values, cooked in 1 of 20"));
    EXPECT_THAT(differing[0], HasSubstr("first 2026-01-01T00:00:02.000Z instance Medium Wave: raw 54 | 55"));
    EXPECT_THAT(result.out, HasSubstr(", 1 differs,"));

    std::vector<std::string> json = files;
    json.insert(json.end(), {"--format", "json"});
    const Result document = compare(json);
    EXPECT_EQ(document.exit, 1);
    const auto parsed = parse_json(document.out);
    EXPECT_FALSE(at(parsed, "agrees").GetBool());
    EXPECT_EQ(at(parsed, "differ").GetUint(), 1U);
    for (const auto& counter : at(parsed, "counters").GetArray()) {
        const bool altered = at(counter, "counter").GetString() == std::string("Triangle Wave");
        EXPECT_STREQ(at(counter, "verdict").GetString(), altered ? "differs" : "equal") << json_text(counter);
        if (!altered) continue;
        EXPECT_STREQ(at(counter, "first", "instance").GetString(), "Medium Wave");
        EXPECT_EQ(at(counter, "first", "v1_raw").GetUint64() + 1, at(counter, "first", "v2_raw").GetUint64());
        EXPECT_EQ(at(counter, "counter_id").GetUint(), 1U);
    }
    EXPECT_EQ(at(parsed, "instances").Size(), 0U);

    std::vector<std::string> tolerant = files;
    tolerant.insert(tolerant.end(), {"--tolerance", "5"});
    EXPECT_EQ(compare(tolerant).exit, 0);
    std::vector<std::string> other = files;
    other.insert(other.end(), {"--instance", "Large Wave"});
    EXPECT_EQ(compare(other).exit, 0);
}

TEST_F(CompareCli, JsonHasEverything) {
    const Result result = compare({simulated(), "--format", "json"});
    EXPECT_EQ(result.exit, 0) << result.err;
    const auto parsed = parse_json(result.out);
    EXPECT_TRUE(at(parsed, "agrees").GetBool());
    EXPECT_EQ(at(parsed, "pairs").GetUint(), 5U);
    EXPECT_EQ(at(parsed, "largest_gap_ns").GetInt64(), 0);
    EXPECT_EQ(at(parsed, "equal").GetUint(), at(parsed, "counters").Size());
    EXPECT_STREQ(at(parsed, "collection", 0, "machine").GetString(), "SIMULATED");
    EXPECT_EQ(at(parsed, "collection", 0, "v2", "samples").GetUint(), 5U);
    EXPECT_EQ(at(parsed, "collection", 0, "v1", "bytes").GetUint64(), at(parsed, "v1_bytes").GetUint64());
    EXPECT_STREQ(at(parsed, "objects", 0, "verdict").GetString(), "only_v1");
    EXPECT_STREQ(at(parsed, "objects", 0, "object").GetString(), "System");
    EXPECT_EQ(at(parsed, "objects", 0, "object_index").GetUint(), 2U);
}

TEST_F(CompareCli, OneInterfaceIsNotEnough) {
    EXPECT_EQ(compare({simulated(), "--interfaces"}).exit, 0);
    const Result v1 = compare({simulated({"--v1"}), "--interfaces"});
    EXPECT_EQ(v1.exit, 2);
    EXPECT_EQ(v1.out, "");
    EXPECT_THAT(v1.err, HasSubstr("no V2 samples found: "));
    const Result v2 = compare({simulated({"--v2"}), "--interfaces"});
    EXPECT_EQ(v2.exit, 2);
    EXPECT_THAT(v2.err, HasSubstr("no V1 samples found: "));
    const Result json = compare({simulated({"--v1"}), "--interfaces", "--format", "json"});
    EXPECT_EQ(json.exit, 2);
    EXPECT_FALSE(at(parse_json(json.out), "agrees").GetBool());
}

TEST_F(CompareCli, WithoutNamesNothingCanBeCompared) {
    std::vector<std::string> files = bare_files();
    files.resize(3);
    const Result result = compare(files);
    EXPECT_EQ(result.exit, 2);
    EXPECT_THAT(result.err, HasSubstr("no common counters"));
}

TEST_F(CompareCli, WrongUsage) {
    EXPECT_EQ(compare({}).exit, 2);
    EXPECT_EQ(compare({"x", "--format", "csv"}).exit, 2);
    EXPECT_EQ(compare({"x", "--tolerance", "-1"}).exit, 2);
    EXPECT_EQ(compare({"x", "--tolerance", "nan"}).exit, 2);
    EXPECT_THAT(compare({"x", "--source", "v1"}).err, HasSubstr("unrecognised option '--source'"));
    EXPECT_EQ(compare({simulated(), "--object", "No Such"}).exit, 2);
    EXPECT_EQ(compare({folder_.path("nothing here")}).exit, 3);
    const Result help = compare({"--help-all"});
    EXPECT_EQ(help.exit, 0);
    EXPECT_THAT(help.out, HasSubstr("--tolerance"));
}

}  // namespace compare_cli_test
}  // namespace hkpd_test
