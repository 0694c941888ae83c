"""Answers about whole runs: summaries, what stands out, what changed, as data frames; what an input is, what is
wrong with it, and its report, as objects."""

from __future__ import annotations

import operator
import os
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._errors import DamageWarning, failure, open_failure
from ._handle import Handle
from ._library import ffi, lib, new, terminated, text
from ._reader import FaultCounts, Options, Path, Reader, _c_text
from ._sample import Source, reason_name, type_name

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from ._reader import Fault, Keywords

_THEMES = ("auto", "light", "dark")
_SORTS = ("count", "first", "last", "min", "mean", "p50", "p95", "p99", "max", "stddev", "delta", "slope")
_ORDERS = ("cpu", "memory", "private", "handles", "io", "growth", "name")  # of processes, in the order of HKPD_SORT_PROCESSOR and after
_AT_ONCE = 4096


class _Faults(Handle):
    """The faults of an answer, as those of a reader without samples, which belongs to the answer."""

    def __init__(self, answer: _Answer) -> None:
        self.reader = lib.hkpd_answer_faults(answer.c)
        self.keep = [answer]
        self.lock = threading.RLock()
        self._views = []


class _Answer:
    """An answer of the library. It is freed when the last reference to it is gone."""

    def __init__(self, function: Any, *inputs: Any, reading: Options, options: Any) -> None:
        answer, error = ffi.new("hkpd_answer**"), new("error")
        if function(*inputs, reading.c, options, answer, error) < 0:
            raise open_failure(error)
        self.c = ffi.gc(answer[0], lib.hkpd_free_answer)
        self._rows: list[Any] = []  # arrays of the structs that were returned, which do not own their memory

    def rows(self, name: str, function: Any, count: int, *before: Any) -> Iterator[Any]:
        """Returns the structs that a function fills, a part of them at a time. They are valid as long as the answer."""
        size = ffi.sizeof(f"hkpd_{name}")
        for first in range(0, count, _AT_ONCE):
            part = min(_AT_ONCE, count - first)
            filled = ffi.new(f"hkpd_{name}[]", part)
            filled[0].struct_size = size
            self._rows.append(filled)
            if (status := function(self.c, *before, first, part, filled)) < 0:
                raise failure(status)
            yield from filled

    def series(self, which: int, count: int) -> Iterator[Any]:
        return self.rows("series", lib.hkpd_get_series, count, which)

    def run(self, number: int = 0) -> Any:
        run = new("run")
        lib.hkpd_get_run(self.c, number, run)
        return run

    def machines(self, count: int) -> list[str]:
        pointer, size, found = ffi.new("const char**"), ffi.new("size_t*"), []
        for machine in range(count):
            lib.hkpd_get_machine(self.c, 0, machine, pointer, size)
            found.append(text(pointer[0], size[0]) or "")
        return found

    def faults(self) -> list[Fault]:
        return Reader(_Faults(self)).faults

    def warn(self, source: Any) -> None:
        """Warns if data was lost."""
        reader = Reader(_Faults(self))
        if reader.fault_counts.errors == 0:
            return
        first = next((fault for fault in reader.faults if fault.severity == lib.HKPD_ERROR), None)
        place = "" if first is None else f"; the first: {first.code}: {first.message}"
        what = f"{source!r}: {reader.fault_counts.errors} errors, some values are missing{place}"
        warnings.warn(what, DamageWarning, stacklevel=4)


def _options(sort: str | None, top: int | None, flags: int = 0, orders: tuple[str, ...] = ()) -> Any:
    if sort is not None and sort not in orders + _SORTS:
        raise ValueError(f"sort is {sort!r}: expected one of {', '.join(orders + _SORTS)}")
    if top is not None and top < 1:
        raise ValueError(f"top is {top}: expected a positive number, or None")
    options = new("answer_options")
    if sort in _ORDERS:
        options.sort = lib.HKPD_SORT_PROCESSOR + _ORDERS.index(sort)
    else:
        options.sort = 0 if sort is None else _SORTS.index(sort) + 1
    options.top, options.flags = top or 0, flags
    return options


def _path(path: Path) -> Any:
    return _c_text(os.fspath(path), "a path")


def _paths(source: Path | Sequence[Path]) -> tuple[Any, int, list[Any]]:
    """Returns paths for C, their number, and what must live until the call returns."""
    paths = list(source) if isinstance(source, (list, tuple)) else [source]
    texts = [_path(one) for one in paths]
    return ffi.new("const char*[]", texts), len(texts), texts


