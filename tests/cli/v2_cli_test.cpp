// `hkpd dump` and `hkpd replay` on results of the PerfLib functions: bare files, captures, both interfaces together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/capture.hpp"
#include "hkpd/diagnostics.hpp"
#include "json_text.hpp"
#include "run_command.hpp"
#include "support/blob_builder.hpp"
#include "support/temp_folder.hpp"
#include "support/v2_waves.hpp"

namespace hkpd_test {
namespace v2_cli_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string text_of(const blob::ByteBuffer& bytes) {
    return {reinterpret_cast<const char*>(bytes.bytes().data()), bytes.size()};
}

class V2Cli : public testing::Test {
  protected:
    std::string write(std::string_view name, const blob::ByteBuffer& bytes) const {
        return folder_.write(name, text_of(bytes));
    }
    /// Runs a subcommand with its options, followed by more arguments.
    static Result with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
    std::vector<std::string> bare() const { return {"--v2", block_}; }
    std::vector<std::string> registered() const {
        return {"--v2",           block_,         "--registration", registration_,
                "--registration", counter_names_, "--registration", name_};
    }
    static blob::Blob v1_blob() {
        return blob::build(
            {.objects = {{.title = 6000, .counters = {{.title = 6002}}, .values = {11}}}, .machine = u"DEMO"});
    }
    std::string v1() const { return folder_.write("v1.bin", v1_blob()); }

    /// Returns a capture of one machine through both interfaces.
    std::string both_interfaces() const {
        using hkpd::Record;
        std::string file;
        hkpd::CaptureWriter writer(
            [&file](std::span<const std::byte> bytes) {
                file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
                return true;
            },
            {});
        hkpd::Recorder recorder(writer);
        hkpd::Diagnostics found;
        const auto add = [&](Record::Kind kind, const auto& bytes, hkpd::v2::RegistrationRequest request = {}) {
            Record record{kind, hkpd::Bytes(bytes.bytes())};
            record.machine = "DEMO";
            record.counterset = waves::guid;
            record.request = static_cast<std::uint32_t>(request);
            recorder.add(record, found);
        };
        using enum hkpd::v2::RegistrationRequest;
        add(Record::Kind::v2_registration, waves::registration(), counterset_struct);
        add(Record::Kind::v2_registration, waves::counter_names(), counter_names);
        add(Record::Kind::v2_registration, v2_blob::build_string(u"Waves"), counterset_name);
        add(Record::Kind::v1_block, v1_blob());
        add(Record::Kind::v2_identifiers, waves::identifiers());
        add(Record::Kind::v2_block, v2_blob::build(waves::block()));
        recorder.finish();
        writer.finish();
        EXPECT_TRUE(found.kept().empty());
        return folder_.write("both.mcap", file);
    }

    TempFolder folder_;
    std::string block_ = write("data.bin", v2_blob::build(waves::block()));
    std::string identifiers_ = write("query.bin", waves::identifiers());
    std::string registration_ = write("set.bin", waves::registration());
    std::string counter_names_ = write("names.bin", waves::counter_names());
    std::string name_ = write("name.bin", v2_blob::build_string(u"Waves"));
};

TEST_F(V2Cli, WithRegistrationThereAreNamesAndTypes) {
    const Result result = with({"dump", "--format", "json"}, registered());
    EXPECT_EQ(result.exit, 0) << result.err;
    const auto document = parse_json(result.out);
    const rapidjson::Value& sample = at(document, "samples", 0);
    EXPECT_EQ(json_text(at(sample, "source")), "\"v2\"");
    EXPECT_EQ(keys(sample), "machine,source,system_time,perf_time,perf_freq,perf_time_100ns,objects");
    const rapidjson::Value& object = at(sample, "objects", 0);
    EXPECT_EQ(keys(object), "counterset,name,detail_level,kind,counters,instances");
    EXPECT_EQ(json_text(at(object, "counterset")), '"' + std::string(waves::guid_text) + '"');
    EXPECT_EQ(json_text(at(object, "name")), "\"Waves\"");
    EXPECT_EQ(keys(at(object, "counters", 0)),
              "id,name,type,type_name,size,scale,detail_level,attributes,base,time,frequency,multi");
    EXPECT_EQ(json_text(at(object, "counters", 1, "id")), "2");
    EXPECT_EQ(json_text(at(object, "counters", 1, "attributes")), "[\"display_as_hex\"]");
    EXPECT_EQ(json_text(at(object, "counters", 4, "base")), "5");
    EXPECT_EQ(json_text(at(object, "instances", 1)),
              R"({"name":"Large Wave","id":2,"instance":"Large Wave","pid":null,"instance_id":2,"life":1,)"
              R"("pdh_instance":"Large Wave","values":[60,16,8,4602678819172646912,3,4]})");
    const std::string table = with({"dump"}, registered()).out;
    EXPECT_THAT(table, HasSubstr("V2 (PerfLib), 1 object, raw values, names: registration info\n"));
    EXPECT_THAT(table, HasSubstr("Waves (V2 {0a1b2c3d-4e5f-6071-8293-010203040506}), 2 instances, 6 counters\n"));
}

TEST_F(V2Cli, WithoutRegistrationThereAreIdsAndRawValues) {
    const Result result = with({"dump", "--format", "json"}, bare());
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("warning: PERF_COUNTER_HEADER: unknown counterset: provide "
                                      "--identifiers and --registration for names and types (result 0)\n"));
    const auto document = parse_json(result.out);
    const rapidjson::Value& object = at(document, "samples", 0, "objects", 0);
    EXPECT_EQ(json_text(at(object, "counterset")), "null");
    EXPECT_EQ(json_text(at(object, "result")), "0");
    EXPECT_EQ(json_text(at(object, "counters", 0, "id")), "1");
    EXPECT_EQ(json_text(at(object, "counters", 0, "type")), "null");
    EXPECT_EQ(json_text(at(object, "instances", 0, "values", 0)), "40");
    EXPECT_EQ(json_text(at(document, "diagnostics", 0, "result")), "0");
    EXPECT_THAT(with({"dump"}, bare()).out, HasSubstr("names: none (use --registration FILE)\n"));
}

