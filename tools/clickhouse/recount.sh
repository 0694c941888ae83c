#!/usr/bin/env bash
# recount.sh DAY...: where minutes and hours of a day, such as 2026-01-01, count another number of values than there are
# samples, makes them anew out of the samples, machine by machine: after something was loaded twice, or in part and then
# again. Nothing of these machines may be loaded meanwhile, nor recounted by another. CLICKHOUSE_CLIENT is the client with
# its options (default: clickhouse-client). HKPD_PATIENCE: how many seconds the server may take to delete of one part of
# a table (default: 600).
set -euo pipefail

read -ra client <<<"${CLICKHOUSE_CLIENT:-clickhouse-client}"
query() { "${client[@]}" --query "$1"; }

# wrong DAY UNIT: the machines of which hkpd.UNITs counts another number than there are samples.
# Names come as TabSeparated has them, which is how they stand in a query's quotes, too.
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

# deleted TABLE: waits until nothing is left to be deleted of it. What fails the server tries again without end, and 18.16
# tells nobody but its log: here it shows by no part being done for long.
deleted() {
    local left before='' since=$SECONDS
    while true; do
        left=$(query "SELECT count(), sum(parts_to_do) FROM system.mutations
            WHERE database = 'hkpd' AND table = '$1' AND NOT is_done")
        if [[ $left == 0$'\t'* ]]; then return; fi
        if [[ $left != "$before" ]]; then before=$left since=$SECONDS; fi
        if ((SECONDS - since > ${HKPD_PATIENCE:-600})); then
            echo "recount.sh: the server does not get on with ALTER TABLE hkpd.$1 DELETE (its log says why, and" \
                "system.mutations what is left). Run it again when that is done" >&2
            exit 1
        fi
        sleep 0.1
    done
}

# recount DAY UNIT MACHINE
recount() {
    local unit=$2 start=toStartOf${2^}
    query "ALTER TABLE hkpd.${unit}s DELETE WHERE machine = '$3' AND toDate($unit) = '$1'"
    deleted "${unit}s"
    query "INSERT INTO hkpd.${unit}s (machine, object, counter, instance, parent, series, $unit, count, min, max, mean)
        SELECT any(machine), any(object), any(counter), any(instance), any(parent), series, $start(moment) AS $unit,
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
        echo "recount.sh: '$day' is no day, such as 2026-01-01" >&2
        exit 2
    }
    for unit in minute hour; do
        wrong "$day" "$unit" | while IFS= read -r machine; do
            recount "$day" "$unit" "$machine" </dev/null
            printf 'recounted the %ss of %s on %s\n' "$unit" "$machine" "$day"
        done
    done
done
