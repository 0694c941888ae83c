#!/usr/bin/env python3
"""text_logs.py BUILD LIBDUCKDB [MIB]: reads text logs (PDH-CSV) of 500 and of 3,000 columns with hkpd, DuckDB's read_csv on
one thread and Python's csv module, each in a process of its own, in turn. All add up all values, and the sums must be equal.
Then `hkpd check --rules windows` and `hkpd info` of these files: time, memory, bytes read."""

import csv
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "systems" / "arrow"))

ROUNDS = 5
MEBIBYTE = 1 << 20


def sum_with_duckdb(path, columns, library):
    """Returns the sum of all values. The types of columns are stated, so that DuckDB need not look for them."""
    from check import Duck

    duck = Duck(library)
    duck.query("set threads = 1")
    types = ", ".join(["'time': 'varchar'"] + [f"'c{i}': 'double'" for i in range(columns)])
    before = time.process_time()
    total = duck.query(
        f"select list_sum(list_value(*columns(*))) from (select sum(columns('c[0-9]+')) from read_csv('{path}', "
        f"auto_detect = false, header = true, delim = ',', quote = '\"', escape = '\"', nullstr = ' ', "
        f"columns = {{{types}}}))")
    return time.process_time() - before, float(total)


def sum_with_csv(path):
    """Returns the sum of all values that Python's csv module reads."""
    before, total = time.process_time(), 0.0
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        next(rows)
        for row in rows:
            total += sum(float(cell) for cell in row[1:] if cell != " ")
    return time.process_time() - before, total


def run(command):
    """Returns the output of a command, and the processor time in seconds, peak memory in bytes and bytes read."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        counted = dict(line.split(": ") for line in pathlib.Path(f"/proc/{process.pid}/io").read_text().splitlines())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):  # 1: `check` has findings
            raise subprocess.CalledProcessError(process.returncode, command)
        out.seek(0)
        return out.read().decode(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, int(counted["rchar"])


def measure_reading(build, library, path, columns):
    """Prints the speeds of the three readers. Returns the processor time of hkpd in seconds."""
    itself = [sys.executable, __file__, "--sum"]
    commands = {
        "hkpd": [f"{build}/tests/bench/columns", path, "1"],
        "DuckDB": [*itself, "duckdb", path, str(columns), library],
        "Python": [*itself, "csv", path],
    }
    times = {name: [] for name in commands}
    for number in range(ROUNDS):
        sums = []
        for name, command in commands.items():
            if name == "Python" and number != 0:
                continue  # it takes long, and a factor of ten needs no median
            words = run(command)[0].split()
            times[name].append(float(words[0]) / 1e3)
            sums.append(float(words[2]))
        if not all(math.isclose(one, sums[0], rel_tol=1e-9) for one in sums):
            raise SystemExit(f"the sums are not equal: {sums}")
    middle = {name: statistics.median(of_one) for name, of_one in times.items()}
    size = os.path.getsize(path)
    for name, seconds in middle.items():
        print(f"| {columns} columns, {name} | {size / 1e6 / seconds:.0f} MB/s | {seconds / middle['hkpd']:.2f} |")
    return middle["hkpd"]


def measure_commands(hkpd, path, columns, reading):
    size = os.path.getsize(path)
    _, seconds, memory, _ = run([hkpd, "check", "--rules", "windows", path])
    print(f"| {columns} columns, check --rules windows: {memory / MEBIBYTE:.0f} MiB of memory | "
          f"{size / 1e6 / seconds:.0f} MB/s | {seconds / reading:.2f} |")
    text, seconds, _, count = run([hkpd, "info", path])
    samples = next((" ".join(line.split()) for line in text.splitlines() if line.startswith("samples")), "")
    if size > 64 * MEBIBYTE and (" about " not in samples or count > MEBIBYTE):
        raise SystemExit(f"info read {count} of {size} bytes, and found \"{samples}\"")
    print(f"| {columns} columns, info: {count / 1024:.0f} KiB of {size / MEBIBYTE:.0f} MiB read, \"{samples}\" | "
          f"{1e3 * seconds:.0f} ms | |")


def main():
    if sys.argv[1] == "--sum":
        path = sys.argv[3]
        seconds, total = sum_with_csv(path) if sys.argv[2] == "csv" else sum_with_duckdb(path, int(sys.argv[4]), sys.argv[5])
        print(1e3 * seconds, 0, repr(total))
        return
    build, library = sys.argv[1:3]
    size = int(sys.argv[3]) * MEBIBYTE if len(sys.argv) > 3 else 128 * MEBIBYTE
    print("| text log | speed | time over that of hkpd |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for columns in (500, 3000):
            path = os.path.join(folder, "run.csv")
            subprocess.run([f"{build}/tests/bench/make_text_log", str(columns), str(size), path], check=True)
            reading = measure_reading(build, library, path, columns)
            measure_commands(f"{build}/tools/hkpd", path, columns, reading)


if __name__ == "__main__":
    main()
