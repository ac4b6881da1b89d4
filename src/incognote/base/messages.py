"""What the package says: counts and times in words, and structured logs.

Logs go to the logger `incognote`: what happened, and its figures. No log ever has a text, a value or a
file name in it. Where nobody listens, nothing is written: a program that uses the library adds handlers
of its own, the commands add those below.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from incognote.base.files import OWNER_ONLY_FILE


def quantity(number: int, noun: str, plural: str | None = None) -> str:
    """`1 note`, `1,250 notes`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def duration(seconds: float) -> str:
    """`2 h 05 min`, `12 min`, `40 s`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"


ROOT = "incognote"
logging.getLogger(ROOT).addHandler(logging.NullHandler())

Figure = str | int | float | bool | None


def log(room: str, event: str, level: int = logging.INFO, /, **figures: Figure) -> None:
    """Tell of an event in a room of the package: `log("run", "file done", input=3, notes=1)`."""
    logger = logging.getLogger(f"{ROOT}.{room}")
    if logger.isEnabledFor(level):
        logger.log(level, event, extra={"figures": figures})


def _time(record: logging.LogRecord) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))


class LineFormatter(logging.Formatter):
    """For people: `2026-01-31T12:00:00Z incognote.run: file done, input=3, notes=1`."""

    def format(self, record: logging.LogRecord) -> str:
        figures = [f"{name}={value}" for name, value in getattr(record, "figures", {}).items()]
        return f"{_time(record)} {record.name}: {', '.join([record.getMessage(), *figures])}"


class JsonFormatter(logging.Formatter):
    """For machines: an object with `time`, `level`, `logger`, `event` and the figures."""

    def format(self, record: logging.LogRecord) -> str:
        head = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        return json.dumps({**head, **getattr(record, "figures", {})})


@contextmanager
def logging_to(*, verbose: bool = False, file: Path | None = None) -> Iterator[None]:
    """While a command runs: lines on standard error if `verbose`, and JSON lines to a file.

    The file is added to, and only its owner may read it.
    """
    logger = logging.getLogger(ROOT)
    handlers: list[logging.Handler] = []
    if verbose:
        handlers.append(logging.StreamHandler(sys.stderr))
        handlers[-1].setFormatter(LineFormatter())
    if file is not None:
        file.touch(OWNER_ONLY_FILE)
        handlers.append(logging.FileHandler(file, encoding="utf-8"))
        handlers[-1].setFormatter(JsonFormatter())
    level = logger.level
    if handlers:
        logger.setLevel(logging.DEBUG if verbose else logging.INFO)
    for handler in handlers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()
        logger.setLevel(level)
