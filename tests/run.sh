#!/usr/bin/env bash
# Installs what is missing, then builds and runs every test: a line for each step, and all its output where it fails.
# Where clang-format 19 and clang-tidy 19 are not to be had, their steps are skipped, and fail if CI is set.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

tools/install-packages.sh test
use_compiler

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

# clang_step NAME TOOL COMMAND...: a step that needs a tool of LLVM 19.
clang_step() {
    local name=$1 tool=$2
    shift 2
    if command -v "$tool" >/dev/null; then
        step "$name" "$@" || true
    elif [[ -n ${CI:-} ]]; then
        step "$name" missing_tool "$tool" || true
    else
        report skipped "$name" 0 "$tool is not in this system's archive"
    fi
}
missing_tool() {
    echo "$1 is not installed, and CI does not go without it"
    return 1
}

# The project's own files of these name patterns, generated ones excluded.
own_files() {
    local pattern names=(-false)
    for pattern in "$@"; do names+=(-o -name "$pattern"); done
    find . -path ./build -prune -o ! -name builtin_titles.cpp \( "${names[@]}" \) -print0 | sort -z
}

check_format() { own_files '*.hpp' '*.cpp' '*.h' '*.c' | xargs -0 clang-format-19 --dry-run --Werror; }

# The reference readers of MCAP and of OpenMetrics, from npm and from Debian.
fetch_others() {
    tests/interop/install.sh && tests/openmetrics/fetch_promtool.sh
}
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

# attribute NAME FILE: a number of the test suite in ctest's JUnit file.
attribute() { sed -n "s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p; s/^<testsuite.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1; }

# Runs the tests of a preset and adds to the counts.
run_tests() {
    local preset=$1 start=$SECONDS result=ok total bad skipped remark junit=$PWD/build/$1/junit.xml
    rm -f "$junit"
    quietly "build/logs/test-$preset.log" ctest --preset "$preset" --parallel "$jobs" --output-junit "$junit" ||
        result=FAILED
    if [[ ! -e $junit ]]; then
        total=1 bad=1 skipped=0
    else
        total=$(attribute tests "$junit") bad=$(attribute failures "$junit")
        skipped=$(($(attribute skipped "$junit") + $(attribute disabled "$junit")))
    fi
    if [[ $result == FAILED ]] && ((bad == 0)); then bad=1 total=$((total + 1)); fi
    passed=$((passed + total - bad - skipped))
    failed=$((failed + bad))
    remark="$((total - bad - skipped)) passed"
    if ((bad > 0)); then remark+=", $bad failed"; fi
    if ((skipped > 0)); then remark+=", $skipped skipped:"; fi
    report "$result" "test $preset" $((SECONDS - start)) "$remark"
    if ((skipped > 0)); then
        sed -n '/: Skipped$/{n;s/^/        /p}' "build/$preset/Testing/Temporary/LastTest.log" | sort | uniq | head -n 5
    fi
}

# hkpd.exe, and its tests under Wine. Without a network what they need cannot be had, and they are skipped.
fetch_for_windows() { tools/install-packages.sh windows && tools/build-windows-dependencies.sh; }
windows_steps() {
    local start=$SECONDS
    if [[ -n ${CI:-} ]]; then
        step "for windows" fetch_for_windows || return 0
    elif quietly build/logs/for-windows.log fetch_for_windows 2>/dev/null; then
        report ok "for windows" $((SECONDS - start))
    else
        report skipped windows $((SECONDS - start)) "what it needs is not here, see build/logs/for-windows.log"
        return
    fi
    step "build windows" build windows || return 0
    step "hkpd.exe" check_exe build/windows/tools/hkpd.exe || true
    run_tests windows
    twice "live wine" tests/live/wine.sh
}

# Every target for a while, with a line for each (the same inputs each time: fresh ones are for the preset nightly, whose
# findings have nothing to do with the change at hand); the corpora under Valgrind; and which lines of the parsers they reach.
# Without a network what they need may be missing, and they are skipped.
fuzz_steps() {
    local start=$SECONDS
    if [[ -z ${CI:-} ]] && ! tools/install-packages.sh fuzz >/dev/null 2>&1; then
        report skipped fuzz $((SECONDS - start)) "clang 19 or Valgrind is not here"
        return
    fi
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

# twice STEP COMMAND...: live tests leave nothing behind that a second run would meet. 77 says that one cannot be run here.
twice() {
    local name=$1 start=$SECONDS round status
    shift
    for round in 1 2; do
        status=0
        quietly "build/logs/${name// /-}-$round.log" "$@" || status=$?
        if ((status == 77)) && [[ -z ${CI:-} ]]; then
            report skipped "$name" $((SECONDS - start)) "it cannot be run here"
            return 0
        elif ((status != 0)); then
            report FAILED "$name" $((SECONDS - start)) "run $round"
            failed=$((failed + 1))
            return 0
        fi
    done
    report ok "$name" $((SECONDS - start)) twice
}

# tidy SOURCE HASH: the hash is kept where nothing was found.
tidy() {
    local base=build/tidy/$1
    mkdir -p "$(dirname "$base")"
    if clang-tidy-19 --quiet -p build/release "$1" >"$base.log" 2>&1; then
        echo "$2" >"$base.clean"
    else
        cat "$base.log"
        return 1
    fi
}
export -f tidy

# clang-tidy for each source that, together with all headers and settings, differs from when it was last found clean.
check_tidy() {
    local common source hash
    if [[ ! -e build/release/compile_commands.json ]]; then
        echo "no compile commands: the release preset could not be configured"
        return 1
    fi
    common=$({
        clang-tidy-19 --version
        cat .clang-tidy CMakePresets.json CMakeLists.txt lib/CMakeLists.txt tools/CMakeLists.txt tools/hardening.cmake
        own_files '*.hpp' '*.h' | xargs -0 cat
    } | sha256sum)
    for source in lib/src/*.cpp lib/src/*/*.cpp tools/*.cpp tools/posix/*.cpp; do
        grep -qF "\"file\": \"$PWD/$source\"" build/release/compile_commands.json || continue
        hash=$(echo "$common" | cat - "$source" | sha256sum)
        [[ $(cat "build/tidy/$source.clean" 2>/dev/null) == "$hash" ]] || printf '%s\0%s\0' "$source" "$hash"
    done | xargs -0 -r -n 2 -P "$jobs" bash -c 'tidy "$@"' _
}

clang_step format clang-format-19 check_format
fetch_step
for preset in release asan tsan; do
    if step "build $preset" build "$preset"; then run_tests "$preset"; fi
done
clang_step tidy clang-tidy-19 check_tidy
fuzz_steps
twice "live samba" tests/live/samba.sh build/release/tools/hkpd
windows_steps

echo "$passed passed, $failed failed"
((failed == 0))
