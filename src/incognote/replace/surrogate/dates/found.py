"""Where a format's groups were found among the tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from incognote.replace.surrogate.dates.parsed import Context, Part, Role
from incognote.replace.surrogate.dates.tokens import Token

_ROLES: Mapping[str, Role] = {
    "w": "weekday", "v": "weekday", "m": "month", "r": "month", "d": "day", "s": "suffix",
    "y": "year", "yq": "year", "yn": "year", "y3": "year", "y2": "second year",
}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """A format that fits `tokens[start:end]`, and the token of each of its groups."""

    name: str
    at: Mapping[str, int]
    tokens: Sequence[Token]
    start: int
    end: int
    context: Context

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts whose meaning does not depend on anything else."""
        return tuple(Part(_ROLES[g], token) for g, token in self.at.items() if g in _ROLES)

    @property
    def fiscal(self) -> bool:
        """Whether FY or its like stands in front."""
        return any(token.code == "F" for token in self.tokens[self.start : self.end])

    @property
    def weekday(self) -> int | None:
        """The weekday that stands beside the date."""
        return next((self.value(group) for group in "wv" if group in self.at), None)

    def token(self, group: str) -> Token:
        """The token of a group."""
        return self.tokens[self.at[group]]

    def value(self, group: str) -> int:
        """The number of a group."""
        return self.token(group).value

    def year(self) -> int | None:
        """The year that is written, with its century."""
        group = next((g for g in self.at if _ROLES.get(g) == "year"), None)
        return None if group is None else self.context.century(self.value(group))
