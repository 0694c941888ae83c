#!/usr/bin/env bash
# Puts Debian's ClickHouse and missing libraries into build/clickhouse, unless it is installed: installing it would add
# a user and start a service. Prints nothing on success; a second call does nothing.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/../../.."

if command -v clickhouse-server >/dev/null && command -v clickhouse-client >/dev/null; then exit 0; fi
if [[ -d build/clickhouse ]]; then exit 0; fi

mkdir -p build
folder=$(mktemp -d build/clickhouse.XXXXXX)
trap 'rm -rf "$folder"' EXIT
# As root, apt-get would read as the user _apt, who may not write here.
sandbox=()
if [[ $EUID -eq 0 ]]; then sandbox=(-o APT::Sandbox::User=root); fi
packages=$(LC_ALL=C apt-get install --simulate --no-install-recommends clickhouse-server clickhouse-client |
    sed -n 's/^Inst \([^ ]*\) .*/\1/p')
(cd "$folder" && xargs apt-get -qq "${sandbox[@]}" download <<<"$packages")
for package in "$folder"/*.deb; do dpkg-deb -x "$package" "$folder/content"; done
mv "$folder/content" build/clickhouse
