#!/usr/bin/env bash
# Builds the reference of the public headers in build/doxygen/html. Fails on any warning, and on any type, function,
# constant or enumeration in them without a comment. Members of types need none: `size()`, `begin()`, Microsoft's own
# names.
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")/../.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT

rm -rf build/doxygen
mkdir -p build
doxygen lib/Doxyfile

# A second run, without output, lists everything without a comment.
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
