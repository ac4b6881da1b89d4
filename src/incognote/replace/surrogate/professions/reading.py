"""What a mention of a job says: the job, its level, its number, and what stands around it."""

from __future__ import annotations

import re
from typing import NamedTuple

from incognote.replace.surrogate.banks.professions import ProfessionBank
from incognote.replace.surrogate.words.letters import fold, key_of, split_possessive, word_keys

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
    kept, rest = (status[1], status[2]) if status and status[2] else ("", core)
    lead, tail = lead + kept, ending + tail
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
    if text.isupper() and len(words) == 1 and len(text) < 5 and not _told(key, bank):
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


def _told(word: str, bank: ProfessionBank) -> bool:
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
