# shellcheck shell=bash
# What the scripts share that run hkpd beside other programs. To be sourced by one that has a folder of its own, `folder`.

: "${folder:?}"
failed=0
patience=120 # seconds: only what hangs takes longer, however busy the machine is

# wait_for WHAT COMMAND...: waits until the command succeeds; says what it waited for where it does not in time.
wait_for() {
    local what=$1 end=$((SECONDS + patience))
    shift
    until "$@"; do
        if ((SECONDS > end)); then
            echo "waited $patience s until $what" >&2
            return 1
        fi
        sleep 0.1
    done
}

# check NAME COMMAND...: runs it in a shell of its own, inside the folder, and prints a line for it, with what it remarks;
# where it fails, the end of its output too.
check() {
    local name=$1 start=$SECONDS status
    shift
    # Not as part of a condition, in which -e means nothing.
    set +e
    (
        set -ex
        cd "$folder"
        "$@"
    ) >"$folder/check.log" 2>&1
    status=$?
    set -e
    if ((status == 0)); then
        printf '%-7s %-24s %4d s  %s\n' ok "$name" $((SECONDS - start)) \
            "$(sed -n 's/^remark: //p' "$folder/check.log" | paste -sd ' ')"
    else
        printf '%-7s %-24s %4d s\n' FAILED "$name" $((SECONDS - start))
        tail -n 100 "$folder/check.log"
        failed=$((failed + 1))
    fi
}

# free_ports N: so many ports of loopback that nothing listens on, each on a line and no two the same.
free_ports() {
    python3 - "$1" <<'END'
import socket
import sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for each in sockets:
    each.bind(("127.0.0.1", 0))
for each in sockets:
    print(each.getsockname()[1])
END
}
free_port() { free_ports 1; }

is_gone() { ! kill -0 "$1" 2>/dev/null; }

# end_processes ID...: asks them to end and waits for it, then forces. False where something had to be forced.
end_processes() {
    local id forced=0
    for id in "$@"; do kill "$id" 2>/dev/null || true; done
    for id in "$@"; do
        if wait_for "process $id ends" is_gone "$id"; then continue; fi
        if kill -KILL "$id" 2>/dev/null; then forced=1; fi
    done
    if (($# > 0)); then wait "$@" 2>/dev/null || true; fi # not of those that another shell started
    return "$forced"
}
