#!/usr/bin/env bash
# run.sh [BUILD_TREE]: DuckDB reads hkpd's Arrow tables, see check.py. Takes DuckDB's library from npm, for x86-64.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")"
root=../../..
tree=$(realpath "${1:-$root/build/release}")
folder=$root/build/arrow
if ! cmp -s package-lock.json "$folder/installed"; then
    mkdir -p "$folder"
    cp package.json package-lock.json "$folder"
    npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error
    cp package-lock.json "$folder/installed"
fi
files=("$root"/testdata/captures/*.bin "$root"/testdata/captures/*.mcap)
shared=${HKPD_SHARED_DIR:-$root/../shared}/data
if [[ -d $shared ]]; then files+=("$shared"/blg/*.blg "$shared/v1/vista-2007"); fi
python3 check.py "$tree/lib/libhkpd.so.1" "$tree/tools/hkpd" \
    "$folder/node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so" "${files[@]}"
