#!/usr/bin/env bash
# fresh.sh RELEASE [SHARED [COMMAND...]]: runs the two commands of the README in a clone of this repository's HEAD on a
# minimal system of a release of Debian, without installed packages or a warm compiler cache, and prints the seconds
# that each took once its packages were installed. SHARED: a folder next to the clone there; `-` for none, the default.
# COMMAND: runs this in the clone instead of tests/run.sh. Runs in namespaces of its own, so that no mount and no
# process remains. Exits with 77 if it cannot be run.
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(realpath "$here/../..")
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
PATH=$PATH:/usr/sbin:/sbin

unable() {
    printf 'fresh.sh: %s\n' "$*" >&2
    exit 77
}
(($# >= 1)) || {
    echo "usage: fresh.sh RELEASE [SHARED [COMMAND...]]" >&2
    exit 2
}
((EUID == 0)) || unable "debootstrap runs as root only"
for command in debootstrap unshare git; do
    command -v "$command" >/dev/null || unable "$command is not installed (packages debootstrap, util-linux, git)"
done
if [[ -z ${HKPD_OWN_NAMESPACE:-} ]]; then
    HKPD_OWN_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child "${BASH_SOURCE[0]}" "$@"
fi
release=$1
shared=${2:--}
shift $(($# < 2 ? $# : 2))
(($# > 0)) || set -- tests/run.sh

folder=$(mktemp -d)
trap 'umount -R "$system/dev" "$system/proc" ${shared_mount:-} 2>/dev/null; rm -rf --one-file-system "$folder"' EXIT
system=$folder/system
source "$here/minimal_system.sh"

# fresh COMMAND...: runs it in the clone there, with a fresh login's environment.
fresh() {
    chroot "$system" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive ${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS=/etc/node-ca.crt} \
        sh -c 'cd /src/hkpd && exec "$@"' sh "$@"
}
# timed NAME COMMAND...
timed() {
    local name=$1 start=$SECONDS
    shift
    "$@" || {
        echo "$release: $name failed after $((SECONDS - start)) s" >&2
        exit 1
    }
    printf '%-10s %-32s %5d s\n' "$release" "$name" $((SECONDS - start))
}

make_system "$release" >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
}
mount -t proc proc "$system/proc"
mount --rbind /dev "$system/dev"
if [[ -n ${NODE_EXTRA_CA_CERTS:-} ]]; then cp "$NODE_EXTRA_CA_CERTS" "$system/etc/node-ca.crt"; fi
mkdir -p "$system/src"
git clone -q --no-hardlinks "$root" "$system/src/hkpd"
if [[ $shared != - ]]; then
    shared_mount=$system/src/shared
    mkdir "$shared_mount"
    mount --bind "$shared" "$shared_mount"
fi
# The requirements of the page: git and apt.
chroot "$system" apt-get -qq update
chroot "$system" apt-get -qq install -y --no-install-recommends git ca-certificates >/dev/null

timed "packages" fresh tools/install-packages.sh build
timed "tools/quickstart.sh" fresh tools/quickstart.sh
timed "$*" fresh "$@"
