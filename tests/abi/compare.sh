#!/usr/bin/env bash
# compare.sh LINES OTHER...: compares what programs print for every file of testdata and of the shared data, byte for
# byte, with what the program LINES prints. OTHER: a program with its arguments, in one word.
set -euo pipefail
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
lines=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$root"
shared=${HKPD_SHARED_DIR:-$root/../shared}/data
places=(testdata)
if [[ -d $shared ]]; then places+=("$shared"); fi
find "${places[@]}" -type f | sort >"$folder/files"
# Many files at a time: a process each would take longer than all else.
split -l 100 "$folder/files" "$folder/part-"
count=0
for part in "$folder"/part-*; do
    mapfile -t files <"$part"
    "$lines" "${files[@]}" >"$folder/expected"
    for other in "$@"; do
        # shellcheck disable=SC2086 # a program with its arguments
        $other "${files[@]}" >"$folder/found" || {
            echo "$other failed for one of ${files[0]} ... ${files[-1]}" >&2
            exit 1
        }
        cmp "$folder/expected" "$folder/found" || {
            diff "$folder/expected" "$folder/found" | cut -c 1-300 | head -n 10 >&2
            echo "$other differs for one of ${files[0]} ... ${files[-1]}" >&2
            exit 1
        }
    done
    count=$((count + $(grep -acE '^(values|cooked|reasons|fault) ' "$folder/expected")))
done
((count > 10000))
echo "$(wc -l <"$folder/files") files, $count lines of values, reasons and faults: no difference"
