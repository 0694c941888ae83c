-- For several servers as one cluster. First run schema.sql on all servers, then this file on each server that is used
-- for queries or loading. The servers are configured (remote_servers) as a cluster with the name fleet.

-- Lines are loaded into this table instead of hkpd.incoming. Each line goes to the server that has the line's machine.
-- The columns are only the keys of a line, because that server computes the others.
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
    reason Nullable(String)
)
ENGINE = Distributed(fleet, hkpd, incoming, cityHash64(ifNull(machine, '')));

-- For queries, instead of the tables without fleet_.
CREATE TABLE IF NOT EXISTS hkpd.fleet_samples AS hkpd.samples ENGINE = Distributed(fleet, hkpd, samples);
CREATE TABLE IF NOT EXISTS hkpd.fleet_minutes AS hkpd.minutes ENGINE = Distributed(fleet, hkpd, minutes);
CREATE TABLE IF NOT EXISTS hkpd.fleet_hours AS hkpd.hours ENGINE = Distributed(fleet, hkpd, hours);
CREATE TABLE IF NOT EXISTS hkpd.fleet_last_values AS hkpd.last_values ENGINE = Distributed(fleet, hkpd, last_values);
