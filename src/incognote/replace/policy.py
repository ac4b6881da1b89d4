"""Release policies: what must go from a release and how, in one place, as data.

Those that come with incognote are in `policies/*.toml`; one of your own is such a file too, or begins
with `extends = "safe-harbor"` and says what is otherwise.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from incognote.base.errors import UserError
from incognote.base.registry import Plugin, Registry, UnknownNameError
from incognote.base.toml import TomlTable, did_you_mean, read_toml
from incognote.phi import CATEGORIES, OURS, OWN_TYPE, TYPES, KnownTypes
from incognote.replace.rewrite import OperatorError, Treatment, check_operator
from incognote.replace.zip_areas import ZipAreas, ZipAreasError, read_zip_areas, shipped_zip_areas

SHIPPED = Path(__file__).parent / "policies"
POLICIES: tuple[str, ...] = (
    "i2b2", "safe-harbor", "limited-data-set", "expert", "gdpr", "phipa",
)  # fmt: skip
"""The policies that come with incognote, in the order of their list."""

POLICY_PLUGINS = Registry("incognote.policies", "policy", POLICIES)
"""Policies of a user's own, each the path of a file or a `Policy` (docs/extending.md)."""

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,60}")
_PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "year": ("as-of",),
    "month": ("as-of",),
    "generalise": ("as-of", "width"),
}
_WIDEST = 45
_YEARS = range(1900, 2301)


class PolicyError(UserError, ValueError):
    """A policy that is not there, or whose file is not right."""


