"""People and the ways in which notes write their names.

Titles and degrees are never part of a form: the guide keeps them outside the mark.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from generator.capitals import surname_case
from generator.gazetteer import Gazetteers


@dataclass(frozen=True)
class Person:
    """One person. `nick` is what friends say; `suffix` is Jr., III or empty."""

    first: str
    middle: str
    last: str
    nick: str
    suffix: str
    sex: str


_SUFFIXES = ("Jr.", "Jr", "Sr.", "II", "III", "IV")
_PARTICLES = (
    "de la", "de", "del", "van", "van der", "van den", "von", "di", "da", "dos", "al-", "el-",
    "Al-", "Ben-", "St. ", "O'", "Mac", "bin ", "Le ", "La ", "Di", "Ter ", "Abu ",
)  # fmt: skip


def draw_person(rng: Random, lists: Gazetteers, sex: str = "") -> Person:
    """Someone new; about half of them have a name from the long tail."""
    sex = sex or ("F" if rng.random() < 0.5 else "M")
    first = draw_first(rng, lists, sex)
    middle = draw_first(rng, lists, sex) if rng.random() < 0.6 else ""
    suffix = rng.choice(_SUFFIXES) if sex == "M" and rng.random() < 0.06 else ""
    nick = lists.nicknames.draw(rng) if rng.random() < 0.5 else first[: rng.choice((3, 4))]
    return Person(first, middle.split(" ")[0], draw_last(rng, lists), nick, suffix, sex)


def draw_first(rng: Random, lists: Gazetteers, sex: str) -> str:
    """A first name."""
    chance = rng.random()
    if chance < 0.25:
        return lists.world_first.draw(rng)
    listing = lists.female if sex == "F" else lists.male
    if chance < 0.30:
        glue = rng.choice(("-", " ", "-"))
        return f"{listing.draw(rng)}{glue}{listing.draw(rng)}"
    return listing.draw(rng)


def draw_last(rng: Random, lists: Gazetteers) -> str:
    """A family name: common, rare, from elsewhere, joined, or with a particle."""
    chance = rng.random()
    if chance < 0.22:
        return lists.world_last.draw(rng)
    if chance < 0.25:
        return lists.eponyms.draw(rng)
    last = surname_case(lists.surnames.draw(rng))
    if chance < 0.36:
        other = lists.world_last if rng.random() < 0.4 else lists.surnames
        second = surname_case(other.draw(rng))
        return f"{last}{'-' if rng.random() < 0.85 else ' '}{second}"
    if chance < 0.42:
        particle = rng.choice(_PARTICLES)
        return f"{particle}{'' if particle[-1] in ' -’ci' + chr(39) else ' '}{last}"
    return last


def _initial(name: str) -> str:
    return name.lstrip("'ʻ’")[:1].upper()


def full(person: Person, rng: Random) -> str:
    """First name first, with or without what stands between and after."""
    chance = rng.random()
    name = f"{person.first} {person.last}"
    if person.middle and chance < 0.15:
        dot = "." if rng.random() < 0.7 else ""
        name = f"{person.first} {_initial(person.middle)}{dot} {person.last}"
    elif person.middle and chance < 0.20:
        name = f"{person.first} {person.middle} {person.last}"
    elif chance < 0.23:
        quote = rng.choice(('"', "“", "'", "("))
        close = {"“": "”", "(": ")"}.get(quote, quote)
        name = f"{person.first} {quote}{person.nick}{close} {person.last}"
    if person.suffix and rng.random() < 0.7:
        name += f"{',' if rng.random() < 0.2 else ''} {person.suffix}"
    return name


def first_and_initial(person: Person, rng: Random) -> str:
    """`Dewey B.`, as groups and waiting rooms have it."""
    return f"{person.first} {_initial(person.last)}{'.' if rng.random() < 0.8 else ''}"


def last_first(person: Person, rng: Random) -> str:
    """Family name first, as lists and headers have it."""
    comma = "," if rng.random() < 0.06 else ", "
    last = person.last
    if person.suffix and rng.random() < 0.5:
        last = f"{last} {person.suffix}"
    name = f"{last}{comma}{person.first}"
    chance = rng.random()
    if person.middle and chance < 0.25:
        name += f" {_initial(person.middle)}{'.' if rng.random() < 0.4 else ''}"
    elif person.middle and chance < 0.33:
        name += f" {person.middle}"
    elif chance < 0.36:
        name += f' "{person.nick}"'
    return name


def board(person: Person, rng: Random) -> str:
    """As a tracking board or a label squeezes a name: `OKAFOR,NGO`, `Okafor,N`, `OKAFOR NGOZI`."""
    first = person.first if rng.random() < 0.6 else person.first[: rng.randint(1, 4)].strip(" -'")
    if first.upper() in _NO_INITIALS:
        first = person.first
    name = f"{person.last}{rng.choice((',', ',', ',', ' '))}{first}"
    if person.middle and rng.random() < 0.2:
        name += f" {_initial(person.middle)}"
    return name.upper() if rng.random() < 0.6 else name


def last_initial(person: Person, rng: Random) -> str:
    """`Okafor N`, `OKAFOR, N.`, `Okafor NA`."""
    letters = _initial(person.first)
    if person.middle and rng.random() < 0.2:
        letters = _letters(Person(person.first, "", person.middle, "", "", ""), False)
    name = f"{person.last}{rng.choice((' ', ' ', ' ', ', ', ','))}{letters}"
    if rng.random() < 0.15:
        name += "."
    return name.upper() if rng.random() < 0.3 else name


def quoted(person: Person, rng: Random) -> str:
    """A nickname in quotes beside one other name: `"Bud" Okafor`, `Okafor "Bud"`."""
    form = rng.choice(('"{n}" {l}', '"{n}" {l}', '{l} "{n}"', '{f} "{n}"', "'{n}' {l}", "{l} ({n})", "{f} ({n})", '{l}, "{n}"'))  # fmt: skip
    return form.format(n=person.nick, l=person.last, f=person.first)


def spelled(person: Person, rng: Random) -> str:
    """The family name letter by letter, as it is said on the telephone."""
    letters = [char.upper() for char in person.last if char.isalpha()]
    return rng.choice(("-", " ", "-")).join(letters)


def short(person: Person, rng: Random) -> str:
    """An initial and the family name."""
    dot = "." if rng.random() < 0.7 else ""
    middle = f" {_initial(person.middle)}{dot}" if person.middle and rng.random() < 0.15 else ""
    return f"{_initial(person.first)}{dot}{middle} {person.last}"


_NO_INITIALS = frozenset(("MD", "RN", "DO", "NP", "PA", "PT", "OT", "MR", "MS", "DR", "MRS"))


def _letters(person: Person, with_middle: bool) -> str:
    """The initials of a person; never a title or a degree, which no reader would take for a name."""
    first, middle, last = map(_initial, (person.first, person.middle, person.last))
    letters = f"{first}{middle if with_middle else ''}{last}"
    return letters if letters not in _NO_INITIALS else f"{first}J{last}"


def initials(person: Person, rng: Random) -> str:
    """`N.O.`, `NO` or `NAO`."""
    letters = _letters(person, rng.random() < 0.4)
    return "".join(f"{letter}." for letter in letters) if rng.random() < 0.4 else letters


def column_initials(person: Person, rng: Random) -> str:
    """Initials as a flowsheet's column has them: `vr`, `KMJ`, `k.m.`; nurses write small."""
    letters = _letters(person, rng.random() < 0.6)
    chance = rng.random()
    if chance < 0.5:
        return letters.lower()
    return letters if chance < 0.94 else ".".join(letters) + "."


