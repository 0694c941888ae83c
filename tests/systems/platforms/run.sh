#!/usr/bin/env bash
# run.sh [--command] NAME...: builds hkpd for other platforms with warnings as errors, runs its tests there, and compares
# the output of the commands of commands.py with that of build/release/tools/hkpd, which has to exist, byte for byte.
# Prints a line for each platform. NAME is i386, s390x, clang, libc++, debian13-gcc13 or debian13-gcc14. --command:
# without the tests, and every third of the commands. Each build runs in a minimal system of a release of Debian, which
# is kept for a week in the user's cache directory, or in the folder HKPD_PLATFORMS; nothing else of the machine is used
# but the tree, ../shared and the compiler cache. Where the kernel starts no 32-bit programs, qemu runs those of i386,
# and --command compares every twelfth command. Mounts and processes are in namespaces of their own. Wants root. Exits
# with 77 if it cannot be run.
set -euo pipefail
here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd -P "$here/../../.." && pwd)
source "$root/tools/common.sh"
source "$root/tests/package/minimal_system.sh"
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
PATH=$PATH:/usr/sbin:/sbin
systems=${HKPD_PLATFORMS:-${XDG_CACHE_HOME:-$HOME/.cache}/hkpd/platforms}
cache=${CCACHE_DIR:-$HOME/.cache/ccache}
shared=$(cd -P "${HKPD_SHARED_DIR:-$root/../shared}" 2>/dev/null && pwd) || shared=
jobs=$(nproc)
usage="usage: run.sh [--command] i386|s390x|clang|libc++|debian13-gcc13|debian13-gcc14..."

# Returns whether the kernel starts 32-bit programs: it is given one that does nothing but exit(0).
starts_i386() {
    local program status=0
    program=$(mktemp)
    # The head of an ELF file, one segment at 0x08048000, and xor eax, eax; inc eax; xor ebx, ebx; int 0x80.
    printf '\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0\x01\0\0\0\x54\x80\x04\x08\x34\0\0\0\0\0\0\0\0\0\0\0\x34\0\x20\0\x01\0\x28\0\0\0\0\0' >"$program"
    printf '\x01\0\0\0\0\0\0\0\0\x80\x04\x08\0\x80\x04\x08\x5b\0\0\0\x5b\0\0\0\x05\0\0\0\0\x10\0\0\x31\xc0\x40\x31\xdb\xcd\x80' >>"$program"
    chmod +x "$program"
    "$program" 2>/dev/null || status=$?
    rm "$program"
    return "$status"
}

# platform NAME: sets what a platform consists of. `foreign` is an architecture whose programs qemu runs.
platform() {
    name=$1 release=bookworm architecture=amd64 foreign='' compiler=g++ packages=() excluded='^$' share=3
    local newer=-L/usr/lib/gcc/x86_64-linux-gnu/14
    options=("-DHKPD_TEST_OPTIONS=-O0;-U_FORTIFY_SOURCE")
    case $name in
    i386)
        if starts_i386; then
            architecture=i386
        else
            foreign=i386 compiler=i686-linux-gnu-g++ packages=(g++-i686-linux-gnu qemu-user-static) share=12
        fi
        # The tests' own code may narrow sizes of 64 bits; that of the library and the command may not.
        options=("-DHKPD_TEST_OPTIONS=-O0;-U_FORTIFY_SOURCE;-Wno-error=conversion;-Wno-error=sign-conversion;-Wno-error=narrowing")
        ;;
    s390x)
        foreign=s390x compiler=s390x-linux-gnu-g++ packages=(g++-s390x-linux-gnu qemu-user-static)
        options+=(-DHKPD_TEST_TIMEOUT=3000)
        # Interpreted, it takes an hour to write 2 GiB, and it is about 32 bits; memory is also that of qemu; /proc shows
        # qemu instead of the program.
        excluded='LargeCapture|CaptureDamage\.Bombs|SqliteCli\.ARunWithoutSamplesRemovesNothing'
        ;;
    clang) compiler=clang++-19 packages=(clang-19) ;;
    libc++)
        release=trixie compiler=clang++-19
        packages=(clang-19 libc++-19-dev libc++abi-19-dev libunwind-19-dev googletest dpkg-dev)
        options+=(-DCMAKE_CXX_FLAGS=-stdlib=libc++ "-DCMAKE_PREFIX_PATH=/opt/libc++")
        ;;
    debian13-gcc13)
        release=trixie compiler=g++-13 packages=(g++-13)
        # Debian's libraries are made by GCC 14 and need its libstdc++; GCC 13 has a file of its own to link with.
        options+=("-DCMAKE_EXE_LINKER_FLAGS=$newer" "-DCMAKE_SHARED_LINKER_FLAGS=$newer")
        ;;
    debian13-gcc14) release=trixie compiler=g++-14 packages=(g++-14) ;;
    *)
        echo "$usage" >&2
        exit 2
        ;;
    esac
    system=$systems/$release-$architecture/system
    build=$root/build/platforms/$name
    log=$root/build/logs/platform-$name
}

