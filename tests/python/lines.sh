#!/usr/bin/env bash
# lines.sh LINES PYTHON: compares all that the Python package reads with what the C++ library reads, for all of testdata.
set -euo pipefail
folder=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/missing.sh
source "$folder/../missing.sh"
"$2" -c 'import cffi' 2>/dev/null || missing "python3-cffi"
exec "$folder/../abi/compare.sh" "$1" "$2 $folder/lines.py"
