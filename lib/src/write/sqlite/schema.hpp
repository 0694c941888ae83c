// The tables of a database of runs, with integer keys, and the statements that fill them. The views are in `views.hpp`.
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace hkpd::sqlite_schema {

/// The tables. A value takes about 20 bytes: its row has numbers alone, and everything that many values share is in the
/// other tables.
///
/// - `runs`: a row for each run of hkpd.
/// - `instances`: a row for each identity of an instance (hkpd/identity.hpp). Runs share these rows. `place`: the n of
///   `name#n`, if the instance is identified by its place. `number`: counts the instances of one name in the order of
///   their appearance; for a place, it is the place. `source` is empty in rows of the former release, which did not
///   store it. `form`: how the instance is shown: 0: by its name alone; 1: with its ids, because there are others of
///   this name; 3: with ids and life, because there are several lives.
/// - `series`: a row for each counter of each instance. Runs share these rows. `identity`: the row in `instances`.
/// - `records`: a row for each sample; of a log, a row for each row of the log. `number` counts from 1 in each run.
/// - `places`: a row for each instance with ids and each record in which its place differs from that in its record
///   before.
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
CREATE TABLE IF NOT EXISTS instances (
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    machine TEXT NOT NULL,
    object TEXT NOT NULL,
    parent TEXT COLLATE NOCASE,
    name TEXT NOT NULL COLLATE NOCASE,
    place INTEGER NOT NULL,
    pid INTEGER,
    instance_id INTEGER,
    life INTEGER NOT NULL,
    number INTEGER NOT NULL,
    form INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS series (
    id INTEGER PRIMARY KEY,
    machine TEXT NOT NULL,
    object TEXT NOT NULL,
    counter TEXT NOT NULL,
    type INTEGER NOT NULL,
    scale INTEGER NOT NULL,
    parent TEXT,
    instance TEXT,
    pid INTEGER,
    instance_id INTEGER,
    life INTEGER,
    identity INTEGER REFERENCES instances,
    time_base INTEGER
);
CREATE TABLE IF NOT EXISTS records (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs,
    number INTEGER NOT NULL,
    time TEXT
);
CREATE INDEX IF NOT EXISTS records_by_time ON records (time);
CREATE TABLE IF NOT EXISTS places (
    instance INTEGER NOT NULL REFERENCES instances,
    run INTEGER NOT NULL REFERENCES runs,
    record INTEGER NOT NULL REFERENCES records,
    place INTEGER NOT NULL,
    PRIMARY KEY (instance, run, record)
) WITHOUT ROWID;
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

/// An index for finding the instances of one name.
inline constexpr const char* instances_by_name = R"(
CREATE INDEX IF NOT EXISTS instances_by_name
    ON instances (object, name, machine, parent, pid, instance_id, place, life);
)";

/// Checks whether the table `series` is that of the former release, which had no identities.
inline constexpr std::string_view is_former =
    "SELECT (SELECT group_concat(name) FROM pragma_table_info('series')) = "
    "'id,machine,object,counter,type,scale,instance,instance_index,parent,time_base'";

/// Brings `series` of the former release into the form of `tables`, and removes the views of that release. The column
/// `instance_index` stays, and is no longer used. `migrate_rows` is for after `tables`: an instance of that release was
/// known by its name and its number in the order of appearance. It becomes one that is identified by its place, because
/// its ids are unknown.
inline constexpr const char* migrate_columns = R"(
DROP VIEW IF EXISTS samples;
DROP VIEW IF EXISTS counters;
DROP VIEW IF EXISTS CounterData;
DROP VIEW IF EXISTS CounterDetails;
DROP VIEW IF EXISTS DisplayToID;
DROP INDEX IF EXISTS series_by_name;
ALTER TABLE series ADD COLUMN pid INTEGER;
ALTER TABLE series ADD COLUMN instance_id INTEGER;
ALTER TABLE series ADD COLUMN life INTEGER;
ALTER TABLE series ADD COLUMN identity INTEGER REFERENCES instances;
)";
inline constexpr const char* migrate_rows = R"(
INSERT INTO instances (source, machine, object, parent, name, place, life, number, form)
    SELECT '', machine, object, parent, instance, coalesce(instance_index, 0), 1, coalesce(instance_index, 0), 0
    FROM series WHERE instance IS NOT NULL
    GROUP BY machine, object, parent, instance, instance_index ORDER BY min(id);
