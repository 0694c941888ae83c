#!/usr/bin/env python3
"""judge.py HKPD [FOLDER] [--checks NAME...]: whether hkpd names the planted cause of each log in a folder, and no other.

FOLDER has logs and their plans as planted.py writes them; another form of a log (.blg, .mcap, .tsv) may stand in place of its
.csv. Without FOLDER: one short log of each plan (--hours, --seed, --count), in a temporary folder. Checks:

    verdict   `hkpd top LOG`: the first entry of `verdict` in its JSON is of the cause's area, names process and PID, disk or
              interface, and a time that overlaps the plan's (limits: half of it, and not twice as long); no entry of another area
              unless the plan allows it, nor of another process or instance, nor that another process had but one processor (they
              have several threads); the text has the same sentences, or those facts.
              Healthy logs: no entry, and no line that claims something.
    page      `hkpd report LOG`: the element with the id `verdict` has the same sentences, or those facts.
    table     `hkpd top LOG`: the numbers of each process. Seconds of processor time within 0.01 % + 0.01 s of the plan; maxima,
              last values and times exactly as in the log; growth per hour of what is planted within 5 %; text as rounded.
    at        `hkpd top LOG --at PEAK`: the text names the process and the instance, the process first among those with the
              cause's counter; each number of the JSON is what `hkpd replay` prints for that window, within 1e-9 of it.

Prints a row for each log, then each failure. Exits with 1 if there is any, or no log."""

import argparse
import collections
import csv
import datetime
import io
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import claims
import planted

CHECKS = ("verdict", "page", "table", "at")
# The counters of processes by which a cause is seen.
SEEN_BY = {"processor": ["% Processor Time"], "growth": ["Private Bytes"], "handles": ["Handle Count"], "memory": ["Private Bytes", "Working Set"],
           "disk": ["IO Data Bytes/sec"], "network": ["IO Data Bytes/sec", "IO Other Bytes/sec"], "none": []}
LIMITS = ("processor", "memory", "disk", "network")
UNITS = {"": 1, "%": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).replace(tzinfo=None)


def quantity(text):
    """Returns the number of a cell such as `+1.24 GiB`, `16.01k` or `643.9 %`; None if it has none."""
    found = re.fullmatch(r"([+-]?[\d.]+(?:e[+-]?\d+)?) ?(\S*)", text.strip())
    return float(found[1]) * UNITS[found[2]] if found and found[2] in UNITS else None


def near(found, expected, share, more=0.0):
    return found is not None and abs(found - expected) <= abs(expected) * share + more


