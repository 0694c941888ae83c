"""One moment of one machine: objects, their instances, and a column of values for each counter."""

from __future__ import annotations

import datetime
import enum
import uuid
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ._errors import failure, state_error
from ._library import ffi, lib, new, terminated, text

if TYPE_CHECKING:
    import numpy

    from ._reader import Reader

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_EMPTY = {"Q": memoryview(b"").cast("Q"), "d": memoryview(b"").cast("d"), "B": memoryview(b""), "I": memoryview(b"").cast("I")}


class Source(enum.IntEnum):
    """The interface through which a sample was collected."""

    V1 = lib.HKPD_SOURCE_V1
    V2 = lib.HKPD_SOURCE_V2
    LOG = lib.HKPD_SOURCE_LOG


class Kind(enum.IntEnum):
    """Whether an object has a list of instances. METADATA: V1 described the object without its values."""

    SINGLE = lib.HKPD_KIND_SINGLE
    MULTI = lib.HKPD_KIND_MULTI
    METADATA_SINGLE = lib.HKPD_KIND_METADATA_SINGLE
    METADATA_MULTI = lib.HKPD_KIND_METADATA_MULTI


class Storage(enum.IntEnum):
    """What the values of a column are: numbers, or texts or bytes that `Column.text` returns."""

    NUMBER = lib.HKPD_STORAGE_NUMBER
    TEXT = lib.HKPD_STORAGE_TEXT
    BYTES = lib.HKPD_STORAGE_BYTES


class ValueStatus(enum.IntEnum):
    """Status of a value (`Column.status`), besides those of PDH. DAMAGED: it cannot be read. NOT_RECORDED: the text log
    states that there is no value."""

    VALID = lib.HKPD_STATUS_VALID
    NO_INSTANCE = lib.HKPD_STATUS_NO_INSTANCE
    DAMAGED = lib.HKPD_STATUS_DAMAGED
    NOT_RECORDED = lib.HKPD_STATUS_NOT_RECORDED


@dataclass(frozen=True)
class Instance:
    """An instance of an object. `name`: empty for an object without instances; None if it is damaged. `number`: the
    number in `name#number`. `id`: UniqueID or InstanceId. `parent_object`, `parent_instance`: positions of the parent in
    the sample. `offset`: bytes from the start of the input.

    Who it is over the run, in which instances come and go: machine, source and object, and `parent` (name of the direct
    parent), `instance`, `pid` (id of the process, also of a thread's), `instance_id` (`id` of an instance that has no
    pid), and `life`: 1; 2 and so on if these ids are used again; None if the name is damaged."""

    name: str | None
    number: int
    id: int | None
    parent_object: int | None
    parent_instance: int | None
    offset: int
    parent: str | None
    pid: int | None
    instance_id: int | None
    life: int | None

    @property
    def instance(self) -> str | None:
        """`name`, or `name#number` of an instance that has neither `pid` nor `instance_id`, and is known by its place."""
        if self.name is None or self.pid is not None or self.instance_id is not None:
            return self.name
        return _numbered(self.name, self.number)

    @property
    def pdh_instance(self) -> str | None:
        """What PerfMon shows in this sample: `parent/name#number`, without `#0`."""
        if self.name is None:
            return None
        parent = "?" if self.parent is None else self.parent
        return ("" if self.parent_object is None else parent + "/") + _numbered(self.name, self.number)


def _numbered(name: str, number: int) -> str:
    return f"{name}#{number}" if number else name


def _is_released(view: memoryview) -> bool:
    try:
        return view.itemsize == 0
    except ValueError:  # all that it raises
        return True


def _index(value: int) -> int | None:
    return None if value == lib.HKPD_NO_INDEX else value


def _position(value: int) -> int | None:
    return None if value < 0 else value


