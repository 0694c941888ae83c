#!/usr/bin/env python3
"""judge_mocks.py: tests judge.py with output that no program printed. Output made from a plan must pass for each plan; each
mistake put into it must be found by the check that it is for. Also: a plan is the same for the same seed, and sums are right."""

import copy
import datetime
import html
import json
import pathlib
import sys
import tempfile
import types

import judge
import planted

SENTENCES = {"processor": "The processors were at their limit from {0} to {1}: {2} used most of them.",
             "growth": "Private bytes of {2} grow by {4:.4g} bytes an hour from {0} to {1}, in each of its lives.",
             "handles": "Handles of {2} grow by {4:.4g} an hour from {0} to {1}.",
             "disk": "Disk {3} was at its limit from {0} to {1}: {2} read and wrote most.",
             "memory": "Memory was exhausted from {0} to {1}, and pages were read from disk: {2} has most of it.",
             "network": "Network interface {3} was at its limit from {0} to {1}: {2} sent most."}


def entry(plan, **other):
    """Returns the entry of `verdict` that is right for a plan, with other values for some of its fields."""
    facts = {"process": plan["process"], "pid": plan["pid"], "instance": plan["instance"], "from": plan["from"], "to": plan["to"], **other}
    bias = datetime.timedelta(minutes=plan["utc_bias_minutes"])
    clock = [f"{judge.moment(facts[side]) - bias:%H:%M}" for side in ("from", "to")]
    area = other.get("area", "growth" if plan["cause"] == "handles" else plan["cause"])
    sentence = SENTENCES["handles" if (plan["cause"], area) == ("handles", "growth") else area]
    text = sentence.format(*clock, f"{facts['process']} ({facts['pid']})", facts["instance"], plan["numbers"].get("growth_per_hour", 0))
    return {**facts, "area": area, "text": text}


def rows_of(plan):
    rows = []
    for number, life in enumerate(plan["processes"]):
        for counter, name in [("% Processor Time", "cpu"), ("Private Bytes", "private"), ("Working Set", "working_set"), ("Handle Count", "handles"), ("IO Data Bytes/sec", "io")]:
            if f"{name}_max" in life:
                rows.append({"machine": "M", "object": "Process", "parent": None, "instance": life["process"], "pid": life["pid"], "life": number, "counter": counter,
                             "from": life["first"], "to": life["last"], "max": life[f"{name}_max"], "last": life[f"{name}_last"],
                             "max_time": life[f"{name}_max_time"], "total": 100 * life["cpu_seconds"], "growth": plan["numbers"].get("growth_per_hour")})
    return rows


def text_of(plan, entries):
    """Returns text as top prints it: claims, long ones on two lines, and the table."""
    lines = ["machine M, 361 samples, 2026-01-05 10:00:00 - 11:30:00 UTC"]
    for one in entries:
        cut = one["text"].find(" ", 50)
        lines += [one["text"][:cut], "  " + one["text"][cut + 1:]] if cut > 0 else [one["text"]]
    lines += ["" if entries else "No limit was reached, and nothing grows steadily.", "10 of 40 processes by processor time",
              "                 PID   CPU s      max     at    Private  lifetime"]
    bias = datetime.timedelta(minutes=plan["utc_bias_minutes"])
    for life in plan["processes"]:
        if "cpu_max" in life:
            lines.append(f"{life['process'][:12]:14}  {life['pid']:5}  {life['cpu_seconds']:6.4g}  {life['cpu_max']:.4g} %  "
                         f"{judge.moment(life['cpu_max_time']) - bias:%H:%M}  {life['private_last'] / 1048576:.4g} MiB")
    return "\n".join(lines) + "\n"


