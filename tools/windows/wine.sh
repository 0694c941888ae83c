#!/usr/bin/env bash
# wine.sh PROGRAM.exe [ARGUMENT]...: runs a Windows program under Wine, in a prefix of its own (build/windows/wine, or what
# WINEPREFIX says), without windows and without Wine's own messages. A test program that Wine did not start, which happens
# at times, is started again, which is said; how a program ends that was started is never changed.
set -euo pipefail
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/windows/starts.sh"
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
# Wine's server stays for a minute after the last program. Debian's would end with it, and whatever starts at that
# moment meets a server that goes. Where one runs already it fails, and nothing is to be done. The first program of a
# server makes the prefix, and Wine's services, which have its standard output until the server ends: it is none that
# somebody waits for the end of.
mkdir -p "$WINEPREFIX"
(
    flock 9
    if "$server" -p60 9>&-; then
        for _ in 1 2 3; do
            if "$wine" cmd /c exit 9>&-; then break; fi
            sleep 1
        done
    fi
) </dev/null >/dev/null 2>&1 9>"$WINEPREFIX/lock" || true

# Files, not pipes: Wine's services may have them for longer than the program runs.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Of the programs that are run so by ctest, each prints something whatever it comes to; of hkpd.exe not every subcommand.
attempts=1
if [[ $1 == *_tests.exe ]]; then attempts=5; fi
for ((attempt = 1; ; ++attempt)); do
    status=0
    : >"$folder/out"
    : >"$folder/err"
    "$wine" "$@" <&0 >>"$folder/out" 2>>"$folder/err" &
    program=$!
    tail -c +1 -f -s 0.1 --pid="$program" "$folder/out" &
    tail -c +1 -f -s 0.1 --pid="$program" "$folder/err" >&2 &
    wait "$program" || status=$?
    wait
    if ((attempt == attempts)) || ! not_started "$status" "$folder/out" "$folder/err"; then break; fi
    echo "wine.sh: Wine did not start $1 (status $status) at start $attempt of $attempts" >&2
    sleep 1
done
exit "$status"
