// Instances in a database: processes of one name, ids that are used again, places, and databases of the former release.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/sqlite_runs.hpp"

namespace hkpd_test {
namespace sqlite_identity_test {

using testing::ElementsAre;
using testing::HasSubstr;
namespace type = blob::counter_type;

struct Process {
    std::u16string name;
    std::uint32_t pid;
    std::uint64_t start = 0;  ///< 0: the object has no start times
};

/// Returns the object Process with the counters Thread Count, ID Process and, if they are known, Elapsed Time.
blob::Object processes(const std::vector<Process>& all) {
    constexpr std::uint32_t elapsed_time = 0x3024'0500;
    const bool has_starts = !all.empty() && all.front().start != 0;
    blob::Object object{.title = 230, .kind = blob::Kind::multi, .counters = {{.title = 680}, {.title = 784}}};
    if (has_starts) object.counters.push_back({.title = 684, .type = elapsed_time, .size = 8});
    for (const Process& one : all) {
        object.instances.push_back({.name = one.name, .values = {one.pid, one.pid}});
        if (has_starts) object.instances.back().values.emplace_back(one.start);
    }
    return object;
}

class SqliteIdentity : public Sqlite {
  protected:
    static std::vector<blob::Blob> run_of(const std::vector<std::vector<Process>>& moments) {
        std::vector<blob::Blob> blobs;
        for (const auto& moment : moments)
            blobs.push_back(sample_at(static_cast<std::uint16_t>(blobs.size()), {processes(moment)}));
        return blobs;
    }
    std::vector<std::string> series() const {
        return rows("SELECT instance, pid, instance_id, life, display FROM counters WHERE counter = 'Thread Count'");
    }
};

TEST_F(SqliteIdentity, AProcessHasTheSameSeriesInEachPlace) {
    EXPECT_EQ(write(run_of({{{u"a", 10}, {u"a", 11}, {u"b", 12}}, {{u"a", 11}, {u"b", 12}}, {{u"b", 12}, {u"a", 11}}})),
              "");
    EXPECT_THAT(series(), ElementsAre("a|10|-|1|a:10", "a|11|-|1|a:11", "b|12|-|1|b"));
    EXPECT_THAT(rows("SELECT substr(time, 18, 2), pid, pdh_instance FROM samples WHERE counter = 'Thread Count' ORDER "
                     "BY time, pid"),
                ElementsAre("40|10|a", "40|11|a#1", "40|12|b", "41|11|a", "41|12|b", "42|11|a", "42|12|b"));
    EXPECT_EQ(row("SELECT pdh_instance FROM counters WHERE pid = 11 AND counter = 'Thread Count'"), "a");
    EXPECT_THAT(
        rows("SELECT record, places.place FROM places JOIN instances ON instances.id = instance WHERE pid = 11"),
        ElementsAre("1|1", "2|0"));
    EXPECT_EQ(row("SELECT count(*) FROM places"), "4");
}

TEST_F(SqliteIdentity, AnIdThatIsUsedAgainIsAnotherLife) {
    EXPECT_EQ(write(run_of({{{u"a", 10, 1000}}, {{u"a", 10, 1000}}, {{u"a", 10, 5000}}, {{u"a", 10, 9000}}})), "");
    EXPECT_THAT(series(), ElementsAre("a|10|-|1|a:10:1", "a|10|-|2|a:10:2", "a|10|-|3|a:10:3"));
    EXPECT_THAT(rows("SELECT path FROM counters WHERE counter = 'Thread Count'"),
                ElementsAre("\\\\M\\Process(a:10:1)\\Thread Count", "\\\\M\\Process(a:10:2)\\Thread Count",
                            "\\\\M\\Process(a:10:3)\\Thread Count"));
    EXPECT_THAT(rows("SELECT life, count(*) FROM samples WHERE counter = 'Thread Count' GROUP BY 1"),
                ElementsAre("1|2", "2|1", "3|1"));
    // Names and index identify a series, as in Windows.
    EXPECT_THAT(rows("SELECT InstanceName, InstanceIndex FROM CounterDetails WHERE CounterName = 'Thread Count'"),
                ElementsAre("a|-", "a|1", "a|2"));
    EXPECT_THAT(rows("SELECT path FROM former_counters WHERE counter = 'Thread Count'"),
                ElementsAre("\\\\M\\Process(a)\\Thread Count", "\\\\M\\Process(a#1)\\Thread Count",
                            "\\\\M\\Process(a#2)\\Thread Count"));
}

TEST_F(SqliteIdentity, ANameThatOccursAgainHasIds) {
    EXPECT_EQ(write(run_of({{{u"a", 10}, {u"b", 11}}, {{u"A", 12}, {u"b", 11}}})), "");
    EXPECT_THAT(series(), ElementsAre("a|10|-|1|a:10", "b|11|-|1|b", "A|12|-|1|A:12"));
    EXPECT_EQ(write(run_of({{{u"b", 13}}})), "");
    EXPECT_THAT(series(), ElementsAre("a|10|-|1|a:10", "b|11|-|1|b:11", "A|12|-|1|A:12", "b|13|-|1|b:13"));
}

TEST_F(SqliteIdentity, RunsShareTheSeriesOfOneNameAndId) {
    EXPECT_EQ(write(run_of({{{u"a", 10}, {u"a", 11}}})), "");
    EXPECT_EQ(write(run_of({{{u"a", 11}, {u"a", 12}}})), "");
    EXPECT_THAT(rows("SELECT CounterID, InstanceIndex, count(DISTINCT GUID) FROM CounterData JOIN CounterDetails USING "
                     "(CounterID) WHERE CounterName = 'Thread Count' GROUP BY 1"),
                ElementsAre("1|-|1", "2|1|2", "5|2|1"));
    EXPECT_THAT(rows("SELECT pid, pdh_instance FROM samples WHERE counter = 'Thread Count' ORDER BY time, run, pid"),
                ElementsAre("10|a", "11|a#1", "11|a", "12|a#1"));
    EXPECT_EQ(row("PRAGMA integrity_check"), "ok");
}

TEST_F(SqliteIdentity, EqualInstancesOfOneSampleHaveRowsOfTheirOwn) {
    EXPECT_EQ(write(run_of({{{u"a", 10}, {u"a", 10}}, {{u"a", 10}, {u"a", 10}}})), "");
    EXPECT_EQ(write(run_of({{{u"a", 10}, {u"a", 10}}})), "");
    EXPECT_THAT(series(), ElementsAre("a|10|-|1|a:10:1", "a|10|-|2|a:10:2"));
    EXPECT_EQ(row("SELECT count(*) FROM data"), "12");
}

TEST_F(SqliteIdentity, PlacesAndInstanceIds) {
    const blob::Object disks{.title = 234,
                             .kind = blob::Kind::multi,
                             .counters = {{.title = 680}},
                             .instances = {{.name = u"C:", .values = {1}}, {.name = u"C:", .values = {2}}}};
    const blob::Object others{.title = 238,
                              .kind = blob::Kind::multi,
                              .counters = {{.title = 680}},
                              .instances = {{.name = u"x", .values = {3}, .unique_id = 7},
                                            {.name = u"x", .values = {4}, .unique_id = 8},
                                            {.name = u"y", .values = {5}, .unique_id = 0}}};
    for (int run = 0; run < 2; ++run) {
        EXPECT_EQ(write({sample_at(0, {disks, others})}), "");
        EXPECT_THAT(series(), ElementsAre("C:|-|-|1|C:", "C:#1|-|-|1|C:#1", "x|-|7|1|x:7", "x|-|8|1|x:8", "y|-|0|1|y"));
    }
    EXPECT_THAT(rows("SELECT InstanceName, InstanceIndex FROM CounterDetails"),
                ElementsAre("C:|-", "C:|1", "x|-", "x|1", "y|-"));
    EXPECT_EQ(row("SELECT group_concat(pdh_instance, ' ') FROM counters"), "C: C:#1 x x#1 y");
}

TEST_F(SqliteIdentity, ThreadsHaveTheIdsOfTheirProcesses) {
    const blob::Object threads{.title = 232,
                               .kind = blob::Kind::multi,
                               .counters = {{.title = 46}},
                               .instances = {{.name = u"0", .parent_object = 230, .parent = 0},
                                             {.name = u"0", .parent_object = 230, .parent = 1},
                                             {.name = u"1", .parent_object = 230, .parent = 1}}};
    EXPECT_EQ(write({sample_at(0, {processes({{u"a", 10}, {u"a", 11}}), threads})}), "");
    EXPECT_THAT(
        rows("SELECT parent, instance, pid, pdh_instance, path FROM counters WHERE object = 'Thread'"),
        ElementsAre("a|0|10|a/0|\\\\M\\Thread(a:10/0)\\Thread State",
                    "a|0|11|a/0#1|\\\\M\\Thread(a:11/0)\\Thread State", "a|1|11|a/1|\\\\M\\Thread(a/1)\\Thread State"));
}

/// The tables and views of the former release, 0.1.0, as it made them.
const std::string former_schema = R"(
CREATE TABLE runs (id INTEGER PRIMARY KEY, guid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, number INTEGER NOT NULL,
    first_time TEXT, last_time TEXT, records INTEGER NOT NULL, bias INTEGER, zone TEXT);
CREATE TABLE series (id INTEGER PRIMARY KEY, machine TEXT NOT NULL, object TEXT NOT NULL, counter TEXT NOT NULL,
    type INTEGER NOT NULL, scale INTEGER NOT NULL, instance TEXT, instance_index INTEGER, parent TEXT,
    time_base INTEGER);
CREATE TABLE records (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, number INTEGER NOT NULL, time TEXT);
CREATE INDEX records_by_time ON records (time);
CREATE TABLE data (record INTEGER NOT NULL REFERENCES records, series INTEGER NOT NULL REFERENCES series, value REAL,
    PRIMARY KEY (record, series)) WITHOUT ROWID;
CREATE TABLE raw_data (record INTEGER NOT NULL REFERENCES records, series INTEGER NOT NULL REFERENCES series,
    first INTEGER NOT NULL, second INTEGER, multi_count INTEGER NOT NULL, PRIMARY KEY (record, series)) WITHOUT ROWID;
CREATE TABLE buckets (run INTEGER NOT NULL REFERENCES runs, time TEXT NOT NULL,
    series INTEGER NOT NULL REFERENCES series, seconds INTEGER NOT NULL, count INTEGER NOT NULL, min REAL, mean REAL,
    max REAL, PRIMARY KEY (run, time, series)) WITHOUT ROWID;
CREATE INDEX series_by_name
    ON series (object, counter, instance, instance_index, machine, parent, type, scale, time_base);
CREATE VIEW CounterDetails AS
SELECT id AS CounterID, CASE machine WHEN '' THEN '' ELSE substr('\\' || machine, 1, 1024) END AS MachineName,
    object AS ObjectName, counter AS CounterName, type AS CounterType, scale AS DefaultScale, instance AS InstanceName,
    instance_index AS InstanceIndex, parent AS ParentName, NULL AS ParentObjectID,
    time_base << 32 >> 32 AS TimeBaseA, time_base >> 32 AS TimeBaseB
FROM series;
CREATE VIEW counters AS
SELECT id, machine, object, instance, counter, unit, CASE machine WHEN '' THEN '' ELSE '\\' || machine END
    || '\' || object || coalesce('(' || instance || ')', '') || '\' || counter AS path
FROM (
    SELECT id, machine, object, coalesce(parent || '/', '') || instance || coalesce('#' || instance_index, '')
        AS instance, counter, CASE type >> 28 & 15 WHEN 1 THEN '/sec' WHEN 2 THEN '%' WHEN 3 THEN 'secs' ELSE '' END
        AS unit
    FROM series
);
INSERT INTO runs VALUES (1, '0A1B2C3D-0000-4000-8000-1234567890AB', 'before', 0, '2020-09-13 10:00:00.000',
    '2020-09-13 10:00:00.000', 1, 0, 'UTC');
INSERT INTO records VALUES (1, 1, 1, '2020-09-13 10:00:00.000');
INSERT INTO series VALUES (1, 'M', 'System', 'Processor Queue Length', 65536, 0, NULL, NULL, NULL, NULL),
    (2, 'M', 'Process', 'Thread Count', 65536, 0, 'a', NULL, NULL, NULL),
    (3, 'M', 'Process', 'Thread Count', 65536, 0, 'a', 1, NULL, NULL),
    (4, 'M', 'Process', 'Thread Count', 65536, 0, '_Total', NULL, NULL, NULL),
    (5, 'M', 'Thread', 'Thread State', 65536, 0, '0', 1, 'a', NULL);
INSERT INTO data VALUES (1, 1, 1), (1, 2, 2), (1, 3, 3), (1, 4, 5), (1, 5, 6);
)";
const std::string former_samples = R"(
CREATE VIEW samples AS
SELECT runs.name || coalesce(' #' || nullif(runs.number, 0), '') AS run, records.time, counters.machine,
    counters.object, counters.instance, counters.counter, data.value, counters.unit
FROM records JOIN runs ON runs.id = records.run JOIN data ON data.record = records.id
    JOIN counters ON counters.id = data.series;
)";

