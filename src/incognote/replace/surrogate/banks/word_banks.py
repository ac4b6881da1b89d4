"""Banks that are lists under heads: a line has a head, a tab, and values between bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from incognote.knowledge.letters import key_of, word_keys

_HERE = Path(__file__).parent


@lru_cache(maxsize=8)
def bank_lists(locale: str, kind: str) -> dict[str, str]:
    """The values of a locale's bank of a kind, unsplit, by their heads."""
    path = _HERE / f"{locale}.{kind}.txt"
    if not path.exists():
        locales = sorted(each.name.partition(".")[0] for each in _HERE.glob(f"*.{kind}.txt"))
        raise ValueError(f"there is no bank of {kind} for '{locale}': choose {', '.join(locales)}")
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    if not head.startswith(f"incognote {kind} 1 "):
        raise ValueError(
            f"the bank of {kind} is of another version: make it anew with recipes/banks"
        )
    return {key: values for key, _, values in (line.partition("\t") for line in lines)}


# The bank of words for institutions: saints, virtues, and the letters that no acronym may be.


@dataclass(frozen=True)
class OrganizationBank:
    """Words by kind."""

    lists: Mapping[str, str] = field(repr=False)

    @cached_property
    def kinds(self) -> dict[str, tuple[str, ...]]:
        """The words of each kind."""
        return {kind: tuple(words.split("|")) for kind, words in self.lists.items()}

    @cached_property
    def kind_of(self) -> dict[str, str]:
        """The kind of a word that tells it by itself."""
        return {
            key_of(word): kind
            for kind in ("services", "statuses", "holy")
            for word in self.kinds[kind]
        }

    @cached_property
    def taken_letters(self) -> frozenset[str]:
        """Acronyms of the clinic and of well-known institutions."""
        return frozenset(self.kinds["letters"])


@lru_cache(maxsize=2)
def organization_bank(locale: str) -> OrganizationBank:
    """The bank of a locale."""
    return OrganizationBank(bank_lists(locale, "organizations"))


# The bank of jobs: by level, so that a judge becomes no deckhand.
#
# Jobs that are `known` tell a level and are never drawn: rules that look for jobs do not find them
# everywhere, and a fake should be found wherever its original was.

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
