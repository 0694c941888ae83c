"""Data frames: the Arrow batches of a run as columns of pandas. Each value is copied once."""

from __future__ import annotations

import collections
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from ._arrow import Stream, release
from ._errors import DamageWarning, Error
from ._library import ffi, lib
from ._reader import Reader, open as open_reader

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from ._reader import Keywords

_FORMATS = {"tsn:UTC": "int64", "L": "uint64", "g": "float64", "i": "int32", "I": "uint32"}


def _elements(numpy: Any, pointer: Any, offset: int, count: int, dtype: str) -> Any:
    """Returns a view of `count` elements of an Arrow buffer from element `offset` on."""
    if count == 0:
        return numpy.empty(0, dtype)
    size = numpy.dtype(dtype).itemsize
    return numpy.frombuffer(ffi.buffer(pointer, (offset + count) * size), dtype)[offset:]


def valid_rows(numpy: Any, array: Any, offset: int, count: int) -> Any:
    """Returns an array of booleans: whether each row has a value. `offset`: position of the first row in the buffers."""
    if array.null_count == 0 or array.buffers[0] == ffi.NULL:
        return numpy.ones(count, bool)
    first, last = offset // 8, (offset + count + 7) // 8
    bits = numpy.unpackbits(_elements(numpy, array.buffers[0], first, last - first, "uint8"), bitorder="little")
    return bits[offset - first * 8 :][:count].astype(bool)


class Dictionary:
    """The texts of a column over all batches. Batches share a dictionary that grows, and can start a new one."""

    def __init__(self, numpy: Any) -> None:
        self._numpy = numpy
        self.texts: list[str] = []
        self._position: dict[str, int] = {}
        self._ends = self._content = b""  # of the last batch's dictionary
        self._mapped = numpy.empty(0, "int32")  # its texts' positions in `texts`
        self._is_same = True  # whether these are those in the dictionary

    def positions(self, array: Any, offset: int, count: int) -> Any:
        """Returns the position in `texts` of each row of an array; -1 for a row without a value."""
        numpy = self._numpy
        self._take(array.dictionary)
        if len(self._mapped) == 0 or array.null_count == array.length:
            return numpy.full(count, -1, "int32")
        found = _elements(numpy, array.buffers[1], offset, count, "int32")
        if array.null_count == 0:
            return found if self._is_same else self._mapped[found]
        valid = valid_rows(numpy, array, offset, count)
        return numpy.where(valid, self._mapped[numpy.where(valid, found, 0)], numpy.int32(-1))

    def _take(self, texts: Any) -> None:
        """Adds the texts of a batch's dictionary that are not known yet."""
        numpy, count = self._numpy, texts.length
        offsets = _elements(numpy, texts.buffers[1], texts.offset, count + 1, "int32")
        content: bytes = ffi.buffer(texts.buffers[2], int(offsets[-1]))[:] if offsets[-1] else b""
        ends = offsets.tobytes()
        known = len(self._mapped)
        if not ends.startswith(self._ends) or not content.startswith(self._content):
            known = 0
        self._ends, self._content = ends, content
        added = []
        for i in range(known, count):
            one = str(content[offsets[i] : offsets[i + 1]], "utf-8", "replace")
            added.append(self._position.setdefault(one, len(self.texts)))
            if added[-1] == len(self.texts):
                self.texts.append(one)
        if added or known != len(self._mapped):
            self._mapped = numpy.concatenate([self._mapped[:known], numpy.array(added, "int32")])
            self._is_same = bool((self._mapped == numpy.arange(count)).all())


