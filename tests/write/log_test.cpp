// Samples from performance logs in every form of output, matched by filters, and the identity of their instances.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/json_text.hpp"
#include "cli/run_command.hpp"
#include "hkpd/select.hpp"
#include "hkpd/source.hpp"
#include "hkpd/summary.hpp"
#include "hkpd/write.hpp"
#include "source/replay.hpp"
#include "source/sample_reader.hpp"
#include "support/log_sample.hpp"
#include "support/temp_folder.hpp"

namespace hkpd_test {
namespace write_log_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class WriteLog : public testing::Test {
  protected:
    /// Writes all samples of the log in one form.
    std::string write(hkpd::Format format, bool cooked = false, bool summary = false) {
        hkpd::Titles titles;
        hkpd::WriteOptions options{.titles = &titles};
        options.cooked = cooked;
        const auto writer =
            summary ? hkpd::make_summary_writer(format, options, {}) : hkpd::make_writer(format, options);
        std::string out;
        writer->begin(out);
        do {
            found_ = hkpd::Diagnostics();
            show_all(titles, *writer, out);
        } while (writer->again(out));
        writer->end(found_, out);
        return out;
    }
    void show_all(hkpd::Titles& titles, hkpd::Writer& writer, std::string& out) {
        const auto source = hkpd::open_files({path_}, {});
        hkpd::SampleReader reader(*source, &titles, {});
        reader.take_titles(titles);
        hkpd::Replay replay(reader, {});
        std::vector<hkpd::Selected> selected;
        while (replay.next(found_)) {
            filter_.select(replay.sample(), selected);
            writer.sample(replay.sample(), selected, &replay.cooker(), out);
        }
    }
    std::vector<std::string> lines_with(std::string_view part, const std::string& text) const {
        std::vector<std::string> found;
        for (const std::string& line : lines(text))
            if (line.find(part) != std::string::npos) found.push_back(line);
        return found;
    }

