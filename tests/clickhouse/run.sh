#!/usr/bin/env bash
# run.sh HKPD: two of Debian's clickhouse-server on loopback take 50 simulated machines of 100 samples from the program
# HKPD, by the scripts of tools/clickhouse, and have to say of them what `hkpd replay --summary` says. A line for each
# check, and all its output where it fails. All files are in a temporary folder, and no process is left. Exits with 77
# where it cannot be run: fetch.sh fetches the server.
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
tools=$root/tools/clickhouse
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
for command in clickhouse-server clickhouse-client python3; do
    command -v "$command" >/dev/null || {
        echo "run.sh: $command is not here (tests/clickhouse/fetch.sh)" >&2
        exit 77
    }
done

folder=$(mktemp -d)
export HOME=$folder # the client would keep a history
source "$root/tests/checks.sh"
servers=()

# --- The server ---

# configure FOLDER PORT: of all ports one alone, on loopback. The names are those of the version at hand.
configure() {
    mkdir "$1"
    cat >"$1/config.xml" <<END
<yandex>
    <logger><level>warning</level><log>$1/log</log><errorlog>$1/error.log</errorlog></logger>
    <listen_host>127.0.0.1</listen_host>
    <tcp_port>$2</tcp_port>
    <path>$1/data/</path>
    <tmp_path>$1/tmp/</tmp_path>
    <user_files_path>$1/user_files/</user_files_path>
    <format_schema_path>$1/format_schemas/</format_schema_path>
    <users_config>$1/users.xml</users_config>
    <default_profile>default</default_profile>
    <default_database>default</default_database>
    <mark_cache_size>100000000</mark_cache_size>
    <!-- Not the one of the data: nothing may depend on it. -->
    <timezone>Asia/Kathmandu</timezone>
    <remote_servers><fleet>
        <shard><replica><host>127.0.0.1</host><port>$port</port></replica></shard>
        <shard><replica><host>127.0.0.1</host><port>$other_port</port></replica></shard>
    </fleet></remote_servers>
</yandex>
END
    cat >"$1/users.xml" <<END
<yandex>
    <profiles><default/></profiles>
    <quotas><default/></quotas>
    <users><default>
        <password></password>
        <networks><ip>127.0.0.1</ip></networks>
        <profile>default</profile>
        <quota>default</quota>
    </default></users>
</yandex>
END
}

query() { clickhouse-client --host 127.0.0.1 --port "$port" "$@"; }
query_other() { clickhouse-client --host 127.0.0.1 --port "$other_port" "$@"; }

answer() {
    for _ in $(seq 100); do
        if query --query 'SELECT 1' && query_other --query 'SELECT 1'; then return; fi
        kill -0 "${servers[@]}"
        sleep 0.1
    done
    return 1
}

finish() {
    end_processes "${servers[@]}" || true
    rm -rf "$folder"
}
trap finish EXIT

# --- What is checked ---

schema() {
    query --multiquery <"$tools/schema.sql"
    query --multiquery <"$tools/schema.sql" # a second time it changes nothing
    query --multiquery <"$tools/cluster.sql"
}

captures() {
    local i
    mkdir fleet
    for i in $(seq -w 50); do
        "$HKPD" capture --simulate --machine "WEB$i" --seed "$i" --cpus 2 --v1 --object System --object Memory \
            --object Processor --count 100 --interval 15 -o "fleet/web$i.mcap"
    done
}

