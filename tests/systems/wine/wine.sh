#!/usr/bin/env bash
# wine.sh [WINDOWS_BUILD [LINUX_BUILD]]: captures the performance counters of a Wine with this project's own providers
# by hkpd.exe, and compares the result on Linux with the providers' values. In a prefix of its own, of which nothing
# remains. Prints a line for each check, and all its output if it fails. A program that Wine did not start is started
# again, which the line states; the result of a program that ran is never retried. Nothing depends on how busy the
# machine is: a condition that does not hold within `timeout_s` seconds is printed.
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../..")
# shellcheck source=tools/common.sh
source "$root/tools/common.sh"
# shellcheck source=tools/windows/starts.sh
source "$root/tools/windows/starts.sh"

windows=$(realpath "${1:-$root/build/windows}")
linux=$(realpath "${2:-$root/build/release}")
wine=/usr/lib/wine/wine64
wineserver=/usr/lib/wine/wineserver64

work=$(mktemp -d)
export WINEPREFIX=$work/prefix WINEARCH=win64 WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' LC_ALL=C.UTF-8
unset DISPLAY WAYLAND_DISPLAY HKPD_ALPHA HKPD_BETA
passed=0
failed=0
timeout_s=300 # only a hang takes longer

# Processes of this prefix. (Matching the environment of bash and grep themselves would count them too.)
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

# check NAME COMMAND...
check() {
    local name=$1 start=$SECONDS result=ok
    shift
    if quietly "$work/log" "$@"; then
        passed=$((passed + 1))
    else
        result=FAILED
        failed=$((failed + 1))
    fi
    printf '%-7s %-32s %4d s  %s\n' "$result" "$name" $((SECONDS - start)) \
        "$({ sed -n 's/^remark: //p' "$work/log"; cat "$work/starts" 2>/dev/null; } | paste -sd ';')"
    rm -f "$work/starts"
}

# wait_for WHAT CONDITION...: waits until the condition, a command, holds.
wait_for() {
    local what=$1 end=$((SECONDS + timeout_s))
    shift
    until "$@" >/dev/null 2>&1; do
        if ((SECONDS > end)); then
            echo "waited $timeout_s s until $what" >&2
            return 1
        fi
        sleep 0.05
    done
}

# again STATUS: whether Wine did not start hkpd.exe, which ended with this status and has printed the files out and err.
# Every command used here prints something, whatever its result.
again() {
    not_started "$1" "$work/out" "$work/err" || return 1
    echo "not started at first, with status $1" >>"$work/starts"
    sleep 1
}
# Runs hkpd.exe to its end.
hkpd_exe() {
    local status
    for _ in 1 2 3 4 5; do
        status=0
        timeout --kill-after=5 "$timeout_s" "$wine" "$windows/tools/hkpd.exe" "$@" >"$work/out" 2>"$work/err" || status=$?
        if ((status == 124)); then echo "hkpd.exe did not end within $timeout_s s" >>"$work/err"; fi
        if ! again "$status"; then break; fi
    done
    cat "$work/err" >&2
    cat "$work/out"
    return "$status"
}
# The hkpd and the checker of this machine.
capture() { hkpd_exe capture --live "$@"; }
sample() { capture --v1 --count 1 "$@"; }
hkpd() { "$linux/tools/hkpd" "$@"; }
check_capture() { "$linux/tests/systems/wine/check_capture" "$@" | sed '/: [0-9]* samples, /s/^/remark: /'; }
# The memory of hkpd.exe in KiB; nothing if it is not running.
resident() {
    local file
    for file in $(processes); do
        if grep -qsx hkpd.exe "${file%/environ}/comm"; then
            awk '/^VmRSS/ { print $2 }' "${file%/environ}/status"
            return
        fi
    done
}
not_resident() { [[ -z $(resident) ]]; }
is_running() { kill -0 "$running" 2>/dev/null; }
has_ended() { ! is_running; }

