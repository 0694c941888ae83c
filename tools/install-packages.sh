#!/usr/bin/env bash
# install-packages.sh build|tests|fuzz|windows|release|ci|all|libraries: installs the missing Debian or Ubuntu packages for
# building hkpd, for building and running its tests, for fuzzing it, for building hkpd.exe and running its tests under
# Wine, for tools/release.sh, or for tests/run.sh --ci or --all. Silent if nothing is missing. libraries: prints the
# libraries of all builds and tests instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source tools/common.sh
export LC_ALL=C

message() { printf 'install-packages.sh: %s\n' "$*" >&2; }
fail() {
    message "$@"
    exit 1
}

libraries=(libabsl-dev libboost-dev libboost-program-options-dev libdeflate-dev libfmt-dev libpugixml-dev libsqlite3-dev
    libutf8proc-dev libzstd-dev rapidjson-dev)
commands=(ninja:ninja-build)
optional=() # packages that not every release has
for_tests() {
    libraries+=(libgtest-dev libgmock-dev python3-cffi python3-matplotlib python3-pandas python3-prometheus-client
        python3-setuptools python3-wheel tzdata)
    commands+=(ccache:ccache python3:python3 node:nodejs npm:npm sqlite3:sqlite3)
}
for_fuzzing() {
    libraries+=(libclang-rt-19-dev)
    commands+=(clang++-19:clang-19 valgrind:valgrind)
}
# GCC runs the linker of LLVM under this name. Its own takes four minutes for the tests, as it searches lists of sections.
mingw_lld=/usr/bin/x86_64-w64-mingw32-ld.lld
for_windows() {
    libraries+=(wine64)
    commands+=("$mingw_lld:lld-19")
    for_cross_building
}
for_cross_building() {
    # dpkg-dev and the packages after it unpack and prepare the sources of the libraries of hkpd.exe.
    commands+=(x86_64-w64-mingw32-g++-posix:g++-mingw-w64-x86-64-posix dpkg-source:dpkg-dev make:make
        tclsh:tcl xz:xz-utils bzip2:bzip2)
}
# hkpd.exe is only built, not run.
for_release() {
    for_cross_building
    commands+=(git:git python3:python3 zip:zip)
}
# Checks of the sources, instruction counts and benchmarks, checks of documents and packages, and Samba.
for_ci() {
    for_tests
    for_fuzzing
    for_windows
    libraries+=(libbenchmark-dev samba python3-impacket python3-tdb python3-yaml bsdextrautils)
    # /usr/bin: Debian's Rust is the oldest that is supported, whatever else is on the PATH.
    commands+=(go:golang-go /usr/bin/rustc:rustc /usr/bin/cargo:cargo)
    commands+=(doxygen:doxygen groff:groff man:man-db mandoc:mandoc lowdown:lowdown zsh:zsh fish:fish shellcheck:shellcheck
        lintian:lintian mypy:mypy abidw:abigail-tools pkg-config:pkgconf clang-format-19:clang-format-19
        clang-tidy-19:clang-tidy-19 debootstrap:debootstrap chromium:chromium)
}
case ${1:-} in
libraries)
    echo "${libraries[*]} libgtest-dev libgmock-dev"
    exit 0
    ;;
build) ;;
tests) for_tests ;;
fuzz) for_fuzzing ;;
windows)
    libraries=()
    for_windows
    ;;
release) for_release ;;
ci) for_ci ;;
all)
    for_ci
    for_release
    commands+=(buildah:buildah)
    ;;
*)
    message "usage: install-packages.sh build|tests|fuzz|windows|release|ci|all|libraries"
    exit 2
    ;;
esac

cmake_version() { cmake --version 2>/dev/null | sed -n '1s/.* //p'; }
cmake_is_new_enough() {
    local version
    version=$(cmake_version) || return 1
    [[ -n $version && $(printf '%s\n' 3.25 "$version" | sort -V | head -n 1) == 3.25 ]]
}
has_compiler() { [[ -n ${CXX:-} ]] || find_compiler >/dev/null; }
# The version of a package that apt would install; empty if unknown. (apt treats an unknown name as an expression, and g++
# matches many packages.)
candidate() { apt-cache policy "$1" | sed -n "/^$1:\$/,/^ *Version/s/^ *Candidate: \([^(].*\)/\1/p"; }
has_lists() { compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; }
# Prints the package of the compiler: g++-12 if the installed g++ or the release's g++ is older than 12, otherwise g++.
compiler_package() {
    local version
    version=$(candidate g++)
    version=${version#*:}
    version=${version%%.*}
    if command -v g++ >/dev/null || ((${version:-12} < 12)); then echo g++-12; else echo g++; fi
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    has_compiler || libraries=(g++ "${libraries[@]}")
    cmake_is_new_enough || libraries=(cmake "${libraries[@]}")
    command -v ninja >/dev/null || libraries=(ninja-build "${libraries[@]}")
    message "no apt-get found: nothing was checked or installed. hkpd needs the equivalents of the Debian packages" \
        "${libraries[*]} ${optional[*]}"
    exit 0
fi

# Fills `missing`. Searches commands on the PATH, so that those installed without apt count, and libraries in dpkg's
# database.
find_missing() {
    local entry installed
    missing=()
    has_compiler || missing+=("$(compiler_package)")
    cmake_is_new_enough || missing+=(cmake)
    for entry in "${commands[@]}"; do
        command -v "${entry%%:*}" >/dev/null || missing+=("${entry#*:}")
    done
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${libraries[@]}" 2>/dev/null || true)
    for entry in "${libraries[@]}"; do
        grep -qx "$entry installed" <<<"$installed" || missing+=("$entry")
    done
    for entry in "${optional[@]}"; do
        command -v "$entry" >/dev/null && continue
        # Before the first `apt-get update` it is unknown whether the release has it.
        if [[ -n $(candidate "$entry") ]] || ! has_lists; then missing+=("$entry"); fi
    done
}

find_missing
if ((${#missing[@]} > 0)); then
    if ((EUID == 0)); then
        as_root=(env)
    elif sudo -n true 2>/dev/null; then
        as_root=(sudo env)
    else
        sudo=
        if command -v sudo >/dev/null; then sudo='sudo '; fi
        fail "packages are missing and can only be installed by root. Run this, then try again:
    ${sudo}apt-get update && ${sudo}apt-get install --no-install-recommends ${missing[*]}"
    fi
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    apt=("${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get)
    # Continue: the packages needed may be in the archives that did answer.
    quietly "$log" "${apt[@]}" update || message "apt-get update failed; using the existing package lists"
    find_missing
fi
if ((${#missing[@]} > 0)); then
    message "installing ${missing[*]}"
    quietly "$log" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" ||
        fail "apt-get install failed"
    # Samba is for a test that starts its own server; it must not serve files of this machine.
    if [[ " ${missing[*]} " == *" samba "* && -d /run/systemd/system ]]; then
        "${as_root[@]}" systemctl --quiet disable --now smbd nmbd samba-ad-dc 2>/dev/null || true
    fi
    if [[ " ${missing[*]} " == *" lld-19 "* ]]; then "${as_root[@]}" ln -sf /usr/bin/ld.lld-19 "$mingw_lld"; fi
fi

hash -r
has_compiler || fail "g++ 12 or newer is required, but this release has none"
cmake_is_new_enough ||
    fail "CMake 3.25 or newer is required, but this release has $(cmake_version): get it from https://cmake.org/download/"
