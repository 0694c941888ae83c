#!/usr/bin/env bash
# wine.sh PROGRAM.exe [ARGUMENT]...: runs a Windows program under Wine, in a prefix of its own (build/windows/wine, or what
# WINEPREFIX says), without windows and without Wine's own messages.
set -euo pipefail
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Names of files that are not ASCII want UTF-8.
export LC_ALL=C.UTF-8 WINEPREFIX=${WINEPREFIX:-$root/build/windows/wine} WINEDEBUG=${WINEDEBUG:--all}
# Neither a helper for .NET nor one for HTML is asked for, and no menu entries are made.
export WINEDLLOVERRIDES=${WINEDLLOVERRIDES:-mscoree,mshtml,winemenubuilder.exe=}
unset DISPLAY WAYLAND_DISPLAY

# Debian's wine is a script that has a word to say each time where there is no 32-bit Wine.
for wine in wine64 /usr/lib/wine/wine64 wine; do
    command -v "$wine" >/dev/null && break
done
for server in wineserver64 /usr/lib/wine/wineserver64 wineserver; do
    command -v "$server" >/dev/null && break
done
# Wine's server stays for a minute behind the last program. Debian's would end with it, and whatever starts at that
# moment meets a server that goes. Where one runs already it fails, and nothing is to be done. The first program of a
# server makes the prefix, and Wine's services, which have its standard output until the server ends: it is none that
# somebody waits for the end of.
mkdir -p "$WINEPREFIX"
(
    flock 9
    if "$server" -p60 9>&-; then "$wine" cmd /c exit 9>&-; fi
) </dev/null >/dev/null 2>&1 9>"$WINEPREFIX/lock" || true
exec "$wine" "$@"
