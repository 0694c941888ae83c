#!/usr/bin/env python3
"""compare.py HKPD [PAGE INPUT...]: compares every number of a page of `hkpd report` with what `hkpd replay` prints for the
same inputs: the points of all series, their statistics, the facts of the head, and the findings, which are evaluated here
independently of the library (tests/rules/evaluate.py). Prints the number of comparisons and each difference. Without
PAGE: pages that this program makes, of the logs of Windows in HKPD_SHARED_DIR (or ../shared) if it is there, of captures,
and of a log with a planted peak; and of one of these with changed numbers, which must be found."""

import bisect
import datetime
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "rules"))
import evaluate  # noqa: E402
import page as pages  # noqa: E402
import replayed  # noqa: E402
from troubled import write_log  # noqa: E402

WINDOWS_RULES = ROOT / "lib" / "src" / "rules" / "windows.xml"
SHARED = pathlib.Path(os.environ.get("HKPD_SHARED_DIR") or ROOT.parent / "shared") / "data"
MEAN = 1e-12  # relative, of means
OTHER = 1e-9  # of slopes and deviations, which are computed in another order here
TROUBLES = {"Processor time", "Available memory", "Growth of a process", "Network bandwidth in use", "Free space of volumes"}
UNITS = {"s": 1, "min": 60, "h": 3600, "days": 86400}


