#!/usr/bin/env bash
# Builds the libraries that hkpd.exe is linked with, from the source packages of this Debian or Ubuntu release, into
# build/windows-dependencies. apt checks signatures and checksums of what it fetches; the system's own lists of sources
# stay as they are. Takes some two minutes; nothing is done where all is there. What was built is kept in the user's cache
# directory for a week, for other clones.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh
export LC_ALL=C

say() { printf 'build-windows-dependencies.sh: %s\n' "$*" >&2; }

prefix=$PWD/build/windows-dependencies
versions=$prefix/versions.txt # of all packages; its first line tells what made them
packages=(fmtlib googletest libdeflate libzstd rapidjson sqlite3 utf8proc)

made_by() {
    echo "made by $({
        cat "${BASH_SOURCE[0]}" tools/windows/dependencies/CMakeLists.txt tools/windows/mingw-w64.cmake
        x86_64-w64-mingw32-g++-posix --version
    } | sha256sum)"
}

maker=$(made_by)
if [[ $(head -n 1 "$versions" 2>/dev/null) == "$maker" ]]; then exit 0; fi
mkdir -p build
kept=${XDG_CACHE_HOME:-$HOME/.cache}/hkpd/windows-dependencies-$(sha256sum <<<"$maker" | cut -c 1-16).tar
if [[ -n $(find "$kept" -mtime -7 2>/dev/null) ]]; then
    rm -rf "$prefix"
    tar -C build -xf "$kept"
    exit 0
fi
say "building Boost, ${packages[*]}"
work=$(mktemp -d "$PWD/build/windows-dependencies.XXXXXX")
trap 'rm -rf "$work"' EXIT
log=build/logs/windows-dependencies

# apt as it is set up here, but asked for source packages, with lists and caches of its own.
mkdir -p "$work"/apt/{parts,lists/partial,cache/archives/partial} "$work/sources"
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    [[ -e $file ]] || continue
    case $file in
    *.list) sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file" >"$work/apt/parts/${file##*/}" ;;
    *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/apt/parts/${file##*/}" ;;
    esac
done
options=(-o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/apt/parts"
    -o "Dir::State::Lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache" -o APT::Sandbox::User=)

fetch_sources() (
    # A third party's archive that does not answer need not matter.
    apt-get "${options[@]}" update || true
    # The package of Boost has its version in its name; boost-defaults has that of the release.
    boost=$(apt-cache "${options[@]}" showsrc boost-defaults | sed -n 's/^Version: \([0-9]*\.[0-9]*\).*/boost\1/p' |
        sort -V | tail -n 1)
    cd "$work/sources" && apt-get "${options[@]}" source "$boost" "${packages[@]}"
)
# SQLite in one file, which takes tools of its own that run here.
make_amalgamation() (
    mkdir "$work/sources/sqlite3" && cd "$work/sources/sqlite3" &&
        sh ../sqlite3-[0-9]*/configure --disable-tcl --disable-readline --disable-shared &&
        make sqlite3.c sqlite3.h
)
build_all() {
    cmake -G Ninja -S tools/windows/dependencies -B "$work/build" -D SOURCES="$work/sources" \
        -D CMAKE_TOOLCHAIN_FILE="$PWD/tools/windows/mingw-w64.cmake" -D CMAKE_BUILD_TYPE=Release \
        -D CMAKE_INSTALL_PREFIX="$work/prefix" -D CMAKE_INSTALL_MESSAGE=NEVER &&
        cmake --build "$work/build" --target install
}

quietly "$log-fetch.log" fetch_sources
quietly "$log-sqlite.log" make_amalgamation
quietly "$log-build.log" build_all
{
    echo "$maker"
    sed -n 's/^Source: /source /p; s/^Version: /version /p' "$work"/sources/*.dsc | paste -d ' ' - - | sort
} >"$work/prefix/versions.txt"
rm -rf "$prefix"
mv "$work/prefix" "$prefix"
mkdir -p "$(dirname "$kept")"
tar -C build -cf "$kept.part" "${prefix##*/}"
mv "$kept.part" "$kept"
