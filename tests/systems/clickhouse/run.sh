#!/usr/bin/env bash
# run.sh HKPD: two of Debian's clickhouse-server on loopback load 50 simulated machines of 100 samples from the program
# HKPD, by the scripts of tools/packaging/clickhouse, and have to return the same values as `hkpd replay --summary`. Prints a line
# for each check, and all its output if it fails. All files are in a temporary folder, and no process remains. Exits
# with 77 if it cannot be run: fetch.sh fetches the server.
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../../..
tools=$root/tools/packaging/clickhouse
export LC_ALL=C.UTF-8 TZ=UTC PYTHONDONTWRITEBYTECODE=1
PATH=$root/build/clickhouse/usr/bin:$root/build/clickhouse/usr/sbin:$PATH:/usr/sbin
for directory in "$root"/build/clickhouse/usr/lib/*/; do
    export LD_LIBRARY_PATH=${directory%/}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
done

(($# == 1)) || {
    echo "usage: run.sh HKPD" >&2
    exit 2
}
HKPD=$(realpath "$1")
export HKPD
# shellcheck source=tests/missing.sh
source "$root/tests/missing.sh"
needs_program clickhouse-server clickhouse-client python3
needs_loopback

folder=$(mktemp -d)
export HOME=$folder # the client would keep a history
source "$root/tests/checks.sh"
source "$root/tests/systems/clickhouse/server.sh"
source "$root/tests/systems/clickhouse/loading.sh"
source "$root/tests/systems/clickhouse/rows.sh"

finish() {
    end_processes "${servers[@]}" || true
    rm -rf "$folder"
}
trap finish EXIT

schema() {
    query --multiquery <"$tools/schema.sql"
    query --multiquery <"$tools/schema.sql" # a second time it changes nothing
    query --multiquery <"$tools/cluster.sql"
}

# Tables of the former release, with a row, take lines of this one. On the other server, which is then empty again.
former_tables() {
    query_other --multiquery <"$here/former.sql"
    query_other --query 'INSERT INTO hkpd.incoming FORMAT JSONEachRow' <<'END'
{"time":"2026-01-01T00:00:00.000Z","machine":"M","source":"v1","object":"Process","object_index":230,"counterset":null,"parent":null,"instance":"svchost#1","instance_index":1,"counter":"Thread Count","counter_index":680,"type":"PERF_COUNTER_RAWCOUNT","raw":7,"value":7,"reason":null}
END
    for _ in 1 2; do
        CLICKHOUSE_CLIENT="clickhouse-client --host 127.0.0.1 --port $other_port" "$tools/migrate.sh"
        query_other --multiquery <"$tools/schema.sql"
    done
    "$HKPD" replay --format jsonl --path '\Process(svchost#1)\Thread Count' "$root/testdata/captures/demo.bin" |
        query_other --input_format_skip_unknown_fields=1 --query 'INSERT INTO hkpd.incoming FORMAT JSONEachRow'
    query_other --query "SELECT machine, instance, pid, life, pdh_instance, value FROM hkpd.samples
        ORDER BY machine, filetime LIMIT 2 BY machine" | tee former.tsv
    query_other --query "SELECT machine, instance, any(pid), any(life), countMerge(count) FROM hkpd.hours
        GROUP BY machine, instance, series ORDER BY machine" | tee -a former.tsv
    diff -u - former.tsv <<END
DEMO	svchost	896	1	svchost#1	3
DEMO	svchost	896	1	svchost#1	3
M	svchost#1	\\N	\\N		7
DEMO	svchost	896	1	3
M	svchost#1	\\N	\\N	1
END
    query_other --query 'DROP DATABASE hkpd'
}

# Machines are spread over both servers, each on one of them, and queries see one fleet.
two_servers() {
    local i both
    mkdir nodes
    for i in 1 2 3 4 5 6; do
        "$HKPD" capture --simulate --machine "NODE$i" --seed "$i" --v1 --object Processor --count 20 -o "nodes/$i.mcap"
        "$HKPD" replay --summary --format jsonl "nodes/$i.mcap"
    done >summary.jsonl
    HKPD_INTO=hkpd.fleet_incoming "$tools/load.sh" nodes/*.mcap
    by_unit fleet_hours "machine LIKE 'NODE%'"
    both=$(for ask in query query_other; do
        "$ask" --query "SELECT DISTINCT machine FROM hkpd.samples WHERE machine LIKE 'NODE%'" >"$ask.machines"
        [[ -s $ask.machines ]]
        cat "$ask.machines"
    done)
    diff -u <(printf 'NODE%s\n' 1 2 3 4 5 6) <(sort <<<"$both")
}

# The commands of the pages are run, and their output is as shown: on the other server, which is still empty.
pages() {
    mkdir bin
    ln -s "$HKPD" bin/hkpd
    printf '#!/bin/sh\nexec %q --host 127.0.0.1 --port %q "$@"\n' "$(command -v clickhouse-client)" "$other_port" \
        >bin/clickhouse-client
    chmod +x bin/clickhouse-client
    ln -s "$root/tools" "$root/testdata" .
    env -u HKPD -u CLICKHOUSE_CLIENT PATH="$PWD/bin:$PATH" python3 "$here/pages.py" "$tools/README.md" "$root/tools/OUTPUTS.md"
}

# A page without commands to run is an error.
page_without_blocks() {
    cat >page.md <<'END'
```console tests/other/run.sh
$ true
```
END
    if python3 "$here/pages.py" page.md; then return 1; fi
}

queries() { query --multiquery <"$tools/queries.sql" | tee queries.out | grep -F WEB07; }

start_servers
export CLICKHOUSE_CLIENT="clickhouse-client --host 127.0.0.1 --port $port"

check "servers" answer
check "former tables" former_tables
check "schema" schema
check "pages" pages
check "page without blocks" page_without_blocks
check "captures" captures
check "load 50 machines" load_fleet
check "samples" by_sample
check "minutes" by_unit minutes
check "hours" by_unit hours
check "latest" latest
check "queries" queries
check "loaded again" load_again
check "recount" recount
check "raw after cooked" raw_after_cooked
check "every field" every_field
check "hostile names" hostile_names
check "text and bytes" text_and_bytes
check "odd lines" odd_lines
check "bad captures" bad_captures
check "growing" growing
check "jobs" job_numbers
check "interrupted load" interrupted_load
check "no ledger" no_ledger
check "two loaders" two_loaders
check "two servers" two_servers
check "nothing deleted" nothing_deleted
check "no process left" end_processes "${servers[@]}"
servers=() # their ids may have been reused
((failed == 0))
