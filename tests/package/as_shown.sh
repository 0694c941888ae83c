#!/usr/bin/env bash
# The commands of "Install" in README.md, as they stand there.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/../.."

cmake --preset release && cmake --build --preset release
cmake --install build/release --prefix build/prefix        # for find_package(hkpd) and pkg-config
(cd build/release && cpack)                                # hkpd_0.1.0_amd64.deb, libhkpd-dev_0.1.0_amd64.deb
cmake --preset static && cmake --build --preset static     # build/static/tools/hkpd: one file for any Linux
