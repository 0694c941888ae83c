-- For tables that the schema.sql of the former release has made, whose lines had a number (instance_index) in place of
-- ids:  clickhouse-client --multiquery < migrate.sql, and then schema.sql, and cluster.sql where there are several
-- servers. Nothing may be loaded meanwhile. Running it again changes nothing. Rows keep what they have: an instance is
-- the text that PDH showed, such as svchost#1, and has no ids. Series that are loaded later are other series, because
-- their ids are known.

-- These store nothing, and schema.sql makes them anew.
DROP TABLE IF EXISTS hkpd.to_samples;
DROP TABLE IF EXISTS hkpd.to_minutes;
DROP TABLE IF EXISTS hkpd.to_hours;
DROP TABLE IF EXISTS hkpd.to_last_values;
DROP TABLE IF EXISTS hkpd.incoming;
DROP TABLE IF EXISTS hkpd.latest;
DROP TABLE IF EXISTS hkpd.fleet_incoming;
DROP TABLE IF EXISTS hkpd.fleet_samples;
DROP TABLE IF EXISTS hkpd.fleet_minutes;
DROP TABLE IF EXISTS hkpd.fleet_hours;
DROP TABLE IF EXISTS hkpd.fleet_last_values;

ALTER TABLE hkpd.samples ADD COLUMN IF NOT EXISTS pid Nullable(UInt32) AFTER parent;
ALTER TABLE hkpd.samples ADD COLUMN IF NOT EXISTS instance_id Nullable(Int32) AFTER pid;
ALTER TABLE hkpd.samples ADD COLUMN IF NOT EXISTS life Nullable(UInt32) AFTER instance_id;
ALTER TABLE hkpd.samples ADD COLUMN IF NOT EXISTS pdh_instance String AFTER series;
ALTER TABLE hkpd.minutes ADD COLUMN IF NOT EXISTS pid Nullable(UInt32) AFTER parent;
ALTER TABLE hkpd.minutes ADD COLUMN IF NOT EXISTS instance_id Nullable(Int32) AFTER pid;
ALTER TABLE hkpd.minutes ADD COLUMN IF NOT EXISTS life Nullable(UInt32) AFTER instance_id;
ALTER TABLE hkpd.hours ADD COLUMN IF NOT EXISTS pid Nullable(UInt32) AFTER parent;
ALTER TABLE hkpd.hours ADD COLUMN IF NOT EXISTS instance_id Nullable(Int32) AFTER pid;
ALTER TABLE hkpd.hours ADD COLUMN IF NOT EXISTS life Nullable(UInt32) AFTER instance_id;
ALTER TABLE hkpd.last_values ADD COLUMN IF NOT EXISTS pid Nullable(UInt32) AFTER parent;
ALTER TABLE hkpd.last_values ADD COLUMN IF NOT EXISTS instance_id Nullable(Int32) AFTER pid;
ALTER TABLE hkpd.last_values ADD COLUMN IF NOT EXISTS life Nullable(UInt32) AFTER instance_id;
