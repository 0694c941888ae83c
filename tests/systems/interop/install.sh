#!/usr/bin/env bash
# Installs the MCAP format's own reader and writer for Node.js into build/interop, unless they are there.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")"
folder=../../../build/interop

cmp -s package-lock.json "$folder/installed" && exit 0
mkdir -p "$folder"
cp package.json package-lock.json "$folder"
npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error
cp package-lock.json "$folder/installed"
