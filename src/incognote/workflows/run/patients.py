"""Whose note it is, where no field of a table tells: by its folder, or by its name."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace

from incognote.document import Document
from incognote.formats.container import Record
from incognote.workflows.run.inputs import Input, RunError
from incognote.workflows.run.stream import Event, Opened


@dataclass(frozen=True)
class Patients:
    """`pattern` finds the patient in a file's path below the input, or in the id of a table's row:
    its first group, or all that it matches. `folder` makes each folder a patient.
    """

    pattern: str = ""
    folder: bool = False

    def __post_init__(self) -> None:
        if self.pattern and self.folder:
            raise RunError("choose one of --patient-pattern and --patient-folder")
        try:
            re.compile(self.pattern)
        except re.error as error:
            raise RunError(f"--patient-pattern is not a regular expression: {error}") from None

    def told(self, stream: Generator[Event]) -> Generator[Event]:
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
                    documents = tuple(
                        self._with_patient(document, file, pattern) for document in event.documents
                    )
                    event = replace(event, documents=documents)
                yield event

    def _with_patient(self, document: Document, file: Opened, pattern: re.Pattern[str]) -> Document:
        if self.folder:
            return replace(document, patient=_folder(file.input))
        name = document.id if file.format.table else file.input.relative.as_posix()
        match = pattern.search(name)
        if match is None:
            return document
        return replace(document, patient=match[1] if pattern.groups else match[0])


def _folder(input: Input) -> str | None:
    """The folder below the input; a file that lies in none tells nothing."""
    folder = input.relative.parent.as_posix()
    return None if folder == "." else folder
