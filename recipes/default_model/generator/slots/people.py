"""Slots for people: the patient, relatives, others, and staff."""

from __future__ import annotations

from generator.pieces import Pieces
from generator.scene import Scene
from generator.slots.slot import Slot
from generator.values import contacts, people
from generator.values.people import Person

_FORMS = {
    "full": people.full,
    "lf": people.last_first,
    "short": people.short,
    "init": people.initials,
    "header": people.header,
    "run": people.running,
    "sig": people.signed,
    "board": people.board,
    "li": people.last_initial,
    "fi": people.first_and_initial,
    "quoted": people.quoted,
    "spelled": people.spelled,
}
_DEGREES = (
    "MD", "MD", "M.D.", "DO", "D.O.", "NP", "PA-C", "RN", "MD, PhD", "FNP", "MD, MPH", "FACP", "MD FACC",
    "ARNP", "CRNP", "MBBS", "MD PGY-2", "PharmD", "DPM", "PhD", "LCSW", "PT, DPT", "RD", "CNM", "CRNA",
)  # fmt: skip
_NURSE_DEGREES = (
    "RN",
    "RN",
    "RN, BSN",
    "LPN",
    "RN BSN",
    "R.N.",
    "RN-BC",
    "CNA",
    "RN CCRN",
    "MSN, RN",
)
_SW_DEGREES = ("LCSW", "MSW", "LICSW", "LSW", "CM", "RN CM", "LMSW")
_WORDS = {
    "he": ("he", "she"), "He": ("He", "She"), "his": ("his", "her"), "His": ("His", "Her"),
    "him": ("him", "her"), "man": ("man", "woman"), "male": ("male", "female"), "M": ("M", "F"),
    "gentleman": ("gentleman", "lady"), "boy": ("boy", "girl"),
}  # fmt: skip


def title(person: Person, scene: Scene) -> str:
    """A civil title, outside the mark."""
    chance = scene.rng.random()
    if person.sex == "M":
        return "Mr." if chance < 0.8 else "Mr"
    return "Ms." if chance < 0.45 else "Mrs." if chance < 0.8 else "Ms" if chance < 0.9 else "Miss"


def _person(role: str) -> Slot:
    def slot(scene: Scene, form: str) -> Pieces:
        person = scene.person(role)
        type = "DOCTOR" if scene.is_staff(role) else "PATIENT"
        rng = scene.rng
        if form in ("first", "last", "nick"):
            return [(getattr(person, form), type)]
        if form == "mr":
            name = person.last if rng.random() < 0.85 else people.full(person, rng)
            return [(f"{title(person, scene)} ", ""), (name, type)]
        if form == "dr":
            head = rng.choice(("Dr. ", "Dr. ", "Dr. ", "Dr ", "dr. ", "Doctor "))
            name = person.last if rng.random() < 0.8 else people.full(person, rng)
            return [(head, ""), (name, type)]
        if form == "fl":
            return [(f"{person.first} {person.last}", type)]
        if form == "col":
            return [(scene.kept(f"{role} column", people.column_initials(person, rng)), type)]
        if form == "pet":
            return [(people.pet_form(person, rng), type)]
        if form == "baby":
            return [(people.newborn(person, rng), type)]
        if form == "alias":
            return [(scene.kept("alias", people.alias(rng, scene.lists)), "PATIENT")]
        if form == "Lf":
            return [(f"{person.last.upper()} {person.first}", type)]
        if form == "fL":
            return [(f"{person.first} {person.last.upper()}", type)]
        if form == "li":
            initial = person.first.lstrip("'ʻ’")[:1].upper()
            return [(f"{person.last} {initial}", type)]
        if form == "hl7":
            return [(f"{person.last}^{person.first}", type)]
        if form == "rel":
            return [(scene.relation(role), "")]
        if form == "Rel":
            return [(scene.relation(role).capitalize(), "")]
        if form == "user":
            return [(username(person, scene), "USERNAME")]
        if form == "md":
            name = people.signed(person, rng)
            return [(name, type), (rng.choice((", ", ", ", " ")) + rng.choice(_DEGREES), "")]
        if form == "rn":
            return [(people.signed(person, rng), type), (rng.choice((", ", " ")) + rng.choice(_NURSE_DEGREES), "")]  # fmt: skip
        if form == "sw":
            return [(people.signed(person, rng), type), (rng.choice((", ", " ")) + rng.choice(_SW_DEGREES), "")]  # fmt: skip
        return [(_FORMS[form or "run"](person, rng), type)]

    return slot


def username(person: Person, scene: Scene) -> str:
    """A login made of a name."""
    rng = scene.rng
    first = contacts.ascii_word(person.first) or "x"
    last = contacts.ascii_word(person.last) or "user"
    digits = str(rng.randint(1, 999))
    name = rng.choice(
        (
            f"{first[0]}{last}"[:9], f"{first[0]}{last}{digits}", f"{last}{first[0]}", f"{first}.{last}",
            f"{first[0]}{last[0]}{digits}", f"{last[:6]}{first[:2]}", f"{first}{digits}",
            f"{first[0]}.{last}", f"{last[:5]}{digits}", f"{first}_{last[:4]}", f"{last}.{rng.choice(('md', 'rn', 'np'))}",
            f"{first[0]}{first[-1]}{last[0]}{digits}", f"{first}_{last}{digits[:2]}", f"{first}.{last[0]}.{digits}",
            f"{last[:4]}_{digits}", f"{first[:3]}{last[:3]}", f"{first[0]}{last[0]}-{digits}", f"{first[0]}{last[:6]}/{digits[:1]}",
            f"{rng.choice(('p', 'ext', 'svc', 'adm'))}-{first[0]}{last}", f"{last}_{rng.choice(('rn', 'md', 'pt', 'cgm', 'proxy'))}",
        )
    )  # fmt: skip
    return name.upper() if rng.random() < 0.2 else name


def _pronoun(male: str, female: str) -> Slot:
    return lambda scene, _: [(male if scene.person("pt").sex == "M" else female, "")]


_ROLES = (
    "pt", "kin", "kin2", "kin3", "kin4", "friend", "friend2", "dr", "dr2", "dr3", "dr4", "rn", "rn2",
    "sw", "aide", "typist", "tech", "np",
)  # fmt: skip
PEOPLE: dict[str, Slot] = {role: _person(role) for role in _ROLES} | {
    word: _pronoun(*pair) for word, pair in _WORDS.items()
}
