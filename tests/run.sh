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
        cat .clang-tidy CMakePresets.json CMakeLists.txt lib/CMakeLists.txt tools/CMakeLists.txt
        own_files '*.hpp' '*.h' | xargs -0 cat
    } | sha256sum)
    for source in lib/src/*.cpp lib/src/*/*.cpp tools/*.cpp; do
        grep -qF "\"file\": \"$PWD/$source\"" build/release/compile_commands.json || continue
        hash=$(echo "$common" | cat - "$source" | sha256sum)
        [[ $(cat "build/tidy/$source.clean" 2>/dev/null) == "$hash" ]] || printf '%s\0%s\0' "$source" "$hash"
    done | xargs -0 -r -n 2 -P "$jobs" bash -c 'tidy "$@"' _
}

clang_step format clang-format-19 check_format
fetch_step
for preset in release asan; do
    if step "build $preset" build "$preset"; then run_tests "$preset"; fi
done
clang_step tidy clang-tidy-19 check_tidy

echo "$passed passed, $failed failed"
((failed == 0))
