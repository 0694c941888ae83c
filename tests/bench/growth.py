#!/usr/bin/env python3
"""Measures how the cost of each subcommand and output format grows with its input.

Usage: growth.py HKPD [--short] [--only PATTERN] [--check]

Each input is made in three sizes, each four times the one before: samples, samples with processes that come and go,
instances, machines in a folder with equal titles and with titles of their own, lines of option files, series. The cost
is the processor time of the command, without that of its start, and its peak memory. The exponent is the slope of the
line with the least squares through the logarithms: 1 is linear, 2 is quadratic. Where the output itself grows with the
square of the input, the line is that over the bytes of the output, which the table has. Times below what can be
measured have no exponent.

--short: the smallest sizes, and a bound that allows for noise (for CI, half a minute). --check: exit code 1 if the
exponent of a time is above its bound. --only: a regular expression for `input command`.
"""

import argparse
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FACTOR = 4
LEAST_SECONDS = 0.08  # of the largest size: below it, the noise of the start is in the exponent
BOUND, SHORT_BOUND = 1.1, 1.4

# A text log has a cell for each column of each row, and each further machine has rows and columns of its own.
BY_OUTPUT = {("machines in a folder", "relog"), ("title tables", "relog")}

FORMATS = ["text", "timeline", "csv", "json", "jsonl", "pdh-csv", "pdh-tsv", "openmetrics", "sqlite"]


def simulate(hkpd, file, *options):
    subprocess.run([hkpd, "capture", "--simulate", *options, "-o", file], check=True, stderr=subprocess.DEVNULL)
    return file


def samples(hkpd, folder, size):
    return [simulate(hkpd, folder / "samples.mcap", "--count", str(size), "--processes", "10", "--threads", "10")]


def churn(hkpd, folder, size):
    return [simulate(hkpd, folder / "churn.mcap", "--count", str(size), "--interval", "60", "--seed", "3",
                     "--object", "Process")]


def instances(hkpd, folder, size):
    # In a minute, processes come and go at every size. In a second they do only among many, so that the timeline has
    # one heading for few and two for many.
    return [simulate(hkpd, folder / "instances.mcap", "--count", "2", "--interval", "60", "--processes", str(size),
                     "--threads", str(2 * size))]


def machine(hkpd, folder, number, titles=None):
    blob = simulate(hkpd, folder / f"m{number}.mcap", "--machine", f"\\\\M{number}", "--processes", "3", "--threads",
                    "3", "--cpus", "1", "--object", "Process", "--source", "v1")
    if titles:
        own = folder / f"own{number}.mcap"
        subprocess.run([hkpd, "capture", blob, "--titles", titles, "-o", own], check=True, stderr=subprocess.DEVNULL)
        os.replace(own, blob)


def machines(hkpd, folder, size):
    folder = folder / "machines"
    folder.mkdir()
    for number in range(size):
        machine(hkpd, folder, number)
    return [folder]


def titles(hkpd, folder, size):
    inputs = folder / "titles"
    inputs.mkdir()
    table = folder / "counter-009.txt"
    for number in range(size):
        lines = "".join(f"{2 * index}\nTitle {index} of {number}\n" for index in range(1, 1000))
        table.write_text(lines)
        machine(hkpd, inputs, number, table)
    return [inputs]


def series(hkpd, folder, size):
    return [simulate(hkpd, folder / "series.mcap", "--count", "2", "--threads", str(size), "--object", "Thread")]


def paths(hkpd, folder, size):
    log = simulate(hkpd, folder / "log.mcap", "--count", "2", "--object", "Process")
    file = folder / "paths"
    file.write_text("\\Process(*)\\ID Process\n" * size)
    return [log, "-cf", file]


def words(hkpd, folder, size):
    log = simulate(hkpd, folder / "log.mcap", "--count", "2", "--object", "Process")
    file = folder / "settings"
    file.write_text(f'"{log}" -c ' + '"\\Process(*)\\ID Process" ' * size + f'-f csv -y -o "{folder}/out.csv"')
    return ["-config", file]


def readers(folder):
    """Returns the commands that read samples, each with its name."""
    out = folder / "out"
    commands = {f"replay {name}": ["replay", "--format", name] for name in FORMATS}
    commands["replay sqlite"] += ["-o", out]
    commands |= {
        "replay raw csv": ["replay", "--raw", "--format", "csv"],
        "replay cooked openmetrics": ["replay", "--cooked", "--format", "openmetrics"],
        "summary": ["replay", "--summary"],
        "dump": ["dump"],
        "info": ["info"],
        "top": ["top"],
        "check": ["check"],
        "check rules": ["check", "--rules", "windows"],
        "report": ["report", "-o", out],
        "compare": ["compare"],
        "map": ["map", "--format", "json"],
        "capture": ["capture", "-o", out],
        "relog": ["relog", "-f", "csv", "-y", "-o", out],
    }
    return commands


