#!/usr/bin/env bash
# static.sh HKPD: checks that the command of the preset `static` needs nothing: runs it in a folder where it is the only
# file. Exits with 77 if it cannot be run: chroot wants root.
set -euo pipefail
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export LC_ALL=C.UTF-8
PATH=$PATH:/usr/sbin

(($# == 1)) || {
    echo "usage: static.sh HKPD" >&2
    exit 2
}
# shellcheck source=tests/missing.sh
source "$root/tests/missing.sh"
needs_root "chroot"
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

# It knows no code pages and reports so, even if glibc's modules are available; Unicode works as everywhere.
status=0
alone dump - <"$root/testdata/captures/text-and-bytes.bin" >"$folder/out" 2>"$folder/messages" || status=$?
((status == 1)) || fail "exit code $status for text in a code page"
grep -q 'unsupported code page.*found 1252' "$folder/messages" || fail "code page 1252 is not reported"
grep -q 'Straße' "$folder/out" || fail "UTF-16"
("$1" dump - <"$root/testdata/captures/text-and-bytes.bin" 2>&1 || true) | diff - <(cat "$folder/out" "$folder/messages") ||
    fail "it is another program where there are more files"

((failed == 0)) && echo "ok      static, $(stat -c %s "$1") bytes"
