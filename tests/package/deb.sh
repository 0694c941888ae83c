#!/usr/bin/env bash
# deb.sh [--install] [BUILD_TREE]: makes the Debian packages of a build tree (build/release) and checks them with
# lintian. --install: also installs the command and the shared library in a minimal system (chroot.sh). Exits with 77 if
# it cannot be run. Wants the packages dpkg-dev, lintian, and those of chroot.sh.
set -euo pipefail
install=
if [[ ${1:-} == --install ]]; then
    install=1
    shift
fi
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(realpath "${1:-$here/../../build/release}")
export LC_ALL=C.UTF-8

# shellcheck source=tests/missing.sh
source "$here/../missing.sh"
needs_program cpack dpkg-shlibdeps lintian
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cpack -G DEB --config "$tree/CPackConfig.cmake" -B "$folder" >"$folder/log" 2>&1 || {
    cat "$folder/log"
    exit 1
}
lintian --fail-on error "$folder"/*.deb 2>"$folder/message" || {
    cat "$folder/message"
    exit 1
}
printf 'ok      lintian\n'
if [[ -n $install ]]; then "$here/chroot.sh" "$folder"/hkpd_*.deb "$folder"/libhkpd1_*.deb; fi