    TempFolder folder_;
    std::string path_ = folder_.write("log.blg", log_sample::file().text());
    hkpd::Filter filter_;
    hkpd::Diagnostics found_;
};

TEST_F(WriteLog, JsonHasTheZoneAndTheSourceOfTheNames) {
    const auto document = parse_json(write(hkpd::Format::json));
    ASSERT_EQ(at(document, "samples").Size(), 4U);  // two rows of two machines
    const auto& sample = at(document, "samples", 0);
    EXPECT_EQ(json_text(at(sample, "machine")), "\"PC\"");
    EXPECT_EQ(json_text(at(sample, "source")), "\"log\"");
    EXPECT_EQ(json_text(at(sample, "system_time")), "\"2016-11-26T21:46:30.874Z\"");
    EXPECT_EQ(json_text(at(sample, "zone")), R"({"name":"Pacific Standard Time","bias":480})");
    EXPECT_EQ(json_text(at(sample, "titles")), R"([{"language":null,"source":"log.blg"}])");
    EXPECT_FALSE(sample.HasMember("default_object"));
    EXPECT_EQ(json_text(at(document, "samples", 1, "machine")), "\"OTHER\"");
    EXPECT_EQ(json_text(at(document, "samples", 1, "titles")), "[]");
}

TEST_F(WriteLog, JsonShowsBlocksLikeV1AndRawCountersWithoutIndex) {
    const auto document = parse_json(write(hkpd::Format::json));
    const auto& objects = at(document, "samples", 0, "objects");
    ASSERT_EQ(objects.Size(), 4U);
    EXPECT_EQ(json_text(at(objects, 0, "index")), "2");
    EXPECT_EQ(json_text(at(objects, 0, "counters", 0, "index")), "10");
    EXPECT_EQ(
        json_text(at(objects, 0, "instances")),
        R"([{"name":"","unique_id":null,"parent":null,"instance":"","pid":null,"instance_id":null,"life":1,"pdh_instance":"",)"
        R"("values":[7]}])");
    EXPECT_EQ(json_text(at(objects, 1)),
              R"({"index":null,"name":"Memory","kind":"single","counters":[)"
              R"({"index":null,"name":"Page Faults/sec","type":272696320,"type_name":"PERF_COUNTER_COUNTER","size":4,)"
              R"("scale":0,"time_base":1000},)"
              R"({"index":null,"name":"Available Bytes","type":65536,"type_name":"PERF_COUNTER_RAWCOUNT","size":4,)"
              R"("scale":-3,"time_base":10000000}],)"
              R"("instances":[{"name":"","instance":"","pid":null,"instance_id":null,"life":1,"pdh_instance":"",)"
              R"("values":[100,4096],"second":[0,0]}]})");
}

TEST_F(WriteLog, JsonShowsCountStatusAndTimeIfTheyAreSet) {
    const auto document = parse_json(write(hkpd::Format::json));
    const auto& objects = at(document, "samples", 2, "objects");
    EXPECT_EQ(json_text(at(objects, 1, "instances")),
              R"([{"name":"","instance":"","pid":null,"instance_id":null,"life":1,"pdh_instance":"",)"
              R"("values":[150,null],"second":[1000,null],"status":[null,"0xc0000123"],)"
              R"("taken":[null,"2016-11-26T21:48:01.8740000Z"]}])");
    EXPECT_EQ(json_text(at(objects, 2, "instances")),
              R"([{"name":"_Total","instance":"_Total","pid":null,"instance_id":null,"life":1,"pdh_instance":"_Total",)"
              R"("values":[10000000],"second":[131246415918740000],"multi_count":[4]}])");
    EXPECT_EQ(json_text(at(objects, 3, "instances", 0)),
              R"({"name":"smss","instance":"smss","pid":null,"instance_id":null,"life":1,"pdh_instance":"smss",)"
              R"("values":[3,null],"second":[0,null],"status":[null,"0xc0000bba"]})");
    EXPECT_EQ(
        json_text(at(objects, 3, "instances", 2)),
        R"({"name":"svchost","instance":"svchost#1","pid":null,"instance_id":null,"life":1,"pdh_instance":"svchost#1",)"
        R"("values":[8,null],"second":[0,null],"status":[null,"0x800007d1"]})");
}

TEST_F(WriteLog, JsonLinesAndCsvKeepTheirColumns) {
    const std::string json = write(hkpd::Format::jsonl, true);
    EXPECT_THAT(lines_with("File Reads/sec", json),
                ElementsAre(AllOf(HasSubstr(R"("source":"log","object":"System","object_index":2,"counterset":null)"),
                                  HasSubstr(R"("counter":"File Reads/sec","counter_index":10)")),
                            HasSubstr(R"("raw":8,"value":8,"reason":null})")));
    EXPECT_THAT(
        lines_with("ID Process", json),
        testing::Contains(
            R"({"time":"2016-11-26T21:46:31.874Z","machine":"PC","source":"log","object":"Process","object_index":null,)"
            R"("counterset":null,"parent":null,"instance":"svchost#1","pid":null,"instance_id":null,"life":1,"pdh_instance":"svchost#1",)"
            R"("counter":"ID Process",)"
            R"("counter_index":null,"type":"PERF_COUNTER_RAWCOUNT","raw":null,"status":"0x800007d1","value":null,)"
            R"("reason":"pdh_status"})"));
    const std::string csv = write(hkpd::Format::csv, true);
    EXPECT_THAT(
        lines_with("ID Process", csv),
        testing::Contains("2016-11-26T21:46:31.874Z,PC,log,Process,,,,smss,,,1,smss,ID Process,,PERF_COUNTER_RAWCOUNT,"
                          ",,pdh_status"));
    for (const std::string& line : lines(csv)) EXPECT_EQ(std::ranges::count(line, ','), 17) << line;
    EXPECT_THAT(json + csv, Not(HasSubstr("10737")));  // numbers from `first_logged` on are internal
}

TEST_F(WriteLog, TheTableShowsStatusesAsWordsAndNoInternalNumbers) {
    const std::string raw = write(hkpd::Format::table);
    EXPECT_THAT(
        lines(raw).front(),
        "machine PC, 2016-11-26T13:46:30.874-08:00, log, Pacific Standard Time (UTC-08:00), 4 objects, raw values, "
        "names: performance log, log.blg");
    EXPECT_THAT(raw, HasSubstr("\nSystem (2), 1 counter\n"));
    EXPECT_THAT(raw, HasSubstr("\nMemory, 2 counters\n"));
    EXPECT_THAT(raw, HasSubstr("\nProcess, 3 instances, 2 counters\n"));
    EXPECT_THAT(lines_with("svchost#1", raw), testing::Contains("  svchost#1        8  no_instance"));
    EXPECT_THAT(lines_with("smss", raw), testing::Contains("  smss             3  invalid_data"));
    EXPECT_THAT(lines_with("Available Bytes", raw), testing::Contains(HasSubstr("0xc0000123")));
    EXPECT_THAT(raw, HasSubstr("machine OTHER, 2016-11-26T13:46:30.874-08:00, log, Pacific Standard Time (UTC-08:00), "
                               "1 object, raw values, names: performance log\n"));
    const std::string cooked = write(hkpd::Format::table, true);
    EXPECT_THAT(lines_with("Page Faults/sec", cooked), testing::Contains(HasSubstr("50/s")));
    EXPECT_THAT(lines_with("svchost#1", cooked), testing::Contains("  svchost#1        8  no_instance"));
    EXPECT_THAT(raw + cooked, Not(HasSubstr("10737")));
}

TEST_F(WriteLog, SummaryOpenMetricsAndPdhNameThem) {
    const std::string summary = write(hkpd::Format::csv, true, true);
    EXPECT_THAT(
        lines_with("Page Faults/sec", summary),
        ElementsAre(AllOf(testing::StartsWith("PC,log,Memory,,,,,,,1,Page Faults/sec,,PERF_COUNTER_COUNTER,/sec,"),
                          testing::EndsWith(",1,50,50,50,50,50,50,50,50,,0,,0,50,"))));
    EXPECT_THAT(lines_with("svchost#1", summary),
                testing::Contains(AllOf(HasSubstr("PC,log,Process,,,,svchost#1,,,1,"),
                                        HasSubstr(",Threads,,PERF_COUNTER_RAWCOUNT,,"), HasSubstr(",2,8,8,8,8,8,8,"))));
    const std::string metrics = write(hkpd::Format::openmetrics);
    EXPECT_THAT(metrics, HasSubstr("hkpd_process_threads{machine=\"PC\",instance=\"svchost#1\"} 8 "));
    EXPECT_THAT(metrics, HasSubstr("hkpd_memory_available_bytes{machine=\"OTHER\"} 1 "));
    const std::string pdh = write(hkpd::Format::pdh_csv, true);
    EXPECT_THAT(lines(pdh).front(), AllOf(HasSubstr("\"(PDH-CSV 4.0) (Pacific Standard Time)(480)\""),
                                          HasSubstr(R"(\\PC\System\File Reads/sec","\\PC\Memory\Page Faults/sec)"),
                                          HasSubstr(R"*(\\PC\Process(svchost#1)\ID Process)*"),
                                          HasSubstr(R"(\\OTHER\Memory\Available Bytes)")));
    EXPECT_THAT(summary + metrics + pdh, Not(HasSubstr("10737")));
}

TEST_F(WriteLog, FiltersMatchByNameAndForBlocksByIndexToo) {
    filter_.add_object("memory");
    filter_.add_object("2");
    filter_.add_counter("*bytes");
    filter_.add_counter("10");
    const std::string csv = write(hkpd::Format::csv);
    EXPECT_EQ(lines_with("PC,log,System,2", csv).size(), 2U);
    EXPECT_EQ(lines_with("log,Memory,", csv).size(), 4U);
    EXPECT_EQ(lines(csv).size(), 1U + 6U);
    EXPECT_TRUE(filter_.unmatched().empty());
}

TEST_F(WriteLog, AnInternalNumberMatchesNothing) {
    filter_.add_object(std::to_string(hkpd::first_logged));
    filter_.add_object(std::to_string(hkpd::first_logged + 2));
    EXPECT_EQ(lines(write(hkpd::Format::csv)).size(), 1U);
    EXPECT_EQ(filter_.unmatched().size(), 2U);
}

/// Checks that two machines in one log, as stated by the log, are no fault and do not affect each other.
TEST_F(WriteLog, MachinesOfALogAreNoFault) {
    const std::string csv = write(hkpd::Format::csv, true);
    for (const hkpd::Diagnostic& diagnostic : found_.kept()) ADD_FAILURE() << code_name(diagnostic.error.code);
    EXPECT_THAT(lines_with("OTHER", csv), testing::SizeIs(2));
}

/// Checks that faults in truncated raw counters show the name of the object.
TEST_F(WriteLog, FaultsNameTheObject) {
    log_file::Data broken = log_sample::row(0);
    broken.put32(broken.part(3) + log_file::record_header::size + log_file::raw_instances::Count, 1000);
    path_ =
        folder_.write("broken.blg", log_file::build({.events = {{log_file::catalogue_class, log_sample::catalogue()},
                                                                {log_file::row_class, broken}}})
                                        .text());
    const auto document = parse_json(write(hkpd::Format::json));
    ASSERT_EQ(found_.count(hkpd::Severity::error), 1U);
    std::string text;
    append_diagnostic(text, found_, found_.kept().back());
    EXPECT_THAT(text, HasSubstr("(object Process)"));
    EXPECT_EQ(json_text(at(document, "diagnostics", 0, "object")), "null");
    EXPECT_EQ(json_text(at(document, "samples", 0, "objects", 3, "instances", 0, "status")), R"(["damaged",null])");
}

}  // namespace write_log_test
}  // namespace hkpd_test
