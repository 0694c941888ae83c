// The tables of Windows' logs in a database, as `relog -f SQL -o SQL:DSN!name` makes and fills them, in SQLite's SQL.
// Source: learn.microsoft.com "SQL log file schema" (names and meaning of the columns); types, MultiCount and TimeBase
// as in the databases that Windows makes.
#pragma once

#include <string_view>

namespace hkpd::sqlite_schema {

/// What differs from SQL Server, and why:
/// - CounterData is kept by sample, not by counter: what comes last stands last. By counter each value of a sample
/// would
///   change a page of its own, which is eight times slower and writes sixty times as much. Who asks for one counter
///   need not read all: with what ANALYZE notes, SQLite skips from sample to sample.
/// - CounterValue may be NULL: two samples have to be there before there is one, and NULL spoils no average. The raw
///   value beside it is always one. What has no raw value, or a damaged one, has no row.
inline constexpr const char* tables = R"(
CREATE TABLE IF NOT EXISTS CounterDetails (
    CounterID INTEGER PRIMARY KEY,
    MachineName varchar(1024) NOT NULL,
    ObjectName varchar(1024) NOT NULL,
    CounterName varchar(1024) NOT NULL,
    CounterType int NOT NULL,
    DefaultScale int NOT NULL,
    InstanceName varchar(1024),
    InstanceIndex int,
    ParentName varchar(1024),
    ParentObjectID int,
    TimeBaseA int,
    TimeBaseB int
);
CREATE TABLE IF NOT EXISTS CounterData (
    GUID char(36) NOT NULL,
    CounterID int NOT NULL,
    RecordIndex int NOT NULL,
    CounterDateTime char(24),
    CounterValue float,
    FirstValueA int,
    FirstValueB int,
    SecondValueA int,
    SecondValueB int,
    MultiCount int,
    PRIMARY KEY (GUID, RecordIndex, CounterID)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS DisplayToID (
    GUID char(36) NOT NULL PRIMARY KEY,
    RunID int,
    DisplayString varchar(1024) NOT NULL,
    LogStartTime char(24),
    LogStopTime char(24),
    NumberOfRecords int,
    MinutesToUTC int,
    TimeZoneName char(32)
);
)";

/// By which the counters of earlier runs are found: by all that `find_counter` compares, as there may be any number
/// that differ in one of them only.
inline constexpr const char* indices = R"(
CREATE INDEX IF NOT EXISTS CounterDetailsByName
    ON CounterDetails (ObjectName, CounterName, InstanceName, InstanceIndex, MachineName, ParentName, CounterType,
        DefaultScale, TimeBaseA, TimeBaseB);
)";

/// For people. A run's name has its RunID behind it where it is not the first of that name. Units are those of the
/// type's display bits (winperf.h).
inline constexpr const char* views = R"(
CREATE VIEW IF NOT EXISTS counters AS
SELECT CounterID AS id, machine, object, instance, counter, unit,
    MachineName || '\' || object || coalesce('(' || instance || ')', '') || '\' || counter AS path
FROM (
    SELECT CounterID, MachineName, ltrim(MachineName, '\') AS machine, ObjectName AS object,
        coalesce(ParentName || '/', '') || InstanceName || coalesce('#' || nullif(InstanceIndex, 0), '') AS instance,
        CounterName AS counter,
        CASE CounterType >> 28 & 15 WHEN 1 THEN '/sec' WHEN 2 THEN '%' WHEN 3 THEN 'secs' ELSE '' END AS unit
    FROM CounterDetails
);
CREATE VIEW IF NOT EXISTS samples AS
SELECT DisplayString || coalesce(' #' || nullif(RunID, 0), '') AS run,
    CounterDateTime AS time, machine, object, instance, counter, CounterValue AS value, unit
FROM CounterData JOIN counters ON counters.id = CounterData.CounterID JOIN DisplayToID USING (GUID);
)";

/// What has the name of one of these views and is another: `table 'samples'`.
inline constexpr std::string_view foreign_view =
    "SELECT type || ' ''' || name || '''' FROM sqlite_schema AS s WHERE name COLLATE NOCASE IN ('counters', 'samples') "
    "AND (type <> 'view' OR (SELECT group_concat(name) FROM pragma_table_info(s.name)) NOT IN ("
    "'id,machine,object,instance,counter,unit,path', 'run,time,machine,object,instance,counter,value,unit'))";

/// Whether each value has to have a time, as in SQL Server's tables.
inline constexpr std::string_view needs_time =
    "SELECT \"notnull\" FROM pragma_table_info('CounterData') WHERE name = 'CounterDateTime' COLLATE NOCASE";

/// Parameters: those that follow, then the highest CounterID that is none of the wanted.
inline constexpr std::string_view find_counter =
    "SELECT CounterID FROM CounterDetails WHERE MachineName = ?1 AND ObjectName = ?2 AND CounterName = ?3 AND "
    "CounterType = ?4 AND DefaultScale = ?5 AND InstanceName IS ?6 AND InstanceIndex IS ?7 AND ParentName IS ?8 AND "
    "ParentObjectID IS NULL AND TimeBaseA IS ?9 AND TimeBaseB IS ?10 AND CounterID > ?11 ORDER BY CounterID LIMIT 1";
inline constexpr std::string_view add_counter =
    "INSERT INTO CounterDetails (MachineName, ObjectName, CounterName, CounterType, DefaultScale, InstanceName, "
    "InstanceIndex, ParentName, TimeBaseA, TimeBaseB) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
inline constexpr std::string_view add_value =
    "INSERT INTO CounterData (GUID, RecordIndex, CounterDateTime, CounterID, CounterValue, FirstValueA, FirstValueB, "
    "SecondValueA, SecondValueB, MultiCount) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
inline constexpr std::string_view add_run =
    "INSERT INTO DisplayToID (GUID, DisplayString, RunID, NumberOfRecords, MinutesToUTC, TimeZoneName) VALUES "
    "(?1, ?2, (SELECT count(*) FROM DisplayToID WHERE DisplayString = ?2), 0, ?3, ?4)";
/// Samples come in any order: several inputs are one run.
inline constexpr std::string_view update_run =
    "UPDATE DisplayToID SET LogStartTime = min(coalesce(LogStartTime, ?2), coalesce(?2, LogStartTime)), LogStopTime = "
    "max(coalesce(LogStopTime, ?2), coalesce(?2, LogStopTime)), NumberOfRecords = ?3 WHERE GUID = ?1";

}  // namespace hkpd::sqlite_schema