# in_system COMMAND...: runs it in the tree, as in a fresh login.
in_system() {
    # shellcheck disable=SC2016
    chroot "$system" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive HKPD_SHARED_DIR="$shared" CCACHE_DIR=/ccache CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 \
        CCACHE_SLOPPINESS=time_macros ${foreign:+HKPD_NO_TIME_LIMIT=1} sh -c 'cd "$0" && exec "$@"' "$root" "$@"
}

# Makes the tree, the real data and the compiler cache visible in the system, with the same paths.
mount_folders() {
    local folder
    mkdir -p "$cache" "$system/ccache"
    for folder in "$root" $shared; do
        mkdir -p "$system$folder"
        mount --bind "$folder" "$system$folder"
    done
    mount --bind "$cache" "$system/ccache"
    mount -t proc proc "$system/proc"
    mount --rbind /dev "$system/dev"
}

# The C++ libraries of libc++'s build, unless they are there from the same description.
build_libcxx_libraries() {
    local boost sources=/opt/libc++/sources
    if cmp -s "$here/libcxx/CMakeLists.txt" "$system/opt/libc++/made-from"; then return; fi
    rm -rf "${system:?}/opt/libc++"
    sed -n 's/^deb /deb-src /p' "$system/etc/apt/sources.list" >"$system/etc/apt/sources.list.d/source-packages.list"
    in_system apt-get -q update
    # shellcheck disable=SC2016
    boost=boost$(in_system dpkg-query -W -f '${Version}' libboost-dev | cut -d . -f 1,2)
    in_system mkdir -p "$sources"
    # Their maker, an account without rights to the folder, is not needed: apt checks the signatures. pugixml is taken as
    # released: not every mirror has Debian's part of its source package.
    in_system sh -c "cd $sources && apt-get -q -o APT::Sandbox::User= source abseil fmtlib $boost &&
        apt-get -q -o APT::Sandbox::User= --tar-only source pugixml && tar -xf pugixml_*.orig.tar.gz"
    in_system cmake -G Ninja -S "$here/libcxx" -B /opt/libc++/build -D SOURCES="$sources" -D CMAKE_BUILD_TYPE=Release \
        -D CMAKE_C_COMPILER=clang-19 -D CMAKE_CXX_COMPILER=clang++-19 -D CMAKE_CXX_FLAGS=-stdlib=libc++ \
        -D CMAKE_INSTALL_PREFIX=/opt/libc++ -D CMAKE_INSTALL_MESSAGE=NEVER -D CMAKE_CXX_COMPILER_LAUNCHER=ccache
    in_system cmake --build /opt/libc++/build --parallel "$jobs"
    in_system cmake --install /opt/libc++/build
    rm -rf "${system:?}$sources"
    cp "$here/libcxx/CMakeLists.txt" "$system/opt/libc++/made-from"
}

# Unpacks the system, unless it is there and at most a week old, and installs what is missing.
prepare() {
    local libraries one wanted
    if [[ -z $(find "$system/made" -mtime -7 2>/dev/null) ]]; then
        rm -rf --one-file-system "$system"
        mkdir -p "$(dirname "$system")"
        make_system "$release" "$architecture"
        touch "$system/made"
    fi
    mount_folders
    read -ra libraries < <("$root/tools/install-packages.sh" libraries)
    wanted=(ca-certificates ccache cmake g++ ninja-build python3 sqlite3 tzdata "${packages[@]}" "${libraries[@]}")
    if [[ -n $foreign ]]; then
        # RapidJSON consists of headers, whose package is the same for all architectures.
        for one in "${libraries[@]}" libc6 libstdc++6; do [[ $one == rapidjson-dev ]] || wanted+=("$one:$foreign"); done
    fi
    if [[ $(cat "$system/installed-$name" 2>/dev/null) != "${wanted[*]}" ]]; then
        if [[ -n $foreign ]]; then in_system dpkg --add-architecture "$foreign"; fi
        in_system apt-get -q update
        in_system apt-get -q install -y --no-install-recommends "${wanted[@]}"
        echo "${wanted[*]}" >"$system/installed-$name"
    fi
    if [[ $name == libc++ ]]; then build_libcxx_libraries; fi
}

