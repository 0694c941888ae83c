#!/usr/bin/env bash
# valgrind.sh: replays every corpus under Valgrind's memcheck, which detects reads of uninitialised memory. Prints a
# line for each target; the programs are those of the release preset, which has to be built.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

tools/install-packages.sh fuzz
export HKPD_NO_TIME_LIMIT=1 # a second has no meaning there

# check TARGET: replays one corpus; prints one line.
check() {
    local target=$1 start=$SECONDS log=build/logs/valgrind-$1.log result=ok
    quietly "$log" valgrind --error-exitcode=9 -q --track-origins=yes --suppressions=fuzz/valgrind.supp "build/release/fuzz/replay_$target" \
        "testdata/corpus/$target" || result=FAILED
    printf '%-16s %4d s  %s  %s\n' "$target" $((SECONDS - start)) "$(grep -o '^[0-9]* inputs' "$log")" "$result"
    [[ $result == ok ]]
}
export -f check quietly

if ! compgen -G 'build/release/fuzz/replay_*' >/dev/null; then
    echo "valgrind.sh: build the release preset first" >&2
    exit 2
fi
# shellcheck disable=SC2016 # "$1" is the inner shell's
for program in build/release/fuzz/replay_*; do printf '%s\0' "${program##*/replay_}"; done |
    xargs -0 -P "$(nproc)" -I '{}' bash -c 'set -uo pipefail; check "$1"' _ '{}' || exit 1
