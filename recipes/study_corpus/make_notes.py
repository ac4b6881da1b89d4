"""Notes in i2b2 2014 XML with the proportions of the 2022 study: words a note, PHI words, types.

    python recipes/study_corpus/make_notes.py -o work/notes --notes 1223 --seed 0

The real corpus may not be passed on. These notes have what its size and shape tell and nothing of
its text: names are drawn from incognote's banks, sentences from phrases.toml. A file is called as
there, PATIENT-NOTE.xml. They show that a comparison runs whole, not how well a model would do.
"""

from __future__ import annotations

import argparse
import random
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incognote.align.words import words
from incognote.document import Document, Span
from incognote.formats import write
from incognote.knowledge.calendar import MONTHS
from incognote.replace.surrogate.banks.name_bank import NameClass, name_bank
from incognote.replace.surrogate.banks.place_bank import place_bank
from incognote.replace.surrogate.banks.word_banks import organization_bank, profession_bank
from incognote.workshop.compare.report.models_and_data import NON_PHI
from incognote.workshop.compare.report.study_2022 import printed_parts

HERE = Path(__file__).parent
NOTES, PATIENTS = 1304, 296
"""Of the whole corpus: how many notes a patient has on average."""
SHORTEST = 120
HALF = 6
"""Words of half a sentence: on average notes are then as long as they should be."""
_SLOT = re.compile(r"\{(\w*)\}")
_TALL, _SMALL = "ABCDEFGHJKLMNPRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"

Sentence = list[str | tuple[str, str]]
"""Text, and identifiers with their types."""


@dataclass(frozen=True)
class Shape:
    """Words a note, and of each type the share of all words."""

    length: float
    shares: Mapping[str, float]


def study_shape() -> Shape:
    """That of the study's table 3, its three parts together."""
    parts = printed_parts().values()
    whole, notes = sum(part.words for part in parts), sum(part.notes for part in parts)
    types = [type for type in printed_parts()["train"].types if type != NON_PHI]
    shares = {type: sum(part.types[type] for part in parts) / whole for type in types}
    return Shape(whole / notes, shares)


def generate(notes: int, seed: int = 0, shape: Shape | None = None) -> Iterator[Document]:
    """The same notes for the same numbers."""
    shape = shape or study_shape()
    chance = random.Random(seed)
    phrases = tomllib.loads((HERE / "phrases.toml").read_text(encoding="utf-8"))
    values = Values(chance)
    drawn = [chance.gammavariate(3.0, 1.0) for _ in range(notes)]
    scale = shape.length * notes / sum(drawn) if notes else 0.0
    # What a type is owed in words; it begins somewhere, so that rare types come by chance.
    owed = {type: chance.uniform(0, 1) for type in shape.shares}
    patient, number = 99, 0
    for size in drawn:
        if not number or chance.random() < PATIENTS / NOTES:
            patient, number = patient + 1, 0
            values.next_patient()
        number += 1
        length = max(SHORTEST, round(size * scale))
        text, spans = _note(length, shape, owed, values, phrases)
        yield Document(f"{patient}-{number:02}", text, spans)


def _note(
    length: int, shape: Shape, owed: dict[str, float], values: Values, phrases: Mapping[str, Any]
) -> tuple[str, tuple[Span, ...]]:
    """First the identifiers that are owed, then sentences without any until it is long enough."""
    chance = values.chance
    sentences: list[Sentence] = []
    for type, share in shape.shares.items():
        owed[type] += share * length
        while owed[type] >= 1:
            value = values.draw(type)
            owed[type] -= len(words(value))
            sentences.append(
                _filled(chance.choice(phrases["mentions"][type]), phrases, chance, type, value)
            )
    headings = chance.sample(phrases["headings"], chance.randint(3, 6))
    count = sum(map(_count, sentences)) + sum(len(words(heading)) for heading in headings)
    while count < length - HALF:
        plain = _filled(chance.choice(phrases["sentences"]), phrases, chance)
        sentences.append(plain)
        count += _count(plain)
    chance.shuffle(sentences)
    return _joined(sentences, headings, chance)


def _filled(
    template: str,
    phrases: Mapping[str, Any],
    chance: random.Random,
    type: str = "",
    value: str = "",
) -> Sentence:
    """A template with its slots filled; the empty one is the identifier's."""
    sentence: Sentence = []
    end = 0
    for slot in _SLOT.finditer(template):
        sentence.append(template[end : slot.start()])
        name = slot.group(1)
        sentence.append(chance.choice(phrases["lists"][name]) if name else (type, value))
        end = slot.end()
    return [*sentence, template[end:]]


def _count(sentence: Sentence) -> int:
    return len(words("".join(piece if isinstance(piece, str) else piece[1] for piece in sentence)))


def _joined(
    sentences: Sequence[Sentence], headings: Sequence[str], chance: random.Random
) -> tuple[str, tuple[Span, ...]]:
    """Sentences on lines, some under a heading."""
    text = ""
    marks: list[tuple[int, int, str]] = []
    places = sorted(chance.sample(range(len(sentences)), min(len(headings), len(sentences))))
    under = dict(zip(places, headings, strict=False))
    for place, sentence in enumerate(sentences):
        if place in under:
            text += f"\n\n{under[place]}\n"
        for piece in sentence:
            if isinstance(piece, tuple):
                marks.append((len(text), len(text) + len(piece[1]), piece[0]))
                text += piece[1]
            else:
                text += piece
        text += "\n" if chance.random() < 0.3 else " "
    return text, tuple(Span.of(text, *mark) for mark in marks)


