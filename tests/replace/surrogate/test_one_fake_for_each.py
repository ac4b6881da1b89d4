"""The promise of docs/surrogates.md: one fake for each, whatever else a note names, and no two alike."""

from __future__ import annotations

from random import Random

import pytest

from incognote.document import Document, Span
from incognote.replace import parse_operators, rewrite
from incognote.replace.surrogate.banks import name_bank
from incognote.replace.surrogate.kernel import Keyed, Mention
from incognote.replace.surrogate.organizations import OrganizationSurrogates
from incognote.replace.surrogate.people import Hint, Part, PeopleSurrogates, fake_of
from incognote.replace.surrogate.people_parse import PersonMention
from incognote.replace.surrogate.places import PlaceSurrogates
from incognote.replace.surrogate.settings import SurrogateSettings

KEY = b"a key of the tests"
BANK = name_bank("en_US")
ONSETS, VOWELS = "b d f g k l m n p r s t v z kw sk tr".split(), "a e i o u ai".split()


def names(home: str) -> list[str]:
    """Names of the bank, the frequent and the rare, and those that are never drawn."""
    lines = [line for line in BANK.lines if line.of.home == home]
    return [name for line in lines for name in line.names.split()]


def stranger(random: Random) -> str:
    """A surname that is in no list."""
    word = "".join(random.choice(ONSETS) + random.choice(VOWELS) for _ in range(4)).capitalize()
    return stranger(random) if BANK.find(word.lower()) else word


def doctors(number: int, random: Random, *, strange: bool = True) -> list[str]:
    """Different doctors; every fifth has a surname that is in no list."""
    given, surnames = names("given"), names("surname")
    found: dict[str, None] = {}
    while len(found) < number:
        last = stranger(random) if strange and len(found) % 5 == 0 else random.choice(surnames)
        found[f"{random.choice(given)} {last}"] = None
    return list(found)


def note_of(values: list[tuple[str, str]], patient: str) -> Document:
    text, spans = "", []
    for type, value in values:
        text += "Dr. " if type == "DOCTOR" else ""
        spans.append(Span(len(text), len(text) + len(value), type, value))
        text += f"{value}\n"
    return Document("", text, tuple(spans), patient)


def replaced(document: Document) -> list[str]:
    settings = SurrogateSettings(consistent="corpus")
    operators = parse_operators("surrogate", key=KEY, surrogates=settings)
    return [span.text for span in rewrite(document, operators).document.spans]


def test_a_thousand_doctors_of_a_corpus_have_a_thousand_fakes() -> None:
    several = doctors(1000, Random(1))
    fakes = {replaced(note_of([("DOCTOR", name)], name))[0] for name in several}
    assert len(fakes) == 1000


def test_nineteen_other_doctors_in_the_note_change_no_fake() -> None:
    several = doctors(2000, Random(2), strange=False)
    alone = {name: replaced(note_of([("DOCTOR", name)], "one"))[0] for name in several}
    for start in range(0, len(several), 20):
        together = several[start : start + 20]
        fakes = replaced(note_of([("DOCTOR", name) for name in together], "two"))
        assert fakes == [alone[name] for name in together]


def test_a_doctor_whose_fake_is_a_name_of_the_note_keeps_it() -> None:
    """The change would tell that name."""
    fake = replaced(note_of([("DOCTOR", "Ama Brandt")], "one"))[0]
    for type in ("DOCTOR", "PATIENT", "HOSPITAL", "CITY"):
        assert replaced(note_of([("DOCTOR", "Ama Brandt"), (type, fake)], "one"))[0] == fake


@pytest.mark.parametrize("type", ["PATIENT", "DOCTOR"])
def test_words_of_the_bank_become_different_words(type: str) -> None:
    keyed = Keyed.of(KEY, "people", "everywhere")
    lines = [line for line in BANK.lines if line.of.home != "stem"]
    words = [(word.replace("'", "").lower(), line) for line in lines for word in line.names.split()]
    fakes: dict[str, str] = {}
    for word, line in words[::5]:
        of = line.of
        ring = BANK.ring(word, BANK.find(word))  # type: ignore[arg-type]
        hint = Hint("given" if of.home == "given" else "surname", of.gender)
        fake = fake_of(Part(type, word), hint, keyed, BANK).lower()
        assert fake != word
        if ring:
            assert fakes.setdefault(fake, word) == word
    assert len(fakes) > 10_000


def test_words_in_no_list_seldom_share_a_fake() -> None:
    """From more than a million words: of 3,000 about three pairs."""
    random = Random(3)
    keyed = Keyed.of(KEY, "people", "everywhere")
    words = sorted({stranger(random).lower() for _ in range(3000)})
    fakes = {fake_of(Part("DOCTOR", word), Hint("surname", "U"), keyed, BANK) for word in words}
    assert len(words) - len(fakes) <= 30


def test_with_names_to_avoid_different_words_still_become_different_words() -> None:
    """As with a scan: every name that is real somewhere is to be avoided."""
    keyed = Keyed.of(KEY, "people", "everywhere")
    of = next(line.of for line in BANK.lines if line.of.home == "surname" and line.drawn)
    real = {name.lower() for name in BANK.names(of)[::3]}
    fakes = [
        fake_of(Part("DOCTOR", word), Hint("surname", "U"), keyed, BANK, real) for word in real
    ]
    assert len({fake.lower() for fake in fakes}) == len(real)
    assert not real & {fake.lower() for fake in fakes}
    listed = [fake for fake in fakes if BANK.find(fake.lower())]
    assert len(listed) > 0.9 * len(fakes)


def test_other_institutions_and_streets_change_no_word() -> None:
    random = Random(4)
    hospitals = [
        f"{stranger(random)} {random.choice(('Creek', 'Ridge'))} Clinic" for _ in range(200)
    ]
    streets = [f"{random.randrange(10, 999)} {stranger(random)} Street" for _ in range(200)]
    for family, texts, type in (
        (OrganizationSurrogates(KEY, "p"), hospitals, "HOSPITAL"),
        (PlaceSurrogates(KEY, "p"), streets, "STREET"),
    ):
        together = family.replace_all([Mention(text, type) for text in texts])
        assert together == [family.replace_all([Mention(text, type)])[0] for text in texts]
        assert len(set(together)) == len(set(texts))


def test_other_states_change_no_state() -> None:
    places = PlaceSurrogates(KEY, "p")
    states = ["Maine", "Ohio", "Texas", "Utah", "New York", "Iowa", "Nevada", "West Virginia"]
    together = places.replace_all([Mention(state, "STATE") for state in states])
    assert together == [places.replace_all([Mention(s, "STATE")])[0] for s in states]


def test_the_names_of_doctors_tell_nothing_of_patients_of_the_same_name() -> None:
    people = PeopleSurrogates(KEY, "everywhere")
    surnames = names("surname")[::400]
    as_doctor = people.replace_all([PersonMention(f"J. {name}", "DOCTOR") for name in surnames])
    as_patient = people.replace_all([PersonMention(f"J. {name}", "PATIENT") for name in surnames])
    same = sum(one == other for one, other in zip(as_doctor, as_patient, strict=True))
    assert same <= 2
