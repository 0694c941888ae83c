#!/usr/bin/env bash
# Puts promtool, prometheus and prometheus-node-exporter into build/promtool, unless they are installed: unpacked from
# Debian's packages, since installing those would start services. Prints nothing on success; a second call does nothing.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/../../.."

missing() { ! command -v "$1" >/dev/null && [[ ! -x build/promtool/$1 ]]; }
packages=()
if missing promtool || missing prometheus; then packages+=(prometheus); fi
if missing prometheus-node-exporter; then packages+=(prometheus-node-exporter); fi
((${#packages[@]} > 0)) || exit 0

mkdir -p build/promtool
folder=$(mktemp -d build/promtool.XXXXXX)
trap 'rm -rf "$folder"' EXIT
# As root, apt-get would read as the user _apt, who may not write here.
sandbox=()
if [[ $EUID -eq 0 ]]; then sandbox=(-o APT::Sandbox::User=root); fi
(cd "$folder" && apt-get -qq "${sandbox[@]}" download "${packages[@]}")
for package in "$folder"/*.deb; do dpkg-deb -x "$package" "$folder/content"; done
mv "$folder"/content/usr/bin/* build/promtool
