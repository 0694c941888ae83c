#!/usr/bin/env bash
# wine.sh [WINDOWS_BUILD [LINUX_BUILD]]: hkpd.exe on the performance counters of a Wine that has this project's own
# providers, and what it captured there compared on Linux with what they put in. In a prefix of its own, of which
# nothing is left behind. A line for each check, and all its output where it fails.
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
# shellcheck source=tools/common.sh
source "$root/tools/common.sh"

windows=$(realpath "${1:-$root/build/windows}")
linux=$(realpath "${2:-$root/build/release}")
wine=/usr/lib/wine/wine64
wineserver=/usr/lib/wine/wineserver64

work=$(mktemp -d)
export WINEPREFIX=$work/prefix WINEARCH=win64 WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' LC_ALL=C.UTF-8
unset DISPLAY WAYLAND_DISPLAY HKPD_ALPHA HKPD_BETA
passed=0
failed=0

# Processes of this prefix. (Of bash and grep themselves the environment would count too.)
processes() { env -u WINEPREFIX grep -lzsx "WINEPREFIX=$WINEPREFIX" /proc/[0-9]*/environ || true; }
end_wine() {
    "$wineserver" -k || true
    "$wineserver" -w
}
clean_up() {
    if [[ -d $WINEPREFIX ]]; then end_wine; fi
    rm -rf "$work"
}
trap clean_up EXIT

# check NAME COMMAND...: Wine loses a process now and then, so there is a second try, and the line says so.
check() {
    local name=$1 start=$SECONDS result=ok
    shift
    if "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    elif quietly "$work/log" "$@"; then
        passed=$((passed + 1))
        name+=' (2nd try)'
    else
        result=FAILED
        failed=$((failed + 1))
    fi
    printf '%-7s %-32s %4d s  %s\n' "$result" "$name" $((SECONDS - start)) \
        "$(sed -n 's/^remark: //p' "$work/log" | paste -sd ';')"
}

# hkpd.exe, and the hkpd and the checker of this machine.
hkpd_exe() { timeout --kill-after=5 60 "$wine" "$windows/tools/hkpd.exe" "$@"; }
capture() { hkpd_exe capture --live "$@"; }
sample() { capture --v1 --count 1 "$@"; }
hkpd() { "$linux/tools/hkpd" "$@"; }
check_capture() { "$linux/tests/live/check_capture" "$@" | sed '/: [0-9]* samples, /s/^/remark: /'; }
# The KiB that hkpd.exe has in memory; nothing where it does not run.
resident() {
    local file
    for file in $(processes); do
        if grep -qsx hkpd.exe "${file%/environ}/comm"; then
            awk '/^VmRSS/ { print $2 }' "${file%/environ}/status"
            return
        fi
    done
}
# interrupted SECONDS ARGUMENT...: hkpd.exe runs for so long, gets a Ctrl-C (Wine makes one of SIGINT), and has five
# seconds to end.
interrupted() {
    local seconds=$1 pid
    shift
    "$wine" "$windows/tools/hkpd.exe" "$@" &
    pid=$!
    until [[ -n $(resident) ]] || ! kill -0 "$pid"; do sleep 0.1; done
    sleep "$seconds"
    kill -INT "$pid"
    timeout 5 tail --pid="$pid" -f /dev/null || kill -KILL "$pid"
    wait "$pid"
}
# The command may find its input damaged, which some providers' is.
good_or_damaged() { "$@" || (($? == 1)); }
# says TEXT COMMAND...: the command prints the text; how it ends does not matter.
says() {
    local text=$1
    shift
    "$@" >"$work/said" 2>&1 || true
    cat "$work/said"
    grep -qF -- "$text" "$work/said" || {
        echo "it does not say: $text"
        return 1
    }
}
# The values of a dump without their times.
values() { tr -d '\r' | sed 's/^[^,]*,//'; }

# The server stays between the checks.
make_prefix() {
    mkdir "$WINEPREFIX" && "$wineserver" -p && "$wine" wineboot -i &&
        "$wine" reg add 'HKLM\Software\Microsoft\Windows NT\CurrentVersion\AeDebug' /v Debugger /t REG_SZ /d false /f
}
# Wine's own provider loads a printer driver for each sample, which starts a desktop, and waits ten seconds for it.
register_providers() {
    "$wine" reg delete 'HKLM\System\CurrentControlSet\Services\Spooler\Performance' /f || true
    "$wine" regsvr32 /s "$windows/tests/live/provider_alpha.dll" &&
        "$wine" regsvr32 /s "$windows/tests/live/provider_beta.dll"
}

one_sample() { sample -o one.mcap && check_capture one.mcap samples=1 alpha beta; }
# The first sample of a process is the same for each.
dump_live() {
    hkpd_exe dump --live --format csv >live.csv &&
        hkpd dump one.mcap --format csv | values >expected.csv &&
        values <live.csv | diff expected.csv -
}
chosen_objects() {
    capture --v1 --object 3110 --object 4100 --object 4130 --count 2 --interval 0.1 -o chosen.mcap &&
        check_capture chosen.mcap samples=2 alpha:100,110 beta:100,130
}
# More than the first buffer holds.
costly_objects() { sample --query Costly -o costly.mcap && check_capture costly.mcap samples=1 alpha:150 beta:150; }

