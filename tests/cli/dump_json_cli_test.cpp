// `hkpd dump` in machine-readable forms: JSON, JSON Lines, CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hkpd/diagnostics.hpp"
#include "json_text.hpp"
#include "run_command.hpp"
#include "support/blob_builder.hpp"
#include "support/blob_quirks.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace dump_json_cli_test {

namespace type = blob::counter_type;

constexpr std::string_view raw_text =
    "2\tSystem\n3\tSystem help\n6\t% Processor Time\n7\tTime help\n230\tProcess\n232\tThread\n238\tProcessor\n"
    "239\tProcessor help\n10\tComma, \"quoted\"\n";

blob::Block getaway() {
    return {.objects = {{.title = 238,
                         .kind = blob::Kind::multi,
                         .counters = {{.title = 6, .type = 558957824, .size = 8},
                                      {.title = 8, .type = 0x12345678, .scale = -7, .detail = 200}},
                         .instances = {{.name = u"0", .values = {0xFFFFFFFFFFFFFFFF, 7}, .unique_id = 0},
                                       {.name = u"_Total", .values = {123, 8}}}},
                        {.title = 2,
                         .counters = {{.title = 10, .type = type::text_unicode, .size = 16},
                                      {.title = 12, .size = 3},
                                      {.title = 14, .type = type::nodata, .size = 0}},
                         .values = {blob::utf16(u"a\"b\n🚀"), std::string("\1\2\xFF"), 0},
                         .perf_time = -5,
                         .perf_freq = 10'000'000}},
            .machine = u"GETAWAY",
            .perf_time = 9'007'199'254'740'993,
            .perf_freq = 1,
            .perf_time_100ns = 9'223'372'036'854'775'807,
            .default_object = -1};
}

class DumpJson : public testing::Test {
  protected:
    rapidjson::Document json(const blob::Block& block, std::vector<std::string> options = {}, int exit = 0) {
        return json_of(blob::build(block), std::move(options), exit);
    }
    rapidjson::Document json_of(const blob::Blob& blob, std::vector<std::string> options = {}, int exit = 0) {
        options.insert(options.end(), {"--format", "json", "--titles", titles_, folder_.write("input.bin", blob)});
        const Result result = dump(options);
        EXPECT_EQ(result.exit, exit) << result.err;
        return parse_json(result.out);
    }

    TempFolder folder_;
    std::string titles_ = folder_.write("names.txt", raw_text);
};

TEST_F(DumpJson, HasTheDocumentedKeys) {
    const auto document = json(getaway());
    EXPECT_EQ(keys(document), "samples,diagnostics");
    const rapidjson::Value& sample = at(document, "samples", 0);
    EXPECT_EQ(keys(sample),
              "machine,source,system_time,perf_time,perf_freq,perf_time_100ns,default_object,titles,objects");
    const rapidjson::Value& object = at(sample, "objects", 0);
    EXPECT_EQ(keys(object), "index,name,help_index,detail_level,kind,code_page,perf_time,perf_freq,counters,instances");
    EXPECT_EQ(keys(at(object, "counters", 0)),
              "index,name,help_index,type,type_name,size,offset,scale,detail_level,base");
    EXPECT_EQ(keys(at(object, "instances", 0)),
              "name,unique_id,parent,instance,pid,instance_id,life,pdh_instance,values");
}