class Numbers:
    """The comparison of one page."""

    def __init__(self, run, text, rules=WINDOWS_RULES):
        self.run, self.compared, self.differences, self.rules = run, 0, [], rules
        self.page = pages.Page(text)
        self.index = self.page.index
        self.evaluation = evaluate.Evaluation(run, rules)
        self.series = {}
        for series in [*run.series.values(), *self.evaluation.derived]:
            self.series.setdefault(name_of(series), []).append(series)
        self.check_series()
        self.check_counters()
        self.check_charts()
        self.check_gaps()
        self.check_facts()
        self.check_findings()
        self.check_shown()

    def require(self, condition, what):
        self.compared += 1
        if not condition:
            self.differences.append(what)

    def equal(self, what, found, expected, tolerance=0.0):
        """Compares two numbers or other values."""
        number = isinstance(found, (int, float)) and isinstance(expected, (int, float))
        same = found == expected or (number and abs(found - expected) <= tolerance)
        self.require(same, f"{what}: {found!r}, expected {expected!r}")

    # The series

    def find(self, shown):
        """Returns the series of the run that is one of the page. If several have its names, the one with its numbers."""
        name = (shown["machine"], shown["object"], shown.get("instance", ""), shown["counter"], shown.get("pid"))
        found = self.series.get(name, [])
        for series in found:
            values = [value for _, value in series.present()]
            if len(values) == shown["count"] and (not values or (min(values), max(values)) == (shown["min"], shown["max"])):
                return series
        return found[0] if found else None

    def check_series(self):
        self.matched = []
        self.require(self.index["version"] == 1, "another version of the index")
        for number, shown in enumerate(self.index["series"]):
            series = self.find(shown)
            self.matched.append(series)
            what = f"series {number}, {shown['object']}({shown.get('instance', '')})\\{shown['counter']}"
            if series is None and (shown["object"], shown["counter"]) in self.evaluation.scripted:
                self.page.buckets(shown)  # PAL's scripts are not run here
                continue
            self.require(series is not None, f"{what} is not in the run")
            if series is not None:
                self.check_statistics(what, shown, series)
                self.check_buckets(what, shown, series)
        self.equal("bytes of values", self.page.used, len(self.page.values))

    def check_statistics(self, what, shown, series):
        expected = expectation(series.present())
        scale = max((abs(value) for _, value in series.present()), default=0)
        for key, value in expected.items():
            tolerance = scale * MEAN if key in ("mean", "p50", "p95") else scale * OTHER if key == "stddev" else 0
            if key == "slope":
                times = [time for time, _ in series.present()]
                tolerance = scale * OTHER * evaluate.HOUR / max(1, times[-1] - times[0]) if times else 0
            if key in ("p50", "p95") and shown.get("percentile_error"):
                tolerance = abs(value) * shown["percentile_error"] * 1.001
            if value is None:
                self.require(shown.get(key) is None, f"{what}: {key}: {shown.get(key)!r}, expected none")
            else:
                self.equal(f"{what}: {key}", shown.get(key), value, tolerance)

    def check_buckets(self, what, shown, series):
        intervals = self.page.intervals(shown["grid"])
        times = self.run.times[series.machine]
        places = places_of(times, intervals)
        self.require(places is not None, f"{what}: the grid does not have each sample once")
        if places is None:
            return
        content = [[] for _ in intervals]
        reasons = [None] * len(intervals)
        for time, place in zip(times, places):
            if series.values.get(time) is not None:
                content[place].append(series.values[time])
            elif series.reasons.get(time, "first_sample") != "first_sample":
                reasons[place] = series.reasons[time]
        for place, (bucket, values) in enumerate(zip(self.page.buckets(shown), content)):
            where = f"{what}, interval {place}"
            self.equal(f"{where}: reason", bucket.reason, reasons[place])
            self.equal(f"{where}: min", bucket.min, min(values, default=None))
            self.equal(f"{where}: max", bucket.max, max(values, default=None))
            mean = math.fsum(values) / len(values) if values else None
            self.equal(f"{where}: mean", bucket.mean, mean, MEAN * max(map(abs, values), default=0))

    def check_counters(self):
        """Each counter that varied is listed with all its instances, and each other one among the constant ones."""
        expected, constant = {}, {}
        for series in self.run.series.values():
            name = (series.machine, series.object, series.counter)
            if series.present() or varied(series, self.run):
                expected.setdefault(name, []).append(series)
        for name, all_series in list(expected.items()):
            if not any(varied(series, self.run) for series in all_series):
                constant[name] = expected.pop(name)
        shown = {}
        for counter in self.index["counters"]:
            name = (counter["machine"], counter["object"], counter["counter"])
            self.require(name not in shown, f"counter {name} twice")
            shown[name] = counter["series"]
            means = [self.index["series"][place]["mean"] for place in counter["series"]]
            means = [-math.inf if mean is None else mean for mean in means]
            self.require(means == sorted(means, reverse=True), f"counter {name}: not in the order of means")
        self.equal("counters that varied", sorted(shown), sorted(expected))
        for name in shown.keys() & expected.keys():
            found = sorted(str(name_of(self.matched[place])) for place in shown[name] if self.matched[place])
            self.equal(f"instances of {name}", found, sorted(str(name_of(series)) for series in expected[name]))
        found = {(c["machine"], c["object"], c["counter"]): c for c in self.index["constant"]}
        self.equal("constant counters", sorted(found), sorted(constant))
        for name in found.keys() & constant.keys():
            values = [value for series in constant[name] for _, value in series.present()]
            numbers = [found[name]["instances"], found[name]["min"], found[name]["max"]]
            self.equal(f"constant counter {name}", numbers, [len(constant[name]), min(values), max(values)])

    # Charts and times

    def check_charts(self):
        for number, chart in enumerate(self.index["charts"]):
            places = chart["series"]
            self.require(places and all(0 <= place < len(self.matched) for place in places), f"chart {number}: series {places}")
            self.require(len(set(places)) == len(places), f"chart {number}: a series twice")
        for figure in self.page.root.all("figure"):
            number = int(figure.attributes["data-chart"])
            self.require(number < len(self.index["charts"]), f"a figure of chart {number}")

    def check_gaps(self):
        """Each gap is between neighbouring samples; each between two intervals of a grid is listed."""
        interval = self.interval()
        steps = {(a, b) for times in self.run.times.values() for a, b in zip(times, times[1:]) if interval and b - a > interval * 1.5}
        gaps = {tuple(gap) for gap in self.index["gaps"]}
        self.require(gaps <= steps, f"gaps {sorted(gaps - steps)} that are none")
        if interval and self.index["grids"] and not any("ends" in grid for grid in self.index["grids"]):
            self.equal("gaps", sorted(gaps), sorted(steps))

    def interval(self):
        lengths = [b - a for times in self.run.times.values() for a, b in zip(times, times[1:]) if b > a]
        return statistics.median_low(lengths) if lengths else None

    def check_facts(self):
        facts = self.page.facts()
        times = [time for some in self.run.times.values() for time in some]
        self.equal("number of samples", facts["Samples"].numbers()[0], len(times))
        if times:
            self.equal("first and last sample", [replayed.milliseconds(t) for t in facts["Time"].moments()], [min(times), max(times)])
            length = facts["Time"].numbers()[0] if facts["Time"].numbers() else -1
            self.equal("length of time", length, (max(times) - min(times)) / 1000, 0.0011)
        if interval := self.interval():
            self.equal("interval", facts["Samples"].numbers()[1] if len(facts["Samples"].numbers()) > 1 else None, interval / 1000, 0.0011)
        for machine in self.run.times:
            self.require(machine in (facts.get("Machine") or facts["Machines"]).text(), f"machine {machine} is not in the head")

    # Findings

    def check_findings(self):
        expected = {}
        for finding in self.evaluation.findings:
            expected.setdefault(finding["rule"], []).append(finding)
        outside = {name for name, _, _ in self.evaluation.outside}
        shown = {}
        for article in self.page.findings():
            severity = article.first("span", class_="severity").text()
            name = article.first("h3").text().removeprefix(severity).strip()
            self.require(name not in shown, f"finding {name} twice")
            shown[name] = article
            self.require(article.has("class", severity), f"{name}: severity {severity} in another class")
        self.equal("rules that found something", sorted(name for name in shown if name in expected or name not in outside), sorted(expected))
        order = ["critical" if article.has("class", "critical") else "warning" for article in self.page.findings()]
        self.require(order == sorted(order), "warnings in front of critical findings")
        for name in shown.keys() & expected.keys():
            self.check_article(name, shown[name], expected[name])

    def check_article(self, name, article, expected):
        rows = [self.read_row(name, *row) for row in pages.table_rows(article.first("table"))]
        outside = {threshold for rule, threshold, _ in self.evaluation.outside if rule == name}
        rows_compared = [row for row in rows if row["threshold"] not in outside]
        self.equal(f"{name}: number of findings", len(rows_compared), len(expected))
        left = list(expected)
        for row in rows_compared:
            same = [f for f in left if all(f[key] == row[key] for key in ("threshold", "severity"))
                    and row["instance"] == (f["instance"] or f["object"]) and row["machine"] in (None, f["machine"])]
            self.require(same, f"{name}: a finding of {row['instance']} for {row['threshold']!r} that is none")
            if same:
                best = min(same, key=lambda finding: len(self.row_differences(row, finding)))
                differences = self.row_differences(row, best)
                self.compared += len(best)
                self.differences += [f"{name}, {row['instance']}: {text}" for text in differences]
                left.remove(best)
        self.check_summary(name, article, rows[0])
        limits = {finding["limit"] for finding in expected if "slope" not in finding}
        figure = article.first("figure")
        self.require(figure is not None, f"{name}: no chart")
        if figure is not None and not outside:
            chart = self.index["charts"][int(figure.attributes["data-chart"])]
            self.equal(f"{name}: limits of the chart", sorted(limit["value"] for limit in chart["limits"]), sorted(limits))

    def read_row(self, name, row, cells):
        """Returns the cells of a finding under the keys of the evaluation."""
        number = lambda head: cells[head].numbers()  # noqa: E731
        moment = lambda head: [replayed.milliseconds(time) for time in cells[head].moments()]  # noqa: E731
        found = {"instance": cells["Instance"].text(), "threshold": cells["Threshold"].text(), "limit": number("Limit"),
                 "severity": row.attributes["class"], "machine": cells["Machine"].text() if "Machine" in cells else None,
                 "seconds": number("Of"), "exceeding_seconds": number("For"), "first": moment("First"), "last": moment("Last"),
                 "longest_from": moment("Longest period from"), "longest_to": moment("Longest period from to"),
                 "worst": number("Worst"), "worst_time": moment("Worst at"), "slope": number("Growth per hour")}
        counts = number("Values above or below it")
        found["exceeding"], found["values"] = counts[:1], counts[1:]
        return found

    def row_differences(self, row, finding):
        """Returns the differences of one row from a finding."""
        different = []
        for key, cell in row.items():
            if not isinstance(cell, list):
                continue
            expected = [finding[key]] if key in finding else []
            tolerance = {"slope": OTHER * abs(finding.get("slope", 0)), "limit": MEAN * abs(finding["limit"]),
                         "seconds": 0.001 * (2 + finding.get("values", 0)), "exceeding_seconds": 0.001 * (2 + finding.get("exceeding", 0)),
                         "worst": MEAN * abs(finding.get("worst", 0))}.get(key, 0)
            if len(cell) != len(expected) or any(abs(a - b) > tolerance for a, b in zip(cell, expected)):
                different.append(f"{finding['threshold']}: {key} {cell}, expected {expected}")
        return different

    def check_summary(self, name, article, row):
        """The sentence of a rule is about the first finding."""
        summary = article.first("p", class_="summary")
        expected = [abs(row["slope"][0])] if row["slope"] else [*row["exceeding_seconds"], *row["worst"]]
        self.equal(f"{name}: numbers of the sentence", summary.numbers(), expected)
        self.equal(f"{name}: its time", [replayed.milliseconds(t) for t in summary.moments()], row["worst_time"])
        self.require(row["instance"] in summary.text() and row["threshold"] in summary.text(), f"{name}: another finding in the sentence")
        if not row["slope"]:
            share = 100 * row["exceeding_seconds"][0] / row["seconds"][0] if row["seconds"][0] else 0
            self.require(f"({share:.0f} % of the time)" in summary.text(), f"{name}: {summary.text()!r}, expected {share:.0f} %")

    # What is shown for each exact number and time

    def check_shown(self):
        for data in self.page.root.all("data"):
            exact, shown = float(data.attributes["value"]), data.text().split()
            number = float(shown[0].replace(",", ""))
            unit = UNITS.get(shown[1], 1) if len(shown) > 1 else 1
            digits = len(shown[0].partition(".")[2])
            tolerance = 0.0051 * abs(exact) if abs(exact) < 0.1 else max(0.501 * unit * 10.0 ** -max(digits, 1 if unit > 1 else 3), 1e-5 * abs(exact))
            self.equal(f"<data>{data.text()}", number * unit, exact, tolerance)
        for time in self.page.root.all("time"):
            moment = replayed.milliseconds(time.attributes["datetime"])
            local = replayed.EPOCH + datetime.timedelta(milliseconds=moment, minutes=self.offset_at(moment))
            self.equal("<time>", time.text(), f"{local:%Y-%m-%d %H:%M:%S}")

    def offset_at(self, moment):
        """Returns the minutes by which the zone of the page is ahead of UTC."""
        offset = 0
        for begin, minutes in self.index["zone"]["offsets"]:
            if begin is None or begin <= moment:
                offset = minutes
        return offset


