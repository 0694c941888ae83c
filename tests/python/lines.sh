#!/usr/bin/env bash
# lines.sh LINES PYTHON: compares all that the Python package reads with what the C++ library reads, for all of testdata.
set -euo pipefail
folder=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! "$2" -c 'import cffi'; then
    echo "skipped: $2 has no python3-cffi"
    exit 77
fi
exec "$folder/../abi/compare.sh" "$1" "$2 $folder/lines.py"
