"""Whose note it is, where no field of a table tells: by its folder, or by its name."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import PurePath

from incognote.base.errors import RunError, kind_of_error
from incognote.document import Document
from incognote.formats.container import BadRecord, FormatError, Record
from incognote.runs.stream import Event, Opened


@dataclass(frozen=True)
class Patients:
    """`pattern` finds the patient in a file's path below the input, or in the id of a table's row:
    its first group, or all that it matches. `folder` makes each folder a patient: the whole way to
    it or, with a `level`, the name of the folder so many levels below the input.
    """

    pattern: str = ""
    folder: bool = False
    level: int | None = None

    def __post_init__(self) -> None:
        if self.pattern and self.folder:
            raise RunError("choose one of --patient-pattern and --patient-folder")
        if self.level is not None and not self.folder:
            raise RunError("--patient-level is for --patient-folder")
        try:
            re.compile(self.pattern)
        except re.error as error:
            raise RunError(f"--patient-pattern is not a regular expression: {error}") from None

    def assign(self, stream: Generator[Event]) -> Generator[Event]:
        """The stream with every note's patient, as far as it can be told."""
        if not (self.pattern or self.folder):
            yield from stream
            return
        pattern = re.compile(self.pattern)
        file: Opened | None = None
        with closing(stream):
            for event in stream:
                if isinstance(event, Opened):
                    file = event
                if isinstance(event, Record) and file is not None:
                    event = self._with_patients(event, file, pattern)
                yield event

    def _with_patients(
        self, record: Record, file: Opened, pattern: re.Pattern[str]
    ) -> Record | BadRecord:
        try:
            documents = [self._with_patient(note, file, pattern) for note in record.documents]
            return replace(record, documents=tuple(documents))
        except Exception as error:
            reason = f"its patient could not be told ({kind_of_error(error)})"
            return BadRecord(FormatError(reason, record.place))

    def _with_patient(self, document: Document, file: Opened, pattern: re.Pattern[str]) -> Document:
        if self.folder:
            return replace(document, patient=folder_of(file.input.relative, self.level))
        name = document.id if file.format.table else file.input.relative.as_posix()
        match = pattern.search(name)
        if match is None:
            return document
        return replace(document, patient=match[1] if pattern.groups else match[0])


def folder_of(path: PurePath, level: int | None = None) -> str | None:
    """The folders of a path, or the one at a level; a file that lies in none tells nothing."""
    folders = path.parent.parts
    if level is None:
        return "/".join(folders) or None
    return folders[level - 1] if level <= len(folders) else None


def levels_of(paths: Iterable[PurePath]) -> list[int]:
    """How many patients there would be if each level of folders named them, from the first."""
    names: list[set[str]] = []
    for path in paths:
        for level, name in enumerate(path.parent.parts):
            if level == len(names):
                names.append(set())
            names[level].add(name)
    return list(map(len, names))