TEST_F(SqliteIdentity, ARunIsAddedToADatabaseOfTheFormerRelease) {
    make_database(path_, former_schema + former_samples);
    const std::string paths = "SELECT path FROM former_counters WHERE id <= 5", all = "SELECT * FROM samples";
    const auto before = rows(all);
    const auto add = [this] {
        return write({sample_at(0, {lone({{.title = 44}}, {7}), processes({{u"a", 10}, {u"_Total", 0}})})},
                     {.run_name = "now"});
    };
    EXPECT_EQ(add(), "");
    EXPECT_THAT(rows(paths), ElementsAre("\\\\M\\System\\Processor Queue Length", "\\\\M\\Process(a)\\Thread Count",
                                         "\\\\M\\Process(a#1)\\Thread Count", "\\\\M\\Process(_Total)\\Thread Count",
                                         "\\\\M\\Thread(a/0#1)\\Thread State"));
    EXPECT_THAT(rows("SELECT instance, pid, life, display FROM counters WHERE id <= 5"),
                ElementsAre("-|-|-|-", "a|-|1|a", "a#1|-|1|a#1", "_Total|-|1|_Total", "0#1|-|1|a/0#1"));
    EXPECT_EQ(rows("SELECT * FROM former_samples WHERE run = 'before'"), before);
    // Series without ids are those of earlier runs; a process with an id is none of them.
    EXPECT_THAT(rows("SELECT counters.id, counters.display, value FROM samples JOIN counters USING (object, display, "
                     "counter) WHERE run = 'now' AND counter = 'Thread Count' ORDER BY 1"),
                ElementsAre("4|_Total|0.0", "6|a:10|10.0"));
    EXPECT_EQ(row("SELECT series FROM data JOIN records ON records.id = record WHERE run = 2 AND series = 1"), "1");
    EXPECT_THAT(rows("SELECT CounterID, InstanceIndex FROM CounterDetails WHERE InstanceName = 'a' AND CounterName = "
                     "'Thread Count'"),
                ElementsAre("2|-", "3|1", "6|2"));
    EXPECT_EQ(row("PRAGMA integrity_check"), "ok");
    const auto series = rows("SELECT * FROM series");
    EXPECT_EQ(add(), "");
    EXPECT_EQ(rows("SELECT * FROM series"), series);
}

TEST_F(SqliteIdentity, AViewOfAnotherProgramInADatabaseOfTheFormerReleaseIsKept) {
    make_database(path_, former_schema + "CREATE VIEW samples AS SELECT 1 AS run");
    const std::string before = read_file(hkpd::path_of(path_));
    EXPECT_EQ(write({one()}), "its view 'samples' has the name of a view that hkpd makes: give another file");
    EXPECT_TRUE(read_file(hkpd::path_of(path_)) == before);
}

TEST_F(SqliteIdentity, OtherTablesOfTheseNamesAreKept) {
    for (const std::string statement : {"CREATE TABLE instances (id)", "CREATE TABLE places (id)"}) {
        std::filesystem::remove(hkpd::path_of(path_));
        make_database(path_, former_schema + statement);
        const std::string before = read_file(hkpd::path_of(path_));
        EXPECT_THAT(write({one()}), HasSubstr("no column named"));
        EXPECT_TRUE(read_file(hkpd::path_of(path_)) == before);
    }
}

}  // namespace sqlite_identity_test
}  // namespace hkpd_test
