// The views of a database of runs.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "hkpd/counter_type.hpp"

namespace hkpd::sqlite_schema {

/// Returns an expression for the unit of a type: what `cooked_unit` returns for each value of its display bits.
inline std::string unit_of_type() {
    std::string text = "CASE type >> 28 & 15";
    for (std::uint32_t display = 0; display < 16; ++display)
        if (const std::string_view unit = cooked_unit(display << 28U); !unit.empty())
            text += fmt::format(" WHEN {} THEN '{}'", display, unit);
    return text + " ELSE '' END";
}

/// Views. CounterDetails, CounterData and DisplayToID have the names and columns of the tables that Windows' logs have
/// in a database (learn.microsoft.com, "SQL log file schema"), so that queries for those work. InstanceIndex, which is
/// a place there, is the number in the order of appearance here, so that names and index identify a series. The raw
/// values in CounterData are two signed columns of 32 bits each: `<< 32 >> 32` extends the sign of the lower bits.
///
/// The views `counters` and `samples` are for people. If several runs have the same name, the number of the run is
/// appended to the name of all but the first. `UNIT`: `unit_of_type`. `display` is what
/// `RunInstances::append_display` makes. `pdh_instance` is the place in the record; in `counters` it is the last one.
/// `former_counters` and `former_samples` are what these two views were in the former release.
///
/// What is in another table than that of the row is in a subquery, which costs nothing in a query that does not use it.
/// SQLite would search the table of a join for each row.
inline std::string views() {
    std::string text = R"(
CREATE VIEW IF NOT EXISTS CounterDetails AS
SELECT id AS CounterID, CASE machine WHEN '' THEN '' ELSE substr('\\' || machine, 1, 1024) END AS MachineName,
    object AS ObjectName, counter AS CounterName, type AS CounterType, scale AS DefaultScale,
    (SELECT name FROM instances AS i WHERE i.id = series.identity) AS InstanceName,
    (SELECT nullif(number, 0) FROM instances AS i WHERE i.id = series.identity) AS InstanceIndex,
    parent AS ParentName, NULL AS ParentObjectID, time_base << 32 >> 32 AS TimeBaseA, time_base >> 32 AS TimeBaseB
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
SELECT id, machine, object, parent, instance, pid, instance_id, life, pdh_instance, display, counter, unit,
    CASE machine WHEN '' THEN '' ELSE '\\' || machine END || '\' || object || coalesce('(' || display || ')', '')
    || '\' || counter AS path
FROM (
    SELECT id, machine, object, parent, instance, pid, instance_id, life, (
            SELECT coalesce(i.parent || '/', '') || i.name || coalesce('#' || nullif(coalesce((
                    SELECT p.place FROM places AS p WHERE p.instance = i.id ORDER BY p.run DESC, p.record DESC LIMIT 1
                ), i.place), 0), '')
            FROM instances AS i WHERE i.id = series.identity
        ) AS pdh_instance, (
            SELECT CASE i.form WHEN 0 THEN coalesce(series.parent || '/', '') || series.instance
                ELSE coalesce(series.parent || coalesce(':' || series.pid, '') || '/' || series.instance,
                    series.instance || coalesce(':' || series.pid, ''))
                    || coalesce(':' || series.instance_id, '')
                    || CASE i.form WHEN 3 THEN ':' || series.life ELSE '' END
                END
            FROM instances AS i WHERE i.id = series.identity
        ) AS display, counter,
        UNIT AS unit
    FROM series
);
CREATE VIEW IF NOT EXISTS samples AS
SELECT runs.name || coalesce(' #' || nullif(runs.number, 0), '') AS run, records.time, counters.machine,
    counters.object, counters.parent, counters.instance, counters.pid, counters.instance_id, counters.life, (
        SELECT coalesce(i.parent || '/', '') || i.name || coalesce('#' || nullif(coalesce((
                SELECT p.place FROM places AS p WHERE p.instance = i.id AND p.run = records.run
                    AND p.record <= records.id ORDER BY p.record DESC LIMIT 1
            ), i.place), 0), '')
        FROM instances AS i WHERE i.id = (SELECT s.identity FROM series AS s WHERE s.id = data.series)
    ) AS pdh_instance, counters.display, counters.counter, data.value, counters.unit
FROM records JOIN runs ON runs.id = records.run JOIN data ON data.record = records.id
    JOIN counters ON counters.id = data.series;
CREATE VIEW IF NOT EXISTS former_counters AS
SELECT id, machine, object, instance, counter, unit, CASE machine WHEN '' THEN '' ELSE '\\' || machine END
    || '\' || object || coalesce('(' || instance || ')', '') || '\' || counter AS path
FROM (
    SELECT id, machine, object, (
            SELECT coalesce(i.parent || '/', '') || i.name || coalesce('#' || nullif(i.number, 0), '')
            FROM instances AS i WHERE i.id = series.identity
        ) AS instance, counter,
        UNIT AS unit
    FROM series
);
CREATE VIEW IF NOT EXISTS former_samples AS
SELECT runs.name || coalesce(' #' || nullif(runs.number, 0), '') AS run, records.time, former_counters.machine,
    former_counters.object, former_counters.instance, former_counters.counter, data.value, former_counters.unit
FROM records JOIN runs ON runs.id = records.run JOIN data ON data.record = records.id
    JOIN former_counters ON former_counters.id = data.series;
)";
    constexpr std::string_view mark = "UNIT";
    const std::string unit = unit_of_type();
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + unit.size()))
        text.replace(at, mark.size(), unit);
    return text;
}

/// Returns the statement that finds what another program, such as relog, has made under the name of a view above: a
/// table, or a view with other columns. The result is text such as `table 'samples'`. `former`: whether the views are
/// still those of the former release.
inline std::string foreign_view(bool former) {
    constexpr std::string_view former_columns =
        "'id,machine,object,instance,counter,unit,path', 'run,time,machine,object,instance,counter,value,unit'";
    constexpr std::string_view new_columns =
        "'id,machine,object,parent,instance,pid,instance_id,life,pdh_instance,display,counter,unit,path', "
        "'run,time,machine,object,parent,instance,pid,instance_id,life,pdh_instance,display,counter,value,unit'";
    return fmt::format(
        "SELECT type || ' ''' || name || '''' FROM sqlite_schema AS s WHERE name COLLATE NOCASE IN ('counters', "
        "'samples', 'former_counters', 'former_samples', 'CounterDetails', 'CounterData', 'DisplayToID') AND "
        "(type <> 'view' OR CASE WHEN name COLLATE NOCASE IN ('counters', 'samples') THEN (SELECT group_concat(name) "
        "FROM pragma_table_info(s.name)) NOT IN ({}) ELSE (SELECT group_concat(name) FROM pragma_table_info(s.name)) "
        "NOT IN ({}, 'CounterID,MachineName,ObjectName,CounterName,CounterType,DefaultScale,InstanceName,"
        "InstanceIndex,ParentName,ParentObjectID,TimeBaseA,TimeBaseB', "
        "'GUID,CounterID,RecordIndex,CounterDateTime,CounterValue,FirstValueA,FirstValueB,SecondValueA,SecondValueB,"
        "MultiCount', "
        "'GUID,RunID,DisplayString,LogStartTime,LogStopTime,NumberOfRecords,MinutesToUTC,TimeZoneName') END)",
        former ? former_columns : new_columns, former_columns);
}

}  // namespace hkpd::sqlite_schema
