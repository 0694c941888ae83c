#!/usr/bin/env bash
# release.sh RELEASE: checks the files of a release (tools/release.sh): checksums, archives without traces of the machine,
# the static command where it is the only file, a program in C that is built and run with the packages, dependencies from
# their symbols, lintian, and the list of components. Prints a line for each check. Wants root, lintian and dpkg-dev.
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(realpath "$here/../..")
export LC_ALL=C.UTF-8 TZ=UTC

(($# == 1)) || {
    echo "usage: release.sh RELEASE" >&2
    exit 2
}
release=$(realpath "$1")
cd "$root"
source tools/common.sh
use_compiler
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck source=tests/checks.sh
source "$root/tests/checks.sh"
sources=$(cd "$release" && ls hkpd-*.spdx.json)
base=${sources%.spdx.json}
version=${base#hkpd-}
linux=$base-linux-x86_64 windows=$base-windows-x86_64
debs=("$release/hkpd_${version}_"*.deb "$release/libhkpd1_${version}_"*.deb "$release/libhkpd-dev_${version}_"*.deb)

# Every file is listed, and no other.
checksums() {
    (cd "$release" && sha256sum --check --strict SHA256SUMS)
    diff <(sed 's/^[0-9a-f]*  //' "$release/SHA256SUMS" | sort) <(cd "$release" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort)
}

# The sources are those of a commit of this repository; its time is that of everything in the archives.
the_sources() {
    git get-tar-commit-id < <(gzip -dc "$release/$base.tar.gz") >commit
    git -C "$root" archive --format=tar --prefix="$base/" "$(<commit)" | tar -tf - | sort >expected
    tar -tzf "$release/$base.tar.gz" | sort | diff expected -
    git -C "$root" show -s --format=%ct "$(<commit)" >commit_time
}

entries_of() {
    case $1 in
    *.tar.gz) tar --numeric-owner --full-time -tvzf "$release/$1" ;;
    *.deb) dpkg-deb --fsys-tarfile "$release/$1" | tar --numeric-owner --full-time -tvf - ;;
    esac
}
# Users, times and permissions are no property of the machine.
no_traces() {
    local file count
    for file in "$linux.tar.gz" "${debs[@]##*/}"; do
        entries_of "$file" >entries
        count=$(wc -l <entries)
        ((count > 5))
        [[ $(grep -cE "^(-rw-r--r--|-rwxr-xr-x|drwxr-xr-x|lrwxrwxrwx) 0/0 +[0-9]+ $(date -d "@$(<commit_time)" '+%F %T') " entries) == "$count" ]]
    done
    python3 - "$release/$windows.zip" "$(<commit_time)" <<'END'
import calendar, sys, zipfile
entries = zipfile.ZipFile(sys.argv[1]).infolist()
assert len(entries) > 5
for entry in entries:  # whose times are even
    assert calendar.timegm(entry.date_time) - int(sys.argv[2]) in {0, 1} and not entry.extra, entry
END
    mkdir linux windows installed
    tar -C linux -xzf "$release/$linux.tar.gz"
    python3 -m zipfile -e "$release/$windows.zip" windows
    for file in "${debs[@]}"; do dpkg-deb -x "$file" installed; done
    [[ $(ls linux) == "$linux" && $(ls windows) == "$windows" ]]
    # Paths of the build, which begin with the folder in which it was, end with this.
    if grep -rlE "/work/$base|windows-dependencies\.[A-Za-z0-9]{6}" linux windows installed; then return 1; fi
}

licences() {
    local file
    for file in linux/"$linux" windows/"$windows"; do
        [[ -s $file/LICENSE && -s $file/licences/common/GPL-3 ]]
        python3 - "$release/$base.spdx.json" "${file##*/}" "$file/licences" <<'END'
import json, pathlib, sys
document = json.load(open(sys.argv[1], encoding="utf-8"))
names = {package["SPDXID"]: package["name"] for package in document["packages"]}
linked = {names[each["relatedSpdxElement"]] for each in document["relationships"]
          if names.get(each["spdxElementId"], "").startswith(sys.argv[2]) and each["relationshipType"] == "STATIC_LINK"}
texts = {path.name for path in pathlib.Path(sys.argv[3]).iterdir() if path.is_file() and path.stat().st_size > 0}
assert len(linked) > 5 and texts == linked | {"hkpd"}, (texts, linked)
END
    done
}

static_command() {
    "$here/static.sh" "$folder/linux/$linux/bin/hkpd"
    [[ $("linux/$linux/bin/hkpd" --version) == "hkpd $version"$'\n'"revision: $(cut -c 1-12 commit)"$'\n'* ]]
    [[ -s linux/$linux/share/man/man1/hkpd-dump.1 && -s linux/$linux/share/bash-completion/completions/hkpd ]]
}

windows_command() {
    x86_64-w64-mingw32-objdump -p "windows/$windows/hkpd.exe" >headers
    grep -q 'DLL Name: KERNEL32.dll' headers
    if grep -iE 'DLL Name: (libstdc|libgcc|libwinpthread|lib)' headers; then return 1; fi
    grep -qF "$(cut -c 1-12 commit)" "windows/$windows/hkpd.exe"
}

# A program in C finds header and library of the packages, and a package of it would depend on libhkpd1.
c_program() {
    local libraries values
    libraries=$(dirname "$(find "$PWD/installed" -name libhkpd.so.1)")
    "${CC:-gcc}" -std=c11 -Wall -Wextra -Werror -Iinstalled/usr/include "$root/tests/package/c/count.c" -L"$libraries" -lhkpd -o program
    readelf -d program | grep -F 'NEEDED' | grep -F '[libhkpd.so.1]'
    values=$("linux/$linux/bin/hkpd" dump --format jsonl "$root/testdata/captures/demo.bin" | wc -l)
    [[ $(LD_LIBRARY_PATH=$libraries ./program "$root/testdata/captures/demo.bin") == "$values values, 0 of them damaged; hkpd $version" ]]
    mkdir -p package/debian
    printf 'Source: program\n\nPackage: program\nArchitecture: any\nDescription: x\n\nPackage: libhkpd1\nArchitecture: any\nDescription: x\n' >package/debian/control
    mkdir control
    dpkg-deb -e "${debs[1]}" control
    [[ $(cat control/shlibs) == "libhkpd 1 libhkpd1 (>= "* ]]
    grep -q '^activate-noawait ldconfig$' control/triggers
    # Of a package that is built at the same time, dpkg-shlibdeps reads the symbols as it does of an installed one.
    dpkg-deb -R "${debs[1]}" package/debian/libhkpd1
    (cd package && dpkg-shlibdeps -O ../program) >depends
    grep -F "libhkpd1 (>= $version)" depends
    grep -q '^libhkpd.so.1 libhkpd1 ' control/symbols
    nm -D --defined-only "$libraries/libhkpd.so.1" | sed -n 's/.* T //p' | sort >exported
    [[ -s exported ]]
    sed -n 's/^ \(\S*\) .*/\1/p' control/symbols | sort | diff exported - | grep '^[<>] hkpd' && return 1
    return 0
}

packages() { lintian --fail-on error "${debs[@]}"; }

check "checksums" checksums
check "sources" the_sources
check "no traces" no_traces
check "licences" licences
check "static command" static_command
check "hkpd.exe" windows_command
check "program in C" c_program
check "lintian" packages
check "components" "$here/spdx.py" "$release"
((failed == 0))
