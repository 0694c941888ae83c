#!/usr/bin/env bash
# Step of action.yml: checks the files, writes the SARIF file, and fails as HKPD_FAIL_ON demands.
# Outputs: sarif, errors, warnings.
set -euo pipefail
shopt -s globstar nullglob

fail() {
    printf '::error::hkpd: %s\n' "$*"
    exit 1
}
[[ $HKPD_FAIL_ON =~ ^(warning|error|never)$ ]] ||
    fail "fail-on: expected warning, error or never, found '${HKPD_FAIL_ON//[^[:print:]]/?}'"
# Another line would be another output of this step.
[[ -n $HKPD_SARIF && $HKPD_SARIF != *[[:cntrl:]]* ]] || fail "sarif: expected the name of a file"

files=()
IFS= # a pattern is expanded, but never split at its spaces
while read -r line; do
    line=${line%$'\r'}
    [[ -n ${line// /} ]] || continue
    # shellcheck disable=SC2206
    if [[ -e $line ]]; then found=("$line"); else found=($line); fi
    ((${#found[@]} > 0)) || fail "files: '${line//[^[:print:]]/?}' is no file, and no pattern of one"
    files+=("${found[@]}")
done <<<"$HKPD_FILES"
((${#files[@]} > 0)) || fail "files: expected at least one"

status=0
"$HKPD_COMMAND" check --format sarif -o "$HKPD_SARIF" -- "${files[@]}" || status=$?
((status <= 1)) || fail "hkpd check ended with exit code $status"

# Text of the files is no command of the runner.
token=hkpd-$(od -An -tx1 -N16 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
"$HKPD_COMMAND" check -- "${files[@]}" 2>&1 || true
echo "::$token::"

counts=$(python3 -c '
import collections, json, sys
levels = collections.Counter(result.get("level", "warning") for run in json.load(open(sys.argv[1], encoding="utf-8"))["runs"]
                             for result in run["results"])
print(levels["error"], levels["warning"])' "$HKPD_SARIF")
errors=${counts% *} warnings=${counts#* }
printf '%s\n' "sarif=$HKPD_SARIF" "errors=$errors" "warnings=$warnings" >>"$GITHUB_OUTPUT"
echo "hkpd: $errors errors, $warnings warnings in ${#files[@]} inputs"
case $HKPD_FAIL_ON in
warning) ((status == 0)) ;;
error) ((errors == 0)) ;;
esac || fail "$errors errors and $warnings warnings; ${HKPD_SARIF//[^[:print:]]/?} lists them"
