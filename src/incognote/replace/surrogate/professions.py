"""The jobs of one patient's notes: each exchanged for another of its level.

>>> jobs = ProfessionSurrogates(b"a secret of the site", "patient 17")
>>> jobs.replace_all(
...     [Mention("retired schoolteacher", "PROFESSION"), Mention("actuary", "PROFESSION")]
... )
['retired ballet teacher', 'electrical designer']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from incognote.knowledge.letters import cased, fold, key_of, laid_out, split_possessive, word_keys
from incognote.replace.surrogate.banks.word_banks import ProfessionBank, profession_bank
from incognote.replace.surrogate.kernel import (
    Consistent,
    Keyed,
    Mention,
    apart,
    check_consistent,
    free,
    keyed_for,
)
from incognote.replace.surrogate.proper_words import never_same

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
        fakes = _fakes_of({reading.job for reading in reads}, keyed, bank, self.avoid)
        return [
            never_same(_write_reading(reading, fakes), mention.text, keyed)
            for mention, reading in zip(mentions, reads, strict=True)
        ]


def _fakes_of(
    jobs: Collection[Job], keyed: Keyed, bank: ProfessionBank, avoid: Container[str]
) -> dict[Job, str]:
    rings: dict[tuple[str, bool], dict[str, str]] = {}

    def wish(job: Job) -> Callable[[int], str | None]:
        level, form = FORMS.get(job.level, (job.level, 0))
        if (level, job.vowel) not in rings:
            jobs = _sounding(bank.levels[level], job.vowel)
            others = keyed.exchange(jobs, _may_become, "job", level, job.vowel)
            rings[level, job.vowel] = {
                key_of(_form(own, each)): fake
                for own, fake in zip(jobs, others, strict=True)
                for each in (0, 1)
            }
        ring = rings[level, job.vowel]

        def candidate(turn: int) -> str:
            if not turn and job.key in ring:
                return _form(ring[job.key], form)
            return _draw(job, level, form, turn, keyed, bank)

        def fitting(turn: int) -> str | None:
            fake = candidate(turn)
            fits = _may_become(job.key, fake) and vowel_sound(fake) == job.vowel
            return fake if fits and free(fake, avoid) else None

        return fitting

    wishes = {job: wish(job) for job in jobs}
    fakes = apart(wishes, lambda job: keyed.number("rank", *job), key_of, 2 * _IN_LEVEL)
    for job in jobs:
        if job not in fakes:
            fakes[job] = _draw(job, *FORMS.get(job.level, (job.level, 0)), 0, keyed, bank)
    return fakes


def _may_become(job: str, fake: str) -> bool:
    """Whether two jobs differ, and share no word but such as say a level."""
    words = {word for form in job.split("/") for word in key_of(form).split()} - _GENERIC
    return key_of(job) != key_of(fake) and not words.intersection(key_of(fake).split())


def _form(job: str, form: int) -> str:
    return job.split("/")[-1 if form else 0]


def _draw(job: Job, level: str, form: int, turn: int, keyed: Keyed, bank: ProfessionBank) -> str:
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


def _write_reading(reading: ReadJob, fakes: dict[Job, str]) -> str:
    return reading.before + write_job(fakes[reading.job], reading) + reading.after


# What a mention of a job says: the job, its level, its number, and what stands around it.

_STATUS = re.compile(
    r"((?:(?:semi-?retired|retired|ret\.?|former(?:ly)?|ex-|previously|part[- ]time|full[- ]time"
    r"|self[- ]employed|unemployed|disabled|freelance|volunteer|senior|junior|assistant|associate"
    r"|certified|licensed|registered|apprentice|chief|a|an|the)(?:\s+|(?<=-)))*)(.*)",
    re.IGNORECASE | re.DOTALL,
)
_EDGE = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)
_STUDENT = re.compile(
    r"(.*?)(\s+(?:students?|majors?|interns?|trainees?))", re.IGNORECASE | re.DOTALL
)
_HEADS = {
    "professional": "lawyer attorney engineer scientist physician surgeon judge professor architect "
    "researcher consultant analyst programmer developer tester economist specialist designer "
    "administrator curator conservator biologist lecturer adjunct diplomat",
    "teaching": "teacher coach instructor principal librarian lecturer schoolteacher tutor educator",
    "office": "clerk secretary manager agent broker representative accountant adjuster planner "
    "receptionist paralegal stenographer reporter interpreter typist exporter trader dealer buyer "
    "postmistress postmaster inspector supervisor assistant",
    "health": "nurse therapist aide hygienist paramedic pharmacist phlebotomist medic doula attendant",
    "trade": "mechanic maker installer repairer setter master silversmith watchmaker rigger fitter "
    "smith tuner technician tech solderer stitcher craftsperson builder contractor technologist",
    "manual": "worker miner picker farmer laborer hand harvester cutter fisher hauler tender helper "
    "milker spinner bolter cleaner custodian operator lobsterer grower rancher pumper packer loader "
    "housekeeper super whaler jockey",
    "transport": "driver pilot captain conductor trucker engineer deckhand seafarer dispatcher "
    "courier steward navigator",
    "service": "cook chef waiter barber guard cashier seller baker bartender hairdresser stylist "
    "patroller firefighter officer guide monitor housekeeper haberdasher",
    "arts": "artist musician dancer singer writer painter illustrator puppeteer organist violist "
    "trombonist harpsichordist cantor anchor",
    "boss": "foreperson boss chief director superintendent lead executive president",
    "owner": "owner proprietor restaurateur",
    "clergy": "preacher pastor nun imam",
    "military": "soldier sergeant marine veteran lieutenant colonel major seaman",
}
_LEVEL_OF_HEAD = {head: level for level, heads in _HEADS.items() for head in heads.split()}


class Job(NamedTuple):
    """A job that needs a fake: its words, its level, and whether it begins with a vowel's sound."""

    key: str
    level: str
    vowel: bool