def right(plan, entries=None):
    """Returns the output that is right for a plan, or has these entries in its verdict."""
    if entries is None:
        entries = [] if plan["cause"] == "none" else [entry(plan)]
    output = types.SimpleNamespace(top_json={"rows": rows_of(plan), "verdict": entries}, top_text=text_of(plan, entries))
    items = "".join(f"<li><b>{html.escape(one['text'][:9])}</b>{html.escape(one['text'][9:])}</li>" for one in entries)
    output.page = f'<html><body><p>other</p><section id="verdict"><h2>Verdict</h2><ul>{items}</ul></section><p>saturated: not this</p></body></html>'
    life = next((life for life in plan["processes"] if life["pid"] == plan["pid"] and life["process"] == plan["process"]), plan["processes"][0])
    if plan["cause"] != "none":
        life = next(one for one in plan["processes"] if one["process"] == plan["process"] and one["pid"] in plan["pids"] and one["first"] <= plan["peak"] <= one["last"])
    counter = (judge.SEEN_BY[plan["cause"]] or ["Private Bytes"])[0]
    series = {"machine": "M", "object": "Process", "parent": None, "instance": life["process"], "pid": life["pid"], "life": 1, "counter": counter}
    output.window = (plan["peak"], plan["peak"])
    output.at_json = {"rows": [{**series, "count": 2, "first": 1.0, "last": 2.0, "mean": 1.5, "min": 1.0, "max": 2.0}]}
    output.replayed = [{**series, "parent": "", "pid": str(life["pid"]), "life": "1", "value": value} for value in ("1", "2")]
    output.at_text = f"processes\n  {life['process']} ({life['pid']}) {counter}  1.5  0.1\n  another (77) {counter}  1.2\ninstances\n  {plan['instance']} % Idle Time\n"
    return output


def moved(plan, minutes):
    """Returns the times of a plan so many minutes later."""
    delta = datetime.timedelta(minutes=minutes)
    return {side: planted.iso(judge.moment(plan[side]) + delta) for side in ("from", "to")}


def mistakes(plan):
    """Yields (what, the check that must find it, output)."""
    cause = plan["cause"]
    if cause == "none":
        for area in ("processor", "growth"):
            claim = {"area": area, "text": "System (4) grows steadily." if area == "growth" else "The processors were at their limit.", "process": "System", "pid": 4}
            yield f"claims {area}", "verdict", right(plan, [claim])
            yield f"claims {area} on the page", "page", right(plan, [claim])
        output = right(plan)
        output.top_text += "growing steadily: System (4), private bytes +1 MiB/h\n"
        yield "claims growth in the text alone", "verdict", output
        return
    other = "memory" if cause != "memory" else "network"
    yield "no claim", "verdict", right(plan, [])
    yield "no claim on the page", "page", right(plan, [])
    yield "another area", "verdict", right(plan, [entry(plan, area=other)])
    yield "another area first", "verdict", right(plan, [entry(plan, area=other), entry(plan)])
    yield "another area too", "verdict", right(plan, [entry(plan), entry(plan, area=other)])
    yield "another process", "verdict", right(plan, [entry(plan, process="innocent")])
    yield "another process on the page", "page", right(plan, [entry(plan, process="innocent")])
    yield "another process too", "verdict", right(plan, [entry(plan), entry(plan, process="innocent", pid=8)])
    yield "a longer name", "verdict", right(plan, [entry(plan, process=plan["process"] + "2")])
    yield "another PID", "verdict", right(plan, [entry(plan, pid=99996)])
    if cause in judge.LIMITS:
        yield "another time", "verdict", right(plan, [entry(plan, **moved(plan, 90))])
        yield "the whole log", "verdict", right(plan, [entry(plan, **{"from": moved(plan, -600)["from"], "to": moved(plan, 600)["to"]})])
        output = right(plan)
        other_life = next(life for life in plan["processes"] if life["process"] != plan["process"])
        output.at_text = output.at_text.replace("processes\n", f"processes\n  {other_life['process']} ({other_life['pid']}) {judge.SEEN_BY[cause][0]}  9\n")
        yield "at: another process first", "at", output
    if plan["instance"]:
        yield "another instance", "verdict", right(plan, [entry(plan, instance="9 Z:")])
        output = right(plan)
        output.at_text = output.at_text.replace(plan["instance"], "9 Z:")
        yield "at: another instance", "at", output
    output = right(plan)
    output.top_text = text_of(plan, [])
    yield "text without the claim", "verdict", output
    output = right(plan)
    output.page = output.page.replace('id="verdict"', 'id="other"')
    yield "page without the element", "page", output
    output = right(plan)
    del output.top_json["verdict"]
    yield "JSON without the member", "verdict", output
    for what, key, change in [("a max", "max", 1.001), ("seconds", "total", 1.01), ("a last value", "last", 0.99)]:
        output = right(plan)
        row = next(row for row in output.top_json["rows"] if row["pid"] == plan["pid"] and row["counter"] == "% Processor Time")
        row[key] = (row[key] + 1) * change
        yield f"{what} is wrong", "table", output
    output = right(plan)
    output.top_json["rows"][0]["max_time"] = "2020-01-01T00:00:00.000Z"
    yield "the time of a max is wrong", "table", output
    output = right(plan)
    output.top_json["rows"] = [row for row in output.top_json["rows"] if row["pid"] != plan["pid"]]
    yield "no row", "table", output
    output = right(plan)
    output.page = output.page.replace("</ul>", "<li>Private bytes of System (4) grow, a leak.</li></ul>")
    yield "a claim on the page alone", "page", output
    if "growth_per_hour" in plan["numbers"]:
        output = right(plan)
        for row in output.top_json["rows"]:
            row["growth"] = plan["numbers"]["growth_per_hour"] * 0.9
        yield "growth is wrong", "table", output
    output = right(plan)
    output.top_text = "\n".join("1.234e9  ".join(line.rsplit("  ", 1)) if " MiB" in line else line for line in output.top_text.split("\n")).replace(" %", "7 %")
    yield "text is wrong", "table", output
    output = right(plan)
    output.at_text = "".join(line for line in output.at_text.splitlines(True) if plan["process"] not in line)
    yield "at: no name", "at", output
    for key in ("mean", "count", "min", "max"):
        output = right(plan)
        output.at_json = copy.deepcopy(output.at_json)
        output.at_json["rows"][0][key] += 0.001
        yield f"at: {key} is wrong", "at", output
    output = right(plan)
    output.at_text = output.at_text.replace("  1.5  ", "  1.6  ")
    yield "at: the text has another number", "at", output
    output = right(plan)
    output.at_json = {"rows": []}
    yield "at: no number", "at", output
    output = right(plan)
    output.window = ("2020-01-01T00:00:00.000Z", "2020-01-01T00:01:00.000Z")
    yield "at: another window", "at", output