TEST_F(DumpJson, HoldsExactValues) {
    const auto document = json(getaway());
    const rapidjson::Value& sample = at(document, "samples", 0);
    EXPECT_EQ(json_text(at(sample, "machine")), "\"GETAWAY\"");
    EXPECT_EQ(json_text(at(sample, "system_time")), "\"2020-09-13T12:26:40.123Z\"");
    EXPECT_EQ(json_text(at(sample, "perf_time")), "9007199254740993");
    EXPECT_EQ(json_text(at(sample, "perf_time_100ns")), "9223372036854775807");
    EXPECT_EQ(json_text(at(sample, "default_object")), "-1");
    EXPECT_EQ(json_text(at(sample, "titles")), "[{\"language\":null,\"source\":\"names.txt\"}]");
    const rapidjson::Value& processor = at(sample, "objects", 0);
    EXPECT_EQ(json_text(at(processor, "index")), "238");
    EXPECT_EQ(json_text(at(processor, "name")), "\"Processor\"");
    EXPECT_EQ(json_text(at(processor, "kind")), "\"multi\"");
    EXPECT_EQ(json_text(at(processor, "counters", 0)),
              "{\"index\":6,\"name\":\"% Processor Time\",\"help_index\":7,\"type\":558957824,\"type_name\":"
              "\"PERF_100NSEC_TIMER_INV\",\"size\":8,\"offset\":8,\"scale\":0,\"detail_level\":100,\"base\":null}");
    EXPECT_EQ(json_text(at(processor, "counters", 1)),
              "{\"index\":8,\"name\":null,\"help_index\":9,\"type\":305419896,\"type_name\":null,\"size\":4,"
              "\"offset\":16,\"scale\":-7,\"detail_level\":200,\"base\":null}");
    EXPECT_EQ(json_text(at(processor, "instances")),
              R"([{"name":"0","unique_id":0,"parent":null,"instance":"0","pid":null,"instance_id":0,"life":1,)"
              "\"pdh_instance\":\"0\",\"values\":[18446744073709551615,7]},"
              R"({"name":"_Total","unique_id":null,"parent":null,"instance":"_Total",)"
              R"("pid":null,"instance_id":null,"life":1,)"
              "\"pdh_instance\":\"_Total\",\"values\":[123,8]}]");
    const rapidjson::Value& system = at(sample, "objects", 1);
    EXPECT_EQ(json_text(at(system, "kind")), "\"single\"");
    EXPECT_EQ(json_text(at(system, "perf_time")), "-5");
    EXPECT_EQ(json_text(at(system, "instances")),
              R"([{"name":"","unique_id":null,"parent":null,"instance":"","pid":null,"instance_id":null,"life":1,)"
              "\"pdh_instance\":\"\",\"values\":[\"a\\\"b\\n🚀\",{\"hex\":\"0102ff\"},"
              "{\"hex\":\"\"}]}]");
    for (const auto& found : at(document, "diagnostics").GetArray())  // sizes that the types do not allow
        EXPECT_EQ(json_text(at(found, "code")), "\"counter_size\"") << json_text(found);
}

TEST_F(DumpJson, Kinds) {
    const std::vector<blob::Counter> counters{{.title = 6}};
    const auto document = json({.objects = {{.title = 2, .counters = counters, .values = {1}},
                                            {.title = 4, .kind = blob::Kind::multi, .counters = counters},
                                            {.title = 8, .kind = blob::Kind::metadata_single, .counters = counters},
                                            {.title = 10, .kind = blob::Kind::metadata_multi, .counters = counters}}});
    std::string kinds;
    for (int i = 0; i < 4; ++i) {
        const rapidjson::Value& object = at(document, "samples", 0, "objects", i);
        kinds += std::string(at(object, "kind").GetString()) + std::to_string(at(object, "instances").Size()) + " ";
    }
    EXPECT_EQ(kinds, "single1 multi0 metadata_single0 metadata_multi0 ");
}

TEST_F(DumpJson, Parents) {
    const auto document =
        json({.objects = {{.title = 230, .kind = blob::Kind::multi, .instances = {{.name = u"svchost"}}},
                          {.title = 232,
                           .kind = blob::Kind::multi,
                           .instances = {{.name = u"0", .parent_object = 230, .parent = 0},
                                         {.name = u"1", .parent_object = 230, .parent = 9},
                                         {.name = u"2", .parent_object = 4000, .parent = 3}}},
                          {.title = 5000,
                           .kind = blob::Kind::multi,
                           .instances = {{.name = u"deep", .parent_object = 232, .parent = 0},
                                         {.name = u"self", .parent_object = 5000, .parent = 1}}}}});
    const auto parent = [&](int object, int instance) {
        return json_text(at(document, "samples", 0, "objects", object, "instances", instance, "parent"));
    };
    EXPECT_EQ(parent(0, 0), "null");
    EXPECT_EQ(parent(1, 0), "{\"object\":230,\"ordinal\":0,\"name\":\"svchost\"}");
    EXPECT_EQ(parent(1, 1), "{\"object\":230,\"ordinal\":9,\"name\":null}");
    EXPECT_EQ(parent(1, 2), "{\"object\":4000,\"ordinal\":3,\"name\":null}");
    EXPECT_EQ(parent(2, 0), "{\"object\":232,\"ordinal\":0,\"name\":\"0\"}") << "not the parent's parent";
    EXPECT_EQ(keys(at(document, "samples", 0, "objects", 2, "instances", 1, "parent")).substr(0, 19),
              "object,ordinal,name");
}

