#!/usr/bin/env bash
# run.sh HKPD: imports the output of replay of the program HKPD into a Prometheus server by promtool's backfill, and
# compares the server's answers to PromQL with the output of HKPD; promtool checks its files for textfile collectors and
# node_exporter serves them. Prints a line for each check, and all its output if it fails. The servers listen on
# loopback, all files are in a temporary folder, and no process remains. Exits with 77 if the programs (Debian's
# packages prometheus and prometheus-node-exporter) are missing and cannot be fetched.
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../../..
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
PATH=$PATH:$root/build/promtool

(($# == 1)) || {
    echo "usage: run.sh HKPD" >&2
    exit 2
}
hkpd=$(realpath "$1")
"$here/../openmetrics/fetch_promtool.sh" >/dev/null 2>&1 || true
# shellcheck source=tests/missing.sh
source "$root/tests/missing.sh"
needs_program promtool prometheus prometheus-node-exporter python3
needs_loopback

folder=$(mktemp -d)
mkdir "$folder"/{data,textfiles}
source "$root/tests/checks.sh"
started=()

finish() {
    stop || true
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

# --- The servers ---

get() { python3 "$here/ask.py" get "$1"; }

# answers_or_is_gone URL ID
answers_or_is_gone() { get "$1" >/dev/null 2>&1 || is_gone "$2"; }

# launch START: starts a server by the function START, whose argument is a free port of loopback and which sets `answer`
# to the URL where it answers and `command` to the command to run, and waits until it answers. A server that ends
# instead, because another program has taken the port, is started again on another one.
launch() {
    local start=$1 log=$folder/$1.log id command=()
    for _ in 1 2 3; do
        "$start" "$(free_port)"
        "${command[@]}" </dev/null >"$log" 2>&1 &
        id=$!
        started+=("$id")
        wait_for "$start answers at $answer" answers_or_is_gone "$answer" "$id" || break
        if ! is_gone "$id"; then return; fi
        unset 'started[-1]'
        echo "remark: $start ended at once, and is started again: $(tail -n 1 "$log")"
    done
    echo "FAILED  $start does not answer at $answer"
    cat "$log"
    exit 1
}

# Ends the servers. Returns false if one had to be killed.
stop() {
    local status=0
    end_processes "${started[@]}" || status=$?
    started=()
    return "$status"
}

# The data may be years old on the day of the test, and must not be deleted for that.
start_prometheus() {
    server=http://127.0.0.1:$1
    answer=$server/-/ready
    echo 'global: {}' >"$folder/prometheus.yml"
    command=(prometheus --config.file="$folder/prometheus.yml" --storage.tsdb.path="$folder/data"
        --storage.tsdb.retention.time=100y --web.listen-address="127.0.0.1:$1")
}

start_node_exporter() {
    metrics=http://127.0.0.1:$1/metrics
    answer=$metrics
    command=(prometheus-node-exporter --web.listen-address="127.0.0.1:$1" --web.disable-exporter-metrics
        --collector.disable-defaults --collector.textfile --collector.textfile.directory="$folder/textfiles")
}

# --- Backfill and PromQL ---

# Two machines at different times: one of 61 samples in five minutes, one of three samples years before.
backfill() {
    "$hkpd" capture --simulate --v1 --count 61 --interval 5 -o run.mcap
    for form in '' --cooked; do
        "$hkpd" replay run.mcap "$root/testdata/captures/demo.bin" --format openmetrics $form >"metrics$form.om"
        promtool tsdb create-blocks-from --quiet openmetrics "metrics$form.om" data
    done
    local points
    points=$(cat metrics*.om | grep -vc '^#')
    # Each block of the database states how many it has.
    [[ $(promtool tsdb list data | awk 'NR > 1 { sum += $5 } END { print sum }') == "$points" ]]
    echo "remark: $points points"
}

ask() { python3 "$here/ask.py" "$1" "$server" "$hkpd" "$folder/run.mcap" "$root/testdata/captures/demo.bin"; }

# --- Textfile collectors ---

textfile() { "$hkpd" replay "$@" --textfile textfiles/hkpd.prom; }

# Everything that the simulated machine has, and a machine of realistic size, as counters and as gauges.
lint() {
    for input in '--simulate --count 2' "$root/testdata/captures/demo.bin" '--simulate --source v2 --count 2'; do
        for form in '' --cooked; do
            # shellcheck disable=SC2086 # several words
            textfile $input $form
            promtool check metrics <textfiles/hkpd.prom
        done
    done
}

# node_exporter serves the content of the file.
served() {
    textfile --simulate --object Processor --object System --count 3
    get "$metrics" >served.txt
    grep -qx 'node_textfile_scrape_error 0' served.txt
    python3 "$here/ask.py" same textfiles/hkpd.prom served.txt
}

# While samples replace the file every few milliseconds, no scrape returns a partial file, and not all return the same
# one.
replaced() {
    local scrapes=20 series='^hkpd_processor_interrupts_total{.*instance="_Total"'
    rm -f textfiles/hkpd.prom values.txt
    "$hkpd" replay --simulate --live --interval 0.005 --object Processor --object Process \
        --textfile textfiles/hkpd.prom &
    writer=$! # not local: the trap uses it
    trap 'kill "$writer" 2>/dev/null || true' EXIT
    wait_for "the file is written" test -e textfiles/hkpd.prom
    # More than twenty if the writer is not scheduled meanwhile.
    local scraped=0 different=0 end=$((SECONDS + timeout_s))
    while ((scraped < scrapes || different < 2)); do
        kill -0 "$writer"
        get "$metrics" >served.txt
        grep -qx 'node_textfile_scrape_error 0' served.txt
        grep "$series" served.txt >>values.txt
        scraped=$((scraped + 1))
        different=$(sort -u values.txt | wc -l)
        if ((SECONDS > end)); then
            echo "waited $timeout_s s until scrapes return different samples" >&2
            return 1
        fi
    done
    kill "$writer"
    wait "$writer"
    [[ $(wc -l <values.txt) == "$scraped" ]]
    echo "remark: $scraped scrapes, $different values"
}

check "backfill" backfill
launch start_prometheus
check "all points" ask points
check "rates" ask rates
check "gauges" ask gauges
check "promtool check metrics" lint
launch start_node_exporter
check "served" served
check "replaced meanwhile" replaced
# Not in a subshell, since the servers would not be its children.
if stop; then
    echo "ok      no process left"
else
    echo "FAILED  no process left: a server had to be forced to end"
    failed=$((failed + 1))
fi
((failed == 0))