class Judged:
    """What is known of one log: its plan, what hkpd printed, and what is wrong with it."""

    def __init__(self, plan, output):
        self.plan, self.output, self.failures, self.shown = plan, output, [], {}
        self.area = "growth" if plan["cause"] == "handles" else plan["cause"]
        self.begin, self.end = moment(plan["from"]), moment(plan["to"])

    def fail(self, check, text):
        self.failures.append((check, text))

    def check(self, name):
        before = len(self.failures)
        try:
            shown = {"verdict": self.verdict, "page": self.page, "table": self.table, "at": self.at}[name]()
        except (ValueError, KeyError, TypeError) as problem:
            self.fail(name, f"not in the form agreed on: {problem}")
            shown = None
        self.shown[name] = "WRONG" if len(self.failures) > before else shown or "ok"

    # Claims

    def names_cause(self, text):
        """Returns what is missing in a text to name the cause: a list of words, empty if nothing."""
        plan = self.plan
        missing = []
        if not re.search(claims.WORDS[plan["cause"]], text, re.I):
            missing.append(plan["cause"])
        if not any(claims.names_process(text, plan["process"], pid) for pid in plan["pids"]):
            missing.append(f"{plan['process']} ({' or '.join(map(str, plan['pids']))})")
        if plan["instance"] and not claims.names_instance(text, plan["instance"]):
            missing.append(plan["instance"])
        if plan["cause"] in LIMITS and not self.has_time(text):
            missing.append(f"a time from {plan['from']} to {plan['to']}")
        return missing

    def has_time(self, text):
        """Returns whether a text has a time of day within the plan's time, in the log's zone or UTC."""
        slack = datetime.timedelta(seconds=60 + 2 * self.plan["interval"])  # a minute is cut off, as in check_claim
        for hour, minute in re.findall(r"(?<![\d:+-])(\d\d):(\d\d)(?!\d)", text):
            for bias in (self.plan["utc_bias_minutes"], 0):
                clock = (int(hour) * 60 + int(minute) + bias) * 60
                into = (clock - (self.begin - slack - datetime.datetime(2000, 1, 1)).total_seconds()) % 86400
                if into <= (self.end - self.begin + 2 * slack).total_seconds():
                    return True
        return False

    def check_claim(self, claim, is_first):
        """Checks that a claim of the cause's area is about what is planted, by its typed fields."""
        plan, check = self.plan, "verdict"
        values = list(claims.values_of({key: value for key, value in claim.fields.items() if key not in ("area", "text")}))
        strings = [value for value in values if isinstance(value, str)]
        wanted = plan["pids"]
        if plan["process"] not in strings:
            self.fail(check, f"no field is the process {plan['process']}: {claim.text}")
        elif not any(pid in values or str(pid) in strings for pid in wanted):
            self.fail(check, f"no field is its PID {wanted}: {claim.text}")
        if plan["instance"] and not any(claims.names_instance(value, plan["instance"]) for value in strings):
            self.fail(check, f"no field is the instance {plan['instance']}: {claim.text}")
        if not isinstance(claim.fields.get("from"), str) or not isinstance(claim.fields.get("to"), str):
            self.fail(check, f"no fields `from` and `to`: {claim.text}")
            return
        times = moment(claim.fields["from"]), moment(claim.fields["to"])
        shared = (min(times[-1], self.end) - max(times[0], self.begin)).total_seconds()
        length, slack = (self.end - self.begin).total_seconds(), 2 * plan["interval"] + 60
        if shared <= 0 or is_first and plan["cause"] in LIMITS and (shared < 0.5 * length - slack or (times[-1] - times[0]).total_seconds() > 2 * length + slack):
            self.fail(check, f"its time is {times[0]} to {times[-1]}, the plan's {self.begin} to {self.end}: {claim.text}")

    def verdict(self):
        plan, output = self.plan, self.output
        found = claims.claims_of(output.top_json)
        for claim in found:
            lines = [claims.plain(claim.text)]
            if claim.fields.get("kind") == "one_processor" and plan["process"] not in claims.values_of(claim.fields):
                self.fail("verdict", f"claims that a process had but one processor: {claim.text}")
            elif plan["cause"] == "none" or claim.area not in (self.area, *plan["also"]):
                self.fail("verdict", f"claims {claim.area}: {claim.text}")
            elif claim.area == self.area:
                self.check_claim(claim, claim is next(one for one in found if one.area == self.area))
                if missing := self.names_cause(lines[0]):
                    self.fail("verdict", f"its text is without {', '.join(missing)}: {claim.text}")
        if plan["cause"] == "none":
            for growing in output.top_json.get("growing", []):
                self.fail("verdict", f"`growing` has {str(growing)[:120]}")
        elif not any(claim.area == self.area for claim in found):
            self.fail("verdict", f"no entry of the area {self.area}, but {[claim.area for claim in found] or 'none'}")
        elif found[0].area != self.area:
            self.fail("verdict", f"the first entry is {found[0].area}, not {self.area}: {found[0].text}")
        self.check_sentences("verdict", "top's text", claims.text_lines(output.top_text), found)
        return found[0].text if found else "claims nothing"

    def check_sentences(self, check, where, lines, found):
        """Checks that the lines have the sentences of the claims, or at least the facts, and claim nothing if nothing is to be claimed."""
        if self.plan["cause"] == "none":
            for line in claims.claiming(lines):
                self.fail(check, f"{where} claims: {line}")
            return
        together = claims.plain(" ".join(lines))
        sentences = [claims.plain(claim.text) for claim in found]
        same = [sentence for sentence in sentences if sentence in together]
        if all(self.names_cause(line) for line in lines + same):
            best = min(lines, key=lambda line: len(self.names_cause(line)), default="")
            self.fail(check, f"no line of {where} names the cause; the nearest is without {', '.join(self.names_cause(best))}: {best[:150]}")
        planted_ones = {(self.plan["process"], pid) for pid in self.plan["pids"]}
        for line in claims.claiming(lines):
            named = {(life["process"], life["pid"]) for life in self.plan["processes"] if claims.names_process(line, life["process"], life["pid"])}
            if named and not named & planted_ones and not any(line in sentence or sentence in line for sentence in sentences):
                self.fail(check, f"{where} claims, and the JSON does not: {line}")

    def page(self):
        lines = claims.element_lines(self.output.page, "verdict")
        try:
            found = claims.claims_of(self.output.top_json)
        except ValueError:
            found = []
        self.check_sentences("page", "the page", lines, found)
        return lines[0] if lines else "nothing"

    # Numbers of the table

    def table(self):
        rows = collections.defaultdict(dict)
        for row in self.output.top_json["rows"]:
            rows[row["instance"], row["pid"], row.get("life", 1)][row["counter"]] = row
        compared = 0
        for life in self.plan["processes"]:
            found = [row for (name, pid, _), row in rows.items() if (name, pid) == (life["process"], life["pid"])
                     and any(one["from"] <= life["last"] and one["to"] >= life["first"] for one in row.values() if one["from"])]
            if len(found) != 1:
                self.fail("table", f"{len(found)} rows for {life['process']} ({life['pid']}), {life['first']} to {life['last']}")
                continue
            compared += self.check_row(life, found[0])
        compared += self.check_text()
        if compared == 0:
            self.fail("table", "no number to compare")
        return f"{compared} numbers"

    def check_row(self, life, row):
        who, compared = f"{life['process']} ({life['pid']})", 0

        def compare(what, found, expected, share, more=0.0):
            nonlocal compared
            compared += 1
            if not near(found, expected, share, more):
                self.fail("table", f"{who} {what}: expected {expected}, found {found}")

        for counter, name in [("% Processor Time", "cpu"), ("Private Bytes", "private"), ("Working Set", "working_set"), ("Handle Count", "handles"),
                              ("IO Data Bytes/sec", "io")]:
            if f"{name}_max" not in life or counter not in row:
                continue
            shown = row[counter]
            compare(f"max of {counter}", shown["max"], life[f"{name}_max"], 1e-12)
            compare(f"last {counter}", shown["last"], life[f"{name}_last"], 1e-12)
            compared += 1
            if life[f"{name}_max"] and shown["max_time"] != life[f"{name}_max_time"]:
                self.fail("table", f"{who} time of the max of {counter}: expected {life[f'{name}_max_time']}, found {shown['max_time']}")
            if name == "cpu":
                compare("seconds of processor time", shown["total"] / 100, life["cpu_seconds"], 1e-4, 0.01)
        counter = {"growth": "Private Bytes", "handles": "Handle Count"}.get(self.plan["cause"])
        if counter in row and life["process"] == self.plan["process"] and life["pid"] in self.plan["pids"]:
            compare(f"growth of {counter} per hour", row[counter]["growth"], self.plan["numbers"]["growth_per_hour"], 0.05)
        return compared

    def check_text(self):
        """Checks the rows of the text whose PID no other process has; returns the number of comparisons."""
        lines, heads, compared = self.output.top_text.splitlines(), None, 0
        lives = collections.Counter(life["pid"] for life in self.plan["processes"])
        by_pid = {life["pid"]: life for life in self.plan["processes"] if lives[life["pid"]] == 1}
        for line in lines:
            cells = re.split(r"\s{2,}", line.strip())
            if "CPU s" in cells and "PID" in cells:
                heads = ["process"] + cells
                continue
            if heads is None or len(cells) < heads.index("CPU s") + 1 or not cells[1].isdigit() or int(cells[1]) not in by_pid:
                continue
            life, row = by_pid[int(cells[1])], dict(zip(heads, cells))
            for head, expected in [("CPU s", life["cpu_seconds"]), ("max", life.get("cpu_max")), ("Private", life.get("private_last")), ("WorkSet", life.get("working_set_last"))]:
                if head in row and expected is not None and quantity(row[head]) is not None:
                    compared += 1
                    if not near(quantity(row[head]), expected, 6e-4, 0.06):
                        self.fail("table", f"text, {life['process']} ({life['pid']}), {head}: expected {expected}, found {row[head]}")
            if "at" in row and life.get("cpu_max_time"):
                compared += 1
                local = moment(life["cpu_max_time"]) - datetime.timedelta(minutes=self.plan["utc_bias_minutes"])
                if not any(f"{time:%H:%M}" in row["at"] for time in (local, moment(life["cpu_max_time"]))):
                    self.fail("table", f"text, {life['process']} ({life['pid']}), at: expected {local:%H:%M}, found {row['at']}")
        if heads is None:
            self.fail("table", "the text has no table with PID and CPU s")
        return compared

    # --at

    def at(self):
        plan, lines = self.plan, self.output.at_text.splitlines()
        if plan["cause"] != "none":
            wanted = [pid for _, pid in self.planted_then()]
            named = [line for line in lines if any(claims.names_process(line, plan["process"], pid) for pid in wanted)]
            seen = [line for line in lines if any(counter in line for counter in SEEN_BY[plan["cause"]])
                    and any(claims.names_process(line, life["process"], life["pid"]) for life in plan["processes"])]
            if not named:
                self.fail("at", f"the text does not name {plan['process']} ({wanted})")
            elif plan["cause"] in LIMITS and seen and seen[0] not in named:
                self.fail("at", f"the first process is not {plan['process']} ({plan['pid']}): {seen[0].strip()}")
            if plan["instance"] and not claims.names_instance(self.output.at_text, plan["instance"]):
                self.fail("at", f"the text does not name {plan['instance']}")
            self.check_then([line for line in seen if line in named], wanted)
        elif not self.output.at_json["rows"]:
            return "nothing"  # stands out
        return f"{self.check_window()} numbers"

    def check_then(self, lines, pids):
        """Checks that a line of the text about the planted process has the mean of its counter in the JSON, as rounded."""
        for row in self.output.at_json["rows"]:
            if row["instance"] == self.plan["process"] and row["pid"] in pids and row.get("mean"):
                for line in lines:
                    if row["counter"] in line:
                        numbers = [quantity(cell.removesuffix("/s")) for cell in re.split(r"\s{2,}", line.strip())]
                        if not any(near(number, row["mean"], 6e-4) for number in numbers):
                            self.fail("at", f"the text does not have the mean of {row['counter']}, {row['mean']}: {line.strip()}")

    def planted_then(self):
        """Yields the planted lives at the peak."""
        for life in self.plan["processes"]:
            if life["process"] == self.plan["process"] and life["pid"] in self.plan["pids"] and life["first"] <= self.plan["peak"] <= life["last"]:
                yield life, life["pid"]

    def check_window(self):
        rows = [row for row in self.output.at_json["rows"] if row.get("mean") is not None]
        replayed = collections.defaultdict(list)
        for line in self.output.replayed:
            if line["value"]:
                replayed[series_of(line)].append(float(line["value"]))
        compared = 0
        begin, end = self.output.window
        if not begin <= self.plan["peak"] <= end:
            self.fail("at", f"the window {begin} to {end} does not have {self.plan['peak']}")
        for row in rows:
            values, who = replayed.get(series_of(row), []), f"{row['object']}({row['instance']}, {row['pid']}) {row['counter']}"
            if not values:
                self.fail("at", f"{who}: replay has no value in the window")
                continue
            expected = {"count": len(values), "first": values[0], "last": values[-1], "min": min(values), "max": max(values), "mean": math.fsum(values) / len(values)}
            for name, value in expected.items():
                if name in row:
                    compared += 1
                    if not near(row[name], value, 1e-9, 1e-12):
                        self.fail("at", f"{who} {name}: replay {value}, found {row[name]}")
        if compared == 0:
            self.fail("at", "no number to compare")
        return compared


