"""Readers: files, bytes in memory, or records that the program feeds, as samples one after another."""

from __future__ import annotations

import datetime
import enum
import os
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, Union

from ._errors import open_failure, state_error
from ._handle import Handle
from ._library import ffi, lib, new, text
from ._sample import Sample

if TYPE_CHECKING:
    from typing_extensions import Unpack

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Moment = Union[int, datetime.datetime]


class Severity(enum.IntEnum):
    """Severity of a fault. Note: unusual but legal. Warning: a rule is broken, but no data was lost. Error: data was lost."""

    NOTE = lib.HKPD_NOTE
    WARNING = lib.HKPD_WARNING
    ERROR = lib.HKPD_ERROR


class RecordKind(enum.IntEnum):
    """Kind of a record that is fed: a whole message, as a function of Windows returned it."""

    V1 = lib.HKPD_RECORD_V1
    TITLES = lib.HKPD_RECORD_TITLES
    V2 = lib.HKPD_RECORD_V2
    V2_IDENTIFIERS = lib.HKPD_RECORD_V2_IDENTIFIERS
    V2_REGISTRATION = lib.HKPD_RECORD_V2_REGISTRATION


@dataclass(frozen=True)
class Fault:
    """A fault of the input. `sample`, `record`: numbers of those before the fault's. `object`: index of the object.
    `instance`: position of the instance. `offset`: bytes from the start of the input or, with a record, of the record.
    `code`: a name that never changes. `message`: what is wrong, with the expected and the found value."""

    severity: Severity
    code: str
    message: str
    input: str | None
    sample: int | None
    record: int | None
    object: int | None
    instance: int | None
    offset: int | None
    expected: int
    found: int
    structure: str | None
    field: str | None


@dataclass(frozen=True)
class FaultCounts:
    """How many faults were found so far. Not all of them are kept."""

    notes: int
    warnings: int
    errors: int


def _nanoseconds(moment: Moment) -> int:
    """Returns a moment in nanoseconds since 1970 (UTC)."""
    if not isinstance(moment, datetime.datetime):
        return int(moment)
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone: expected one, such as tzinfo=datetime.timezone.utc")
    if isinstance(exact := getattr(moment, "value", None), int):  # pandas.Timestamp
        return exact
    since = moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1000


def _c_text(value: str | bytes, what: str) -> Any:
    """Returns a text for C. Raises ValueError if it contains NUL, which would end it there."""
    content = os.fsencode(value)
    if b"\0" in content:
        raise ValueError(f"{what} contains NUL: {value!r}")
    return ffi.new("char[]", content)


def _unchanging(data: Any) -> Any:
    """Returns the bytes of an object for C: its own if it cannot be written to, otherwise a copy."""
    view = memoryview(data)
    if not view.readonly:
        return ffi.from_buffer(view.tobytes())
    return ffi.from_buffer(view if view.contiguous else view.tobytes())


class Keywords(TypedDict, total=False):
    """The keyword arguments of `open`, for type checkers: the parameters of `Options`."""

    from_: Moment | None
    to: Moment | None
    first: int
    count: int | None
    every: int
    languages: Sequence[str]
    log_zones: Sequence[str] | str
    encoding: str | None
    titles: Any
    input_titles: bool
    counters: Sequence[str] | str | None
    cap: bool
    clamp: bool
    unwrap: bool
    scale: bool
    raw_only: bool
    machines: int
    batch_rows: int


class Options:
    """The options of a reader as a struct for C, and the texts that it refers to. The parameters are those of `open`."""

    def __init__(
        self,
        *,
        from_: Moment | None = None,
        to: Moment | None = None,
        first: int = 0,
        count: int | None = None,
        every: int = 1,
        languages: Sequence[str] = (),
        log_zones: Sequence[str] | str = (),
        encoding: str | None = None,
        titles: Any = None,
        input_titles: bool = True,
        counters: Sequence[str] | str | None = None,
        cap: bool = False,
        clamp: bool = False,
        unwrap: bool = False,
        scale: bool = False,
        raw_only: bool = False,
        machines: int = 0,
        batch_rows: int = 0,
    ) -> None:
        self.c = new("options")
        flags = {
            lib.HKPD_CAP: cap,
            lib.HKPD_CLAMP: clamp,
            lib.HKPD_UNWRAP: unwrap,
            lib.HKPD_SCALE: scale,
            lib.HKPD_RAW_ONLY: raw_only,
            lib.HKPD_NO_INPUT_TITLES: not input_titles,
            lib.HKPD_HAS_FROM: from_ is not None,
            lib.HKPD_HAS_TO: to is not None,
        }
        self.c.flags = sum(flag for flag, is_set in flags.items() if is_set)
        if from_ is not None:
            self.c.__setattr__("from", _nanoseconds(from_))
        if to is not None:
            self.c.to = _nanoseconds(to)
        if count == 0:
            raise ValueError("count is 0: expected a positive number, or None for all samples")
        self.c.first_sample = first
        self.c.sample_count = count or 0
        self.c.every = every
        self.c.machines = machines
        self.c.batch_rows = batch_rows
        self._texts: list[Any] = []
        if languages:
            self.c.languages = self._keep(_c_text(languages if isinstance(languages, str) else ",".join(languages), "languages"))
        if log_zones:
            zones = log_zones if isinstance(log_zones, str) else "\n".join(log_zones)
            self.c.log_zones = self._keep(_c_text(zones, "log_zones"))
        if encoding is not None:
            self.c.encoding = self._keep(_c_text(encoding, "encoding"))
        if titles is not None:
            data = self._keep(_unchanging(titles))
            self.c.titles, self.c.titles_size = data, len(data)
        paths = [counters] if isinstance(counters, str) else list(counters or ())
        if paths:
            self.c.paths = self._keep(ffi.new("const char*[]", [self._keep(_c_text(path, "a counter path")) for path in paths]))
            self.c.path_count = len(paths)

    def _keep(self, value: Any) -> Any:
        self._texts.append(value)
        return value