class Values:
    """Identifiers of each type; those of the patient stay from note to note."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        names = name_bank("en_US")
        self.given = [
            name
            for sex in "FM"
            for name in names.names(NameClass("given", sex, 1, "w"))  # type: ignore[arg-type]
        ]
        self.surnames = names.names(NameClass("surname", "-", 1, "w"))
        places = place_bank("en_US")
        self.states = [region for code, region in places.regions.items() if code.startswith("US-")]
        self.countries = [region.names[0] for region in places.countries.values()]
        self.towns = [
            town
            for region in self.states
            for size in ("large", "small")
            for town in places.towns(region.code, size)
        ]
        self.saints = organization_bank("en_US").kinds["saints"]
        jobs = profession_bank("en_US").levels
        self.jobs = [job for level in jobs.values() for job in level]
        self.makers: Mapping[str, Callable[[], str]] = {
            "DATE": self.date,
            "DOCTOR": self.doctor,
            "HOSPITAL": self.hospital,
            "PATIENT": self.patient_name,
            "AGE": lambda: str(self.age + chance.choice((0, 0, 0, 1, 12, -20))),
            "STREET": self.street,
            "MEDICALRECORD": lambda: self.record,
            "CITY": lambda: chance.choice(self.towns),
            "PROFESSION": lambda: chance.choice(self.jobs),
            "PHONE": lambda: self.shaped("###-###-####", "(###) ###-####", "#####", "x#####"),
            "STATE": lambda: chance.choice(chance.choice(self.states).names),
            "USERNAME": lambda: self.shaped("aa##", "aaa###", "aa#"),
            "IDNUM": lambda: self.shaped("#-#######", "AA:#####:####", "#########", "A##-####"),
            "ORGANIZATION": self.organization,
            "ZIP": lambda: self.shaped("#####"),
            "COUNTRY": lambda: chance.choice(self.countries),
            "LOCATION-OTHER": lambda: (
                f"{chance.choice(self.surnames)} {chance.choice(('Bridge', 'Pond', 'Park', 'Turnpike'))}"
            ),
            "FAX": lambda: self.shaped("###-###-####"),
            "URL": lambda: f"www.{self.shaped('aaaaaa')}.org",
            "EMAIL": lambda: f"{self.shaped('aaaa##')}@{self.shaped('aaaaa')}.com",
            "HEALTHPLAN": lambda: self.shaped("AA#######"),
            "BIOID": lambda: self.shaped("AA-####-A"),
            "DEVICE": lambda: self.shaped("AAA######", "########"),
        }
        self.next_patient()

    def next_patient(self) -> None:
        """Another person."""
        self.first, self.last = self.chance.choice(self.given), self.chance.choice(self.surnames)
        self.record = self.shaped("#######", "###-##-##-#", "########")
        self.age, self.year = self.chance.randint(34, 88), self.chance.randint(2060, 2099)

    def draw(self, type: str) -> str:
        """One identifier."""
        return self.makers[type]()

    def shaped(self, *forms: str) -> str:
        """One of the forms, its signs drawn: # a digit, A and a letters."""
        signs = {"#": "0123456789", "A": _TALL, "a": _SMALL}
        form = self.chance.choice(forms)
        return "".join(self.chance.choice(signs[sign]) if sign in signs else sign for sign in form)

    def date(self) -> str:
        """In the forms of the corpus, years in the future."""
        month, day = self.chance.randint(1, 12), self.chance.randint(1, 28)
        name = MONTHS[month - 1]
        return self.chance.choice(
            (
                f"{self.year}-{month:02}-{day:02}",
                f"{month}/{day}/{self.year}",
                f"{month:02}/{day:02}/{self.year % 100:02}",
                f"{month}/{day}",
                f"{name} {day}, {self.year}",
                f"{name} {self.year}",
                f"{self.year - self.chance.randint(0, 9)}",
                name,
            )
        )

    def doctor(self) -> str:
        """In full, the last name first, or the last name alone."""
        first, last = self.chance.choice(self.given), self.chance.choice(self.surnames)
        return self.chance.choice(
            (last, last, f"{first} {last}", f"{last}, {first}", f"{first[0]}. {last}")
        )

    def patient_name(self) -> str:
        """Of the patient, in full or not."""
        full = f"{self.first} {self.last}"
        return self.chance.choice(
            (self.last, self.last, full, f"{self.last}, {self.first}", self.first)
        )

    def hospital(self) -> str:
        """Of a town, of a saint, or in letters."""
        chance = self.chance
        town, saint = chance.choice(self.towns), chance.choice(self.saints)
        kind = chance.choice(("Hospital", "Medical Center", "Clinic", "Memorial Hospital"))
        return chance.choice((f"{town} {kind}", f"St. {saint} {kind}", self.shaped("AAA", "AAAA")))

    def organization(self) -> str:
        """An employer or a club."""
        end = self.chance.choice(
            ("Industries", "Foods", "Bank", "Elementary School", "Rotary Club", "Insurance")
        )
        return f"{self.chance.choice(self.surnames)} {end}"

    def street(self) -> str:
        """A number and a street."""
        end = self.chance.choice(("Street", "St", "Avenue", "Ave", "Road", "Rd", "Lane", "Drive"))
        return f"{self.chance.randint(1, 998)} {self.chance.choice(self.surnames)} {end}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder to write into")
    parser.add_argument("--notes", type=int, default=1223, help="how many (the study's 1223)")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    write(generate(given.notes, given.seed), given.output, "i2b2")


if __name__ == "__main__":
    main()
