"""compare.py ANSWER HKPD PROGRAM [ARGUMENT]...: compares what a program prints with what the command HKPD prints: the same
rows in the same order, and in each column of the program the same texts and numbers. ANSWER is top, for an example of
tools/examples, which prints CSV, or summary or check, for a program rows of this folder, which has the answer as its first
argument and prints cells with tabs. The inputs are all logs of the shared data, a simulated run, and captures of testdata."""

import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("HKPD_SHARED_DIR") or ROOT.parent / "shared") / "data" / "blg"
COMMANDS = {"top": ["top", "--format", "csv"], "summary": ["replay", "--summary", "--format", "jsonl"], "check": ["check", "--format", "json"]}
BLANKS = {code: " " for code in range(ord(" "))}


def output(arguments):
    """Returns what a command prints."""
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1):  # 1: damage, of which the valid part is shown
        raise SystemExit(f"{arguments} ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode()


def expected_rows(answer, text):
    """Returns the rows of the command's output as dictionaries."""
    if answer == "top":
        return list(csv.DictReader(io.StringIO(text)))
    return json.loads(text)["findings"] if answer == "check" else [json.loads(line) for line in text.split("\n") if line]


def found_rows(answer, text):
    """Returns the rows of a program's output, and the names of the columns."""
    form = {} if answer == "top" else {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
    lines = csv.DictReader(io.StringIO(text), **form)
    return list(lines), lines.fieldnames or []


def same(expected, found):
    """Returns whether two cells are equal, as numbers if both are some."""
    if expected is None:
        expected = ""
    if expected == "" and found.lower().lstrip("-") == "nan":
        return True
    if isinstance(expected, str) and expected.translate(BLANKS) == found:
        return True
    try:
        return float(expected) == float(found)
    except ValueError:
        return False


def compare(answer, hkpd, program, source):
    """Compares the rows of an input. Returns their number."""
    expected = expected_rows(answer, output([hkpd, *COMMANDS[answer], source]))
    found, columns = found_rows(answer, output([*program, *([] if answer == "top" else [answer]), source]))
    if len(expected) != len(found) or len(columns) < 8:
        raise SystemExit(f"{source}: {len(found)} rows with {columns}, expected {len(expected)}")
    for number, (one, other) in enumerate(zip(expected, found)):
        for column in columns:
            if not same(one[column], other[column]):
                raise SystemExit(f"{source}, row {number}, {column}: {other[column]!r}, expected {one[column]!r}")
    return len(expected)


def main():
    answer, hkpd, *program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        run = os.path.join(folder, "simulated.mcap")
        simulate = ["capture", "--simulate", "--count", "60", "--interval", "60", "--seed", "3", "-o", run]
        subprocess.run([hkpd, *simulate], check=True, stderr=subprocess.DEVNULL)
        inputs = [run, *sorted(map(str, SHARED.glob("*.blg")))]
        inputs += [str(ROOT / "testdata" / "captures" / name) for name in ("demo.bin", "simulated.mcap", "damaged.bin")]
        rows = [compare(answer, hkpd, program, one) for one in inputs]
    if (sum(rows) if answer == "check" else min(rows[0], rows[-2])) < 20:
        raise SystemExit(f"too few rows: {rows}")
    print(f"{len(inputs)} inputs, {sum(rows)} rows: the same as hkpd {COMMANDS[answer][0]}")


main()
