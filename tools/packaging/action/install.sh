#!/usr/bin/env bash
# Step of action.yml: fetches the static command of a release, compares its checksum, and unpacks it below RUNNER_TEMP.
# Output: command, its path.
set -euo pipefail

fail() {
    printf '::error::hkpd: %s\n' "$*"
    exit 1
}
[[ ${RUNNER_OS:-} == Linux && ${RUNNER_ARCH:-} == X64 ]] ||
    fail "the action needs a Linux runner with x86-64, found ${RUNNER_OS:-?} ${RUNNER_ARCH:-?}: use runs-on: ubuntu-latest"

version=${HKPD_VERSION#v}
if [[ -z $version ]]; then
    version=$(sed -n 's/^project(hkpd VERSION \([0-9.]*\) .*/\1/p' "$HKPD_ACTION/../../../CMakeLists.txt")
fi
[[ $version =~ ^[0-9]+(\.[0-9]+)*$ ]] || fail "version: expected a number such as 0.1.0, found '${HKPD_VERSION//[^[:print:]]/?}'"
url=$HKPD_RELEASE_URL
if [[ -z $url ]]; then
    [[ -n $HKPD_REPOSITORY ]] || fail "the repository of the action is unknown: set the input release-url"
    url=$HKPD_SERVER/$HKPD_REPOSITORY/releases/download/v$version
fi

archive=hkpd-$version-linux-x86_64.tar.gz
folder=$(mktemp -d "$RUNNER_TEMP/hkpd.XXXXXX")
cd "$folder"
# fetch FILE: file: is for copies of a release on the runner.
fetch() {
    curl --fail --silent --show-error --location --retry 3 --proto '=https,file' --proto-redir '=https' \
        --output "$1" -- "$url/$1" || fail "$url/$1 cannot be fetched"
}
fetch "$archive"
expected=$HKPD_SHA256
if [[ -z $expected ]]; then
    fetch SHA256SUMS
    expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" SHA256SUMS)
fi
found=$(sha256sum "$archive")
found=${found%% *}
[[ $found == "${expected,,}" ]] ||
    fail "the checksum of $archive is wrong: expected ${expected:-a line in SHA256SUMS}, found $found; nothing of it was run"
tar -xzf "$archive" --strip-components 1 --no-same-owner
bin/hkpd --version
echo "command=$folder/bin/hkpd" >>"$GITHUB_OUTPUT"
