"""The rows of a file of examples, each with the place that a message names; and what is wrong with one.

Tables are UTF-8. In TSV a quote is a character like any other, as in the published files; in CSV it
encloses a field, which may go over lines. Files may be compressed by gzip, xz or zstd.
"""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import IO, Any, NoReturn

from incognote.base.compressed import ENDINGS, opened
from incognote.base.errors import UserError, reason_of
from incognote.base.files import JsonError, parse_json, size_of_file
from incognote.workshop.tasks.task import Example, Task

LONGEST_FIELD = 2**25
"""Characters of one field of a table."""

_MARK = "\ufeff"


class DataError(UserError, ValueError):
    """A file of examples that is not what it should be."""


@dataclass(frozen=True)
class TaskPart:
    """The examples of a file or a folder.

    notices: what was left out or mended, in words, and how often.
    """

    examples: list[Example]
    notices: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Place:
    """Where in a file something stands: `train.tsv, line 3`, `train.json, question 56be`."""

    path: Path
    words: str

    @classmethod
    def line(cls, path: Path, number: int) -> Place:
        """A line, counted from 1."""
        return cls(path, f"line {number:,}")

    def refuse(self, reason: str) -> NoReturn:
        """Say what is wrong there."""
        raise DataError(f"{self.path}, {self.words}: {reason}")


def suffix(path: Path) -> str:
    """What the name says of the content: `.tsv` of `dev.TSV.gz`."""
    name = PurePath(path.name.lower())
    return name.with_suffix("").suffix if name.suffix in ENDINGS else name.suffix


@contextmanager
def content(path: Path) -> Iterator[IO[bytes]]:
    """What a file holds, decompressed."""
    size_of_file(path, DataError)
    try:
        with opened(path) as (stream, _):
            yield stream
    except OSError as error:
        raise DataError(f"{path}: {reason_of(error)}") from None


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Each line that is not empty, without its end, and its number from 1."""
    with content(path) as stream:
        for number, line in enumerate(stream, 1):
            try:
                text = line.decode("utf-8").rstrip("\n").removesuffix("\r")
            except UnicodeDecodeError:
                Place.line(path, number).refuse("not UTF-8")
            if number == 1:
                text = text.removeprefix(_MARK)
            if text:
                yield number, text


def first_line(path: Path) -> str:
    """The first line that is not empty; a file without any is refused."""
    for _, text in lines(path):
        return text
    raise DataError(f"{path}: has no examples")


@dataclass(frozen=True)
class Row:
    """A row of a table by the names of its columns, or an object of JSON."""

    place: Place
    values: Mapping[str, Any]

    def text(self, name: str) -> str:
        """A value that must be there and be text; of JSON also a number or a truth value."""
        if name not in self.values:
            self.place.refuse(f"no {name!r}; there are {', '.join(map(repr, self.values))}")
        value = self.values[name]
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int | float):
            return str(value)
        if not isinstance(value, str):
            self.place.refuse(f"{name!r} must be text")
        return value

    def filled(self, name: str) -> str:
        """Text with more than white space in it."""
        text = self.text(name)
        if not text.strip():
            self.place.refuse(f"{name!r} is empty")
        return text

    def optional(self, name: str | None) -> str | None:
        """Text, or None if there is nothing."""
        if name is None or self.values.get(name) is None:
            return None
        return self.text(name)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts of JSON."""
        value = self.values.get(name)
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self.place.refuse(f"{name!r} must be a list of texts")
        return tuple(value)


def tsv_rows(
    path: Path, header: Sequence[str] | None = None, *, needed: Sequence[str] = ()
) -> Iterator[Row | Place]:
    """The rows of a TSV file; without a header its columns are `header`.

    A row with another number of fields is given as its place only.
    """
    names = list(header) if header is not None else None
    for number, line in lines(path):
        fields = line.split("\t")
        place = Place.line(path, number)
        if names is None:
            names = fields
            _check_header(place, names, needed)
        elif len(fields) != len(names):
            yield place
        else:
            yield Row(place, dict(zip(names, fields, strict=True)))


def csv_rows(path: Path, *, needed: Sequence[str] = ()) -> Iterator[Row | Place]:
    """The rows of a CSV file, which begins with its header."""
    csv.field_size_limit(LONGEST_FIELD)
    with content(path) as stream:
        reader = csv.reader(_decoded(path, stream), strict=True)
        names: list[str] | None = None
        before = 0
        try:
            for fields in reader:
                place = Place.line(path, before + 1)
                before = reader.line_num
                if names is None:
                    names = fields
                    _check_header(place, names, needed)
                elif fields and len(fields) != len(names):
                    yield place
                elif fields:
                    yield Row(place, dict(zip(names, fields, strict=True)))
        except csv.Error as error:
            Place.line(path, before + 1).refuse(f"not read as CSV ({error})")


def _decoded(path: Path, stream: IO[bytes]) -> Iterator[str]:
    for number, line in enumerate(stream, 1):
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            Place.line(path, number).refuse("not UTF-8")
        yield text.removeprefix(_MARK) if number == 1 else text


def _check_header(place: Place, names: Sequence[str], needed: Sequence[str]) -> None:
    for name in needed:
        if name not in names:
            place.refuse(f"no column {name!r}; there are {', '.join(map(repr, names))}")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        place.refuse(f"two columns are named {twice!r}")


def jsonl_rows(path: Path) -> Iterator[Row]:
    """The objects of a file that has one in each line."""
    for number, line in lines(path):
        place = Place.line(path, number)
        if not line.strip():
            continue
        try:
            value = parse_json(line)
        except JsonError:
            place.refuse("not readable as JSON")
        if not isinstance(value, dict):
            place.refuse("must be an object of JSON")
        yield Row(place, value)


def whole_json(path: Path) -> Any:
    """The value of a JSON file."""
    with content(path) as stream:
        data = stream.read()
    try:
        return json.loads(data.decode("utf-8").removeprefix(_MARK))
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 (byte {error.start:,})") from None
    except json.JSONDecodeError as error:
        Place.line(path, error.lineno).refuse(f"not readable as JSON ({error.msg.lower()})")
    except (RecursionError, ValueError):
        raise DataError(f"{path}: nested too deeply, or with a number without end") from None


def checked_label(task: Task, place: Place, label: str) -> str | float:
    """A label as the task has it: one of its own, if it names any, or a number."""
    if task.regression:
        try:
            value = float(label)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            place.refuse(f"{label!r} is no number")
        return value
    if task.labels and label not in task.labels:
        place.refuse(f"the label {label!r} is none of {', '.join(task.labels)}")
    return label
