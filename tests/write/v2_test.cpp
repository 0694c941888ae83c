// Samples from V2 in every form of output, and matched by filters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/cook.hpp"
#include "hkpd/diagnostics.hpp"
#include "hkpd/select.hpp"
#include "hkpd/summary.hpp"
#include "hkpd/write.hpp"
#include "sample/fill/v2_builder.hpp"
#include "support/v2_builder.hpp"
#include "support/v2_waves.hpp"

namespace write_v2_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines(std::string_view text) {
    std::vector<std::string> all;
    for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
        end = std::min(text.find('\n'), text.size());
        all.emplace_back(text.substr(0, end));
    }
    return all;
}

/// Builds samples from blocks, with the registrations and the query given.
class WriteV2 : public testing::Test {
  protected:
    void learn(hkpd::v2::RegistrationRequest request, const blob::ByteBuffer& bytes) {
        countersets_->add({.guid = waves::guid, .request = request, .bytes = hkpd::Bytes(bytes.bytes())}, {}, found_);
    }
    void forget_all() {
        builder_.reset();
        countersets_.emplace();
        builder_.emplace(*countersets_, hkpd::Limits{});
    }
    void learn_all() {
        using Request = hkpd::v2::RegistrationRequest;
        learn(Request::counterset_struct, waves::registration());
        learn(Request::counter_names, waves::counter_names());
        learn(Request::counterset_name, v2_blob::build_string(u"Waves"));
    }

    void add(const v2_blob::Block& block, bool with_query = true) {
        const v2_blob::Blob blob = v2_blob::build(block);
        const v2_blob::Chain query_bytes = waves::identifiers();
        hkpd::v2::DataBlock opened;
        hkpd::v2::Identifiers query;
        query.open(hkpd::Bytes(query_bytes.bytes()), found_);
        ASSERT_TRUE(opened.open(hkpd::Bytes(blob.bytes()), found_));
        builder_->build(samples_.emplace_back(), opened, with_query ? &query : nullptr, "DEMO", found_);
    }

    std::string write(hkpd::Format format, hkpd::WriteOptions options = {}, bool summary = false) {
        options.one_pass = true;
        const auto writer =
            summary ? hkpd::make_summary_writer(format, options, {}) : hkpd::make_writer(format, options);
        hkpd::Cooker cooker({});
        std::string out;
        std::vector<hkpd::Selected> selected;
        writer->begin(out);
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            filter_.select(samples_[i], selected);
            cooker.begin(i == 0 ? nullptr : &samples_[i - 1], samples_[i]);
            writer->sample(samples_[i], selected, &cooker, out);
        }
        writer->end(found_, out);
        return out;
    }

    /// Returns the columns of the first sample selected by a counter path or another filter: `1,2`; empty: none.
    std::string found_by(hkpd::Filter filter) {
        std::vector<hkpd::Selected> selected;
        filter.select(samples_.front(), selected);
        std::string text;
        for (const hkpd::Selected& part : selected)
            for (const std::uint32_t column : part.columns)
                text += (text.empty() ? "" : ",") +
                        std::to_string(samples_.front().objects()[part.object].columns[column].title_index);
        return text;
    }
    std::string found_by_object(std::string_view object) {
        hkpd::Filter filter;
        filter.add_object(object);
        filter.add_counter("1");
        return found_by(std::move(filter));
    }
    std::string found_by_counter(std::string_view counter) {
        hkpd::Filter filter;
        filter.add_counter(counter);
        return found_by(std::move(filter));
    }
    std::string found_by_path(std::string_view path) {
        hkpd::Filter filter;
        filter.add_path(hkpd::CounterPath::parse(path).value());
        return found_by(std::move(filter));
    }

    std::optional<hkpd::Countersets> countersets_{std::in_place};
    std::optional<hkpd::CountersetSampleBuilder> builder_{std::in_place, *countersets_, hkpd::Limits{}};
    std::deque<hkpd::Sample> samples_;
    hkpd::Diagnostics found_;
    hkpd::Filter filter_;
};

