"""Bodies that printouts name in a word of their own: patrols by letters, flight teams, plans, locals, teams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from generator.capitals import surname_case
from generator.gazetteer import Gazetteers
from generator.values.facilities import coined, proper_head

_PATROLS = ("SP", "HP", "SO", "PD", "DPS", "BI", "FD", "FR", "SD", "TA")
_BUREAUS = ("DSS", "DHS", "DFS", "DCYF", "CYF", "DJJ", "DOC", "DOT", "DVR", "OCFS", "CSB", "AAA", "DES", "DPH", "DFCS", "ACS", "APS", "HRA", "USPS", "ICE", "DOD", "USCG", "SSA")  # fmt: skip
_FLIGHT = ("Air", "Flight", "AirCare", "MedAir", "LifeNet", "Air Med", "StatFlight", "Star", "Med Flight", "Air Rescue", "Wings", "AirLink", "CareFlight", "SkyMed")  # fmt: skip
_GROUND = ("EMS", "Ambulance", "Fire", "Fire-Rescue", "Volunteer FD", "Medic", "EMS Medic", "Rescue", "MedTrans", "Paramedics", "Fire Medic", "Emergency Squad")  # fmt: skip
_PLANS = (
    "Health Plan", "Mutual", "Health", "Care Plan", "Community Plan", "Advantage", "Benefit Trust", "Welfare Fund", "Health Fund",
    "Health Cooperative", "Medicaid Plan", "Kids Plan", "Senior Plan", "Dental", "Vision", "Student Plan", "Health Alliance",
    "Health Net", "Physicians Plan", "Assurance", "Teamsters Fund", "Farm Bureau", "Tribal Health", "Employees Plan", "Choice",
)  # fmt: skip
_TRADES = ("Carpenters", "Teamsters", "Ironworkers", "IBEW", "Laborers", "Plumbers", "SEIU", "Steelworkers", "UFCW", "Roofers", "Machinists", "Longshoremen", "Painters", "Sheet Metal Workers")  # fmt: skip
_TEAMS = (
    "Wolverines", "Thunder", "Fury", "Rapids", "Storm", "Mustangs", "Lady Eagles", "Comets", "Blaze", "Rockets", "Sharks", "FC",
    "United", "Bulldogs", "Jets", "Otters", "Raiders", "Knights", "Stingrays", "Express", "Aquatics", "Wrestling Club", "Gymnastics",
)  # fmt: skip
_HELPERS = (
    "Concierge", "Interpreting", "Language Line", "Transport", "Medical Rides", "Cab", "Legal Services", "Adult Services",
    "Court", "Family Court", "District Court", "Funeral Home", "Mortuary", "Collections", "Benefits Admin", "Claims",
    "Home Infusion", "Specialty", "Medical Supply", "Respiratory", "Prosthetics", "Housing", "Food Pantry", "Legal Aid",
)  # fmt: skip


def _letters(rng: Random, lists: Gazetteers) -> str:
    if rng.random() < 0.4:
        return rng.choice(_BUREAUS)
    head = "".join(rng.choices("ABCFGHIKLMNOPRSTUVW", k=rng.choice((1, 1, 2))))
    return head + rng.choice(_PATROLS)


def _air(rng: Random, lists: Gazetteers) -> str:
    tail = rng.choice(_FLIGHT)
    name = f"{coined(rng)}{tail}" if rng.random() < 0.4 else f"{proper_head(rng, lists)} {tail}"
    return f"{name} {rng.randint(1, 19)}" if rng.random() < 0.6 else name


def _squad(rng: Random, lists: Gazetteers) -> str:
    head = proper_head(rng, lists) if rng.random() < 0.6 else lists.counties.draw(rng)
    name = f"{head} {rng.choice(_GROUND)}"
    return f"{name} {rng.randint(1, 89)}" if rng.random() < 0.4 else name


def _payer(rng: Random, lists: Gazetteers) -> str:
    chance = rng.random()
    if chance < 0.12:
        return f"{rng.choice(_TRADES)} {rng.choice(('Local', 'L.', 'Loc.'))} {rng.randint(2, 1999)} {rng.choice(('Welfare', 'Health Fund', 'Benefit Fund', 'H&W'))}"
    head = coined(rng) if chance < 0.3 else proper_head(rng, lists)
    middle = rng.choice(("", "", "", " Young Adult", " State", " Valley", " Family", " Premier", " Complete", " Public Employees"))  # fmt: skip
    return f"{head}{middle} {rng.choice(_PLANS)}"


def _local(rng: Random, lists: Gazetteers) -> str:
    return f"{rng.choice(_TRADES)} {rng.choice(('Local', 'Local', 'Lodge', 'L.'))} {rng.randint(2, 1999)}"


def _team(rng: Random, lists: Gazetteers) -> str:
    head = lists.cities.draw(rng) if rng.random() < 0.6 else surname_case(lists.surnames.draw(rng))
    ages = rng.choice(("", "", "", f" U{rng.randint(8, 19)}", f" {rng.randint(10, 18)}s", " JV", " Varsity"))  # fmt: skip
    return f"{head} {rng.choice(_TEAMS)}{ages}"


def _helper(rng: Random, lists: Gazetteers) -> str:
    head = coined(rng) if rng.random() < 0.4 else proper_head(rng, lists)
    return f"{head} {rng.choice(_HELPERS)}"


AGENCIES: Mapping[str, Callable[[Random, Gazetteers], str]] = {
    "patrol": _letters,
    "air": _air,
    "squad": _squad,
    "payer": _payer,
    "local": _local,
    "team": _team,
    "helper": _helper,
}
