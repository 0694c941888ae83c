# shellcheck shell=bash
# Functions shared by the scripts. To be sourced in the root of the repository.

# Prints the first g++ with sufficient C++23 support.
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

# Sets CXX to a g++ that is new enough, unless it is set. Existing build trees keep their compiler.
use_compiler() {
    [[ -z ${CXX:-} ]] || return 0
    if CXX=$(find_compiler); then export CXX; else unset CXX; fi
}

# Enables ccache if it is installed, shared with other clones.
use_compiler_cache() {
    command -v ccache >/dev/null || return 0
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 \
        CCACHE_SLOPPINESS=time_macros
}

# quietly LOG COMMAND...: writes the output of the command to the log, and shows it if the command fails.
quietly() {
    local log=$1 status=0
    shift
    mkdir -p "$(dirname "$log")"
    "$@" >"$log" 2>&1 || status=$?
    if ((status != 0)); then cat "$log" >&2; fi
    return "$status"
}
