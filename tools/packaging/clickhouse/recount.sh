#!/usr/bin/env bash
# recount.sh DAY...: rebuilds the minutes and hours of a day, such as 2026-01-01, from the samples. Does so for each
# machine whose minutes or hours count another number of values than its samples have: they do after data was loaded
# twice, or partly and then again. No data of these machines may be loaded or recounted meanwhile. CLICKHOUSE_CLIENT is
# the client with its options (default: clickhouse-client). HKPD_PATIENCE is the time in seconds for the server to
# delete from one part of a table (default: 600).
set -euo pipefail

read -ra client <<<"${CLICKHOUSE_CLIENT:-clickhouse-client}"
query() { "${client[@]}" --query "$1"; }

# wrong DAY UNIT: prints the machines whose number of values in hkpd.UNITs differs from that in hkpd.samples. The names
# are escaped as in TabSeparated, which is also how text in the quotes of a query is escaped.
wrong() {
    query "SELECT machine FROM
        (
            SELECT machine, sum(n) AS difference FROM
            (
                SELECT machine, toInt64(countMerge(count)) AS n FROM hkpd.$2s WHERE toDate($2) = '$1' GROUP BY machine
                UNION ALL
                SELECT machine, -toInt64(count()) AS n FROM hkpd.samples FINAL
                WHERE toDate(moment) = '$1' AND told = 2 GROUP BY machine
            )
            GROUP BY machine
        )
        WHERE difference != 0"
}

# deleted TABLE: waits until all deletions of the table are done. The server retries failed deletions forever, and 18.16
# reports the failures only in its log. So a long time without progress counts as a failure.
deleted() {
    local left before='' since=$SECONDS
    while true; do
        left=$(query "SELECT count(), sum(parts_to_do) FROM system.mutations
            WHERE database = 'hkpd' AND table = '$1' AND NOT is_done")
        if [[ $left == 0$'\t'* ]]; then return; fi
        if [[ $left != "$before" ]]; then before=$left since=$SECONDS; fi
        if ((SECONDS - since > ${HKPD_PATIENCE:-600})); then
            echo "recount.sh: ALTER TABLE hkpd.$1 DELETE makes no progress (see the server's log and" \
                "system.mutations). Run recount.sh again when it is done" >&2
            exit 1
        fi
        sleep 0.1
    done
}

# recount DAY UNIT MACHINE: replaces the aggregates of the machine in hkpd.UNITs by new ones, computed from the samples.
recount() {
    local unit=$2 start=toStartOf${2^}
    query "ALTER TABLE hkpd.${unit}s DELETE WHERE machine = '$3' AND toDate($unit) = '$1'"
    deleted "${unit}s"
    query "INSERT INTO hkpd.${unit}s (machine, object, counter, instance, parent, pid, instance_id, life, series, $unit, count,
            min, max, mean)
        SELECT any(machine), any(object), any(counter), any(instance), any(parent), any(pid), any(instance_id),
            any(life), series, $start(moment) AS $unit,
            countState(), minState(assumeNotNull(value)), maxState(assumeNotNull(value)), avgState(assumeNotNull(value))
        FROM hkpd.samples FINAL
        WHERE machine = '$3' AND toDate(moment) = '$1' AND told = 2
        GROUP BY series, $unit"
}

(($# > 0)) || {
    echo "usage: recount.sh DAY..." >&2
    exit 2
}
for day in "$@"; do
    [[ $day =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] || {
        echo "recount.sh: expected a day such as 2026-01-01, found '$day'" >&2
        exit 2
    }
    for unit in minute hour; do
        wrong "$day" "$unit" | while IFS= read -r machine; do
            recount "$day" "$unit" "$machine" </dev/null
            printf 'recounted the %ss of %q on %s\n' "$unit" "$machine" "$day"
        done
    done
done
