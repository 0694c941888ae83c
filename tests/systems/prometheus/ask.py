#!/usr/bin/env python3
"""Asks a Prometheus server over loopback, and compares its answers with the output of hkpd.

ask.py get URL: prints the content.
ask.py same FILE SERVED: checks that node_exporter serves the metrics of a textfile.
ask.py points|rates|gauges SERVER HKPD CAPTURE OTHER: checks that the server, which has imported HKPD's output for both
inputs, answers as HKPD does: CAPTURE is five minutes of a machine, OTHER is of another one.
"""

import json
import re
import subprocess
import sys
import urllib.parse
import urllib.request
from collections import defaultdict
from datetime import datetime, timezone

MOST = 1e-9  # relative: both compute with doubles, and add up in different orders


def get(url):
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(url, timeout=120) as answer:
        return answer.read().decode()


def fail(*words):
    sys.exit(" ".join(map(str, words)))


def near(a, b):
    return abs(a - b) <= MOST * max(abs(a), abs(b), 1e-300)


class Run:
    def __init__(self, server, hkpd, capture, other):
        self.server, self.hkpd, self.capture, self.other = server, hkpd, capture, other

    def query(self, text, time):
        """Returns the result of a query at a time: a value, or points, for each set of labels."""
        question = urllib.parse.urlencode({"query": text, "time": f"{time:.3f}"})
        answer = json.loads(get(f"{self.server}/api/v1/query?{question}"))
        if answer["status"] != "success":
            fail(text, answer)
        found = {}
        for series in answer["data"]["result"]:
            labels = series["metric"]
            key = labels.get("machine", ""), labels.get("parent", ""), labels.get("instance", "")
            if key in found:
                fail(text, "has two series of", key)
            found[key] = (
                {(float(at), float(value)) for at, value in series["values"]}
                if "values" in series
                else float(series["value"][1])
            )
        if not found:
            fail(text, "finds nothing")
        return found

    def replay(self, path, counter, *more):
        """Returns the output of hkpd for a counter, line by line."""
        command = [self.hkpd, "replay", path, "--path", counter, "--format", "jsonl", *more]
        lines = subprocess.run(command, check=True, capture_output=True).stdout.splitlines()
        if not lines:
            fail(*command, "prints nothing")
        return [json.loads(line) for line in lines]

    def summary(self, counter):
        return {key(line): line for line in self.replay(self.capture, counter, "--summary")}


def key(line):
    return line["machine"], line["parent"] or "", re.sub(r"#\d+$", "", line["instance"])


