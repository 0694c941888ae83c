-- Several servers as one cluster: run on each server used for queries or loading, after schema.sql on all servers. The
-- servers are configured (remote_servers) as the cluster fleet.

-- Replaces hkpd.incoming for loading: each line goes to the server of its machine. Only the keys of a line: the other
-- columns are computed there.
CREATE TABLE IF NOT EXISTS hkpd.fleet_incoming
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
    reason Nullable(String)
)
ENGINE = Distributed(fleet, hkpd, incoming, cityHash64(ifNull(machine, '')));

-- For queries, instead of the tables without fleet_.
CREATE TABLE IF NOT EXISTS hkpd.fleet_samples AS hkpd.samples ENGINE = Distributed(fleet, hkpd, samples);
CREATE TABLE IF NOT EXISTS hkpd.fleet_minutes AS hkpd.minutes ENGINE = Distributed(fleet, hkpd, minutes);
CREATE TABLE IF NOT EXISTS hkpd.fleet_hours AS hkpd.hours ENGINE = Distributed(fleet, hkpd, hours);
CREATE TABLE IF NOT EXISTS hkpd.fleet_last_values AS hkpd.last_values ENGINE = Distributed(fleet, hkpd, last_values);
