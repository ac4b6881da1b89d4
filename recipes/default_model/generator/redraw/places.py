"""New names of places and bodies: their naming words change, their generic words may stay."""

from __future__ import annotations

import re
from random import Random

from generator.capitals import like, surname_case
from generator.gazetteer import Gazetteers
from generator.redraw.codes import reshape
from generator.values import facilities, organizations

_GENERIC = frozenset(
    """hospital hospitals hosp medical center centre ctr med clinic clinics health healthcare care system memorial
    regional community general university children's childrens women's family medicine practice primary internal
    pediatrics pediatric cardiology cardiovascular heart vascular institute orthopedics orthopaedic neurology surgery
    surgical associates group physicians nursing home rehab rehabilitation manor village terrace senior living assisted
    hospice palliative dialysis kidney renal lab labs laboratory laboratories diagnostics pathology imaging radiology
    cancer oncology eye dental behavioral recovery treatment counseling psychiatric adult day program house pavilion
    tower wing unit floor north south east west upper lower new old county city state national international
    of the and at for on in & - a de del la los las el st saint mount mt fort lake river creek valley ridge hill hills
    bay beach island park point springs falls grove bridge pass airport highway hwy route rt interstate us i road rd
    street ave avenue dr drive ln lane ct court blvd way pl place ter cir pkwy apt unit suite ste box po lot rm
    school schools high elementary middle academy college district church baptist methodist lutheran catholic parish
    temple chapel episcopal presbyterian ame pentecostal insurance mutual plan hmo ppo fund trust benefit pharmacy drug
    drugs rx apothecary ambulance ems fire rescue medic police department dept sheriff's office authority services
    service agency shelter mission inc llc co company corp & sons industries foods farms steel lumber trucking
    construction transit freight lines bank credit union museum club league team post lodge council ymca vfw
    urgent walk-in emergency reference clinical genomics molecular visiting nurse nurses association vna va
    infirmary first second third court terminal gate mv ms uss m/v social security protective child women men
    supply infusion equipment public works water power electric gas housing aging food co-op farmers""".split()
)  # fmt: skip
_TOKEN = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*", re.UNICODE)
_HEADS = (
    "Cedar Juniper Maple Willow Aspen Birch Laurel Heron Falcon Raven Prairie Mesa Canyon Summit Copper Silver Granite "
    "Amber Cobalt Larkspur Sage Thistle Clover Ember Beacon Harbor Anchor Compass Meridian Zenith Northstar Evergreen "
    "Redwood Cypress Magnolia Dogwood Hickory Sycamore Bluebonnet Sagebrush Tamarack Kestrel Osprey Condor Marlin"
).split()


class PlaceRedraw:
    """The new place words of one note, the same for each mention."""

    def __init__(self, rng: Random, lists: Gazetteers) -> None:
        self._rng = rng
        self._lists = lists
        self._new: dict[str, str] = {}

    def word(self, text: str) -> str:
        """`text` with new naming words and digits."""
        return _TOKEN.sub(self._token, text)

    def _token(self, found: re.Match[str]) -> str:
        token = found[0]
        key = token.casefold()
        if any(char.isdigit() for char in token):
            return self._kept(key, lambda: reshape(token, self._rng))
        if key in _GENERIC or key.rstrip("s") in _GENERIC or (token.islower() and len(token) < 4):
            return token
        stem = re.sub(r"['’]s$", "", key)
        new = self._kept(stem, self._proper)
        if token.isupper() and 2 <= len(token) <= 5 and "." not in token:
            new = self._kept(key + " letters", lambda: self._letters(len(token)))
        ending = token[len(stem) :] if key != stem else ""
        return like(new, token) + ending

    def _kept(self, key: str, make: object) -> str:
        if key not in self._new:
            self._new[key] = make()  # type: ignore[operator]
        return self._new[key]

    def _proper(self) -> str:
        chance = self._rng.random()
        if chance < 0.45:
            return surname_case(self._lists.surnames.draw(self._rng))
        if chance < 0.7:
            return self._lists.cities.draw(self._rng).split(" ")[0]
        if chance < 0.8:
            return self._lists.world_last.draw(self._rng).split(" ")[-1]
        return self._rng.choice(_HEADS)

    def _letters(self, length: int) -> str:
        return "".join(self._rng.choices("ABCDEFGHKLMNPRSTVW", k=length))

    def hospital(self, text: str) -> str:
        """A facility anew: its words changed, or another of its kind."""
        if len(text.split()) > 1 and self._rng.random() < 0.3:
            facility = facilities.draw_facility(self._rng, self._lists, _facility_kind(text))
            return like(facility.full, text)
        return self.word(text)

    def organization(self, text: str) -> str:
        """A body anew: its words changed, or another of its kind."""
        if len(text.split()) > 1 and self._rng.random() < 0.3:
            return like(organizations.organization(self._rng, self._lists, _body_kind(text)), text)
        return self.word(text)


_FACILITY_KINDS = (
    ("nursing", r"nursing|manor|assisted|snf|terrace|senior|living|rehab"),
    ("home_care", r"home care|home health|hospice|visiting|vna"),
    ("lab", r"\blabs?\b|laborator|diagnostic|patholog|imaging|genomic|radiolog"),
    ("dialysis", r"dialysis|kidney|renal"),
    ("program", r"recovery|treatment|detox|methadone|counsel"),
    ("hospital", r"hosp|medical c|med c|regional|memorial|general|infirmary|university"),
)
_BODY_KINDS = (
    ("pharmacy", r"pharmac|drug|apothec|\brx\b"),
    ("school", r"school|elementary|academy|college|universit|\bhigh\b|head start"),
    ("church", r"church|baptist|methodist|lutheran|parish|temple|mosque|synagog|ame\b|episcopal"),
    ("insurer", r"insur|mutual|plan|hmo|ppo|health|fund|blue c"),
    ("ambulance", r"ems|ambulanc|fire|rescue|medic|air"),
    ("agency", r"department|police|sheriff|court|county|authority|services|supply|infusion"),
    ("shelter", r"shelter|mission"),
    ("club", r"club|league|post|lodge|ymca|scouts|camp"),
)


def _facility_kind(text: str) -> str:
    return next((kind for kind, words in _FACILITY_KINDS if re.search(words, text, re.I)), "clinic")


def _body_kind(text: str) -> str:
    return next((kind for kind, words in _BODY_KINDS if re.search(words, text, re.I)), "employer")
