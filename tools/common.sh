# shellcheck shell=bash
# What the scripts share. To be sourced; the caller stands in the root of the repository.

# The first g++ that knows enough C++23.
find_compiler() {
    local candidate version
    for candidate in g++ g++-12 g++-13 g++-14 g++-15; do
        version=$("$candidate" -dumpfullversion 2>/dev/null) || continue
        if ((${version%%.*} >= 12)); then
            echo "$candidate"
            return
        fi
    done
    return 1
}

# New build trees use the compiler of CXX, else a g++ that is new enough; old ones keep theirs.
use_compiler() {
    [[ -z ${CXX:-} ]] || return 0
    if CXX=$(find_compiler); then export CXX; else unset CXX; fi
}

# Where ccache is installed, what was compiled before is not compiled again, in another clone either.
use_compiler_cache() {
    command -v ccache >/dev/null || return 0
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 \
        CCACHE_SLOPPINESS=pch_defines,time_macros
}

# quietly LOG COMMAND...: the command's output goes to the log, and is shown where the command fails.
quietly() {
    local log=$1 status=0
    shift
    mkdir -p "$(dirname "$log")"
    "$@" >"$log" 2>&1 || status=$?
    if ((status != 0)); then cat "$log" >&2; fi
    return "$status"
}