class ReadJob(NamedTuple):
    """A mention: what is kept before and after the job, the job, and how it is written."""

    before: str
    text: str
    after: str
    job: Job
    plural: bool = False


def read_job(text: str, bank: ProfessionBank) -> ReadJob:
    """A mention of a job, whatever it says."""
    edge = _EDGE.match(text)
    lead, core, tail = edge.groups() if edge else ("", text, "")
    core, ending = split_possessive(core)
    status = _STATUS.fullmatch(core)
    status_text, rest = (status[1], status[2]) if status and status[2] else ("", core)
    lead, tail = lead + status_text, ending + tail
    student = _STUDENT.fullmatch(rest)
    if student and student[1]:
        rest, tail = student[1], student[2] + tail
        job = Job(key_of(rest), "student", vowel_sound(rest))
        return ReadJob(lead, rest, tail, job)
    level, plural = _level(rest, bank)
    key = _singular(key_of(rest)) if plural else key_of(rest)
    return ReadJob(lead, rest, tail, Job(key, level, vowel_sound(rest)), plural)


def _level(text: str, bank: ProfessionBank) -> tuple[str, bool]:
    key = key_of(text)
    words = word_keys(text)
    if not words:
        return "office", False
    if text.isupper() and len(words) == 1 and len(text) < 5 and not _is_job(key, bank):
        return "letters", False
    for form, plural in ((key, False), (_singular(key), True)):
        if form in bank.level_of and not (plural and form == key):
            return bank.level_of[form], plural
    head = words[words.index("of") - 1] if "of" in words[1:] else words[-1]
    single = _singular(head)
    for word in (head, single):
        plural = word != head
        for ending in ("woman", "man"):
            if word.endswith(ending) and len(word) >= len(ending):
                return ending, plural
        level = bank.level_of.get(word) or bank.head_levels.get(word) or _LEVEL_OF_HEAD.get(word)
        if level:
            return level, plural
    if len(words) > 1 and _verb(words[0]):
        return _verb(words[0]), False
    if re.search(r"(?:er|or|ist|ian|ant|ess|ician|eer)$", single):
        return ("professional" if re.search(r"(?:ist|ian)$", single) else "trade"), single != head
    return ("workplace" if len(words) > 1 else "field"), False


def _is_job(word: str, bank: ProfessionBank) -> bool:
    """Whether a word is a job, so that COOK is no acronym."""
    return word in bank.level_of or word in bank.head_levels or word in _LEVEL_OF_HEAD


_VERBS = frozenset(
    "drive bake build clean coach cut deliver fix haul install lay manage mow paint pack raise repair "
    "run sell stock teach tend train wait weave work pick milk farm operate own cook sew fish".split()
)
_PAST = frozenset("drove built taught sold ran laid wove sewed cut".split())


def _verb(word: str) -> str:
    """The level of what someone does: `picks oranges`, `drive a bus`, `teaching piano`, `drove`."""
    if word in _VERBS:
        return "base"
    if word in _PAST or (word.endswith("ed") and {word[:-1], word[:-2]} & _VERBS):
        return "past"
    if word.endswith("ing") and {word[:-3], word[:-4], f"{word[:-3]}e"} & _VERBS:
        return "gerund"
    return "doing" if word.endswith("s") and {word[:-1], word[:-2]} & _VERBS else ""


def _singular(word: str) -> str:
    if word.endswith("men"):
        return f"{word[:-3]}man"
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def vowel_sound(text: str) -> bool:
    """Whether `an` stands before a text: before actuary and MRI technician, not before ukulele."""
    words = text.split()
    if words and len(words[0]) > 1 and words[0].isupper() and len(words[0]) < 5:
        return words[0][0] in "AEFHILMNORSX"
    word = fold(text)
    if word.startswith(("hour", "honor", "honour", "heir")):
        return True
    return word[:1] in tuple("aeiou") and not re.match(r"eu|one|u[bcdfgkmnprst][aeiou]", word)


# Writing a job as the other is written: number, case, capitals of a title, line breaks.

FORMS = {"base": ("doing", 1), "gerund": ("past", 1)}
"""Levels whose jobs are the second form of another's: `drive a cab` beside `drives a cab`."""


def write_job(fake: str, reading: ReadJob) -> str:
    """The fake in the number and case of the original."""
    text = reading.text
    job_text = plural(fake) if reading.plural else fake
    if any(map(str.islower, text)) and text[:1].isupper():
        job_text = _capitals(job_text, text.split())
    elif text.isupper():
        job_text = cased(job_text, text)
    return laid_out(job_text, text)


def _capitals(text: str, pattern: list[str]) -> str:
    """Capitals of a title (`Court Reporter`) or of a sentence's first word; not those of ICU."""
    if len(pattern[0]) > 1 and pattern[0].isupper():
        return text
    titled = len(pattern) > 1 and all(word[:1].isupper() for word in pattern)
    first, *rest = (word[:1].upper() + word[1:] if titled else word for word in text.split())
    return " ".join((first[:1].upper() + first[1:], *rest))


def plural(job: str) -> str:
    """More than one of a job.

    >>> plural("dairyman"), plural("waitress"), plural("secretary")
    ('dairymen', 'waitresses', 'secretaries')
    """
    if job.endswith("man"):
        return f"{job[:-3]}men"
    if job.endswith(("s", "ch", "sh", "x")):
        return f"{job}es"
    if job.endswith("y") and job[-2:-1] not in "aeiou":
        return f"{job[:-1]}ies"
    return f"{job}s"
