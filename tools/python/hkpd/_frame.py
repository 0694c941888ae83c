"""Data frames: the Arrow batches of a run as columns of pandas. Each value is copied once."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from ._arrow import Stream, release
from ._errors import DamageWarning, Error
from ._library import ffi, lib
from ._reader import Reader, open as open_reader

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from ._reader import Keywords

_FORMATS = {"tsn:UTC": "int64", "L": "uint64", "g": "float64", "i": "int32"}


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

    The columns: time (datetime64[ns, UTC]), machine, object, instance, counter, type (categories), raw (UInt64, NA if it
    is damaged or no integer), value (float64: the cooked value, as Windows shows it; NaN if there is none), reason
    (category: why there is no value, or a substitute). Warns with DamageWarning if data was lost.
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
        elif values[name].dtype == numpy.dtype("uint64"):
            columns[name] = pandas.arrays.IntegerArray(values[name], ~valid[name])
        else:
            values[name][~valid[name]] = numpy.nan
            columns[name] = values[name]
    return pandas.DataFrame(columns, copy=False)
