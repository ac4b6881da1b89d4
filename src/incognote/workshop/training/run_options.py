"""The options of a run: checked when they are made, saved with it, compared when it is resumed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Literal, Self

from incognote.base.errors import TrainError
from incognote.base.options import check

OptimizerName = Literal["adamw", "adam", "lamb", "adagrad"]


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What fine-tuning's and pretraining's options have in common.

    `free` are options that may differ when a run is resumed: they change no weight.
    """

    free: ClassVar[frozenset[str]]

    def __post_init__(self) -> None:
        check(self, TrainError)

    def to_json(self) -> dict[str, Any]:
        """Plain values, by the names of the fields."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The options of `to_json`; those that only a later version knows are an error."""
        if unknown := set(values) - {field.name for field in fields(cls)}:
            raise TrainError(
                f"{cls.__name__.lower()} that this version does not know: {', '.join(unknown)}"
            )
        return cls(**values)

    def differences(self, other: Self) -> list[str]:
        """The options for which a resumed run would end with other weights."""
        mine, theirs = self.to_json(), other.to_json()
        return [name for name in mine if name not in self.free and mine[name] != theirs[name]]
