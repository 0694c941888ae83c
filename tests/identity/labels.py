#!/usr/bin/env python3
"""labels.py --hkpd HKPD [--make-runs PROGRAM] [--runs N] [--first SEED] [--all] [--inputs PATH...] [--keep FOLDER]: who is who in
every output of hkpd. For random runs of make_runs, whose truth is known, and for captures and logs, whose identities are
computed here from raw values (oracle.py), each output must name the same one at each value: one name for one identity, one
identity for one name, and `--path` with a name must return exactly the values that had it. Shares no code with hkpd.

--runs N: N random runs (default 6; 200 with --all, or with HKPD_TEST_ALL=1 in the environment). --inputs: files and
directories without truth (default: testdata/captures and a few logs of ../shared; with --all also the seeds of testdata/corpus and all of ../shared/data).
Prints counts, and the first differences in full. Exits with 1 if anything differs."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(ROOT / "tests")]
sys.dont_write_bytecode = True
import known  # noqa: E402
import unknown  # noqa: E402
from command import Command, Report  # noqa: E402

SHARED = pathlib.Path(os.environ.get("HKPD_SHARED_DIR") or ROOT.parent / "shared") / "data"


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hkpd", default=str(ROOT / "build/release/tools/hkpd"))
    parser.add_argument("--make-runs", default=str(ROOT / "build/release/tests/make_runs"))
    parser.add_argument("--runs", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--all", action="store_true", default=os.environ.get("HKPD_TEST_ALL") == "1")
    parser.add_argument("--inputs", nargs="*")
    parser.add_argument("--keep", help="folder for the random runs")
    parser.add_argument("--show", type=int, default=4, help="number of differences of each output shown in full")
    return parser.parse_args()


def default_inputs(everything):
    captures = sorted((ROOT / "testdata/captures").iterdir())
    if everything:
        # Files named by their SHA-1 are what fuzzing found: much is damaged in them, and most of it has no names.
        seeds = [path for path in sorted((ROOT / "testdata/corpus").rglob("*")) if path.is_file() and not re.fullmatch("[0-9a-f]{40}", path.name)]
        return captures + seeds + [path for path in sorted(SHARED.rglob("*")) if path.is_file()]
    return captures + [path for path in sorted((SHARED / "blg").glob("win10*")) + sorted((SHARED / "found").glob("v1-names*"))]


def given(paths):
    for path in map(pathlib.Path, paths):
        yield from sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]


# Run by the interpreter that has Debian's modules, which is another one than this, perhaps.
READ = """
import sys, json, warnings, hkpd
warnings.simplefilter("ignore")
for path in sys.argv[1:]:
    frame = hkpd.read(path)
    frame["time"] = frame["time"].astype(str)
    frame = frame.astype(object).where(frame.notna(), None)
    print(json.dumps(frame.to_dict("records"), default=int))
"""


def frames(paths, report):
    """Yields the rows of the data frame of each file, if the Python package can be imported."""
    if not paths or not os.environ.get("HKPD_LIBRARY"):
        return
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tools/bindings/python")}
    python = os.environ.get("HKPD_PANDAS_PYTHON") or "/usr/bin/python3"
    ended = subprocess.run([python, "-c", READ, *paths], capture_output=True, check=False, env=environment, text=True)
    if "ModuleNotFoundError" in ended.stderr:
        report.note(f"time without data frames: {ended.stderr.strip().splitlines()[-1]}")
    elif ended.returncode:
        report.difference("Python read", ended.stderr)
    yield from map(json.loads, ended.stdout.splitlines())


def main():
    options = parse()
    runs = options.runs if options.runs is not None else 200 if options.all else 6
    report = Report(options.show)
    command = Command(options.hkpd)
    if not command.has_columns(ROOT / "testdata/captures/demo.bin", report):
        return report.end()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        if runs:
            subprocess.run([options.make_runs, folder, str(options.first), str(runs)], check=True)
        all_runs = [known.Run(command, report, folder, seed) for seed in range(options.first, options.first + runs)]
        for run in all_runs:
            run.check()
        for run, lines in zip(all_runs, frames([run.path for run in all_runs], report)):
            run.frame(lines)
        report.line(f"{runs} random runs")
        paths = list(given(options.inputs)) if options.inputs is not None else default_inputs(options.all)
        read = sum(unknown.Input(command, report, path, pathlib.Path(temporary)).check() for path in paths)
        report.line(f"{read} of {len(paths)} files without truth, the others have no samples")
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