def series_of(row):
    """Returns the key of a series, of a row of JSON or of replay's CSV."""
    return tuple("" if row.get(key) is None else str(row.get(key)) for key in ("machine", "object", "parent", "instance", "pid", "life", "counter"))


def window_of(document):
    """Returns the first and last time of the window that `--at` took, from the JSON's fields."""
    if isinstance(document.get("window"), dict):
        return document["window"]["from"], document["window"]["to"]
    begins = [row["window_from"] for row in document["rows"] if row.get("window_from")]
    ends = [row["window_to"] for row in document["rows"] if row.get("window_to")]
    if not begins:
        raise ValueError("the JSON of --at states no window")
    return min(begins), max(ends)


class Output:
    """What hkpd prints of a log, each on first use."""

    def __init__(self, hkpd, log, plan):
        self.hkpd, self.log, self.plan = hkpd, log, plan

    def run(self, *arguments):
        result = subprocess.run([self.hkpd, *map(str, arguments)], capture_output=True, check=False)
        if result.returncode != 0:
            raise ValueError(f"hkpd {' '.join(map(str, arguments))} ends with {result.returncode}: {result.stderr.decode(errors='replace').strip()[:200]}")
        return result.stdout.decode("utf-8")

    def __getattr__(self, name):
        log, peak = self.log, self.plan["peak"]
        if name == "top_text":
            value = self.run("top", log)
        elif name == "top_json":
            value = json.loads(self.run("top", log, "--top", 100000, "--format", "json"))
        elif name == "page":
            with tempfile.TemporaryDirectory() as folder:
                self.run("report", log, "-o", pathlib.Path(folder) / "page.html")
                value = (pathlib.Path(folder) / "page.html").read_text(encoding="utf-8")
        elif name == "at_text":
            value = self.run("top", log, "--at", peak)
        elif name == "at_json":
            value = json.loads(self.run("top", log, "--at", peak, "--format", "json"))
        elif name == "window":
            value = window_of(self.at_json)
        elif name == "replayed":
            begin, end = self.window
            value = list(csv.DictReader(io.StringIO(self.run("replay", log, "--format", "csv", "--from", begin, "--to", end))))
        else:
            raise AttributeError(name)
        setattr(self, name, value)
        return value