def name_of(series):
    return series.machine, series.object, series.instance, series.counter, series.pid


def places_of(times, intervals):
    """Returns the interval in which each time lies; None if one lies in none."""
    begins = [begin for begin, _ in intervals]
    places = [bisect.bisect_right(begins, time) - 1 for time in times]
    if any(place < 0 or time > intervals[place][1] for time, place in zip(times, places)) or begins != sorted(begins):
        return None
    return places


def varied(series, run):
    """Returns whether values differ, or one is missing between others or for a reason."""
    values = series.present()
    if any(reason != "first_sample" for reason in series.reasons.values()):
        return True
    if not values:
        return False
    times = run.times[series.machine]
    places = [bisect.bisect_left(times, time) for time, _ in values]
    return len({value for _, value in values}) > 1 or places[-1] - places[0] + 1 != len(places)


def expectation(values):
    """Returns the statistics of a series. `values`: times in milliseconds, and values."""
    only = [value for _, value in values]
    if not only:
        return {"count": 0, **dict.fromkeys(["min", "mean", "p50", "p95", "max", "last", "stddev", "slope", "max_at"])}
    percentiles = statistics.quantiles(only, n=100, method="inclusive") if len(only) > 1 else only * 99
    return {"count": len(only), "min": min(only), "mean": math.fsum(only) / len(only), "p50": percentiles[49], "p95": percentiles[94],
            "max": max(only), "last": only[-1], "stddev": statistics.stdev(only) if len(only) > 1 else None,
            "slope": evaluate.slope_of(values), "max_at": next(time for time, value in values if value == max(only))}


