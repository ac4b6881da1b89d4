"""What can be chosen for a run: checked when it is made, kept with it, compared when it goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Self, get_args

from incognote.base.errors import TrainError


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """`free` may differ between a run and its continuation: it changes no weight."""

    free: ClassVar[frozenset[str]]

    def must(self, be: str, holds: Callable[[Any], bool], *names: str) -> None:
        """Refuse values of these names that it does not hold for."""
        for name in names:
            if not holds(getattr(self, name)):
                raise TrainError(f"{name} must be {be}, not {getattr(self, name)!r}")

    def must_be_of(self, **kinds: Any) -> None:
        """Refuse what is not among the literals of its kind."""
        for name, kind in kinds.items():
            self.must(f"one of {', '.join(get_args(kind))}", get_args(kind).__contains__, name)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """From what `to_json` gave; what a later version knows is an error."""
        if unknown := set(values) - {field.name for field in fields(cls)}:
            raise TrainError(
                f"{cls.__name__.lower()} that this version does not know: {', '.join(unknown)}"
            )
        return cls(**values)

    def differences(self, other: Self) -> list[str]:
        """By what a continued run would end elsewhere."""
        mine, theirs = self.to_json(), other.to_json()
        return [name for name in mine if name not in self.free and mine[name] != theirs[name]]


def positive(value: float | None) -> bool:
    """Above 0 and finite, if it is given."""
    return value is None or 0 < value < float("inf")


def below_one(value: float | None) -> bool:
    """From 0 up to but not 1, if it is given."""
    return value is None or 0 <= value < 1