TEST_F(DumpJson, Diagnostics) {
    blob::Block block = getaway();
    block.objects[0].counters[1].type = type::counter;
    block.objects.pop_back();
    blob::Blob blob = blob::build(block);
    blob.put32(blob.counter(0, 1) + blob::counter_definition::CounterOffset, 1U << 20U);
    const auto document = json_of(blob, {}, 1);
    ASSERT_EQ(at(document, "diagnostics").Size(), 1U);
    const rapidjson::Value& found = at(document, "diagnostics", 0);
    for (const char* key :
         {"severity", "code", "sample", "offset", "structure", "field", "expected", "found", "object", "message"})
        EXPECT_TRUE(found.HasMember(key)) << key;
    EXPECT_EQ(json_text(at(found, "severity")), "\"error\"");
    EXPECT_EQ(json_text(at(found, "code")), "\"counter_outside_block\"");
    EXPECT_EQ(json_text(at(found, "sample")), "0");
    EXPECT_EQ(json_text(at(found, "structure")), "\"PERF_COUNTER_DEFINITION\"");
    EXPECT_EQ(json_text(at(found, "field")), "\"CounterOffset\"");
    EXPECT_EQ(json_text(at(found, "object")), "238");
    EXPECT_EQ(at(found, "offset").GetUint64(), blob.counter(0, 1) + blob::counter_definition::CounterOffset);
    EXPECT_EQ(json_text(at(document, "samples", 0, "objects", 0, "instances", 0, "values")),
              "[18446744073709551615,null]");
}

TEST_F(DumpJson, HelpText) {
    const auto document = json(getaway(), {"--help-text"});
    const rapidjson::Value& object = at(document, "samples", 0, "objects", 0);
    EXPECT_EQ(json_text(at(object, "help")), "\"Processor help\"");
    EXPECT_EQ(json_text(at(object, "counters", 0, "help")), "\"Time help\"");
    EXPECT_EQ(json_text(at(object, "counters", 1, "help")), "null");
}

TEST_F(DumpJson, IsADocumentWhateverTheInput) {
    for (const std::string_view input : {"", "x", "PERF"}) {
        const Result result = dump({"-", "--format", "json"}, std::string(input));
        EXPECT_EQ(result.exit, 3);
        const auto document = parse_json(result.out);
        EXPECT_EQ(json_text(at(document, "samples")), "[]");
        EXPECT_EQ(at(document, "diagnostics").Size(), 1U);
        EXPECT_EQ(json_text(at(document, "diagnostics", 0, "sample")), "null");
    }
    const Result missing = dump({folder_.path("nothing"), "--format", "json"});
    EXPECT_EQ(missing.exit, 3);
    EXPECT_EQ(json_text(at(parse_json(missing.out), "diagnostics", 0, "code")), "\"cannot_read\"");
}

TEST_F(DumpJson, UnknownNamesAndTimesAreNull) {
    const auto document =
        json({.objects = {{.title = 4444, .counters = {{.title = 4446}}}}, .system_time = {.month = 0}});
    EXPECT_EQ(json_text(at(document, "samples", 0, "system_time")), "null");
    EXPECT_EQ(json_text(at(document, "samples", 0, "objects", 0, "name")), "null");
    EXPECT_EQ(json_text(at(document, "samples", 0, "objects", 0, "counters", 0, "name")), "null");
    EXPECT_EQ(json_text(at(document, "samples", 0, "titles")), "[]");
}

