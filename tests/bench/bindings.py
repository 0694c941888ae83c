#!/usr/bin/env python3
"""bindings.py BUILD [--rounds N] [--check]: the C interface from other languages.

Adds up all raw and cooked values of the machine of 60,600 values, 64 samples, by programs of one form: columns.cpp with the
C++ library, and cmd/columns in tools/bindings/go and examples/columns.rs in tools/bindings/rust with the C interface. The programs take
turns, N times; the figures are medians of processor times, and of the ratios within a turn. All sums must be equal.
Also decodes one sample by perflib of tools/bindings/go, with and without filling the structs of a collector, and by the stand-in
for exporters' parsers in tests/bench/go. --check: status 1
if a language takes more than twice the time of C++. A language that is not installed is skipped. BUILD: build/release."""

import argparse
import os
import pathlib
import resource
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
        run(["go", "build", "-o", folder / "columns-go", "./cmd/columns"], cwd=ROOT / "tools/bindings/go/hkpd", env=variables)
        found["Go"] = folder / "columns-go"
    else:
        print("Go: skipped, it is not installed")
    if shutil.which("cargo"):
        run(["cargo", "build", "--offline", "--locked", "--quiet", "--release", "--example", "columns"],
            cwd=ROOT / "tools/bindings/rust/hkpd", env=variables)
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


def processor_time(command, **more):
    """Returns the processor time of a command with all its threads, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def decoding(build, folder, blob, variables, rounds):
    """Returns the ns per value of decoding a sample in Go, with the garbage collector's work: by perflib, by perflib with a
    collector's structs filled, and by the stand-in for exporters' parsers. A decoding is a 200th of what 220 of them take
    longer than 20; the figures are medians of the rounds, in which the programs take turns."""
    titles, tests, other = folder / "titles", folder / "perflib.test", folder / "stand-in"
    run([build / "tools/hkpd", "titles", "export", "--format", "multi_sz", "-o", titles])
    run(["go", "test", "-c", "-o", tests, "./perflib"], cwd=ROOT / "tools/bindings/go/hkpd", env=variables)
    # With cgo it would start as a program with threads of C.
    run(["go", "build", "-o", other, "."], cwd=ROOT / "tests/bench/go",
        env=variables | {"GOFLAGS": "-mod=mod", "CGO_ENABLED": "0"})
    benchmark = [tests, "-test.run", "NONE", "-test.bench"]
    commands = {
        "perflib": lambda count: [*benchmark, "Decode$", "-test.benchtime", f"{count}x"],
        "perflib, a collector filled": lambda count: [*benchmark, "DecodeAndFill$", "-test.benchtime", f"{count}x"],
        "stand-in for exporters' parsers": lambda count: [other, "-decode", str(count), titles, blob],
    }
    more = {"env": variables | {"HKPD_BENCH_BLOB": str(blob)}, "cwd": ROOT / "tools/bindings/go/hkpd/perflib"}
    found = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            few, many = (processor_time(command(count), **more) for count in (20, 220))
            found[name].append((many - few) / 200 / 60600 * 1e9)
    return {name: statistics.median(figures) for name, figures in found.items()}


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
            print(f"\n{'decoding one sample in Go':34} {'':8} {'ns/value':>9}")
            for name, figure in decoding(build, folder, folder / "machine-1", variables, max(options.rounds // 3, 1)).items():
                print(f"{name:34} {'':8} {figure:9.1f}")
    for language in missed:
        print(f"MISSED: {language} takes more than {LIMIT} times the time of C++")
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
