# shellcheck shell=bash
# What scripts of tests need of the machine that runs them, as support/machine.hpp for tests in C++. To be sourced.

# missing WHAT: ends the script as skipped (77), with one line on standard output; as failed if the environment has CI,
# whose machines have everything.
missing() {
    if [[ -n ${CI+set} ]]; then
        echo "failed: this machine has no $1, and the environment has CI"
        exit 1
    fi
    echo "skipped: this machine has no $1"
    exit 77
}

# needs_program NAME...
needs_program() {
    local name
    for name in "$@"; do command -v "$name" >/dev/null || missing "$name"; done
}

# needs_root WHY
needs_root() { ((EUID == 0)) || missing "root for its tests: $1"; }

# needs_loopback: connects to a port of 127.0.0.1. Wants python3.
needs_loopback() {
    python3 - 2>/dev/null <<'END' || missing "loopback network"
import socket
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname(), 5)
END
}
