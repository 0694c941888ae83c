#!/usr/bin/env bash
# fresh.sh [--user] [--bare] RELEASE [SHARED [COMMAND...]]: runs the two commands of the README in a clone of this
# repository's HEAD on a minimal system of a release of Debian, without installed packages or a warm compiler cache, and
# prints the seconds that each took once its packages were installed. SHARED: a folder next to the clone there; `-` for none, the default.
# COMMAND: runs this in the clone instead of tests/run.sh. --user: as a user with sudo instead of root. --bare: as in a
# small container, /dev has neither pseudo-terminals nor shared memory. Runs in namespaces of its own, so that no
# mount and no process remains. Exits with 77 if it cannot be run.
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(realpath "$here/../..")
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
PATH=$PATH:/usr/sbin:/sbin

# shellcheck source=tests/missing.sh
source "$root/tests/missing.sh"
arguments=("$@")
login=root bare=
while [[ ${1:-} == --* ]]; do
    case $1 in
    --user) login=tester ;;
    --bare) bare=yes ;;
    *) set -- ;;
    esac
    shift || true
done
(($# >= 1)) || {
    echo "usage: fresh.sh [--user] [--bare] RELEASE [SHARED [COMMAND...]]" >&2
    exit 2
}
needs_root "debootstrap"
needs_program debootstrap unshare git
if [[ -z ${HKPD_OWN_NAMESPACE:-} ]]; then
    HKPD_OWN_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child "${BASH_SOURCE[0]}" "${arguments[@]}"
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
    chroot --userspec="$login:$login" "$system" /usr/bin/env -i HOME="$home" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
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

# The devices that every system has, and no more.
make_bare_devices() {
    local device
    mount -t tmpfs -o mode=755 tmpfs "$system/dev"
    for device in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "$system/dev/${device%:*}" c 1 "${device#*:}"; done
    ln -s /proc/self/fd "$system/dev/fd"
    for device in stdin:0 stdout:1 stderr:2; do ln -s "/proc/self/fd/${device#*:}" "$system/dev/${device%:*}"; done
}

make_system "$release" >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
}
mount -t proc proc "$system/proc"
if [[ -z $bare ]]; then mount --rbind /dev "$system/dev"; else make_bare_devices; fi
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
home=/root
if [[ $login != root ]]; then
    home=/home/$login
    chroot "$system" apt-get -qq install -y --no-install-recommends sudo >/dev/null
    chroot "$system" useradd -m "$login"
    echo "$login ALL=(ALL) NOPASSWD: ALL" >"$system/etc/sudoers.d/$login"
    chroot "$system" chown -R "$login:$login" /src/hkpd
fi

timed "packages" fresh tools/install-packages.sh build
timed "tools/quickstart.sh" fresh tools/quickstart.sh
timed "$*" fresh "$@"
