#!/usr/bin/env bash
# load.sh [--jobs N] CAPTURE...: loads captures, and other inputs of `hkpd replay`, into the tables of schema.sql, N of
# them at a time (default: one for each processor). Skips three kinds of captures: captures that hkpd.captures records
# as loaded, so that load.sh can be run again with the same captures; captures that another load.sh on this machine is
# loading; and incomplete captures. Damage is reported, and the valid data loaded. HKPD is the command (default: hkpd),
# CLICKHOUSE_CLIENT the client with its options (default: clickhouse-client), HKPD_INTO the table (default:
# hkpd.incoming; hkpd.fleet_incoming of cluster.sql distributes machines over servers). Exit code 0: all are loaded.
set -euo pipefail

message() { printf 'load.sh: %s\n' "$*" >&2; }
# about FILE TEXT: prints a message on a file, whose name may contain control characters.
about() { printf 'load.sh: %q %s\n' "$1" "$2" >&2; }

most_jobs=256 # limit of hkpd
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

# Prints the ledger of all captures: the hash, and 1 if completely loaded or 0 if only begun.
ledger() { "${client[@]}" --query 'SELECT sha256, max(whole) FROM hkpd.captures GROUP BY sha256'; }

# note WHOLE: writes all captures to load to the ledger, with names escaped for TabSeparated.
note() {
    local i name
    for i in "${!files[@]}"; do
        name=${files[i]//\\/\\\\}
        name=${name//$'\t'/\\t}
        printf '%s\t%s\t%s\t%s\n' "${hashes[i]}" "${name//$'\n'/\\n}" "$1" "$(date +%s)"
    done | "${client[@]}" --query 'INSERT INTO hkpd.captures (sha256, file, whole, since) FORMAT TabSeparated'
}

# take FILE: locks a file; fails if another load.sh has locked it. The lock is held until this script and all programs that
# it started have ended: each capture is locked by a separate descriptor, which is never closed. flock exits with 1 if the
# lock is held; any other failure is that of a file system without locks.
take() {
    local lock
    command -v flock >/dev/null || return 0
    exec {lock}<"$1" || exit 1
    flock --nonblock "$lock" 2>/dev/null || (($? != 1))
}
ulimit -n "$(ulimit -Hn)"

# has_end FILE: fails for a capture that is still being written, and so will change, or whose writer was stopped. Other
# files than captures have no such state and pass.
has_end() {
    local info
    [[ -s $1 ]] || return 1
    info=$("$hkpd" capture --info -- "$1" 2>/dev/null) || true
    [[ ! $info =~ $'\nstate '\ *incomplete ]]
}

declare -A file_of
mine=() bad=0
for file in "$@"; do
    if [[ ! -f $file || ! -r $file ]]; then
        about "$file" "is not a readable file (make a capture of a directory)"
        bad=$((bad + 1))
        continue
    fi
    # Checked before the hash is computed, because only a complete capture does not change any more.
    if ! has_end "$file"; then
        about "$file" "is incomplete: it is still being written or truncated (repair it with hkpd capture)"
        bad=$((bad + 1))
        continue
    fi
    hash=$(sha256sum <"$file")
    hash=${hash%% *}
    if [[ -v file_of[$hash] ]]; then continue; fi # duplicates are loaded once
    if ! take "$file"; then
        about "$file" "is being loaded by another load.sh"
        bad=$((bad + 1))
        continue
    fi
    file_of[$hash]=$file
    mine+=("$hash")
done

# The ledger is read after all locks are taken, so that it includes captures that another load.sh has loaded meanwhile.
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
message "${#files[@]} to load, $(($# - bad - ${#files[@]})) already loaded"
if ((${#files[@]} == 0)); then exit "$((bad > 0))"; fi

note 0
# A file name may begin with a dash. Exit code 1 of hkpd: some input is damaged; 2, as these arguments are right: none has
# a sample.
status=0
{
    "$hkpd" replay --jobs "$jobs" --format jsonl -- "${files[@]}" || (($? <= 2))
} | "${client[@]}" --input_format_skip_unknown_fields=1 --insert_distributed_sync=1 \
    --query "INSERT INTO ${HKPD_INTO:-hkpd.incoming} FORMAT JSONEachRow" || status=$?
if ((status != 0)); then
    message "loading failed. Run load.sh again and then recount.sh: minutes and hours count rows loaded twice"
    exit 1
fi
note 1
if ((again > 0)); then
    message "$again captures may have been partly loaded before: run recount.sh, as minutes and hours count rows loaded twice"
fi
exit "$((bad > 0))"
