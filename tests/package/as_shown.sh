#!/usr/bin/env bash
# Runs the commands of tools/INSTALL.md verbatim, and checks their results.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/../.."

cmake --preset release && cmake --build --preset release
cmake --install build/release --prefix build/prefix        # for find_package(hkpd) and pkg-config
(cd build/release && cpack)                                # hkpd, libhkpd1 and libhkpd-dev: NAME_0.1.0_amd64.deb
cmake --preset static && cmake --build --preset static     # build/static/tools/hkpd: one file for any Linux

version=$(build/static/tools/hkpd --version | sed -n '1s/hkpd //p')
ls -l "build/release/hkpd_${version}_"*.deb "build/release/libhkpd1_${version}_"*.deb \
    "build/release/libhkpd-dev_${version}_"*.deb \
    build/prefix/include/hkpd/version.hpp build/prefix/lib/pkgconfig/hkpd.pc build/prefix/lib/cmake/hkpd/hkpd-config.cmake
build/prefix/bin/hkpd --version | grep -qx "hkpd $version"
