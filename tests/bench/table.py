#!/usr/bin/env python3
"""Runs the benchmarks and prints their figures with the targets: table.py BUILD STATIC [--check] [--only REGEX]."""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field, replace

import against_go
import processes

MOST, LEAST = "≤", "≥"


@dataclass
class Row:
    what: str
    case: str
    counter: str
    unit: str = ""
    bound: str = ""
    targets: dict = field(default_factory=dict)  # by input


def most(small=None, large=None):
    return {"bound": MOST, "targets": {"small": small, "large": large}}


def least(small=None, large=None):
    return {"bound": LEAST, "targets": {"small": small, "large": large}}


# All figures and targets.
ROWS = [
    Row("unchecked walk, ns per value", "unchecked_walk", "ns"),
    Row("memcpy", "memcpy", "ratio"),
    Row("sum of all bytes", "sum_bytes", "ratio"),
    Row("zstd decompression", "zstd", "ratio"),
    Row("open + validate", "open", "ratio"),
    Row("walk", "walk", "ratio"),
    Row("open + validate + walk", "open_walk", "ratio", **most(1.05, 1.5)),
    Row("  large over small", "open_walk", "growth", **most(large=1.5)),
    Row("open + validate + plain loop over the views", "views", "ratio", **most(2.0)),
    Row("columns of a sample, read and summed", "columns", "ratio", **most(1.5, 1.5)),
    Row("decode, once", "decode_once", "ratio", **most(3.0)),
    Row("eight small blobs a sample, through one reader", "small_blobs", "ratio", bound=MOST, targets={"vista": 2.0}),
    Row("sample", "build", "ratio", **most(1.5, 1.5)),
    Row("  allocations", "allocations", "build", **most(0, 0)),
    Row("  large over small", "build", "growth", **most(large=1.5)),
    Row("sample with titles", "build_named", "ratio", **most(2.0, 2.0)),
    Row("  allocations", "allocations_named", "build", **most(0, 0)),
    Row("  large over small", "build_named", "growth", **most(large=1.5)),
    Row("instance matching", "match", "ratio"),
    Row("cook with instance matching", "cook", "ratio", **most(2.0, 2.0)),
    Row("  of values that need 64 bits", "cook_wide", "ratio", **most(2.0)),
    Row("  allocations", "allocations", "cook"),
    Row("  large over small", "cook", "growth", **most(large=1.5)),
    Row("block.object(index) of 100 objects", "find_object", "ns", " ns", **most(100)),
    Row("jsonl", "jsonl", "MB/s", " MB/s", **least(2000)),
    Row("jsonl, cooked", "jsonl_cooked", "MB/s", " MB/s"),
    Row("csv", "csv", "MB/s", " MB/s", **least(1000)),
    Row("csv, cooked", "csv_cooked", "MB/s", " MB/s"),
    Row("pdh-csv, 17 digits a cell", "pdh_csv", "MB/s", " MB/s", **least(150)),
    Row("json", "json", "MB/s", " MB/s"),
    Row("table", "table", "MB/s", " MB/s"),
    Row("table, cooked", "table_cooked", "MB/s", " MB/s"),
    Row("openmetrics, a whole run", "openmetrics", "MB/s", " MB/s"),
    Row("capture write, raw bytes", "capture_write", "MB/s", " MB/s"),
    Row("capture read to samples, raw bytes", "capture_read", "MB/s", " MB/s"),
    Row("  speed as a share of bare zstd decompression", "capture_read", "speed", **least(large=0.65)),
    Row("a consecutive sample, share of its raw size", "capture_growth", "share", **most(0.08, 0.08)),
    Row("  mean of all samples", "capture_growth", "mean"),
    Row("log of blocks to samples", "log_blocks", "MB/s", " MB/s", **least(300)),
    Row("log of single raw counters to samples", "log_raw", "MB/s", " MB/s", **least(300)),
    Row("log of raw counters of many instances to samples", "log_instances", "MB/s", " MB/s", **least(300)),
    Row("text log of 500 columns to samples", "text_log_500", "MB/s", " MB/s", **least(400)),
    Row("text log of 3,000 columns to samples", "text_log_3000", "MB/s", " MB/s", **least(400)),
    Row("hkpd --version, shared libraries, ms", "start_release", "version", **most(5.0)),
    Row("  dump of 5 KB, ms of processor time", "start_release", "blob_cpu", **most(8.0)),
    Row("hkpd --version, static, ms", "start_static", "version", **most(5.0)),
    Row("  dump of 5 KB, ms of processor time", "start_static", "blob_cpu", **most(8.0)),
    Row("Go program: decoding, ns per value", "go", "decode"),
    Row("  start to end, ms", "go", "null_wall"),
    Row("  start to end, ms of processor time", "go", "null_cpu"),
    Row("dump --format jsonl, static: Go's processor time over hkpd's", "against_go_static", "null_cpu", **least(15.0)),
    Row("  time from start to end", "against_go_static", "null_wall"),
    Row("  into a pipe: processor time", "against_go_static", "pipe_cpu"),
    Row("  into a pipe: time from start to end", "against_go_static", "pipe_wall"),
    Row("dump --format jsonl, shared libraries: processor time", "against_go_release", "null_cpu"),
    Row("  time from start to end", "against_go_release", "null_wall"),
    Row("  into a pipe: processor time", "against_go_release", "pipe_cpu"),
    Row("  into a pipe: time from start to end", "against_go_release", "pipe_wall"),
    Row("dump --format jsonl, ns per value", "dump", "ns"),
    Row("  peak memory, in blobs", "dump", "peak"),
    Row("replay --format jsonl, capture, ns per value", "replay_capture", "ns"),
    Row("  peak memory, in blobs", "replay_capture", "peak", **most(large=4.5)),
    Row("replay --format jsonl, raw blobs, ns per value", "replay_raw", "ns"),
    Row("  peak memory, in blobs", "replay_raw", "peak", **most(large=3.5)),
    Row("replay --format jsonl, log of blocks, ns per value", "replay_log_blocks", "ns"),
    Row("  peak memory, of 8 times the rows over that of once", "replay_log_blocks", "growth", **most(1.03)),
    Row("replay --format jsonl, log of single raw counters, ns per value", "replay_log_raw", "ns"),
    Row("  peak memory, of 8 times the rows over that of once", "replay_log_raw", "growth", **most(1.03)),
    Row("replay --format jsonl, log of raw counters of many instances, ns per value", "replay_log_instances", "ns"),
    Row("  peak memory, of 8 times the rows over that of once", "replay_log_instances", "growth", **most(1.03)),
]
INPUTS = ["small", "large", "vista"]


