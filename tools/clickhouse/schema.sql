-- Performance counters of a fleet in ClickHouse, for the lines of `hkpd replay --format jsonl` and `hkpd dump --format
-- jsonl`. Made for and tested with ClickHouse 18.16:  clickhouse-client --multiquery < schema.sql
-- A second time it changes nothing.

CREATE DATABASE IF NOT EXISTS hkpd;

-- What comes in. The first columns are the keys of a line, the others are computed from them: they are what the
-- tables below have. Nothing is kept here; views pass it on, each from here, since of views behind views versions of
-- ClickHouse think differently.
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
    instance_index UInt32,
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
        instance_index, source, the_counterset, ifNull(object_index, 0xFFFFFFFF), ifNull(counter_index, 0xFFFFFFFF),
        the_type),

    -- 2024-05-14T09:30:00.000Z, from behind: the year alone may be longer. Days are counted by years that begin with
    -- March, so that the odd day is their last; 584694 of them lie between 0000-03-01 and 1601-01-01. (DateTime does
    -- not hold every year.)
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

-- One row for each counter of each instance at each moment. A row that comes again replaces the one that is there, at
-- the latest when parts are merged; until then FINAL tells (queries.sql).
CREATE TABLE IF NOT EXISTS hkpd.samples
(
    machine String,
    object String,           -- #6000 where nothing names it, as the tables of hkpd show it
    counter String,          -- likewise
    instance String,
    parent String,
    instance_index UInt32,   -- which of those of the same name: 1 is name#1
    source String,           -- v1, v2 or log
    counterset String,
    object_index Nullable(UInt32),
    counter_index Nullable(UInt32),
    type String,
    series UInt64,           -- a hash of all of the above: what is one line in a chart
    filetime Int64,          -- 100 ns since 1601-01-01 UTC, as FILETIME; 0: no moment of the calendar
    moment DateTime('UTC'),  -- the second of it, as far as the type goes: 1970 (shown as 0000-00-00) to 2105
    raw Nullable(UInt64),
    text Nullable(String),   -- instead of raw: of counters that are text
    hex Nullable(String),    -- instead of raw: of those that are neither number nor text
    status String,           -- why a log has no value
    value Nullable(Float64),
    reason String,           -- why there is no value, or an odd one
    told UInt8               -- 2: a value, 1: why there is none, 0: raw alone. Of rows that are one the highest stays
)
ENGINE = ReplacingMergeTree(told)
PARTITION BY toYYYYMMDD(moment)
ORDER BY (machine, object, counter, instance, series, filetime);

CREATE MATERIALIZED VIEW IF NOT EXISTS hkpd.to_samples TO hkpd.samples AS
SELECT
    the_machine AS machine, the_object AS object, the_counter AS counter, the_instance AS instance,
    the_parent AS parent, instance_index, source, the_counterset AS counterset, object_index, counter_index,
    the_type AS type, series, filetime, moment, raw, text, hex, ifNull(status, '') AS status, value,
    ifNull(reason, '') AS reason, toUInt8(if(isNotNull(value), 2, isNotNull(reason))) AS told
FROM hkpd.incoming;

-- What the values of a minute and of an hour come to. These are states, of which what is asked for is made in a query:
-- countMerge(count), minMerge(min), maxMerge(max), avgMerge(mean). They count what comes in, and what comes in again a
-- second time: load.sh sees to it that nothing does, and recount.sh mends what did. (A series is of one machine,
-- object, counter, instance and parent, so any() is each of them; to group by a number is twice as fast.)
CREATE TABLE IF NOT EXISTS hkpd.minutes
(
    machine String, object String, counter String, instance String, parent String, series UInt64,
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
    any(the_parent) AS parent, series, toStartOfMinute(moment) AS minute,
    countState() AS count,
    minState(assumeNotNull(value)) AS min,
    maxState(assumeNotNull(value)) AS max,
    avgState(assumeNotNull(value)) AS mean
FROM hkpd.incoming
WHERE isNotNull(value)
GROUP BY series, minute;

CREATE TABLE IF NOT EXISTS hkpd.hours
(
    machine String, object String, counter String, instance String, parent String, series UInt64,
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
    any(the_parent) AS parent, series, toStartOfHour(moment) AS hour,
    countState() AS count,
    minState(assumeNotNull(value)) AS min,
    maxState(assumeNotNull(value)) AS max,
    avgState(assumeNotNull(value)) AS mean
FROM hkpd.incoming
WHERE isNotNull(value)
GROUP BY series, hour;

-- The last value of everything, and its time. Nothing is lost by loading twice here.
CREATE TABLE IF NOT EXISTS hkpd.last_values
(
    machine String, object String, counter String, instance String, parent String, series UInt64,
    last_value AggregateFunction(argMax, Float64, Int64),
    last_moment AggregateFunction(max, DateTime('UTC'))
)
ENGINE = AggregatingMergeTree
ORDER BY (machine, object, counter, instance, series);

CREATE MATERIALIZED VIEW IF NOT EXISTS hkpd.to_last_values TO hkpd.last_values AS
SELECT
    any(the_machine) AS machine, any(the_object) AS object, any(the_counter) AS counter, any(the_instance) AS instance,
    any(the_parent) AS parent, series,
    argMaxState(assumeNotNull(value), filetime) AS last_value,
    maxState(moment) AS last_moment
FROM hkpd.incoming
WHERE isNotNull(value)
GROUP BY series;

CREATE VIEW IF NOT EXISTS hkpd.latest AS
SELECT
    machine, object, counter, instance, any(parent) AS parent, series,
    argMaxMerge(last_value) AS value, maxMerge(last_moment) AS moment
FROM hkpd.last_values
GROUP BY machine, object, counter, instance, series;

-- What load.sh has loaded: captures by the hash of their bytes.
CREATE TABLE IF NOT EXISTS hkpd.captures
(
    sha256 String,
    file String,
    whole UInt8,             -- 0: begun, 1: all of it is in
    since DateTime('UTC')
)
ENGINE = ReplacingMergeTree(whole)
ORDER BY sha256;
