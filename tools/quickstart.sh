#!/usr/bin/env bash
# Installs missing packages, builds hkpd and decodes a capture with it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh

tools/install-packages.sh build
use_compiler

tree=build/release
log=build/logs/quickstart.log

# Builds the command without the tests; a build tree configured by tests/run.sh is not changed.
build() {
    if [[ ! -e $tree/build.ninja ]]; then
        cmake --preset release -DHKPD_BUILD_TESTS=OFF || return
    fi
    cmake --build --preset release --target hkpd_command
}

[[ -x $tree/tools/hkpd ]] || echo "building $tree/tools/hkpd ..." >&2
quietly "$log" build

"$tree/tools/hkpd" dump testdata/captures/demo.bin --object Processor
cat >&2 <<END

That was: $tree/tools/hkpd dump testdata/captures/demo.bin --object Processor
Try --format json, --path '\\Processor(_Total)\\% Processor Time', or a file of your own; see $tree/tools/hkpd --help.
END
