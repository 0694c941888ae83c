"""Exceptions: one for each status of the library."""

from __future__ import annotations

from typing import Any

from ._library import lib, terminated


class Error(Exception):
    """A call of hkpd failed. `status` is the hkpd_status (HKPD_ERROR_...), a negative number."""

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(message or terminated(lib.hkpd_status_text(status)))
        self.status = status


class ArgumentError(Error, ValueError):
    """An argument is invalid, such as a counter path that is none."""


class StateError(Error):
    """The sample is no longer the current one, or the reader is closed, or a stream uses it."""


class OpenError(Error, OSError):
    """No input can be opened, or the input is empty. `errno` is the error number of the system, or None."""

    def __init__(self, status: int, message: str = "", system: int = 0) -> None:
        super().__init__(status, message)
        self.errno: Any = system or None

    def __str__(self) -> str:
        return str(self.args[0])


class OutOfMemoryError(Error, MemoryError):
    """The library is out of memory."""


class DamageWarning(UserWarning):
    """The input is damaged: `hkpd.read` returned its valid values, and others are missing."""


_TYPES: dict[int, type[Error]] = {
    lib.HKPD_ERROR_ARGUMENT: ArgumentError,
    lib.HKPD_ERROR_STATE: StateError,
    lib.HKPD_ERROR_OPEN: OpenError,
    lib.HKPD_ERROR_MEMORY: OutOfMemoryError,
}


def failure(status: int, message: str = "") -> Error:
    """Returns the exception for a status."""
    return _TYPES.get(status, Error)(status, message)


def state_error(message: str) -> StateError:
    """Returns the exception for a call that the state of the reader does not allow."""
    return StateError(lib.HKPD_ERROR_STATE, message)


def open_failure(error: Any) -> Error:
    """Returns the exception for a filled hkpd_error."""
    status, message = error.status, terminated(error.message)
    if status == lib.HKPD_ERROR_OPEN:
        return OpenError(status, message, error.system)
    return failure(status, message)
