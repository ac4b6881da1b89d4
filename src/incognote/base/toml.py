"""TOML files that people write: errors name the file, the line and the key.

    file = read_toml(path, RunError)
    for row in file.rows("lists"):
        words = row.texts("words")
        mode = row.word("mode", MODES, default="exact")
        row.done()  # refuses keys that nobody asked for

Python's own reader tells no lines, so a key's line is looked for when there is something to say of it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from incognote.base.errors import UserError, reason_of
from incognote.base.files import size_of_file

Word = TypeVar("Word", bound=str)
Step = str | int
"""A key, or the number of a table among those of one name."""

_AT_LINE = re.compile(
    r"^(?P<reason>.*?) \(at (?:line (?P<line>\d+), column \d+|end of document)\)$"
)
_MOST = 64 << 20
_REQUIRED: Any = object()


def read_toml(path: Path, error: type[UserError]) -> TomlTable:
    """The tables of a file; whatever is wrong with it is raised as `error`."""
    if size_of_file(path, error) > _MOST:
        raise error(
            f"{path}: is larger than {_MOST >> 20} MiB: keep long lists in files of their own"
        )
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as problem:
        raise error(f"{path}: {reason_of(problem)}") from None
    except UnicodeDecodeError as problem:
        number = problem.object[: problem.start].count(b"\n") + 1
        raise error(f"{path}:{number}: is not UTF-8") from None
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        match = _AT_LINE.match(str(problem))
        reason = match["reason"] if match else str(problem)
        line = match["line"] if match and match["line"] else str(text.count("\n") + 1)
        raise error(f"{path}:{line}: {reason[:1].lower()}{reason[1:]}") from None
    except ValueError:  # a number of thousands of digits, whose line Python does not tell
        raise error(f"{path}: a number in it is too large") from None
    except RecursionError:
        raise error(f"{path}: is too deep") from None
    return TomlTable(path, text, error, (), values)


@dataclass
class TomlTable:
    """A table of a file, whose values are asked for by key and kind."""

    path: Path
    text: str = field(repr=False)
    error: type[UserError]
    steps: tuple[Step, ...]
    values: Mapping[str, Any] = field(repr=False)
    asked: set[str] = field(default_factory=set, repr=False)

    def fail(self, key: str | None, reason: str) -> NoReturn:
        """Raise an error about a key, or about the table as a whole."""
        steps = self.steps if key is None else (*self.steps, key)
        line = line_of(self.text, steps)
        name = ".".join(step for step in steps if isinstance(step, str))
        raise self.error(f"{self.path}:{line}: {name + ': ' if name else ''}{reason}")

    def get(
        self, key: str, kind: type | tuple[type, ...], words: str, default: Any = _REQUIRED
    ) -> Any:
        """A value that must be of a kind, which `words` name: "a text", "a list"."""
        self.asked.add(key)
        if key not in self.values:
            if default is _REQUIRED:
                self.fail(None, f"has no {key}, which must be {words}")
            return default
        value = self.values[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.fail(key, f"must be {words}")
        return value

    def string(self, key: str, default: Any = _REQUIRED) -> Any:
        """A text."""
        return self.get(key, str, "a text", default)

    def boolean(self, key: str, default: Any = _REQUIRED) -> Any:
        """True or false."""
        return self.get(key, bool, "true or false", default)

    def integer(self, key: str, default: Any = _REQUIRED) -> Any:
        """A whole number."""
        return self.get(key, int, "a whole number", default)

    def number(self, key: str, default: Any = _REQUIRED) -> Any:
        """A number."""
        value = self.get(key, (int, float), "a number", default)
        return float(value) if isinstance(value, int) else value

    def strings(self, key: str, default: Any = _REQUIRED) -> Any:
        """A list of texts, or a single one."""
        value = self.get(key, (str, list), "a text or a list of texts", default)
        if isinstance(value, str):
            return (value,)
        if value is default:
            return default
        if not all(isinstance(each, str) for each in value):
            self.fail(key, "must be a text or a list of texts")
        return tuple(value)

    def word(self, key: str, words: Iterable[Word], default: Any = _REQUIRED) -> Any:
        """One of some words."""
        choices = list(words)
        value = self.string(key, default)
        if value is not default and value not in choices:
            self.fail(
                key, f"'{value}' is none of {', '.join(choices)}{did_you_mean(value, choices)}"
            )
        return value

    def file(self, key: str, default: Any = _REQUIRED) -> Any:
        """The path of another file, beside this one unless it says from where."""
        value = self.string(key, default)
        return value if value is default else self.path.parent / Path(value).expanduser()

    def table(self, key: str) -> TomlTable | None:
        """A table within, if there is one."""
        values = self.get(key, dict, "a table", None)
        return None if values is None else self._within((key,), values)

    def rows(self, key: str) -> Iterator[TomlTable]:
        """The tables that are written `[[key]]`, in order."""
        values = self.get(key, list, f"written as [[{key}]]", [])
        for number, value in enumerate(values):
            if not isinstance(value, dict):
                self.fail(key, f"must be written as [[{key}]]")
            yield self._within((key, number), value)

    def tables(self) -> Iterator[tuple[str, TomlTable]]:
        """All tables within by their names, where names are the user's; other values are refused."""
        for key, value in self.values.items():
            self.asked.add(key)
            if not isinstance(value, dict):
                self.fail(key, "must be a table")
            yield key, self._within((key,), value)

    def done(self) -> None:
        """Refuse keys that nobody asked for."""
        for key in self.values:
            if key not in self.asked:
                known: Sequence[str] = sorted(self.asked)
                self.fail(
                    key, f"no such key{did_you_mean(key, known)}; there are {', '.join(known)}"
                )

    def _within(self, steps: tuple[Step, ...], values: Mapping[str, Any]) -> TomlTable:
        return TomlTable(self.path, self.text, self.error, (*self.steps, *steps), values)


def toml_text(text: str) -> str:
    """A text as TOML spells it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def did_you_mean(word: str, words: Sequence[str]) -> str:
    """The nearest of some words as a question, or nothing."""
    near = get_close_matches(word, words, 1)
    return f" (did you mean {near[0]}?)" if near else ""


_HEADER = re.compile(r"\s*\[(\[)?\s*(?P<name>[^\]]+?)\s*\]")
_KEY = re.compile(
    r"""\s*(?P<key>(?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def line_of(text: str, steps: Sequence[Step]) -> int:
    """The line of a key or a table; where it stands within another value, that value's."""
    best, depth = 1, 0
    header: tuple[Step, ...] = ()
    counts: dict[tuple[Step, ...], int] = {}
    quotes: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if quotes is not None:  # within a text of several lines
            if line.count(quotes) % 2:
                quotes = None
            continue
        if match := _HEADER.match(line):
            name = _parts(match["name"])
            if match[1]:
                counts[name] = counts.get(name, -1) + 1
            header = tuple(_numbered(name, counts))
            path = header
        elif match := _KEY.match(line):
            path = (*header, *_parts(match["key"]))
        else:
            continue
        if len(path) > depth and tuple(steps[: len(path)]) == path:
            best, depth = number, len(path)
        quotes = next((q for q in ('"""', "'''") if line.count(q) % 2), None)
    return best


def _parts(name: str) -> tuple[Step, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(name))


def _numbered(name: Sequence[Step], counts: Mapping[tuple[Step, ...], int]) -> Iterator[Step]:
    """The steps to a table: after a name that is written in double brackets, its number."""
    for size, part in enumerate(name, start=1):
        yield part
        if tuple(name[:size]) in counts:
            yield counts[tuple(name[:size])]
