"""Compares every number of one page of `hkpd report` with the values of its runs: the points of all series, their
statistics, the facts of the head, the findings and what changed since a baseline."""

import bisect
import datetime
import math
import statistics

import changes
import evaluate
import machines
import page as pages
import pictures
import replayed

MEAN = 1e-12  # relative, of means
OTHER = 1e-9  # of slopes and deviations, which are computed in another order here
MANY = 3000  # series of a page, beyond which it may leave some out
# Factors of the units and letters in lib/src/quantity/quantity.cpp.
UNITS = {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "min": 60, "h": 3600, "days": 86400}
UNITS |= {prefix + "B": 2.0 ** (10 * power) for power, prefix in enumerate(["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"])}
LETTERS = {letter: 10.0 ** (3 * power) for power, letter in enumerate(["", "k", "M", "G", "T", "P", "E"])}


class Numbers:
    """The comparison of one page. `baseline`: the run with which the page compares, if any."""

    def __init__(self, run, text, rules, baseline=None):
        self.run, self.compared, self.differences = run, 0, []
        # With a baseline, the page has both runs by names, and the run.
        self.runs = [run] if baseline is None else [baseline.by_name(), run.by_name(), run]
        self.page = pages.Page(text)
        self.index = self.page.index
        self.evaluation = evaluate.Evaluation(run, rules)
        self.series = {}
        for number, each in enumerate(self.runs):
            for series in [*each.series.values(), *(self.evaluation.derived if each is run else [])]:
                self.series.setdefault((number, *name_of(series)), []).append(series)
        self.check_series()
        self.check_counters()
        self.check_charts()
        self.check_gaps()
        self.check_facts()
        self.check_findings()
        self.check_not_evaluated()
        if baseline is not None:
            changes.check(self, *self.runs[:2])
        self.require((self.page.section("changes") is not None) == (baseline is not None), "a section of changes without a baseline, or none")
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
        name = (shown["run"], shown["machine"], shown["object"], shown.get("instance", ""), shown["counter"],
                shown.get("pid") if self.runs[shown["run"]] is self.run else None)
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
        expected = evaluate.expectation(series.present())
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
        run = self.runs[shown["run"]]
        times = run.times[series.machine]
        if self.index["grids"][shown["grid"]].get("elapsed"):
            begin = min(time for some in run.times.values() for time in some)
            intervals = [(first + begin, last + begin) for first, last in intervals]
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
        """Each counter that varied is listed with all its instances, and each other one among the constant ones. The head
        counts the series that varied, and as many of those listed do."""
        expected, constant = {}, {}
        for series in self.run.series.values():
            name = (series.machine, series.object, series.counter)
            if series.present() or has_reasons(series):
                expected.setdefault(name, []).append(series)
        for name, all_series in list(expected.items()):
            if not any(varied(series) for series in all_series):
                constant[name] = expected.pop(name)
        shown, instances = {}, {}
        for counter in self.index["counters"]:
            name = (counter["machine"], counter["object"], counter["counter"])
            self.require(name not in shown, f"counter {name} twice")
            shown[name], instances[name] = counter["series"], counter["instances"]
            means = [self.index["series"][place]["mean"] for place in counter["series"]]
            means = [-math.inf if mean is None else mean for mean in means]
            self.require(means == sorted(means, reverse=True), f"counter {name}: not in the order of means")
        self.equal("counters that varied", sorted(shown), sorted(expected))
        for name in shown.keys() & expected.keys():
            found = sorted(str(name_of(self.matched[place])) for place in shown[name] if self.matched[place])
            everything = sorted(str(name_of(series)) for series in expected[name])
            self.equal(f"number of instances of {name}", instances[name], len(everything))
            # A page has at most 4,000 series of counters: of counters with many instances, the largest.
            if len(found) < len(everything) and len(self.index["series"]) > MANY:
                self.require(set(found) <= set(everything), f"instances of {name} that are none")
            else:
                self.equal(f"instances of {name}", found, everything)
        self.check_table(expected)
        found = {(c["machine"], c["object"], c["counter"]): c for c in self.index["constant"]}
        self.equal("constant counters", sorted(found), sorted(constant))
        for name in found.keys() & constant.keys():
            values = [value for series in constant[name] for _, value in series.present()]
            numbers = [found[name]["instances"], found[name]["min"], found[name]["max"]]
            expected_numbers = [len(constant[name]), min(values, default=None), max(values, default=None)]
            self.equal(f"constant counter {name}", numbers, expected_numbers)
        number = sum(varied(series) for series in self.run.series.values())
        self.equal("series that varied", self.page.facts()["Series"].numbers()[1], number)
        drawn = {place for counter in self.index["counters"] for place in counter["series"]}
        differ = sum(self.index["series"][place]["min"] != self.index["series"][place]["max"] for place in drawn)
        if len(self.index["series"]) <= MANY:
            self.equal("series that are drawn with different values", differ, number)

    def check_table(self, expected):
        """The table that stands in place of the charts of all counters: smallest value, largest mean and largest value."""
        table = self.page.section("counters").first("table")
        rows = pages.table_rows(table) if table else []
        self.equal("rows of the table of counters", len(rows), min(300, len(self.index["counters"])))
        for (_, cells), counter in zip(rows, self.index["counters"]):
            name = (counter["machine"], counter["object"], counter["counter"])
            values = [[value for _, value in series.present()] for series in expected.get(name, [])]
            values = [some for some in values if some]
            if name not in expected or not values:
                continue
            self.equal(f"{name}: series in the table", cells["Series"].numbers(), [counter["instances"]])
            means = max(math.fsum(some) / len(some) for some in values)
            for head, value in (("Smallest", min(map(min, values))), ("Largest mean", means), ("Largest", max(map(max, values)))):
                (number,) = cells[head].numbers()
                self.equal(f"{name}: {head}", number, value, MEAN * max(abs(value) for some in values for value in some) if head == "Largest mean" else 0)

    # Charts and times

    def check_charts(self):
        for number, chart in enumerate(self.index["charts"]):
            places = chart["series"]
            self.require(places and all(0 <= place < len(self.matched) for place in places), f"chart {number}: series {places}")
            self.require(len(set(places)) == len(places), f"chart {number}: a series twice")
        for figure in self.page.root.all("figure", class_="chart"):
            number = int(figure.attributes["data-chart"])
            self.equal("the id of a figure", figure.attributes["id"], f"chart-{number}")
            self.require(number < len(self.index["charts"]), f"a figure of chart {number}")
            pictures.check(self, figure, self.index["charts"][number], f"picture of chart {number}")
        machines.check(self)

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
        rows = [self.read_row(name, *row) for row in pages.table_rows(article.first("details").first("table"))]
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
        counts = number("Values beyond the limit")
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

    def check_not_evaluated(self):
        """The head states how many thresholds were evaluated; all others are listed, under the number for each reason."""
        evaluated, thresholds = self.page.facts()["Rules"].numbers()
        section, listed = self.page.section("not-evaluated"), 0
        for group in section.all("details") if section else []:
            count = sum(1 for _ in group.all("li"))
            self.equal("rules that are not evaluated for a reason", group.first("summary").numbers(), [count])
            listed += count
        expected = len(self.evaluation.outside) + self.evaluation.evaluated
        self.equal("number of thresholds", [thresholds, evaluated + listed], [expected] * 2)

    # What is shown for each exact number and time

    def check_shown(self):
        for data in self.page.root.all("data"):
            exact, shown = float(data.attributes["value"]), data.text().split()
            digits = shown[0].removesuffix("/s")
            letter = digits[-1] if digits[-1] in LETTERS else ""
            unit = UNITS.get(shown[1].removesuffix("/s"), 1) if len(shown) > 1 else 1
            number = float(digits.removesuffix(letter).replace(",", "")) * LETTERS[letter]
            tolerance = 5.01e-4 * abs(exact)  # of four significant digits
            scale = float(data.attributes.get("data-scale", 1))  # of a counter in megabytes, which is shown in bytes
            self.equal(f"<data>{data.text()}", number * unit, exact * scale, tolerance * scale)
            if "title" in data.attributes:
                self.equal(f"<data>{data.text()}: all digits", float(data.attributes["title"]), exact)
        for time in self.page.root.all("time"):
            moment = replayed.milliseconds(time.attributes["datetime"])
            local = replayed.EPOCH + datetime.timedelta(milliseconds=moment, minutes=self.offset_at(moment))
            self.equal("<time>", time.text(), f"{local:%Y-%m-%d %H:%M:%S}")

    def day(self, milliseconds):
        """Returns the date of a local time."""
        return f"{replayed.EPOCH + datetime.timedelta(milliseconds=milliseconds):%Y-%m-%d}"

    def offset_at(self, moment):
        """Returns the minutes by which the zone of the page is ahead of UTC."""
        offset = 0
        for begin, minutes, _ in self.index["zone"]["offsets"]:
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


def varied(series):
    """Returns whether the values of a series differ."""
    return len({value for _, value in series.present()}) > 1


def has_reasons(series):
    """Returns whether a value is missing for a reason other than that it is the first."""
    return any(reason != "first_sample" for reason in series.reasons.values())