def judge(hkpd, folder, checks):
    """Judges the logs of a folder, prints a table, and returns whether all passed."""
    plans = [path for path in sorted(folder.glob("*.json")) if "cause" in json.loads(path.read_text(encoding="utf-8"))]
    judged = []
    for path in plans:
        plan = json.loads(path.read_text(encoding="utf-8"))
        logs = [log for log in (path.with_suffix(suffix) for suffix in (".csv", ".tsv", ".blg", ".mcap")) if log.exists()]
        for log in logs:
            one = Judged(plan, Output(hkpd, log, plan))
            for check in checks:
                one.check(check)
            judged.append((log, one))
            show(log, one, checks, heading=len(judged) == 1)
    for log, one in judged:
        for check, text in one.failures:
            print(f"{log.name}: {check}: {text}")
    failed = sum(bool(one.failures) for _, one in judged)
    print(f"{len(judged)} logs, {failed} failed")
    return judged and not failed


def show(log, one, checks, heading):
    """Prints a row of the table: a cell is `WRONG`, or what was found."""
    wide = {"verdict": 60, "page": 60, "table": 13, "at": 13}
    if heading:
        print("log".ljust(26), "cause".ljust(10), *(check.ljust(wide[check]) for check in checks), "")
    cells = [(text if len(text) <= wide[check] else text[:wide[check] - 1] + "…").ljust(wide[check]) for check, text in one.shown.items()]
    print(log.name.ljust(26), one.plan["cause"].ljust(10), *cells, "FAIL" if one.failures else "PASS", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hkpd")
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--checks", nargs="+", choices=CHECKS, default=CHECKS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--hours", type=float, default=1.5)
    arguments = parser.parse_args()
    if arguments.folder:
        sys.exit(0 if judge(arguments.hkpd, arguments.folder, arguments.checks) else 1)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            for name in planted.CAUSES:
                planted.write(folder, name, seed, arguments.hours)
        sys.exit(0 if judge(arguments.hkpd, pathlib.Path(folder), arguments.checks) else 1)


if __name__ == "__main__":
    main()
