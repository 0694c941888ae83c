#!/usr/bin/env bash
# wine.sh WINDOWS_BUILD LINUX_BUILD: tests the Go packages of tools/bindings/go on Windows, as Wine has it, over hkpd.dll: their own
# tests, among them queries of the registry, which a provider of tests/systems/wine answers, and the same lines as the
# C++ program for the captures of testdata. Needs Go 1.19, MinGW and Wine. Uses no network, and a prefix of its own.
set -euo pipefail
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
windows=$(realpath -- "$1")
linux=$(realpath -- "$2")
work=$(mktemp -d)
export WINEPREFIX=$work/prefix
wine() { "$root/tools/windows/wine.sh" "$@"; }
clean_up() {
    local server=/usr/lib/wine/wineserver64
    "$server" -k || true
    "$server" -w || true
    rm -rf -- "$work"
}
trap clean_up EXIT

# A Windows program looks for DLLs next to itself.
cp "$windows/lib/hkpd.dll" "$work"
export GOCACHE=${GOCACHE:-$linux/lib/go-cache} GOFLAGS='-mod=mod -tags=hkpd_flags' GOPROXY=off
export CGO_CFLAGS="-I$root/lib/include" CGO_LDFLAGS="-L$windows/lib"
unset HKPD_COMMAND HKPD_SHARED_DIR
for_windows() { GOOS=windows CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc-posix go "$@"; }

# Wine's own provider loads a printer driver for each query, and waits ten seconds for a desktop.
wine reg delete 'HKLM\System\CurrentControlSet\Services\Spooler\Performance' /f || true
wine regsvr32 "$windows/tests/systems/wine/provider_alpha.dll"
export HKPD_TEST_PROVIDER=1

cd "$root/tools/bindings/go/hkpd"
for package in . ./perflib; do
    name=$(basename "$(realpath "$package")")
    for_windows test -c -o "$work/${name}_tests.exe" "$package"
    if ! (cd "$package" && wine "$work/${name}_tests.exe" -test.v) >"$work/$name.log" 2>&1; then
        cat "$work/$name.log"
        exit 1
    fi
    echo "$name: $(grep -c '^--- PASS' "$work/$name.log") passed, $(grep -c '^--- SKIP' "$work/$name.log" || true) skipped"
done
grep '^--- PASS: TestQuery ' "$work/perflib.log"

for_windows build -o "$work/lines.exe" ./cmd/lines
cd "$root"
files=(testdata/captures/*)
"$linux/tests/abi/hkpd_lines" "${files[@]}" >"$work/expected"
wine "$work/lines.exe" "${files[@]}" >"$work/found"
cmp "$work/expected" "$work/found"
echo "${#files[@]} files: no difference"
