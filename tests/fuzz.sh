#!/usr/bin/env bash
# fuzz.sh [--keep] SECONDS [TARGET...]: fuzzes the targets of fuzz/ for SECONDS each, as many in parallel as there are
# cores, each from a copy of its corpus, and prints a line for each: executions, coverage, corpus. An input that crashes
# a program is kept in build/fuzz/findings, and printed. HKPD_FUZZ_SEED, unless 0, makes runs repeatable. --keep adds
# new inputs to testdata/corpus, minimised.
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

# Longest input of a target: where size alone makes an input slow, small inputs find more.
longest() {
    case $1 in
        blg_event | titles | counter_path | provider) echo 4096 ;;
        blg | v1_block | v1_differential | v2_*) echo 8192 ;;
        *) echo 16384 ;;
    esac
}

# keep_corpus TARGET GROWN: adds a smallest set of inputs with the coverage of GROWN to testdata/corpus, in addition to
# the existing ones; none of 64 KB or more.
keep_corpus() {
    local target=$1 grown=$2 corpus=testdata/corpus/$1 smallest seed
    smallest=$(mktemp -d)
    "build/fuzz/fuzz/fuzz_$target" -set_cover_merge=1 -timeout=25 -rss_limit_mb=2048 "$smallest" "$corpus" "$grown" 2>&1
    for seed in "$corpus"/*; do rm -f "$smallest/$(sha1sum "$seed" | cut -d ' ' -f 1)"; done
    find "$smallest" -type f -size -64k -exec cp -t "$corpus" {} +
    rm -r "$smallest"
}

# fuzz TARGET SECONDS KEEP: fuzzes one target; prints one line.
fuzz() {
    local target=$1 seconds=$2 keep=$3 log=build/logs/fuzz-$1.log corpus result=ok options=() last
    local findings=build/fuzz/findings/$target
    mkdir -p "$findings" build/logs "testdata/corpus/$target"
    corpus=$(mktemp -d)
    cp -r "testdata/corpus/$target/." "$corpus"
    [[ -e fuzz/dictionaries/$target.dict ]] && options+=("-dict=fuzz/dictionaries/$target.dict")
    "build/fuzz/fuzz/fuzz_$target" "${options[@]}" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 \
        -seed="${HKPD_FUZZ_SEED:-0}" -max_len="$(longest "$target")" -print_final_stats=1 "-artifact_prefix=$findings/" "$corpus" \
        >"$log" 2>&1 || result=FAILED
    last=$(grep -E '^#[0-9]+.* cov: .* corp: ' "$log" | tail -n 1)
    local figures=(0 0 0) # if it ended before its first statistics
    if [[ $last =~ ^#([0-9]+).*' cov: '([0-9]+).*' corp: '([^ ]+) ]]; then figures=("${BASH_REMATCH[@]:1}"); fi
    printf '%-16s %9s executions  coverage %6s  corpus %-12s %s\n' "$target" "${figures[@]}" "$result"
    if [[ $result == FAILED ]]; then
        sed -n "s|.*\($findings/[^ ]*\).*|    \1|p" "$log" | sort -u
        tail -n 30 "$log" | sed 's/^/    /'
    elif [[ -n $keep ]]; then
        keep_corpus "$target" "$corpus" >>"$log"
    fi
    rm -r "$corpus"
    [[ $result == ok ]]
}
export -f fuzz longest keep_corpus

printf '%s\0' "${targets[@]}" |
    xargs -0 -P "$(nproc)" -I '{}' bash -c 'set -uo pipefail; fuzz "$@"' _ '{}' "$seconds" "$keep" || exit 1
