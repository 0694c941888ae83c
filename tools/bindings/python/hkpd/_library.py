"""The C library: libhkpd is found and loaded, and its header is read, which is the one source of all declarations."""

from __future__ import annotations

import os
import pathlib
import re
import sys
from typing import Any

import cffi

HERE = pathlib.Path(__file__).resolve().parent
NAMES = {"win32": "hkpd.dll", "darwin": "libhkpd.1.dylib"}
NAME = NAMES.get(sys.platform, "libhkpd.so.1")

_BEGIN = "/* --- declarations:"
_END = "/* --- end of declarations"
_ARROW = "#ifndef ARROW_C_DATA_INTERFACE"


def library_file() -> str:
    """Returns the library's file: HKPD_LIBRARY, or the one in the package; otherwise its name, which the loader finds."""
    if from_environment := os.environ.get("HKPD_LIBRARY"):
        return from_environment
    packaged = HERE / NAME
    return str(packaged) if packaged.is_file() else NAME


def header_text(library: str) -> str:
    """Returns the content of hkpd.h: of the package, of the source tree, or of the installation of the library."""
    file = pathlib.Path(library).absolute() if os.sep in library else pathlib.Path(library)
    folders = [HERE, HERE.parents[3] / "lib" / "include"]
    if file.is_absolute():
        folders += [parent / "include" for parent in file.parents]
    folders += [pathlib.Path("/usr/include"), pathlib.Path("/usr/local/include")]
    for folder in folders:
        if (folder / "hkpd.h").is_file():
            return (folder / "hkpd.h").read_text(encoding="utf-8")
    raise ImportError(f"hkpd.h was not found in {', '.join(map(str, folders))}: install the package, or set HKPD_LIBRARY")


def declarations(header: str) -> str:
    """Returns the declarations of the header as cffi reads them: without conditions, and without HKPD_API."""
    parts = [header[header.index(_ARROW) :], header[header.index(_BEGIN) : header.index(_END)]]
    constant = re.compile(r"#define\s+\w+\s+\w+")
    kept = [line for line in "\n".join(parts).splitlines() if not line.startswith("#") or constant.match(line)]
    return "\n".join(kept).replace("HKPD_API ", "")


def load() -> tuple[Any, Any]:
    """Returns cffi's FFI with the declarations, and the loaded library. Raises ImportError if one is missing."""
    name = library_file()
    ffi = cffi.FFI()
    ffi.cdef(declarations(header_text(name)))
    try:
        return ffi, ffi.dlopen(name)
    except OSError as error:
        raise ImportError(
            f"{error}: expected the C library of hkpd; install it, or set HKPD_LIBRARY to the path of {NAME}"
        ) from error


ffi, lib = load()


def text(pointer: Any, size: int) -> str | None:
    """Returns a text of the library; None if the pointer is NULL."""
    return None if pointer == ffi.NULL else str(ffi.buffer(pointer, size)[:], "utf-8", "replace")


def terminated(pointer: Any) -> str:
    """Returns a text that NUL terminates."""
    return str(ffi.string(pointer), "utf-8", "replace")


_KINDS = {
    name: (ffi.typeof(f"hkpd_{name}*"), [ffi.sizeof(f"hkpd_{name}")])
    for name in ("options", "error", "sample", "object", "column", "cooked", "fault", "record", "answer_options", "run", "input", "checked", "report_options", "page")
}


def new(name: str) -> Any:
    """Returns a new struct of the library, named without `hkpd_`, with its size set; all other members are zero."""
    kind, size = _KINDS[name]
    return ffi.new(kind, size)