# The pages that are compared without arguments


class Maker:
    """Makes pages in a folder, and compares them."""

    def __init__(self, hkpd, folder):
        self.hkpd, self.folder, self.failed = hkpd, pathlib.Path(folder), False

    def run(self, *arguments):
        result = subprocess.run([self.hkpd, *map(str, arguments)], capture_output=True, check=False)
        if result.returncode not in (0, 1):
            sys.exit(f"hkpd {' '.join(map(str, arguments))} ends with {result.returncode}: {result.stderr.decode()}")
        return result.stdout.decode()

    def page(self, inputs, *options):
        path = self.folder / "report.html"
        self.run("report", *inputs, *options, "-o", path)
        return path.read_text(encoding="utf-8")

    def compare(self, name, inputs, rules=None, options=()):
        text = self.page(inputs, *(["--rules", rules] if rules else []), *options)
        run = replayed.Run(self.hkpd, inputs, options)
        numbers = Numbers(run, text, rules or WINDOWS_RULES)
        self.show(f"{name}{', ' + pathlib.Path(rules).name if rules else ''}", numbers)
        return run, text, numbers

    def show(self, name, numbers):
        differences = numbers.differences
        for difference in differences[:10]:
            print(f"{name}: {difference}")
        print(f"{name}: {len(numbers.index['series'])} series, {len(numbers.evaluation.findings)} findings, {numbers.compared} comparisons, "
              f"{len(differences)} differ; {len(numbers.evaluation.outside)} thresholds are not evaluated here")
        self.failed = self.failed or bool(differences) or numbers.compared == 0

    def planted(self):
        """A day of a sample each second, of which one has a peak: it must be on the page, at its time."""
        count, where, peak = 86400, 54321, 98.76543
        path = self.folder / "planted.csv"
        self.run("replay", "--simulate", "--count", count, "--interval", 1, "--path", r"\Processor(_Total)\% Processor Time",
                 "--path", r"\Memory\Available Bytes", "--format", "pdh-csv", "-o", path)
        lines = path.read_text(encoding="utf-8").split("\n")
        column = next(i for i, head in enumerate(lines[0].split('","')) if "Processor Time" in head)
        cells = lines[1 + where].split(",")
        cells[column] = f'"{peak}"'
        lines[1 + where] = ",".join(cells)
        path.write_text("\n".join(lines), encoding="utf-8")
        run, text, numbers = self.compare("a planted peak in 86,400 samples", [path])
        (shown,) = [s for s in numbers.index["series"] if s["counter"] == "% Processor Time"]
        intervals = numbers.page.intervals(shown["grid"])
        time = run.times[shown["machine"]][where]
        place = places_of([time], intervals)[0]
        if len(intervals) >= 2000 or numbers.page.buckets(shown)[place].max != peak or shown["max_at"] != time:
            self.failed = True
            print(f"the planted peak of {peak} at {time} is not on the page: {shown}")

    def changed(self, run, text):
        """A page with one changed number must differ: of each kind one."""
        page = pages.Page(text)
        whole = page.root.first("data").attributes["value"]
        for what, change in {
            "a point": lambda t: with_values(t, page), "the maximum of a series": lambda t: with_index(t, page, "max"),
            "the slope of a series": lambda t: with_index(t, page, "slope"),
            "an exact number": lambda t: t.replace(f'<data value="{whole}"', f'<data value="{float(whole) + 1}"', 1),
            "a finding's number": lambda t: with_cell(t, page),
        }.items():
            other = change(text)
            found = Numbers(run, other).differences
            if other == text or not found:
                self.failed = True
                print(f"{what} was changed on the page, and not found")


