"""Evaluates rule files over the values of a run, independently of the library: everything is kept in memory, and each
threshold is computed by itself."""

import dataclasses
import fnmatch
import math
import pathlib
import re
import statistics
import xml.etree.ElementTree

import scripts

HOUR = 3600_000


@dataclasses.dataclass
class Source:
    """A data source: the series of a path, or computed ones."""

    path: str
    excluded: list
    expression: str = ""
    generated: bool = False
    pattern: str = ""  # REGULAREXPRESSIONCOUNTERPATH

    def parts(self, path):
        found = re.fullmatch(r"\\(?P<object>(?:[^\\()]|\([^\\()]*\|[^\\()]*\))+)(?:\((?P<instance>[^\\]*)\))?\\(?P<counter>[^\\]+)", path)
        return found and (found["object"], found["instance"], found["counter"])

    def objects(self):
        """Returns patterns of the object's name: `(MSSQL|SQLServer).*:Locks` stands for two."""
        closed = re.fullmatch(r"\((?P<first>\w+)\|(?P<second>\w+)\)\.\*:(?P<rest>[^\\]+)", (self.parts(self.pattern) or ("",))[0])
        if closed:
            return [f"{closed['first']}*:{closed['rest']}", f"{closed['second']}*:{closed['rest']}"]
        return [self.parts(self.path)[0]]

    def takes(self, series):
        parts = self.parts(self.path)
        if not parts or (parts[1] is None) != (series.instance == ""):
            return False
        if any(matches(series.name, excluded) for excluded in self.excluded):
            return False
        return (any(matches(series.object, name) for name in self.objects()) and matches(series.counter or "", parts[2])
                and (parts[1] is None or matches(series.name, parts[1])))


def matches(text, pattern):
    pattern = pattern.replace("[", "[[]")  # only * and ? are wildcards
    return fnmatch.fnmatchcase(text.casefold(), pattern.casefold())


@dataclasses.dataclass
class Threshold:
    name: str
    severity: str
    code: str
    least_seconds: float


@dataclasses.dataclass
class Analysis:
    name: str
    enabled: bool
    sources: dict  # by the name of the collection, in lower case
    thresholds: list


def read(path):
    """Returns the analyses by ID and the questions' defaults of a file and of those that it inherits."""
    path = pathlib.Path(path)
    root = xml.etree.ElementTree.parse(path).getroot()
    analyses, questions = {}, {}
    for inherited in root.iter("INHERITANCE"):
        name = inherited.get("FILEPATH", "")
        if name and (path.parent / name).exists():
            more, asked = read(path.parent / name)
            analyses.update(more)
            questions.update(asked)
    for question in root.iter("QUESTION"):
        questions[question.get("QUESTIONVARNAME").casefold()] = question.get("DEFAULTVALUE")
    for element in root.iter("ANALYSIS"):
        sources = {}
        for source in element.iter("DATASOURCE"):
            sources[source.get("COLLECTIONVARNAME").casefold()] = Source(
                source.get("EXPRESSIONPATH"), [e.get("INSTANCE") for e in source.iter("EXCLUDE")], source.get("EXPRESSION", ""),
                source.get("TYPE").casefold() == "generated", source.get("REGULAREXPRESSIONCOUNTERPATH", ""))
        thresholds = [Threshold(t.get("NAME"), t.get("CONDITION").casefold(), t.findtext("CODE") or "", float(t.get("LEASTSECONDS", 0)))
                      for t in element.iter("THRESHOLD")]
        identity = element.get("ID").strip("{}").casefold()
        analyses.pop(identity, None)
        analyses[identity] = Analysis(element.get("NAME"), element.get("ENABLED").casefold() == "true", sources, thresholds)
    return analyses, questions


