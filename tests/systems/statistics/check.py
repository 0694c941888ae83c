#!/usr/bin/env python3
"""check.py HKPD [INPUT]...: compares every number of `hkpd replay --summary`, `hkpd top` and `hkpd replay --bucket` with
Python's statistics module over the single values that `hkpd replay --format jsonl` prints. Prints the number of
comparisons for each input, and each difference. INPUT is a file, or `simulate:COUNT` for a simulated machine. Without
INPUT: a simulated machine, a capture, and the logs of Windows in HKPD_SHARED_DIR or ../shared, if they are there."""

import datetime
import json
import math
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
SAME = 1e-9  # relative; other orders of summation give other last digits


class Check:
    def __init__(self, hkpd, source):
        self.hkpd, self.source = hkpd, source
        self.arguments = ["--simulate", "--count", source.split(":")[1]] if source.startswith("simulate:") else [source]
        self.compared, self.differ, self.ambiguous = 0, 0, 0
        self.series = self.read()

    def run(self, *arguments):
        result = subprocess.run([self.hkpd, *arguments, *self.arguments], capture_output=True, check=False)
        if result.returncode not in (0, 1):
            sys.exit(f"{self.source}: hkpd {' '.join(arguments)} ends with {result.returncode}: {result.stderr.decode()}")
        return result.stdout.decode()

    def lines(self, *arguments):
        return [json.loads(line) for line in self.run(*arguments).splitlines()]

    def read(self):
        """Returns the values of each series of the run: of a counter and the identity of an instance."""
        groups = {}
        for line in self.lines("replay", "--format", "jsonl", "--source", self.interface()):
            if line["value"] is not None:
                groups.setdefault(group_of(line), []).append((time_of(line), line["value"]))
        return groups

    def interface(self):
        """Returns the interface that a summary shows: that of the first sample."""
        first = subprocess.run([self.hkpd, "replay", "--format", "jsonl", *self.arguments, "--raw"], capture_output=True, check=False)
        return json.loads(first.stdout.split(b"\n", 1)[0])["source"]

    def equal(self, what, found, expected, scale=0.0):
        self.compared += 1
        if found is None or expected is None:
            same = found is None and expected is None
        else:
            same = math.isclose(found, expected, rel_tol=SAME, abs_tol=scale * 1e-12)
        if not same:
            self.differ += 1
            if self.differ <= 10:
                print(f"{self.source}: {what}: {found!r}, expected {expected!r}")

    def rows(self, rows, name):
        for row in rows:
            values = self.values_of(row)
            if values is None:
                self.ambiguous += 1
                continue
            what = f"{name} {row['object']}({row['instance']})\\{row['counter']}"
            for key, expected in expectation(values).items():
                scale = max(abs(v) for _, v in values) if values else 0
                if key == "slope":  # its error is that of the values, over the time
                    scale *= 3600_000 / max(1, values[-1][0] - values[0][0]) if values else 0
                self.equal(f"{what}: {key}", row[key], expected, scale)

    def values_of(self, row):
        """Returns the times and values of a series; None if the object has several counters of one name and index."""
        found = self.series.get(group_of(row), [])
        times = [time for time, _ in found]
        return found if len(set(times)) == len(times) else None

    def followed(self, rows):
        """Compares series of processes by their process ids, which --raw shows: the values of a process are those at the
        place that has its id in each sample."""
        if not any(row["object"] == "Process" and row["pid"] is not None for row in rows):
            return
        ids = {}
        for line in self.lines("replay", "--format", "jsonl", "--source", self.interface(), "--counter", "ID Process"):
            if line["raw"] is not None:
                ids[(line["machine"], line["object"], line["time"], line["pdh_instance"])] = line["raw"]
        values = {}
        for line in self.lines("replay", "--format", "jsonl", "--source", self.interface(), "--object", "Process"):
            pid = ids.get((line["machine"], line["object"], line["time"], line["pdh_instance"]))
            if pid is not None and line["value"] is not None:
                values.setdefault((line["machine"], line["instance"], pid, line["counter"]), []).append((time_of(line), line["value"]))
        for row in rows:
            if row["object"] != "Process" or row["pid"] is None:
                continue
            found = values.get((row["machine"], row["instance"], row["pid"], row["counter"]), [])
            for key, expected in expectation(found).items():
                scale = max((abs(v) for _, v in found), default=0)
                if key == "slope":
                    scale *= 3600_000 / max(1, found[-1][0] - found[0][0]) if found else 0
                self.equal(f"process {row['instance']} ({row['pid']})\\{row['counter']}: {key}", row[key], expected, scale)

    def buckets(self, length, seconds):
        expected = {}
        for group, values in self.series.items():
            for time, value in values:
                expected.setdefault((group, time // (1000 * seconds) * 1000 * seconds), []).append(value)
        found = {}
        for line in self.lines("replay", "--format", "jsonl", "--bucket", length):
            found.setdefault((group_of(line), time_of(line)), []).append(line)
        if found.keys() != expected.keys():
            self.differ += 1
            print(f"{self.source}: buckets of {length}: {len(found)}, expected {len(expected)}")
        for key in found.keys() & expected.keys():
            self.bucket(f"bucket {key}", [(r["count"], r["min"], r["mean"], r["max"]) for r in found[key]], expected[key])
        self.database(length, expected)

    def bucket(self, what, parts, values):
        """Several counters of one name have a line each: compares them together."""
        count = sum(part[0] for part in parts)
        self.equal(what + " count", count, len(values))
        self.equal(what + " min", min(part[1] for part in parts), min(values))
        self.equal(what + " max", max(part[3] for part in parts), max(values))
        mean = math.fsum(part[0] * part[2] for part in parts) / count
        self.equal(what + " mean", mean, statistics.fmean(values), max(map(abs, values)))

    def database(self, length, expected):
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder) / "perf.db")
            self.run("replay", "--format", "sqlite", "-o", path, "--bucket", length)
            rows = sqlite3.connect(path).execute("SELECT count(*), sum(count), min(min), max(max), sum(count * mean) FROM buckets").fetchone()
        values = [value for some in expected.values() for value in some]
        self.equal("database: values", rows[1], len(values) or None)
        if not values:
            return
        self.equal("database: min", rows[2], min(values))
        self.equal("database: max", rows[3], max(values))
        self.equal("database: sum", rows[4], math.fsum(values), math.fsum(map(abs, values)))


