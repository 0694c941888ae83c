// A database of runs: small tables with integer keys, and views in the form of the tables that `relog -f SQL` fills.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hkpd/counter_type.hpp"

namespace hkpd::sqlite_schema {

/// The tables. A value takes about 20 bytes: its row has numbers alone, and everything that many values share is in the
/// other tables.
///
/// - `runs`: a row for each run of hkpd.
/// - `series`: a row for each counter of each instance. Runs share these rows.
/// - `records`: a row for each sample; of a log, a row for each row of the log. `number` counts from 1 in each run.
/// - `data`: a row for each cooked value. `value` is NULL if there is no cooked value, because some need two samples;
///   NULL does not distort averages. A missing or damaged raw value has no row. The rows are ordered by record, so that
///   new rows are appended, and so that a query for a time reads only the records of that time.
/// - `buckets`: a row for each series and interval of time, if intervals were requested; then `data` has no rows of the
///   run. `time`: beginning of the interval. `seconds`: its length.
/// - `raw_data`: a row for each raw value, as in PDH_RAW_COUNTER (pdh.h). It has rows only if they were requested.
inline constexpr const char* tables = R"(
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY,
    guid TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    number INTEGER NOT NULL,
    first_time TEXT,
    last_time TEXT,
    records INTEGER NOT NULL,
    bias INTEGER,
    zone TEXT
);
CREATE TABLE IF NOT EXISTS series (
    id INTEGER PRIMARY KEY,
    machine TEXT NOT NULL,
    object TEXT NOT NULL,
    counter TEXT NOT NULL,
    type INTEGER NOT NULL,
    scale INTEGER NOT NULL,
    instance TEXT,
    instance_index INTEGER,
    parent TEXT,
    time_base INTEGER
);
CREATE TABLE IF NOT EXISTS records (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs,
    number INTEGER NOT NULL,
    time TEXT
);
CREATE INDEX IF NOT EXISTS records_by_time ON records (time);
CREATE TABLE IF NOT EXISTS data (
    record INTEGER NOT NULL REFERENCES records,
    series INTEGER NOT NULL REFERENCES series,
    value REAL,
    PRIMARY KEY (record, series)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS raw_data (
    record INTEGER NOT NULL REFERENCES records,
    series INTEGER NOT NULL REFERENCES series,
    first INTEGER NOT NULL,
    second INTEGER,
    multi_count INTEGER NOT NULL,
    PRIMARY KEY (record, series)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS buckets (
    run INTEGER NOT NULL REFERENCES runs,
    time TEXT NOT NULL,
    series INTEGER NOT NULL REFERENCES series,
    seconds INTEGER NOT NULL,
    count INTEGER NOT NULL,
    min REAL,
    mean REAL,
    max REAL,
    PRIMARY KEY (run, time, series)
) WITHOUT ROWID;
)";

/// An index for finding the series of earlier runs. The index is created when a run is added to a database that already
/// has series. The index has every column by which `find_series` identifies a series. Without one of them, a search
/// could read any number of series that differ only in that column.
inline constexpr const char* indices = R"(
CREATE INDEX IF NOT EXISTS series_by_name
    ON series (object, counter, instance, instance_index, machine, parent, type, scale, time_base);
)";

/// Returns an expression for the unit of a type: what `cooked_unit` returns for each value of its display bits.
inline std::string unit_of_type() {
    std::string text = "CASE type >> 28 & 15";
    for (std::uint32_t display = 0; display < 16; ++display)
        if (const std::string_view unit = cooked_unit(display << 28U); !unit.empty())
            text += fmt::format(" WHEN {} THEN '{}'", display, unit);
    return text + " ELSE '' END";
}

/// Views. CounterDetails, CounterData and DisplayToID have the names and columns of the tables that Windows' logs have
/// in a database (learn.microsoft.com, "SQL log file schema"), so that queries for those work. The raw values in
/// CounterData are two signed columns of 32 bits each: `<< 32 >> 32` extends the sign of the lower bits. They are
/// subqueries, which cost nothing in a query that does not use them; SQLite would search `raw_data` for each row of a
/// join. The views `counters` and `samples` are for people. If several runs have the same name, the number of the run
/// is appended to the name of all but the first. `UNIT`: `unit_of_type`.
inline std::string views() {
    std::string text = R"(
CREATE VIEW IF NOT EXISTS CounterDetails AS
SELECT id AS CounterID, CASE machine WHEN '' THEN '' ELSE substr('\\' || machine, 1, 1024) END AS MachineName,
    object AS ObjectName, counter AS CounterName, type AS CounterType, scale AS DefaultScale, instance AS InstanceName,
    instance_index AS InstanceIndex, parent AS ParentName, NULL AS ParentObjectID,
    time_base << 32 >> 32 AS TimeBaseA, time_base >> 32 AS TimeBaseB
FROM series;
CREATE VIEW IF NOT EXISTS CounterData AS
SELECT runs.guid AS GUID, data.series AS CounterID, records.number AS RecordIndex, records.time AS CounterDateTime,
    data.value AS CounterValue,
    (SELECT first << 32 >> 32 FROM raw_data AS raw
        WHERE raw.record = data.record AND raw.series = data.series) AS FirstValueA,
    (SELECT first >> 32 FROM raw_data AS raw
        WHERE raw.record = data.record AND raw.series = data.series) AS FirstValueB,
    (SELECT second << 32 >> 32 FROM raw_data AS raw
        WHERE raw.record = data.record AND raw.series = data.series) AS SecondValueA,
    (SELECT second >> 32 FROM raw_data AS raw
        WHERE raw.record = data.record AND raw.series = data.series) AS SecondValueB,
    (SELECT multi_count FROM raw_data AS raw
        WHERE raw.record = data.record AND raw.series = data.series) AS MultiCount
FROM records JOIN runs ON runs.id = records.run JOIN data ON data.record = records.id;
CREATE VIEW IF NOT EXISTS DisplayToID AS
SELECT guid AS GUID, number AS RunID, name AS DisplayString, first_time AS LogStartTime, last_time AS LogStopTime,
    records AS NumberOfRecords, bias AS MinutesToUTC, zone AS TimeZoneName
FROM runs;
CREATE VIEW IF NOT EXISTS counters AS
SELECT id, machine, object, instance, counter, unit, CASE machine WHEN '' THEN '' ELSE '\\' || machine END
    || '\' || object || coalesce('(' || instance || ')', '') || '\' || counter AS path
FROM (
    SELECT id, machine, object, coalesce(parent || '/', '') || instance || coalesce('#' || instance_index, '')
        AS instance, counter, UNIT AS unit
    FROM series
);
CREATE VIEW IF NOT EXISTS samples AS
SELECT runs.name || coalesce(' #' || nullif(runs.number, 0), '') AS run, records.time, counters.machine,
    counters.object, counters.instance, counters.counter, data.value, counters.unit
FROM records JOIN runs ON runs.id = records.run JOIN data ON data.record = records.id
    JOIN counters ON counters.id = data.series;
)";
    return text.replace(text.find("UNIT"), 4, unit_of_type());
}

