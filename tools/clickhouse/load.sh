#!/usr/bin/env bash
# load.sh [--jobs N] CAPTURE...: loads captures, and whatever else `hkpd replay` reads, into the tables of schema.sql,
# N of them at a time (default: one for each processor). What hkpd.captures says is in already is left out, so that it
# may be run again with the same captures. What was damaged is told, and what is sound of it loaded. HKPD is the command
# (default: hkpd), CLICKHOUSE_CLIENT the client with its options (default: clickhouse-client), HKPD_INTO the table (default:
# hkpd.incoming; hkpd.fleet_incoming of cluster.sql spreads machines over servers). Exit code 1: something is not in.
set -euo pipefail

say() { printf 'load.sh: %s\n' "$*" >&2; }

jobs=$(nproc)
if [[ ${1:-} == --jobs ]]; then
    jobs=${2:-}
    shift 2 || shift
fi
if (($# == 0)) || [[ ! $jobs =~ ^[0-9]+$ || $1 == -* ]]; then
    echo "usage: load.sh [--jobs N] CAPTURE..." >&2
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

declare -A state
while read -r hash whole; do state[$hash]=$whole; done < <(ledger)
files=() hashes=() again=0 bad=0
for file in "$@"; do
    if [[ ! -f $file || ! -r $file ]]; then
        say "$file is no file that can be read (of a directory, make a capture)"
        bad=$((bad + 1))
        continue
    fi
    hash=$(sha256sum <"$file")
    hash=${hash%% *}
    if [[ ${state[$hash]:-} == 1 ]]; then continue; fi
    if [[ ${state[$hash]:-} == 0 ]]; then again=$((again + 1)); fi
    state[$hash]=1 # of two that are the same one is enough
    files+=("$file") hashes+=("$hash")
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