@dataclass(frozen=True)
class Item:
    """A line of a statute's list, and the types that stand for it; none where no software decides."""

    item: str
    citation: str
    words: str
    types: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Policy:
    """An operator for every type, by which rule of law, and what the policy can and cannot claim.

    `own` are treatments of types that a site defines, by name; `by_category` those of its others.
    """

    name: str
    title: str
    summary: str
    law: str
    treatments: Mapping[str, Treatment]
    own: Mapping[str, Treatment] = field(default_factory=dict)
    by_category: Mapping[str, Treatment] = field(default_factory=dict)
    items: tuple[Item, ...] = ()
    can: tuple[str, ...] = ()
    cannot: tuple[str, ...] = ()
    zip_areas: ZipAreas = field(default_factory=shipped_zip_areas)
    extends: str | None = None

    def treatments_of(self, types: KnownTypes = OURS) -> dict[str, Treatment]:
        """What each type of a run becomes; a type of the policy that the run does not know is refused."""
        for name in self.own:
            if name not in types.own:
                raise PolicyError(
                    f"the policy {self.name} names {name}, which is no type: choose from "
                    f"{', '.join(types.names)}, or define it under [types.{name}] in a site file"
                )
        tag = Treatment("tag")
        by_name = {
            type: self.own.get(type) or self.by_category.get(category, tag)
            for type, category in types.own.items()
        }
        return dict(self.treatments) | by_name

    def uses(self, operator: str) -> bool:
        """Whether any type is replaced by an operator of this name."""
        every = (*self.treatments.values(), *self.own.values(), *self.by_category.values())
        return any(each.operator == operator for each in every)

    @property
    def digest(self) -> str:
        """Changes when anything changes that decides the output."""
        content = {
            "types": _plain(self.treatments),
            "own": _plain(self.own),
            "categories": _plain(self.by_category),
            "zip": self.zip_areas.digest,
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    def describe(self) -> dict[str, str | None]:
        """For the journal and the audit."""
        return {
            "name": self.name,
            "extends": self.extends,
            "digest": self.digest,
            "zip_areas": self.zip_areas.digest,
            "zip_census": self.zip_areas.census,
        }

    def items_of(self, type: str) -> Iterator[Item]:
        """The lines of the statute for which a type stands."""
        return (item for item in self.items if type in item.types)


def _plain(treatments: Mapping[str, Treatment]) -> dict[str, list[object]]:
    return {type: list(vars(each).values()) for type, each in treatments.items()}


def described(type: str, treatment: Treatment) -> str:
    """What a type, or a category, becomes: `tag`, `generalise (bands of 5 years)`."""
    if treatment.operator != "generalise":
        return treatment.operator
    width = treatment.width
    ages = "under 90 as written" if width == 1 else f"bands of {width} years"
    what = {"AGE": f"{ages}, then 90+", "ZIP": "three digits, or 000", "DATE": "the year"}
    return f"generalise ({what.get(type, 'a tag')})"


def read_policy(name: str | Path) -> Policy:
    """A policy by its name, or from a file.

    >>> read_policy("safe-harbor").treatments["DATE"].operator
    'year'
    """
    return _read(name, ())


def _own_policy(plugin: Plugin) -> Policy | Path:
    thing = plugin.load()
    if isinstance(thing, Policy):
        return thing
    if isinstance(thing, str | Path):
        return Path(thing)
    raise PolicyError(
        f"the policy {plugin.name} of {plugin.origin} is neither the path of a file nor a Policy"
    )


def _read(name: str | Path, within: tuple[Path, ...], beside: Path | None = None) -> Policy:
    path = _policy_or_path(name, beside)
    if isinstance(path, Policy):
        return path
    if path.resolve() in within:
        raise PolicyError(f"{path}: extends itself")
    file = read_toml(path, PolicyError)
    extends = file.string("extends", None)
    parent = None
    if extends is not None:
        parent = _read(extends, (*within, path.resolve()), path.parent)
    policy = _policy(file, parent)
    file.done()
    return policy


def _policy_or_path(name: str | Path, beside: Path | None) -> Policy | Path:
    if isinstance(name, str) and name in POLICIES:
        return SHIPPED / f"{name}.toml"
    path = Path(name).expanduser()
    if beside is not None:
        path = beside / path
    if path.is_file():
        return path
    if isinstance(name, str):
        with suppress(UnknownNameError):
            return _own_policy(POLICY_PLUGINS.find(name))
    if path.suffix == ".toml" or len(Path(name).parts) > 1:
        return path
    names = POLICY_PLUGINS.names()
    raise PolicyError(
        f"'{name}' is not a policy{did_you_mean(str(name), names)}: choose {', '.join(names)}, or give a file such as "
        "release.toml"
    )


def _policy(file: TomlTable, parent: Policy | None) -> Policy:
    name = _name(file)
    types = file.table("types")
    by_type = {} if types is None else dict(_treatments(types))
    ours = {} if parent is None else dict(parent.treatments)
    ours |= {type: each for type, each in by_type.items() if type in TYPES}
    missing = [type for type in TYPES if type not in ours]
    if missing:
        file.fail(
            "types" if types else None,
            f"says nothing of {', '.join(missing)}: a policy has an operator for every type "
            '(extends = "i2b2" begins with tags for all)',
        )
    categories = file.table("own")
    policy = Policy(
        name,
        file.string("title", name if parent is None else f"{name}, from {parent.name}"),
        file.string("summary", ""),
        file.string("law", "" if parent is None else parent.law),
        ours,
        by_category={} if categories is None else dict(_categories(categories)),
        own={type: each for type, each in by_type.items() if type not in TYPES},
        items=tuple(_items(file)),
        can=file.strings("can", ()),
        cannot=file.strings("cannot", ()),
        zip_areas=_zip_areas(file, parent),
    )
    if parent is None:
        return policy
    return replace(
        policy,
        own=dict(parent.own) | dict(policy.own),
        by_category=dict(parent.by_category) | dict(policy.by_category),
        items=parent.items + policy.items,
        cannot=parent.cannot + policy.cannot,
        extends=parent.name,
    )


def _name(file: TomlTable) -> str:
    name: str = file.string("name")
    if not _NAME.fullmatch(name):
        file.fail("name", "must be small letters, digits and -, at most 61")
    if name in POLICIES and file.path.parent != SHIPPED:
        file.fail("name", f"'{name}' is a policy that comes with incognote: choose another")
    return name


def _treatments(table: TomlTable) -> Iterator[tuple[str, Treatment]]:
    """What is said of types, and of whole categories; a type's own word counts more."""
    for name in sorted(table.values, key=lambda name: name not in CATEGORIES):
        treatment = _treatment(table, name)
        named = OURS.named(name)
        if not named and not OWN_TYPE.fullmatch(name):
            table.fail(name, "is no type: types are written in capitals")
        yield from ((type, treatment) for type in named or (name,))


def _categories(table: TomlTable) -> Iterator[tuple[str, Treatment]]:
    for name in table.values:
        treatment = _treatment(table, name)
        if name not in CATEGORIES:
            table.fail(name, f"is no category: choose from {', '.join(CATEGORIES)}")
        yield name, treatment


def _treatment(table: TomlTable, key: str) -> Treatment:
    """`DATE = "year"`, or `AGE = { operator = "generalise", width = 10 }`."""
    value: Any = table.get(key, (str, dict), 'an operator, or { operator = "…" }')
    if isinstance(value, str):
        return Treatment(_operator(table, key, value))
    operator = value.get("operator")
    if not isinstance(operator, str):
        table.fail(key, "has no operator")
    _operator(table, key, operator)
    takes = _PARAMETERS.get(operator, ())
    for parameter in value.keys() - {"operator"}:
        if parameter not in takes:
            known = f"; it takes {', '.join(takes)}" if takes else ""
            table.fail(key, f"'{operator}' takes no {parameter}{known}")
    width, as_of = value.get("width", Treatment.width), value.get("as-of", Treatment.as_of)
    if type(width) is not int or not 1 <= width <= _WIDEST:
        table.fail(key, f"width must be a whole number from 1 to {_WIDEST}")
    if type(as_of) is not int or as_of not in _YEARS:
        table.fail(key, "as-of must be a year")
    return Treatment(operator, width, as_of)


def _operator(table: TomlTable, key: str, name: str) -> str:
    try:
        check_operator(name)
    except OperatorError as error:
        table.fail(key, str(error))
    return name


def _items(file: TomlTable) -> Iterator[Item]:
    for row in file.rows("items"):
        types: tuple[str, ...] = row.strings("types", ())
        for type in types:
            if type not in TYPES:
                row.fail("types", f"'{type}' is no type")
        yield Item(
            row.string("item"),
            row.string("citation"),
            row.string("words"),
            types,
            row.string("note", ""),
        )
        row.done()


def _zip_areas(file: TomlTable, parent: Policy | None) -> ZipAreas:
    data = file.table("data")
    path: Path | None = None if data is None else data.file("zip", None)
    if data is not None:
        data.done()
    if data is None or path is None:
        return shipped_zip_areas() if parent is None else parent.zip_areas
    try:
        return read_zip_areas(path)
    except ZipAreasError as error:
        data.fail("zip", str(error))