holds_or_ended() { "$1" || has_ended; }
# begin CONDITION ARGUMENT...: starts hkpd.exe as `running`, and waits until the condition, a function, holds.
begin() {
    local condition=$1 status
    shift
    for _ in 1 2 3 4 5; do
        "$wine" "$windows/tools/hkpd.exe" "$@" >"$work/out" 2>"$work/err" &
        running=$!
        wait_for "there is $condition" holds_or_ended "$condition" || {
            kill -KILL "$running"
            return 1
        }
        if is_running; then return; fi
        status=0
        wait "$running" || status=$?
        if ! again "$status"; then break; fi
    done
    cat "$work/out" "$work/err"
    echo "hkpd.exe ended before there was $condition" >&2
    return 1
}
# end_it: sends the running program a Ctrl-C (Wine turns SIGINT into one) and waits for its end.
end_it() {
    local status=0
    kill -INT "$running"
    wait_for "hkpd.exe ends after Ctrl-C" has_ended || kill -KILL "$running"
    wait "$running" || status=$?
    cat "$work/out" "$work/err"
    return "$status"
}
# interrupted CONDITION ARGUMENT...: runs hkpd.exe until the condition holds, and ends it by Ctrl-C.
interrupted() {
    if begin "$@"; then end_it; else return 1; fi
}
# Conditions.
output() { [[ -s $work/out ]]; }
a_provider_that_hangs() { [[ -e hanging ]]; }
# has_samples FILE N: whether a capture, complete or not, has at least N samples.
has_samples() {
    (($(hkpd replay --format csv --object 3110 "$1" 2>/dev/null | tail -n +2 | cut -d , -f 1 | uniq | wc -l) >= $2))
}
# The command may find damage in its input, as with some providers.
good_or_damaged() { "$@" || (($? == 1)); }
# prints TEXT COMMAND...: the command prints the text; its exit code does not matter.
prints() {
    local text=$1
    shift
    "$@" >"$work/messages" 2>&1 || true
    cat "$work/messages"
    grep -qF -- "$text" "$work/messages" || {
        echo "it does not print: $text"
        return 1
    }
}
# The values of a dump without their times.
values() { tr -d '\r' | sed 's/^[^,]*,//'; }

# wine_tool PROGRAM ARGUMENT...: runs a program of Wine that prepares a check, and prints something on success. It is
# retried whatever its result, since it is not under test.
wine_tool() {
    for _ in 1 2 3; do
        if "$wine" "$@" >"$work/out" && [[ -s $work/out ]]; then return; fi
        echo "$1 did not work at first" >>"$work/starts"
        sleep 1
    done
    echo "Wine's $1 fails: $*" >&2
    return 1
}
# The server keeps running between the checks.
make_prefix() {
    mkdir "$WINEPREFIX" && "$wineserver" -p && "$wine" wineboot -i &&
        wine_tool reg add 'HKLM\Software\Microsoft\Windows NT\CurrentVersion\AeDebug' /v Debugger /t REG_SZ /d false /f
}
# Wine's own provider loads a printer driver for each sample, which starts a desktop, and waits ten seconds for it.
register_providers() {
    wine_tool reg delete 'HKLM\System\CurrentControlSet\Services\Spooler\Performance' /f || true
    wine_tool regsvr32 "$windows/tests/systems/wine/provider_alpha.dll" &&
        wine_tool regsvr32 "$windows/tests/systems/wine/provider_beta.dll"
}

one_sample() { sample -o one.mcap && check_capture one.mcap samples=1 alpha beta; }
# The first sample of a process is always the same.
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

twenty_of_them() { has_samples sixty.mcap 20; }
sixty_of_them() { has_samples sixty.mcap 60 || has_ended; }
# After a while it takes no more memory.
sixty_samples() {
    local early late
    begin twenty_of_them capture --live --v1 --interval 0.1 --flush 1 -o sixty.mcap || return 1
    early=$(resident)
    wait_for "there are sixty samples" sixty_of_them
    late=$(resident)
    end_it && check_capture sixty.mcap samples=60+ interval=0.1 alpha beta &&
        echo "remark: $early KiB in memory, later $late KiB" && ((late - early <= 1024))
}

