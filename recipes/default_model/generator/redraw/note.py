"""A marked note with every identifier replaced by a new one, the same old one always alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from generator.capitals import like
from generator.pieces import Pieces
from generator.redraw.codes import reshape
from generator.redraw.dates import DateRedraw
from generator.redraw.names import NameRedraw
from generator.redraw.places import PlaceRedraw
from generator.scene import Scene
from generator.slots.people import username
from generator.values import ages, contacts, jobs, places

Mark = tuple[int, int, str]
"""Start, end and type of an identifier in the old text."""

_CODES = {
    "SSN": "ssn", "MEDICALRECORD": "mrn", "HEALTHPLAN": "plan", "ACCOUNT": "account",
    "DEVICE": "device", "BIOID": "biometric",
}  # fmt: skip
_VERBS = re.compile(
    r"(?:drives?|drove|driving|picks?|cleans?|teach(?:es)?|farms?|works?|fish(?:es)?|hauls?|sells?|runs?|cooks?"
    r"|paints?|builds?|digs?|milks?|raises?|\w+ing)\b",
    re.IGNORECASE,
)


class Redraw:
    """Replaces the identifiers of one note."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._names = NameRedraw(scene.rng, scene.lists, scene.pool.lend_name)
        self._dates = DateRedraw(scene.rng)
        self._places = PlaceRedraw(scene.rng, scene.lists)
        self._done: dict[tuple[str, str], str] = {}

    def note(self, text: str, marks: Sequence[Mark]) -> Pieces:
        """The note with new values."""
        people = [text[start:end] for start, end, type in marks if type in ("PATIENT", "DOCTOR")]
        self._names.learn(sorted(people, key=len, reverse=True))
        pieces: Pieces = []
        last = 0
        for start, end, type in marks:
            before, value = text[last:start], text[start:end]
            new = self._value(type, value, text[max(0, start - 24) : start], text[end : end + 16])
            pieces += [(_article(before, new) if type == "PROFESSION" else before, ""), (new, type)]
            last = end
        pieces.append((text[last:], ""))
        return pieces

    def _value(self, type: str, value: str, before: str, after: str) -> str:
        if type in ("PATIENT", "DOCTOR"):
            return self._names.draw(value, before, after, type == "DOCTOR")
        key, scene = (type, value), self._scene
        if key not in self._done:
            lent = None if _VERBS.match(value) else scene.pool.lend(type, value, scene.rng)
            self._done[key] = lent or _DRAWERS[type](self, value)
        return self._done[key]

    def _age(self, value: str) -> str:
        rng = self._scene.rng
        if re.fullmatch(r"\d0['’]?s", value):
            return ages.decade(rng.randint(20, 99), rng)
        if value.isdigit():
            return str(max(1, int(value) + rng.randint(-9, 9)))
        return re.sub(r"\d+", lambda found: str(max(1, int(found[0]) + rng.randint(-3, 3))), value)

    def _job(self, value: str) -> str:
        if _VERBS.match(value):
            return value
        job = jobs.title(self._scene.rng, self._scene.lists)
        return like(job.capitalize() if value[:1].isupper() and job.islower() else job, value)

    def _code(self, type: str) -> Callable[[str], str]:
        def draw(value: str) -> str:
            if type in _CODES and len(value) > 4 and self._scene.rng.random() < 0.3:
                return self._scene.code(_CODES[type])
            return reshape(value, self._scene.rng)

        return draw

    def _phone(self, value: str) -> str:
        digits = sum(char.isdigit() for char in value)
        if digits == 10 and self._scene.rng.random() < 0.4:
            return contacts.number(self._scene.rng)
        return reshape(value, self._scene.rng, letters=0)

    def _email(self, value: str) -> str:
        person = self._scene.person("friend")
        word = self._places.word("Clinic Word")
        return like(contacts.email(self._scene.rng, person.first, person.last, word), value)

    def _url(self, value: str) -> str:
        return like(
            contacts.url(self._scene.rng, self._scene.lists.surnames.draw(self._scene.rng)), value
        )

    def _username(self, value: str) -> str:
        if len(value) <= 4 or self._scene.rng.random() < 0.3:
            letters = "abcdefghijklmnoprstuvwyz"
            return "".join(
                like(self._scene.rng.choice(letters), char + char) if char.isalpha() else char
                for char in reshape(value, self._scene.rng, letters=0)
            )
        role = self._scene.rng.choice(("dr", "rn", "friend", "kin"))
        return like(username(self._scene.person(role), self._scene), value)

    def _city(self, value: str) -> str:
        if value.casefold().endswith("county"):
            return like(self._scene.lists.counties.draw(self._scene.rng), value)
        return like(places.city(self._scene.rng, self._scene.lists), value)

    def _state(self, value: str) -> str:
        if len(value) == 2 and value.isupper():
            return places.state(self._scene.rng, long=False)
        return like(places.state(self._scene.rng, long=True), value)

    def _zip(self, value: str) -> str:
        return self._scene.lists.zips.draw(self._scene.rng) if value.isdigit() else reshape(value, self._scene.rng, 1.0)  # fmt: skip

    def _street(self, value: str) -> str:
        if self._scene.rng.random() < 0.5 and value[:1].isdigit():
            return like(places.street(self._scene.rng, self._scene.lists), value)
        return self._places.word(value)

    def _landmark(self, value: str) -> str:
        if self._scene.rng.random() < 0.35:
            return like(places.landmark(self._scene.rng, self._scene.lists), value)
        return self._places.word(value)


def _article(before: str, job: str) -> str:
    """`a` or `an` before a new job."""
    right = "an" if job[:1].lower() in "aeio" else "a"
    return re.sub(r"(?<=\b)an?(?= $)", right, before)


_DRAWERS: dict[str, Callable[[Redraw, str], str]] = {
    "USERNAME": Redraw._username,
    "PROFESSION": Redraw._job,
    "HOSPITAL": lambda redraw, value: redraw._places.hospital(value),
    "ORGANIZATION": lambda redraw, value: redraw._places.organization(value),
    "STREET": Redraw._street,
    "CITY": Redraw._city,
    "STATE": Redraw._state,
    "COUNTRY": lambda redraw, value: like(
        places.country(redraw._scene.rng, redraw._scene.lists), value
    ),
    "ZIP": Redraw._zip,
    "LOCATION-OTHER": Redraw._landmark,
    "AGE": Redraw._age,
    "DATE": lambda redraw, value: redraw._dates.draw(value),
    "PHONE": Redraw._phone,
    "FAX": Redraw._phone,
    "EMAIL": Redraw._email,
    "URL": Redraw._url,
    "IPADDR": lambda redraw, value: contacts.ip_address(redraw._scene.rng),
    **{
        type: lambda redraw, value, type=type: redraw._code(type)(value)  # type: ignore[misc]
        for type in (
            "SSN",
            "MEDICALRECORD",
            "HEALTHPLAN",
            "ACCOUNT",
            "LICENSE",
            "VEHICLE",
            "DEVICE",
            "BIOID",
            "IDNUM",
        )
    },
}
