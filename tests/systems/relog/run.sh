#!/usr/bin/env bash
# run.sh COMMAND: runs scripts that call relog and typeperf, as they run on Windows, with links to hkpd of these names in
# the PATH, and compares what they print. The log is Windows' own from ../shared; without it, nothing is run.
set -euo pipefail
hkpd=$(realpath "$1")
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -P "$here/../../.." && pwd)
shared=${HKPD_SHARED_DIR:-$root/../shared}
log=$shared/data/blg/win10-14393-counters.blg
if [[ ! -e $log ]]; then
    if [[ ${HKPD_REQUIRE_SHARED:-} == 1 ]]; then
        echo "failed: needs the real data of ../shared"
        exit 1
    fi
    echo "skipped: needs the real data of ../shared"
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/logs"
for name in relog typeperf; do ln -s "$hkpd" "$work/bin/$name"; done
cp "$log" "$work/logs/first.blg"
cp "$log" "$work/logs/second copy.blg"
export PATH="$work/bin:$PATH"
cd "$work"

# expect NAME WANTED FOUND
expect() {
    if [[ $2 != "$3" ]]; then
        printf '%s: expected\n%s\nfound\n%s\n' "$1" "$2" "$3" >&2
        exit 1
    fi
    echo "ok: $1"
}

# The mean that Python calculates from Windows' own CSV.
mean=$(python3 "$here/busiest.py" --csv "$shared/data/csv/win10-14393-counters.csv")
expect "a Python script that reads relog's CSV" "$mean" "$(python3 "$here/busiest.py" logs/first.blg)"

"$here/calls.sh" logs/first.blg >calls.out
expect "the calls of a batch file" "25 samples, 13 of every second, 3 counters in some.csv" "$(tail -n 1 calls.out)"
cmp all.csv "$shared/data/csv/win10-14393-counters.csv"

expect "a loop over a directory" $'logs/first.csv 26\nlogs/second copy.csv 26' "$("$here/each.sh" logs)"
expect "typeperf" 3 "$(typeperf --simulate '\Processor(_Total)\% Processor Time' -si 1 -sc 2 | grep -c '^"')"