class Table:
    """The columns of all batches: numpy arrays, and whether each row has a value."""

    def __init__(self, numpy: Any, schema: Any) -> None:
        self._numpy = numpy
        children = [schema.children[i] for i in range(schema.n_children)]
        self.names = [ffi.string(child.name).decode() for child in children]
        self.formats = [_FORMATS[ffi.string(child.format).decode()] for child in children]
        self.dictionaries = {
            name: Dictionary(numpy) for name, child in zip(self.names, children) if child.dictionary != ffi.NULL
        }
        self._parts: dict[str, list[Any]] = {name: [] for name in self.names}
        self._valid: dict[str, list[Any]] = {name: [] for name in self.names if name not in self.dictionaries}

    def add(self, batch: Any) -> None:
        """Adds the rows of a batch, as views: the batch must not be released before `join`."""
        for i, name in enumerate(self.names):
            array, count = batch.children[i], batch.length
            offset = batch.offset + array.offset
            if name in self.dictionaries:
                self._parts[name].append(self.dictionaries[name].positions(array, offset, count))
            else:
                self._parts[name].append(_elements(self._numpy, array.buffers[1], offset, count, self.formats[i]))
                self._valid[name].append(valid_rows(self._numpy, array, offset, count))

    def join(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns the values of each column in one array, and whether each row has one: copies, which stay valid."""
        numpy = self._numpy
        values = {
            name: numpy.concatenate([numpy.empty(0, dtype), *self._parts[name]])
            for name, dtype in zip(self.names, self.formats)
        }
        valid = {name: numpy.concatenate([numpy.empty(0, bool), *parts]) for name, parts in self._valid.items()}
        self._parts.clear()
        return values, valid


def read_table(reader: Reader, numpy: Any) -> tuple[Table, dict[str, Any], dict[str, Any]]:
    """Reads the rest of a run by an Arrow stream. Every struct is released once, also if something fails."""
    stream = Stream(reader._handle)
    schema, batches = ffi.new("struct ArrowSchema*"), []
    try:
        _require(stream, stream.schema(schema))
        table = Table(numpy, schema)
        while True:
            batch = ffi.new("struct ArrowArray*")
            _require(stream, stream.next(batch))
            if batch.release == ffi.NULL:
                break
            batches.append(batch)
            table.add(batch)
        values, valid = table.join()
        return table, values, valid
    finally:
        for struct in [schema, *batches]:
            release(struct)
        stream.release()


def _require(stream: Stream, error: int) -> None:
    if error != 0:
        message = stream.last_error()
        raise Error(lib.HKPD_ERROR_INTERNAL, "" if message == ffi.NULL else ffi.string(message).decode())


def _warn(source: Any, reader: Reader) -> None:
    """Warns if data was lost."""
    counts = reader.fault_counts
    if counts.errors == 0:
        return
    first = next((fault for fault in reader.faults if fault.severity == lib.HKPD_ERROR), None)
    place = "" if first is None else f"; the first: {first.code}: {first.message}"
    what = "the bytes" if isinstance(source, (bytes, bytearray, memoryview)) else repr(source)
    warnings.warn(f"{what}: {counts.errors} errors, some values are missing{place}", DamageWarning, stacklevel=3)


def read(source: Any, **options: Unpack[Keywords]) -> pandas.DataFrame:
    """Reads an input into a data frame with one row for each value. `source` and the keyword arguments are those of
    `open`; `counters` selects rows by counter paths, such as [r"\\Processor(*)\\% Processor Time"].

    The columns: time (datetime64[ns, UTC]), machine, object (categories); who the instance is over the run: parent,
    instance (categories), pid (UInt32), instance_id (Int32), life (UInt32), each NA if there is none; pdh_instance
    (category: what PerfMon shows in this sample), counter, type (categories), raw (UInt64, NA if it is damaged or no
    integer), value (float64: the cooked value, as Windows shows it; NaN if there is none), reason (category: why there
    is no value, or a substitute). Warns with DamageWarning if data was lost.

    The same pdh_instance, such as svchost#3, can be one process in this sample and another in the next. `labels` returns
    texts that are not.
    Raises ImportError if pandas is not installed, and Error if the input cannot be read."""
    try:
        import numpy
        import pandas
    except ImportError as error:
        raise ImportError(f"hkpd.read needs pandas ({error}): install it, or use hkpd.open, which needs nothing") from error
    with open_reader(source, **options) as reader:
        table, values, valid = read_table(reader, numpy)
        _warn(source, reader)
    columns: dict[str, Any] = {}
    for name in table.names:
        if name in table.dictionaries:
            texts = table.dictionaries[name].texts
            columns[name] = pandas.Categorical.from_codes(values[name], categories=pandas.Index(texts, dtype=object))
        elif name == "time":
            moments = values[name].view("datetime64[ns]")
            moments[~valid[name]] = numpy.datetime64("NaT")
            columns[name] = pandas.DatetimeIndex(moments, tz="UTC")
        elif values[name].dtype.kind in "iu":
            columns[name] = pandas.arrays.IntegerArray(values[name], ~valid[name])
        else:
            values[name][~valid[name]] = numpy.nan
            columns[name] = values[name]
    return pandas.DataFrame(columns, copy=False)


_IDENTITY = ["machine", "object", "parent", "instance", "pid", "instance_id", "life"]


def _codes(numpy: Any, column: pandas.Series) -> Any:
    """Returns a number for each row, which is equal in rows of equal values."""
    if column.dtype == "category":
        return column.cat.codes.to_numpy().astype("int64")
    return column.to_numpy("int64", na_value=numpy.iinfo("int64").min)


def labels(frame: pandas.DataFrame) -> pandas.Series:
    """Returns a text for each row of a data frame of `read` that states its instance: equal in all rows of one process, and
    different for all others of the object, however their places in the samples change.

    It is `name` (of a thread `parent/name`) if the frame has only one such instance. Otherwise with the id: `name:pid`,
    `parent:pid/name`, `name:instance_id`, or the place `name#1`; and `:life` after it, if the id was used several times.
    If the frame has several machines, the machine is in front. A category; NaN where the name is damaged."""
    import numpy
    import pandas

    keys = pandas.DataFrame({name: _codes(numpy, frame[name]) for name in _IDENTITY})
    numbers = keys.groupby(_IDENTITY, sort=False).ngroup().to_numpy()
    first = numpy.unique(numbers, return_index=True)[1]
    found = [_Known(*row) for row in frame[_IDENTITY].iloc[first].astype(object).itertuples(index=False)]
    has_machines = len({one.machine for one in found}) > 1
    names = collections.Counter(one.key(one.name()) for one in found)
    ids = collections.Counter(one.key(one.name_with_ids()) for one in found)
    texts: dict[str, int] = {}
    positions = [-1] * len(found)
    for number, one in enumerate(found):
        if pandas.isna(one.instance):
            continue
        text = one.name_with_ids() if names[one.key(one.name())] > 1 else one.name()
        if ids[one.key(one.name_with_ids())] > 1:
            text += f":{one.life}"
        if has_machines:
            text = f"{one.machine}: {text}"
        positions[number] = texts.setdefault(text, len(texts))
    codes = numpy.array(positions, "int32")[numbers]
    values = pandas.Categorical.from_codes(codes, categories=pandas.Index(list(texts), dtype=object))
    return pandas.Series(values, index=frame.index, name="label")


class _Known(NamedTuple):
    """An instance of a data frame. What it does not have is NaN, NA or None."""

    machine: Any
    object: Any
    parent: Any
    instance: Any
    pid: Any
    instance_id: Any
    life: Any

    def key(self, text: str) -> tuple[str, str, str]:
        """Returns what is equal for instances whose texts must differ."""
        return (str(self.machine), str(self.object), text.casefold())

    def name(self) -> str:
        return f"{self.instance}" if _is_missing(self.parent) else f"{self.parent}/{self.instance}"

    def name_with_ids(self) -> str:
        if not _is_missing(self.pid):
            if _is_missing(self.parent):
                return f"{self.instance}:{self.pid}"
            return f"{self.parent}:{self.pid}/{self.instance}"
        return self.name() if _is_missing(self.instance_id) else f"{self.name()}:{self.instance_id}"


def _is_missing(value: Any) -> bool:
    import pandas

    return bool(pandas.isna(value))
