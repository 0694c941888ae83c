#!/usr/bin/env bash
# Puts promtool into build/promtool, unless it is installed: out of Debian's package prometheus, which is not installed
# itself, for that would start a service. Says nothing where all goes well; a second call does nothing.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/../.."

if command -v promtool >/dev/null || [[ -x build/promtool/promtool ]]; then exit 0; fi

mkdir -p build/promtool
folder=$(mktemp -d build/promtool.XXXXXX)
trap 'rm -rf "$folder"' EXIT
# As root apt-get would read as the user _apt, who may not write here.
sandbox=()
if [[ $EUID -eq 0 ]]; then sandbox=(-o APT::Sandbox::User=root); fi
(cd "$folder" && apt-get -qq "${sandbox[@]}" download prometheus)
dpkg-deb -x "$folder"/prometheus_*.deb "$folder/content"
mv "$folder/content/usr/bin/promtool" build/promtool/promtool