def _optional(number: int) -> int | None:
    return None if number == lib.HKPD_NO_INDEX else number


_Columns = dict[str, tuple[str, Callable[[Any], Any]]]


def _numbers(*names: str) -> _Columns:
    """Returns columns of numbers, each of which is the member of the same name."""
    return {name: ("float64", operator.attrgetter(name)) for name in names}


# The columns of `hkpd replay --summary --format csv`, and what each has of a row.
_COLUMNS: _Columns = {
    "machine": ("category", lambda row: text(row.machine, row.machine_size)),
    "source": ("category", lambda row: Source(row.source).name.lower()),
    "object": ("category", lambda row: text(row.object, row.object_size)),
    "object_index": ("UInt32", lambda row: _optional(row.object_index)),
    "counterset": ("category", lambda row: text(row.counterset, row.counterset_size)),
    "parent": ("category", lambda row: text(row.parent, row.parent_size)),
    "instance": ("category", lambda row: text(row.instance, row.instance_size)),
    "pid": ("UInt32", lambda row: _optional(row.pid)),
    "instance_id": ("Int32", lambda row: row.instance_id if row.has_instance_id else None),
    "life": ("UInt32", lambda row: row.life or None),
    "label": ("category", lambda row: text(row.label, row.label_size)),
    "counter": ("category", lambda row: text(row.counter, row.counter_size)),
    "counter_index": ("UInt32", lambda row: _optional(row.counter_index)),
    "type": ("category", lambda row: type_name(row.type) or None),
    "unit": ("category", lambda row: terminated(row.unit)),
    "from": ("time", lambda row: getattr(row, "from") if row.has_time else None),
    "to": ("time", lambda row: row.to if row.has_time else None),
    "count": ("uint64", lambda row: row.count),
    **_numbers(*_SORTS[1:]),
    "percentile_error": ("float64", lambda row: row.percentile_error),
    "average": ("float64", lambda row: row.average),
    "reason": ("category", lambda row: reason_name(row.reason) or None),
}


