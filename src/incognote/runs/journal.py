"""The journal of a run: what is done, so that a run that stopped can go on.

A line for what the run was asked to do, then one for each finished file and each checkpoint of a
long one, in a hidden folder beside the outputs. It holds counts and output names, never a text or
an original name. Each line begins with a checksum of the rest, so that a damaged one is known and
left out: what it told is done again.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from incognote.base.errors import RunError
from incognote.base.files import OWNER_ONLY_FOLDER
from incognote.runs.audit import Tally
from incognote.runs.outputs import JOURNAL, PARTIAL

SCHEMA = 2


@dataclass
class Entry:
    """How far one file has come. `sink` is what its half-written output needs to continue."""

    stamp: str
    records: int = 0
    done: bool = False
    tally: Tally = field(default_factory=Tally)
    sink: Mapping[str, int] | None = None
    chain: str = ""
    """What a vault needs to continue."""
    written: str = ""
    """The stamp of a finished output, which changes when anybody changes it."""

    def to_json(self) -> dict[str, Any]:
        """One line of the journal."""
        return {**vars(self), "tally": self.tally.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Entry:
        """What `to_json` wrote."""
        return cls(**{**data, "tally": Tally.from_json(data["tally"])})


class Journal:
    """The state folder of a run: the journal and the output that is being written.

    It is read at once and written from `begin` on. With `resume`, `entries` has what an earlier
    run did; `damaged` lines told something of it that is lost.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
        self.folder = folder
        self.path = folder / JOURNAL
        self.entries: dict[str, Entry] = {}
        self.damaged = 0
        self._header = {"schema": SCHEMA, "settings": dict(settings)}
        self._whole = 0
        self._stream: BinaryIO | None = None
        self._recorded = False
        if resume:
            self._load(self._header)

    def begin(self) -> None:
        """From now on the output is that of an unfinished run."""
        if not self._whole:
            self.path.unlink(missing_ok=True)
            shutil.rmtree(self.folder / PARTIAL, ignore_errors=True)
        self.folder.mkdir(mode=OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
        self._stream = self.path.open("ab")
        self._stream.truncate(self._whole)
        if not self._whole:
            self._append(self._header)

    def _load(self, header: dict[str, Any]) -> None:
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        lines = whole.splitlines()
        if lines:
            first = _read(lines[0])
            if first is None and not lines[0].startswith(b'{"schema":'):
                raise RunError(
                    f"--resume: {self.path} is damaged, and what this output was begun with is "
                    "lost; start over with --overwrite"
                )
            if first != json.loads(json.dumps(header)):
                raise RunError(
                    "--resume: this output was begun with other settings or another version; "
                    "use the same ones, or start over with --overwrite"
                )
        for line in lines[1:]:
            self._take(_read(line))
        self._whole = len(whole)

    def _take(self, row: dict[str, Any] | None) -> None:
        try:
            assert row is not None
            output = str(row.pop("output"))
            if row.get("gone"):
                self.entries.pop(output, None)
            else:
                self.entries[output] = Entry.from_json(row)
        except (AssertionError, AttributeError, KeyError, TypeError, ValueError):
            self.damaged += 1

    def find(self, output: PurePath, stamp: str) -> Entry | None:
        """What is known of a file, unless the file has changed since."""
        entry = self.entries.get(str(output))
        return entry if entry is not None and entry.stamp == stamp else None

    def record(self, output: PurePath, entry: Entry) -> None:
        """Note how far a file has come; a checkpoint is made durable at once."""
        stream = self._append({"output": str(output), **entry.to_json()})
        self._recorded = True
        if not entry.done:
            os.fsync(stream.fileno())

    def forget(self, output: str) -> None:
        """The input of this output is no longer part of the run."""
        self._append({"output": output, "gone": True})
        self.entries.pop(output, None)

    def _append(self, row: Mapping[str, Any]) -> BinaryIO:
        assert self._stream is not None
        self._stream.write(_line(row))
        self._stream.flush()
        return self._stream

    def close(self, *, keep: bool) -> None:
        """End. The folder stays only if there is something in it to go on from, and `keep`."""
        if self._stream is None:
            with suppress(OSError):
                self.folder.rmdir()
            return
        self._stream.close()
        if not (keep and (self._recorded or self.entries)):
            shutil.rmtree(self.folder, ignore_errors=True)


def outputs_in(folder: Path) -> list[str]:
    """The outputs that a run which stopped has told of, whatever it was asked to do."""
    try:
        lines = (folder / JOURNAL).read_bytes().splitlines()
    except OSError:
        return []
    rows = filter(None, map(_read, lines))
    return [row["output"] for row in rows if isinstance(row.get("output"), str)]


def _line(row: Mapping[str, Any]) -> bytes:
    content = json.dumps(row, separators=(",", ":")).encode()
    return b"%08x %b\n" % (zlib.crc32(content), content)


def _read(line: bytes) -> dict[str, Any] | None:
    """What a line says; None if it is not as it was written."""
    checksum, _, content = line.partition(b" ")
    try:
        if len(checksum) != 8 or int(checksum, 16) != zlib.crc32(content):
            return None
        row = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
