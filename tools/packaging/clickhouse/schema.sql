-- Performance counters of a fleet in ClickHouse, for the lines of `hkpd replay --format jsonl` and `hkpd dump --format
-- jsonl`. Made for and tested with ClickHouse 18.16:  clickhouse-client --multiquery < schema.sql
-- Running it again changes nothing. For tables of the former release, run migrate.sh first.

CREATE DATABASE IF NOT EXISTS hkpd;

-- Incoming lines. The first columns are the keys of a line; the others are computed from them for the tables below.
-- This table stores nothing: views pass the rows on. Each view reads this table and none reads another view, because
-- versions of ClickHouse differ in their support of views on views.
CREATE TABLE IF NOT EXISTS hkpd.incoming
(
    time Nullable(String),
    machine Nullable(String),
    source String,
    object Nullable(String),
    object_index Nullable(UInt32),
    counterset Nullable(String),
    parent Nullable(String),
    instance Nullable(String),
    pid Nullable(UInt32),
    instance_id Nullable(Int32),
    life Nullable(UInt32),
    pdh_instance Nullable(String),
    counter Nullable(String),
    counter_index Nullable(UInt32),
    type Nullable(String),
    raw Nullable(UInt64),
    text Nullable(String),
    hex Nullable(String),
    status Nullable(String),
    value Nullable(Float64),
    reason Nullable(String),

    the_machine String MATERIALIZED ifNull(machine, ''),
    the_object String MATERIALIZED
        coalesce(object, if(source = 'v2', counterset, concat('#', toString(object_index))), ''),
    the_counter String MATERIALIZED
        coalesce(counter, concat(if(source = 'v2', 'id ', '#'), toString(counter_index)), ''),
    the_instance String MATERIALIZED ifNull(instance, ''),
    the_parent String MATERIALIZED ifNull(parent, ''),
    the_counterset String MATERIALIZED ifNull(counterset, ''),
    the_type String MATERIALIZED ifNull(type, ''),
    series UInt64 MATERIALIZED cityHash64(the_machine, the_object, the_counter, the_instance, the_parent,
        ifNull(pid, 0xFFFFFFFF), ifNull(instance_id, -1), ifNull(life, 0), source, the_counterset,
        ifNull(object_index, 0xFFFFFFFF), ifNull(counter_index, 0xFFFFFFFF), the_type),

    -- 2024-05-14T09:30:00.000Z, parsed from the end, because the year may be longer. Days are counted in years that
    -- begin in March, so that the leap day is their last; 584694 days lie between 0000-03-01 and 1601-01-01. (DateTime
    -- does not support every year.)
    t String MATERIALIZED ifNull(time, ''),
    month Int64 MATERIALIZED toInt64OrZero(substring(t, -19, 2)),
    march_year Int64 MATERIALIZED toInt64OrZero(substring(t, 1, greatest(length(t), 20) - 20)) - (month < 3),
    day Int64 MATERIALIZED 365 * march_year + intDiv(march_year, 4) - intDiv(march_year, 100) + intDiv(march_year, 400)
        + intDiv(153 * ((month + 9) % 12) + 2, 5) + toInt64OrZero(substring(t, -16, 2)) - 1 - 584694,
    second Int64 MATERIALIZED ((day * 24 + toInt64OrZero(substring(t, -13, 2))) * 60
        + toInt64OrZero(substring(t, -10, 2))) * 60 + toInt64OrZero(substring(t, -7, 2)),
    filetime Int64 MATERIALIZED
        if(t = '', 0, second * 10000000 + toInt64OrZero(substring(t, -4, 3)) * 10000),
    moment DateTime('UTC') MATERIALIZED
        toDateTime(least(greatest(intDiv(filetime, 10000000) - 11644473600, 0), 4291747199))
)
ENGINE = Null;

