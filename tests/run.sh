#!/usr/bin/env bash
# run.sh [--all]: installs what is missing, then builds hkpd as it is shipped and runs every test of it: a line for each
# step, and all its output where it fails. What is not to be had on a machine is skipped.
# --all: also with sanitizers, fuzzers and Valgrind, beside the programs that hkpd is made to work with, installed in every
# way that there is, and for Windows, under Wine. Then, and where CI is set, nothing is skipped. Wants root.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

all=
if [[ ${1:-} == --all ]]; then
    all=all
    export CI=${CI:-1} HKPD_REQUIRE_SHARED=1
elif (($# > 0)); then
    echo "usage: run.sh [--all]" >&2
    exit 2
fi

tools/install-packages.sh "${all:-test}"
use_compiler
use_compiler_cache

jobs=$(nproc)
passed=0
failed=0

# report RESULT STEP SECONDS [REMARK]
report() { printf '%-7s %-16s %4d s%s\n' "$1" "$2" "$3" "${4:+  $4}"; }

# step NAME COMMAND...: a failure counts as one failed test.
step() {
    local name=$1 start=$SECONDS
    shift
    if quietly "build/logs/${name// /-}.log" "$@"; then
        report ok "$name" $((SECONDS - start))
    else
        report FAILED "$name" $((SECONDS - start))
        failed=$((failed + 1))
        return 1
    fi
}

# The project's own files of these name patterns, generated ones excluded.
own_files() {
    local pattern names=(-false)
    for pattern in "$@"; do names+=(-o -name "$pattern"); done
    find . -path ./build -prune -o ! -name builtin_titles.cpp \( "${names[@]}" \) -print0 | sort -z
}

check_format() { own_files '*.hpp' '*.cpp' '*.h' '*.c' | xargs -0 clang-format-19 --dry-run --Werror; }
# Not every release has clang-format 19.
format_step() {
    if [[ -n ${CI:-} ]] || command -v clang-format-19 >/dev/null; then
        step format check_format || true
    else
        report skipped format 0 "clang-format-19 is not in this system's archive"
    fi
}

# The reference readers of MCAP and of OpenMetrics, from npm and from Debian.
fetch_others() { tests/interop/install.sh && tests/openmetrics/fetch_promtool.sh; }
# Without a network the tests that need them are skipped.
fetch_step() {
    local start=$SECONDS
    if [[ -n ${CI:-} ]]; then
        step "other readers" fetch_others || true
    elif fetch_others >/dev/null 2>&1; then
        report ok "other readers" $((SECONDS - start))
    else
        report skipped "other readers" $((SECONDS - start)) "they could not be fetched"
    fi
}

build() {
    cmake --preset "$1" && cmake --build --preset "$1" --parallel "$jobs"
}

# Runs the tests of a preset and adds to the counts.
run_tests() {
    local preset=$1 start=$SECONDS result=ok counts good=0 bad=0 skipped=0 remark junit=$PWD/build/$1/junit.xml
    rm -f "$junit"
    quietly "build/logs/test-$preset.log" ctest --preset "$preset" --parallel "$jobs" --output-junit "$junit" ||
        result=FAILED
    counts=$(tests/counts.py "$junit" 2>/dev/null) || result=FAILED
    read -r good bad skipped <<<"${counts:-0 0 0}"
    # With sanitizers and under Wine a few tests say nothing, by design.
    if [[ -n ${CI:-} && $preset == release ]] && ((skipped > 0)); then result=FAILED; fi
    if [[ $result == FAILED ]] && ((bad == 0)); then bad=1; fi
    passed=$((passed + good))
    failed=$((failed + bad))
    remark="$good passed"
    if ((bad > 0)); then remark+=", $bad failed"; fi
    if ((skipped > 0)); then remark+=", $skipped skipped:"; fi
    report "$result" "test $preset" $((SECONDS - start)) "$remark"
    if ((skipped > 0)); then sed '1d;s/^/        /' <<<"$counts" | head -n 5; fi
}

# hkpd.exe, and its tests under Wine.
windows_steps() {
    step "for windows" tools/build-windows-dependencies.sh || return 0
    step "build windows" build windows || return 0
    step "hkpd.exe" check_exe build/windows/tools/hkpd.exe || true
    run_tests windows
    twice "live wine" tests/live/wine.sh
}

# Every target for a while, with a line for each (the same inputs each time: fresh ones are for the preset nightly, whose
# findings have nothing to do with the change at hand); the corpora under Valgrind; and which lines of the parsers they reach.
fuzz_steps() {
    if HKPD_FUZZ_SEED=1 step fuzz tests/fuzz.sh 20; then sed 's/^/        /' build/logs/fuzz.log; fi
    step valgrind tests/valgrind.sh || true
    step coverage tests/coverage.sh || true
}

# hkpd.exe is small, needs no DLL that Windows does not have, and lets it choose addresses anew at each start.
check_exe() {
    local headers dlls flag
    headers=$(x86_64-w64-mingw32-objdump -p "$1")
    for flag in HIGH_ENTROPY_VA DYNAMIC_BASE NX_COMPAT; do
        grep -qE "^[[:space:]]+$flag\$" <<<"$headers" || { echo "$1: no $flag"; return 1; }
    done
    # Without relocations there is nothing to move.
    grep -qE '^Entry 5 [0-9a-f]*[1-9a-f][0-9a-f]* .*Base Relocation' <<<"$headers" || { echo "$1: no relocations"; return 1; }
    dlls=$(sed -n 's/^\tDLL Name: //p' <<<"$headers")
    echo "$1: $(stat -c %s "$1") bytes, needs $dlls"
    [[ -n $dlls ]] && ! grep -qivxE '(advapi32|kernel32|msvcrt|shell32)\.dll' <<<"$dlls" &&
        (($(stat -c %s "$1") < 6 * 1024 * 1024))
}

# twice STEP COMMAND...: nothing is left behind that a second run would meet.
twice() {
    local name=$1
    shift
    if step "$name" "$@"; then step "$name, again" "$@" || true; fi
}

# The programs that hkpd is made to work with: what reads its output, what installs it, what finds it.
beside_steps() {
    local hkpd=build/release/tools/hkpd
    step "reference" tests/docs/doxygen.sh || true
    step "manual, shells" tests/command/run.sh "$hkpd" || true
    step "live samba" tests/live/samba.sh "$hkpd" || true
    step "prometheus" tests/prometheus/run.sh "$hkpd" || true
    step "fetch clickhouse" tests/clickhouse/fetch.sh || true
    step "clickhouse" tests/clickhouse/run.sh "$hkpd" || true
    step "packages" tests/package/as_shown.sh || true
    step "debian" tests/package/deb.sh build/release || true
    step "embedded" tests/package/run.sh build/release || true
    step "static" tests/package/static.sh build/static/tools/hkpd || true
}

# The sources of the library and of the command; the examples are as short as they can be.
check_tidy() {
    cmake --preset tidy && run-clang-tidy-19 -quiet -p build/tidy -j "$jobs" 'CMakeFiles/hkpd(_command)?\.dir|build_facts\.cpp'
}

test_preset() {
    if step "build $1" build "$1"; then run_tests "$1"; fi
}

format_step
fetch_step
test_preset release
step quickstart tools/quickstart.sh || true
if [[ -n $all ]]; then
    beside_steps
    test_preset asan
    test_preset tsan
    step tidy check_tidy || true
    fuzz_steps
    windows_steps
fi

echo "$passed passed, $failed failed"
((failed == 0))