/// Finds what another program, such as relog, has made under the name of a view above: a table, or a view with other
/// columns. The result is text such as `table 'samples'`.
inline constexpr std::string_view foreign_view =
    "SELECT type || ' ''' || name || '''' FROM sqlite_schema AS s WHERE name COLLATE NOCASE IN ('counters', 'samples', "
    "'CounterDetails', 'CounterData', 'DisplayToID') AND (type <> 'view' OR (SELECT group_concat(name) FROM "
    "pragma_table_info(s.name)) NOT IN ("
    "'id,machine,object,instance,counter,unit,path', 'run,time,machine,object,instance,counter,value,unit', "
    "'CounterID,MachineName,ObjectName,CounterName,CounterType,DefaultScale,InstanceName,InstanceIndex,ParentName,"
    "ParentObjectID,TimeBaseA,TimeBaseB', "
    "'GUID,CounterID,RecordIndex,CounterDateTime,CounterValue,FirstValueA,FirstValueB,SecondValueA,SecondValueB,"
    "MultiCount', "
    "'GUID,RunID,DisplayString,LogStartTime,LogStopTime,NumberOfRecords,MinutesToUTC,TimeZoneName'))";

/// Checks whether there are series of earlier runs.
inline constexpr std::string_view has_series = "SELECT EXISTS (SELECT 1 FROM series)";

/// Finds the first row of `series` with the given contents (?1 to ?9, as in `add_series`) and an id greater than ?10.
inline constexpr std::string_view find_series =
    "SELECT id FROM series WHERE machine = ?1 AND object = ?2 AND counter = ?3 AND type = ?4 AND scale = ?5 AND "
    "instance IS ?6 AND instance_index IS ?7 AND parent IS ?8 AND time_base IS ?9 AND id > ?10 ORDER BY id LIMIT 1";
inline constexpr std::string_view add_series =
    "INSERT INTO series (machine, object, counter, type, scale, instance, instance_index, parent, time_base) VALUES "
    "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
/// Returns the statement that adds `rows` rows to a table. `row`: the parameters of a row, such as `(?1, ?, ?)`.
/// Parameter ?1 has the same value in all rows.
inline std::string add_rows(std::string_view table, std::string_view row, std::size_t rows) {
    std::string statement = fmt::format("INSERT INTO {} VALUES {}", table, row);
    while (--rows != 0) statement.append(", ").append(row);
    return statement;
}
/// Adds an interval of a series. If the time of the samples went backwards, the interval can exist already; the two are
/// then joined.
inline constexpr std::string_view add_bucket =
    "INSERT INTO buckets (run, time, series, seconds, count, min, mean, max) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
    "ON CONFLICT (run, time, series) DO UPDATE SET min = min(min, excluded.min), max = max(max, excluded.max), "
    "mean = mean + (excluded.mean - mean) * excluded.count / (count + excluded.count), count = count + excluded.count";
inline constexpr std::string_view add_record = "INSERT INTO records (run, number, time) VALUES (?1, ?2, ?3)";
inline constexpr std::string_view add_run =
    "INSERT INTO runs (guid, name, number, records, bias, zone) VALUES "
    "(?1, ?2, (SELECT count(*) FROM runs WHERE name = ?2), 0, ?3, ?4)";
/// Updates the start time, the stop time and the number of records of a run. The samples need not come in the order of
/// their times, because a run can have several inputs.
inline constexpr std::string_view update_run =
    "UPDATE runs SET first_time = min(coalesce(first_time, ?2), coalesce(?2, first_time)), last_time = "
    "max(coalesce(last_time, ?2), coalesce(?2, last_time)), records = ?3 WHERE id = ?1";

}  // namespace hkpd::sqlite_schema
