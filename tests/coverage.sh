#!/usr/bin/env bash
# Reports the lines of the parsers that the corpora in testdata/corpus reach: a table, and each line that none reaches.
# Fails if fuzz/unreached.txt has no reason for one, or a reason for a line that is reached or gone.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh
use_compiler

corpora=(testdata/corpus/*/)
programs=("${corpora[@]%/}")
programs=("${programs[@]##*/}")
programs=("${programs[@]/#/replay_}")
quietly build/logs/coverage-configure.log cmake --preset coverage
quietly build/logs/coverage-build.log cmake --build --preset coverage --parallel "$(nproc)" --target "${programs[@]}"

find build/coverage -name '*.gcda' -delete
for i in "${!programs[@]}"; do
    quietly "build/logs/coverage-${programs[i]}.log" "build/coverage/fuzz/${programs[i]}" "${corpora[i]}"
done

# The gcov of the compiler that built the tree: their file formats have to match.
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' build/coverage/CMakeCache.txt)
exec tests/coverage.py --gcov "${compiler/%g++*/gcov${compiler##*g++}}" build/coverage fuzz/unreached.txt
