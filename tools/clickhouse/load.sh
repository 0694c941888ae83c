#!/usr/bin/env bash
# load.sh [--jobs N] CAPTURE...: loads captures, and whatever else `hkpd replay` reads, into the tables of schema.sql,
# N of them at a time (default: one for each processor). What hkpd.captures says is in already is left out, so that it
# may be run again with the same captures, and so is what another load.sh on this machine is loading, and what has no end
# yet. What was damaged is told, and what is sound of it loaded. HKPD is the command (default: hkpd), CLICKHOUSE_CLIENT
# the client with its options (default: clickhouse-client), HKPD_INTO the table (default: hkpd.incoming;
# hkpd.fleet_incoming of cluster.sql spreads machines over servers). Exit code 0: all of them are in.
set -euo pipefail

say() { printf 'load.sh: %s\n' "$*" >&2; }

most_jobs=256 # that hkpd takes
jobs=$(nproc)
if ((jobs > most_jobs)); then jobs=$most_jobs; fi
if [[ ${1:-} == --jobs ]]; then
    jobs=${2:-}
    shift 2 || shift
fi
if (($# == 0)) || [[ ! $jobs =~ ^[1-9][0-9]{0,2}$ || $1 == -* ]] || ((jobs > most_jobs)); then
    echo "usage: load.sh [--jobs N] CAPTURE... (N from 1 to $most_jobs)" >&2
    exit 2
fi
hkpd=${HKPD:-hkpd}
read -ra client <<<"${CLICKHOUSE_CLIENT:-clickhouse-client}"

# What the ledger says of all captures: the hash and 0 or 1 (all of it is in).
ledger() { "${client[@]}" --query 'SELECT sha256, max(whole) FROM hkpd.captures GROUP BY sha256'; }

# note WHOLE: writes all that are to be loaded into the ledger. Names as TabSeparated has them.
note() {
    local i name
    for i in "${!files[@]}"; do
        name=${files[i]//\\/\\\\}
        name=${name//$'\t'/\\t}
        printf '%s\t%s\t%s\t%s\n' "${hashes[i]}" "${name//$'\n'/\\n}" "$1" "$(date +%s)"
    done | "${client[@]}" --query 'INSERT INTO hkpd.captures (sha256, file, whole, since) FORMAT TabSeparated'
}

# take FILE: false where another load.sh has it. What is taken stays so until this one and all that it started have
# ended, however they end: each capture is locked by a descriptor of its own, which is never closed. Any other failure
# of flock (1: the lock is held) is that of a file system without locks.
take() {
    local lock
    command -v flock >/dev/null || return 0
    exec {lock}<"$1" || exit 1
    flock --nonblock "$lock" 2>/dev/null || (($? != 1))
}
ulimit -n "$(ulimit -Hn)"

# has_end FILE: false of a capture that is still being written, which will be another one later, or of which the writer
# was stopped. What is no capture has no state to be told.
has_end() {
    local info
    [[ -s $1 ]] || return 1
    info=$("$hkpd" capture --info -- "$1" 2>/dev/null) || true
    [[ ! $info =~ $'\nstate '\ *torn ]]
}

declare -A file_of
mine=() bad=0
for file in "$@"; do
    if [[ ! -f $file || ! -r $file ]]; then
        say "$file is no file that can be read (of a directory, make a capture)"
        bad=$((bad + 1))
        continue
    fi
    # Before the hash: what has its end now is what it is.
    if ! has_end "$file"; then
        say "$file has no end: it is still being written, or torn (then make a whole one: hkpd capture --from)"
        bad=$((bad + 1))
        continue
    fi
    hash=$(sha256sum <"$file")
    hash=${hash%% *}
    if [[ -v file_of[$hash] ]]; then continue; fi # of two that are the same one is enough
    if ! take "$file"; then
        say "$file is being loaded by another load.sh"
        bad=$((bad + 1))
        continue
    fi
    file_of[$hash]=$file
    mine+=("$hash")
done

# Not before all are taken: one that another has loaded meanwhile is in.
known=$(ledger)
declare -A whole_of
while read -r hash whole; do
    if [[ -n $hash ]]; then whole_of[$hash]=$whole; fi
done <<<"$known"
files=() hashes=() again=0
for hash in "${mine[@]}"; do
    if [[ ${whole_of[$hash]:-} == 1 ]]; then continue; fi
    if [[ ${whole_of[$hash]:-} == 0 ]]; then again=$((again + 1)); fi
    files+=("${file_of[$hash]}") hashes+=("$hash")
done
say "${#files[@]} to load, $(($# - bad - ${#files[@]})) are in already"
if ((${#files[@]} == 0)); then exit "$((bad > 0))"; fi

note 0
# A file's name may begin with a dash. Exit code 1 of hkpd: some input was damaged.
status=0
{
    "$hkpd" replay --jobs "$jobs" --format jsonl -- "${files[@]}" || (($? == 1))
} | "${client[@]}" --input_format_skip_unknown_fields=1 --insert_distributed_sync=1 \
    --query "INSERT INTO ${HKPD_INTO:-hkpd.incoming} FORMAT JSONEachRow" || status=$?
if ((status != 0)); then
    say "not all of it was loaded. Run it again, and then recount.sh: minutes and hours count twice what comes twice"
    exit 1
fi
note 1
if ((again > 0)); then
    say "of $again a part may have been in already: minutes and hours count it twice until recount.sh has been there"
fi
exit "$((bad > 0))"
