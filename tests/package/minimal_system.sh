# shellcheck shell=bash
# Shared by the scripts that test hkpd on a fresh system. Source it from a script that has a folder of its own,
# `folder`, and the path of a system to create in it, `system`.

# make_system RELEASE [ARCHITECTURE]: unpacks a minimal system of a release of Debian, by default for this machine's
# architecture. The result of debootstrap is kept in the user's cache directory for a week, so that its package lists
# match the archive.
make_system() {
    local release=$1 architecture=${2:-$(dpkg --print-architecture)} site kept
    kept=${XDG_CACHE_HOME:-$HOME/.cache}/hkpd/$release-$architecture.tar
    # shellcheck disable=SC2016
    site=$(apt-get indextargets --format '$(CODENAME) $(SITE)' 'Created-By: Packages' |
        sed -n "s/^$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release) //p" | head -n 1)
    if [[ -z $(find "$kept" -mtime -7 2>/dev/null) ]]; then
        mkdir -p "$(dirname "$kept")"
        debootstrap --variant=minbase --arch="$architecture" "$release" "${system:?}" "$site"
        chroot "$system" apt-get clean
        tar -C "$(dirname "$system")" -cf "$kept.part" "$(basename "$system")"
        mv "$kept.part" "$kept"
    else
        tar -C "$(dirname "$system")" -xf "$kept"
    fi
    cp /etc/resolv.conf "$system/etc/"
    apt-config dump | grep '^Acquire::http.*Proxy' >"$system/etc/apt/apt.conf.d/proxy" || true
}
