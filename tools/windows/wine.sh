#!/usr/bin/env bash
# wine.sh PROGRAM.exe [ARGUMENT]...: runs a Windows program under Wine in a separate prefix (build/windows/wine, or
# WINEPREFIX), without windows and without Wine's own messages. A test program that Wine occasionally fails to start is
# started again, with a message; the exit status of a program that was started is never changed.
set -euo pipefail
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/windows/starts.sh"
# Non-ASCII file names require UTF-8.
export LC_ALL=C.UTF-8 WINEPREFIX=${WINEPREFIX:-$root/build/windows/wine} WINEDEBUG=${WINEDEBUG:--all}
# Installs neither Mono nor Gecko, and creates no menu entries.
export WINEDLLOVERRIDES=${WINEDLLOVERRIDES:-mscoree,mshtml,winemenubuilder.exe=}
unset DISPLAY WAYLAND_DISPLAY

# Debian's wine is a script that prints a message each time if 32-bit Wine is missing.
for wine in wine64 /usr/lib/wine/wine64 wine; do
    command -v "$wine" >/dev/null && break
done
for server in wineserver64 /usr/lib/wine/wineserver64 wineserver; do
    command -v "$server" >/dev/null && break
done
# Keeps Wine's server running for a minute after the last program. Debian's server would exit with that program, and a
# program started at that moment would fail. If a server is running already, the command fails and nothing
# needs to be done. The first program of a server creates the prefix and starts Wine's services, which keep the
# program's standard output open until the server ends. So it must not be a program whose output is waited for.
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

# Files instead of pipes, because Wine's services may keep them open after the program ends.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Only test programs are started again: they always print something, which hkpd.exe does not with every subcommand.
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