def check_log(path, plan):
    """Returns what is wrong with a log: processor time is that of its processes, and all of the processors is used or idle."""
    lines = path.read_text(encoding="utf-8").splitlines()
    heads, wrong = [head.strip('"') for head in lines[0].split('","')], []
    if {line.count('","') for line in lines} != {len(heads) - 1} or len(lines) != plan["samples"] + 1:
        return ["rows differ in length"]
    used = [n for n, head in enumerate(heads) if "\\Process(" in head and head.endswith("% Processor Time") and "(_Total)" not in head]
    total = next(n for n, head in enumerate(heads) if head.endswith("_Total)\\% Processor Time") and "\\Process(" not in head)
    short = 0
    for line in lines[2:]:
        cells = [cell.strip('"').strip() for cell in line.split('","')]
        idle = next(float(cells[n]) for n in used if "(Idle)" in heads[n])
        spent = sum(float(cells[n]) for n in used if cells[n] and "(Idle)" not in heads[n])
        if abs(100 * plan["processors"] - idle - float(cells[total]) * plan["processors"]) > 1e-6:
            wrong.append(f"{cells[0]}: idle and used are not all")
        # The first interval of a process is in the processors' time alone.
        short += abs(spent - float(cells[total]) * plan["processors"]) > 1e-6
    if short > len(plan["processes"]):
        wrong.append(f"in {short} rows processes do not add up to the processors")
    return wrong


def failures_of(plan, output):
    one = judge.Judged(plan, output)
    for check in judge.CHECKS:
        one.check(check)
    return one.failures


def main():
    wrong, tried = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name in planted.CAUSES:
            path = planted.write(folder, name, 5, 1.5)
            plan = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            wrong += [f"{path.name}: {text}" for text in check_log(path, plan)]
            wrong += [f"{name}: right output: {check}: {text}" for check, text in failures_of(plan, right(plan))]
            for what, check, output in mistakes(plan):
                tried += 1
                if check not in {found for found, _ in failures_of(plan, output)}:
                    wrong.append(f"{name}: not found by {check}: {what}")
        before = path.read_bytes()
        if planted.write(folder, name, 5, 1.5).read_bytes() != before:
            wrong.append(f"{name}: another log for the same seed")
    print("\n".join(wrong + [f"{tried} mistakes, {len(wrong)} faults of the judge"]))
    sys.exit(1 if wrong or not tried else 0)


if __name__ == "__main__":
    main()