class Sample:
    """One moment of one machine. It is valid until the next sample: afterwards names and values raise StateError."""

    def __init__(self, reader: Reader, filled: Any) -> None:
        self._reader = reader
        self._c = filled
        #: Number of samples before this one in the input.
        self.number: int = filled.number
        self.source = Source(filled.source)
        #: Name of the machine; None if it is damaged.
        self.machine = text(filled.machine, filled.machine_size)
        #: Nanoseconds since 1970 (UTC); None if it is unknown.
        self.time_ns: int | None = filled.time if filled.has_time else None
        #: Whether times are local times of the machine, taken as UTC, because the text log states no zone.
        self.is_local_time: bool = bool(filled.local_time)
        #: V1: index of the object to show first; -1 if there is none.
        self.default_object: int = filled.default_object
        self.perf_time: int = filled.perf_time
        self.perf_frequency: int = filled.perf_frequency
        self.perf_time_100ns: int = filled.perf_time_100ns
        #: Size of the blocks of the sample, or of its row in a log.
        self.bytes: int = filled.bytes

    @property
    def time(self) -> datetime.datetime | None:
        """The moment in UTC, without the digits below a microsecond; None if it is unknown. A local time of which no zone is
        known has no `tzinfo`."""
        if self.time_ns is None:
            return None
        moment = _EPOCH + datetime.timedelta(microseconds=self.time_ns // 1000)
        return moment.replace(tzinfo=None) if self.is_local_time else moment

    @cached_property
    def objects(self) -> list[Object]:
        """The objects of the sample."""
        self._require_current()
        return [Object(self, position) for position in range(self._c.object_count)]

    @property
    def is_current(self) -> bool:
        """Whether names and values can be read: neither the next sample was read nor the reader closed."""
        return self._reader._current is self

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """Returns the sample as a table in capsules of the Arrow PyCapsule interface: for pyarrow, polars, duckdb. The
        table may outlive the sample."""
        from ._arrow import sample_capsules

        return sample_capsules(self._call)

    def __repr__(self) -> str:
        return f"<hkpd.Sample {self.number}: {self.machine!r}, {self.time}, {self._c.object_count} objects>"

    def _end(self) -> None:
        """Removes the references between this sample and its objects, so that what the program no longer uses is freed."""
        for one in self.__dict__.pop("objects", ()):
            one.__dict__.pop("columns", None)

    def _call(self, function: Any, *arguments: Any) -> None:
        reader = self._reader
        with reader._lock:
            if reader._current is not self:
                self._require_current()
            status = function(reader._handle.reader, *arguments)
        if status < 0:
            raise failure(status)

    def _require_current(self) -> None:
        if self._reader._current is not self:
            raise state_error(
                f"sample {self.number} is no longer the current one: copy values (to_numpy, tolist) and names before the next "
                "sample is read or the reader is closed"
            )

    def _text(self, pointer: Any, size: int) -> str | None:
        with self._reader._lock:
            self._require_current()
            return text(pointer, size)

    def _view(self, views: dict[str, memoryview], name: str, pointer: Any, count: int, code: str) -> memoryview:
        """Returns a view of an array of the library: the one in `views`, or a new one. All are released at the end of the
        sample."""
        with self._reader._lock:
            self._require_current()
            if count == 0 or pointer == ffi.NULL:
                return _EMPTY[code]
            if (known := views.get(name)) is not None and not _is_released(known):
                return known
            view = views[name] = self._reader._handle.view(pointer, count, code)
            self._reader._given.append(view)
            return view


class _Described:
    """Members that objects and counters share, from the struct of the C interface that describes one."""

    _sample: Sample
    _c: Any

    @property
    def help_index(self) -> int:
        """V1: index of the help text."""
        return self._c.help_index

    @property
    def name(self) -> str | None:
        """The name in the first language of `languages` that has one; None if it is unknown."""
        return self._sample._text(self._c.name, self._c.name_size)

    @property
    def help(self) -> str | None:
        """The help text; None if it is unknown."""
        return self._sample._text(self._c.help, self._c.help_size)

    @property
    def detail_level(self) -> int:
        """PERF_DETAIL_*."""
        return self._c.detail_level


class Object(_Described):
    """An object or counterset of a sample."""

    def __init__(self, sample: Sample, position: int) -> None:
        self._sample = sample
        #: Position in `Sample.objects`.
        self.position = position
        self._c = new("object")
        sample._call(lib.hkpd_get_object, position, self._c)

    @property
    def index(self) -> int:
        """V1: title index; otherwise a number that identifies the object in this run."""
        return self._c.index

    @property
    def counterset(self) -> uuid.UUID | None:
        """V2: the GUID."""
        return uuid.UUID(bytes_le=bytes(self._c.counterset)) if self._c.has_counterset else None

    @property
    def kind(self) -> Kind:
        """Whether the object has a list of instances."""
        return Kind(self._c.kind)

    @property
    def code_page(self) -> int:
        """V1: code page of instance names; 0: UTF-16."""
        return self._c.code_page

    @property
    def perf_time(self) -> int:
        """PerfTime of the object, in ticks of `perf_frequency`."""
        return self._c.perf_time

    @property
    def perf_frequency(self) -> int:
        """PerfFreq of the object: ticks per second."""
        return self._c.perf_frequency

    @property
    def instance_count(self) -> int:
        """Number of instances, which is the number of values of each column; 1 for an object without instances."""
        return self._c.instance_count

    @cached_property
    def instances(self) -> list[Instance]:
        """The instances. The list is a copy, which stays valid."""
        count = self._c.instance_count
        filled = ffi.new("hkpd_instance[]", max(count, 1))
        filled[0].struct_size = ffi.sizeof("hkpd_instance")
        with self._sample._reader._lock:
            self._sample._call(lib.hkpd_get_instances, self.position, 0, count, filled)
            return [
                Instance(
                    text(one.name, one.name_size),
                    one.number,
                    one.id if one.has_id else None,
                    _index(one.parent_object),
                    _index(one.parent_instance),
                    one.offset,
                    text(one.parent, one.parent_size),
                    _index(one.pid),
                    one.instance_id if one.has_instance_id else None,
                    one.life or None,
                )
                for one in (filled[row] for row in range(count))
            ]

    @cached_property
    def columns(self) -> list[Column]:
        """The counters of the object, with their values."""
        self._sample._require_current()
        return [Column(self, position) for position in range(self._c.column_count)]

    def column(self, name: str) -> Column:
        """Returns the first column of this name. Raises KeyError if there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def __repr__(self) -> str:
        name = repr(self.name) if self._sample.is_current else f"#{self.index}"
        return f"<hkpd.Object {name}: {self.instance_count} instances, {self._c.column_count} columns>"


class Column(_Described):
    """A counter of an object. Value i of each array belongs to instance i. Arrays are views of the library's memory, which
    nothing copies: they are released when the next sample is read, and using them then raises ValueError. A numpy array
    or slice that was made of one is an error of the next sample (BufferError) as long as it exists."""

    def __init__(self, owner: Object, position: int) -> None:
        self._sample = owner._sample
        self._object = owner
        #: Position in `Object.columns`.
        self.position = position
        self._views: dict[str, memoryview] = {}
        self._c = new("column")
        self._sample._call(lib.hkpd_get_column, owner.position, position, self._c)

    @property
    def index(self) -> int | None:
        """V1: title index; V2: counter id; None if it is unknown."""
        return _index(self._c.index)

    @property
    def type(self) -> int | None:
        """Counter type of winperf.h; None if it is unknown."""
        return _index(self._c.type)

    @property
    def type_name(self) -> str:
        """Name of the counter type, such as "PERF_COUNTER_COUNTER"; empty for a type without a name."""
        return terminated(lib.hkpd_type_name(self._c.type))

    @property
    def storage(self) -> Storage:
        """What the values are."""
        return Storage(self._c.storage)

    @property
    def attributes(self) -> int:
        """V2: PERF_ATTRIB_*."""
        return self._c.attributes

    @property
    def value_size(self) -> int:
        """Bytes of a value in the input."""
        return self._c.value_size

    @property
    def offset(self) -> int:
        """Offset of the value in its counter block."""
        return self._c.offset

    @property
    def scale(self) -> int:
        """DefaultScale: programs show value x 10^scale."""
        return self._c.scale

    @property
    def base(self) -> int | None:
        """Position of the column that has the bases; None if there is none."""
        return _position(self._c.base)

    @property
    def time(self) -> int | None:
        """Position of the column that has the clock; None if there is none."""
        return _position(self._c.time)

    @property
    def frequency(self) -> int | None:
        """Position of the column that has the frequency of the clock; None if there is none."""
        return _position(self._c.frequency)

    @property
    def multi(self) -> int | None:
        """Position of the column that has the numbers of counted units; None if there is none."""
        return _position(self._c.multi)

    @property
    def time_base(self) -> int | None:
        """Raw counters of a log: ticks per second of the type's clock."""
        return self._c.time_base if self._c.has_time_base else None

    @property
    def values(self) -> memoryview:
        """The raw values, unsigned 64-bit numbers ("Q"). Of a PERF_DOUBLE_RAW they are the bits of doubles: for these
        `values.cast("B").cast("d")`. For texts and bytes use `text`."""
        return self._sample._view(self._views, "values", self._c.values, self._c.count, "Q")

    @property
    def second(self) -> memoryview | None:
        """Base, clock or instance count of each value ("Q"), where the column has it itself."""
        return self._array("second", self._c.second, "Q")

    @property
    def status(self) -> memoryview | None:
        """Status of each value ("I"): a `ValueStatus`, or PDH_CSTATUS_*; None if all values are valid."""
        return self._array("status", self._c.status, "I")

    @property
    def multi_count(self) -> memoryview | None:
        """Raw counters of a log: the number of counted units ("Q")."""
        return self._array("multi_count", self._c.multi_count, "Q")

    @property
    def taken(self) -> memoryview | None:
        """Raw counters of a log: when each value was collected ("Q"), in 100 ns since 1601 (UTC)."""
        return self._array("taken", self._c.taken, "Q")

    def to_numpy(self) -> numpy.ndarray[Any, Any]:
        """Returns a copy of the raw values as a numpy array of uint64, which stays valid. `numpy.asarray(column.values)`
        copies nothing."""
        import numpy

        return numpy.array(self.values)

    def text(self, row: int) -> str | bytes:
        """Returns a value of a column of texts (str) or bytes (bytes); empty if the value is damaged. The result is a copy.
        Raises ArgumentError for a column of numbers, or a row that does not exist."""
        data, size = ffi.new("const char**"), ffi.new("size_t*")
        if row < 0:
            raise IndexError(row)
        with self._sample._reader._lock:
            self._sample._call(lib.hkpd_get_text, self._object.position, self.position, row, data, size)
            content: bytes = b"" if data[0] == ffi.NULL else ffi.buffer(data[0], size[0])[:]
        return content if self._c.storage == lib.HKPD_STORAGE_BYTES else str(content, "utf-8", "replace")

    def cooked(self) -> Cooked:
        """Returns the cooked values: those that Windows shows. The first call for a column computes them."""
        filled = new("cooked")
        self._sample._call(lib.hkpd_get_cooked, self._object.position, self.position, filled)
        return Cooked(self._sample, filled)

    def _array(self, name: str, pointer: Any, code: str) -> memoryview | None:
        return None if pointer == ffi.NULL else self._sample._view(self._views, name, pointer, self._c.count, code)

    def __repr__(self) -> str:
        name = repr(self.name) if self._sample.is_current else f"#{self.index}"
        return f"<hkpd.Column {name}: {self._c.count} values, {self.type_name or self.type}>"


class Cooked:
    """The cooked values of a column, as views like those of the column."""

    def __init__(self, sample: Sample, filled: Any) -> None:
        self._sample = sample
        self._views: dict[str, memoryview] = {}
        self._c = filled

    def __len__(self) -> int:
        return self._c.count

    @property
    def values(self) -> memoryview:
        """The values, doubles ("d"); NaN where there is none."""
        return self._sample._view(self._views, "values", self._c.values, self._c.count, "d")

    @property
    def reasons(self) -> memoryview:
        """Why there is no value, or a substitute ("B"): numbers for `reason_name`; 0: there is a value."""
        return self._sample._view(self._views, "reasons", self._c.reasons, self._c.count, "B")

    def reason(self, row: int) -> str | None:
        """Returns the name of the reason of a row, such as "counter_went_back"; None if there is none."""
        return reason_name(self.reasons[row]) or None

    def to_numpy(self) -> numpy.ndarray[Any, Any]:
        """Returns a copy of the values as a numpy array of float64, which stays valid."""
        import numpy

        return numpy.array(self.values)


def reason_name(reason: int) -> str:
    """Returns the name of a reason; empty for 0 and for numbers that are no reason."""
    return terminated(lib.hkpd_reason_name(reason))


def type_name(type_: int) -> str:
    """Returns the name of a counter type of winperf.h; empty for a type without a name."""
    return terminated(lib.hkpd_type_name(type_))