const hkpd::WriteOptions cooked{.titles = nullptr, .cooked = true};

/// Returns a block with one counter of one instance, and no name or id.
v2_blob::Block nameless() {
    v2_blob::Block block;
    block.results = {{.type = v2_blob::single_counter, .values = {7}}};
    return block;
}

TEST_F(WriteV2, Json) {
    learn_all();
    add(waves::block());
    const std::string text = write(hkpd::Format::json);
    EXPECT_THAT(
        text,
        HasSubstr(R"({"machine":"DEMO","source":"v2","system_time":"2020-09-13T12:26:40.123Z","perf_time":1000000,)"
                  R"("perf_freq":10000000,"perf_time_100ns":132444736001230000,"objects":[{"counterset":)"
                  R"("{0a1b2c3d-4e5f-6071-8293-010203040506}","name":"Waves","detail_level":100,"kind":"multi",)"
                  R"("counters":[{"id":1,"name":"Plain","type":65792,"type_name":"PERF_COUNTER_LARGE_RAWCOUNT",)"
                  R"("size":8,"scale":-1,"detail_level":100,"attributes":[],"base":null,"time":null,)"
                  R"("frequency":null,"multi":null},{"id":2,)"));
    EXPECT_THAT(text, HasSubstr(R"("attributes":["by_reference","display_as_real"])"));
    EXPECT_THAT(text, HasSubstr(R"("base":5,)"));
    // Raw values are exact integers, however they are displayed.
    EXPECT_THAT(text,
                HasSubstr(R"({"name":"Large Wave","id":2,"instance":"Large Wave","pid":null,"instance_id":2,"life":1,)"
                          R"("pdh_instance":"Large Wave","values":[60,16,8,4602678819172646912,3,4]})"));
}

TEST_F(WriteV2, JsonOfUnknownCountersets) {
    add(waves::block(), false);
    const std::string text = write(hkpd::Format::json);
    EXPECT_THAT(text, HasSubstr(R"("objects":[{"counterset":null,"result":0,"name":null,"kind":"multi","counters":[)"
                                R"({"id":1,"name":null,"type":null,"type_name":null,"size":8,"base":null},)"));
    samples_.clear();
    add(nameless(), false);
    EXPECT_THAT(write(hkpd::Format::json), HasSubstr(R"("counters":[{"id":null,"name":null,"type":null,)"));
}

TEST_F(WriteV2, LinesHaveTheCountersetInPlaceOfTheIndex) {
    learn_all();
    add(waves::block());
    EXPECT_EQ(lines(write(hkpd::Format::jsonl)).front(),
              R"({"time":"2020-09-13T12:26:40.123Z","machine":"DEMO","source":"v2","object":"Waves",)"
              R"("object_index":null,"counterset":"{0a1b2c3d-4e5f-6071-8293-010203040506}","parent":null,)"
              R"("instance":"Small Wave","pid":null,"instance_id":0,"life":1,"pdh_instance":"Small Wave",)"
              R"("counter":"Plain","counter_index":1,)"
              R"("type":"PERF_COUNTER_LARGE_RAWCOUNT","raw":40})");
    EXPECT_EQ(lines(write(hkpd::Format::csv))[1],
              "2020-09-13T12:26:40.123Z,DEMO,v2,Waves,,{0a1b2c3d-4e5f-6071-8293-010203040506},,Small Wave,,0,1,"
              "Small Wave,Plain,1,"
              "PERF_COUNTER_LARGE_RAWCOUNT,40");
}

