# shellcheck shell=bash
# The checks of run.sh for load.sh and recount.sh: everything is counted once. Sourced by run.sh.

: "${HKPD:?}" "${here:?}" "${tools:?}" "${root:?}"

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

# The aggregates, from samples and from each table that the views fill.
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
    query --query "SELECT machine, object, counter, instance, parent, pid, instance_id, life, $1 FROM hkpd.$2
        GROUP BY machine, object, counter, instance, parent, pid, instance_id, life, series FORMAT JSONEachRow" >aggregates.jsonl
    python3 "$here/check.py" summary summary.jsonl aggregates.jsonl
}

# The same captures again: load.sh leaves them out; without load.sh the samples stay the same.
load_again() {
    "$tools/load.sh" --jobs 2 fleet/*.mcap 2>&1 | tee again
    grep -Fx 'load.sh: 0 to load, 50 already loaded' again
    by_unit hours
    "$HKPD" replay --format jsonl fleet/web07.mcap | insert
    by_sample FINAL
}
insert() { query --input_format_skip_unknown_fields=1 --query 'INSERT INTO hkpd.incoming FORMAT JSONEachRow'; }

# Only that capture has now been counted twice.
recount() {
    if by_unit hours; then return 1; fi
    "$tools/recount.sh" 2026-01-01 | tee recounted
    diff -u - recounted <<<$'recounted the minutes of WEB07 on 2026-01-01\nrecounted the hours of WEB07 on 2026-01-01'
    by_unit minutes
    by_unit hours
}

# The valid part of damaged captures is loaded; a missing file does not prevent loading the others.
bad_captures() {
    if "$tools/load.sh" "$root/testdata/captures/damaged.bin" not-there.mcap; then return 1; fi
    [[ $(query --query "SELECT count() > 0 FROM hkpd.samples WHERE machine = 'DAMAGED'") == 1 ]]
    "$tools/load.sh" "$root/testdata/captures/damaged.bin" 2>&1 | grep -Fx 'load.sh: 0 to load, 1 already loaded'
}

has_lines() { "$HKPD" replay --format jsonl "$1" >lines.jsonl && [[ -s lines.jsonl ]]; }
# A capture that is still being written differs when it is complete: it would count twice. A truncated one is not loaded
# either.
growing() {
    "$HKPD" capture --simulate --live --interval 0.02 --flush 0.05 --machine GROWING --v1 --object Processor \
        -o growing.mcap &
    writer=$! # not local: the trap uses it
    trap 'kill "$writer" 2>/dev/null || true' EXIT
    wait_for "a sample is in growing.mcap" has_lines growing.mcap
    one_capture WHOLE
    head -c 5000 WHOLE.mcap >cut.mcap
    touch empty.mcap
    if "$tools/load.sh" growing.mcap cut.mcap WHOLE.mcap empty.mcap 2>growing; then return 1; fi
    sed -E 's/^load.sh: ([a-z]+).mcap is incomplete: .*/\1/' growing | diff -u - <(
        printf '%s\n' growing cut empty 'load.sh: 1 to load, 0 already loaded'
    )
    kill "$writer"
    wait "$writer"
    "$tools/load.sh" growing.mcap 2>&1 | grep -Fx 'load.sh: 1 to load, 0 already loaded'
    "$HKPD" replay --summary --format jsonl growing.mcap >summary.jsonl
    by_unit minutes "machine = 'GROWING'"
    by_unit hours "machine = 'GROWING'"
}

