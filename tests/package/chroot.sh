#!/usr/bin/env bash
# chroot.sh DEB LIBRARY: checks that the packages of the command and of the shared library install on the smallest system
# of this machine's release: a working command, with manual pages and completions, and a library that the loader finds. Wants root, and Debian's packages debootstrap and groff-base. The result
# of debootstrap is kept in the user's cache directory for the next run; everything else is in a temporary folder. Runs
# in namespaces of its own, so that no mount and no process remains whatever happens. Exits with 77 if it cannot be run.
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
PATH=$PATH:/usr/sbin:/sbin

# shellcheck source=tests/missing.sh
source "$root/tests/missing.sh"

(($# == 2)) || {
    echo "usage: chroot.sh DEB LIBRARY" >&2
    exit 2
}
needs_root "debootstrap"
needs_program debootstrap groff unshare
deb=$(realpath "$1")
library=$(realpath "$2")
if [[ -z ${HKPD_OWN_NAMESPACE:-} ]]; then
    HKPD_OWN_NAMESPACE=1 exec unshare --mount --pid --fork --kill-child "${BASH_SOURCE[0]}" "$deb" "$library"
fi

folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
system=$folder/system
source "$root/tests/checks.sh"

source "$here/minimal_system.sh"
prepare_system() { make_system "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)"; }

install_package() {
    cp "$deb" "$system/tmp/"
    chroot "$system" apt-get update
    chroot "$system" apt-get install -y --no-install-recommends "/tmp/$(basename "$deb")"
}

the_command_works() {
    local sample
    [[ $(chroot "$system" hkpd --version) == "hkpd $(dpkg-deb -f "$deb" Version)"* ]]
    for sample in big-endian damaged; do
        { chroot "$system" hkpd dump --format csv - <"$root/testdata/captures/$sample.bin" || true; } |
            diff - "$root/testdata/golden/$sample.csv"
    done
}

# The command and each of its subcommands has a page, which is compressed, and groff prints no warning for it.
manual_pages() {
    local page message
    diff <(chroot "$system" hkpd --help | sed -n 's/^  \([a-z][a-z]*\)  .*/hkpd-\1.1.gz/p;$a hkpd.1.gz\nhkpd-tutorial.7.gz' | sort) \
        <(find "$system/usr/share/man" -name 'hkpd*' -printf '%f\n' | sort)
    for page in "$system"/usr/share/man/man1/hkpd*; do
        gzip -dc "$page" | groff -man -Tutf8 -P-cbou -ww -rLL=100n >"$folder/page" 2>"$folder/message"
        message=$(<"$folder/message")
        [[ -z $message ]] || { echo "$page: $message"; return 1; }
        grep -q SYNOPSIS "$folder/page"
    done
}

# Each shell's file is where the shell looks; bash, the only one installed, loads it.
completions() {
    local share=$system/usr/share
    [[ -s $share/zsh/vendor-completions/_hkpd && -s $share/fish/vendor_completions.d/hkpd.fish ]]
    # shellcheck disable=SC2016
    chroot "$system" bash -c '. /usr/share/bash-completion/completions/hkpd && complete -p hkpd'
}

# dpkg runs ldconfig for it; with all that it depends on, the loader resolves every symbol.
the_library_loads() {
    cp "$library" "$system/tmp/"
    chroot "$system" apt-get install -y --no-install-recommends "/tmp/$(basename "$library")"
    chroot "$system" ldconfig -p | grep -F 'libhkpd.so.1 '
    file=$(chroot "$system" ldconfig -p | sed -n 's/.*libhkpd.so.1 .*=> //p')
    chroot "$system" env LD_BIND_NOW=1 LD_PRELOAD="$file" cat /etc/hostname >/dev/null 2>preload
    [[ ! -s preload ]]
    [[ -s $system/var/lib/dpkg/info/libhkpd1.symbols || -s $system/var/lib/dpkg/info/libhkpd1:amd64.symbols ]]
}

it_goes_away() {
    chroot "$system" apt-get purge -y hkpd libhkpd1
    [[ -z $(find "$system/usr" -name '*hkpd*') ]]
}

check "minimal system" prepare_system
check "apt install" install_package
check "command" the_command_works
check "manual pages" manual_pages
check "completions" completions
check "shared library" the_library_loads
check "apt purge" it_goes_away
((failed == 0))
