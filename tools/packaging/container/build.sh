#!/usr/bin/env bash
# build.sh RELEASE [TAG]: builds the container image of the static command from a folder with the files of a release
# (tools/release.sh), after comparing the checksum, with buildah, podman or docker (or HKPD_BUILDER). TAG: hkpd:VERSION by
# default. build.sh --context RELEASE FOLDER: only writes the folder from which the image is built.
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)

fail() {
    printf 'build.sh: %s\n' "$*" >&2
    exit 1
}
usage() {
    echo "usage: build.sh RELEASE [TAG] | build.sh --context RELEASE FOLDER" >&2
    exit 2
}

# make_context RELEASE FOLDER: also sets `version`.
make_context() {
    local archive zones=/usr/share/zoneinfo
    archive=$(find "$1" -maxdepth 1 -name 'hkpd-*-linux-x86_64.tar.gz' -printf '%f\n')
    [[ $archive == hkpd-*.tar.gz && $archive != *$'\n'* ]] ||
        fail "$1: expected one file hkpd-VERSION-linux-x86_64.tar.gz, found ${archive:-none}"
    version=${archive#hkpd-}
    version=${version%-linux-x86_64.tar.gz}
    (cd "$1" && grep -F "  $archive" SHA256SUMS | sha256sum --check --status) ||
        fail "$1/$archive is not the file in SHA256SUMS: fetch both again"
    [[ -e $zones/Etc/UTC ]] || fail "$zones is missing: install the package tzdata"
    mkdir -p "$2"
    tar -C "$2" -xzf "$1/$archive" --strip-components 1
    mv "$2/bin/hkpd" "$2/hkpd"
    # Without the copies of all zones, which count leap seconds or do not, and the files of other programs.
    mkdir "$2/zoneinfo"
    tar -C "$zones" --exclude=./right --exclude=./posix --exclude=./posixrules --exclude=./localtime -chf - . |
        tar -C "$2/zoneinfo" -xf -
    cp "$here/Containerfile" "$2/"
}

if [[ ${1:-} == --context ]]; then
    (($# == 3)) || usage
    make_context "$2" "$3"
    exit
fi
(($# == 1 || $# == 2)) || usage
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
make_context "$1" "$folder"
tag=${2:-hkpd:$version}

builders=(buildah podman docker)
if [[ -n ${HKPD_BUILDER:-} ]]; then builders=("$HKPD_BUILDER"); fi
for builder in "${builders[@]}"; do
    command -v "$builder" >/dev/null || continue
    case $builder in
    docker) docker build --label "org.opencontainers.image.version=$version" --tag "$tag" --file "$folder/Containerfile" "$folder" ;;
    *)
        "$builder" build --label "org.opencontainers.image.version=$version" --timestamp "${SOURCE_DATE_EPOCH:-0}" \
            --tag "$tag" --file "$folder/Containerfile" "$folder"
        ;;
    esac
    exit
done
fail "none of ${builders[*]} is installed"
