"""Reading a site file: all of it is checked before any note is read.

Errors name the file, the line and the key, and never quote an entry of a list.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import get_args

from incognote.base.errors import UserError, reason_of
from incognote.base.files import size_of_file
from incognote.base.toml import Step, TomlTable, line_of, read_toml
from incognote.detect.site.lists import Mode, WordList, read_entries
from incognote.detect.site.never import NeverEntry
from incognote.detect.site.patterns import (
    FARTHEST,
    LinearPattern,
    PatternError,
    SitePattern,
)
from incognote.detect.site.site import OwnType, Site, SiteError
from incognote.knowledge.check_digits import CHECKS
from incognote.phi import CATEGORIES, OWN_TYPE, TYPES, KnownTypes

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TAKEN = frozenset({*CATEGORIES, "PHI"})
"""Names of types that mean something else."""
_MODES: tuple[Mode, ...] = get_args(Mode)
_NEVER_MODES: tuple[Mode, ...] = ("any-case", "exact")
_MOST_WORDS = 1_000
_KEPT = 8


_sites: dict[tuple[Path, str], Site] = {}
_lock = Lock()


def load_site(path: Path, digest: str | None = None) -> Site:
    """The site of a file; with a digest the one that has it, read once in each process.

    A file that has changed since it had the digest is refused.
    """
    key = path.absolute(), digest or ""
    with _lock:
        if key in _sites:
            return _sites[key]
        site = read_site(path)
        if digest is not None and site.digest != digest:
            raise SiteError(
                f"{path}: it, or a file that it names, has changed since the work began: start again"
            )
        if len(_sites) >= _KEPT:
            _sites.pop(next(iter(_sites)))
        _sites[path.absolute(), site.digest] = site
    return site


def read_site(path: Path) -> Site:
    """Read and check a site file and the lists that it names."""
    file = read_toml(path, SiteError)
    reader = _Reader(path)
    reader.add(path)
    title = file.string("title", None)
    own_types = tuple(_own_types(file))
    reader.types = KnownTypes({each.name: each.category for each in own_types})
    lists = tuple(reader.list(row) for row in file.rows("lists"))
    patterns = tuple(reader.pattern(row) for row in file.rows("patterns"))
    never = tuple(reader.never(row) for row in file.rows("never"))
    file.done()
    return Site(path, reader.digest(), title, own_types, lists, patterns, never)


def _own_types(file: TomlTable) -> Iterator[OwnType]:
    types = file.table("types")
    for name, row in types.tables() if types is not None else ():
        if name in TYPES:
            row.fail(None, "is one of incognote's own types, which need no entry here")
        if name in _TAKEN:
            row.fail(None, "is the name of a category: give the type another")
        if OWN_TYPE.fullmatch(name) is None:
            row.fail(
                None,
                "a type's name has 2 to 31 capitals, digits and hyphens, and begins with a capital",
            )
        category = row.word("category", CATEGORIES)
        operator = row.string("operator", None)
        line = line_of(row.text, (*row.steps, "operator"))
        yield OwnType(name, category, operator, f"{row.path}:{line}: types.{name}.operator")
        row.done()


@dataclass
class _Reader:
    """Reads rows, and remembers their names and the files they have named."""

    path: Path
    types: KnownTypes = field(default_factory=KnownTypes)
    names: dict[str, tuple[Step, ...]] = field(default_factory=dict)
    """From each name to its row."""
    mixed: list[bytes] = field(default_factory=list)

    def add(self, path: Path) -> None:
        """A file becomes part of the digest."""
        try:
            with path.open("rb") as stream:
                self.mixed.append(hashlib.file_digest(stream, "sha256").digest())
        except OSError as error:
            raise SiteError(f"{path}: {reason_of(error)}") from None

    def digest(self) -> str:
        """Of all files that were read, in their order."""
        return hashlib.sha256(b"".join(self.mixed)).hexdigest()[:16]

    def list(self, row: TomlTable) -> WordList:
        name = self._name(row)
        type = self._type(row)
        entries = self._entries(row)
        if not entries:
            row.fail(None, "has no entries: give words, a file or both")
        mode = row.word("mode", _MODES, "any-case")
        score = _score(row, 0.95)
        row.done()
        return WordList(name, type, mode, entries, score)

    def pattern(self, row: TomlTable) -> SitePattern:
        name = self._name(row)
        type = self._type(row)
        ignore_case = row.boolean("ignore-case", False)
        group = row.get("group", (int, str), "the number or the name of a group", 0)
        pattern = _linear_pattern(row, LinearPattern(row.string("pattern"), ignore_case, group))
        before, after = _context(row, "before"), _context(row, "after")
        reach = row.integer("reach", 40)
        if not 1 <= reach <= FARTHEST:
            row.fail("reach", f"must be from 1 to {FARTHEST:,} characters")
        check = row.word("check", CHECKS, None)
        score = _score(row, 0.9)
        row.done()
        return SitePattern(name, type, pattern, before, after, reach, check, score)

    def never(self, row: TomlTable) -> NeverEntry:
        name = self._name(row)
        entries = self._entries(row)
        mode = row.word("mode", _NEVER_MODES, "any-case")
        words = WordList(name, "", mode, entries, 1.0) if entries else None
        text = row.string("pattern", "")
        if words is None and not text:
            row.fail(None, "has neither words, a file nor a pattern: give one of them")
        pattern = _linear_pattern(row, LinearPattern(text)) if text else None
        types = row.strings("types", ())
        for type in types:
            if self.types.category_of(type) is None:
                row.fail("types", _no_type(type, self.types))
        row.done()
        return NeverEntry(name, words, pattern, frozenset(types))

    def _name(self, row: TomlTable) -> str:
        name = str(row.string("name"))
        if _NAME.fullmatch(name) is None:
            row.fail("name", "must be 1 to 64 letters, digits, - and _")
        if name in self.names:
            line = line_of(row.text, (*self.names[name], "name"))
            row.fail("name", f"'{name}' is the name of another row (line {line}): choose another")
        self.names[name] = row.steps
        return name

    def _type(self, row: TomlTable) -> str:
        type = str(row.string("type"))
        if self.types.category_of(type) is None:
            row.fail("type", _no_type(type, self.types))
        return type

    def _entries(self, row: TomlTable) -> Sequence[str]:
        """The words of a row and those of its file."""
        words = tuple(row.strings("words", ()))
        for number, word in enumerate(words, start=1):
            if sum(map(str.isalnum, word)) < 2:
                row.fail(
                    "words", f"word {number:,} has fewer than two letters or digits: leave it out"
                )
        path, column = row.file("file", None), row.string("column", None)
        if path is None:
            if column is not None:
                row.fail("column", "is of a file, and no file is named")
            return words
        try:
            size_of_file(path, SiteError)
            self.add(path)
            entries = read_entries(path, column)
        except UserError as error:
            row.fail("file" if column is None else "column", str(error))
        return (*words, *entries) if words else entries


def _no_type(type: str, types: KnownTypes) -> str:
    if type in CATEGORIES:
        return f"'{type}' is a category: choose one of its types, {', '.join(types.named(type))}"
    return f"'{type}' is not a type: choose from {', '.join(types.names)}, or describe it in [types.{type}]"


def _score(row: TomlTable, default: float) -> float:
    score = float(row.number("score", default))
    if not 0 < score <= 1:
        row.fail("score", "must be above 0, and 1 at most")
    return score


def _context(row: TomlTable, key: str) -> tuple[str, ...]:
    words = tuple(row.strings(key, ()))
    if len(words) > _MOST_WORDS:
        row.fail(key, f"has more than {_MOST_WORDS:,} words")
    if not all(any(map(str.isalnum, word)) for word in words):
        row.fail(key, "has a word without letters and digits: leave it out")
    return words


def _linear_pattern(row: TomlTable, pattern: LinearPattern) -> LinearPattern:
    try:
        pattern.check_syntax()
    except PatternError as error:
        row.fail("pattern", str(error))
    except ImportError:
        row.fail("pattern", "patterns need google-re2: pip install google-re2")
    try:
        pattern.check_group()
    except PatternError as error:
        row.fail("group", str(error))
    return pattern
