#!/usr/bin/env bash
# reproducible.sh [--without-cache] [RELEASE]: makes the release of HEAD twice, in two clones, and requires the same bytes.
# The second one has another path, umask, language, time zone and home directory, a later time, and builds the libraries
# of hkpd.exe itself. --without-cache: it also compiles everything again. Shows the first difference, with diffoscope if
# that is installed. RELEASE: keeps the first one there.
set -euo pipefail
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

again=()
if [[ ${1:-} == --without-cache ]]; then
    again=(CCACHE_DISABLE=1)
    shift
fi
(($# <= 1)) || {
    echo "usage: reproducible.sh [--without-cache] [RELEASE]" >&2
    exit 2
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
first=${1:+$(realpath -m "$1")}
first=${first:-$folder/first}
second=$folder/another_longer_path/below/second
mkdir -p "$(dirname "$second")" "$folder/home"

git -c advice.detachedHead=false clone -q --no-hardlinks "$root" "$folder/hkpd"
git -c advice.detachedHead=false clone -q --no-hardlinks "$root" "$(dirname "$second")/clone"
# A file that no commit has would not be in the sources.
touch "$folder/hkpd/new"
if "$folder/hkpd/tools/release.sh" "$folder/refused" 2>"$folder/message" || ! grep -q 'the clone has changes' "$folder/message" ||
    [[ -e $folder/refused ]]; then
    echo "FAILED  a clone with changes is not refused"
    exit 1
fi
rm "$folder/hkpd/new"
echo "first:"
"$folder/hkpd/tools/release.sh" "$first"
echo "second:"
(
    umask 077
    # The compiler cache is the same, wherever that is.
    if command -v ccache >/dev/null; then export CCACHE_DIR=${CCACHE_DIR:-$(ccache --get-config cache_dir)}; fi
    export TZ=Asia/Kathmandu LC_ALL=C LANG=de_DE.UTF-8 HOME=$folder/home XDG_CACHE_HOME=$folder/home/cache
    export GZIP=-1 CXXFLAGS=-O0
    env "${again[@]}" "$(dirname "$second")/clone/tools/release.sh" "$second"
)

# unpack FILE FOLDER: the contents of an archive; of a package also its control files.
unpack() {
    mkdir -p "$2"
    case $1 in
    *.tar.gz) tar -C "$2" -xzf "$1" ;;
    *.zip) python3 -m zipfile -e "$1" "$2" ;;
    *.deb) dpkg-deb -R "$1" "$2" ;;
    *) cp "$1" "$2/" ;;
    esac
}
different=0
for file in $( (cd "$first" && ls && cd "$second" && ls) | sort -u); do
    if cmp -s "$first/$file" "$second/$file"; then continue; fi
    if ((different++ > 0)); then continue; fi
    echo "$file differs:"
    if command -v diffoscope >/dev/null; then
        diffoscope --max-report-size 20000 "$first/$file" "$second/$file" || true
    else
        unpack "$first/$file" "$folder/a"
        unpack "$second/$file" "$folder/b"
        diff -r "$folder/a" "$folder/b" | head -n 20 || true
        diff -rq "$folder/a" "$folder/b" | sed -n 's/^Files \(.*\) and \(.*\) differ$/\1\n\2/p' | head -n 2 | {
            if read -r a && read -r b; then cmp -l "$a" "$b" | head -n 10; fi
        } || true
        cmp "$first/$file" "$second/$file" || true
    fi
done
((different == 0)) || {
    echo "FAILED  $((different)) files differ"
    exit 1
}
echo "ok      $(cd "$first" && find . -type f | wc -l) files, twice the same bytes"