TEST_F(WriteV2, LinesOfUnknownCountersets) {
    add(waves::block(), false);
    EXPECT_EQ(lines(write(hkpd::Format::jsonl)).front(),
              R"({"time":"2020-09-13T12:26:40.123Z","machine":"DEMO","source":"v2","object":"result 0",)"
              R"("object_index":null,"counterset":null,"parent":null,"instance":"Small Wave","pid":null,)"
              R"("instance_id":0,"life":1,"pdh_instance":"Small Wave",)"
              R"("counter":null,"counter_index":1,"type":null,"raw":40})");
    EXPECT_EQ(lines(write(hkpd::Format::csv))[1],
              "2020-09-13T12:26:40.123Z,DEMO,v2,result 0,,,,Small Wave,,0,1,Small Wave,,1,,40");
    samples_.clear();
    add(nameless(), false);
    EXPECT_EQ(lines(write(hkpd::Format::csv))[1], "2020-09-13T12:26:40.123Z,DEMO,v2,result 0,,,,,,,1,,,,,7");
}

TEST_F(WriteV2, Table) {
    learn_all();
    add(waves::block());
    EXPECT_THAT(lines(write(hkpd::Format::table)),
                ElementsAre("machine DEMO, 2020-09-13T12:26:40.123Z, V2 (PerfLib), 1 object, raw values, names: "
                            "registration info",
                            "", "Waves (V2 {0a1b2c3d-4e5f-6071-8293-010203040506}), 2 instances, 6 counters",
                            "              Plain  Flags  Hidden  Real  Share  id 6",
                            "                                                 base",
                            "  Small Wave     40   0xff       7   0.5      1     4",
                            "  Large Wave     60   0x10       8   0.5      3     4"));
}

TEST_F(WriteV2, CookedTableOmitsBasesAndHiddenCounters) {
    learn_all();
    add(waves::block());
    EXPECT_THAT(lines(write(hkpd::Format::table, cooked)),
                ElementsAre("machine DEMO, 2020-09-13T12:26:40.123Z, V2 (PerfLib), 1 object, first sample, cooked "
                            "values, names: registration info",
                            "", "Waves (V2 {0a1b2c3d-4e5f-6071-8293-010203040506}), 2 instances, 4 of 6 counters",
                            "              Plain  Flags  Real  Share", "  Small Wave     40   0xff   0.5   25 %",
                            "  Large Wave     60   0x10   0.5   75 %"));
}

TEST_F(WriteV2, TableOfUnknownCountersets) {
    add(waves::block());
    EXPECT_THAT(write(hkpd::Format::table),
                HasSubstr("names: none (use --registration FILE)\n\n"
                          "{0a1b2c3d-4e5f-6071-8293-010203040506} (V2), 2 instances, 6 counters\n"
                          "              id 1  id 2"));
    samples_.clear();
    add(waves::block(), false);
    EXPECT_THAT(write(hkpd::Format::table), HasSubstr("\nresult 0 (V2), 2 instances, 6 counters\n"));
    samples_.clear();
    add(nameless(), false);
    EXPECT_THAT(write(hkpd::Format::table, {.titles = nullptr, .type_names = true}),
                HasSubstr("\n  id unknown  7    type unknown\n"));
}

TEST_F(WriteV2, NamesDoNotControlTheTerminal) {
    using Request = hkpd::v2::RegistrationRequest;
    learn(Request::counterset_struct, waves::registration());
    learn(Request::counterset_name, v2_blob::build_string(u"\x1B[31mred\n"));
    learn(Request::counter_names, v2_blob::build_strings({{1, u"a\x202E"}}));
    v2_blob::Block block = waves::block();
    block.results[0].instances[0].name = u"\x07";
    add(block);
    const std::string text = write(hkpd::Format::table);
    EXPECT_THAT(text, HasSubstr("\\x1B[31mred\\x0A (V2 {"));
    EXPECT_THAT(text, HasSubstr("a\\u202E"));
    EXPECT_THAT(text, HasSubstr("  \\x07"));
}