def packed(content):
    import base64
    import zlib

    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(deflater.compress(content) + deflater.flush()).decode()


def with_data(text, page, name, content):
    return text.replace(page.root.first("script", id=name).text(), packed(content))


def with_values(text, page):
    """Flips the lowest bit of the exponent of a double: the last byte of the first series with a value."""
    series = next(s for s in page.index["series"] if s["count"])
    count = len(page.intervals(series["grid"]))
    doubles = sum(state & 3 for state in page.values[series["at"] : series["at"] + count])
    place = series["at"] + count + 8 * doubles - 1
    return with_data(text, page, "hkpd-values", page.values[:place] + bytes([page.values[place] ^ 1]) + page.values[place + 1 :])


def with_index(text, page, key):
    import copy
    import json

    index = copy.deepcopy(page.index)
    series = next(s for s in index["series"] if s.get(key))
    series[key] *= 1.0001
    return with_data(text, page, "hkpd-index", json.dumps(index).encode())


def with_cell(text, page):
    """Changes the first number of the last row of a finding."""
    row = pages.table_rows(next(page.findings()).first("table"))[-1][0]
    value = next(row.all("data")).attributes["value"]
    at = text.rindex(f'<data value="{value}"', 0, text.index("</table>"))
    return text[:at] + text[at:].replace(f'"{value}"', f'"{float(value) * 1.01 + 1}"', 1)