def _opened(function: Any, *arguments: Any, options: Options, keep: list[Any]) -> Handle:
    """Calls a function that opens a reader, and returns its handle. Raises an Error if it fails."""
    reader, error = ffi.new("hkpd_reader**"), new("error")
    if function(*arguments, options.c, reader, error) < 0:
        raise open_failure(error)
    return Handle(reader[0], keep)


class Reader:
    """The samples of an input, one after another, and the faults found in it. `open` returns one. It is an iterator of
    samples and a context manager. Damage never ends the reading: all valid data is delivered, damaged values are marked,
    and each fault is in `faults`."""

    def __init__(self, handle: Handle) -> None:
        self._open: Handle | None = handle  # None: closed
        self._lock = handle.lock
        self._current: Sample | None = None
        self._given: list[memoryview] = []  # views of the current sample's values
        self._last_faults: list[Fault] = []  # those of a closed reader
        self._last_counts = FaultCounts(0, 0, 0)

    def __iter__(self) -> Iterator[Sample]:
        return self

    def __next__(self) -> Sample:
        """Reads the next sample. The previous one becomes invalid, and the views of its values are released. Raises
        BufferError if a numpy array, or a slice of a view, still refers to them."""
        filled = new("sample")
        with self._lock:
            handle = self._handle
            self._end_sample(handle)
            if handle.call(lib.hkpd_next, filled) == lib.HKPD_END:
                self._end_of_input(handle)
                raise StopIteration
            self._current = Sample(self, filled)
            return self._current

    def close(self) -> None:
        """Closes the reader. Numpy arrays and Arrow streams that refer to its memory keep that until they are gone."""
        with self._lock:
            if self._open is None:
                return
            self._last_faults, self._last_counts = self.faults, self.fault_counts
            self._release_views()
            self._forget_sample()
            self._open = None

    @property
    def closed(self) -> bool:
        """Whether the reader is closed."""
        return self._open is None

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @property
    def fault_counts(self) -> FaultCounts:
        """How many faults were found so far."""
        with self._lock:
            if self._open is None:
                return self._last_counts
            count = [lib.hkpd_count_faults(self._open.reader, severity) for severity in Severity]
        return FaultCounts(*count)

    @property
    def faults(self) -> list[Fault]:
        """The faults that were found so far, in order: the first 1,000 of each severity. Also of a closed reader."""
        with self._lock:
            if self._open is None:
                return list(self._last_faults)
            return [self._fault(position) for position in range(lib.hkpd_fault_count(self._open.reader))]

    def _fault(self, position: int) -> Fault:
        one = new("fault")
        self._handle.call(lib.hkpd_get_fault, position, one)

        def known(number: int) -> int | None:
            return None if number == lib.HKPD_NO_INDEX else number

        return Fault(
            severity=Severity(one.severity),
            code=str(ffi.string(one.code), "ascii"),
            message=text(one.message, one.message_size) or "",
            input=text(one.input, one.input_size),
            sample=known(one.sample),
            record=known(one.record),
            object=known(one.object),
            instance=known(one.instance),
            offset=one.offset if one.has_offset else None,
            expected=one.expected,
            found=one.found,
            structure=text(one.structure, one.structure_size),
            field=text(one.field, one.field_size),
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns all samples that have not been read yet as a stream of tables in a capsule of the Arrow PyCapsule
        interface: for pyarrow, polars, duckdb. Until the stream is released, no samples can be read otherwise."""
        from ._arrow import stream_capsule

        with self._lock:
            handle = self._handle
            self._end_sample(handle)
            return stream_capsule(handle)

    @property
    def _handle(self) -> Handle:
        if self._open is None:
            raise state_error("the reader is closed")
        return self._open

    def _forget_sample(self) -> None:
        if self._current is not None:
            self._current._end()
        self._current = None

    def _release_views(self) -> None:
        given, self._given = self._given, []
        for view in given:
            try:
                view.release()
            except BufferError:  # a numpy array uses it
                pass

    def _end_sample(self, handle: Handle) -> None:
        """Releases the views of the current sample, whose memory the library uses for the next one."""
        self._release_views()
        if count := handle.views():
            raise BufferError(
                f"{count} numpy arrays or slices refer to values of the current sample, whose memory the next one uses: "
                "delete them first (del), or use copies (to_numpy)"
            )
        self._forget_sample()

    def _end_of_input(self, handle: Handle) -> None:
        """Is called when there are no more samples."""


class Feed(Reader):
    """A reader whose records the program adds, for agents that query Windows themselves. Iterating yields the samples of
    the records added so far; after further calls of `add` it continues. Each sample is cooked against the previous one
    of its machine. The keyword arguments are those of `open`."""

    def __init__(self, **options: Unpack[Keywords]) -> None:
        super().__init__(_opened(lib.hkpd_open_feed, options=Options(**options), keep=[]))

    def add(
        self,
        data: Any,
        kind: RecordKind = RecordKind.V1,
        *,
        machine: str | None = None,
        language: str | None = None,
        counterset: uuid.UUID | None = None,
        request: int = 0,
        time: Moment | None = None,
    ) -> None:
        """Adds a record: bytes as a function of Windows returned them. `machine`: of titles and V2 blocks. `language`: of
        titles and registrations, such as "009". `counterset`, `request`: of a registration; PERF_REG_* that was
        requested. `time`: when the record was received. Bytes that can be written to are copied."""
        record, content = new("record"), _unchanging(data)
        texts = [None if value is None else _c_text(value, "a name") for value in (machine, language)]
        record.kind, record.request = RecordKind(kind), request
        record.data, record.size = content, len(content)
        record.machine = texts[0] or ffi.NULL
        record.language = texts[1] or ffi.NULL
        if counterset is not None:
            record.counterset = list(counterset.bytes_le)
        if time is not None:
            record.time = _nanoseconds(time)
        with self._lock:
            handle = self._handle
            self._end_sample(handle)
            handle.keep.append(content)
            handle.call(lib.hkpd_feed, record)

    def __enter__(self) -> Feed:
        return self

    def _end_of_input(self, handle: Handle) -> None:
        handle.keep.clear()  # the library has read all records


def open(source: Any, **options: Unpack[Keywords]) -> Reader:
    """Opens an input: a path, a list of paths that are read as one run of samples, or bytes that are the content of a
    file. Files can be V1 blocks, captures, logs (.blg), text logs (CSV, TSV), each of them possibly compressed by gzip,
    zstd or zip, and directories of them; "-" is standard input. Raises OpenError if none can be opened.

    Keyword arguments:
        from_, to: the first and last moment to read: datetime with a zone, or nanoseconds since 1970 (UTC).
        first, count, every: number of the first sample; number of samples; only each N-th of each machine.
        languages: preferred languages of names, such as ["007", "00c"]; English otherwise.
        log_zones: zones of text logs that state none, as those of typeperf: "Europe/Berlin", or "FILE=Europe/Berlin" for one
            input, or a list of these. Without one, times of such a log are its local times, as if they were UTC.
        encoding: that of text logs without a byte order mark: "1251", "cp866", "koi8-r", "utf-16le"; None: guessed from names
            and time zone.
        titles: content of a title database, such as that of perfc009.dat.
        input_titles: False: names come from the built-in titles and from `titles` alone.
        counters: counter paths with wildcards, which select the rows of Arrow tables and data frames.
        cap, clamp, unwrap, scale: see HKPD_CAP, HKPD_CLAMP, HKPD_UNWRAP and HKPD_SCALE in hkpd.h.
        raw_only: True: compute nothing that needs two samples.
        machines: most machines whose samples may be interleaved; 0: 64.
        batch_rows: rows after which a batch of an Arrow stream ends; 0: 65,536.
    """
    made = Options(**options)
    if isinstance(source, (bytes, bytearray, memoryview)) or not isinstance(source, (str, os.PathLike, list, tuple)):
        data = _unchanging(source)
        return Reader(_opened(lib.hkpd_open_memory, data, len(data), options=made, keep=[data]))
    paths = list(source) if isinstance(source, (list, tuple)) else [source]
    texts = [_c_text(os.fspath(path), "a path") for path in paths]
    return Reader(_opened(lib.hkpd_open, ffi.new("const char*[]", texts), len(texts), options=made, keep=[]))
