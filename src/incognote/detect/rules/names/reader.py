"""Reads one person's name at a place in the text where a cue says that a name begins.

A name is a short run of words: given names, initials, particles, a quoted nickname, a suffix, in
either order ("Ngozi Okafor", "Okafor, Ngozi M. III"). Reading looks at most a few words ahead, so
every cue costs the same small time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from incognote.detect.pattern import Pattern, WordPattern
from incognote.knowledge.facilities import AFTER_PERSON
from incognote.knowledge.letters import fold_name
from incognote.knowledge.lexicon import ACRONYMS, ALSO_NAMES, EPONYM_NOUNS, NEVER_NAMES, is_ordinary
from incognote.knowledge.people import NAME_PARTICLES

# Which words may be part of a name: how they are written, and whether they mean something else.

LETTER = r"[^\W\d_]"
WORD = Pattern(
    rf"[ʻ]?{LETTER}(?:{LETTER}|[\u0300-\u036f]|['’ʻ`´](?={LETTER})|[-‐‑](?={LETTER})){{0,40}}+"
)


class Trust(Enum):
    """How much the cue alone says that a name follows."""

    STRONG = "a title, a label or a degree"
    WEAK = "an ordinary phrase that a name often follows"


def shape(word: str) -> str:
    """`caps`, `title` or `lower`: how a word is written."""
    if word.isupper():
        return "caps" if len(word) > 1 else "title"
    if word[0].isupper() or not word[0].islower():
        return "title"
    head, mark, tail = word.replace("’", "'").replace("-", "'").partition("'")
    return "title" if mark and len(head) <= 2 and tail[:1].isupper() else "lower"


def is_name_word(word: str, trust: Trust, *, first: bool, lower: bool) -> bool:
    """Whether a word may be part of a name here."""
    case = shape(word)
    folded = fold_name(word)
    if len(without_possessive(folded)) < 2 or _odd_capitals(word) or folded.endswith("'d"):
        return False
    if case == "lower" and (not lower or len(folded) < 3):
        return False
    if case == "title" and not word.isascii():
        return folded not in NEVER_NAMES
    if "-" in folded or "'" in folded:
        parts = [part for part in re.split("[-']", folded) if len(part) > 1]
        return not all(is_ordinary(part) for part in parts)
    strong_first = first and trust is Trust.STRONG
    if case == "lower":
        return not is_ordinary(folded) or (strong_first and _also_name(folded))
    if case == "caps":
        if folded in NEVER_NAMES or folded in ACRONYMS or len(folded) == 2:
            return False
        return not is_ordinary(folded) or (strong_first and folded in ALSO_NAMES)
    if folded in ALSO_NAMES:
        return not first or trust is Trust.STRONG or folded not in NEVER_NAMES
    return not is_ordinary(folded)


def without_possessive(word: str) -> str:
    """The word itself, or what it is the possessive of."""
    return word[:-2] if word[-1] in "sS" and word[-2:-1] in ("'", "’", "`", "´") else word


def _odd_capitals(word: str) -> bool:
    """DTaP and PharmD are no names; McIver and DeShawn are."""
    return (word[:2].isupper() and word[2:3].islower()) or (
        word[-1].isupper() and word[-2:-1].islower()
    )


def _also_name(folded: str) -> bool:
    return folded in ALSO_NAMES and folded not in NEVER_NAMES


def follows_as_term(text: str, end: int) -> bool:
    """Whether the word after makes the "name" an eponym, a place or a firm."""
    after = text[end : end + 30]
    after = after[2:] if after[:2] in ("'s", "’s", "'S", "’S") else after
    following = WORD.match(after, 1) if after[:1] in (" ", "-") else None
    if following is None:
        return False
    folded = fold_name(following[0])
    return folded in EPONYM_NOUNS or (folded in AFTER_PERSON and following[0][0].isupper())


# The degrees and certificates that stand after a professional's name, and never in it.

DEGREE = WordPattern(
    r"(?<=[ ,\t\n\xa0])(?:"
    r"M\.? ?D\.?|D\. ?O\.|DO|R\. ?N\.|RN|N\. ?P\.|NP|P\.A\.?-? ?C\.?|PA-?C|P\.A\.|PA|"
    r"P[Hh]\.? ?D\.?|D\.D\.S\.|DDS|D\.M\.D\.|DMD|D\.P\.M\.|DPM|DPT|O\.D\.|P[Hh][Aa][Rr][Mm]\.? ?D\.?|"
    r"P[Ss][Yy]\.? ?D\.?|Au\.?D\.?|M\.?B\.?,? ?(?:B\.?S\.?|Ch\.?B\.?|B\.?Ch\.?)|FRCS|FRCPC?|MRCP|"
    r"L\.?P\.?N\.?|L\.?V\.?N\.?|C\.?N\.?A\.?|CMA|RMA|MA|APRN|ARNP|CRNP|CRNA|C\.?N\.?M\.?|CNP|CNS|DNP|"
    r"(?:F|AG|P|W|A|N|PMH|CP|AOC|AC)NP(?:-B?C)?|BSN|MSN|RRT|CRT|RT(?:\(R\))?|C\.C\.P\.|CCP|"
    r"LCSW(?:-[A-Z]|[ACPR])?|LICSW|LMSW|MSW|LSW|LMFT|LPC|LMHC|LADC|CASAC|CDCES|CDE|R\.D\.|RDN?|LDN|PT|OT|"
    r"OTR(?:/L)?|COTA|PTA|SLP|CCC-SLP|CGC|MPH|PGY-?\d|MS ?(?:I|II|III)V?|PL-?\d|RNC|CCRN|CWOCN|OCN|CHPN|"
    r"EMT(?:-?P)?|NREMT|MSSW|M\.S\.|M\.A\.|B\.A\.|HHA|MSA|RHIA|CST|BCBA|BCC|arnp|rn|np|md|lpn|pa-c"
    r")(?![\w'’]|\.\w)"
)


# The name itself.

SUFFIX = Pattern(r"(?:[Jj][Rr]|[Ss][Rr])\b\.?|(?:III|II|IV)\b")
_SUFFIX_START = tuple("JjSsI")
_NICKNAME_START = tuple('"“(')
NICKNAME = Pattern(r"[\"“][^\W\d_][\w' .-]{0,18}[\"”]|\([\"“][^\W\d_][\w' .-]{0,18}[\"”]\)")
GAP = Pattern(r"[ \t\xa0]")
LINE_BREAK = Pattern(r"[ \t\xa0]{0,3}\r?\n[ \t\xa0]{0,60}")
COMMA = Pattern(r"[ \t]?,[ \t\xa0]{0,2}(?:\r?\n[ \t]{0,40})?")
GLUED = Pattern(r"[\d_@]|[-'’][\d_]")


@dataclass(frozen=True, slots=True)
class Name:
    """Where a name stands, and what it is made of."""

    start: int
    end: int
    words: int
    comma: bool
    first: str


def read_name(
    text: str,
    position: int,
    trust: Trust = Trust.STRONG,
    *,
    last_first: bool = False,
    lower: bool = False,
    limit: int = 4,
) -> Name | None:
    """The name that begins at `position`, or None.

    `last_first` allows one comma ("Okafor, Ngozi"); `lower` allows a name in lower case.
    """
    words = initials = 0
    comma = False
    place = end = position
    first = ""
    while words + initials < limit + 2:
        suffix = (
            SUFFIX.match(text, place) if words and text.startswith(_SUFFIX_START, place) else None
        )
        if suffix:
            end = suffix.end()
            if not (last_first and not comma and text.startswith(", ", end)):
                break
            place = end
        elif (
            words
            and text.startswith(_NICKNAME_START, place)
            and (nickname := NICKNAME.match(text, place))
        ):
            place = end = nickname.end()
        else:
            token = WORD.match(text, place)
            if token is None or (words and DEGREE.match(text, place)):
                break
            word = token[0]
            stop = token.end()
            if text[stop : stop + 1] not in (" ", ",", "\n") and GLUED.match(text, stop):
                break
            if len(word) == 1 and _is_initial(text, word, stop, inside=bool(words), lower=lower):
                initials += 1
                if text[stop : stop + 1] == ".":
                    stop += 1
                place = end = stop
                first = first or word
            elif fold_name(word) in NAME_PARTICLES and _particle_leads(
                text, stop, trust, bool(words), lower
            ):
                place = stop + 1 if text.startswith(".", stop) else stop
            elif words < limit and (
                is_name_word(
                    word,
                    trust,
                    first=not words or comma,
                    lower=lower and shape(first or word) == "lower",
                )
                or (not words and trust is Trust.STRONG and _leads_surname(text, word, stop))
                or (words == 1 and _before_degree(text, word, stop))
            ):
                words += 1
                bare = without_possessive(word)
                first = first or bare
                if bare != word:
                    end = stop - 2
                    break
                place = end = stop
                if len(word) <= 4 and text.startswith(".", stop) and _abbreviates(word, text, stop):
                    place = end = stop + 1
            else:
                break
        step = _next(
            text, place, words, lower, dangling=place > end, comma_allowed=last_first and not comma
        )
        if step is None:
            break
        place, crossed = step
        comma = comma or crossed
    if words == 0:
        return None
    comma = comma and "," in text[position:end]
    return Name(position, end, words, comma, first)


def _is_initial(text: str, word: str, stop: int, *, inside: bool, lower: bool) -> bool:
    if word.isupper():
        return inside or _initial_leads(text, stop)
    return lower and text.startswith(".", stop)


def _initial_leads(text: str, stop: int) -> bool:
    following = WORD.match(text, stop + 2 if text[stop : stop + 2] == ". " else stop + 1)
    return following is not None and (
        following[0][0].isupper() or fold_name(following[0]) in NAME_PARTICLES
    )


def _leads_surname(text: str, word: str, stop: int) -> bool:
    """An ordinary word as a given name, when a surname follows: Dr Blessing Kilgore."""
    following = WORD.match(text, stop + 1) if text.startswith(" ", stop) else None
    return (
        following is not None
        and shape(word) == shape(following[0]) == "title"
        and len(word) > 2
        and fold_name(word) not in NEVER_NAMES
        and not is_ordinary(fold_name(following[0]))
    )


def _before_degree(text: str, word: str, stop: int) -> bool:
    """An ordinary word as a surname, when a degree follows: Wilhelmina Strange, M.D."""
    return (
        shape(word) == "title"
        and fold_name(word) not in NEVER_NAMES
        and text.startswith(", ", stop)
        and DEGREE.match(text, stop + 2) is not None
    )


def _particle_leads(text: str, stop: int, trust: Trust, inside: bool, lower: bool) -> bool:
    if text.startswith(".", stop):
        stop += 1
    for _ in range(2):
        gap = GAP.match(text, stop) or (LINE_BREAK.match(text, stop) if inside or trust else None)
        following = WORD.match(text, gap.end()) if gap else None
        if following is None:
            return False
        if fold_name(following[0]) not in NAME_PARTICLES:
            return is_name_word(following[0], trust, first=True, lower=lower)
        stop = following.end()
    return False


def _abbreviates(word: str, text: str, stop: int) -> bool:
    """`Jos.` or `Md.` before another name, unlike the full stop of a sentence."""
    following = WORD.match(text, stop + 2)
    return (
        fold_name(word) in {"jos", "md", "mohd", "wm", "geo", "chas", "thos", "jas", "st", "benj"}
        and text[stop + 1 : stop + 2] == " "
        and following is not None
        and following[0][0].isupper()
    )


def _next(
    text: str, place: int, words: int, lower: bool, *, dangling: bool, comma_allowed: bool
) -> tuple[int, bool] | None:
    """Where the next word of the name may begin, and whether a comma was crossed."""
    suffix = COMMA.match(text, place) if words > 1 else None
    if suffix and SUFFIX.match(text, suffix.end()):
        return suffix.end(), False
    gap = GAP.match(text, place)
    if gap and not GAP.match(text, gap.end()) and not LINE_BREAK.match(text, place):
        return gap.end(), False
    if place and text[place - 1] == ".":
        return place, False
    if comma_allowed and words:
        comma = COMMA.match(text, place)
        following = WORD.match(text, comma.end()) if comma else None
        if comma and DEGREE.match(text, comma.end()):
            return None
        capitals = text[place - 1].isupper()
        if comma and following and _given(following[0], text, following.end(), lower, capitals):
            return comma.end(), True
    line = LINE_BREAK.match(text, place)
    following = WORD.match(text, line.end()) if line else None
    if line and dangling:
        return line.end(), False
    if line and following and words == 1 and shape(following[0]) != "lower":
        folded = fold_name(following[0])
        after = text[following.end() : following.end() + 1]
        if after not in (":", ".") and not is_ordinary(folded) and folded not in ACRONYMS:
            return line.end(), False
    return None


def _given(word: str, text: str, stop: int, lower: bool, capitals: bool) -> bool:
    """Whether a word after a comma may be the given name; a certificate (", RPA") is not."""
    if 1 < len(word) <= 4 and word.isupper() and not capitals:
        return False
    if len(word) == 1:
        return word.isupper()
    if word.isupper() and len(word) == 2 and not text.startswith(" ", stop):
        return False
    return is_name_word(word, Trust.STRONG, first=True, lower=lower)
