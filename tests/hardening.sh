#!/usr/bin/env bash
# hardening.sh HKPD LIBRARY: checks that the command has the properties that tools/hardening.cmake requests from
# compiler and linker. Debian's start-up code has no marks of control-flow protection, so the linker gives none to the
# program: those of the library are read instead.
set -euo pipefail
hkpd=$1 library=$2
failed=0

# has WHAT PATTERN TEXT: requires a matching line in the text.
has() {
    if grep -qE -- "$2" <<<"$3"; then
        echo "ok      $1"
    else
        echo "MISSING $1"
        failed=1
    fi
}

headers=$(readelf --wide --file-header --program-headers "$hkpd")
dynamic=$(readelf --wide --dynamic "$hkpd")
symbols=$(readelf --wide --dyn-syms "$hkpd")
has "addresses of the program are chosen at each start (PIE)" 'Type: +DYN ' "$headers"
has "and it is a program" 'FLAGS_1.*\bPIE\b' "$dynamic"
has "relocations are read-only (RELRO)" '^ +GNU_RELRO ' "$headers"
has "from the start (BIND_NOW)" 'FLAGS.*\b(BIND_NOW|NOW)\b' "$dynamic"
has "the stack is not executable" '^ +GNU_STACK .* RW +0x' "$headers"
has "the stack is guarded (-fstack-protector)" ' __stack_chk_fail\b' "$symbols"
has "functions of glibc are checked (_FORTIFY_SOURCE)" ' __(mem|str|sprintf|snprintf|vsnprintf|fread|read|fprintf)[a-z]*_chk\b' "$symbols"

if grep -q "Machine: .* X86-64" <<<"$headers"; then
    notes=$(readelf --wide --notes "$library")
    members=$(grep -c '^File: ' <<<"$notes")
    marked=$(grep -cE 'x86 feature: IBT, SHSTK' <<<"$notes" || true)
    has "all $members members of the library are marked for control-flow protection" "^$members\$" "$marked"
fi
exit "$failed"
