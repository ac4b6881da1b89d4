"""Options, each declared once: on the field of the dataclass that holds its value.

    @dataclass(frozen=True, kw_only=True)
    class Learning:
        epochs: Annotated[int, Option("Passes over the notes.", at_least(1))] = 4

        def __post_init__(self) -> None:
            check(self, TrainError)

`check` refuses what lies outside the bounds, whoever makes the object. `cli/from_dataclass.py` makes
the options of a command from the same fields, and `workshop/compare/grid.py` the keys of a grid.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, MISSING, dataclass, fields
from functools import cache
from inspect import get_annotations
from types import NoneType
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin

T = TypeVar("T")


@dataclass(frozen=True)
class Bound:
    """Which values a field takes; `words` complete the sentence "it must be …".

    `least` and `most` are for the command line, which shows them, where they are allowed themselves.
    """

    words: str
    holds: Callable[[Any], bool]
    least: float | None = None
    most: float | None = None


def at_least(least: float, words: str | None = None) -> Bound:
    """This much or more."""
    return Bound(words or f"{least} or more", lambda value: value >= least, least)


def between(least: float, most: float) -> Bound:
    """From one to the other, both allowed."""
    return Bound(f"from {least} to {most}", lambda value: least <= value <= most, least, most)


ABOVE_0 = Bound("above 0", lambda value: 0 < value < math.inf)
BELOW_1 = Bound("from 0 up to but not 1", lambda value: 0 <= value < 1)
SEED = Bound("from 0 up to but not 2**63", lambda seed: 0 <= seed < 2**63)


@dataclass(frozen=True)
class PathText:
    """Marks an option of text that names a file or a folder; the type Path says so by itself.

    or_name: or something else by its name, unless it has a slash or there is such a file.
    labelled: it may be NAME=PATH.
    several: paths or names, separated by commas.
    """

    or_name: bool = False
    labelled: bool = False
    several: bool = False


@dataclass(frozen=True)
class Option:
    """What a user reads of a field, and how the command line fills it.

    flags: its names there, such as ("--workers", "-j") or ("--crf/--no-crf",); the field's by default.
    parse: makes the value of a text, or of a list of texts if the option may be `repeated`; it raises
        ValueError with what to write instead.
    path: it names a file or a folder, though its type is not Path.
    varies: the default depends on other choices, so that without the option the field is left out.
    zero_is_none: the command line takes a 0, which the bound does not allow, for None.
    """

    help: str
    bound: Bound | None = None
    _: KW_ONLY
    panel: str | None = None
    metavar: str | None = None
    flags: tuple[str, ...] = ()
    parse: Callable[[Any], Any] | None = None
    repeated: bool = False
    path: PathText | None = None
    varies: bool = False
    zero_is_none: bool = False


@dataclass(frozen=True)
class OptionField:
    """A field with an option or a bound, its type without the annotation, and its default.

    The default is `MISSING` if the field has none.
    """

    name: str
    type: Any
    default: Any
    option: Option | None
    bound: Bound | None

    @property
    def types(self) -> tuple[Any, ...]:
        """The alternatives of its type, without None."""
        kinds = get_args(self.type) if get_origin(self.type) is not Literal else ()
        union = NoneType in kinds or any(get_origin(kind) is Literal for kind in kinds)
        return tuple(kind for kind in kinds if kind is not NoneType) if union else (self.type,)

    @property
    def words(self) -> tuple[Any, ...]:
        """The words that it takes, if its type names them."""
        literals = (kind for kind in self.types if get_origin(kind) is Literal)
        return tuple(word for literal in literals for word in get_args(literal))

    def problem(self, value: Any) -> str | None:
        """What the value must be, if it is not; None may stand wherever the type has it."""
        if value in self.words or (value is None and NoneType in get_args(self.type)):
            return None
        if self.words and len(self.types) == 1:
            return f"one of {', '.join(self.words)}"
        if self.bound is not None and (value is None or not self.bound.holds(value)):
            return self.bound.words
        return None


@cache
def option_fields(kind: type[Any]) -> Mapping[str, OptionField]:
    """The fields of a dataclass that have an option or a bound, in order."""
    hints = _hints(kind)
    found = {}
    for each in fields(kind):
        type_, *notes = get_args(hints.get(each.name)) or (None,)
        option = next((note for note in notes if isinstance(note, Option)), None)
        bound = next((note for note in notes if isinstance(note, Bound)), None)
        if option is None and bound is None:
            continue
        default = each.default if each.default_factory is MISSING else each.default_factory()
        bound = option.bound if option is not None else bound
        found[each.name] = OptionField(each.name, type_, default, option, bound)
    return found


def _hints(kind: type[Any]) -> dict[str, Any]:
    """The annotations with an option or a bound; others may name types that are not imported."""
    return {
        name: eval(hint, vars(sys.modules[owner.__module__])) if isinstance(hint, str) else hint
        for owner in reversed(kind.__mro__)
        for name, hint in get_annotations(owner).items()
        if str(hint).removeprefix("typing.").startswith("Annotated[")
    }


def check(instance: Any, error: type[Exception]) -> None:
    """Refuse an instance with a value that its type's words or its bound do not allow."""
    kind: Any = type(instance)
    for name, field in option_fields(kind).items():
        value = getattr(instance, name)
        if must_be := field.problem(value):
            raise error(f"{name} must be {must_be}, not {value!r}")


@dataclass(frozen=True)
class Choices(Generic[T]):
    """Those fields of a dataclass that a user chose; the rest is for the program to fill in."""

    kind: type[T]
    values: Mapping[str, Any]

    def fill(self, **others: Any) -> T:
        """The dataclass, with `others` where the user chose nothing."""
        return self.kind(**{**others, **self.values})


def named_values(pairs: list[str]) -> dict[str, Any]:
    """NAME=VALUE pairs, the values as numbers, truth values or lists where they look so.

    >>> named_values(["layers=4", "sharing=ffn", "memory=true", "filters=[[1,32],[2,64]]"])
    {'layers': 4, 'sharing': 'ffn', 'memory': True, 'filters': [[1, 32], [2, 64]]}
    """
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name or not text:
            raise ValueError(f"{pair}: write NAME=VALUE, such as layers=4")
        values[name] = _value(text)
    return values


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    if text.startswith("["):
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            raise ValueError(f"{text}: write a list as [1,2]") from None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