TEST_F(V2Cli, IdentifiersNameTheCounterset) {
    const Result result = with({"dump", "--format", "jsonl", "--identifiers", identifiers_}, bare());
    EXPECT_EQ(result.exit, 0);
    EXPECT_THAT(result.err, IsEmpty());
    EXPECT_THAT(result.out, HasSubstr("\"counterset\":\"{0a1b2c3d-4e5f-6071-8293-010203040506}\""));
}

TEST_F(V2Cli, FiltersTakeGuidsAndIds) {
    const auto values = [&](const std::vector<std::string>& filter) {
        std::vector<std::string> arguments = registered();
        arguments.insert(arguments.end(), filter.begin(), filter.end());
        const Result result = with({"dump", "--format", "csv"}, arguments);
        std::string raw;
        for (const std::string& line : lines(result.out)) raw += line.substr(line.rfind(',') + 1) + ' ';
        return std::to_string(result.exit) + ' ' + raw;
    };
    EXPECT_EQ(values({"--object", "0A1B2C3D-4E5F-6071-8293-010203040506", "--counter", "2"}), "0 raw 255 16 ");
    EXPECT_EQ(values({"--path", "\\" + std::string(waves::guid_text) + "(Small*)\\1"}), "0 raw 40 ");
    EXPECT_EQ(values({"--path", R"(\Waves(Large Wave)\Flags)"}), "0 raw 16 ");
    EXPECT_EQ(values({"--object", "2147483648"}), "2 raw ");
}

TEST_F(V2Cli, HostileNamesDoNotActOnTheTerminal) {
    v2_blob::Block block = waves::block();
    block.results[0].instances[0].name = u"\x1B[2J\n";
    // PERF_REG_COUNTERSET_NAME_STRING of the set, with the file name that it requires.
    const std::string evil =
        write(std::string(waves::guid_text.substr(1, waves::guid_text.size() - 2)) + "-03.v2-registration",
              v2_blob::build_string(u"\x1B]0;gotcha\x07"));
    const Result result = run({"dump", "--v2", write("hostile.bin", v2_blob::build(block)), "--registration",
                               registration_, "--registration", counter_names_, "--registration", evil});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_THAT(result.out, Not(HasSubstr("\x1B")));
    EXPECT_THAT(result.out, HasSubstr("\\x1B]0;gotcha\\x07 (V2 {"));
    EXPECT_THAT(result.out, HasSubstr("  \\x1B[2J\\x0A "));
}

TEST_F(V2Cli, SourcesOneByOne) {
    const auto sources = [&](std::vector<std::string> more) {
        more.insert(more.end(), {v1(), "--v2", block_, "--registration", registration_});
        const Result result = with({"dump", "--format", "csv"}, more);
        std::string all;
        for (const std::string_view source : {",v1,", ",v2,"})
            all += std::to_string(std::ranges::count_if(
                       lines(result.out), [&](const std::string& line) { return line.contains(source); })) +
                   ' ';
        return all + std::to_string(result.exit);
    };
    EXPECT_EQ(sources({}), "1 12 0");
    EXPECT_EQ(sources({"--source", "v1"}), "1 0 0");
    EXPECT_EQ(sources({"--source", "v2"}), "0 12 0");
    const Result none = run({"dump", v1(), "--source", "v2"});
    EXPECT_EQ(none.exit, 2);
    EXPECT_THAT(none.err, HasSubstr("hkpd dump: no sample from v2 was selected"));
    EXPECT_EQ(run({"replay", v1(), "--source", "v2"}).exit, 2);
}