TEST_F(WriteV2, PdhPaths) {
    learn_all();
    add(waves::block());
    const std::string named = write(hkpd::Format::pdh_csv, cooked);
    EXPECT_THAT(lines(named).front(),
                HasSubstr(R"(,"\\DEMO\Waves(Small Wave)\Plain","\\DEMO\Waves(Large Wave)\Plain",)"));
    EXPECT_THAT(named, Not(HasSubstr("Hidden")));
    EXPECT_THAT(lines(named).back(), HasSubstr(",\"40\",\"60\","));
    // Raw logs have all counters, by name, id or index.
    forget_all();
    samples_.clear();
    add(waves::block());
    EXPECT_THAT(lines(write(hkpd::Format::pdh_csv)).front(),
                HasSubstr(R"("\\DEMO\{0a1b2c3d-4e5f-6071-8293-010203040506}(Large Wave)\6")"));
    samples_.clear();
    add(waves::block(), false);
    EXPECT_THAT(lines(write(hkpd::Format::pdh_csv)).front(), HasSubstr(R"("\\DEMO\result 0(Large Wave)\6")"));
}

TEST_F(WriteV2, Metrics) {
    learn_all();
    add(waves::block());
    const std::string named = write(hkpd::Format::openmetrics);
    EXPECT_THAT(named, HasSubstr("# HELP hkpd_waves_plain Waves: Plain (PERF_COUNTER_LARGE_RAWCOUNT)\n"
                                 "hkpd_waves_plain{machine=\"DEMO\",instance=\"Small Wave\",instance_id=\"0\"} 40 "));
    EXPECT_THAT(named, HasSubstr("hkpd_waves_real{machine=\"DEMO\",instance=\"Small Wave\",instance_id=\"0\"} 0.5 "));
    EXPECT_THAT(named, Not(HasSubstr("hidden")));
    forget_all();
    samples_.clear();
    add(waves::block());
    EXPECT_THAT(write(hkpd::Format::openmetrics),
                HasSubstr("# HELP hkpd_counterset_0a1b2c3d_4e5f_6071_8293_010203040506_id_1 counterset "
                          "{0a1b2c3d-4e5f-6071-8293-010203040506}: counter 1 (type unknown)\n"));
    samples_.clear();
    add(nameless(), false);
    EXPECT_THAT(write(hkpd::Format::openmetrics), HasSubstr("hkpd_result_0_id_unknown{machine=\"DEMO\"} 7 "));
}

TEST_F(WriteV2, MetricsOfTimersAreSecondsByTheCountedFrequency) {
    using Request = hkpd::v2::RegistrationRequest;
    learn(Request::counterset_struct,
          v2_blob::build_registration({.guid = waves::guid,
                                       .counters = {{.id = 1, .type = waves::timer, .frequency = 2},
                                                    {.id = 2, .type = waves::large_rawcount}}}));
    v2_blob::Block block;
    block.results = {
        {.ids = {1, 2}, .instances = {{u"a", 0, {v2_blob::u32(500), 1000}}, {u"b", 0, {v2_blob::u32(500), 0}}}}};
    add(block);
    const std::string text = write(hkpd::Format::openmetrics);
    EXPECT_THAT(text, HasSubstr("_id_1_seconds_total{machine=\"DEMO\",instance=\"a\",instance_id=\"0\"} 0.5 "));
    EXPECT_THAT(text, Not(HasSubstr("_id_1_seconds_total{machine=\"DEMO\",instance=\"b\"")));
}

TEST_F(WriteV2, Summary) {
    learn_all();
    add(waves::block());
    add(waves::block(50, 41));
    const auto all = lines(write(hkpd::Format::csv, cooked, true));
    EXPECT_EQ(all[1],
              "DEMO,v2,Waves,,{0a1b2c3d-4e5f-6071-8293-010203040506},,Small Wave,,0,1,Plain,1,"
              "PERF_COUNTER_LARGE_RAWCOUNT,,2020-09-13T12:26:40.123Z,2020-09-13T12:26:41.123Z,2,40,50,40,45,45,49.5,"
              "49.9,50,7.0710678118654755,10,36000,0,45,");
    EXPECT_EQ(all.size(), 9U);  // four counters of two waves: neither the base nor the hidden counter
    EXPECT_THAT(lines(write(hkpd::Format::jsonl, cooked, true)).front(),
                HasSubstr(R"("machine":"DEMO","source":"v2","object":"Waves","object_index":null,"counterset":)"
                          R"("{0a1b2c3d-4e5f-6071-8293-010203040506}","parent":null,"instance":"Small Wave",)"
                          R"("pid":null,"instance_id":0,"life":1,"counter":"Plain","counter_index":1,)"));
    EXPECT_THAT(write(hkpd::Format::table, cooked, true), HasSubstr("\\Flags      2  0xff  0xff  0xff "));
}

