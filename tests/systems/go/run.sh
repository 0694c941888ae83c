#!/usr/bin/env bash
# run.sh HKPD LINES FOLDER: tests the Go packages of tools/bindings/go over libhkpd in FOLDER: their own tests with the race
# detector, the same lines as the C++ program LINES for all of testdata, and that they build for Windows. HKPD is the
# command, whose values are expected. Needs Go 1.19, a C compiler and pkg-config; MinGW for Windows. Uses no network.
set -euo pipefail
hkpd=$(realpath -- "$1")
lines=$(realpath -- "$2")
folder=$(realpath -- "$3")
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

# shellcheck source=tests/missing.sh
source "$root/tests/missing.sh"
needs_program go gcc pkg-config
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# As it is installed: lib, include and the package's description. Go's cache takes neither the flags of pkg-config nor
# headers into account, so the folder is the same in each run, and another header has another cache.
installed=$folder/go
mkdir -p "$installed/lib/pkgconfig"
ln -sfn "$root/lib/include" "$installed/include"
ln -sf "$folder"/libhkpd.so* "$installed/lib"
cp "$folder/hkpd.pc" "$installed/lib/pkgconfig"
export PKG_CONFIG_PATH=$installed/lib/pkgconfig LD_LIBRARY_PATH=$installed/lib
header=$(sha256sum "$root/lib/include/hkpd.h")
export GOCACHE=${GOCACHE:-$installed/cache-${header:0:16}} GOFLAGS=-mod=mod GOPROXY=off
export HKPD_COMMAND=$hkpd HKPD_SHARED_DIR=${HKPD_SHARED_DIR:-$root/../shared}
[[ -d $HKPD_SHARED_DIR ]] || unset HKPD_SHARED_DIR

cd "$root/tools/bindings/go/hkpd"
unformatted=$(gofmt -l .)
[[ -z $unformatted ]] || { echo "gofmt would change: $unformatted"; exit 1; }
go vet ./...
go test -race -count=1 ./...
go build -race -o "$work/lines" ./cmd/lines
"$root/tests/abi/compare.sh" "$lines" "$work/lines"

# The example and the rows of the other answers, as programs of their own.
for program in tools/examples/top tests/examples/rows; do
    name=${program##*/}
    mkdir "$work/$name"
    cp "$root/$program.go" "$work/$name"
    printf 'module %s\n\ngo 1.19\n\nrequire hkpd.example/hkpd v0.0.0\n\nreplace hkpd.example/hkpd => %s\n' \
        "$name" "$root/tools/bindings/go/hkpd" >"$work/$name/go.mod"
    (cd "$work/$name" && go build -o "$name" .)
done
python3 "$root/tests/examples/compare.py" top "$hkpd" "$work/top/top"
for answer in summary check; do
    python3 "$root/tests/examples/compare.py" "$answer" "$hkpd" "$work/rows/rows"
done

# The flags instead of pkg-config.
PKG_CONFIG=false CGO_CFLAGS="-I$root/lib/include" CGO_LDFLAGS="-L$installed/lib" \
    go build -tags hkpd_flags -o "$work/lines-by-flags" ./cmd/lines
"$work/lines-by-flags" "$root/testdata/captures/demo.bin" | cmp - <("$lines" "$root/testdata/captures/demo.bin")

if ! command -v x86_64-w64-mingw32-gcc-posix >/dev/null; then
    [[ -z ${CI+set} ]] || missing MinGW
    exit 0
fi
# An import library of the functions that hkpd.dll has.
{
    printf 'LIBRARY hkpd.dll\nEXPORTS\n'
    sed -n 's/^ *\(hkpd_[a-z0-9_]*\);/\1/p' "$root/lib/src/abi/symbols.map"
} >"$work/hkpd.def"
x86_64-w64-mingw32-dlltool -d "$work/hkpd.def" -l "$work/libhkpd.dll.a"
export GOOS=windows CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc-posix CGO_CFLAGS="-I$root/lib/include" CGO_LDFLAGS="-L$work"
go vet -tags hkpd_flags ./...
go build -tags hkpd_flags -o "$work/lines.exe" ./cmd/lines
echo "builds for Windows: $(stat -c %s "$work/lines.exe") bytes"