# Makes the kernel start programs of the foreign architecture with qemu, in this user namespace only.
start_with_qemu() {
    # The first bytes of an ELF program, and which of their bits count: 64-bit, big-endian, machine 22 or 32-bit,
    # little-endian, machine 3.
    local magic='\x7fELF\x02\x02\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x16'
    local mask='\xff\xff\xff\xff\xff\xff\xff\xfc\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff'
    if [[ $foreign == i386 ]]; then
        magic='\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x03\x00'
        mask='\xff\xff\xff\xff\xff\xff\xff\xfc\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    fi
    mount -t binfmt_misc binfmt_misc "$system/proc/sys/fs/binfmt_misc"
    # shellcheck disable=SC2016
    in_system sh -c 'printf %s "$0" >/proc/sys/fs/binfmt_misc/register' ":$foreign:M::$magic:$mask:/usr/bin/qemu-$foreign-static:PF"
}

build_all() {
    local targets=()
    if [[ -n $command_only ]]; then targets=(--target hkpd_command); fi
    in_system cmake -G Ninja -S . -B "$build" -D CMAKE_BUILD_TYPE=Release -D "CMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" \
        -D CMAKE_UNITY_BUILD=ON -D CMAKE_UNITY_BUILD_BATCH_SIZE=24 -D HKPD_WERROR=ON -D CMAKE_CXX_COMPILER="$compiler" \
        -D CMAKE_CXX_COMPILER_LAUNCHER=ccache ${shared:+-D "HKPD_SHARED_DIR=$shared"} "${options[@]}"
    in_system cmake --build "$build" --parallel "$jobs" "${targets[@]}" -- -k 0 # every error in one run
}

# test_all: prints the counts; fails if a test fails.
test_all() {
    local counts good bad skipped status=0
    rm -f "$build/junit.xml"
    quietly "$log-tests.log" in_system ctest --test-dir "$build" --parallel "$jobs" --output-on-failure \
        --exclude-regex "$excluded" --output-junit "$build/junit.xml" || status=1
    counts=$("$root/tests/counts.py" "$build/junit.xml") || return 1
    read -r good bad skipped <<<"$counts"
    printf '%s tests passed, %s failed, %s skipped; ' "$good" "$bad" "$skipped"
    ((status == 0 && good > 0))
}

compare_all() {
    local status=0
    "$here/compare.py" build/release/tools/hkpd "build/platforms/$name/tools/hkpd" --system "$system" \
        --shared "$shared" ${command_only:+--share "$share"} >"$log-compare.log" 2>&1 || status=$?
    printf '%s' "$(tail -n 1 "$log-compare.log")"
    return "$status"
}

# Builds, tests and compares, in the namespaces of the platform.
run_inside() {
    local failed=
    mount -t proc proc "$system/proc"
    if [[ -n $foreign ]]; then start_with_qemu; fi
    printf '%s: ' "$name"
    quietly "$log-build.log" build_all || { echo "not built"; exit 1; }
    printf '%s; ' "$(in_system "$compiler" --version | head -n 1)"
    if [[ -z $command_only ]]; then test_all || failed=yes; fi
    compare_all || failed=yes
    echo
    if [[ -n $failed ]]; then head -n 60 "$log-compare.log" >&2; fi
    [[ -z $failed ]]
}

command_only=
if [[ ${1:-} == --command ]]; then
    command_only=yes
    shift
fi
if (($# == 0)); then
    echo "$usage" >&2
    exit 2
fi
# shellcheck source=tests/missing.sh
source "$root/tests/missing.sh"
needs_root "debootstrap"
needs_program debootstrap unshare python3
[[ -x $root/build/release/tools/hkpd ]] || { echo "run.sh: build the preset release first" >&2; exit 1; }
cd "$root"

if [[ -z ${HKPD_PLATFORM_STEP:-} ]]; then
    failed=0
    for one in "$@"; do
        platform "$one"
        HKPD_PLATFORM_STEP=prepare unshare --mount --pid --fork --kill-child "$here/run.sh" ${command_only:+--command} "$one" || failed=1
    done
    exit "$failed"
fi
platform "$1"
if [[ $HKPD_PLATFORM_STEP == system ]]; then
    prepare
    exit
fi
if [[ $HKPD_PLATFORM_STEP == prepare ]]; then
    # A script of its own, because it ends where a command fails, which functions called by `quietly` do not.
    HKPD_PLATFORM_STEP=system quietly "$log-system.log" "$here/run.sh" "$name"
    # A user namespace has its own programs that start others, which are otherwise the same for the whole machine.
    HKPD_PLATFORM_STEP=inside exec unshare ${foreign:+--user --map-root-user} --mount --pid --fork --kill-child \
        "$here/run.sh" ${command_only:+--command} "$name"
fi
run_inside
