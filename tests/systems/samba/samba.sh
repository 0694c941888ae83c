#!/usr/bin/env bash
# samba.sh HKPD: a Samba server on loopback serves performance counters; tools/capture_remote.py fetches them over
# winreg, and the program HKPD decodes them: value for value those of the server. Prints a line for each check, and all
# its output if it fails. All files are in a temporary folder, and no process remains. Exits with 77 if it cannot be
# run: smbd wants root, and Debian's packages samba, python3-impacket and python3-tdb.
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../../..
export LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 HKPD_PASSWORD=pass-word
PATH=$PATH:/usr/sbin

# shellcheck source=tests/missing.sh
source "$root/tests/missing.sh"

(($# == 1)) || {
    echo "usage: samba.sh HKPD" >&2
    exit 2
}
hkpd=$(realpath "$1")
needs_root "smbd"
needs_program smbd smbpasswd
# Debian's modules are for its own python3, which may not be the first in the PATH.
for python in python3 /usr/bin/python3 ''; do
    [[ -n $python ]] || missing "python3 with both impacket and tdb (packages python3-impacket, python3-tdb)"
    if "$python" -c 'import impacket, tdb' 2>/dev/null; then break; fi
done
needs_loopback

helpers=
for directory in /usr/libexec/samba /usr/lib/*/samba /usr/lib/samba; do
    if [[ -x $directory/samba-dcerpcd ]]; then helpers=$directory; fi
done

folder=$(mktemp -d)
chmod 711 "$folder"
source "$root/tests/checks.sh"

# --- The server ---

# A process and all its descendants.
family() {
    local child
    echo "$1"
    cat "/proc/$1/task/"*/children 2>/dev/null | tr ' ' '\n' | while read -r child; do family "$child"; done
}

processes() {
    local id
    for id in "${started[@]}"; do family "$id"; done
}

living() {
    local id
    for id in "$@"; do if kill -0 "$id" 2>/dev/null; then echo "$id"; fi; done
}

