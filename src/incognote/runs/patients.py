"""Whose note it is, where no field of a table tells: by its folder, or by its name."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath
from typing import Annotated

from incognote.base.errors import RunError, kind_of_error
from incognote.base.options import Option, at_least
from incognote.document import Document
from incognote.formats.container import BadRecord, Record
from incognote.formats.format_error import FormatError
from incognote.runs.stream import Event, Opened

_surrogates = partial(Option, panel="Surrogates")


@dataclass(frozen=True)
class Patients:
    """Where the patient of a note stands: in its path, or for the row of a table in its id."""

    pattern: Annotated[
        str,
        _surrogates(
            "Regular expression that finds the patient in a file's path (in a table: in the id): "
            "its first group, or else the whole match. Example: '(\\d+)-\\d+' for 1042-03.txt",
            flags=("--patient-pattern",),
            metavar="REGEX",
            varies=True,
        ),
    ] = ""
    folder: Annotated[
        bool,
        _surrogates(
            "Each folder is a patient, by its whole path below the input.",
            flags=("--patient-folder",),
        ),
    ] = False
    level: Annotated[
        int | None,
        _surrogates(
            "With --patient-folder: the folder so many levels below the input names the patient. "
            "p1/2019/a.txt is of p1 with 1; without it, of p1/2019.",
            at_least(1),
            flags=("--patient-level",),
            metavar="N",
        ),
    ] = None

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
