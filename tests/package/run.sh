#!/usr/bin/env bash
# run.sh [--embedded] [BUILD_TREE]: checks that other programs find hkpd as installed from a build tree (build/release),
# by find_package and pkg-config. --embedded: also embedded by FetchContent, and as a shared library. Everything is
# built in a temporary folder, and the programs' output for a capture is compared with the command's. Prints a line for
# each check, and all its output if it fails.
set -euo pipefail
embedded=
if [[ ${1:-} == --embedded ]]; then
    embedded=1
    shift
fi
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(realpath "$here/../..")
tree=$(realpath "${1:-$root/build/release}")
export LC_ALL=C.UTF-8
cd "$root"
source tools/common.sh
use_compiler
export CXX=${CXX:-c++}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
source tests/checks.sh
cp -r "$here" "$folder/programs"
capture=$root/testdata/captures/demo.bin
# The whole version, and the part that compatible versions share.
version=$(sed -n 's/^project(hkpd VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
series=${version%.*}
[[ $series == *.* ]] || {
    echo "run.sh: CMakeLists.txt has no version" >&2
    exit 1
}

install_static() {
    cmake --install "$tree" --prefix static
    static/bin/hkpd dump --format jsonl "$capture" >capture.jsonl
    python3 - >expected <<'END'
import json, re
for line in open("capture.jsonl", encoding="utf-8"):
    value = json.loads(line)
    print(value["object"], re.sub("#[0-9]+$", "", value["instance"] or ""), value["counter"], value["raw"], sep="\t")
END
    sort -o expected expected
    [[ $(wc -l <expected) -gt 3000 ]]
}

# decodes PROGRAM: it prints the same lines as the command, in any order.
decodes() { "$1" "$capture" | sort | diff expected - >difference || { head -n 20 difference; return 1; }; }

# provides PROGRAM: its simulated machine has as many objects as the command's.
provides() {
    local objects
    objects=$(static/bin/hkpd dump --simulate --format jsonl | grep -o '"object_index":[0-9]*' | sort -u | wc -l)
    [[ $objects -gt 3 && $("$1") == "$objects" ]]
}

# reports PROGRAM: its page is the command's.
reports() {
    static/bin/hkpd report "$capture" -o page.html
    "$1" "$capture" >found.html 2>samples
    cmp page.html found.html
    [[ $(<samples) == 3 ]]
}

# No decoder contains rules and reports, or needs their XML.
decoder_alone() {
    nm -C --defined-only static/lib/libhkpd++-report.a | grep 'hkpd::RuleRun::'
    if nm -C static/lib/libhkpd++.a | grep -E 'pugi::|hkpd::(RuleRun|Rules|report)\b'; then return 1; fi
}

# A header can be the first that a program includes, needs no other library's headers, and causes no warnings.
check_header() {
    printf '#include <hkpd/%s>\n' "$1" |
        "$CXX" -std=c++23 -fsyntax-only -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Werror -Istatic/include \
            -MD -MF "needs/${1//\//-}" -x c++ -
}
export -f check_header
headers_alone() {
    mkdir needs
    (cd static/include/hkpd && find . -name '*.hpp' -printf '%P\n') >headers
    diff <(sort headers) <(cd "$root/lib/include/hkpd" && find . -name '*.hpp*' -printf '%P\n' | sed 's/\.in$//' | sort)
    # shellcheck disable=SC2016
    xargs -P "$(nproc)" -I{} bash -c 'check_header "$1"' _ {} <headers
    [[ $(find needs -type f | wc -l) == $(wc -l <headers) ]]
    cat needs/* >all_needs
    if grep -E '/(absl|boost|fmt|rapidjson)/|/(zstd|utf8proc|libdeflate|sqlite3)\.h|/pugi' all_needs; then return 1; fi
}

# by_find_package NAME ARGUMENT...
by_find_package() {
    local name=$1
    shift
    asks_for "$series"
    cmake -S programs/find_package -B "$name" -G Ninja "$@"
    cmake --build "$name"
    decodes "$name/decode"
    reports "$name/report"
    provides "$name/provider"
}

# asks_for VERSION: requires this version of hkpd.
asks_for() {
    sed "s/find_package(hkpd [0-9.]* /find_package(hkpd $1 /" -i programs/find_package/CMakeLists.txt
    grep -F "find_package(hkpd $1 " programs/find_package/CMakeLists.txt
}
other_versions_are_refused() {
    asks_for "${series%.*}.$((${series##*.} + 1))"
    if cmake -S programs/find_package -B refused -G Ninja -DCMAKE_PREFIX_PATH="$folder/static" 2>messages; then return 1; fi
    asks_for "$series"
    grep -F "version: $version" messages
}

one_version() {
    static/bin/hkpd --version | head -n 1 >version
    [[ $(<version) == "hkpd $version" ]]
    [[ "hkpd $(PKG_CONFIG_PATH=static/lib/pkgconfig pkg-config --modversion hkpd++)" == "$(<version)" ]]
    [[ "hkpd $(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$root/tools/packaging/vcpkg/ports/hkpd/vcpkg.json")" == "$(<version)" ]]
}

# by_pkg_config PREFIX [LDFLAGS]
by_pkg_config() {
    export PKG_CONFIG_PATH=$folder/$1/lib/pkgconfig
    make -B -C programs/pkg_config LDFLAGS="${2:-}"
    decodes programs/pkg_config/decode
    reports programs/pkg_config/report
    provides programs/pkg_config/provider
}

# The C interface alone: neither a C++ compiler nor the headers of other libraries. counts PROGRAM: the demo's values.
counts() { [[ $("$1" "$capture") == "$(wc -l <expected) values, 0 of them damaged; hkpd $version" ]]; }
c_interface() {
    cmake -S programs/c -B find-c -G Ninja -DCMAKE_PREFIX_PATH="$folder/static"
    cmake --build find-c
    counts find-c/count
    # shellcheck disable=SC2046 # options
    PKG_CONFIG_PATH=static/lib/pkgconfig sh -c 'cc -std=c99 -pedantic-errors -Wall -Wextra -Werror programs/c/count.c \
        $(pkg-config --cflags --libs hkpd) -Wl,-rpath,"$1/static/lib" -o count' _ "$folder"
    counts ./count
    needs_c ./count
}
needs_c() { readelf -d "$1" | grep -F 'libhkpd.so.1]' && ! readelf -d "$1" | grep -E 'NEEDED.*(stdc|absl|fmt|pugixml|sqlite3|zstd)'; }

# None of hkpd's own settings affect the embedding project: its programs are compiled with only the include folders and
# the standard, and there are no tools, tests or rules to install.
by_fetch_content() {
    cmake -S programs/fetch_content -B embedded -G Ninja -DHKPD_SOURCE="$root" \
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=24
    cmake --build embedded --target decode hkpd_report hkpd_provider
    decodes embedded/decode
    python3 - <<'END'
import json, shlex
[entry] = [entry for entry in json.load(open("embedded/compile_commands.json")) if "/decode.dir/" in entry["command"]]
flags = [word for word in shlex.split(entry["command"])[1:] if word.startswith("-") and not word.startswith("-I")]
print(flags)
assert flags == ["-std=gnu++23", "-o", "-c"], flags
END
    cmake --build embedded --target help >targets
    if grep -E 'hkpd_(command|tests|testing)|processor_time' targets; then return 1; fi
    cmake --install embedded --prefix nothing
    [[ -z $(find nothing -type f 2>/dev/null) ]]
}

# The same tree, whose objects suit either library.
install_shared() {
    cmake -S programs/fetch_content -B embedded -DBUILD_SHARED_LIBS=ON -DHKPD_INSTALL=ON
    cmake --build embedded --target decode hkpd_report hkpd_provider >messages
    if grep 'Building CXX object _deps' messages; then return 1; fi
    decodes embedded/decode
    cmake --install embedded --prefix shared
    readelf -d shared/lib/libhkpd++.so | grep -F "soname: [libhkpd++.so.$series]"
}

# A program links to the library, and not to its dependencies.
needs_shared() { readelf -d "$1" | grep -F "libhkpd++.so.$series" && ! readelf -d "$1" | grep -E 'NEEDED.*(absl|fmt|pugixml|sqlite3|zstd|utf8proc)'; }

find_shared() {
    by_find_package find-shared -DCMAKE_PREFIX_PATH="$folder/shared"
    needs_shared find-shared/decode
}
pkg_config_shared() {
    by_pkg_config shared "-Wl,-rpath,$folder/shared/lib"
    needs_shared programs/pkg_config/decode
}

# Both in one place: the project chooses.
either() {
    cp -r static both
    cp -r shared/. both
    by_find_package either -DCMAKE_PREFIX_PATH="$folder/both"
    if needs_shared either/decode; then return 1; fi
    cmake either -DBUILD_SHARED_LIBS=ON
    cmake --build either
    needs_shared either/decode
}

check "install" install_static
check "headers, each alone" headers_alone
check "one version" one_version
check "find_package" by_find_package find-static -DCMAKE_PREFIX_PATH="$folder/static"
check "decoder alone" decoder_alone
check "another version" other_versions_are_refused
check "pkg-config" by_pkg_config static
check "C interface" c_interface
if [[ -n $embedded ]]; then
    check "FetchContent" by_fetch_content
    check "shared" install_shared
    check "find_package, shared" find_shared
    check "pkg-config, shared" pkg_config_shared
    check "both in one place" either
fi
((failed == 0))