# Asks the remaining processes to end; returns whether there are none.
none_left() {
    mapfile -t left < <(living "${all[@]}")
    ((${#left[@]} > 0)) || return 0
    kill "${left[@]}" 2>/dev/null || true
    return 1
}

# Ends the server. Returns false if a process had to be killed.
stop_server() {
    local started=() all left
    [[ ! -e $folder/started ]] || mapfile -t started <"$folder/started"
    mapfile -t all < <(processes)
    if wait_for "the server's processes end" none_left; then return; fi
    kill -KILL "${left[@]}" 2>/dev/null || true
    return 1
}
finish() {
    stop_server || true
    rm -rf "$folder"
}
trap finish EXIT

configure() {
    cat >"$folder/smb.conf" <<END
[global]
    netbios name = SMBPERF
    server role = standalone server
    interfaces = 127.0.0.1
    bind interfaces only = yes
    smb ports = $port
    disable netbios = yes
    load printers = no
    printcap name = /dev/null
    disable spoolss = yes
    private dir = $folder/private
    lock directory = $folder/lock
    state directory = $folder/state
    cache directory = $folder/cache
    pid directory = $folder/pid
    ncalrpc dir = $folder/ncalrpc
    usershare path = $folder/usershares
    log file = $folder/log/%m.log
    rpc start on demand helpers = no
    passdb backend = tdbsam:$folder/private/passdb.tdb
END
}

add_user() { printf '%s\n%s\n' "$HKPD_PASSWORD" "$HKPD_PASSWORD" | smbpasswd -c "$folder/smb.conf" -L -a -s "$1"; }

# If smbd ends instead of listening, because another program has taken the port, it is started again on another one.
start_server() {
    local attempt
    for attempt in 1 2 3; do
        configure
        if ((attempt == 1)); then
            add_user root
            add_user nobody
            "$python" "$here/fill_perfmon.py" fill "$folder/state/perfmon"
        fi
        launch smbd
        if [[ -n $helpers ]] && ((attempt == 1)); then start_helpers; fi
        wait_for "smbd listens" listening_or_gone || break
        if ! is_gone "$launched"; then return; fi
        echo "remark: smbd ended at once, and is started again"
        port=$(free_port)
        echo "$port" >"$folder/port"
    done
    cat "$folder"/log/*
    return 1
}

# Samba 4.16 and later: the program that serves pipes. smbd would start it without setting its log file, and
# samba-dcerpcd does not always pass the setting to its helper.
start_helpers() {
    printf '#!/bin/sh\nexec %q --log-basename=%q "$@"\n' "$helpers/rpcd_winreg" "$folder/log" >"$folder/rpcd_winreg"
    chmod 755 "$folder/rpcd_winreg"
    launch "$helpers/samba-dcerpcd" "$folder/rpcd_winreg"
    wait_for "samba-dcerpcd has made the pipe winreg" test -S "$folder/ncalrpc/np/winreg"
}

# In its own process group, since smbd ends its whole group with it.
launch() {
    local program=$1
    shift
    "$program" --foreground --configfile="$folder/smb.conf" --log-basename="$folder/log" "$@" \
        </dev/null >>"$folder/log/stdout" 2>&1 &
    launched=$!
    echo "$launched" >>"$folder/started"
}
listening_or_gone() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || is_gone "$launched"; }

# --- Checks ---

fetch() { "$python" "$root/tools/capture_remote.py" 127.0.0.1 --port "$port" --user root "$@"; }

# same FILE [INDEX...]: whether lines of CSV match the server's data, of these objects or of all. The time, which comes
# first, is the server's.
same() {
    local file=$1
    shift
    "$python" "$here/fill_perfmon.py" expect "$@" >expected.csv
    tail -n +2 "$file" | cut -d , -f 2- >got.csv
    diff -u expected.csv got.csv >difference || {
        head -n 20 difference
        return 1
    }
}

global_with_names() {
    fetch --output global
    "$hkpd" dump --format csv global >global.csv
    same global.csv
}

one_object() {
    fetch --object 12 --output objects
    "$hkpd" dump --format csv --object Processor objects >objects.csv
    same objects.csv 12
}

titles() {
    for value in counter explain; do
        "$python" "$here/fill_perfmon.py" titles "$value" >"$value.expected"
        "$hkpd" titles export "global/$value-009.multi_sz" | sed '/^1\t/d' | diff -u "$value.expected" -
    done
    "$hkpd" dump --object Memory --help-text global | grep -F 'Counters without instances.'
}

samples_into_a_capture() {
    local sample
    fetch --count 3 --interval 0.1 --output samples
    [[ $(find samples -name '*.bin' | wc -l) == 3 ]]
    "$hkpd" capture samples -o samples.mcap
    for sample in 0 1 2; do
        "$hkpd" dump --format csv --sample "$sample" samples.mcap >sample.csv
        same sample.csv
    done
    [[ $("$hkpd" replay --format csv --path '\Single\v' samples | cut -d , -f 17) == $'value\n5\n5\n5' ]]
}

small_buffer() {
    fetch --buffer 64 --output small
    "$hkpd" dump --format csv small >small.csv
    same small.csv
}

# fails CODE TEXT COMMAND...
fails() {
    local code=$1 text=$2 status=0 output
    shift 2
    output=$("$@" 2>&1) || status=$?
    echo "$output"
    [[ $status == "$code" && $output == *"$text"* ]]
}

too_small_buffer() {
    fails 1 "sample 0 is incomplete" fetch --max-bytes 2000 --output cut
    fails 1 "the input has fewer bytes than the block" "$hkpd" dump cut
}

wrong_password() {
    HKPD_PASSWORD=wrong fails 3 "wrong user or password" fetch --output none
    [[ ! -e none ]]
}

by_hash() {
    local hash
    hash=$("$python" -c 'from impacket.ntlm import compute_nthash; import sys; print(compute_nthash(sys.argv[1]).hex())' \
        "$HKPD_PASSWORD")
    HKPD_PASSWORD=$hash fetch --hash --output hash
}

no_rights() { fails 3 "Performance Monitor Users" fetch --user nobody --output none-either; }

no_server() { fails 3 "cannot be reached" fetch --port "$(free_port)" --output nowhere; }

# Where Samba would write without these settings.
no_file_elsewhere() {
    local found
    found=$(find /run/samba /var/{lib,cache,log}/samba -newer "$folder/begin" 2>/dev/null || true)
    echo "$found"
    [[ -z $found ]]
}

mkdir "$folder"/{private,lock,state,cache,pid,ncalrpc,usershares,log}
touch "$folder/begin"
port=$(free_port)

check "capture policy" "$python" "$here/capture_remote_test.py"
check "samba" start_server
[[ ! -e $folder/port ]] || read -r port <"$folder/port" # it was started in a shell of its own
check "global, by name" global_with_names
check "an object" one_object
check "titles" titles
check "samples" samples_into_a_capture
check "small buffer" small_buffer
check "too small buffer" too_small_buffer
check "wrong password" wrong_password
check "hash" by_hash
check "no rights" no_rights
check "no server" no_server
check "no process left" stop_server
check "no file left" no_file_elsewhere
((failed == 0))