# A load that ends early is reported, and its remains do not affect the next one.
interrupted_load() {
    cat >interrupted-hkpd <<'END'
#!/bin/sh
"$REAL" "$@" | head -n 5000
exit 3
END
    chmod +x interrupted-hkpd
    "$HKPD" capture --simulate --machine LATE --v1 --object Process --count 20 -o late.mcap
    "$HKPD" replay --summary --format jsonl late.mcap >summary.jsonl
    if env REAL="$HKPD" HKPD="$PWD/interrupted-hkpd" "$tools/load.sh" late.mcap; then return 1; fi
    "$tools/load.sh" late.mcap 2>&1 | grep -F 'load.sh: 1 captures may have been partly loaded before'
    "$tools/load.sh" late.mcap 2>&1 | grep -Fx 'load.sh: 0 to load, 1 already loaded'
    by_sample "FINAL" "machine = 'LATE'"
    if by_unit hours "machine = 'LATE'"; then return 1; fi
    "$tools/recount.sh" 2026-01-01
    by_unit hours "machine = 'LATE'"
}

# one_capture MACHINE: makes MACHINE.mcap and its summary.
one_capture() {
    "$HKPD" capture --simulate --machine "$1" --v1 --object Processor --count 20 -o "$1.mcap"
    "$HKPD" replay --summary --format jsonl "$1.mcap" >summary.jsonl
}

# A number of jobs that hkpd would reject is rejected before anything is started, and with too many processors 256 are
# used.
job_numbers() {
    local each
    one_capture JOBS
    for each in 0 257 08 many; do
        if "$tools/load.sh" --jobs "$each" JOBS.mcap; then return 1; else (($? == 2)); fi
    done
    OMP_NUM_THREADS=1000 "$tools/load.sh" JOBS.mcap 2>&1 | tee jobs # which nproc then returns
    diff -u - jobs <<<'load.sh: 1 to load, 0 already loaded'
}

# If the ledger cannot be read, nothing is taken for new.
no_ledger() {
    cat >no-ledger <<END
#!/bin/sh
case "\$*" in *'SELECT sha256'*) exit 209 ;; esac
exec $CLICKHOUSE_CLIENT "\$@"
END
    chmod +x no-ledger
    one_capture UNREAD
    "$tools/load.sh" UNREAD.mcap
    if CLICKHOUSE_CLIENT=$PWD/no-ledger "$tools/load.sh" UNREAD.mcap; then return 1; fi
    by_unit hours "machine = 'UNREAD'"
}

# Of two concurrent loaders of the same capture one loads it, and the other skips it with a message.
two_loaders() {
    local first
    cat >waiting-hkpd <<'END'
#!/bin/sh
if [ "$1" != replay ]; then exec "$REAL" "$@"; fi
touch begun
for _ in $(seq 3000); do
    if [ -e go ]; then exec "$REAL" "$@"; fi
    sleep 0.1
done
exit 3
END
    chmod +x waiting-hkpd
    one_capture ALONE
    one_capture BOTH
    env REAL="$HKPD" HKPD="$PWD/waiting-hkpd" "$tools/load.sh" BOTH.mcap &
    first=$!
    wait_for "the first loader has begun" test -e begun
    if "$tools/load.sh" BOTH.mcap ALONE.mcap 2>second; then touch go && return 1; fi
    touch go
    wait "$first"
    diff -u - second <<<$'load.sh: BOTH.mcap is being loaded by another load.sh\nload.sh: 1 to load, 0 already loaded'
    "$tools/load.sh" BOTH.mcap ALONE.mcap 2>&1 | grep -Fx 'load.sh: 0 to load, 2 already loaded'
    by_unit hours "machine = 'BOTH'"
}

# If the server repeatedly fails to delete, recount.sh does not wait for ever. This is the last check of this table.
nothing_deleted() {
    one_capture STUCK
    for _ in 1 2; do "$HKPD" replay --format jsonl STUCK.mcap | insert; done
    query --query "ALTER TABLE hkpd.minutes DELETE WHERE throwIf(machine = 'STUCK')"
    if HKPD_PATIENCE=1 "$tools/recount.sh" 2026-01-01 2>stuck; then return 1; fi
    grep -F 'ALTER TABLE hkpd.minutes DELETE makes no progress' stuck
}
