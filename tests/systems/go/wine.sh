#!/usr/bin/env bash
# wine.sh WINDOWS_BUILD LINUX_BUILD: tests the Go packages of tools/go on Windows, as Wine has it, over hkpd.dll: their own
# tests, among them a query of the registry, and the same lines as the C++ program for the captures of testdata. Needs
# Go 1.19, MinGW and Wine. Uses no network.
set -euo pipefail
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
windows=$(realpath -- "$1")
linux=$(realpath -- "$2")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
wine() { "$root/tools/windows/wine.sh" "$@"; }

# A Windows program looks for DLLs next to itself.
cp "$windows/lib/hkpd.dll" "$work"
export GOCACHE=${GOCACHE:-$linux/lib/go-cache} GOFLAGS='-mod=mod -tags=hkpd_flags' GOPROXY=off
export CGO_CFLAGS="-I$root/lib/include" CGO_LDFLAGS="-L$windows/lib"
unset HKPD_COMMAND HKPD_SHARED_DIR
cd "$root/tools/go/hkpd"
for package in . ./perflib; do
    name=$(basename "$(realpath "$package")")
    GOOS=windows CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc-posix go test -c -o "$work/${name}_tests.exe" "$package"
    (cd "$package" && wine "$work/${name}_tests.exe" -test.v) >"$work/$name.log" 2>&1 || {
        cat "$work/$name.log"
        exit 1
    }
    grep -E '^ +query_windows|^--- SKIP' "$work/$name.log" || true
done
grep -q '^--- PASS: TestQuery ' "$work/perflib.log"

GOOS=windows CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc-posix go build -o "$work/lines.exe" ./cmd/lines
cd "$root"
files=(testdata/captures/*)
"$linux/tests/abi/hkpd_lines" "${files[@]}" >"$work/expected"
wine "$work/lines.exe" "${files[@]}" >"$work/found"
cmp "$work/expected" "$work/found"
echo "${#files[@]} files: no difference"
