"""The handle of a C reader: one thread at a time, and memory that stays until the last view of it is gone."""

from __future__ import annotations

import gc
import struct
import threading
from typing import Any

from ._errors import failure
from ._library import ffi, lib

_SIZES = {code: struct.calcsize(code) for code in "QdIB"}


class Handle:
    """A C reader. It is closed when the last reference to it is gone; views of its memory and Arrow streams are such
    references. `keep`: the memory that it reads, which is kept until then."""

    def __init__(self, reader: Any, keep: list[Any]) -> None:
        def close(pointer: Any) -> None:
            lib.hkpd_close(pointer)
            keep.clear()

        self.reader = ffi.gc(reader, close)
        self.keep = keep
        # Re-entrant, because the garbage collector can release a stream while its thread is in here.
        self.lock = threading.RLock()
        self._views: list[None] = []  # one entry for each view; appending and removing are atomic

    def call(self, function: Any, *arguments: Any) -> int:
        """Calls a function of the library with the reader. Returns its status; raises if that is a failure."""
        with self.lock:
            status: int = function(self.reader, *arguments)
        if status < 0:
            raise failure(status)
        return status

    def view(self, pointer: Any, count: int, code: str) -> memoryview:
        """Returns a view of `count` elements of the reader's memory, whose type is a code of the module struct. Nothing is
        copied."""
        self._views.append(None)
        memory = ffi.buffer(ffi.gc(pointer, self._drop), count * _SIZES[code])
        return memoryview(memory).toreadonly().cast(code)

    def _drop(self, _pointer: Any) -> None:
        self._views.pop()

    def views(self) -> int:
        """Returns the number of views of the reader's memory that are in use."""
        if self._views:
            gc.collect()  # some may only be held by cycles of objects that are no longer used
        return len(self._views)
