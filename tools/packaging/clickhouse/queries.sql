-- Examples:  clickhouse-client --multiquery < queries.sql

-- The machines, with their time ranges and numbers of counters and values.
SELECT machine, min(moment) AS first, max(moment) AS last, uniq(series) AS counters, count() AS values
FROM hkpd.samples
GROUP BY machine ORDER BY machine;

-- How busy each machine is now: the last value of a counter.
SELECT machine, round(value, 1) AS percent, moment
FROM hkpd.latest
WHERE object = 'Processor' AND counter = '% Processor Time' AND instance = '_Total'
ORDER BY value DESC LIMIT 10;

-- A chart by minute.
SELECT minute, round(avgMerge(mean), 1) AS mean, round(maxMerge(max), 1) AS max
FROM hkpd.minutes
WHERE machine = 'WEB07' AND object = 'Processor' AND counter = '% Processor Time' AND instance = '_Total'
GROUP BY minute ORDER BY minute LIMIT 5;

-- Hours of the whole fleet. Means are weighted by the number of values.
SELECT hour, uniq(machine) AS machines, round(avgMerge(mean), 1) AS mean, round(maxMerge(max), 1) AS max
FROM hkpd.hours
WHERE object = 'Processor' AND counter = '% Processor Time' AND instance = '_Total'
GROUP BY hour ORDER BY hour LIMIT 5;

-- The processes with the most processor time. Several may have the same name, and one after another the same id: series
-- distinguishes them.
SELECT machine, any(instance) AS process, any(pid) AS id, round(avgMerge(mean), 1) AS percent
FROM hkpd.hours
WHERE object = 'Process' AND counter = '% Processor Time' AND instance NOT IN ('_Total', 'Idle')
GROUP BY machine, series ORDER BY percent DESC LIMIT 10;

-- A quantile. The aggregates have none, so it is computed from the samples. FINAL makes rows loaded twice count once.
SELECT machine, round(quantileExact(0.95)(value), 1) AS percent_95
FROM hkpd.samples FINAL
WHERE object = 'Processor' AND counter = '% Processor Time' AND instance = '_Total' AND told = 2
GROUP BY machine ORDER BY percent_95 DESC LIMIT 5;

-- Why there is no value.
SELECT reason, count() AS values, uniq(series) AS counters
FROM hkpd.samples WHERE reason != ''
GROUP BY reason ORDER BY values DESC;

-- The disk space used.
SELECT table, sum(rows) AS rows, sum(bytes) AS bytes, round(bytes / rows, 2) AS bytes_per_row
FROM system.parts WHERE database = 'hkpd' AND active
GROUP BY table ORDER BY bytes DESC;
