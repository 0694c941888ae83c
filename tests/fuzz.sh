#!/usr/bin/env bash
# fuzz.sh [--keep] SECONDS [TARGET...]: fuzzes the targets of fuzz/ for SECONDS each, as many in parallel as there are
# cores, each from a copy of its corpus, and prints a line for each: executions, those a second on small inputs,
# coverage, corpus. Inputs are small; where size matters, a quarter of the time is for large ones. An input that crashes
# a program is kept in build/fuzz/findings, and printed. HKPD_FUZZ_SEED, unless 0, makes runs repeatable. One input in
# HKPD_FUZZ_SHARE (32) gets the expensive properties too (fuzz/properties.hpp). --keep adds new inputs to
# testdata/corpus, minimised.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

keep=
if [[ ${1:-} == --keep ]]; then
    keep=1
    shift
fi
if [[ ! ${1:-} =~ ^[0-9]+$ ]]; then
    echo "usage: fuzz.sh [--keep] SECONDS [TARGET...]" >&2
    exit 2
fi
seconds=$1
shift

tools/install-packages.sh fuzz
build() { cmake --preset fuzz && cmake --build --preset fuzz --parallel "$(nproc)" --target fuzzers; }
quietly build/logs/build-fuzz.log build

targets=("$@")
if ((${#targets[@]} == 0)); then
    for program in build/fuzz/fuzz/fuzz_*; do targets+=("${program##*/fuzz_}"); done
fi
for target in "${targets[@]}"; do
    if [[ ! -x build/fuzz/fuzz/fuzz_$target ]]; then
        echo "fuzz.sh: there is no target $target" >&2
        exit 2
    fi
done

export HKPD_FUZZ_SHARE=${HKPD_FUZZ_SHARE:-32}

# Sizes of small and large inputs in bytes.
export small=4096 large=65536

# Returns whether a target has a round of large inputs: where a part of the input fits into small ones, it has not.
wants_large() {
    case $1 in
        blg_event | counter_path | export_names | provider | registry | times | v2_registration) return 1 ;;
    esac
}

# keep_corpus TARGET GROWN: adds a smallest set of inputs with the coverage of GROWN to testdata/corpus, in addition to
# the existing ones; none of 64 KB or more.
keep_corpus() {
    local target=$1 grown=$2 corpus=testdata/corpus/$1 smallest seed
    smallest=$(mktemp -d)
    HKPD_FUZZ_SHARE=1 "build/fuzz/fuzz/fuzz_$target" -set_cover_merge=1 -timeout=25 -rss_limit_mb=2048 "$smallest" "$corpus" "$grown" 2>&1
    for seed in "$corpus"/*; do rm -f "$smallest/$(sha1sum "$seed" | cut -d ' ' -f 1)"; done
    find "$smallest" -type f -size -64k -exec cp -t "$corpus" {} +
    rm -r "$smallest"
}

# run_round TARGET SECONDS SIZE CORPUS LOG: fuzzes one target with inputs of up to SIZE bytes.
run_round() {
    local target=$1 seconds=$2 size=$3 corpus=$4 log=$5 options=()
    [[ -e fuzz/dictionaries/$target.dict ]] && options+=("-dict=fuzz/dictionaries/$target.dict")
    # Allocations are remembered in less detail than by default, and freed memory as long as one input takes; a replay of
    # a finding shows all. With more, the memory is never in the processor's caches. Replays of the corpus, not rounds,
    # look for uses of local variables after their function: half as many inputs again are run in the same time.
    ASAN_OPTIONS="quarantine_size_mb=4:malloc_context_size=2:detect_stack_use_after_return=0:${ASAN_OPTIONS:-}" \
        "build/fuzz/fuzz/fuzz_$target" "${options[@]}" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 \
        -seed="${HKPD_FUZZ_SEED:-0}" -max_len="$size" -print_final_stats=1 "-artifact_prefix=build/fuzz/findings/$target/" \
        "$corpus" >"$log" 2>&1
}

# last_figures LOG: prints executions, coverage and corpus of a round; zeros if it ended before its first statistics.
last_figures() {
    local last
    last=$(grep -E '^#[0-9]+.* cov: .* corp: ' "$1" 2>/dev/null | tail -n 1)
    if [[ $last =~ ^#([0-9]+).*' cov: '([0-9]+).*' corp: '([^ ]+) ]]; then echo "${BASH_REMATCH[@]:1}"; else echo 0 0 0; fi
}

# fuzz TARGET SECONDS KEEP: fuzzes one target; prints one line.
fuzz() {
    local target=$1 seconds=$2 keep=$3 log=build/logs/fuzz-$1.log of_large=build/logs/fuzz-$1-large.log result=ok corpus
    local memory=/dev/shm for_large=0 executions coverage kept more rate
    mkdir -p "build/fuzz/findings/$target" build/logs "testdata/corpus/$target"
    [[ -w $memory ]] || memory=${TMPDIR:-/tmp}
    corpus=$(mktemp -d -p "$memory")
    rm -f "$of_large"
    if wants_large "$target"; then for_large=$((seconds / 4)); fi
    find "testdata/corpus/$target" -type f -size "-$((small + 1))c" -exec cp -t "$corpus" {} +
    run_round "$target" $((seconds - for_large)) "$small" "$corpus" "$log" || result=FAILED
    read -r executions coverage kept < <(last_figures "$log")
    rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
    if ((for_large != 0)) && [[ $result == ok ]]; then
        cp -r "testdata/corpus/$target/." "$corpus"
        run_round "$target" "$for_large" "$large" "$corpus" "$of_large" || result=FAILED
        read -r more coverage kept < <(last_figures "$of_large")
        ((executions += more)) || true
    fi
    printf '%-16s %9s executions %7s a second  coverage %6s  corpus %-12s %s\n' "$target" "$executions" "${rate:-0}" \
        "$coverage" "$kept" "$result"
    if [[ $result == FAILED ]]; then
        [[ ! -e $of_large ]] || log=$of_large
        sed -n "s|.*\(build/fuzz/findings/$target/[^ ]*\).*|    \1|p" "$log" | sort -u
        tail -n 30 "$log" | sed 's/^/    /'
    elif [[ -n $keep ]]; then
        keep_corpus "$target" "$corpus" >>"$log"
    fi
    rm -r "$corpus"
    [[ $result == ok ]]
}
export -f fuzz run_round last_figures wants_large keep_corpus

printf '%s\0' "${targets[@]}" |
    xargs -0 -P "$(nproc)" -I '{}' bash -c 'set -uo pipefail; fuzz "$@"' _ '{}' "$seconds" "$keep" || exit 1