sixty_samples() {
    local pid early late
    capture --v1 --count 60 --interval 0.1 --flush 1 -o sixty.mcap &
    pid=$!
    sleep 2.5
    early=$(resident)
    sleep 3
    late=$(resident)
    wait "$pid" && check_capture sixty.mcap samples=60 interval=0.1 alpha beta &&
        echo "remark: $early KiB in memory, later $late KiB" && ((late - early <= 1024))
}

failing_provider() {
    HKPD_ALPHA=fail sample -o failing.mcap && check_capture failing.mcap samples=1 beta
}
refusing_provider() {
    HKPD_BETA=more_data:7 capture --v1 --count 3 --interval 0.1 -o refusing.mcap &&
        check_capture refusing.mcap samples=3 alpha beta
}
# What the other provider gives is not lost.
lying_provider() {
    local lie
    for lie in odd_length extra_objects object_too_long object_too_short cut; do
        echo "$lie"
        HKPD_BETA=$lie good_or_damaged sample -o lying.mcap &&
            good_or_damaged hkpd dump lying.mcap --format csv >lying.csv &&
            diff <(values <lying.csv | grep '^[^,]*,v1,,3') <(grep '^[^,]*,v1,,3' expected.csv) || return 1
    done
}
slow_provider() {
    HKPD_ALPHA=slow:250 says 'samples were due' capture --v1 --count 5 --interval 0.1 -o slow.mcap &&
        check_capture slow.mcap alpha beta
}
hanging_provider() {
    HKPD_ALPHA=hang:1 says 'did not return' interrupted 2 dump --live && [[ -z $(resident) ]]
}
# What came before is all there.
later_hanging_provider() {
    HKPD_BETA=hang:4 says 'did not return' interrupted 3 capture --live --v1 --interval 0.1 -o hanging.mcap &&
        check_capture hanging.mcap samples=3 alpha beta && [[ -z $(resident) ]]
}
interrupted_capture() {
    interrupted 2 capture --live --v1 --interval 0.1 -o interrupted.mcap &&
        check_capture interrupted.mcap interval=0.1 alpha beta
}
interrupted_replay() { interrupted 3 replay --live --object 3110 && [[ -z $(resident) ]]; }

perflib() { hkpd_exe "$@" --perflib "$windows/tests/live/live_perflib.dll"; }
own_perflib() {
    perflib capture --live --v2 --count 3 --interval 1 -o perflib.mcap &&
        check_capture perflib.mcap samples=3 interval=1 perflib
}
both_doors() {
    perflib capture --live --both --count 3 --interval 1 -o both.mcap &&
        check_capture both.mcap samples=3 alpha beta perflib
}
# The counterset and the object that is the same have different names for Wine, which has no titles: the index that the
# registry tells joins them, and titles from a file do so for their counters.
compare_live() {
    local key='HKLM\Software\Microsoft\Windows NT\CurrentVersion\Perflib\_V2Providers'
    key+='\{6b7d5f1e-0c0d-4a54-9a3c-5d6e1f8a0001}\{6b7d5f1e-0c0d-4a54-9a3c-5d6e1f8a0014}'
    printf '%s\n' 3164 Level 3166 Total >counter-009.txt
    "$wine" reg add "$key" /v 'First Counter' /t REG_DWORD /d 3160 /f &&
        perflib compare --live --count 2 --titles counter-009.txt --all
}
# Wine's own functions: some, and they have nothing.
wine_perflib() { says PerfEnumerateCounterSet capture --v2 --count 1 -o none.mcap && [[ ! -e none.mcap ]]; }

nothing_left() {
    end_wine
    local left
    left=$(processes)
    if [[ -n $left ]]; then
        echo "still running: $left"
        return 1
    fi
}

for file in "$windows"/{tools/hkpd.exe,tests/live/{provider_alpha,provider_beta,live_perflib}.dll} \
    "$linux"/{tools/hkpd,tests/live/check_capture} "$wine" "$wineserver"; do
    if [[ ! -e $file ]]; then
        echo "wine.sh: $file is not there" >&2
        exit 3
    fi
done
cd "$work"
check 'a new prefix' make_prefix
check 'providers registered' register_providers
check 'one sample' one_sample
check 'dump --live' dump_live
check 'objects by number' chosen_objects
check 'costly objects' costly_objects
check 'sixty samples' sixty_samples
check 'a provider that fails' failing_provider
check 'a provider that wants more room' refusing_provider
check 'a provider that lies' lying_provider
check 'a provider that is slow' slow_provider
check 'a provider that hangs' hanging_provider
check 'a provider that hangs later' later_hanging_provider
check 'Ctrl-C ends a capture' interrupted_capture
check 'Ctrl-C ends a replay' interrupted_replay
check 'a PerfLib of our own' own_perflib
check 'both doors' both_doors
check 'compare --live' compare_live
check 'the PerfLib of Wine' wine_perflib
check 'nothing left behind' nothing_left

echo "$passed passed, $failed failed"
((failed == 0))
