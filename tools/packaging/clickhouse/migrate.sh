#!/usr/bin/env bash
# migrate.sh: adds the columns for ids of instances to tables that the schema.sql of the former release has made; then
# schema.sql is run, and cluster.sql where there are several servers. Nothing may be loaded meanwhile. Running it again
# changes nothing. Rows keep what they have: an instance is the text that PDH showed, such as svchost#1, and has no ids.
# What is loaded later has other series, because its ids are known. CLICKHOUSE_CLIENT is the client with its options
# (default: clickhouse-client).
set -euo pipefail

read -ra client <<<"${CLICKHOUSE_CLIENT:-clickhouse-client}"
query() { "${client[@]}" --query "$1"; }

# count TABLE COLUMN: prints 1 if the table has the column, otherwise 0. (ClickHouse 18.16 has no ADD COLUMN IF NOT
# EXISTS.)
count() { query "SELECT count() FROM system.columns WHERE database = 'hkpd' AND table = '$1' AND name = '$2'"; }

# add TABLE COLUMN TYPE BEFORE: adds a column after the column BEFORE, unless it is there.
add() {
    if [[ $(count "$1" "$2") == 0 ]]; then query "ALTER TABLE hkpd.$1 ADD COLUMN $2 $3 AFTER $4"; fi
}

# These store nothing, and schema.sql and cluster.sql make them anew.
for table in to_samples to_minutes to_hours to_last_values incoming latest \
    fleet_incoming fleet_samples fleet_minutes fleet_hours fleet_last_values; do
    query "DROP TABLE IF EXISTS hkpd.$table"
done
for table in samples minutes hours last_values; do
    add "$table" pid 'Nullable(UInt32)' parent
    add "$table" instance_id 'Nullable(Int32)' pid
    add "$table" life 'Nullable(UInt32)' instance_id
done
add samples pdh_instance String series
# The number is also in the text of the instance, and the view that fills the table would have to supply it.
if [[ $(count samples instance_index) == 1 ]]; then query "ALTER TABLE hkpd.samples DROP COLUMN instance_index"; fi
