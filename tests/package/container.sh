#!/usr/bin/env bash
# container.sh RELEASE: builds the image of tools/packaging/container from a release and runs the command in it: as a user without
# rights, read only, with time zones. Wants root and buildah, which needs no service: images and their layers are in a
# temporary folder. Exits with 77 if it cannot be run.
set -euo pipefail
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export LC_ALL=C.UTF-8

(($# == 1)) || {
    echo "usage: container.sh RELEASE" >&2
    exit 2
}
# shellcheck source=tests/missing.sh
source "$root/tests/missing.sh"
needs_root "buildah"
needs_program buildah
release=$(realpath "$1")
folder=$(mktemp -d)
# Without mounts (vfs) and with chroot for isolation, so that it also runs in containers.
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot CONTAINERS_STORAGE_CONF=$folder/storage.conf HKPD_BUILDER=buildah
printf '[storage]\ndriver = "vfs"\nrunroot = "%s"\ngraphroot = "%s"\n' "$folder/run" "$folder/graph" >"$folder/storage.conf"
finish() {
    buildah rm --all >/dev/null 2>&1 || true
    rm -rf --one-file-system "$folder"
}
trap finish EXIT
# shellcheck source=tests/checks.sh
source "$root/tests/checks.sh"

build() { "$root/tools/packaging/container/build.sh" "$release" hkpd:test; }

config() { buildah inspect --type image --format "{{.OCIv1.Config.$1}}" hkpd:test; }
configuration() {
    [[ $(config User) == 65532:65532 && $(config Entrypoint) == "[/hkpd]" && $(config Cmd) == "[--help]" ]]
    [[ $(config WorkingDir) == /data ]]
}

# The root file system of the image, and nothing else, with its user and directory: as a runtime starts it.
mount_image() {
    buildah from --name test hkpd:test
    buildah mount test >mounted
    diff <(cd "$(<mounted)" && find . -maxdepth 1 -mindepth 1 | sort) <(printf '%s\n' ./data ./hkpd ./licences ./usr)
    [[ -s $(<mounted)/licences/LICENSE && -s $(<mounted)/licences/libsqlite3-dev ]]
    cp -r "$root/testdata/captures/." "$(<mounted)/data"
}
run() {
    chroot --userspec="$(config User)" --groups= "$(<mounted)" /hkpd "$@"
}
works() {
    [[ $(run --version) == "hkpd "* ]]
    run dump --format csv - <"$root/testdata/captures/big-endian.bin" | diff - "$root/testdata/golden/big-endian.csv"
    run dump --format csv /data/demo.bin >demo.csv
    grep -q '% Processor Time' demo.csv
}
has_no_rights() {
    local status=0
    run dump -o /new.txt /data/demo.bin || status=$?
    ((status == 3)) && [[ ! -e $(<mounted)/new.txt ]]
}
has_zones() {
    run dump --tz Europe/Berlin --format text /data/demo.bin >berlin
    run dump --tz Asia/Kathmandu --format text /data/demo.bin >kathmandu
    grep -E '^machine .*\+0[12]:00,' berlin
    grep -E '^machine .*\+05:45,' kathmandu
}
other_archives_are_refused() {
    mkdir damaged
    cp "$release"/hkpd-*-linux-x86_64.tar.gz "$release/SHA256SUMS" damaged/
    printf x >>"$(echo damaged/*.tar.gz)"
    if "$root/tools/packaging/container/build.sh" --context damaged context 2>message; then return 1; fi
    grep -q 'is not the file in SHA256SUMS' message
}

check "build" build
check "configuration" configuration
check "root file system" mount_image
check "command" works
check "no rights" has_no_rights
check "time zones" has_zones
check "damaged archive" other_archives_are_refused
((failed == 0))
