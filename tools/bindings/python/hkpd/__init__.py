"""Reads Windows performance data (PerfMon's logs, blobs of the registry, PerfLib's blocks, captures) with raw and cooked
values, on any system. `read` returns a data frame of pandas, `open` a reader of samples; `Feed` is for agents. `top`,
`processes`, `summary`, `compare`, `check`, `overview` and `report` answer questions about a whole run. No byte of
the input is trusted: damaged values are missing, and each fault is in `Reader.faults`."""

from __future__ import annotations

from ._answers import Check, Finding, InputObject, Overview, Report, RuleFinding
from ._answers import check, compare, overview, processes, report, summary, top
from ._errors import ArgumentError, DamageWarning, Error, OpenError, OutOfMemoryError, StateError
from ._frame import labels, read
from ._library import lib, terminated
from ._reader import Fault, FaultCounts, Feed, Reader, RecordKind, Severity, open
from ._sample import Column, Cooked, Instance, Kind, Object, Sample, Source, Storage, ValueStatus
from ._sample import reason_name, type_name

__all__ = [
    "ArgumentError",
    "Check",
    "Column",
    "Cooked",
    "DamageWarning",
    "Error",
    "Fault",
    "FaultCounts",
    "Feed",
    "Finding",
    "InputObject",
    "Instance",
    "Kind",
    "Object",
    "OpenError",
    "OutOfMemoryError",
    "Overview",
    "Reader",
    "RecordKind",
    "Report",
    "RuleFinding",
    "Sample",
    "Severity",
    "Source",
    "StateError",
    "Storage",
    "ValueStatus",
    "check",
    "compare",
    "labels",
    "open",
    "overview",
    "processes",
    "read",
    "reason_name",
    "report",
    "summary",
    "top",
    "type_name",
]

__version__ = terminated(lib.hkpd_version())