def run_cases(build, only):
    """Returns the counters of Google Benchmark's cases, by (case, input)."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        command = [f"{build}/tests/bench/hkpd_bench", f"--benchmark_out={out}", f"--benchmark_filter={only}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as file:
            found = json.load(file)["benchmarks"]
    figures = {tuple(one["name"].split("/")[:2]): one for one in found if not one.get("error_occurred")}
    for (case, name), figure in figures.items():
        small = figures.get((case, "small"), {}).get("ratio")
        if name == "large" and small and "ratio" in figure:
            figure["growth"] = figure["ratio"] / small
    return figures


def digits(figure):
    """Formats a figure with three digits, or with all before the decimal point."""
    if figure == 0 or figure >= 100:
        return f"{figure:.0f}"
    return f"{figure:.{max(0, 2 - math.floor(math.log10(abs(figure))))}f}"


def reaches(row, figure, target):
    if target is None:
        return True
    if figure is None:
        return False
    return figure <= target if row.bound == MOST else figure >= target


def missed(row, figures):
    """Returns whether a target is missed, or has no figure."""
    return not all(
        reaches(row, figures.get((row.case, name), {}).get(row.counter), target) for name, target in row.targets.items()
    )


def without_go(rows, figures):
    """Returns the rows that need no Go compiler, or all if there was one."""
    has_go = any(case == "go" for case, _ in figures)
    return [row for row in rows if has_go or not ("against_go" in row.case or row.case == "go")]


def narrowed(rows, figures):
    """Returns the rows that were measured, with their targets."""
    kept = []
    for row in rows:
        targets = {name: target for name, target in row.targets.items() if (row.case, name) in figures}
        if any(case == row.case for case, _ in figures):
            kept.append(replace(row, targets=targets))
    return kept


def cells(row, figures):
    shown = [row.what]
    for name in INPUTS:
        figure = figures.get((row.case, name), {}).get(row.counter)
        shown.append("" if figure is None else digits(figure) + row.unit)
    wanted = [row.bound + digits(target) for target in row.targets.values() if target is not None]
    return [*shown, " / ".join(wanted), "" if not wanted else "MISSED" if missed(row, figures) else "ok"]


def print_table(rows):
    lines = [["what", *INPUTS, "target", ""], *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("static", help="build folder of the static command")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", metavar="REGEX")
    options = parser.parse_args()
    figures = run_cases(options.build, options.only or ".")
    if not options.only:
        commands = {"release": f"{options.build}/tools/hkpd", "static": f"{options.static}/tools/hkpd"}
        figures |= processes.measure(options.build)  # first: a process is charged with the memory of the one that starts it
        figures |= against_go.measure(options.build, commands)
    rows = narrowed(ROWS, figures) if options.only else without_go(ROWS, figures)
    print_table([cells(row, figures) for row in rows])
    return 1 if options.check and any(missed(row, figures) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
