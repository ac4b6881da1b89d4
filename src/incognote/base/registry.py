"""Things that users add by name: detectors, operators, formats, policies.

A name is ours, or was registered in this process, or belongs to an installed package that has an entry
point of the group. Entry points are read when a name is asked for that is neither ours nor registered,
so that nobody else waits for them; the package is imported when its own name is asked for.

    WARDS = Registry("incognote.detectors", "detector", ours=("rules", "model", "both"))

    @WARDS.register("wards")
    def wards(text): ...

    WARDS.find("wards").load()
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from incognote.base.errors import UserError, kind_of_error

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Value = TypeVar("Value")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


class RegistryError(UserError, ValueError):
    """A name that nothing has, or two things have, or a package that cannot give what it offers."""


class UnknownNameError(RegistryError):
    """A name that nothing has."""


class PluginError(UserError):
    """What a user's own detector or operator did and may not; says nothing of the note."""


@dataclass(frozen=True)
class Plugin:
    """A thing of a user's own under its name. `origin` is the package that brings it, and its version."""

    name: str
    origin: str
    load: Callable[[], Any]
    """The thing itself; RegistryError if its package cannot be imported."""


class Registry:
    """The names of one kind of thing: `kind` is the word for it, `group` that of its entry points."""

    def __init__(self, group: str, kind: str, ours: Iterable[str]) -> None:
        self.group = group
        self.kind = kind
        self.ours = tuple(ours)
        self._registered: dict[str, Any] = {}

    def register(self, name: str) -> Callable[[Value], Value]:
        """A decorator that gives a thing a name in this process, in place of an earlier one."""
        self._check(name, "")

        def add(thing: Value) -> Value:
            self._registered[name] = thing
            return thing

        return add

    def find(self, name: str) -> Plugin:
        """What has this name and is not ours."""
        if name in self._registered:
            thing = self._registered[name]
            return Plugin(name, "registered in code", lambda: thing)
        entries = self._entries.get(name, [])
        if not entries:
            raise UnknownNameError(
                f"there is no {self.kind} '{name}': choose {', '.join(self.names())}"
            )
        if len(entries) > 1:
            packages = " and ".join(map(_origin, entries))
            raise RegistryError(
                f"the {self.kind} '{name}' is offered twice, by {packages}: uninstall one of them"
            )
        return Plugin(name, _origin(entries[0]), lambda: self._load(entries[0]))

    def names(self) -> list[str]:
        """Every name: ours in their order, then the others."""
        return [*self.ours, *sorted({*self._registered, *self._entries})]

    def plugins(self) -> list[Plugin]:
        """Everything that is not ours, by name."""
        return list(map(self.find, sorted({*self._registered, *self._entries})))

    @cached_property
    def _entries(self) -> dict[str, list[EntryPoint]]:
        from importlib.metadata import entry_points

        entries: dict[str, list[EntryPoint]] = {}
        for entry in entry_points(group=self.group):
            self._check(entry.name, f"the package {_origin(entry)}: ")
            entries.setdefault(entry.name, []).append(entry)
        return entries

    def _load(self, entry: EntryPoint) -> Any:
        try:
            return entry.load()
        except Exception as error:
            raise RegistryError(
                f"the {self.kind} '{entry.name}' of the package {_origin(entry)} cannot be imported "
                f"({kind_of_error(error)})"
            ) from error

    def _check(self, name: str, whose: str) -> None:
        if name in self.ours:
            raise RegistryError(
                f"{whose}the name '{name}' is taken by incognote: give your {self.kind} another"
            )
        if not _NAME.fullmatch(name):
            raise RegistryError(
                f"{whose}'{name}' cannot name a {self.kind}: use small letters, digits, "
                "- and _, and begin with a letter"
            )


def _origin(entry: EntryPoint) -> str:
    """The distribution of an entry point and its version, such as `odile-wards 1.2`."""
    return "unknown" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
