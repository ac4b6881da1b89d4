"""Slots for places, facilities, organizations and jobs."""

from __future__ import annotations

from generator.pieces import Pieces
from generator.scene import Scene
from generator.slots.slot import Slot, typed
from generator.values import abroad, facilities, jobs, organizations, places
from generator.values.agencies import AGENCIES

_FACILITIES = {
    "hosp": "hospital", "hosp2": "hospital2", "hosp3": "hospital3", "clinic": "clinic",
    "clinic2": "clinic2", "snf": "nursing", "homecare": "home_care", "lab": "lab", "lab2": "lab2",
    "dialysis": "dialysis", "program": "program",
}  # fmt: skip
_ORGANIZATIONS = (
    "employer", "school", "church", "insurer", "ambulance", "pharmacy", "agency", "shelter", "club",
)  # fmt: skip


def _facility(role: str) -> Slot:
    def slot(scene: Scene, form: str) -> Pieces:
        facility = scene.facility(role)
        chance = scene.rng.random()
        if not form:
            form = "full" if chance < 0.62 else "short" if chance < 0.88 else "letters"
        name = {"full": facility.full, "short": facility.short, "letters": facility.letters}.get(
            form
        )
        if name is None:
            name = facility.full.upper()
        return [(name, "HOSPITAL")]

    return slot


def _job(scene: Scene, form: str) -> Pieces:
    job = jobs.title(scene.rng, scene.lists)
    if form == "cap":
        job = job[:1].upper() + job[1:]
    elif form == "a":
        article = "an" if job[:1].lower() in "aeiou" and not job.startswith(("uni", "u.s")) else "a"
        return [(f"{article} ", ""), (job, "PROFESSION")]
    return [(job, "PROFESSION")]


def _street(scene: Scene) -> str:
    if scene.country:
        return abroad.street(scene.rng, scene.lists, scene.country)
    return places.street(scene.rng, scene.lists)


def _town(scene: Scene) -> str:
    towns = scene.lists.abroad[scene.country] if scene.country else scene.lists.cities
    return towns.draw(scene.rng)


def _county(scene: Scene, form: str) -> Pieces:
    """A county; `bare` where the form's label says that it is one."""
    name = scene.lists.counties.draw(scene.rng)
    return [(name.removesuffix(" County") if form == "bare" else name, "CITY")]


def _state(scene: Scene, long: bool | None = None) -> str:
    if scene.country and (provinces := abroad.LOCALES[scene.country].provinces):
        return scene.rng.choice(provinces)
    return places.state(scene.rng, long)


def _of(wanted: str) -> Slot:
    """A place or telephone of one country, wherever the note is from; facilities stay the same.

    Where the gazetteers have no towns of it, those of another stand in.
    """

    def slot(scene: Scene, form: str) -> Pieces:
        rng, known = scene.rng, scene.lists.abroad
        country = wanted if wanted in known else min(known)
        if form == "street":
            return [(abroad.street(rng, scene.lists, country), "STREET")]
        if form == "zip":
            return [(abroad.postcode(rng, country), "ZIP")]
        if form == "phone":
            return [(abroad.phone(rng, country), "PHONE")]
        if form == "fax":
            return [(abroad.phone(rng, country), "FAX")]
        if form == "state" and (provinces := abroad.LOCALES[country].provinces):
            return [(rng.choice(provinces), "STATE")]
        if form in ("hosp", "hospshort", "clinic", "clinicshort"):
            kind = form.removesuffix("short")
            full, word = abroad.facility_name(rng, scene.lists, country, hospital=kind == "hosp")
            full, word = scene.kept(f"{country} {kind}", f"{full}\n{word}").split("\n")
            return [(word if form.endswith("short") else full, "HOSPITAL")]
        return [(scene.lists.abroad[country].draw(rng), "CITY")]

    return slot


_PRISONS = ("{} Correctional", "{} Correctional Institution", "{} State Prison", "FCI {}", "HMP {}", "{} County Jail", "HMP & YOI {}", "{} Detention Centre", "SCI {}", "USP {}", "{} Remand Centre", "{} Work Camp", "Camp {}")  # fmt: skip
_REGIMENTS = (
    "{a} Co, {n}-{m} IN", "{n}th Engineer Bn", "{m}th Fighter Wing", "VFA-{m}", "{n}/{m} Marines", "{m}th MP Co", "{n} Signal Regt",
    "HHC {m}th Bde", "{m} Sqn", "{n} Field Ambulance", "{a} Troop {n}-{m} CAV", "{m}th ASG", "NMCB {n}", "{n} RHA", "{m}th MXS",
)  # fmt: skip


def _prison(scene: Scene) -> str:
    return scene.rng.choice(_PRISONS).format(_town(scene))


def _regiment(scene: Scene) -> str:
    rng = scene.rng
    form = rng.choice(_REGIMENTS)
    return form.format(a=rng.choice("ABCDEF"), n=rng.randint(4, 9), m=rng.randint(14, 189))


def _zip(scene: Scene) -> str:
    if scene.country:
        return abroad.postcode(scene.rng, scene.country)
    return places.zip_code(scene.rng, scene.lists)


PLACES: dict[str, Slot] = {
    **{name: _facility(role) for name, role in _FACILITIES.items()},
    **{
        kind: typed(
            "ORGANIZATION",
            lambda scene, kind=kind: organizations.organization(scene.rng, scene.lists, kind),  # type: ignore[misc]
        )
        for kind in _ORGANIZATIONS
    },
    **{
        name: typed("ORGANIZATION", lambda scene, draw=draw: draw(scene.rng, scene.lists))  # type: ignore[misc]
        for name, draw in AGENCIES.items()
    },
    "job": _job,
    "jobdoes": typed("PROFESSION", lambda scene: jobs.doing(scene.rng)),
    "student": typed("PROFESSION", lambda scene: jobs.student(scene.rng)),
    "venture": typed("PROFESSION", lambda scene: jobs.venture(scene.rng)),
    "trade": typed("PROFESSION", lambda scene: jobs.trade(scene.rng)),
    "unit": typed("HOSPITAL", lambda scene: facilities.unit(scene.rng, scene.lists)),
    "street": typed("STREET", _street),
    "road": typed("STREET", lambda scene: places.road(scene.rng, scene.lists)),
    "city": typed("CITY", lambda scene: places.city(scene.rng, scene.lists)),
    "town": typed("CITY", _town),
    "worldcity": typed("CITY", lambda scene: scene.lists.world_cities.draw(scene.rng)),
    "county": _county,
    "state": typed("STATE", lambda scene: _state(scene)),
    "st": typed("STATE", lambda scene: _state(scene, long=False)),
    "statename": typed("STATE", lambda scene: _state(scene, long=True)),
    "zip": typed("ZIP", _zip),
    "country": typed("COUNTRY", lambda scene: places.country(scene.rng, scene.lists)),
    "us": typed("COUNTRY", lambda scene: scene.rng.choice(("US", "USA", "U.S.", "United States"))),
    "prison": typed("ORGANIZATION", _prison),
    "regiment": typed("ORGANIZATION", _regiment),
    **{country.lower(): _of(country) for country in abroad.LOCALES},
    "landmark": typed("LOCATION-OTHER", lambda scene: places.landmark(scene.rng, scene.lists)),
}
