// `hkpd check`: its findings in each form, and the providers that it names.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "json_text.hpp"
#include "run_command.hpp"
#include "support/blob_builder.hpp"
#include "support/blob_fields.hpp"
#include "support/places.hpp"
#include "support/shared_dir.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace check_cli_test {

using Arguments = std::vector<std::string>;

Result check(Arguments arguments) {
    arguments.insert(arguments.begin(), "check");
    return run(std::move(arguments));
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string testdata(const std::string& name) { return std::string(testdata_folder) + "/captures/" + name; }

/// Returns two lists, and an object of a provider whose indices start at 5000.
blob::Block machine() {
    return {.objects = {{.title = 238,
                         .kind = blob::Kind::multi,
                         .counters = {{.title = 6, .type = blob::counter_type::timer_100ns, .size = 8}},
                         .instances = {{u"0", {100}}, {u"_Total", {300}}}},
                        {.title = 5000,
                         .kind = blob::Kind::multi,
                         .counters = {{.title = 5002}},
                         .instances = {{u"left", {1}}, {u"right", {2}}}},
                        {.title = 2, .counters = {{.title = 10}}, .values = {7}}}};
}

class CheckCommand : public testing::Test {
  protected:
    /// Returns a block in which the provider's second instance has a counter block too short for its own length.
    std::string broken_block() {
        blob::Blob blob = blob::build(machine());
        broken_at_ = blob.counter_block(1, 1);
        blob.put32(broken_at_, 2);
        return folder_.write("broken.bin", to_text(blob));
    }
    std::string services() {
        return folder_.write("services.reg",
                             "REGEDIT4\r\n\r\n[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\Acme\\"
                             "Performance]\r\n\"Library\"=\"acmeperf.dll\"\r\n\"First Counter\"=dword:00001388\r\n"
                             "\"Last Counter\"=dword:0000138c\r\n\"First Help\"=dword:00001389\r\n"
                             "\"Last Help\"=dword:0000138d\r\n");
    }

    TempFolder folder_;
    std::size_t broken_at_ = 0;
};

TEST_F(CheckCommand, CleanInputs) {
    const Result clean = check({folder_.write("clean.bin", to_text(blob::build(machine())))});
    EXPECT_EQ(clean.exit, 0) << clean.out;
    EXPECT_EQ(clean.out, "no faults: 0 notes; checked: 1 sample\n");
    EXPECT_EQ(clean.err, "");
}

TEST_F(CheckCommand, AFaultHasItsRulePlaceAndProvider) {
    const Result found = check({broken_block(), "--services", services()});
    EXPECT_EQ(found.exit, 1);
    EXPECT_EQ(found.err, "");
    char place[32];
    std::snprintf(place, sizeof place, "offset 0x%zx: error: ", broken_at_);
    EXPECT_TRUE(has(found.out, place)) << found.out;
    for (const char* part : {"PERF_COUNTER_BLOCK.ByteLength", "expected 8, found 2", "(object 5000, instance 1)",
                             "    rule: The lengths in an object add up: each structure begins where the previous one "
                             "ends, and the last one ends where the object ends.\n",
                             "    provider: service Acme, acmeperf.dll\n",
                             "    event: Perflib event 1004 in the Windows application log\n",
                             "faults: 1 error, 0 warnings, 0 notes; checked: 1 sample, 1 provider\n"})
        EXPECT_TRUE(has(found.out, part)) << part << "\n" << found.out;
}

TEST_F(CheckCommand, JsonHasTheSameFindings) {
    const Result found = check({broken_block(), "--services", services(), "--format", "json"});
    EXPECT_EQ(found.exit, 1);
    const auto document = parse_json(found.out);
    ASSERT_EQ(document["findings"].Size(), 1U) << found.out;
    const auto& finding = document["findings"][0];
    EXPECT_STREQ(finding["code"].GetString(), "length_corrected");
    EXPECT_STREQ(finding["severity"].GetString(), "error");
    EXPECT_EQ(finding["offset"].GetUint64(), broken_at_);
    EXPECT_EQ(finding["object"].GetUint(), 5000U);
    EXPECT_EQ(finding["instance"].GetUint(), 1U);
    EXPECT_EQ(finding["perflib_event"].GetUint(), 1004U);
    EXPECT_STREQ(finding["service"].GetString(), "Acme");
    EXPECT_STREQ(finding["library"].GetString(), "acmeperf.dll");
    EXPECT_EQ(document["summary"]["errors"].GetUint(), 1U);
    EXPECT_EQ(document["summary"]["samples"].GetUint(), 1U);
}

TEST_F(CheckCommand, SarifHasEachCodeAsARule) {
    const Result found =
        check({broken_block(), testdata("xp-like.bin"), "--format", "sarif", "--services", services()});
    EXPECT_EQ(found.exit, 1);
    const auto document = parse_json(found.out);
    EXPECT_STREQ(document["version"].GetString(), "2.1.0");
    const auto& run = document["runs"][0];
    const auto& rules = run["tool"]["driver"]["rules"];
    ASSERT_EQ(run["results"].Size(), 2U) << found.out;
    for (const auto& result : run["results"].GetArray()) {
        const auto index = result["ruleIndex"].GetUint();
        ASSERT_LT(index, rules.Size());
        EXPECT_STREQ(rules[index]["id"].GetString(), result["ruleId"].GetString());
        EXPECT_TRUE(result["message"]["text"].GetStringLength() != 0);
    }
    const auto& first = run["results"][0];
    EXPECT_STREQ(first["level"].GetString(), "error");
    const auto& place = first["locations"][0]["physicalLocation"];
    EXPECT_EQ(place["region"]["byteOffset"].GetUint64(), broken_at_);
    EXPECT_TRUE(has(place["artifactLocation"]["uri"].GetString(), "broken.bin"));
    const auto& second = run["results"][1]["locations"][0]["logicalLocations"][0];
    EXPECT_STREQ(second["fullyQualifiedName"].GetString(), "Processor(_Total)");
}

TEST_F(CheckCommand, NotesAreNotFaults) {
    blob::Block block = machine();
    block.objects[2].counters[0].size = 8;  // a DWORD type in 8 bytes, as in Samba
    const std::string name = folder_.write("note.bin", to_text(blob::build(block)));
    const Result quiet = check({name});
    EXPECT_EQ(quiet.exit, 0);
    EXPECT_EQ(quiet.out, "no faults: 1 note (--verbose shows notes); checked: 1 sample\n");
    EXPECT_TRUE(has(check({name, "--verbose"}).out, "note: PERF_COUNTER_DEFINITION.CounterSize"));
}

TEST_F(CheckCommand, ManyFindingsOfAKindAreCounted) {
    blob::Block block = machine();
    for (int i = 0; i < 20; ++i) block.objects[1].instances.push_back({u"more", {3}});
    blob::Blob blob = blob::build(block);
    for (std::size_t i = 0; i < 22; ++i)  // names outside their instances
        blob.put32(blob.instance(1, i) + blob::instance_definition::NameOffset, 0x10000);
    const std::string name = folder_.write("many.bin", to_text(blob));
    const Result shortened = check({name});
    EXPECT_TRUE(has(shortened.out, "17 more: error instance_name in object 5000 (--verbose shows them)\n"))
        << shortened.out;
    EXPECT_EQ(lines(check({name, "--verbose"}).out).size(), 22U * 2 + 2);  // with places; a rule, and the summary
    EXPECT_EQ(parse_json(check({name, "--format", "json"}).out)["findings"].Size(), 22U);
}

TEST_F(CheckCommand, TitleDatabases) {
    const std::string good = folder_.write("counter-009.txt", "1\n1847\n2\nSystem\n4\nMemory\n6\n% Processor Time\n");
    EXPECT_EQ(check({good}).exit, 0);
    const std::string bad = folder_.write("bad.txt", "1\n1847\n2\nSystem\n\nMemory\n6\n% Processor Time\n8\n");
    const Result found = check({bad});
    EXPECT_EQ(found.exit, 1);
    EXPECT_TRUE(has(found.out, "lodctr /R")) << found.out;
    EXPECT_TRUE(has(found.out, "checked: 0 samples, 1 title table")) << found.out;
}

/// An input with titles names the counters of the others; counters without a name are reported.
TEST_F(CheckCommand, CountersWithoutATitle) {
    const std::string titles =
        folder_.write("counter-009.txt", "2\nSystem\n10\nFiles\n5000\nAcme\n238\nProcessor\n6\n%\n");
    const Result found = check({folder_.write("clean.bin", to_text(blob::build(machine()))), titles});
    EXPECT_EQ(found.exit, 1);
    EXPECT_TRUE(has(found.out, "no title for index 5002")) << found.out;
    EXPECT_FALSE(has(found.out, "index 5000\n")) << found.out;
    EXPECT_TRUE(has(found.out, "object \"Acme\"")) << found.out;
}

TEST_F(CheckCommand, WrongUsage) {
    EXPECT_EQ(check({}).exit, 2);
    EXPECT_EQ(check({testdata("demo.bin"), "--format", "xml"}).exit, 2);
    EXPECT_EQ(check({folder_.path("not there")}).exit, 3);
    const Result services = check({testdata("demo.bin"), "--services", testdata("demo.bin")});
    EXPECT_EQ(services.exit, 3);
    EXPECT_TRUE(has(services.err, "registry export")) << services.err;
}

/// Files of several machines are not consecutive samples.
TEST_F(CheckCommand, InputsAreCheckedOneByOne) {
    const Result found = check({testdata("demo.bin"), testdata("big-endian.bin"), testdata("demo.bin")});
    EXPECT_FALSE(has(found.out, "machine_changed")) << found.out;
    EXPECT_FALSE(has(found.out, "another machine")) << found.out;
    EXPECT_FALSE(has(found.out, "older than")) << found.out;
}

TEST_F(CheckCommand, ALiveMachine) {
    const Result found = check({"--simulate", "--count", "2", "--interval", "0.01"});
    EXPECT_TRUE(has(found.out, "checked: 2 samples, ")) << found.out << found.err;
}

/// In JSON, `expected` and `found` are what the message states under these words, whichever code the fault has.
TEST(CheckNumbers, AreThoseOfTheMessage) {
    const std::string place = R"(($|: line |: sample |: time |: after the row |: \\\\))";
    const std::regex both(": expected (-?[0-9]+), found (-?[0-9]+)" + place), one(": found ([0-9]+)" + place);
    std::set<std::string> compared;
    std::size_t count = 0;
    for (const std::string folder : {"v1_block", "v2_data", "blg", "capture", "titles", "text_log", "dump", "check"}) {
        Arguments arguments{"--format", "json"};
        if (folder == "v2_data") arguments.emplace_back("--v2");
        for (const auto& file : std::filesystem::directory_iterator(std::string(testdata_folder) + "/corpus/" + folder))
            arguments.push_back(hkpd::path_text(file.path()));
        const auto document = parse_json(check(arguments).out);
        for (const rapidjson::Value& finding : at(document, "findings").GetArray()) {
            const std::string message = at(finding, "message").GetString(),
                              expected = json_text(at(finding, "expected")), found = json_text(at(finding, "found"));
            std::smatch stated;
            if (std::regex_search(message, stated, both)) {
                EXPECT_EQ(expected, stated[1]) << message;
                EXPECT_EQ(found, stated[2]) << message;
                compared.insert(at(finding, "code").GetString());
                ++count;
            } else if (std::regex_search(message, stated, one)) {
                EXPECT_EQ(expected, "null") << message;
                EXPECT_EQ(found, stated[1]) << message;
            } else if (expected != "null") {
                EXPECT_EQ(expected, found) << message;  // the message shows no pair of equal numbers
            }
        }
    }
    EXPECT_GT(count, 500U);
    EXPECT_GT(compared.size(), 25U);
}

struct Quirk {
    const char* file;
    const char* states;
};

/// Real producers, by their known quirks.
class RealProducersCheck : public SharedDir {};

TEST_F(RealProducersCheck, NamesTheirQuirks) {
    constexpr const char* samba = "the length excludes the header, as Samba writes it";
    constexpr const char* wine = "88 extra bytes follow the header, as Wine writes them";
    const Quirk quirks[] = {
        {"samba-global-big.bin", samba},
        {"samba-global-dsort.bin", samba},
        {"samba-global-empty.bin", samba},
        {"samba-global-noctr.bin", samba},
        {"samba-global-noname.bin", samba},
        {"samba-global-ok.bin", samba},
        {"samba-global-text.bin", samba},
        {"samba-global-zero.bin", samba},
        {"samba-query-object2.bin", samba},
        {"samba-global-shortbuf200.bin", "the input has fewer bytes than the block: expected 808, found 200"},
        {"samba-global-shortbuf64.bin", "the input has too few bytes for the structure: expected 88, found 64"},
        {"wine32-global-raw.bin", wine},
        {"wine64-10.0-global-raw.bin", wine},
        {"wine64-global-raw.bin", wine},
        {"wine64-2providers-raw.bin", "the block contains more than one object with index"},
        {"wine64-2providers-oddlen-raw.bin", "stray bytes after the object: found 4"},
        {"wine64-quirk-oddlen-raw.bin", "stray bytes after the object: found 4"},
        {"wine64-quirk-nobjlie-raw.bin", "the stated number of objects is wrong: expected 4, found 7"},
        {"wine64-collectfail-raw.bin", wine},
    };
    for (const Quirk& quirk : quirks) {
        const Result found = check({path(std::string("live/blobs/") + quirk.file)});
        EXPECT_EQ(found.exit, 1) << quirk.file;
        EXPECT_TRUE(has(found.out, quirk.states)) << quirk.file << ": " << found.out;
    }
    for (const char* clean : {"wine64-global-degapped.bin", "wine64-global-noprov.bin", "samba-counter009.bin",
                              "samba-explain009.bin", "wine64-counter009.bin", "wine64-help009.bin"})
        EXPECT_EQ(check({path(std::string("live/blobs/") + clean)}).exit, 0) << clean;
    EXPECT_EQ(check({"--v2", path("live/blobs/wine64-v2-perf_data_header-only.bin")}).exit, 0);
    EXPECT_EQ(check({path("data/v1/vista-2007")}).exit, 0);
}

}  // namespace check_cli_test
}  // namespace hkpd_test
