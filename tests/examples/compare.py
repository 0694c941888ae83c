"""compare.py HKPD PROGRAM [ARGUMENT]...: compares what an example of tools/examples prints with what the command HKPD
prints with --format csv: the same rows in the same order, and in each column of the program the same texts and numbers.
The inputs are all logs of the shared data, a simulated run, and captures of testdata."""

import csv
import io
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("HKPD_SHARED_DIR") or ROOT.parent / "shared") / "data" / "blg"


def output(arguments):
    """Returns the lines of a CSV that a command prints, as dictionaries, and the names of the columns."""
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):  # 1: damage, of which the valid part is shown
        raise SystemExit(f"{arguments} ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
    lines = csv.DictReader(io.StringIO(done.stdout.decode()))
    return list(lines), lines.fieldnames or []


def same(expected, found):
    """Returns whether two cells are equal, as numbers if both are some."""
    if expected == found or (not expected and found.lower() == "nan"):
        return True
    try:
        return float(expected) == float(found)
    except ValueError:
        return False


def compare(hkpd, program, source):
    """Compares the rows of an input. Returns their number."""
    expected, _ = output([hkpd, "top", "--format", "csv", source])
    found, columns = output([*program, source])
    if len(expected) != len(found) or len(columns) < 8:
        raise SystemExit(f"{source}: {len(found)} rows with {columns}, expected {len(expected)}")
    for number, (one, other) in enumerate(zip(expected, found)):
        for column in columns:
            if not same(one[column], other[column]):
                raise SystemExit(f"{source}, row {number}, {column}: {other[column]!r}, expected {one[column]!r}")
    return len(expected)


def main():
    hkpd, *program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        run = os.path.join(folder, "simulated.mcap")
        simulate = ["capture", "--simulate", "--count", "60", "--interval", "60", "--seed", "3", "-o", run]
        subprocess.run([hkpd, *simulate], check=True, stderr=subprocess.DEVNULL)
        inputs = [run, *sorted(map(str, SHARED.glob("*.blg")))]
        inputs += [str(ROOT / "testdata" / "captures" / name) for name in ("demo.bin", "simulated.mcap", "damaged.bin")]
        rows = [compare(hkpd, program, one) for one in inputs]
    if min(rows[0], rows[-2]) < 20:
        raise SystemExit(f"too few rows: {rows}")
    print(f"{len(inputs)} inputs, {sum(rows)} rows: the same as hkpd top")


main()
