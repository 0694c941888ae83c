#!/usr/bin/env bash
# run.sh [--ci|--all]: installs missing packages, then builds hkpd as shipped and runs every test that needs no other
# system (10 minutes on two cores). Tests that this machine cannot run are skipped, with the reason.
# --ci: what must hold before a change lands (50 minutes on two cores): also warnings as errors,
# clang-tidy, sanitizers and fuzz targets, hkpd.exe under Wine, Samba, promtool, the packages, output of a 32-bit build.
# Nothing is skipped. Wants root.
# --all: everything, for nights and before a release: also ThreadSanitizer, Valgrind, coverage, GCC's sanitizers, the
# whole suite under Wine, Prometheus and ClickHouse, static and embedded builds, the release (twice), fresh systems, other
# platforms, more fuzzing.
# Prints a line for each step with its seconds, and if it fails its output, which is kept in build/logs.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

tier=${1:---tests}
if (($# > 1)) || [[ ! $tier =~ ^--(tests|ci|all)$ ]]; then
    echo "usage: run.sh [--ci|--all]" >&2
    exit 2
fi
full=
if [[ $tier == --all ]]; then
    full=full
    export HKPD_WHOLE=1 # for tests that are shorter otherwise
fi
if [[ $tier != --tests ]]; then
    export CI=${CI:-1} HKPD_REQUIRE_SHARED=1 HKPD_WERROR=ON
fi

start=$SECONDS
tools/install-packages.sh "${tier#--}"
installed=$((SECONDS - start))
use_compiler
use_compiler_cache

jobs=$(nproc)
passed=0
failed=0
skipped= # ", 31 skipped: " and how many for which reason

# report RESULT STEP SECONDS [REMARK]
report() { printf '%-7s %-20s %4d s%s\n' "$1" "$2" "$3" "${4:+  $4}"; }

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

# aside NAME FUNCTION: runs steps in the background that wait more than they compute; `join NAME` waits for their end
# and counts their failures.
declare -A asides=()
aside() {
    (
        failed=0
        "$2"
        exit "$failed"
    ) &
    asides[$1]=$!
}
join() {
    local status=0
    wait "${asides[$1]}" || status=$?
    failed=$((failed + status))
    return "$status"
}

# own_files PATTERN...: the project's own files of these name patterns, without generated ones.
own_files() {
    local pattern names=(-false)
    for pattern in "$@"; do names+=(-o -name "$pattern"); done
    find . -path ./build -prune -o ! -name builtin_titles.cpp ! -name windows_zones.cpp \( "${names[@]}" \) -print0 | sort -z
}
check_format() { own_files '*.hpp' '*.cpp' '*.h' '*.c' | xargs -0 clang-format-19 --dry-run --Werror; }

# The reference readers of MCAP and of OpenMetrics, from npm and from Debian. Without a network the tests that need them
# are skipped.
fetch_others() { tests/systems/interop/install.sh && tests/systems/openmetrics/fetch_promtool.sh; }
other_readers() {
    local start=$SECONDS log=build/logs/other-readers.log
    if [[ -n ${CI:-} ]]; then
        step "other readers" fetch_others || true
    elif fetch_others >"$log" 2>&1; then
        report ok "other readers" $((SECONDS - start))
    else
        report skipped "other readers" $((SECONDS - start)) \
            "not fetched: $(grep -iE 'error|E:|not found|cannot' "$log" | head -n 1)"
    fi
}

# build PRESET [CONFIGURE OPTION...]
build() {
    local preset=$1
    shift
    cmake --preset "$preset" "$@" && cmake --build --preset "$preset" --parallel "$jobs"
}

# run_tests PRESET [CTEST OPTION...]: runs its tests and adds to the counts.
run_tests() {
    local preset=$1 start=$SECONDS result=ok counts good=0 bad=0 left_out=0 remark junit=$PWD/build/$1/junit.xml
    rm -f "$junit"
    quietly "build/logs/test-$preset.log" ctest --preset "$preset" --parallel "$jobs" --output-junit "$junit" "${@:2}" ||
        result=FAILED
    counts=$(tests/counts.py "$junit" 2>/dev/null) || result=FAILED
    read -r good bad left_out <<<"${counts:-0 0 0}"
    # With sanitizers and under Wine a few tests are skipped by design.
    if [[ -n ${CI:-} && $preset == release ]] && ((left_out > 0)); then result=FAILED; fi
    if [[ $result == FAILED ]] && ((bad == 0)); then bad=1; fi
    passed=$((passed + good))
    failed=$((failed + bad))
    remark="$good passed"
    if ((bad > 0)); then remark+=", $bad failed"; fi
    if ((left_out > 0)); then remark+=", $left_out skipped:"; fi
    report "$result" "test $preset" $((SECONDS - start)) "$remark"
    ((left_out > 0)) || return 0
    sed '1d;s/^/        /' <<<"$counts"
    if [[ $tier == --tests ]]; then
        skipped=", $left_out skipped: $(sed '1d;s/ / × /' <<<"$counts" | paste -sd ';' | sed 's/;/; /g')"
    fi
}

# test_preset PRESET [CONFIGURE OPTION...]
test_preset() {
    if step "build $1" build "$@"; then run_tests "$1"; fi
}

# The sources of the library and of the command; the examples are as short as possible.
check_tidy() { cmake --preset tidy && tests/tidy.py build/tidy 'CMakeFiles/hkpd(_decoder|_answers|_runs|_page|_report|_c|_provider|_command)?\.dir|build_facts\.cpp'; }

# Programs that read the output of hkpd, install it and find it.
programs() {
    local hkpd=build/release/tools/hkpd
    step "reference" tests/docs/doxygen.sh || true
    step "manual, shells" tests/systems/shells/run.sh "$hkpd" || true
    step "relog scripts" tests/systems/relog/run.sh "$hkpd" || true
    step "arrow tables" tests/systems/arrow/run.sh || true
    step "report in browser" tests/systems/browser/run.sh ${full:+--all} "$hkpd" || true
    step "live samba" tests/systems/samba/samba.sh "$hkpd" || true
    step "packages" tests/package/deb.sh ${full:+--install} build/release || true
    step "installed" tests/package/run.sh ${full:+--embedded} build/release || true
    step "GitHub action" tests/package/action.py "$hkpd" || true
    [[ -n $full ]] || return 0
    step "prometheus" tests/systems/prometheus/run.sh "$hkpd" || true
    step "fetch clickhouse" tests/systems/clickhouse/fetch.sh || true
    step "clickhouse" tests/systems/clickhouse/run.sh "$hkpd" || true
    step "as INSTALL shows" tests/package/as_shown.sh || true
    step "static" tests/package/static.sh build/static/tools/hkpd || true
}

# Every target for a while, with a line for each, always from the same inputs: findings from fresh ones, in the preset
# nightly, are unrelated to the change under test.
fuzz_steps() {
    local seconds=10
    if [[ -n $full ]]; then seconds=60; fi
    if HKPD_FUZZ_SEED=1 step fuzz tests/fuzz.sh "$seconds"; then sed 's/^/        /' build/logs/fuzz.log; fi
}

# Builds for other systems, whose output must be the same: in CI of a 32-bit one, without its tests.
platform_steps() {
    local name options=(--command) names=(i386)
    if [[ -n $full ]]; then options=() names=(i386 s390x clang libc++ debian13-gcc13 debian13-gcc14); fi
    for name in "${names[@]}"; do
        if step "platform $name" tests/systems/platforms/run.sh "${options[@]}" "$name"; then
            sed 's/^/        /' "build/logs/platform-$name.log"
        fi
    done
}

# hkpd.exe is small, needs only DLLs that are part of Windows, and has randomised addresses. The libraries define nothing
# that GCC's have too, since no other program could be linked with them then.
check_exe() {
    local headers dlls flag
    if grep ' T _ZNKSt9type_info' <<<"$(x86_64-w64-mingw32-nm -A "${1%/tools/*}"/lib/*.a 2>/dev/null)"; then return 1; fi
    headers=$(x86_64-w64-mingw32-objdump -p "$1")
    for flag in HIGH_ENTROPY_VA DYNAMIC_BASE NX_COMPAT; do
        grep -qE "^[[:space:]]+$flag\$" <<<"$headers" || { echo "$1: no $flag"; return 1; }
    done
    # Without relocations it could not be moved.
    grep -qE '^Entry 5 [0-9a-f]*[1-9a-f][0-9a-f]* .*Base Relocation' <<<"$headers" || { echo "$1: no relocations"; return 1; }
    dlls=$(sed -n 's/^\tDLL Name: //p' <<<"$headers")
    echo "$1: $(stat -c %s "$1") bytes, needs $dlls"
    [[ -n $dlls ]] && ! grep -qivxE '(advapi32|kernel32|msvcrt|shell32)\.dll' <<<"$dlls" &&
        (($(stat -c %s "$1") < 7 * 1024 * 1024))
}
live_wine() {
    step "live wine" tests/systems/wine/wine.sh || true
    # The first run leaves nothing that affects a second one.
    if [[ -n $full ]]; then step "live wine, again" tests/systems/wine/wine.sh || true; fi
}
# hkpd.exe, and its tests under Wine: in CI those of system-dependent parts.
windows_steps() {
    local system_only=ON
    if [[ -n $full ]]; then system_only=OFF; fi
    step "build windows" build windows "-DHKPD_SYSTEM_TESTS_ONLY=$system_only" || return 0
    step "hkpd.exe" check_exe build/windows/tools/hkpd.exe || true
    aside "live wine" live_wine
    run_tests windows
    step "go on wine" tests/systems/go/wine.sh build/windows build/release || true
    join "live wine" || true
}

# The files of a release of HEAD, made twice.
release_steps() {
    rm -rf build/release-files
    step "release twice" tests/package/reproducible.sh build/release-files || return 0
    step "release files" tests/package/release.sh build/release-files || true
    step "container" tests/package/container.sh build/release-files || true
}

windows_libraries() { step "for windows" tools/build-windows-dependencies.sh || true; }

((installed == 0)) || report ok "install packages" "$installed"
aside "other readers" other_readers
if [[ $tier == --tests ]]; then
    step "build release" build release && built=yes || built=
    join "other readers" || true
    if [[ -n $built ]]; then run_tests release; fi
    step quickstart tools/quickstart.sh || true
else
    aside "for windows" windows_libraries
    step format check_format || true
    step words tests/docs/words.py || true
    step "build release" build release -DHKPD_BUILD_BENCHMARKS=ON && built=yes || built=
    # The writers of testdata, which no other step builds.
    step "build makers" cmake --build --preset release --parallel "$jobs" --target make_corpus make_captures || true
    join "other readers" || true
    aside programs programs
    if [[ -n $built ]]; then run_tests release; fi
    step quickstart tools/quickstart.sh || true
    # What users have: a clone, and nothing next to it.
    if step "a lone clone" tests/alone.sh; then sed -n 's/^alone: /        /p' build/logs/a-lone-clone.log; fi
    join programs || true
    # Measures times: nothing else runs.
    share=40
    if [[ -n $full ]]; then share=1; fi
    if [[ -n $built ]]; then step "hostile inputs" tests/hostile.py build/release/tools/hkpd --share "$share" || true; fi
    if [[ -n $built && -n $full ]]; then step "refusals" tests/refusals.py build/release/tools/hkpd --all || true; fi
    if [[ -n $built && -n $full ]]; then step "labels" tests/identity/labels.py --all || true; fi
    if [[ -n $built && -n $full ]]; then step "zones of logs" tests/systems/zones/logs.py build/release/tools/hkpd || true; fi
    if [[ -n $built ]]; then platform_steps; fi
    # In CI without the tests that start the command or read ranges of large inputs, which run without sanitizers.
    without=(--label-exclude costly)
    if [[ -n $full ]]; then without=(); fi
    if step "build fuzz" build fuzz; then run_tests fuzz "${without[@]}"; fi
    fuzz_steps
    step tidy check_tidy || true
    if join "for windows"; then windows_steps; fi
    if [[ -n $full ]]; then
        test_preset asan
        test_preset tsan
        step valgrind tests/valgrind.sh || true
        step coverage tests/coverage.sh || true
        release_steps
        for release in bookworm trixie; do step "fresh $release" tests/package/fresh.sh "$release" || true; done
    fi
fi

report total "" "$SECONDS"
echo "$passed passed, $failed failed$skipped"
((failed == 0))
