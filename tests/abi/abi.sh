#!/usr/bin/env bash
# abi.sh [--update] LIBRARY: compares the types and functions of libhkpd.so.1 with libhkpd.abi, the description that was
# committed. Any difference fails: a removed or changed function or member breaks programs, and an addition must be
# committed. --update: writes the description anew. Wants abigail-tools; exits with 77 without them, or on another
# architecture than that of the description.
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
update=
if [[ ${1:-} == --update ]]; then
    update=1
    shift
fi
library=$1
header=$here/../../lib/include/hkpd.h
# Types are public if a header of this folder defines them; lib/include has those of C++, too.
headers=$(mktemp -d)
trap 'rm -rf "$headers"' EXIT
cp "$header" "$headers"
description=$here/libhkpd.abi
# shellcheck source=tests/missing.sh
source "$here/../missing.sh"
needs_program abidw abidiff
if [[ $(uname -m) != x86_64 ]]; then
    echo "skipped: this machine has no x86-64 processor, whose description was committed"
    exit 77
fi
if [[ -n $update ]]; then
    abidw --no-corpus-path --no-comp-dir-path --short-locs --no-elf-needed --exported-interfaces-only \
        --drop-private-types --drop-undefined-syms --headers-dir "$headers" \
        --out-file "$description" "$library"
    exit
fi
# What a program calls, and no more.
exported=$(nm -D --defined-only "$library" | sed -n 's/.* T \(.*\)@@HKPD_[0-9.]*$/\1/p' | sort)
declared=$(sed -n 's/^HKPD_API [a-z0-9_ *]*[ *]\(hkpd_[a-z_]*\)(.*/\1/p' "$header" | sort)
diff <(echo "$declared") <(echo "$exported")
diff <(echo "$exported") <(nm -D --defined-only "$library" | grep -v ' A HKPD_' | sed 's/.* . //; s/@@.*//' | sort)
abidiff --headers-dir1 "$headers" --headers-dir2 "$headers" "$description" "$library" || {
    echo "The ABI differs from tests/abi/libhkpd.abi. If it has only grown: tests/abi/abi.sh --update $library" >&2
    exit 1
}
echo "$(wc -w <<<"$exported") functions, as described"
