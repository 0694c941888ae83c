# shellcheck shell=bash
# The steps of tools/release.sh that pack what was built. To be sourced in the root of the unpacked sources, with work,
# output, name and version set. Archives have no times, users or orders of this machine.

: "${work:?}" "${output:?}" "${name:?}" "${version:?}"
# shellcheck disable=SC2034 # of the packages, for release.sh
architecture=$(dpkg --print-architecture)
linux_name=$name-linux-$(uname -m)
windows_name=$name-windows-x86_64

# list_linked PRESET FILE PACKED: lists the components of a linked file for the file of the release that it is packed in.
list_linked() { tools/packaging/release/linked.py "build/$1" "$2" >"$work/linked/$3.json"; }

# copy_licences LIST FOLDER: the licence of hkpd, and the texts of all components that are compiled into a file, with the
# licences that these texts refer to.
copy_licences() {
    local component text common
    mkdir -p "$2/licences/common"
    cp LICENSE "$2/"
    cp tools/packaging/debian/copyright "$2/licences/hkpd"
    # shellcheck disable=SC2016
    python3 -c '
import json, sys
for component in json.load(open(sys.argv[1], encoding="utf-8")):
    if component["use"] != "dynamic":
        print(component["name"], component["copyright"])
' "$1" >"$work/texts"
    while read -r component text; do
        [[ -r $text ]] || { echo "$text is missing: the licence of $component must be in the archive"; return 1; }
        cp "$text" "$2/licences/$component"
    done <"$work/texts"
    # Text may be followed by the full stop of a sentence, and a name without version is a link.
    for common in /usr/share/common-licenses/*; do
        if grep -rqE "$common([^-0-9A-Za-z]|\$)" "$2/licences"; then cp "$common" "$2/licences/common/"; fi
    done
}

# ordered FOLDER: the paths of all files below, always in the same order.
ordered() { (cd "$1" && find "$2" -type f | sort); }

pack_linux() {
    local folder=$work/packed/$linux_name
    mkdir -p "$folder" &&
        DESTDIR=$folder cmake --install build/static --prefix / --component command &&
        copy_licences "$work/linked/$linux_name.tar.gz.json" "$folder" &&
        tar -C "$work/packed" --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
            --mtime="@$SOURCE_DATE_EPOCH" -cf - "$linux_name" | gzip -9n >"$output/$linux_name.tar.gz"
}

pack_windows() {
    local folder=$work/packed/$windows_name
    mkdir -p "$folder" &&
        cp build/windows/tools/hkpd.exe build/static/tools/share/powershell/hkpd.ps1 "$folder/" &&
        copy_licences "$work/linked/$windows_name.zip.json" "$folder" || return
    find "$folder" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
    ordered "$work/packed" "$windows_name" | (cd "$work/packed" && zip -9 -X -q "$output/$windows_name.zip" -@)
}

# The symbols of libhkpd.so.1 are those of tools/packaging/debian/libhkpd1.symbols: dpkg-gensymbols fails otherwise.
pack_debian() {
    cpack -G DEB --config build/release/CPackConfig.cmake -B "$work/debs" && mv "$work"/debs/*.deb "$output/"
}