UPDATE series SET life = 1, instance = instance || coalesce('#' || instance_index, ''), identity = (
        SELECT id FROM instances AS i WHERE i.object = series.object AND i.name = series.instance
            AND i.machine = series.machine AND i.parent IS series.parent AND i.pid IS NULL AND i.instance_id IS NULL
            AND i.place = coalesce(series.instance_index, 0) AND i.name = series.instance COLLATE BINARY
            AND i.parent IS series.parent COLLATE BINARY
    )
    WHERE instance IS NOT NULL;
)";

/// An index for finding the series of earlier runs. The index is created when a run is added to a database that already
/// has series. The index has every column by which `find_series` identifies a series. Without one of them, a search
/// could read any number of series that differ only in that column.
inline constexpr const char* indices = R"(
CREATE INDEX IF NOT EXISTS series_by_identity
    ON series (identity, counter, object, machine, type, scale, time_base);
)";

/// Checks whether there are series of earlier runs.
inline constexpr std::string_view has_series = "SELECT EXISTS (SELECT 1 FROM series)";

/// Finds the first row of `series` with the given contents (?1 to ?7) and an id greater than ?8.
inline constexpr std::string_view find_series =
    "SELECT id FROM series WHERE machine = ?1 AND object = ?2 AND counter = ?3 AND type = ?4 AND scale = ?5 AND "
    "identity IS ?6 AND time_base IS ?7 AND id > ?8 ORDER BY id LIMIT 1";
inline constexpr std::string_view last_series = "SELECT max(id) FROM series";

/// Finds the first row of `instances` with the given contents (?1 to ?9, as in `add_instance`) and an id greater than
/// ?10. A row of the former release can be that of any source.
inline constexpr std::string_view find_instance =
    "SELECT id FROM instances WHERE object = ?3 AND name = ?5 AND machine = ?2 AND parent IS ?4 AND pid IS ?7 AND "
    "instance_id IS ?8 AND place = ?6 AND life = ?9 AND source IN (?1, '') AND id > ?10 ORDER BY id LIMIT 1";
inline constexpr std::string_view add_instance =
    "INSERT INTO instances (source, machine, object, parent, name, place, pid, instance_id, life, number, form) VALUES "
    "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
/// Sets the source, unless ?1 is NULL, and the form of an instance (?3). A form never becomes a shorter one.
inline constexpr std::string_view change_instance =
    "UPDATE instances SET source = coalesce(?1, source), form = max(form, ?2) WHERE id = ?3 AND (source <> ?1 OR form "
    "< "
    "?2)";
/// Returns the number that follows those of all instances with a name (?1 to ?5); NULL if there are none. `has_ids`
/// returns whether any of them has ids.
inline constexpr std::string_view next_number =
    "SELECT max(number) + 1 FROM instances WHERE object = ?3 AND name = ?5 AND machine = ?2 AND parent IS ?4 AND "
    "source IN (?1, '')";
inline constexpr std::string_view has_ids =
    "SELECT EXISTS (SELECT 1 FROM instances WHERE object = ?3 AND name = ?5 AND machine = ?2 AND parent IS ?4 AND "
    "source IN (?1, '') AND (pid IS NOT NULL OR instance_id IS NOT NULL))";
/// Sets the form of all instances with a name (?1 to ?5) to 1, unless it is a longer one.
inline constexpr std::string_view show_ids =
    "UPDATE instances SET form = 1 WHERE object = ?3 AND name = ?5 AND machine = ?2 AND parent IS ?4 AND source = ?1 "
    "AND form = 0";
/// Sets the form of all instances with a name (?1 to ?5) and ids (?6 and ?7) to 3.
inline constexpr std::string_view show_lives =
    "UPDATE instances SET form = 3 WHERE object = ?3 AND name = ?5 AND machine = ?2 AND parent IS ?4 AND pid IS ?6 AND "
    "instance_id IS ?7 AND source = ?1 AND form <> 3";

/// Returns the statement that adds `rows` rows to a table. `row`: the parameters of a row, such as `(?, ?, ?)`. `end`:
/// what follows the rows.
inline std::string add_rows(std::string_view table, std::string_view row, std::size_t rows, std::string_view end = "") {
    std::string statement = fmt::format("INSERT INTO {} VALUES {}", table, row);
    while (--rows != 0) statement.append(", ").append(row);
    return statement.append(end);
}
/// If the time of the samples went backwards, an interval of a series can exist already; the two are then joined.
inline constexpr std::string_view join_buckets =
    " ON CONFLICT (run, time, series) DO UPDATE SET min = min(min, excluded.min), max = max(max, excluded.max), "
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
