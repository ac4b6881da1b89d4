"""The jobs of one patient's notes: each exchanged for another of its level."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from incognote.replace.surrogate.banks.professions import ProfessionBank, profession_bank
from incognote.replace.surrogate.people.keyed import Keyed
from incognote.replace.surrogate.professions.reading import Job, ReadJob, read_job, vowel_sound
from incognote.replace.surrogate.professions.writing import FORMS, write_job
from incognote.replace.surrogate.words.claims import Real, settle
from incognote.replace.surrogate.words.letters import key_of
from incognote.replace.surrogate.words.mention import Mention
from incognote.replace.surrogate.words.proper import never_same
from incognote.replace.surrogate.words.scope import Consistent, check_consistent, keyed_for

_IN_LEVEL = 48
_GENERIC = frozenset("owner owners student students man woman men women".split())
"""Words that say a level more than a job, which an original and a fake may share."""
_CLOSED = frozenset("student man woman letters chiefs field workplace doing past".split())
_ANY = ("trade", "manual", "service", "office", "transport")


@dataclass(frozen=True)
class ProfessionSettings:
    """Which bank the fakes are from, and whether a job keeps its fake over all patients."""

    locale: str = "en_US"
    consistent: Consistent = "patient"

    def __post_init__(self) -> None:
        check_consistent(self.consistent)


@dataclass(frozen=True)
class ProfessionSurrogates:
    """One patient's jobs. `taken` are originals of all the patient's notes, `avoid` words to shun.

    The same job has the same fake, another job another, and none has a distinctive word of an
    original; exact within one call and between calls with the same jobs, very probable between
    others.
    """

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    settings: ProfessionSettings = field(default_factory=ProfessionSettings)
    taken: Collection[str | Mention] = field(default=(), repr=False)
    avoid: Container[str] = field(default=(), repr=False)

    def replace_all(self, mentions: Sequence[Mention]) -> list[str]:
        """What stands in each mention's place."""
        bank = profession_bank(self.settings.locale)
        keyed = keyed_for(self.key, self.patient, self.settings.consistent, "professions")
        others = dict.fromkeys(each for each in self.taken if isinstance(each, Mention))
        every = [*mentions, *others]
        plain = [each for each in self.taken if isinstance(each, str)]
        reads = [read_job(mention.text, bank) for mention in every]
        real = Real.of((*(read.text for read in reads), *plain), _GENERIC, self.avoid)
        fakes = _settle({read.job for read in reads}, keyed, bank, real)
        return [
            never_same(_written(read, fakes), mention.text, keyed)
            for mention, read in zip(mentions, reads, strict=False)
        ]


def _settle(
    jobs: Collection[Job], keyed: Keyed, bank: ProfessionBank, real: Real
) -> dict[Job, str]:
    def wish(job: Job) -> Callable[[int], str]:
        return lambda turn: _candidate(job, turn, keyed, bank)

    def refused(job: Job, fake: str) -> bool:
        if key_of(fake) == job.key or vowel_sound(fake) != job.vowel:
            return True
        return real.held_by(fake) or bool(
            (set(job.key.split()) - _GENERIC) & set(key_of(fake).split())
        )

    return settle(
        {job: wish(job) for job in jobs},
        rank=lambda job: keyed.number("rank", *job),
        refused=refused,
        patience=2 * _IN_LEVEL,
    )


def _candidate(job: Job, turn: int, keyed: Keyed, bank: ProfessionBank) -> str:
    """A job of the level, after long search one of any; with a vowel first as the original has."""
    level, form = FORMS.get(job.level, (job.level, 0))
    number = keyed.number("job", *job, turn)
    if turn >= _IN_LEVEL and level not in _CLOSED:
        level = _ANY[number % len(_ANY)]
    same = _sounding(bank.levels[level], job.vowel)
    return same[number // 8 % len(same)].split("/")[-1 if form else 0]


@lru_cache(maxsize=64)
def _sounding(jobs: tuple[str, ...], vowel: bool) -> tuple[str, ...]:
    """The jobs that begin with a vowel's sound, or those that do not; all if there are none."""
    return tuple(each for each in jobs if vowel_sound(each) == vowel) or jobs


def _written(read: ReadJob, fakes: dict[Job, str]) -> str:
    return read.before + write_job(fakes[read.job], read) + read.after