failing_provider() {
    HKPD_ALPHA=fail sample -o failing.mcap && check_capture failing.mcap samples=1 beta
}
refusing_provider() {
    HKPD_BETA=more_data:7 capture --v1 --count 3 --interval 0.1 -o refusing.mcap &&
        check_capture refusing.mcap samples=3 alpha beta
}
# The other provider's data is not lost.
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
    HKPD_ALPHA=slow:250 prints 'samples that were due' capture --v1 --count 5 --interval 0.1 -o slow.mcap &&
        check_capture slow.mcap alpha beta
}
hanging_provider() {
    rm -f hanging
    HKPD_ALPHA=hang:1 prints 'did not return' interrupted a_provider_that_hangs dump --live &&
        wait_for "hkpd.exe is gone" not_resident
}
# All earlier samples are complete.
later_hanging_provider() {
    rm -f hanging
    HKPD_BETA=hang:4 prints 'did not return' interrupted a_provider_that_hangs capture --live --v1 --interval 0.1 \
        -o hanging.mcap &&
        check_capture hanging.mcap samples=3 alpha beta && wait_for "hkpd.exe is gone" not_resident
}
ten_samples() { has_samples interrupted.mcap 10; }
interrupted_capture() {
    interrupted ten_samples capture --live --v1 --interval 0.1 --flush 0.5 -o interrupted.mcap &&
        check_capture interrupted.mcap samples=10+ interval=0.1 alpha beta
}
interrupted_replay() {
    interrupted output replay --live --object 3110 && wait_for "hkpd.exe is gone" not_resident
}

perflib() { hkpd_exe "$@" --perflib "$windows/tests/systems/wine/live_perflib.dll"; }
own_perflib() {
    perflib capture --live --v2 --count 10 --interval 0.3 -o perflib.mcap &&
        check_capture perflib.mcap samples=10 interval=0.3 perflib
}
both_interfaces() {
    perflib capture --live --both --count 3 --interval 1 -o both.mcap &&
        check_capture both.mcap samples=3 alpha beta perflib
}
# Wine has no titles, so it names the same counterset and object differently: the index in the registry joins them, and
# titles from a file do so for their counters.
compare_live() {
    local key='HKLM\Software\Microsoft\Windows NT\CurrentVersion\Perflib\_V2Providers'
    key+='\{6b7d5f1e-0c0d-4a54-9a3c-5d6e1f8a0001}\{6b7d5f1e-0c0d-4a54-9a3c-5d6e1f8a0014}'
    printf '%s\n' 3164 Level 3166 Total >counter-009.txt
    "$wine" reg add "$key" /v 'First Counter' /t REG_DWORD /d 3160 /f &&
        perflib compare --live --count 2 --titles counter-009.txt --all
}
# Wine's own functions: there are some, and they have no data.
wine_perflib() { prints PerfEnumerateCounterSet capture --v2 --count 1 -o none.mcap && [[ ! -e none.mcap ]]; }

# Processes that Wine's server has ended take a moment to go.
no_process() { [[ -z $(processes) ]]; }
nothing_left() {
    end_wine
    wait_for "no process of the prefix runs" no_process || {
        echo "still running: $(processes)"
        return 1
    }
}

for file in "$windows"/{tools/hkpd.exe,tests/systems/wine/{provider_alpha,provider_beta,live_perflib}.dll} \
    "$linux"/{tools/hkpd,tests/systems/wine/check_capture} "$wine" "$wineserver"; do
    if [[ ! -e $file ]]; then
        echo "wine.sh: $file is missing" >&2
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
check 'a provider that wants a larger buffer' refusing_provider
check 'a provider that lies' lying_provider
check 'a provider that is slow' slow_provider
check 'a provider that hangs' hanging_provider
check 'a provider that hangs later' later_hanging_provider
check 'Ctrl-C ends a capture' interrupted_capture
check 'Ctrl-C ends a replay' interrupted_replay
check 'a PerfLib of our own' own_perflib
check 'both interfaces' both_interfaces
check 'compare --live' compare_live
check 'the PerfLib of Wine' wine_perflib
check 'nothing remains' nothing_left

echo "$passed passed, $failed failed"
((failed == 0))
