#!/usr/bin/env bash
# release.sh [DIRECTORY]: makes the files of a release from HEAD, in a directory that is empty or does not exist yet
# (default: build/release-files): the source tarball, the static command for Linux, hkpd.exe, Debian packages, an SPDX
# list of all that is linked into them (SBOM), and SHA256SUMS. The clone must have no changes. Everything is built in
# DIRECTORY/work, which is removed at the end, and kept if a step fails. The same commit on the same versions of
# compilers and libraries results in the same bytes, wherever and whenever it is built: tests/package/reproducible.sh.
# Wants Debian or Ubuntu; missing packages are installed if this is run by root.
set -euo pipefail
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
    printf 'release.sh: %s\n' "$*" >&2
    exit 1
}
(($# <= 1)) || {
    echo "usage: release.sh [DIRECTORY]" >&2
    exit 2
}
# Nothing of this shell's settings reaches the files.
umask 022
export LC_ALL=C.UTF-8 LANG=C.UTF-8 TZ=UTC # ccache distinguishes languages
unset LANGUAGE CFLAGS CXXFLAGS CPPFLAGS LDFLAGS DESTDIR CMAKE_BUILD_PARALLEL_LEVEL GZIP ZIPOPT TAR_OPTIONS

in_clone() { git -C "$root" -c core.quotePath=true -c core.autocrlf=false -c tar.umask=0022 "$@"; }
changes=$(in_clone status --porcelain) || fail "$root is not a clone of the repository"
[[ -z $changes ]] || fail "the clone has changes: commit or remove them first
$(head -n 10 <<<"$changes")"
commit=$(in_clone rev-parse HEAD)
SOURCE_DATE_EPOCH=$(in_clone log -1 --format=%ct)
HKPD_REVISION=${commit:0:12} # the archive has no .git, from which revision.cmake would take it
export SOURCE_DATE_EPOCH HKPD_REVISION

output=$(realpath -m "${1:-$root/build/release-files}")
[[ ! -e $output || -z $(ls -A "$output") ]] || fail "$output is not empty: remove it, or name another directory"
mkdir -p "$output/work"
work=$output/work
logs=$work/logs

version=$(in_clone show HEAD:CMakeLists.txt | sed -n 's/^project(hkpd VERSION \([0-9.]*\) .*/\1/p')
[[ -n $version ]] || fail "CMakeLists.txt has no version"
name=hkpd-$version
in_clone archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$output/$name.tar.gz"
tar -C "$work" -xf "$output/$name.tar.gz"
cd "$work/$name"
source tools/common.sh
tools/install-packages.sh release
use_compiler
use_compiler_cache
source tools/packaging/release/archives.sh

# Paths of this machine are in no object. The linker lists what it took from which archive in OUTPUT.map.
flags="-ffile-prefix-map=$PWD=."
export CFLAGS=$flags CXXFLAGS=$flags

# build PRESET TARGET...
build() {
    local preset=$1
    shift
    cmake --preset "$preset" -D HKPD_BUILD_TESTS=OFF &&
        cmake --build --preset "$preset" --parallel "$(nproc)" --target "$@"
}
# step NAME COMMAND...
step() {
    local name=$1 start=$SECONDS
    shift
    quietly "$logs/${name// /-}.log" "$@" || fail "$name failed; its output is in $logs"
    printf '%-24s %4d s\n' "$name" $((SECONDS - start))
}

step "libraries for Windows" tools/build-windows-dependencies.sh
export LDFLAGS=-Wl,-Map=%.map
step "static command" build static hkpd_command hkpd_documents
step "Debian packages" build release hkpd_command hkpd_documents hkpd hkpd_report hkpd_provider hkpd_c
# The linker would put the time into the header of the program.
LDFLAGS+=' -Wl,--no-insert-timestamp' step "hkpd.exe" build windows hkpd_command

mkdir "$work/linked"
step "list static" list_linked static tools/hkpd "$linux_name.tar.gz"
step "list windows" list_linked windows tools/hkpd.exe "$windows_name.zip"
step "list command" list_linked release tools/hkpd "hkpd_${version}_$architecture.deb"
step "list library" list_linked release lib/libhkpd.so.1 "libhkpd1_${version}_$architecture.deb"
step "list development" list_linked release lib/libhkpd++.a "libhkpd-dev_${version}_$architecture.deb"
step "static archive" pack_linux
step "Windows archive" pack_windows
step "pack Debian packages" pack_debian
step "list of components" tools/packaging/release/sbom.py --version "$version" --commit "$commit" --linked "$work/linked" \
    --output "$output/$name.spdx.json" "$output"
(cd "$output" && find . -maxdepth 1 -type f -printf '%P\n' | sort | xargs sha256sum >"$work/SHA256SUMS" &&
    mv "$work/SHA256SUMS" .)
cd "$root"
rm -rf "$work"
ls -l "$output"
