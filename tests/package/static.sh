#!/usr/bin/env bash
# static.sh HKPD: whether the command of the preset `static` needs nothing: it runs in a folder where it is the only file.
# Exits with 77 where it cannot be run: chroot wants root.
set -euo pipefail
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export LC_ALL=C.UTF-8
PATH=$PATH:/usr/sbin

(($# == 1)) || {
    echo "usage: static.sh HKPD" >&2
    exit 2
}
((EUID == 0)) || {
    echo "static.sh: chroot is for root only" >&2
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/empty"
cp "$1" "$folder/empty/hkpd"
failed=0

fail() {
    echo "FAILED  $*"
    failed=1
}
alone() { chroot "$folder/empty" /hkpd "$@"; }

headers=$(readelf --wide --file-header --program-headers "$1")
grep -qE 'Type: +DYN ' <<<"$headers" || fail "addresses are not chosen at each start (static PIE)"
if grep -q INTERP <<<"$headers"; then fail "it asks for a dynamic linker"; fi
(($(stat -c %s "$1") < 10 * 1024 * 1024)) || fail "it has become big: $(stat -c %s "$1") bytes"

[[ $(alone --version) == "hkpd "[0-9]* ]] || fail "--version"
alone dump --format csv - <"$root/testdata/captures/big-endian.bin" | diff - "$root/testdata/golden/big-endian.csv" >&2 ||
    fail "a blob"
(($(alone replay --simulate --count 2 --format csv | grep -c '% Processor Time') > 0)) || fail "a simulated machine"

# Of code pages it knows none and says so, also where glibc's modules are at hand; Unicode is as everywhere.
status=0
alone dump - <"$root/testdata/captures/text-and-bytes.bin" >"$folder/out" 2>"$folder/said" || status=$?
((status == 1)) || fail "exit code $status for text in a code page"
grep -q 'code page that is unknown here.*have 1252' "$folder/said" || fail "nothing is said of code page 1252"
grep -q 'Straße' "$folder/out" || fail "UTF-16"
("$1" dump - <"$root/testdata/captures/text-and-bytes.bin" 2>&1 || true) | diff - <(cat "$folder/out" "$folder/said") ||
    fail "it is another program where there are more files"

((failed == 0)) && echo "ok      static, $(stat -c %s "$1") bytes"
