#!/usr/bin/env bash
# run.sh HKPD LINES FOLDER: tests the Rust crate of tools/bindings/rust over libhkpd in FOLDER: its own tests, among them that its
# declarations match hkpd.h, and the same lines as the C++ program LINES for all of testdata. Needs Rust 1.63, a C
# compiler and pkg-config. Uses no network.
set -euo pipefail
hkpd=$(realpath -- "$1")
lines=$(realpath -- "$2")
folder=$(realpath -- "$3")
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)

# Debian's release first, which is the oldest that must do; any other on the PATH otherwise.
PATH=/usr/bin:$PATH
# shellcheck source=tests/missing.sh
source "$root/tests/missing.sh"
needs_program cargo rustc cc pkg-config
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# As it is installed: lib, include and the package's description.
mkdir -p "$work/lib/pkgconfig"
ln -s "$root/lib/include" "$work/include"
ln -s "$folder"/libhkpd.so* "$work/lib"
cp "$folder/hkpd.pc" "$work/lib/pkgconfig"
unset RUSTC RUSTDOC HKPD_LIB_DIR
export LD_LIBRARY_PATH=$work/lib HKPD_INCLUDE_DIR=$work/include RUSTFLAGS=-Dwarnings
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$folder/cargo-target} CARGO_NET_OFFLINE=true
rustc --version

cd "$root/tools/bindings/rust/hkpd"
# The folder of the library differs from run to run: without pkg-config, what is built is kept.
HKPD_LIB_DIR=$folder cargo test --offline --locked --quiet
HKPD_LIB_DIR=$folder cargo build --offline --locked --quiet --release --example lines --example top --example rows
"$root/tests/abi/compare.sh" "$lines" "$CARGO_TARGET_DIR/release/examples/lines"
python3 "$root/tests/examples/compare.py" top "$hkpd" "$CARGO_TARGET_DIR/release/examples/top"
for answer in summary check; do
    python3 "$root/tests/examples/compare.py" "$answer" "$hkpd" "$CARGO_TARGET_DIR/release/examples/rows"
done

# With pkg-config.
PKG_CONFIG_PATH=$work/lib/pkgconfig CARGO_TARGET_DIR=$work/target cargo build --offline --locked --quiet --example lines
"$work/target/debug/examples/lines" "$root/testdata/captures/demo.bin" |
    cmp - <("$lines" "$root/testdata/captures/demo.bin")