# Each input: how it is made, its smallest sizes (of a short run, of a whole one), and the commands that take it; none:
# all readers.
INPUTS = {
    "samples": (samples, 50, 250, None),
    "processes that come and go": (churn, 100, 400, None),
    "instances": (instances, 50, 250, None),
    "machines in a folder": (machines, 4, 16, None),
    "title tables": (titles, 4, 16, None),
    "series": (series, 500, 2000, None),
    "lines of -cf": (paths, 1000, 5000, {
        "replay": ["replay", "--format", "csv"],
        "summary": ["replay", "--summary"],
        "top": ["top"],
        "dump": ["dump"],
        "relog": ["relog", "-f", "csv", "-y", "-o", os.devnull],
    }),
    "words of -config": (words, 2000, 10000, {"relog": ["relog"]}),
}


def measure(command, repeat):
    """Returns the least processor time in seconds of several runs, and the peak memory in bytes."""
    best, peak = math.inf, 0
    for _ in range(repeat):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        message = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            sys.exit(f"growth.py: {' '.join(map(str, command))}: exit code {child.returncode}: {message.decode()[:500]}")
        best = min(best, usage.ru_utime + usage.ru_stime)
        peak = max(peak, usage.ru_maxrss * 1024)
    return best, peak


def exponent(sizes, costs):
    """Returns the slope of the line through the logarithms."""
    xs, ys = [math.log(size) for size in sizes], [math.log(max(cost, 1e-6)) for cost in costs]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / sum((x - mean_x) ** 2 for x in xs)


def arguments_of(name, command, inputs):
    """Returns the arguments of a command with its inputs; a run is compared with itself."""
    return command + inputs * (2 if name == "compare" else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hkpd")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    hkpd = shutil.which(asked.hkpd) or sys.exit(f"growth.py: {asked.hkpd}: no such program")
    bound = SHORT_BOUND if asked.short else BOUND
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    start, base = measure([hkpd, "--version"], 5)
    missed = 0
    print("| input | command | sizes | seconds | exponent | MiB | exponent |\n|---|---|---|---|---|---|---|")
    for input_name, (make, short, whole, commands) in INPUTS.items():
        smallest = short if asked.short else whole
        sizes = [smallest * FACTOR**step for step in range(3)]
        with tempfile.TemporaryDirectory() as top:
            places = [Path(top) / str(size) for size in sizes]
            wanted = commands or readers(Path(top))
            wanted = {name: command for name, command in wanted.items() if re.search(asked.only, f"{input_name} {name}")}
            if not wanted:
                continue
            inputs = []
            for place, size in zip(places, sizes):
                place.mkdir()
                inputs.append(make(hkpd, place, size))
            for name, command in wanted.items():
                costs, written = [], []
                for each in inputs:
                    (Path(top) / "out").unlink(missing_ok=True)
                    costs.append(measure([hkpd, *arguments_of(name, command, each)], 1 if name == "capture" else 5))
                    out = Path(top) / "out"
                    written.append(out.stat().st_size if out.is_file() else 0)
                seconds = [max(cost[0] - start, 1e-4) for cost in costs]
                memory = [max(cost[1] - base, 1) for cost in costs]
                counts = seconds[-1] >= LEAST_SECONDS
                by_output = (input_name, name) in BY_OUTPUT
                scale = written if by_output else sizes
                growth = exponent(scale, seconds)
                too_high = counts and growth > bound
                missed += too_high
                grown = f"{exponent(scale, memory):.2f}" if memory[0] >= 1 << 20 else "-"
                print(f"| {input_name} | {name} | {', '.join(map(str, sizes))}"
                      f"{f' ({written[0]}, {written[1]}, {written[2]} bytes written)' if by_output else ''} "
                      f"| {', '.join(f'{each:.3f}' for each in seconds)} "
                      f"| {f'{growth:.2f}' if counts else '-'}{' **' if too_high else ''} "
                      f"| {', '.join(f'{each / (1 << 20):.0f}' for each in memory)} | {grown} |", flush=True)
    if missed:
        print(f"growth.py: {missed} exponents are above {bound}", file=sys.stderr)
    return 1 if missed and asked.check else 0


if __name__ == "__main__":
    sys.exit(main())