def pet_form(person: Person, rng: Random) -> str:
    """What someone signs a message to the nurse with: `Bri`, `Steph M`, `Tunde O.`."""
    short = person.nick if rng.random() < 0.6 else person.first[: rng.randint(3, 5)]
    if rng.random() < 0.2:
        short += f" {_initial(person.last)}{'.' if rng.random() < 0.4 else ''}"
    return short


def newborn(person: Person, rng: Random) -> str:
    """The name of a child without one yet, which is the mother's with a word to it."""
    word = "Boy" if person.sex == "M" else "Girl"
    short = "BB" if person.sex == "M" else "BG"
    last = person.last
    form = rng.choice(("Baby {w} {l}", "Baby {w} {l}", "{l}, Baby {w}", "{l}, {w}", "{l}, {s}", "Baby {l}", "{l}, {w} A", "{l}, Infant {w}", "{l}, Twin B", "Newborn {l}"))  # fmt: skip
    name = form.format(w=word, s=short, l=last)
    return name.upper() if rng.random() < 0.3 else name


_ALPHABET = (
    "Alpha", "Bravo", "Delta", "Echo", "Foxtrot", "Golf", "Hotel", "Kilo", "Lima", "Oscar", "Romeo", "Sierra", "Tango", "Zulu",
    "Aspen", "Cedar", "Maple", "Birch", "Topaz", "Opal", "Falcon", "Heron", "Saturn", "Denver", "Boise", "Utah", "Violet",
)  # fmt: skip


def alias(rng: Random, lists: Gazetteers) -> str:
    """What a hospital calls a patient whom nobody knows."""
    word = rng.choice(_ALPHABET) if rng.random() < 0.8 else surname_case(lists.surnames.draw(rng))
    form = rng.choice(("Trauma, {}", "Unknown, {}", "Trauma {}", "Doe, {}", "{}, Unidentified", "ZZ{}, Trauma", "Stroke, {}", "Emergency, {}", "{} Doe", "Unk {}", "Disaster, {}", "Trauma, {} {}", "{}, Xx{}"))  # fmt: skip
    name = form.format(word, rng.randint(2, 99))
    return name.upper() if rng.random() < 0.5 else name


def header(person: Person, rng: Random) -> str:
    """A name as a form or page header prints it."""
    name = last_first(person, rng) if rng.random() < 0.6 else full(person, rng)
    return name.upper() if rng.random() < 0.35 else name


def running(person: Person, rng: Random) -> str:
    """A name without a title in running text."""
    chance = rng.random()
    if chance < 0.35:
        return full(person, rng)
    if chance < 0.6:
        return person.last
    if chance < 0.88:
        return person.first
    if chance < 0.92:
        return first_and_initial(person, rng)
    return short(person, rng)


def signed(person: Person, rng: Random) -> str:
    """A name in a signature."""
    chance = rng.random()
    if chance < 0.62:
        name = full(person, rng)
    elif chance < 0.8:
        name = short(person, rng)
    elif chance < 0.9:
        name = last_first(person, rng)
    else:
        name = person.last
    return name.upper() if rng.random() < 0.12 else name
