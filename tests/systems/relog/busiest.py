#!/usr/bin/env python3
"""busiest.py LOG: prints the mean of each counter of a performance log, the largest first, as scripts do with relog and
pandas: relog writes a CSV, whose first column is the time. --csv: reads a CSV that relog wrote elsewhere."""

import csv
import statistics
import subprocess
import sys
import tempfile


def means(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    columns = zip(*rows[1:])
    next(columns)  # the time
    for name, column in zip(rows[0][1:], columns):
        values = [float(value) for value in column if value.strip()]
        if values:
            yield statistics.mean(values), name


def main():
    if sys.argv[1] == "--csv":
        path = sys.argv[2]
    else:
        path = tempfile.mkdtemp() + "/perf.csv"
        subprocess.run(["relog", sys.argv[1], "-f", "csv", "-o", path, "-y"], check=True, stdout=subprocess.DEVNULL)
    for mean, name in sorted(means(path), reverse=True):
        print(f"{mean:16.3f} {name}")


main()
