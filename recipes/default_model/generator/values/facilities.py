"""Hospitals, clinics, homes and laboratories; full, short, and as letters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from generator.capitals import surname_case
from generator.gazetteer import Gazetteers, Listing

_SAINTS = (
    "Brendan", "Casimir", "Ursula", "Dunstan", "Blaise", "Columba", "Hedwig", "Ignatius", "Monica",
    "Vincent", "Agnes", "Bernard", "Clare", "Elizabeth", "Francis", "Jude", "Luke", "Raphael",
    "Martin", "Anthony", "Joseph", "Mary", "Rita", "Thomas", "Camillus", "Kateri", "Odile", "Alban",
    "Barnabas", "Cecilia", "Gerard", "Helena", "John", "Peter", "Anne", "Catherine", "David",
)  # fmt: skip
_NATURE = (
    "Cedar", "Juniper", "Maple", "Willow", "Aspen", "Birch", "Pine", "Oak", "Elm", "Laurel", "Heron",
    "Falcon", "Eagle", "Raven", "Harbor", "Lake", "River", "Prairie", "Mesa", "Canyon", "Summit",
    "Valley", "Bay", "Coastal", "Highland", "Meadow", "Stone", "Silver", "Copper", "Iron", "Golden",
    "Blue", "Red", "Green", "White", "Sunrise", "Northern", "Southern", "Western", "Eastern", "Tri",
)  # fmt: skip
_LAND = (
    "Ridge", "Creek", "Valley", "Hill", "Hills", "Bluff", "Falls", "Bend", "Crossing", "Point",
    "Springs", "Grove", "Hollow", "Bay", "Shore", "Lake", "River", "Fork", "Flats", "Mesa", "Peak",
    "Plains", "Rock", "Haven", "Glen", "Brook", "Field", "Meadows", "Pass", "Gate", "View",
)  # fmt: skip
_TAILS = {
    "hospital": (
        "Hospital", "Medical Center", "Memorial Hospital", "Regional Medical Center", "General Hospital",
        "Community Hospital", "University Hospital", "Health", "Memorial", "General", "Regional",
        "Medical Ctr", "Med Center", "Hosp", "Children's Hospital", "VA Medical Center", "Infirmary",
        "Regional", "Community", "District Hospital", "Heart Hospital", "Health System", "Mercy",
        "Rehabilitation Hospital", "Behavioral Health Hospital", "County Hospital", "Deaconess",
        "Presbyterian", "Baptist", "Methodist", "Lutheran", "Clinic", "Cancer Center",
    ),
    "clinic": (
        "Family Medicine", "Clinic", "Family Practice", "Primary Care", "Internal Medicine",
        "Pediatrics", "Women's Health", "Cardiology Associates", "Orthopedics", "Urgent Care",
        "Family Health Center", "Medical Group", "Dermatology", "Eye Center", "GI Associates",
        "Neurology", "Community Health Center", "Walk-In Clinic", "Health Center", "OB/GYN",
        "Internists", "Surgical Associates", "Pain Center", "Counseling", "Behavioral Health",
        "Physical Therapy", "Dental", "Oncology", "Heart & Vascular", "Kidney Care", "Imaging",
    ),
    "nursing": (
        "Manor", "Nursing Home", "Nursing & Rehab", "Care Center", "Rehab", "Assisted Living", "SNF",
        "Health & Rehabilitation", "Village", "Terrace", "Convalescent Home", "Memory Care", "Place",
        "House", "Senior Living", "Extended Care", "Skilled Nursing", "Lodge", "Gardens", "Home",
    ),
    "home_care": (
        "Home Health", "Home Care", "Hospice", "VNA", "Visiting Nurses", "Hospice & Palliative Care",
        "Visiting Nurse Association", "Home Nursing", "HHA", "Hospice House",
    ),
    "lab": (
        "Labs", "Laboratories", "Diagnostics", "Pathology Associates", "Reference Lab", "Clinical Lab",
        "Pathology", "Genomics", "Molecular", "Lab", "Path Lab", "Imaging", "Radiology", "Open MRI",
    ),
    "dialysis": ("Dialysis", "Kidney Center", "Dialysis Center", "Renal Care", "Kidney Care", "Renal"),
    "program": (
        "Recovery", "Recovery Center", "Detox", "Methadone Clinic", "Treatment Center", "Day Program",
        "Adult Day", "House", "Outpatient Program", "Counseling Center", "Rehab", "Crisis Center",
    ),
}  # fmt: skip
_GENERIC = re.compile(
    r"\s+(?:hospitals?|medical|cent(?:er|re)|ctr\.?|clinics?|health(?:care)?|system|memorial|regional"
    r"|community|general|care|inc|associates|group|home|nursing|rehab\w*|services|of|and|&|the|at"
    r"|hospice|dialysis|university|family|medicine|practice|institute)\b.*$",
    re.IGNORECASE,
)


_COINED = (
    ("Med", "Care", "Quick", "Well", "Bio", "Path", "Nova", "Opti", "Vita", "Cura", "Neo", "True", "Bright", "Clear", "Swift",
     "Prime", "Live", "Next", "One", "Alta", "Omni", "Terra", "Sun", "Bay", "Peak", "Lake", "North", "Gulf", "Cap", "Tru"),
    ("Med", "Care", "Path", "Lab", "Well", "Point", "Bridge", "Scan", "Spring", "Health", "Life", "Start", "Step", "Now", "Gen",
     "Derm", "Vision", "Ray", "Dx", "Cure", "Path", "Kids", "Mind", "Heart", "Way", "First", "Link", "Nest", "Dent", "Sleep"),
)  # fmt: skip
_ODD = {
    "hospital": ("{t} Heart", "{h} Women & Infants", "{h} Main", "{t} Health Campus", "{c} {t}", "{h} Shriners", "{t} Surgical"),
    "clinic": (
        "{c}", "{c} {t}", "{c} - {t}", "{c} Urgent Care", "{c} Peds", "{t} Radiation", "{t} Infusion", "{t} Express Care", "{t} Skin",
        "{t} Eye", "{h} Spine", "{c} of {t}", "{h} at {t}", "{c} Virtual", "{t} Foot & Ankle", "{h} Fertility", "{t} Allergy", "{c} Now",
        "{h} Sleep", "{t} VA Outpatient Clinic", "{h} EP Lab", "{t} Public Health", "{t} Student Health", "Clinica {h}",
    ),
    "nursing": ("{t} Court", "Villa {h}", "Casa {h}", "{h} at {t}", "The {h}", "{h} Commons", "{h} on the Lake"),
    "home_care": ("{c} at Home", "{h} at Home", "{t} at Home", "{c} Hospice", "{c} Homecare", "{h} Angels"),
    "lab": ("{c}", "{c}", "{c} {t}", "{c} Reference", "{h} Genetics", "{t} Blood Center", "{c} Teleradiology"),
    "dialysis": ("{c} {t}", "{c} Renal", "{h} Home Dialysis", "{c} Kidney {t}"),
    "program": ("Casa {h}", "{h} House", "{c}", "New {h}", "{h} Infant Program", "{c} at Home", "{h} Ranch", "{t} MMTP", "Project {h}", "{h} PHP"),
}  # fmt: skip


@dataclass(frozen=True)
class Facility:
    """A facility with its full name, what people call it, and its letters."""

    full: str
    short: str
    letters: str


def draw_facility(rng: Random, lists: Gazetteers, kind: str) -> Facility:
    """A facility of a kind in `_TAILS`: from the lists, or invented."""
    listings: dict[str, Listing] = {
        "hospital": lists.hospitals, "nursing": lists.nursing, "home_care": lists.home_care,
        "dialysis": lists.dialysis, "clinic": lists.practices,
    }  # fmt: skip
    listing = listings.get(kind)
    if listing is not None and rng.random() < 0.3:
        full = listing.draw(rng)
        return Facility(full, _GENERIC.sub("", full.removeprefix("The ")), letters(full))
    head = proper_head(rng, lists)
    if rng.random() < 0.14:
        full = rng.choice(_ODD[kind]).format(h=head, t=lists.cities.draw(rng), c=coined(rng))
        return Facility(full, full, full)
    tail = rng.choice(_TAILS[kind])
    full = f"{head} {tail}"
    if kind == "hospital" and rng.random() < 0.08:
        full = rng.choice(("Hospital of {}", "University of {} Hospital", "{} Heart & Vascular Institute", "{} Hospital of the Valley", "{} Women's & Children's", "{} Center for Women", "{} Ear, Nose & Throat", "{} Medical Center, P.C.", "The {} Clinic", "{} Institute", "{} Center for Health")).format(head)  # fmt: skip
    return Facility(full, head, letters(full))


def coined(rng: Random) -> str:
    """A brand of two words in one, as urgent cares and laboratories call themselves: `NovaPath`."""
    front, back = (rng.choice(parts) for parts in _COINED)
    return f"{front}{back}" if front != back else f"{front}Plus"


def proper_head(rng: Random, lists: Gazetteers) -> str:
    """The naming part: a saint, a family, a town, a landscape."""
    chance = rng.random()
    if chance < 0.17:
        saint = rng.choice(_SAINTS)
        return f"{rng.choice(('St. ', 'St ', 'Saint ', 'St. '))}{saint}{rng.choice((chr(39) + 's', chr(39) + 's', ''))}"
    if chance < 0.40:
        return lists.cities.draw(rng)
    if chance < 0.62:
        return f"{rng.choice(_NATURE)} {rng.choice(_LAND)}"
    if chance < 0.70:
        return rng.choice(("Sacred Heart", "Good Samaritan", "Holy Cross", "Our Lady of Hope", "Mercy", "Providence", "Trinity", "Bethesda", "Mount Sinai", "Beth Israel", "Good Shepherd", "Holy Family", "Divine Mercy", "Hope", "Grace", "Unity"))  # fmt: skip
    if chance < 0.78:
        return f"{surname_case(lists.surnames.draw(rng))}-{surname_case(lists.surnames.draw(rng))}"
    if chance < 0.84:
        return f"{rng.choice(_NATURE)}{rng.choice(_LAND).lower()}"
    return surname_case(lists.surnames.draw(rng))


def letters(name: str) -> str:
    """`St. Brendan's Regional Medical Center` as `SBRMC`; at least three letters."""
    found = "".join(word[0] for word in re.findall(r"[A-Za-z]+", name) if word[0].isupper())
    return found if len(found) > 2 else (found + "MCH")[:4]


_WARDS = (
    "{n} {f}", "{n} {f}", "{n} {f}", "{f} {n}", "{f} {n}", "{n} Pavilion", "{n} Unit", "{n} Pavilion {f}", "{n} {f} West",
    "{n} Ward", "{n} Tower {f}", "{n} {f}{s}", "{f} {n} {w}", "{n}-{f}", "{n} House", "{n} Wing", "{n} Bldg {f}",
)  # fmt: skip


def unit(rng: Random, lists: Gazetteers) -> str:
    """A named ward: `Hallam 3`, `5W`. The bare `5 West` is left out: the corpus has it both ways."""
    floor = rng.randint(2, 12)
    if rng.random() < 0.25:
        return f"{floor}{rng.choice('ABCDEWNS')}"
    chance = rng.random()
    if chance < 0.25:
        name = proper_head(rng, lists)
    elif chance < 0.45:
        name = lists.cities.draw(rng)
    else:
        name = surname_case(lists.surnames.draw(rng))
    form = rng.choice(_WARDS)
    return form.format(
        n=name, f=floor, s=rng.choice("ABENSW"), w=rng.choice(("North", "East", "A"))
    )
