#!/usr/bin/env python3
"""Checks that open+walk and sample build take as many instructions per value as in instructions.json, within 10 %:
instructions.py PROGRAM COMPILER [--update]. Counted by callgrind, so that a busy machine changes nothing."""

import argparse
import json
import pathlib
import re
import subprocess
import sys

FIGURES = pathlib.Path(__file__).with_name("instructions.json")
WHAT = ["open_walk", "build"]
SLACK = 0.10
SKIPPED = 77
FEW, MANY = 3, 13  # both include the cost of starting up, the machine and the first run


def count(program, what, times):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, what, str(times)]
    log = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    return int(re.search(r"Collected *: *(\d+)", log)[1])


def per_value(program, what):
    values = int(subprocess.run([program, "values", "1"], check=True, capture_output=True, text=True).stdout)
    return (count(program, what, MANY) - count(program, what, FEW)) / (MANY - FEW) / values


def verdict(now, kept):
    """Returns what is wrong; empty if nothing is."""
    if now > kept * (1 + SLACK):
        return "TOO MANY"
    if now < kept * (1 - SLACK):
        return "far fewer: renew the figure with --update"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("compiler", help="such as GNU-12-x86_64; others have other figures")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    kept = json.loads(FIGURES.read_text(encoding="utf-8"))
    if kept["compiler"] != options.compiler and not options.update:
        print(f"the figures are those of {kept['compiler']}, not of {options.compiler}")
        return SKIPPED
    now = {what: round(per_value(options.program, what), 2) for what in WHAT}
    if options.update:
        kept = {"compiler": options.compiler, "instructions_per_value": now}
        FIGURES.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    wrong = 0
    for what in WHAT:
        figure = kept["instructions_per_value"][what]
        result = verdict(now[what], figure)
        wrong += result != ""
        print(f"{what}: {now[what]} instructions per value, kept {figure}  {result or 'ok'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
