"""Arrow: tables for other libraries by the PyCapsule interface, without a copy. Source of the names and rules:
arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html."""

from __future__ import annotations

import ctypes
import errno
from typing import Any

from ._handle import Handle
from ._library import ffi, lib

# A destructor gets a capsule that is no longer a reference, so that it is an address here.
_DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_new_capsule: Any = ctypes.pythonapi["PyCapsule_New"]
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, _DESTRUCTOR]
_capsule_name: Any = ctypes.pythonapi["PyCapsule_GetName"]
_capsule_name.restype, _capsule_name.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
_capsule_pointer: Any = ctypes.pythonapi["PyCapsule_GetPointer"]
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_void_p]

_owned: dict[int, Any] = {}  # the struct of each capsule, by its address


def release(struct: Any) -> None:
    """Releases an Arrow struct, unless it is released or a consumer has moved it."""
    if struct.release != ffi.NULL:
        struct.release(struct)


@_DESTRUCTOR
def _destroy(capsule: int) -> None:
    release(_owned.pop(_capsule_pointer(capsule, _capsule_name(capsule))))


def _capsule(struct: Any, name: bytes) -> object:
    """Returns a capsule that owns the struct. `name` must be a constant, as the capsule refers to it."""
    address = int(ffi.cast("uintptr_t", struct))
    _owned[address] = struct
    return _new_capsule(address, name, _destroy)


_SCHEMA, _ARRAY, _STREAM = b"arrow_schema", b"arrow_array", b"arrow_array_stream"


def sample_capsules(call: Any) -> tuple[object, object]:
    """Returns the current sample as capsules of schema and array. `call` calls a function with the reader."""
    schema, array = ffi.new("struct ArrowSchema*"), ffi.new("struct ArrowArray*")
    call(lib.hkpd_arrow_sample, schema, array)
    return _capsule(schema, _SCHEMA), _capsule(array, _ARRAY)


class Stream:
    """An Arrow stream of the rest of a run. It keeps the reader's handle until it is released."""

    def __init__(self, handle: Handle) -> None:
        self._handle: Handle | None = handle
        self._c = ffi.new("struct ArrowArrayStream*")
        handle.call(lib.hkpd_arrow_stream, self._c)

    def schema(self, to: Any) -> int:
        """Exports the schema. Returns an error number; 0: success."""
        return self._call("get_schema", to)

    def next(self, to: Any) -> int:
        """Exports the next batch, or a released array at the end. Returns an error number; 0: success."""
        return self._call("get_next", to)

    def last_error(self) -> Any:
        """Returns the text of the last error for C; NULL if there is none."""
        return self._c.get_last_error(self._c)

    def release(self) -> None:
        """Ends the stream, so that the reader can be used and closed."""
        if self._handle is None:
            return
        with self._handle.lock:
            release(self._c)
        self._handle = None

    def _call(self, function: str, to: Any) -> int:
        if self._handle is None:
            return errno.EINVAL
        with self._handle.lock:
            return getattr(self._c, function)(self._c, to)


# What a consumer calls. A stream can outlive its reader, so the consumer gets one that holds the reader's handle.
_exported: dict[Any, Stream] = {}


@ffi.callback("int(struct ArrowArrayStream*, struct ArrowSchema*)", error=errno.EIO)
def _get_schema(stream: Any, to: Any) -> int:
    return _exported[stream.private_data].schema(to)


@ffi.callback("int(struct ArrowArrayStream*, struct ArrowArray*)", error=errno.EIO)
def _get_next(stream: Any, to: Any) -> int:
    return _exported[stream.private_data].next(to)


@ffi.callback("const char*(struct ArrowArrayStream*)", error=ffi.NULL)
def _get_last_error(stream: Any) -> Any:
    return _exported[stream.private_data].last_error()


@ffi.callback("void(struct ArrowArrayStream*)")
def _release_stream(stream: Any) -> None:
    _exported.pop(stream.private_data).release()
    stream.release = ffi.NULL


def stream_capsule(handle: Handle) -> object:
    """Returns the rest of a run as a capsule of a stream."""
    inner = Stream(handle)
    key = ffi.cast("void*", int(ffi.cast("uintptr_t", inner._c)))
    _exported[key] = inner
    outer = ffi.new("struct ArrowArrayStream*")
    outer.get_schema, outer.get_next, outer.get_last_error = _get_schema, _get_next, _get_last_error
    outer.release, outer.private_data = _release_stream, key
    return _capsule(outer, _STREAM)