class Evaluation:
    """Findings of rules over a run. `findings`: dictionaries with the keys of `hkpd check --rules --format json`.
    `outside`: thresholds that this program does not compute, with the reason. `derived`: the series of computed
    sources. `scripted`: object and counter of those that a script computes."""

    def __init__(self, run, path):
        self.run = run
        self.findings, self.outside, self.evaluated = [], [], 0
        self.derived, self.known, self.scripted = [], {}, set()
        analyses, self.questions = read(path)
        self.answer_from_run()
        for analysis in analyses.values():
            if analysis.enabled:
                for threshold in analysis.thresholds:
                    self.evaluate(analysis, threshold)

    def answer_from_run(self):
        """Takes the physical memory, in GB, from the counters of NUMA nodes if the log has them."""
        nodes = [s for s in self.run.series.values() if (s.object, s.counter) == ("NUMA Node Memory", "Total MBytes") and s.present()]
        if nodes and "physicalmemory" in self.questions:
            total = [s for s in nodes if s.instance == "_Total"] or nodes
            self.questions["physicalmemory"] = sum(s.present()[0][1] for s in total) / 1024

    def evaluate(self, analysis, threshold):
        try:
            counts = {name: self.count(source) for name, source in analysis.sources.items() if not source.generated}
            calls = scripts.Script(threshold.code, self.questions, counts).statements()
            for call in calls:
                source = analysis.sources[call.collection]
                chosen = self.computed(analysis, source) if source.generated else self.series_of(source)
                for series in chosen:
                    self.compare(analysis, threshold, call, series)
            self.evaluated += 1
        except scripts.Outside as reason:
            self.outside.append((analysis.name, threshold.name, str(reason)))

    def series_of(self, source):
        return [series for series in self.run.series.values() if source.takes(series)]

    def count(self, source):
        """Returns the number of instances in the first sample that has a value."""
        chosen = self.series_of(source)
        first = min((time for series in chosen for time, _ in series.present()), default=None)
        return sum(series.values.get(first) is not None for series in chosen)

    def computed(self, analysis, source):
        if id(source) not in self.known:
            self.known[id(source)] = list(self.computed_series(analysis, source))
            self.derived += self.known[id(source)]
        return self.known[id(source)]

    def computed_series(self, analysis, source):
        if not source.expression:
            self.scripted.add(source.parts(source.path)[::2])
            raise scripts.Outside("a data source that a script computes")
        used = [name.casefold() for name in re.findall(r"\[([^\]]*)\]", source.expression)]
        for first in self.series_of(analysis.sources[used[0]]):
            operands = {}
            for name in used:
                operands[name] = next((s for s in self.series_of(analysis.sources[name])
                                       if (s.machine, s.object, s.instance) == (first.machine, first.object, first.instance)), None)
            if None in operands.values():
                continue
            result = dataclasses.replace(first, counter=source.parts(source.path)[2], values={}, reasons={})
            for time in first.values:
                values = {name: series.values.get(time) for name, series in operands.items()}
                if None in values.values():
                    continue
                try:
                    result.values[time] = scripts.Script(source.expression, collections=values).expression()
                except ZeroDivisionError:
                    continue
            yield result

    def compare(self, analysis, threshold, call, series):
        values = series.present()
        if not values:
            return
        finding = {"rule": analysis.name, "threshold": threshold.name, "severity": threshold.severity, "machine": series.machine,
                   "object": series.object, "instance": series.instance, "counter": series.counter, "limit": call.limit}
        beyond = scripts.COMPARE[call.operator]
        if call.trend:
            slope = slope_of(values)
            if (values[-1][0] - values[0][0]) / 1000 < threshold.least_seconds:
                return
            if slope is not None and beyond(slope, call.limit):
                self.findings.append({**finding, "slope": slope})
            return
        if found := exceeding(values, self.run.times[series.machine], beyond, call, threshold.least_seconds):
            self.findings.append({**finding, **found})


def slope_of(values):
    """Returns the slope by least squares in units per hour; None if all values are of one time."""
    begin = values[0][0]
    if len({time for time, _ in values}) < 2:
        return None
    return statistics.linear_regression([float(time - begin) for time, _ in values], [value for _, value in values]).slope * HOUR


def expectation(values):
    """Returns the statistics of a series. `values`: times in milliseconds, and values."""
    only = [value for _, value in values]
    if not only:
        return {"count": 0, **dict.fromkeys(["min", "mean", "p50", "p95", "max", "last", "stddev", "slope", "max_at"])}
    percentiles = statistics.quantiles(only, n=100, method="inclusive") if len(only) > 1 else only * 99
    return {"count": len(only), "min": min(only), "mean": math.fsum(only) / len(only), "p50": percentiles[49], "p95": percentiles[94],
            "max": max(only), "last": only[-1], "stddev": statistics.stdev(only) if len(only) > 1 else None,
            "slope": slope_of(values), "max_at": next(time for time, value in values if value == max(only))}


def exceeding(values, times, beyond, call, least_seconds):
    """Returns how long, how far and when values are beyond the limit of a call; None if they are not, or not for long."""
    before = dict(zip(times[1:], times))  # the sample in front of each
    spans = {time: (before.get(time, time), time) for time in times}
    over = [(time, value) for time, value in values if beyond(value, call.limit)]
    if not over:
        return None
    present = dict(values)
    periods, current = [], None
    for time in times:
        if time in present and beyond(present[time], call.limit):
            begin, end = spans[time]
            current = (current[0], end) if current else (begin, end)
            periods.append(current)
        else:
            current = None
    longest = max(periods, key=lambda period: (period[1] - period[0], -period[0]))
    if (longest[1] - longest[0]) / 1000 < least_seconds:
        return None
    farthest = max if call.operator in ("gt", "ge") else min
    worst = farthest(value for _, value in over)
    return {"values": len(values), "exceeding": len(over), "seconds": sum(spans[t][1] - spans[t][0] for t, _ in values) / 1000,
            "exceeding_seconds": sum(spans[t][1] - spans[t][0] for t, _ in over) / 1000, "first": over[0][0], "last": over[-1][0],
            "longest_from": longest[0], "longest_to": longest[1], "worst": worst,
            "worst_time": next(time for time, value in over if value == worst)}