def seconds(line):
    moment = datetime.strptime(line["time"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return moment.timestamp()


# The last sample of each input.
END = datetime(2026, 1, 1, 0, 5, tzinfo=timezone.utc).timestamp()
OTHER_END = datetime(2024, 5, 14, 9, 30, 4, tzinfo=timezone.utc).timestamp()


def points(run):
    """Checks that raw values and times of both machines are unchanged."""
    total = 0
    for metric, counter in {
        "hkpd_processor_interrupts_total": r"\Processor(*)\Interrupts/sec",
        "hkpd_system_context_switches_total": r"\System\Context Switches/sec",
        "hkpd_memory_available_bytes": r"\Memory\Available Bytes",
        "hkpd_process_handle_count_value": r"\Process(*)\Handle Count",
        "hkpd_process_id_process": r"\Process(*)\ID Process",
    }.items():
        for path, end in ((run.capture, END), (run.other, OTHER_END)):
            found, expected = defaultdict(set), defaultdict(set)
            for (machine, parent, instance), values in run.query(f"{metric}[10m]", end).items():
                # Each form numbers processes of one name differently.
                found[machine, parent, re.sub(r"#\d+$", "", instance)] |= values
            for line in run.replay(path, counter):
                expected[key(line)].add((seconds(line), float(line["raw"])))
            if found != expected:
                fail(metric, dict(found), dict(expected))
            total += sum(map(len, found.values()))
    print(f"remark: {total} of them compared")


def same_rates(run, query, counter, scale=1.0):
    """The first and the last sample are at the ends of the range (both belong to it before Prometheus 3), so that rate()
    has nothing to extrapolate and is the average over the whole run, which the summary computes by the formula of the
    counter's type."""
    found, expected = run.query(query, END), run.summary(counter)
    if set(found) != set(expected):
        fail(query, "is of", sorted(found), "and", counter, "of", sorted(expected))
    for series, value in found.items():
        if not near(scale * value, expected[series]["average"]):
            fail(query, series, "is", scale * value, "and", counter, "is", expected[series]["average"])
    print(f"remark: {counter}: {len(found)} series,")


def rates(run):
    per_second = "rate(hkpd_%s[300s])"
    same_rates(run, per_second % "processor_interrupts_total", r"\Processor(*)\Interrupts/sec")
    same_rates(run, per_second % "system_context_switches_total", r"\System\Context Switches/sec")
    same_rates(run, per_second % "network_interface_bytes_received_total", r"\Network Interface(*)\Bytes Received/sec")
    # An inverse timer counts the time in which the processor was idle; others the time in which it was busy.
    inactive = per_second % "processor_processor_time_inactive_seconds_total"
    same_rates(run, f"1 - {inactive}", r"\Processor(*)\% Processor Time", 100)
    same_rates(run, per_second % "processor_user_time_seconds_total", r"\Processor(*)\% User Time", 100)
    # An average is the quotient of two rates.
    disk = "physicaldisk_avg_disk_read_"
    same_rates(
        run,
        f"{per_second % (disk + 'seconds_total')} / {per_second % (disk + 'base_total')}",
        r"\PhysicalDisk(*)\Avg. Disk sec/Read",
    )
    # Aggregation over a label, compared with the counter of the same total.
    each = run.query('sum(rate(hkpd_processor_interrupts_total{instance!="_Total"}[300s]))', END)
    total = run.summary(r"\Processor(_Total)\Interrupts/sec")
    if not near(sum(each.values()), next(iter(total.values()))["average"]):
        fail("the sum over processors is", each, "and not", total)


def gauges(run):
    """Checks counters that are gauges, and cooked values of others."""
    for metric, counter in {
        "hkpd_memory_available_bytes": r"\Memory\Available Bytes",
        "hkpd_system_processor_queue_length": r"\System\Processor Queue Length",
        "hkpd_processor_processor_time_percent": r"\Processor(*)\% Processor Time",
        "hkpd_processor_interrupts_per_second": r"\Processor(*)\Interrupts/sec",
        "hkpd_physicaldisk_avg_disk_read_seconds": r"\PhysicalDisk(*)\Avg. Disk sec/Read",
    }.items():
        expected = run.summary(counter)
        for of_time, figure in (("min", "min"), ("max", "max"), ("avg", "mean"), ("last", "last"), ("count", "count")):
            found = run.query(f"{of_time}_over_time({metric}[300s])", END)
            if set(found) != set(expected):
                fail(metric, "is of", sorted(found), "and", counter, "of", sorted(expected))
            for series, value in found.items():
                if not near(value, expected[series][figure]):
                    fail(of_time, metric, series, "is", value, "and", counter, "is", expected[series])
        print(f"remark: {counter}: {len(expected)} series,")


LINE = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)")


def served_points(path):
    found = {}
    with open(path, encoding="utf-8") as text:
        for line in text:
            if not line.startswith("hkpd_"):
                continue
            name, labels, value = LINE.fullmatch(line.rstrip("\n")).groups()
            # node_exporter orders labels differently.
            parts = frozenset(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or ""))
            if (name, parts) in found:
                fail(line, "is there twice")
            found[name, parts] = float(value)
    return found


def same(textfile, served):
    expected, found = served_points(textfile), served_points(served)
    if not expected or expected != found:
        fail("different:", set(expected.items()) ^ set(found.items()))
    print(f"remark: {len(found)} points")


def main():
    what, *arguments = sys.argv[1:]
    if what == "get":
        sys.stdout.write(get(*arguments))
    elif what == "same":
        same(*arguments)
    else:
        {"points": points, "rates": rates, "gauges": gauges}[what](Run(*arguments))


main()
