# shellcheck shell=bash
# Detects whether Wine has started a program, for scripts that retry a failed start but never a program's failure. To be
# sourced.

# not_started STATUS OUTPUT ERRORS: succeeds if Wine did not start the program, or lost it. STATUS is its exit status;
# the files OUTPUT and ERRORS have what it printed. Only for programs that always print something. Determined with
# Wine 8: the loader writes only its own messages (dlls/ntdll/unix/, dlls/ntdll/loader.c); if the server exits, there
# is no output and the status is 0, 1 or 128 + SIGQUIT; or there is no output and the status is the last byte of
# STATUS_DLL_NOT_FOUND (0xC0000135), STATUS_ENTRYPOINT_NOT_FOUND (0xC0000139), STATUS_DLL_INIT_FAILED (0xC0000142) or
# STATUS_INVALID_IMAGE_FORMAT (0xC000007B). A program that crashes has another status: 5 of 0xC0000005, 9 of
# 0xC0000409, 116 of 0xC0000374, 253 of 0xC00000FD.
not_started() {
    local own='^(wine client error:|wine: (could not (load|find|exec)|failed to (load|open|start|create)|cannot |chdir to |Bad server)|wine(64)?: dlls/ntdll/)'
    if [[ -s $2 ]]; then return 1; fi
    if [[ -s $3 ]]; then
        (($1 != 0)) && ! grep -qvE "$own" "$3"
    else
        (($1 == 0 || $1 == 1 || $1 == 131 || $1 == 0x35 || $1 == 0x39 || $1 == 0x42 || $1 == 0x7b))
    fi
}
