"""Errors that are the user's to mend, and what may be said of those that nobody foresaw."""

from __future__ import annotations


class UserError(Exception):
    """One sentence for the user; the command ends with `status`."""

    status = 2


def reason_of(error: OSError) -> str:
    """What the system says, without the path."""
    return (error.strerror or type(error).__name__).lower()


def kind_of_error(error: BaseException) -> str:
    """All that may be said of an unforeseen error: its message might quote a note."""
    if isinstance(error, MemoryError | RecursionError):
        return f"too large or too deep: {type(error).__name__}"
    if isinstance(error, OSError):
        return reason_of(error)
    return type(error).__name__
