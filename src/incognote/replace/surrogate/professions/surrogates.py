"""The jobs of one patient's notes: each exchanged for another of its level."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from incognote.replace.surrogate.banks.professions import ProfessionBank, profession_bank
from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.professions.reading import Job, ReadJob, read_job, vowel_sound
from incognote.replace.surrogate.professions.writing import FORMS, write_job
from incognote.replace.surrogate.words.choice import apart, free
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
    """One patient's jobs. `avoid` is anything that says whether it holds a word in small letters.

    The same key, patient and job give the same fake in any call, with no distinctive word of the
    job and none of `avoid`; but where two jobs of a call would become one, one of them becomes
    another.
    """

    key: bytes = field(repr=False)
    patient: str = field(repr=False)
    settings: ProfessionSettings = field(default_factory=ProfessionSettings)
    avoid: Container[str] = field(default=(), repr=False)

    def replace_all(self, mentions: Sequence[Mention]) -> list[str]:
        """What stands in each mention's place."""
        bank = profession_bank(self.settings.locale)
        keyed = keyed_for(self.key, self.patient, self.settings.consistent, "professions")
        reads = [read_job(mention.text, bank) for mention in mentions]
        fakes = _fakes_of({read.job for read in reads}, keyed, bank, self.avoid)
        return [
            never_same(_written(read, fakes), mention.text, keyed)
            for mention, read in zip(mentions, reads, strict=True)
        ]


def _fakes_of(
    jobs: Collection[Job], keyed: Keyed, bank: ProfessionBank, avoid: Container[str]
) -> dict[Job, str]:
    rings: dict[tuple[str, bool], dict[str, str]] = {}

    def wish(job: Job) -> Callable[[int], str | None]:
        level, form = FORMS.get(job.level, (job.level, 0))
        if (level, job.vowel) not in rings:
            jobs = _sounding(bank.levels[level], job.vowel)
            given = keyed.exchange(jobs, _may_become, "job", level, job.vowel)
            rings[level, job.vowel] = {
                key_of(_form(own, each)): fake
                for own, fake in zip(jobs, given, strict=True)
                for each in (0, 1)
            }
        ring = rings[level, job.vowel]

        def candidate(turn: int) -> str:
            if not turn and job.key in ring:
                return _form(ring[job.key], form)
            return _drawn(job, level, form, turn, keyed, bank)

        def fitting(turn: int) -> str | None:
            fake = candidate(turn)
            fits = _may_become(job.key, fake) and vowel_sound(fake) == job.vowel
            return fake if fits and free(fake, avoid) else None

        return fitting

    wishes = {job: wish(job) for job in jobs}
    fakes = apart(wishes, lambda job: keyed.number("rank", *job), key_of, 2 * _IN_LEVEL)
    for job in jobs:
        if job not in fakes:
            fakes[job] = _drawn(job, *FORMS.get(job.level, (job.level, 0)), 0, keyed, bank)
    return fakes


def _may_become(job: str, fake: str) -> bool:
    """Whether two jobs differ, and share no word but such as say a level."""
    words = {word for form in job.split("/") for word in key_of(form).split()} - _GENERIC
    return key_of(job) != key_of(fake) and not words.intersection(key_of(fake).split())


def _form(job: str, form: int) -> str:
    return job.split("/")[-1 if form else 0]


def _drawn(job: Job, level: str, form: int, turn: int, keyed: Keyed, bank: ProfessionBank) -> str:
    """A job of the level, after long search one of any; with a vowel first as the original has."""
    number = keyed.number("job", *job, turn)
    if turn >= _IN_LEVEL and level not in _CLOSED:
        level = _ANY[number % len(_ANY)]
    same = _sounding(bank.levels[level], job.vowel)
    return _form(same[number // 8 % len(same)], form)


@lru_cache(maxsize=64)
def _sounding(jobs: tuple[str, ...], vowel: bool) -> tuple[str, ...]:
    """The jobs that begin with a vowel's sound, or those that do not; all if there are none."""
    return tuple(each for each in jobs if vowel_sound(each) == vowel) or jobs


def _written(read: ReadJob, fakes: dict[Job, str]) -> str:
    return read.before + write_job(fakes[read.job], read) + read.after
