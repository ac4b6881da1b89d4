"""The bank of jobs: by level, so that a judge becomes no deckhand.

Jobs that are `known` tell a level and are never drawn: rules that look for jobs do not find them
everywhere, and a fake should be found wherever its original was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from incognote.replace.surrogate.banks.lists import bank_lists
from incognote.replace.surrogate.words.letters import key_of, word_keys

_NO_TITLES = frozenset("student man woman letters chiefs doing past field workplace".split())

_KNOWN = " known"


@dataclass(frozen=True)
class ProfessionBank:
    """Jobs by level, and the level that a job's last word tells."""

    lists: Mapping[str, str] = field(repr=False)

    @cached_property
    def levels(self) -> dict[str, tuple[str, ...]]:
        """The jobs of each level that are drawn."""
        return {
            level: tuple(jobs.split("|"))
            for level, jobs in self.lists.items()
            if not level.endswith(_KNOWN)
        }

    def _every(self) -> Iterator[tuple[str, str]]:
        """All jobs with their levels, those that are drawn last."""
        for head, jobs in sorted(self.lists.items(), key=lambda line: not line[0].endswith(_KNOWN)):
            for job in jobs.split("|"):
                yield head.removesuffix(_KNOWN), job

    @cached_property
    def level_of(self) -> dict[str, str]:
        """The level of each job."""
        return {key_of(form): level for level, job in self._every() for form in job.split("/")}

    @cached_property
    def head_levels(self) -> dict[str, str]:
        """The level in which a last word stands most often."""
        count: dict[str, dict[str, int]] = {}
        for level, job in self._every():
            if level not in _NO_TITLES:
                head = word_keys(job)[-1]
                count.setdefault(head, {}).setdefault(level, 0)
                count[head][level] += 1
        return {
            head: max(levels, key=lambda level: levels[level]) for head, levels in count.items()
        }


@lru_cache(maxsize=2)
def profession_bank(locale: str) -> ProfessionBank:
    """The bank of a locale."""
    return ProfessionBank(bank_lists(locale, "professions"))