def _frame(rows: Sequence[Any], columns: _Columns) -> pandas.DataFrame:
    """Returns a data frame with a row for each struct."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"data frames need pandas ({error}): install it") from error
    made: dict[str, Any] = {}
    for name, (kind, value_of) in columns.items():
        values = [value_of(row) for row in rows]
        if kind == "time":
            made[name] = pandas.to_datetime(pandas.Series(values, dtype="Int64"), unit="ns", utc=True)
        elif kind == "category":
            known = dict.fromkeys(value for value in values if value is not None)
            made[name] = pandas.Categorical(values, categories=pandas.Index(list(known), dtype=object))
        else:
            made[name] = pandas.Series(values, dtype=kind)
    return pandas.DataFrame(made)


def summary(
    source: Path | Sequence[Path],
    *,
    sort: str | None = None,
    top: int | None = None,
    **reading: Unpack[Keywords],
) -> pandas.DataFrame:
    """Returns the statistics of each counter of each instance over a run, as `hkpd replay --summary` does: a row for each.

    `source`: a path, or a list of paths that are read as one run. `sort`: a column of numbers, largest first; None: in
    the order of appearance. `top`: most rows. Other arguments are those of `open`; `counters` selects by counter path.
    The columns are those of the command's CSV, and `label`: a text that no other instance of the object has in the run.
    `slope` is per hour. Warns with DamageWarning if data was lost."""
    paths, count, _texts = _paths(source)
    answer = _Answer(lib.hkpd_summary, paths, count, reading=Options(**reading), options=_options(sort, top))
    answer.warn(source)
    return _frame(list(answer.series(lib.HKPD_LIST_ROWS, answer.run().series_count)), _COLUMNS)


def _top(source: Path | Sequence[Path], sort: str | None, top: int, all_instances: bool, reading: Any) -> _Answer:
    paths, count, _texts = _paths(source)
    flags = lib.HKPD_ALL_INSTANCES if all_instances else 0
    answer = _Answer(lib.hkpd_top, paths, count, reading=Options(**reading), options=_options(sort, top, flags, _ORDERS))
    answer.warn(source)
    return answer


def top(
    source: Path | Sequence[Path],
    *,
    sort: str | None = None,
    top: int = 10,
    all_instances: bool = False,
    **reading: Unpack[Keywords],
) -> pandas.DataFrame:
    """Returns what stands out in a run, as `hkpd top` does: the counters of the processes that use most or, without the
    object Process or with `counters`, the instances with the largest numbers. Rows and columns are those of `summary`.

    `top`: most processes, or most instances. `sort`: a column, or an order of processes (cpu, memory, private, handles, io,
    growth, name); None: cpu, of other rows the mean. `all_instances`: include _Total and Idle.
    Other arguments are those of `open`."""
    answer = _top(source, sort, top, all_instances, reading)
    return _frame(list(answer.series(lib.HKPD_LIST_ROWS, answer.run().series_count)), _COLUMNS)


_PROCESS_COLUMNS: _Columns = {
    **_numbers("processor_seconds", "processor_of_run", "processor_mean", "processor_max"),
    "processor_max_time": ("time", lambda row: row.processor_max_time if row.has_processor_max_time else None),
    **_numbers("working_set", "working_set_peak", "private_bytes", "private_peak", "private_growth", "growth"),
    **_numbers("growth_r_squared", "handles", "io", "io_of_run"),
}


def processes(
    source: Path | Sequence[Path],
    *,
    sort: str | None = None,
    top: int = 10,
    all_instances: bool = False,
    **reading: Unpack[Keywords],
) -> pandas.DataFrame:
    """Returns the table of `hkpd top`: a row for each process that uses most, from its start to its end. The arguments are
    those of `top`, without `counters`.

    The columns: machine, instance, pid, life, label, from, to; processor_seconds; processor_of_run (mean over the whole
    run), processor_mean (while the process lived), processor_max (%: 100 is one whole processor) and its time;
    working_set, private_bytes (bytes, in the last sample) and their peaks; private_growth, growth (bytes per hour: the
    second is not turned by single steps, and explains growth_r_squared of the variance); handles (in the last sample);
    io, io_of_run (bytes per second). Without the object Process, there are no rows."""
    answer = _top(source, sort, top, all_instances, reading)
    rows = list(answer.rows("process", lib.hkpd_get_processes, answer.run().process_count))
    series = list(answer.series(lib.HKPD_LIST_ROWS, answer.run().series_count))
    names = ("machine", "instance", "pid", "life", "label", "from", "to")
    who = _frame([series[row.first_series] for row in rows], {name: _COLUMNS[name] for name in names})
    return who.join(_frame(rows, _PROCESS_COLUMNS))


def compare(before: Path, after: Path, *, top: int | None = None, **reading: Unpack[Keywords]) -> pandas.DataFrame:
    """Returns what changed from one run to another, as `hkpd compare` does: a row for each series whose statistics differ,
    the largest effect first, and last those of which either run has few values. Instances of one name are compared as their
    sum (`is_sum`); ids, states, priorities and elapsed times are left out.

    The columns: machine, object, instance, is_sum, counter, unit; median_effect, p95_effect: the differences divided by
    `noise`; and count, p50, p95, max, min, mean, stddev of both runs, with `before_` or `after_` in front. `attrs` has the
    numbers `samples_before`, `samples_after`, `unchanged`, `only_before`, `only_after` and `sums`."""
    texts = [_path(before), _path(after)]
    answer = _Answer(lib.hkpd_compare, *texts, reading=Options(**reading), options=_options(None, top))
    answer.warn([before, after])
    run, later = answer.run(), answer.run(1)
    earlier_rows = list(answer.series(lib.HKPD_LIST_BEFORE, run.change_count))
    later_rows = list(answer.series(lib.HKPD_LIST_AFTER, run.change_count))
    names = {name: _COLUMNS[name] for name in ("machine", "object", "counter", "unit")}
    frame = _frame(later_rows, names)
    frame.insert(2, "instance", _frame(later_rows, {"instance": _COLUMNS["label"]})["instance"])
    frame.insert(3, "is_sum", [bool(row.is_sum) for row in later_rows])
    effects = _numbers("median_effect", "p95_effect", "noise")
    frame = frame.join(_frame(list(answer.rows("change", lib.hkpd_get_changes, run.change_count)), effects))
    statistics = {name: _COLUMNS[name] for name in ("count", "p50", "p95", "max", "min", "mean", "stddev")}
    for side, rows in (("before_", earlier_rows), ("after_", later_rows)):
        frame = frame.join(_frame(rows, statistics).add_prefix(side))
    frame.attrs.update(
        samples_before=run.samples,
        samples_after=later.samples,
        unchanged=run.unchanged,
        only_before=run.only_count,
        only_after=later.only_count,
        sums=run.sums,
    )
    return frame


@dataclass(frozen=True)
class InputObject:
    """An object of one machine in an input. `instances`: the most in one sample. `counters`: including bases."""

    machine: str
    name: str
    source: Source
    is_list: bool
    instances: int
    counters: int


@dataclass(frozen=True)
class Overview:
    """What an input is. Times are in nanoseconds since 1970 (UTC). `samples` is an estimate unless `samples_exact`. If
    not `is_complete`, the lists cover the first and the last samples. `gaps`: times without samples that are longer than
    one and a half intervals."""

    kind: str
    bytes: int
    samples: int
    samples_exact: bool
    is_complete: bool
    from_: int | None
    to: int | None
    interval: int | None
    gaps: int
    machines: list[str]
    objects: list[InputObject]
    faults: list[Fault]


@dataclass(frozen=True)
class Finding:
    """A fault, where it is, who causes it, and what to do. `rule`: the rule that the fault breaks. `repair`: how to repair
    the machine. `service`, `library`: who provides the object. `event`: id of the event that Perflib writes. What is
    unknown is None."""

    fault: Fault
    machine: str | None
    object: str | None
    instance: str | None
    rule: str | None
    repair: str | None
    service: str | None
    library: str | None
    event: int | None


@dataclass(frozen=True)
class Check:
    """What a check has found, and the amount of input that was checked. Notes are findings, but no faults."""

    findings: list[Finding]
    samples: int
    title_tables: int
    services: int
    fault_counts: FaultCounts

    @property
    def is_good(self) -> bool:
        """Whether something was checked, and no rule is broken."""
        checked = self.samples + self.title_tables + self.services
        return checked > 0 and self.fault_counts.warnings + self.fault_counts.errors == 0


def check(
    source: Path | Sequence[Path],
    *,
    services: Path | None = None,
    missing: bool = False,
    languages: Sequence[str] | str = (),
    log_zones: Sequence[str] | str = (),
    encoding: str | None = None,
) -> Check:
    """Returns what is wrong with inputs, as `hkpd check` does: performance data, and title databases, which are checked
    against each other.

    `services`: an export of the key Services, which names the providers. `missing`: also report objects that have a title,
    but are in no V1 sample. Inputs that cannot be read are findings."""
    paths, count, _texts = _paths(source)
    options = _options(None, None, lib.HKPD_MISSING if missing else 0)
    if services is not None:
        export = _path(services)
        options.services = export
    reading = Options(languages=languages, log_zones=log_zones, encoding=encoding)
    answer = _Answer(lib.hkpd_check, paths, count, reading=reading, options=options)
    checked = new("checked")
    lib.hkpd_get_checked(answer.c, checked)
    rows = answer.rows("finding", lib.hkpd_get_findings, checked.finding_count)
    findings = [
        Finding(
            fault=fault,
            machine=text(row.machine, row.machine_size),
            object=text(row.object, row.object_size),
            instance=text(row.instance, row.instance_size),
            rule=text(row.rule, row.rule_size),
            repair=text(row.repair, row.repair_size),
            service=text(row.service, row.service_size),
            library=text(row.library, row.library_size),
            event=row.event or None,
        )
        for fault, row in zip(answer.faults(), rows)
    ]
    counts = Reader(_Faults(answer)).fault_counts
    return Check(findings, checked.samples, checked.title_tables, checked.services, counts)


@dataclass(frozen=True)
class RuleFinding:
    """A series that exceeds a threshold of the rules. `analysis`: the rule. `threshold`: what is wrong. `limit`: what values
    were compared with or, if `slope` is not None, the change per hour. Times are in nanoseconds since 1970 (UTC), lengths
    of time in nanoseconds: `time` of all values, `exceeding_time` of those that exceed, `first` and `last` of them, and
    from `longest_from` to `longest_to` the longest time in which all do."""

    analysis: str
    threshold: str
    is_critical: bool
    machine: str
    object: str
    instance: str
    counter: str
    limit: float
    slope: float | None
    worst: float
    worst_time: int
    values: int
    exceeding: int
    time: int
    exceeding_time: int
    first: int
    last: int
    longest_from: int
    longest_to: int


@dataclass(frozen=True)
class Report:
    """The page of a report, an HTML document that needs no other file and no network; the findings on it, critical ones
    first; the number of samples that it is about; the faults of the inputs."""

    page: str
    samples: int
    findings: list[RuleFinding]
    faults: list[Fault]

    def save(self, path: Path) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self.page)


_NAMES = ("analysis", "threshold", "machine", "object", "instance", "counter")
_NUMBERS = ("limit", "worst", "worst_time", "values", "exceeding", "time", "exceeding_time", "first", "last", "longest_from", "longest_to")


def _rule_finding(row: Any) -> RuleFinding:
    members: dict[str, Any] = {name: text(getattr(row, name), getattr(row, f"{name}_size")) or "" for name in _NAMES}
    members.update({name: getattr(row, name) for name in _NUMBERS})
    return RuleFinding(**members, is_critical=bool(row.is_critical), slope=row.slope if row.is_trend else None)


def report(
    source: Path | Sequence[Path],
    *,
    title: str | None = None,
    rules: Path | None = None,
    answers: Mapping[str, object] | None = None,
    baseline: Path | None = None,
    theme: str = "auto",
    **reading: Unpack[Keywords],
) -> Report:
    """Returns the page that `hkpd report` writes: what exceeds a threshold, when and how long, charts, and every counter
    that varied.

    `source`: a path, or a list of paths that are read as one run. `title`: the heading; None: the machine and the day.
    `rules`: a rule file of PAL; None: hkpd's own rules for Windows. `answers`: to questions of the rules, such as
    {"PhysicalMemory": 16}. `baseline`: an earlier run, with which this one is compared. `theme`: auto, light or dark. Other
    arguments are those of `open`; `counters` selects by counter path. Warns with DamageWarning if data was lost."""
    if theme not in _THEMES:
        raise ValueError(f"theme is {theme!r}: expected one of {', '.join(_THEMES)}")
    paths, count, _texts = _paths(source)
    options = new("report_options")
    options.theme = _THEMES.index(theme)
    given = {"title": title, "rules": rules, "baseline": baseline}
    texts = {name: _c_text(os.fspath(value), name) for name, value in given.items() if value is not None}
    for name, value in texts.items():
        setattr(options, name, value)
    answered = [_c_text(f"{name}={value}", "an answer") for name, value in (answers or {}).items()]
    list_of_answers = ffi.new("const char*[]", answered)
    options.answers, options.answer_count = list_of_answers, len(answered)
    answer = _Answer(lib.hkpd_report, paths, count, reading=Options(**reading), options=options)
    answer.warn(source)
    page = new("page")
    lib.hkpd_get_page(answer.c, page)
    findings = [_rule_finding(row) for row in answer.rows("rule_finding", lib.hkpd_get_rule_findings, page.finding_count)]
    return Report(text(page.html, page.html_size) or "", page.samples, findings, answer.faults())


def overview(
    path: Path,
    *,
    all: bool = False,
    languages: Sequence[str] | str = (),
    log_zones: Sequence[str] | str = (),
    encoding: str | None = None,
) -> Overview:
    """Returns what an input is, as `hkpd info` does: its kind, machines, times and objects. The beginning and the end of a
    large file are enough for it; `all`: read everything. An input that cannot be read has a fault."""
    flags = lib.HKPD_ALL_SAMPLES if all else 0
    answer = _Answer(lib.hkpd_overview,
        _path(path),
        reading=Options(languages=languages, log_zones=log_zones, encoding=encoding),
        options=_options(None, None, flags),
    )
    found = new("input")
    lib.hkpd_get_input(answer.c, found)
    objects = [
        InputObject(
            machine=text(one.machine, one.machine_size) or "",
            name=text(one.name, one.name_size) or "",
            source=Source(one.source),
            is_list=bool(one.is_list),
            instances=one.instances,
            counters=one.counters,
        )
        for one in answer.rows("input_object", lib.hkpd_get_input_objects, found.object_count)
    ]
    return Overview(
        kind=terminated(found.kind),
        bytes=found.bytes,
        samples=found.samples,
        samples_exact=bool(found.samples_exact),
        is_complete=bool(found.is_complete),
        from_=getattr(found, "from") if found.has_time else None,
        to=found.to if found.has_time else None,
        interval=found.interval if found.has_interval else None,
        gaps=found.gaps,
        machines=answer.machines(found.machine_count),
        objects=objects,
        faults=answer.faults(),
    )
