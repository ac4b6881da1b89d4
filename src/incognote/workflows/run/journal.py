"""The journal of a run: what is done, so that a run that stopped can go on.

One JSON line per finished file, and one per checkpoint of a long one, in a hidden folder beside
the outputs. It holds counts and output names, never a text or an original name.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from incognote.workflows.run.inputs import RunError
from incognote.workflows.run.tally import Tally

SCHEMA = 1


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

    def to_json(self) -> dict[str, Any]:
        """One line of the journal."""
        return {
            "stamp": self.stamp,
            "records": self.records,
            "done": self.done,
            "tally": self.tally.to_json(),
            "sink": self.sink,
            "chain": self.chain,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Entry:
        """What `to_json` wrote."""
        return cls(**{**data, "tally": Tally.from_json(data["tally"])})


class Journal:
    """The state folder of a run: the journal and the output that is being written."""

    def __init__(self, folder: Path, settings: Mapping[str, Any], *, resume: bool) -> None:
        self.folder = folder
        self.path = folder / "journal.jsonl"
        self.entries: dict[str, Entry] = {}
        header = {"schema": SCHEMA, "settings": dict(settings)}
        if resume and self.path.exists():
            self._load(header)
        else:
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._stream = self.path.open("a", encoding="utf-8")
        if self._stream.tell() == 0:
            self._append(header)

    def _load(self, header: dict[str, Any]) -> None:
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        lines = whole.decode().splitlines()
        if lines and json.loads(lines[0]) != json.loads(json.dumps(header)):
            raise RunError(
                "--resume: this output was begun with other settings or another version; "
                "use the same ones, or begin anew with --overwrite"
            )
        for line in lines[1:]:
            row = json.loads(line)
            output = row.pop("output")
            self.entries[output] = Entry.from_json(row)
        with self.path.open("r+b") as stream:
            stream.truncate(len(whole))

    def find(self, output: PurePath, stamp: str) -> Entry | None:
        """What is known of a file, unless the file has changed since."""
        entry = self.entries.get(str(output))
        return entry if entry is not None and entry.stamp == stamp else None

    def record(self, output: PurePath, entry: Entry) -> None:
        """Note how far a file has come; a checkpoint is made durable at once."""
        self._append({"output": str(output), **entry.to_json()})
        if not entry.done:
            os.fsync(self._stream.fileno())

    def _append(self, row: Mapping[str, Any]) -> None:
        self._stream.write(json.dumps(row, separators=(",", ":")) + "\n")
        self._stream.flush()

    def close(self, *, keep: bool) -> None:
        """End. The folder stays only if there is something left to resume."""
        self._stream.close()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
