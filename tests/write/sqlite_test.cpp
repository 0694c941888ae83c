// Samples in a database: the tables, and the views in the form of relog's tables, read with SQLite itself.
#include <chrono>
#include <regex>

#include "hkpd/counter_type.hpp"
#include "support/processor_time.hpp"
#include "support/random_lists.hpp"
#include "support/sqlite_runs.hpp"

namespace hkpd_test {
namespace sqlite_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
namespace type = blob::counter_type;

TEST_F(Sqlite, ARowForEachValue) {
    const auto at = [](std::uint16_t second, std::uint64_t interrupts) {
        return sample_at(second, {lone({{.title = 148, .type = type::counter, .size = 4}, {.title = 44, .scale = 1}},
                                       {interrupts, 7})});
    };
    EXPECT_EQ(write({at(0, 100), at(2, 107)}, {.run_name = "first"}), "");
    EXPECT_THAT(rows("SELECT CounterID, MachineName, ObjectName, CounterName, CounterType, DefaultScale, InstanceName, "
                     "InstanceIndex, ParentName, ParentObjectID, TimeBaseA, TimeBaseB FROM CounterDetails"),
                ElementsAre("1|\\\\M|System|Interrupts/sec|272696320|0|-|-|-|-|10000000|0",
                            "2|\\\\M|System|Processor Queue Length|65536|1|-|-|-|-|-|-"));
    EXPECT_THAT(
        rows("SELECT RecordIndex, CounterID, CounterDateTime, CounterValue, FirstValueA, FirstValueB, "
             "SecondValueA, SecondValueB, MultiCount FROM CounterData ORDER BY 1, 2"),
        ElementsAre("1|1|2020-09-13 12:26:40.123|-|100|0|1000000|0|1",  // a rate needs two samples
                    "1|2|2020-09-13 12:26:40.123|7.0|7|0|-|-|1", "2|1|2020-09-13 12:26:42.123|3.5|107|0|21000000|0|1",
                    "2|2|2020-09-13 12:26:42.123|7.0|7|0|-|-|1"));
    EXPECT_EQ(row("SELECT DisplayString, RunID, LogStartTime, LogStopTime, NumberOfRecords, MinutesToUTC, TimeZoneName "
                  "FROM DisplayToID"),
              "first|0|2020-09-13 12:26:40.123|2020-09-13 12:26:42.123|2|0|Coordinated Universal Time");
    // GoogleTest's own regular expressions have no character classes on Windows.
    const std::regex random_guid("[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}");
    EXPECT_TRUE(std::regex_match(row("SELECT GUID FROM DisplayToID"), random_guid));
    EXPECT_EQ(row("SELECT count(*) FROM CounterData JOIN DisplayToID USING (GUID)"), "4");
}

TEST_F(Sqlite, OthersSeeEachSampleAtOnceOrAllThatEndInATime) {
    const auto three = [] {
        return std::vector{sample_at(0, {lone({{.title = 44}}, {1})}), sample_at(1, {lone({{.title = 44}}, {2})}),
                           sample_at(2, {lone({{.title = 44}}, {3})})};
    };
    const std::string count = "SELECT count(*) FROM CounterData";
    std::vector<std::string> seen;
    EXPECT_EQ(write(three(), {}, [&] { seen.push_back(row(count)); }), "");
    EXPECT_THAT(seen, ElementsAre("1", "2"));
    EXPECT_EQ(write(three(), {.commit_after = std::chrono::hours(1)}, [&] { seen.push_back(row(count)); }), "");
    EXPECT_THAT(seen, ElementsAre("1", "2", "3", "3"));
    EXPECT_EQ(row(count), "6");
    EXPECT_THAT(rows("SELECT NumberOfRecords FROM DisplayToID"), ElementsAre("3", "3"));
}

TEST_F(Sqlite, RawValuesAreStoredOnRequest) {
    SqliteRun run({sample_at(0, {lone({{.title = 44}}, {7})})}, {.database = path_}, built_in());
    EXPECT_TRUE(run.next());
    EXPECT_EQ(run.end(), "");
    EXPECT_EQ(row("SELECT count(*) FROM raw_data"), "0");
    EXPECT_EQ(row("SELECT CounterValue, FirstValueA, FirstValueB, SecondValueA, SecondValueB, MultiCount FROM "
                  "CounterData"),
              "7.0|-|-|-|-|-");
    EXPECT_EQ(write({one()}), "");
    EXPECT_EQ(row("SELECT first, second, multi_count FROM raw_data"), "1|-|1");
}

TEST_F(Sqlite, NumbersOf64BitsAreTwoSignedNumbersOf32) {
    EXPECT_EQ(write({sample_at(0, {lone({{.title = 44, .type = type::large_rawcount, .size = 8},
                                         {.title = 46, .type = type::large_rawcount, .size = 8},
                                         {.title = 404, .type = type::raw_fraction, .size = 4},
                                         {.title = 405, .type = type::raw_base, .size = 4}},
                                        {std::uint64_t{0xFFFF'FFFE'8000'0001}, std::uint64_t{0x1'FFFF'FFFF}, 1, 3})})}),
              "");
    // The base has no row of its own.
    EXPECT_THAT(rows("SELECT FirstValueA, FirstValueB, SecondValueA, SecondValueB, MultiCount FROM CounterData"),
                ElementsAre("-2147483647|-2|-|-|1", "-1|1|-|-|1", "1|0|3|0|1"));
    EXPECT_THAT(rows("SELECT ((FirstValueB << 32) | (FirstValueA & 0xFFFFFFFF)) = v FROM CounterData, "
                     "(SELECT 1 AS k, -6442450943 AS v UNION SELECT 2, 8589934591) WHERE k = CounterID"),
                ElementsAre("1", "1"));
}

TEST_F(Sqlite, DamagedValuesAreNull) {
    blob::Blob blob = sample_at(
        0,
        {{.title = 230,
          .kind = blob::Kind::multi,
          .counters = {{.title = 680}, {.title = 952}},
          .instances = {{.name = u"whole", .values = {5, 6}}, {.name = u"cut", .values = {7, 8}, .block_length = 8}}}});
    EXPECT_EQ(write({std::move(blob)}), "");
    EXPECT_THAT(rows("SELECT path, value FROM samples JOIN counters USING (object, instance, counter)"),
                ElementsAre("\\\\M\\Process(whole)\\Thread Count|5.0", "\\\\M\\Process(cut)\\Thread Count|7.0",
                            "\\\\M\\Process(whole)\\Handle Count|6.0", "\\\\M\\Process(cut)\\Handle Count|-"));
}

TEST_F(Sqlite, InstancesHaveParentsAndNumbers) {
    const blob::Object processes{.title = 230,
                                 .kind = blob::Kind::multi,
                                 .counters = {{.title = 680}, {.title = 784}},
                                 .instances = {{.name = u"svchost", .values = {1, 10}},
                                               {.name = u"svchost", .values = {2, 11}},
                                               {.name = u"a#1", .values = {3, 12}}}};
    const blob::Object threads{.title = 232,
                               .kind = blob::Kind::multi,
                               .counters = {{.title = 46}},
                               .instances = {{.name = u"0", .values = {4}, .parent_object = 230, .parent = 1}}};
    EXPECT_EQ(write({sample_at(0, {processes, threads})}), "");
    EXPECT_THAT(rows("SELECT InstanceName, InstanceIndex, ParentName, ParentObjectID FROM CounterDetails WHERE "
                     "CounterName <> 'ID Process'"),
                ElementsAre("svchost|-|-|-", "svchost|1|-|-", "a#1|-|-|-", "0|-|svchost|-"));
    EXPECT_THAT(rows("SELECT path FROM counters WHERE counter <> 'ID Process'"),
                ElementsAre("\\\\M\\Process(svchost:10)\\Thread Count", "\\\\M\\Process(svchost:11)\\Thread Count",
                            "\\\\M\\Process(a#1:12)\\Thread Count", "\\\\M\\Thread(svchost/0)\\Thread State"));
}

TEST_F(Sqlite, ACounterWithAnotherTypeOrTimeBaseIsAnother) {
    const auto with = [](std::uint32_t counter_type, std::int64_t frequency) {
        blob::Block block{.objects = {lone({{.title = 148, .type = counter_type}}, {1})}};
        block.perf_freq = frequency;
        return blob::build(block);
    };
    EXPECT_EQ(write({with(type::counter, 1000)}), "");
    EXPECT_EQ(write({with(type::counter, std::int64_t{3} << 32U)}), "");
    EXPECT_EQ(write({with(type::rawcount, 1000), with(0, 1000)}), "");
    EXPECT_EQ(write({with(type::counter, 1000)}), "");
    EXPECT_THAT(rows("SELECT CounterID, CounterType, TimeBaseA, TimeBaseB FROM CounterDetails ORDER BY 1"),
                ElementsAre("1|272696320|1000|0", "2|272696320|0|3", "3|65536|-|-", "4|0|-|-"));
    EXPECT_THAT(rows("SELECT CounterID FROM CounterData GROUP BY 1"), ElementsAre("1", "2", "3", "4"));
}

TEST_F(Sqlite, ACounterThatChangesInARunIsAnother) {
    const auto with = [](std::int64_t frequency, std::int32_t scale) {
        blob::Block block{.objects = {lone({{.title = 148, .type = type::counter, .scale = scale}}, {1})}};
        block.perf_freq = frequency;
        return blob::build(block);
    };
    EXPECT_EQ(write({with(1000, 0), with(2000, 0), with(2000, -1), with(1000, 0)}), "");
    EXPECT_THAT(rows("SELECT RecordIndex, TimeBaseA, DefaultScale FROM CounterData JOIN CounterDetails USING "
                     "(CounterID) ORDER BY 1"),
                ElementsAre("1|1000|0", "2|2000|0", "3|2000|-1", "4|1000|0"));
}

/// Checks the cost alone: comparing each with a list of all others would take minutes.
TEST_F(Sqlite, InstancesThatDifferInTheirParentsOnly) {
    constexpr std::uint32_t count = 30'000;
    blob::Object processes{.title = 230, .kind = blob::Kind::multi, .counters = {{.title = 680}}};
    blob::Object threads{.title = 232, .kind = blob::Kind::multi, .counters = {{.title = 46}}};
    for (std::uint32_t i = 0; i < count; ++i) {
        processes.instances.push_back({.name = std::u16string(1, static_cast<char16_t>(0x4E00 + i / 200)) +
                                               static_cast<char16_t>(0x4E00 + i % 200)});
        threads.instances.push_back({.name = u"0", .parent_object = 230, .parent = i});
    }
    const hkpd_test::ProcessorTime used;
    EXPECT_EQ(write({sample_at(0, {processes, threads})}), "");
    EXPECT_LT(used.seconds(), 30);
    EXPECT_EQ(row("SELECT count(DISTINCT ParentName) FROM CounterDetails WHERE InstanceName = '0'"),
              std::to_string(count));
}

TEST_F(Sqlite, LongNamesAreTruncated) {
    const std::u16string bells(500, u'\x7');  // each of them is shown as four characters
    blob::Object list{.title = 230, .kind = blob::Kind::multi, .counters = {{.title = 680}}};
    for (const char16_t last : {u'a', u'b'}) list.instances.push_back({.name = bells + last, .values = {last}});
    hkpd::Titles titles;
    hkpd::TitleTable table("009", "test");
    table.add(230, std::string(1'000'000, 'o'));
    std::string counter(5000, 'c');
    table.add(680, counter.replace(1023, 1, "\xE2\x82\xAC"));
    titles.add(std::move(table));
    for (int i = 0; i < 2; ++i) {  // the second run uses the same rows
        hkpd::WriteOptions options;
        options.database = path_;
        options.run_name = std::string(2000, 'r');
        options.raw_values = true;
        SqliteRun run({sample_at(0, {list}, bells)}, options, titles);
        while (run.next()) {
        }
        EXPECT_EQ(run.end(), "");
    }
    EXPECT_EQ(row("SELECT count(*) FROM CounterDetails"), "2");
    EXPECT_EQ(
        row("SELECT DISTINCT length(InstanceName), length(DisplayString), length(MachineName), length(ObjectName), "
            "length(CAST(ObjectName AS BLOB)), substr(CounterName, 1023), "
            "length(CAST(CounterName AS BLOB)) FROM CounterDetails, DisplayToID"),
        "1024|1024|1024|1024|1024|c\xE2\x82\xAC|1026");
    EXPECT_THAT(rows("SELECT FirstValueA, CounterID FROM CounterData JOIN DisplayToID USING (GUID) ORDER BY RunID, 1"),
                ElementsAre("97|1", "98|2", "97|1", "98|2"));
}

TEST_F(Sqlite, NamesAreEscaped) {
    const std::u16string names[] = {u"'); DROP TABLE CounterData; --", u"\x1B[2J", u"\x202Egpj", u"%_\"`", u"", u"?1"};
    blob::Object list{.title = 230, .kind = blob::Kind::multi, .counters = {{.title = 680}}};
    for (const std::u16string& name : names) list.instances.push_back({.name = name, .values = {1}});
    EXPECT_EQ(write({sample_at(0, {list}, u"'\x07;")}, {.run_name = "'\x1B;"}), "");
    EXPECT_EQ(row("SELECT count(*) FROM CounterData"), "6");
    EXPECT_THAT(rows("SELECT InstanceName FROM CounterDetails ORDER BY CounterID"),
                ElementsAre("'); DROP TABLE CounterData; --", "\\x1B[2J", "\\u202Egpj", "%_\"`", "", "?1"));
    EXPECT_EQ(row("SELECT DISTINCT MachineName FROM CounterDetails"), "\\\\'\\x07;");
    EXPECT_EQ(row("SELECT DisplayString FROM DisplayToID"), "'\\x1B;");
}

TEST_F(Sqlite, UnitsAreThoseOfTheTypes) {
    std::vector<blob::Object> objects;
    std::size_t compared = 0;
    for (std::uint32_t bits = 0; bits < 0x4100'0000; bits += 0x100) {
        if (hkpd::counter_type_name(bits).empty() || !hkpd::is_displayable(bits)) continue;
        objects.push_back(lone({{.title = 44, .type = bits, .size = (bits & 0x300) == 0x100 ? 8U : 4U}}, {1}));
        objects.back().title = static_cast<std::uint32_t>(5000 + 2 * objects.size());
    }
    EXPECT_EQ(write({sample_at(0, objects)}), "");
    for (const std::string& found :
         rows("SELECT CounterType, unit FROM CounterDetails JOIN counters ON id = CounterID")) {
        const auto bits = static_cast<std::uint32_t>(std::stoll(found));
        EXPECT_EQ(found.substr(found.find('|') + 1), hkpd::cooked_unit(bits)) << found;
        ++compared;
    }
    EXPECT_EQ(compared, objects.size());
    EXPECT_GT(compared, 25U);
}

TEST_F(Sqlite, InvalidTimesWithAZone) {
    blob::Block block{.objects = {lone({{.title = 44}}, {1})}};
    block.system_time.month = 13;
    EXPECT_EQ(write({blob::build(block)}, {.zone = hkpd::TimeZone{"India Standard Time", -330}}), "");
    EXPECT_EQ(row("SELECT CounterDateTime FROM CounterData"), "-");
    EXPECT_EQ(row("SELECT LogStartTime, LogStopTime, NumberOfRecords, MinutesToUTC, TimeZoneName FROM DisplayToID"),
              "-|-|1|-330|India Standard Time");
}

TEST_F(Sqlite, ARunLastsFromItsEarliestSampleToItsLatest) {
    const auto at = [](std::uint16_t second) { return sample_at(second, {lone({{.title = 44}}, {1})}); };
    blob::Block timeless{.objects = {lone({{.title = 44}}, {1})}};
    timeless.system_time.month = 13;
    EXPECT_EQ(write({blob::build(timeless), at(5), at(9), blob::build(timeless), at(1), at(3)}), "");
    EXPECT_EQ(row("SELECT LogStartTime, LogStopTime, NumberOfRecords FROM DisplayToID"),
              "2020-09-13 12:26:41.123|2020-09-13 12:26:49.123|6");
}

TEST_F(Sqlite, SeriesBeyondTheLimitAreReportedAndOmitted) {
    const blob::Object list{.title = 230,
                            .kind = blob::Kind::multi,
                            .counters = {{.title = 680}},
                            .instances = {{.name = u"a"}, {.name = u"b"}, {.name = u"c"}}};
    EXPECT_EQ(write({sample_at(0, {list})}, {.series = 2}), "error series_limit|");
    EXPECT_THAT(rows("SELECT InstanceName FROM CounterDetails"), ElementsAre("a", "b"));
}

TEST_F(Sqlite, OneCounterIsFoundWithoutReadingAll) {
    blob::Object list{.title = 230, .kind = blob::Kind::multi, .counters = {{.title = 680}}};
    for (char16_t i = 0; i < 200; ++i) list.instances.push_back({.name = std::u16string(1, u'\x4E00' + i)});
    std::vector<blob::Blob> blobs;
    for (std::uint16_t second = 0; second < 10; ++second) blobs.push_back(sample_at(second, {list}));
    EXPECT_EQ(write(std::move(blobs)), "");
    EXPECT_THAT(rows("EXPLAIN QUERY PLAN SELECT avg(CounterValue) FROM CounterData WHERE CounterID = 7"),
                Contains(HasSubstr("SEARCH data USING PRIMARY KEY (record=? AND series=?)")));
    // A query for a time reads the records of that time alone.
    EXPECT_THAT(rows("EXPLAIN QUERY PLAN SELECT instance, avg(value) FROM samples WHERE counter = 'Thread Count' AND "
                     "time BETWEEN '2020-09-13 12:26:42' AND '2020-09-13 12:26:44' GROUP BY instance"),
                Contains(HasSubstr("SEARCH records USING INDEX records_by_time (time>? AND time<?)")));
}

/// Checks that with objects that come and go and with damage of all kinds the database has the values of the text log.
TEST_F(Sqlite, EqualsTheTextLog) {
    std::size_t compared = 0;
    for (std::uint32_t seed = 0; seed < 10; ++seed) {
        const std::string path = folder_.path("random-" + std::to_string(seed) + ".db");
        const auto blobs = [seed] {
            RandomLists lists(seed), others(seed + 1000);
            std::vector<blob::Blob> made;
            for (std::size_t k = 0; k < 40; ++k) made.push_back(k % 4 == 0 ? others.next(k, u"OTHER") : lists.next(k));
            return made;
        };
        EXPECT_EQ(write(blobs(), {.database = path}), "");
        // The values of each sample, unordered: counters with equal names have the same path.
        std::map<std::uint32_t, std::multiset<std::string>> expected, found;
        auto samples = read_blobs(blobs(), &built_in());
        for (std::uint32_t k = 0, record = 0; k < samples->all.size(); ++k) {
            bool any = false;
            for (const hkpd::Object& object : samples->all[k].objects()) {
                any = any || !object.instances.empty();
                for (const hkpd::Column& column : object.columns)
                    for (std::size_t i = 0; i < object.instances.size(); ++i)
                        expected[record + 1].insert(column.is_valid(i) ? std::to_string(column.values[i]) : "-");
            }
            record += any ? 1 : 0;
        }
        for (const std::string& row : query(path, "SELECT RecordIndex, FirstValueA FROM CounterData"))
            found[static_cast<std::uint32_t>(std::stoul(row))].insert(row.substr(row.find('|') + 1));
        EXPECT_EQ(found, expected) << seed;
        compared += found.size();
        EXPECT_EQ(query_row(path, "PRAGMA integrity_check"), "ok");
    }
    EXPECT_GT(compared, 300U);
}

}  // namespace sqlite_test
}  // namespace hkpd_test