TEST_F(V2Cli, ReplayCooksEachInterfaceSeparately) {
    const std::string later = write("later.bin", v2_blob::build(waves::block(50, 41)));
    std::vector<std::string> both = registered();
    both.insert(both.end(), {"--v2", later});
    const Result csv = with({"replay", "--format", "csv", "--counter", "Share"}, both);
    EXPECT_EQ(csv.exit, 0) << csv.err;
    EXPECT_THAT(csv.out, HasSubstr(",Large Wave,,2,1,Large Wave,Share,5,PERF_RAW_FRACTION,3,75,\n"));
    const Result summary = with({"replay", "--summary"}, both);
    EXPECT_THAT(summary.out, HasSubstr("\\Waves(Small Wave)\\Plain"));
    EXPECT_THAT(summary.out, Not(HasSubstr("Hidden")));
    EXPECT_THAT(with({"replay", "--format", "pdh-csv"}, both).out, HasSubstr(R"("\Waves(Small Wave)\Plain")"));
    EXPECT_THAT(with({"replay", "--format", "openmetrics"}, both).out,
                HasSubstr("hkpd_waves_plain{instance=\"Small Wave\",instance_id=\"0\"} 50 1600000001.123e0\n"));
}

TEST_F(V2Cli, OnlyOneInterfaceWhereNamesWouldRepeat) {
    const std::vector<std::string> arguments{both_interfaces()};
    for (const std::string_view format : {"pdh-csv", "pdh-tsv", "openmetrics"}) {
        const std::string both = with({"replay", "--format", std::string(format)}, arguments).out;
        EXPECT_THAT(both, HasSubstr("6002")) << format;
        EXPECT_THAT(both, Not(HasSubstr("Wave"))) << format;
        const std::string chosen = with({"replay", "--source", "v2", "--format", std::string(format)}, arguments).out;
        EXPECT_THAT(chosen, Not(HasSubstr("6002"))) << format;
        EXPECT_THAT(chosen, HasSubstr("Wave")) << format;
    }
    EXPECT_THAT(with({"replay", "--summary"}, arguments).out, Not(HasSubstr("Wave")));
    EXPECT_THAT(with({"replay"}, arguments).out, HasSubstr("machine DEMO, 2020-09-13T12:26:40.123Z, V2 (PerfLib), "));
    const Result verbose = with({"replay", "--format", "openmetrics", "--verbose"}, arguments);
    EXPECT_THAT(verbose.err, HasSubstr("samples whose source (registry, PerfLib or log) differs from that of the first "
                                       "sample are skipped; select the source with --source"));
}

TEST_F(V2Cli, BadFiles) {
    const Result no_block = run({"dump", "--v2", folder_.write("junk.bin", std::string(100, '\x7'))});
    EXPECT_EQ(no_block.exit, 1);
    EXPECT_THAT(no_block.err, HasSubstr("junk.bin: "));
    EXPECT_THAT(no_block.err, HasSubstr("not a V2 (PerfLib) data block"));
    EXPECT_EQ(run({"dump", "--v2", folder_.path("missing.bin")}).exit, 3);
    EXPECT_EQ(run({"dump", "--v2", block_, "--registration", folder_.path("missing.bin")}).exit, 3);
    const Result odd = run({"dump", "--v2", block_, "--registration", folder_.write("odd.bin", "ab\x1")});
    EXPECT_EQ(odd.exit, 1);
    EXPECT_THAT(odd.out, HasSubstr("result 0 (V2), 2 instances, 6 counters\n"));
    v2_blob::Blob cut = v2_blob::build(waves::block());
    cut.put32(cut.value(0, 1, 2) + v2_blob::counter_data::dwDataSize, 5);
    const Result damaged =
        run({"dump", "--v2", write("cut.bin", cut), "--registration", registration_, "--identifiers", identifiers_});
    EXPECT_EQ(damaged.exit, 1);
    EXPECT_THAT(damaged.out, HasSubstr("damaged"));
    EXPECT_THAT(damaged.err, HasSubstr("(counterset {0a1b2c3d-4e5f-6071-8293-010203040506}, instance 1)\n"));
}

TEST_F(V2Cli, Usage) {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"dump", "--registration", registration_},
                                               {"dump", "--identifiers", identifiers_, v1()},
                                               {"dump", "--v2", block_, "--source", "v3"},
                                               {"replay", "--source", "", "--v2", block_},
                                               {"replay"}})
        EXPECT_EQ(run(arguments).exit, 2) << testing::PrintToString(arguments);
    // A registration may name the counters of another input.
    EXPECT_EQ(run({"dump", v1(), "--registration", registration_}).exit, 0);
    EXPECT_THAT(run({"dump", "--help"}).out, HasSubstr("hkpd dump --v2 data.bin --registration "));
    EXPECT_THAT(run({"--help"}).out, HasSubstr("raw performance data of Windows"));
}

}  // namespace v2_cli_test
}  // namespace hkpd_test