load_fleet() {
    local capture
    "$tools/load.sh" --jobs 2 fleet/*.mcap
    for capture in fleet/*.mcap; do "$HKPD" replay --summary --format jsonl "$capture"; done >summary.jsonl
}

# The aggregates, from samples and from each of what the views made of them.
# by_sample [FINAL] [CONDITION]
by_sample() {
    aggregates 'count() AS count, min(value) AS min, max(value) AS max, avg(value) AS mean' \
        "samples ${1:-} WHERE told = 2 AND ${2:-1}"
}
# by_unit TABLE [CONDITION]
by_unit() {
    aggregates 'countMerge(count) AS count, minMerge(min) AS min, maxMerge(max) AS max, avgMerge(mean) AS mean' \
        "$1 WHERE ${2:-1}"
}
# aggregates COLUMNS TABLE
aggregates() {
    query --query "SELECT machine, object, counter, instance, parent, $1 FROM hkpd.$2
        GROUP BY machine, object, counter, instance, parent, series FORMAT JSONEachRow" >aggregates.jsonl
    python3 "$here/check.py" summary summary.jsonl aggregates.jsonl
}

# The same captures again: load.sh leaves them out; and past it the samples stay what they were.
load_again() {
    "$tools/load.sh" --jobs 2 fleet/*.mcap 2>&1 | tee again
    grep -Fx 'load.sh: 0 to load, 50 are in already' again
    by_unit hours
    "$HKPD" replay --format jsonl fleet/web07.mcap | insert
    by_sample FINAL
}
insert() { query --input_format_skip_unknown_fields=1 --query 'INSERT INTO hkpd.incoming FORMAT JSONEachRow'; }

# That capture has been counted twice now, and no other.
recount() {
    if by_unit hours; then return 1; fi
    "$tools/recount.sh" 2026-01-01 | tee recounted
    diff -u - recounted <<<$'recounted the minutes of WEB07 on 2026-01-01\nrecounted the hours of WEB07 on 2026-01-01'
    by_unit minutes
    by_unit hours
}

# What dump says of a sample does not take the place of what replay said.
raw_after_cooked() {
    "$HKPD" dump --format jsonl fleet/web07.mcap | insert
    query --query 'OPTIMIZE TABLE hkpd.samples FINAL'
    by_sample
}

latest() {
    query --query "SELECT machine, instance, counter, value, moment FROM hkpd.latest
        WHERE object = 'Processor' AND counter = '% Processor Time' ORDER BY machine, instance" |
        tee latest.tsv | wc -l | grep -Fx 150
    "$HKPD" replay --format csv --path '\Processor(_Total)\% Processor Time' fleet/web50.mcap | tail -n 1 |
        cut -d , -f 2,8,10,14 | tr , '\t' >expected.tsv
    diff -u expected.tsv <(tail -n 1 latest.tsv | cut -f 1-4)
    cut -f 5 latest.tsv | sort -u | diff - <(echo '2026-01-01 00:24:45')
}

# rows MACHINE: of hkpd.samples against lines.jsonl.
rows() {
    query --query "SELECT * FROM hkpd.samples FINAL WHERE machine = '$1' FORMAT JSONEachRow" >rows.jsonl
    python3 "$here/check.py" rows lines.jsonl rows.jsonl
}

every_field() {
    "$HKPD" replay --format jsonl fleet/web01.mcap >lines.jsonl
    rows WEB01
}

# Both doors, with instances that have parents, and names that hurt: the machine's comes from the command line, that of
# the processes svchost is written into the blobs, for it is no UTF-16.
hostile_names() {
    local name=$'\t\n\'"\\\x01{},🚀 \u202e\\N' escaped
    escaped=${name//\\/\\\\}
    escaped=${escaped//\'/\\\'}
    "$HKPD" capture --simulate --machine "$name" --count 3 -o hostile.mcap
    "$HKPD" replay --format jsonl hostile.mcap >lines.jsonl
    insert <lines.jsonl
    rows "$escaped"

    "$HKPD" capture --simulate --machine BROKEN --count 2 --v1 --object Process --object Thread -o broken.mcap
    "$HKPD" capture --export blobs broken.mcap
    python3 - blobs/*.bin <<'END'
import sys
for path in sys.argv[1:]:
    with open(path, "r+b") as blob:
        data = blob.read()
        broken = data.replace("svchost".encode("utf-16-le"), "\udc00\t\\'\"\n\ud800".encode("utf-16-le", "surrogatepass"))
        assert broken != data
        blob.seek(0)
        blob.write(broken)
END
    "$HKPD" replay --format jsonl blobs >lines.jsonl
    insert <lines.jsonl
    rows BROKEN
}

text_and_bytes() {
    "$HKPD" dump --format jsonl "$root/testdata/captures/text-and-bytes.bin" >lines.jsonl
    grep -F '"hex"' lines.jsonl
    grep -F '"text"' lines.jsonl
    insert <lines.jsonl
    rows TEXT
}

# Lines as no capture at hand has them: missing keys, keys of later versions, extremes of numbers, years.
odd_lines() {
    local at
    for at in null '"1601-01-01T00:00:00.000Z"' '"1969-12-31T23:59:59.999Z"' '"2024-02-29T23:59:59.999Z"' \
        '"2000-03-01T00:00:00.001Z"' '"2100-03-01T12:00:00.000Z"' '"9999-12-31T23:59:59.999Z"' \
        '"30827-12-31T23:59:59.999Z"'; do
        printf '{"time":%s,"machine":"ODD","source":"log","object":"o","object_index":null,"counterset":null,' "$at"
        printf '"parent":null,"instance":"","instance_index":4294967295,"counter":"c","counter_index":4294967295,'
        printf '"type":"0x12345678","raw":18446744073709551615,"value":1.7976931348623157e308,"reason":null}\n'
    done >lines.jsonl
    {
        sed 's/"counterset":null,//; s/}$/,"later":{"a":[1,"}"]}}/' lines.jsonl
        echo '{"time":"2024-02-29T23:59:59.999Z","machine":"FEW","source":"v1"}'
    } | insert
    rows ODD
    query --query "SELECT toString(moment), object, counter FROM hkpd.samples WHERE machine IN ('ODD', 'FEW')
        ORDER BY machine, filetime" | tee odd.tsv
    diff -u - odd.tsv <<END
2024-02-29 23:59:59		
0000-00-00 00:00:00	o	c
0000-00-00 00:00:00	o	c
0000-00-00 00:00:00	o	c
2000-03-01 00:00:00	o	c
2024-02-29 23:59:59	o	c
2100-03-01 12:00:00	o	c
2105-12-31 23:59:59	o	c
2105-12-31 23:59:59	o	c
END
}

# What is damaged is loaded as far as it is sound; a file that is not there keeps nothing else from being loaded.
bad_captures() {
    if "$tools/load.sh" "$root/testdata/captures/damaged.bin" not-there.mcap; then return 1; fi
    [[ $(query --query "SELECT count() > 0 FROM hkpd.samples WHERE machine = 'DAMAGED'") == 1 ]]
    "$tools/load.sh" "$root/testdata/captures/damaged.bin" 2>&1 | grep -Fx 'load.sh: 0 to load, 1 are in already'
}

# A load that ends before its time is told, and what it has left is no harm to the next one.
torn_load() {
    cat >torn-hkpd <<'END'
#!/bin/sh
"$REAL" "$@" | head -n 5000
exit 3
END
    chmod +x torn-hkpd
    "$HKPD" capture --simulate --machine LATE --v1 --object Process --count 20 -o late.mcap
    "$HKPD" replay --summary --format jsonl late.mcap >summary.jsonl
    if env REAL="$HKPD" HKPD="$PWD/torn-hkpd" "$tools/load.sh" late.mcap; then return 1; fi
    "$tools/load.sh" late.mcap 2>&1 | grep -F 'load.sh: of 1 a part may have been in already'
    "$tools/load.sh" late.mcap 2>&1 | grep -Fx 'load.sh: 0 to load, 1 are in already'
    by_sample "FINAL" "machine = 'LATE'"
    if by_unit hours "machine = 'LATE'"; then return 1; fi
    "$tools/recount.sh" 2026-01-01
    by_unit hours "machine = 'LATE'"
}

# Machines are spread over both servers, each to one of them, and are one fleet to who asks.
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

# What the pages say is done is done, and comes out as they show it: on the other server, which has nothing yet.
pages() {
    mkdir bin
    ln -s "$HKPD" bin/hkpd
    printf '#!/bin/sh\nexec %q --host 127.0.0.1 --port %q "$@"\n' "$(command -v clickhouse-client)" "$other_port" \
        >bin/clickhouse-client
    chmod +x bin/clickhouse-client
    ln -s "$root/tools" "$root/testdata" .
    env -u HKPD -u CLICKHOUSE_CLIENT PATH="$PWD/bin:$PATH" python3 "$here/pages.py" "$tools/README.md" "$root/README.md"
}

queries() { query --multiquery <"$tools/queries.sql" | tee queries.out | grep -F WEB07; }

port=$(free_port)
other_port=$(free_port)
for each in "one $port" "other $other_port"; do
    configure "$folder/${each% *}" "${each#* }"
    # From a shell without -x, for it is the server that is to be ended.
    clickhouse-server --config-file="$folder/${each% *}/config.xml" >"$folder/${each% *}.out" 2>&1 &
    servers+=($!)
done
export CLICKHOUSE_CLIENT="clickhouse-client --host 127.0.0.1 --port $port"

check "servers" answer
check "schema" schema
check "pages" pages
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
check "torn load" torn_load
check "two servers" two_servers
check "no process left" end_processes "${servers[@]}"
((failed == 0))