def group_of(line):
    names = ("machine", "object", "parent", "instance", "pid", "instance_id", "life", "counter", "counter_index")
    return tuple(line[name] for name in names)


def time_of(line):
    """Returns the time in milliseconds since 1970, as an integer: seconds as a double would lose digits of the slope."""
    since = datetime.datetime.fromisoformat(line["time"].replace("Z", "+00:00")) - EPOCH
    return since // datetime.timedelta(milliseconds=1)


def expectation(values):
    """Returns what a row must have. `values`: times in milliseconds and values."""
    only = [value for _, value in values]
    empty = ["first", "last", "min", "mean", "p50", "p95", "p99", "max", "stddev", "delta", "slope"]
    if not only:
        return {"count": 0, **dict.fromkeys(empty)}
    percentiles = statistics.quantiles(only, n=100, method="inclusive") if len(only) > 1 else [only[0]] * 99
    slope = None
    if len(set(time for time, _ in values)) > 1:
        begin = values[0][0]
        slope = statistics.linear_regression([(time - begin) / 1000 for time, _ in values], only).slope * 3600
    return {
        "count": len(only), "first": only[0], "last": only[-1], "min": min(only), "max": max(only),
        "mean": statistics.fmean(only), "p50": percentiles[49], "p95": percentiles[94], "p99": percentiles[98],
        "stddev": statistics.stdev(only) if len(only) > 1 else None, "delta": only[-1] - only[0], "slope": slope}


def default_sources():
    root = pathlib.Path(__file__).resolve().parents[3]
    shared = pathlib.Path(os.environ.get("HKPD_SHARED_DIR") or root.parent / "shared")
    logs = [shared / "data" / "blg" / name for name in ("vista-2007-wildcards.blg", "win10-14393-counters.blg")]
    return ["simulate:60", str(root / "testdata" / "captures" / "demo.mcap"), *(str(log) for log in logs if log.exists())]


def main():
    hkpd, *sources = sys.argv[1:]
    sources = sources or default_sources()
    failed = False
    for source in sources:
        check = Check(hkpd, source)
        summary = check.lines("replay", "--summary", "--format", "jsonl")
        check.rows(summary, "summary")
        check.followed(summary)
        for options in (["--top", "100000"], ["--sort", "slope", "--top", "5", "--all-instances"]):
            rows = json.loads(check.run("top", "--format", "json", *options))["rows"]
            check.rows(rows, "top")
            check.followed(rows)
        for length, seconds in (("30s", 30), ("1min", 60), ("1h", 3600), ("1d", 86400)):
            check.buckets(length, seconds)
        print(f"{source}: {len(summary)} series, {check.compared} numbers compared, {check.differ} differ; "
              f"{check.ambiguous} rows of counters with equal names")
        failed = failed or check.differ != 0 or check.compared == 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
