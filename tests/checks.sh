# shellcheck shell=bash
# Shared by the scripts that test hkpd together with other programs. Source it from a script that has a folder of its
# own, `folder`.

: "${folder:?}"
failed=0
timeout_s=120 # only a hang takes longer, however busy the machine is

# wait_for WHAT COMMAND...: waits until the command succeeds; prints WHAT if it does not in time.
wait_for() {
    local what=$1 end=$((SECONDS + timeout_s))
    shift
    until "$@"; do
        if ((SECONDS > end)); then
            echo "waited $timeout_s s until $what" >&2
            return 1
        fi
        sleep 0.1
    done
}

# check NAME COMMAND...: runs the command in a subshell, inside the folder, and prints a line for it, with its remarks;
# if it fails, also the end of its output.
check() {
    local name=$1 start=$SECONDS status
    shift
    # Not as part of a condition, in which -e has no effect.
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

# free_ports N: prints N different ports of loopback on which nothing listens, one per line.
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

# end_processes ID...: asks them to end and waits for it, then kills them. Returns false if one had to be killed.
end_processes() {
    local id forced=0
    for id in "$@"; do kill "$id" 2>/dev/null || true; done
    for id in "$@"; do
        if wait_for "process $id ends" is_gone "$id"; then continue; fi
        if kill -KILL "$id" 2>/dev/null; then forced=1; fi
    done
    if (($# > 0)); then wait "$@" 2>/dev/null || true; fi # those started by another shell cannot be waited for
    return "$forced"
}
