#!/usr/bin/env bash
# Builds the reference of the public headers, build/doxygen/html, without any warning; and wants a comment at every type,
# function, constant and enumeration in them. Members of types may speak for themselves: `size()`, `begin()`, Microsoft's
# own names.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/../.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT

rm -rf build/doxygen
mkdir -p build
doxygen lib/Doxyfile

# Once more, without writing anything: what has no comment.
{
    cat lib/Doxyfile
    echo "GENERATE_HTML = NO"
    echo "WARN_AS_ERROR = NO"
    echo "WARN_IF_UNDOCUMENTED = YES"
    echo "WARN_LOGFILE = $log"
} | doxygen - 2>&1 | { grep -v 'No output formats selected' || true; }

headers=$(find lib/include/hkpd -name '*.hpp' | wc -l)
pages=$(find build/doxygen/html -name '*_8hpp.html' | wc -l)
((pages == headers)) || { echo "$headers headers, but $pages pages"; exit 1; }

if grep -vE 'Member .* \((function|variable|typedef)\) of (class|struct) hkpd::' "$log"; then exit 1; fi
echo "$headers headers, build/doxygen/html/index.html"
