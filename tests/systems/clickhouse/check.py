#!/usr/bin/env python3
"""Compares the rows of ClickHouse with the output of hkpd: lines of JSON on both sides.

check.py rows LINES ROWS: compares `hkpd replay --format jsonl` with the rows of hkpd.samples: all rows, every field. Lines
that share a row of the table (bases with a common index) count once.
check.py summary SUMMARY ROWS: compares `hkpd replay --summary --format jsonl` with machine, object, counter, instance,
parent, pid, instance_id, life, count, min, max, mean.

Integers have to be equal. ClickHouse reads doubles by a shortcut that loses the last bits of some.
"""

import json
import math
import sys
from datetime import date


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def filetime(text):
    """Converts a time such as 2024-05-14T09:30:00.000Z to 100 ns since 1601."""
    if text is None:
        return 0
    day, clock = text.rstrip("Z").split("T")
    year, month, number = map(int, day.split("-"))
    # Python's calendar ends with the year 9999; the calendar has a period of 400 years, of 146097 days.
    periods = (year - 2000) // 400 if year > 9999 else 0
    days = (date(year - 400 * periods, month, number) - date(1601, 1, 1)).days + 146097 * periods
    hour, minute, second = clock.split(":")
    milliseconds = (int(hour) * 60 + int(minute)) * 60_000 + int(second.replace(".", ""))
    return (days * 86_400_000 + milliseconds) * 10_000


def close(a, b, tolerance=2e-15):
    return a == b or (None not in (a, b) and math.isclose(a, b, rel_tol=tolerance))


def whole(value):
    return None if value is None else int(value)


def fallback(line, name, number):
    if line[name] is not None:
        return line[name]
    if name == "object" and line["source"] == "v2":
        return line["counterset"]
    return ("id " if line["source"] == "v2" else "#") + str(line[number])


ids = ("pid", "instance_id", "life")


def identity(row):
    return tuple(row[key] for key in ("machine", "object", "counter", "instance", "parent", *ids))


def expected_row(line):
    names = [fallback(line, "object", "object_index"), fallback(line, "counter", "counter_index")]
    names += [line[key] or "" for key in ("machine", "instance", "parent", "source", "counterset", "type")]
    key = (*names, line["object_index"], line["counter_index"], *(line.get(key) for key in ids),
           line.get("pdh_instance") or "", filetime(line["time"]))
    texts = (line.get("text"), line.get("hex"), line.get("status") or "", line.get("reason") or "")
    return key, (line["raw"], *texts), line.get("value")


def actual_row(row):
    names = [row[key] for key in ("object", "counter", "machine", "instance", "parent", "source", "counterset", "type")]
    key = (*names, row["object_index"], row["counter_index"], *(row[key] for key in ids), row["pdh_instance"],
           int(row["filetime"]))
    texts = (row["text"], row["hex"], row["status"], row["reason"])
    return key, (whole(row["raw"]), *texts), row["value"]


def compare_rows(lines, rows):
    expected = {}
    for key, values, cooked in map(expected_row, lines):
        expected.setdefault(key, []).append((values, cooked))
    wrong = []
    for key, values, cooked in map(actual_row, rows):
        if not any(values == one[0] and close(cooked, one[1]) for one in expected.get(key, ())):
            wrong.append((key, values, cooked))
    for row in wrong[:5]:
        print("differs from hkpd:", row, "but", expected.get(row[0]))
    if len(rows) != len(expected):
        print(f"{len(rows)} rows instead of {len(expected)}")
    print(f"{len(rows)} rows are compared with {len(lines)} lines")
    return not wrong and len(rows) == len(expected) > 0


def summed(lines):
    """Adds up what has the same names and ids, such as counters that have the same name."""
    sums = {}
    for line in lines:
        if not int(line["count"]):
            continue
        line["parent"] = line["parent"] or ""
        count, least, most, total = sums.get(identity(line), (0, math.inf, -math.inf, 0))
        here = int(line["count"])
        sums[identity(line)] = (
            count + here, min(least, line["min"]), max(most, line["max"]), total + here * line["mean"])
    return sums


def compare_summaries(lines, rows):
    expected, actual = summed(lines), summed(rows)
    same = expected.keys() == actual.keys() and len(expected) > 0
    if not same:
        print("not the same counters:", sorted(expected.keys() ^ actual.keys())[:5])
    wrong = []
    for key in expected.keys() & actual.keys():
        (count, least, most, total), there = expected[key], actual[key]
        if count != there[0] or not (
            close(least, there[1]) and close(most, there[2]) and close(total, there[3], 1e-12)):
            wrong.append((key, expected[key], there))
    for entry in wrong[:5]:
        print("differs:", *entry)
    print(f"{len(actual)} counters of {len({key[0] for key in actual})} machines, "
          f"{sum(entry[0] for entry in actual.values())} values")
    return same and not wrong


if __name__ == "__main__":
    compare = {"rows": compare_rows, "summary": compare_summaries}[sys.argv[1]]
    sys.exit(0 if compare(read(sys.argv[2]), read(sys.argv[3])) else 1)