TEST_F(DumpJson, Lines) {
    blob::Block block = getaway();
    block.objects.push_back({.title = 232,
                             .kind = blob::Kind::multi,
                             .counters = {{.title = 6, .size = 4}},
                             .instances = {{.name = u"0", .values = {5}, .parent_object = 238, .parent = 1},
                                           {.name = u"0", .values = {6}, .parent_object = 238, .parent = 1}}});
    const std::string input = folder_.write("input.bin", blob::build(block));
    const Result result = dump({"--format", "jsonl", "--titles", titles_, input});
    EXPECT_EQ(result.exit, 0) << result.err;
    const std::vector<std::string> all = lines(result.out);
    ASSERT_EQ(all.size(), 9U);
    for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(keys(parse_json(all[i])), std::string("time,machine,source,object,object_index,counterset,parent,"
                                                        "instance,pid,instance_id,life,pdh_instance,counter,"
                                                        "counter_index,type,raw") +
                                                (i == 4             ? ",text"
                                                 : i == 5 || i == 6 ? ",hex"
                                                                    : ""));
    EXPECT_EQ(
        all[0],
        "{\"time\":\"2020-09-13T12:26:40.123Z\",\"machine\":\"GETAWAY\",\"source\":\"v1\",\"object\":\"Processor\","
        "\"object_index\":238,\"counterset\":null,"
        "\"parent\":null,\"instance\":\"0\",\"pid\":null,\"instance_id\":0,\"life\":1,\"pdh_instance\":\"0\","
        "\"counter\":\"% Processor Time\",\"counter_index\":6,"
        "\"type\":\"PERF_100NSEC_TIMER_INV\",\"raw\":18446744073709551615}");
    const auto last = parse_json(all[8]);
    EXPECT_EQ(json_text(at(last, "parent")), "\"_Total\"");
    EXPECT_EQ(json_text(at(last, "instance")), "\"0#1\"");
    EXPECT_EQ(json_text(at(last, "pdh_instance")), "\"_Total/0#1\"");
    EXPECT_EQ(json_text(at(last, "raw")), "6");
    EXPECT_EQ(json_text(at(parse_json(all[1]), "type")), "\"0x12345678\"");
    EXPECT_THAT(all[4], testing::EndsWith(R"("raw":null,"text":"a\"b\n🚀"})"));
    EXPECT_THAT(all[5], testing::EndsWith(R"("raw":null,"hex":"0102ff"})"));
}

TEST_F(DumpJson, Csv) {
    blob::Block block = getaway();
    block.objects[0].instances[1].name = u"a,b \"c\"\r\nd";
    blob::Blob blob = blob::build(block);
    blob.put32(blob.counter(0, 1) + blob::counter_definition::CounterOffset, 1U << 20U);
    const Result result = dump({"--format", "csv", "--titles", titles_, folder_.write("input.bin", blob)});
    EXPECT_EQ(result.exit, 1);
    const std::string start = "2020-09-13T12:26:40.123Z,GETAWAY,v1,";
    EXPECT_EQ(
        result.out,
        "time,machine,source,object,object_index,counterset,parent,instance,pid,instance_id,life,pdh_instance,counter,"
        "counter_index,"
        "type,raw\n" +
            start + "Processor,238,,,0,,0,1,0,% Processor Time,6,PERF_100NSEC_TIMER_INV,18446744073709551615\n" +
            start + "Processor,238,,,0,,0,1,0,,8,0x12345678,\n" + start +
            R"(Processor,238,,,"a,b ""c""\x0D\x0Ad",,,1,"a,b ""c""\x0D\x0Ad",% Processor Time,6,PERF_100NSEC_TIMER_INV,123)"
            "\n" +
            start +
            R"(Processor,238,,,"a,b ""c""\x0D\x0Ad",,,1,"a,b ""c""\x0D\x0Ad",,8,0x12345678,)"
            "\n" +
            start +
            R"(System,2,,,,,,1,,"Comma, ""quoted""",10,PERF_COUNTER_TEXT,"a""b\x0A🚀")"
            "\n" +
            start + "System,2,,,,,,1,,,12,PERF_COUNTER_RAWCOUNT,0x0102ff\n" + start +
            "System,2,,,,,,1,,,14,PERF_COUNTER_NODATA,0x\n");
}

}  // namespace dump_json_cli_test
}  // namespace hkpd_test