def make_all(hkpd):
    with tempfile.TemporaryDirectory() as folder:
        maker = Maker(hkpd, folder)
        troubled = maker.folder / "troubled.csv"
        write_log(troubled)
        run, text, numbers = maker.compare("a machine in trouble", [troubled])
        maker.changed(run, text)
        found = {finding["rule"] for finding in numbers.evaluation.findings}
        if found != TROUBLES:
            maker.failed = True
            print(f"a machine in trouble: {sorted(found)}, expected {sorted(TROUBLES)}")
        maker.planted()
        maker.compare("simulated.mcap", [ROOT / "testdata" / "captures" / "simulated.mcap"])
        capture = maker.folder / "simulated.mcap"
        maker.run("capture", "--simulate", "--count", 45, "--interval", 90, "--processes", 12, "--threads", 20, "-o", capture)
        maker.compare("an hour of a simulated machine", [capture])
        logs = sorted((SHARED / "blg").glob("*.blg")) if SHARED.exists() else []
        for log in logs:
            maker.compare(log.name, [log])
            if log.name.startswith("vista"):
                maker.compare(log.name, [log], SHARED / "pal" / "SystemOverview.xml")
        if not logs:
            print(f"{SHARED} has no logs: not compared")
        return 1 if maker.failed else 0


def main():
    hkpd, *arguments = sys.argv[1:]
    if not arguments:
        return make_all(hkpd)
    page, *inputs = arguments
    maker = Maker(hkpd, ".")
    maker.show(page, Numbers(replayed.Run(hkpd, inputs), pathlib.Path(page).read_text(encoding="utf-8")))
    return 1 if maker.failed else 0


if __name__ == "__main__":
    sys.exit(main())
