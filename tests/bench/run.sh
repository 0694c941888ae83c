#!/usr/bin/env bash
# run.sh [--check] [--only REGEX]: builds the benchmarks in the release preset, runs them and prints one table (see
# README.md). --check: status 1 if a target is missed. --only: only the cases of Google Benchmark that match, and no
# processes.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/../.."
source tools/common.sh

if ! cmake --build --preset release --target hkpd_bench make_machine make_log hkpd_command >/dev/null 2>&1; then
    tools/install-packages.sh ci
    use_compiler
    mkdir -p build/logs
    quietly build/logs/bench.log cmake --preset release -DHKPD_BUILD_BENCHMARKS=ON
    quietly build/logs/bench.log cmake --build --preset release --target hkpd_bench make_machine make_log hkpd_command
fi
# The command that is downloaded, which starts without shared libraries.
if [[ " $* " != *" --only "* ]] && ! cmake --build --preset static --target hkpd_command >/dev/null 2>&1; then
    use_compiler
    mkdir -p build/logs
    quietly build/logs/bench.log cmake --preset static
    quietly build/logs/bench.log cmake --build --preset static --target hkpd_command
fi
exec python3 tests/bench/table.py build/release build/static "$@"
