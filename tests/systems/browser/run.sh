#!/usr/bin/env bash
# run.sh [--all] [HKPD]: pages of `hkpd report` in Chromium, see check.mjs. --all: also a simulated day of all counters.
# Takes Playwright and axe from npm, Chromium from Debian. Exits with 77 if Chromium or npm is missing. Writes reports and
# screenshots to build/browser.
set -euo pipefail
all=
if [[ ${1:-} == --all ]]; then
    all=--all
    shift
fi
hkpd=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../../../build/release/tools/hkpd}")
cd -P "$(dirname "${BASH_SOURCE[0]}")"
root=$(realpath ../../..)
folder=$root/build/browser
# shellcheck source=tests/missing.sh
source "$root/tests/missing.sh"
needs_program chromium npm node
if ! cmp -s package-lock.json "$folder/installed"; then
    mkdir -p "$folder"
    cp package.json package-lock.json "$folder"
    npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error
    cp package-lock.json "$folder/installed"
fi
node check.mjs $all "$hkpd" "$folder" "${HKPD_SHARED_DIR:-$root/../shared}"