TEST_F(WriteV2, ObjectsAreFoundByNameAndGuid) {
    learn_all();
    add(waves::block());
    for (const std::string_view object :
         {"Waves", "waves", "W*", "{0a1b2c3d-4e5f-6071-8293-010203040506}", "0A1B2C3D-4E5F-6071-8293-010203040506"})
        EXPECT_EQ(found_by_object(object), "1") << object;
    const std::string number = std::to_string(samples_.front().objects()[0].title_index);
    for (const std::string_view object : {std::string_view(number), std::string_view("*0a1b2c3d*"),
                                          std::string_view("{0a1b2c3d-4e5f-6071-8293-010203040507}")})
        EXPECT_EQ(found_by_object(object), "") << object;
    EXPECT_EQ(found_by_path(R"(\Waves(Small Wave)\Plain)"), "1");
    EXPECT_EQ(found_by_path(R"(\{0A1B2C3D-4e5f-6071-8293-010203040506}(*)\2)"), "2");
    EXPECT_EQ(found_by_path(R"(\)" + number + R"((*)\2)"), "");
}

TEST_F(WriteV2, CountersAreFoundByNameAndId) {
    learn_all();
    add(waves::block());
    EXPECT_EQ(found_by_counter("plain"), "1");
    EXPECT_EQ(found_by_counter("6"), "6");
    EXPECT_EQ(found_by_counter("*a*"), "1,2,4,5");
    samples_.clear();
    add(nameless(), false);
    EXPECT_EQ(found_by_counter("4294967295"), "");
    EXPECT_EQ(found_by_counter("*"), "4294967295");
}

TEST_F(WriteV2, MissingNamesAreFoundByTheirReplacement) {
    add(waves::block());
    EXPECT_EQ(found_by_object("*0a1b2c3d*"), "1");
    samples_.clear();
    add(waves::block(), false);
    EXPECT_EQ(found_by_object("result 0"), "1");
    EXPECT_EQ(found_by_object("0"), "");
    EXPECT_EQ(found_by_path(R"(\result 0(Small*)\1)"), "1");
}

TEST_F(WriteV2, DiagnosticsNeverShowInternalNumbers) {
    const std::uint32_t number = countersets_->number(waves::guid);
    hkpd::Diagnostics found;
    found.name_object(number, waves::guid_text);
    const hkpd::Error error{hkpd::Errc::value_size, 0x40, "PERF_COUNTER_DATA", "dwDataSize", 8, 5};
    found.add(hkpd::Severity::error, error, number, 3);
    found.add(hkpd::Severity::error, error, hkpd::first_unknown_result + 2);
    found.add(hkpd::Severity::error, error, 238, 1);
    const auto shown = [&](std::size_t i) {
        std::string text;
        append_diagnostic(text, found, found.kept()[i]);
        return text.substr(text.rfind('('));
    };
    EXPECT_EQ(shown(0), "(counterset {0a1b2c3d-4e5f-6071-8293-010203040506}, instance 3)");
    EXPECT_EQ(shown(1), "(result 2)");
    EXPECT_EQ(shown(2), "(object 238, instance 1)");
    std::string json;
    const auto writer = hkpd::make_writer(hkpd::Format::json, {});
    writer->begin(json);
    writer->end(found, json);
    EXPECT_THAT(json,
                HasSubstr(R"("object":null,"counterset":"{0a1b2c3d-4e5f-6071-8293-010203040506}","instance":3,)"));
    EXPECT_THAT(json, HasSubstr(R"("object":null,"result":2,"instance":null,)"));
    EXPECT_THAT(json, HasSubstr(R"("object":238,"instance":1,)"));
}

}  // namespace write_v2_test