-- One row for each counter of each instance at each time. A row that is loaded again replaces the existing one when
-- parts are merged; until then use FINAL (queries.sql).
CREATE TABLE IF NOT EXISTS hkpd.samples
(
    machine String,
    object String,           -- #6000 if object 6000 has no name, as in the tables of hkpd
    counter String,          -- #6000 if counter 6000 has no name
    instance String,         -- name; name#1 if there is neither pid nor instance_id
    parent String,
    pid Nullable(UInt32),
    instance_id Nullable(Int32),
    life Nullable(UInt32),   -- 2 and more: another one has had these names and ids before
    source String,           -- v1, v2 or log
    counterset String,
    object_index Nullable(UInt32),
    counter_index Nullable(UInt32),
    type String,
    series UInt64,           -- hash of all of the above: identifies one line in a chart
    pdh_instance String,     -- what PerfMon shows at this time: [parent/]name[#n]
    filetime Int64,          -- 100 ns since 1601-01-01 UTC, as FILETIME; 0: invalid
    moment DateTime('UTC'),  -- in seconds, in the range of the type: 1970 (shown as 0000-00-00) to 2105
    raw Nullable(UInt64),
    text Nullable(String),   -- instead of raw, for text counters
    hex Nullable(String),    -- instead of raw, for counters that are neither numbers nor text
    status String,           -- why the log has no value
    value Nullable(Float64),
    reason String,           -- why there is no value, or an unusual one
    told UInt8               -- 2: has a value, 1: has a reason, 0: has only raw. The highest of duplicate rows is kept
)
ENGINE = ReplacingMergeTree(told)
PARTITION BY toYYYYMMDD(moment)
ORDER BY (machine, object, counter, instance, series, filetime);

CREATE MATERIALIZED VIEW IF NOT EXISTS hkpd.to_samples TO hkpd.samples AS
SELECT
    the_machine AS machine, the_object AS object, the_counter AS counter, the_instance AS instance,
    the_parent AS parent, pid, instance_id, life, source, the_counterset AS counterset, object_index, counter_index,
    the_type AS type, series, ifNull(pdh_instance, '') AS pdh_instance, filetime, moment, raw, text, hex,
    ifNull(status, '') AS status, value, ifNull(reason, '') AS reason,
    toUInt8(if(isNotNull(value), 2, isNotNull(reason))) AS told
FROM hkpd.incoming;

-- Aggregates of the values of a minute and of an hour, as states to merge in a query: countMerge(count),
-- minMerge(min), maxMerge(max), avgMerge(mean). They count every incoming row, including rows loaded again: load.sh
-- avoids that, and recount.sh repairs it. (A series has one machine, object, counter, instance, parent, pid and so on,
-- so any() returns each of them; grouping by a number is twice as fast.)
CREATE TABLE IF NOT EXISTS hkpd.minutes
(
    machine String, object String, counter String, instance String, parent String, pid Nullable(UInt32),
    instance_id Nullable(Int32), life Nullable(UInt32), series UInt64,
    minute DateTime('UTC'),
    count AggregateFunction(count),
    min AggregateFunction(min, Float64),
    max AggregateFunction(max, Float64),
    mean AggregateFunction(avg, Float64)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMMDD(minute)
ORDER BY (machine, object, counter, instance, series, minute);

CREATE MATERIALIZED VIEW IF NOT EXISTS hkpd.to_minutes TO hkpd.minutes AS
SELECT
    any(the_machine) AS machine, any(the_object) AS object, any(the_counter) AS counter, any(the_instance) AS instance,
    any(the_parent) AS parent, any(pid) AS pid, any(instance_id) AS instance_id, any(life) AS life, series,
    toStartOfMinute(moment) AS minute,
    countState() AS count,
    minState(assumeNotNull(value)) AS min,
    maxState(assumeNotNull(value)) AS max,
    avgState(assumeNotNull(value)) AS mean
FROM hkpd.incoming
WHERE isNotNull(value)
GROUP BY series, minute;

CREATE TABLE IF NOT EXISTS hkpd.hours
(
    machine String, object String, counter String, instance String, parent String, pid Nullable(UInt32),
    instance_id Nullable(Int32), life Nullable(UInt32), series UInt64,
    hour DateTime('UTC'),
    count AggregateFunction(count),
    min AggregateFunction(min, Float64),
    max AggregateFunction(max, Float64),
    mean AggregateFunction(avg, Float64)
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(hour)
ORDER BY (machine, object, counter, instance, series, hour);

CREATE MATERIALIZED VIEW IF NOT EXISTS hkpd.to_hours TO hkpd.hours AS
SELECT
    any(the_machine) AS machine, any(the_object) AS object, any(the_counter) AS counter, any(the_instance) AS instance,
    any(the_parent) AS parent, any(pid) AS pid, any(instance_id) AS instance_id, any(life) AS life, series,
    toStartOfHour(moment) AS hour,
    countState() AS count,
    minState(assumeNotNull(value)) AS min,
    maxState(assumeNotNull(value)) AS max,
    avgState(assumeNotNull(value)) AS mean
FROM hkpd.incoming
WHERE isNotNull(value)
GROUP BY series, hour;

-- The last value of each series and its time. Loading twice does not affect it.
CREATE TABLE IF NOT EXISTS hkpd.last_values
(
    machine String, object String, counter String, instance String, parent String, pid Nullable(UInt32),
    instance_id Nullable(Int32), life Nullable(UInt32), series UInt64,
    last_value AggregateFunction(argMax, Float64, Int64),
    last_moment AggregateFunction(max, DateTime('UTC'))
)
ENGINE = AggregatingMergeTree
ORDER BY (machine, object, counter, instance, series);

CREATE MATERIALIZED VIEW IF NOT EXISTS hkpd.to_last_values TO hkpd.last_values AS
SELECT
    any(the_machine) AS machine, any(the_object) AS object, any(the_counter) AS counter, any(the_instance) AS instance,
    any(the_parent) AS parent, any(pid) AS pid, any(instance_id) AS instance_id, any(life) AS life, series,
    argMaxState(assumeNotNull(value), filetime) AS last_value,
    maxState(moment) AS last_moment
FROM hkpd.incoming
WHERE isNotNull(value)
GROUP BY series;

CREATE VIEW IF NOT EXISTS hkpd.latest AS
SELECT
    machine, object, counter, instance, any(parent) AS parent, any(pid) AS pid, any(instance_id) AS instance_id,
    any(life) AS life, series,
    argMaxMerge(last_value) AS value, maxMerge(last_moment) AS moment
FROM hkpd.last_values
GROUP BY machine, object, counter, instance, series;

-- The captures that load.sh has loaded, by the hash of their bytes.
CREATE TABLE IF NOT EXISTS hkpd.captures
(
    sha256 String,
    file String,
    whole UInt8,             -- 0: begun, 1: completely loaded
    since DateTime('UTC')
)
ENGINE = ReplacingMergeTree(whole)
ORDER BY sha256;
