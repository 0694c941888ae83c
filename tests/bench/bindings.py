#!/usr/bin/env python3
"""bindings.py BUILD [--rounds N] [--check]: the C interface from other languages.

Adds up all raw and cooked values of the machine of 60,600 values, 64 samples, by programs of one form: columns.cpp with the
C++ library, and cmd/columns in tools/go and examples/columns.rs in tools/rust with the C interface. The programs take
turns, N times; the figures are medians of processor times, and of the ratios within a turn. All sums must be equal.
Also decodes one sample by perflib of tools/go, with and without filling the structs of a collector, and by the stand-in
for exporters' parsers in tests/bench/go. --check: status 1
if a language takes more than twice the time of C++. A language that is not installed is skipped. BUILD: build/release."""

import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 2.0


def run(command, **more):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **more).stdout


def environment(build):
    """For programs over libhkpd of the build tree, without the network."""
    library = build / "lib"
    return os.environ | {
        "LD_LIBRARY_PATH": str(library),
        "CGO_CFLAGS": f"-O2 -I{ROOT / 'lib/include'}",
        "CGO_LDFLAGS": f"-L{library}",
        "GOFLAGS": "-mod=mod -tags=hkpd_flags",
        "GOPROXY": "off",
        "GOCACHE": str(library / "go-cache"),
        "HKPD_LIB_DIR": str(library),
        "CARGO_TARGET_DIR": str(library / "cargo-target"),
        "PATH": f"/usr/bin:{os.environ['PATH']}",
    }


def programs(build, folder, variables):
    """Returns the program of each language."""
    found = {"C++": build / "tests/bench/columns"}
    if shutil.which("go"):
        run(["go", "build", "-o", folder / "columns-go", "./cmd/columns"], cwd=ROOT / "tools/go/hkpd", env=variables)
        found["Go"] = folder / "columns-go"
    else:
        print("Go: skipped, it is not installed")
    if shutil.which("cargo"):
        run(["cargo", "build", "--offline", "--locked", "--quiet", "--release", "--example", "columns"],
            cwd=ROOT / "tools/rust/hkpd", env=variables)
        found["Rust"] = pathlib.Path(variables["CARGO_TARGET_DIR"]) / "release/examples/columns"
    else:
        print("Rust: skipped, it is not installed")
    return found


def compare(found, machine, rounds, variables):
    """Runs the programs in turn. Returns the median time of each in ms, and its ratio to that of C++."""
    times = {language: [] for language in found}
    sums = set()
    for turn in range(rounds):
        order = list(found.items())
        for language, program in order if turn % 2 == 0 else reversed(order):
            milliseconds, raw, cooked, values = run([program, machine, "3"], env=variables).split()
            times[language].append(float(milliseconds))
            sums.add((int(raw) % 2**64, float(f"{float(cooked):.10g}"), int(values)))
    assert len(sums) == 1, f"the programs found different sums: {sums}"
    values = sums.pop()[2]
    assert values == 64 * 60600, values
    return values, {language: (statistics.median(taken),
                               statistics.median(t / c for t, c in zip(taken, times["C++"])))
                    for language, taken in times.items()}


def decoding(blob, variables):
    """Returns the ns per value of the benchmarks of perflib: the median of five."""
    output = run(["go", "test", "./perflib", "-run", "NONE", "-bench", ".", "-count", "5"], cwd=ROOT / "tools/go/hkpd",
                 env=variables | {"HKPD_BENCH_BLOB": str(blob)})
    found = {}
    for name, value in re.findall(r"^Benchmark(\w+?)(?:-\d+)?\s.*?([\d.]+) ns/value", output, re.M):
        found.setdefault(name, []).append(float(value))
    return {name: statistics.median(values) for name, values in found.items()}


def stand_in(build, folder, blob, variables):
    """Returns the ns per value of the stand-in for exporters' parsers (tests/bench/go): the median of its own 101 runs."""
    titles = folder / "titles"
    run([build / "tools/hkpd", "titles", "export", "--format", "multi_sz", "-o", titles])
    # With cgo it would start as a program with threads of C.
    run(["go", "build", "-o", folder / "stand-in", "."], cwd=ROOT / "tests/bench/go",
        env=variables | {"GOFLAGS": "-mod=mod", "CGO_ENABLED": "0"})
    return float(run([folder / "stand-in", "-decode", "101", titles, blob]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    build = options.build.resolve()
    variables = environment(build)
    missed = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for samples in (64, 1):
            run([build / "tests/bench/make_machine", "60600", str(samples), folder / f"machine-{samples}"])
        found = programs(build, folder, variables)
        values, figures = compare(found, folder / "machine-64", options.rounds, variables)
        print(f"{'columns, read, cooked and summed':34} {'ms':>8} {'ns/value':>9} {'ratio':>6}")
        for language, (milliseconds, ratio) in figures.items():
            print(f"{language:34} {milliseconds:8.2f} {milliseconds * 1e6 / values:9.2f} {ratio:6.2f}")
            if ratio > LIMIT:
                missed.append(language)
        if "Go" in found:
            for name, figure in decoding(folder / "machine-1", variables).items():
                print(f"Go, perflib: {name:21} {'':8} {figure:9.2f}")
        if "Go" in found and (ROOT / "tests/bench/go").is_dir():
            print(f"{'Go, stand-in for exporters':34} {'':8} {stand_in(build, folder, folder / 'machine-1', variables):9.2f}")
    for language in missed:
        print(f"MISSED: {language} takes more than {LIMIT} times the time of C++")
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
