"""Streets, towns, states, ZIP codes, countries and landmarks."""

from __future__ import annotations

from random import Random

from generator.capitals import surname_case
from generator.gazetteer import Gazetteers

STATES = (
    ("AL", "Alabama"), ("AK", "Alaska"), ("AZ", "Arizona"), ("AR", "Arkansas"), ("CA", "California"),
    ("CO", "Colorado"), ("CT", "Connecticut"), ("DE", "Delaware"), ("FL", "Florida"),
    ("GA", "Georgia"), ("HI", "Hawaii"), ("ID", "Idaho"), ("IL", "Illinois"), ("IN", "Indiana"),
    ("IA", "Iowa"), ("KS", "Kansas"), ("KY", "Kentucky"), ("LA", "Louisiana"), ("ME", "Maine"),
    ("MD", "Maryland"), ("MA", "Massachusetts"), ("MI", "Michigan"), ("MN", "Minnesota"),
    ("MS", "Mississippi"), ("MO", "Missouri"), ("MT", "Montana"), ("NE", "Nebraska"),
    ("NV", "Nevada"), ("NH", "New Hampshire"), ("NJ", "New Jersey"), ("NM", "New Mexico"),
    ("NY", "New York"), ("NC", "North Carolina"), ("ND", "North Dakota"), ("OH", "Ohio"),
    ("OK", "Oklahoma"), ("OR", "Oregon"), ("PA", "Pennsylvania"), ("RI", "Rhode Island"),
    ("SC", "South Carolina"), ("SD", "South Dakota"), ("TN", "Tennessee"), ("TX", "Texas"),
    ("UT", "Utah"), ("VT", "Vermont"), ("VA", "Virginia"), ("WA", "Washington"),
    ("WV", "West Virginia"), ("WI", "Wisconsin"), ("WY", "Wyoming"), ("PR", "Puerto Rico"),
    ("DC", "D.C."), ("ON", "Ontario"), ("QC", "Québec"), ("BC", "British Columbia"),
    ("AB", "Alberta"), ("NS", "Nova Scotia"), ("MB", "Manitoba"), ("NB", "New Brunswick"),
)  # fmt: skip
_DOTTED = ("Mass.", "Calif.", "Conn.", "Penn.", "Wis.", "Minn.", "Fla.", "Tex.", "Ala.", "Colo.", "Wash.", "Md.", "Ill.", "N.Y.", "N.J.", "N.H.", "R.I.", "N.C.", "Okla.", "Ore.")  # fmt: skip
_SUFFIXES = (
    "St", "St", "Street", "Ave", "Ave", "Avenue", "Rd", "Rd", "Road", "Dr", "Drive", "Ln", "Lane",
    "Ct", "Court", "Blvd", "Way", "Pl", "Place", "Ter", "Terrace", "Circle", "Cir", "Pkwy", "Hwy",
    "Trail", "Sq", "Row", "Hollow", "Loop", "Crossing", "Ridge", "St.", "Ave.", "Rd.", "Dr.",
)  # fmt: skip
_UNITS = (
    ", Apt {}", " Apt {}", " #{}", ", Unit {}", ", Suite {}", " Ste {}", ", Apt. {}", ", #{}",
    ", Bldg {}", ", Lot {}", ", 2nd Floor", ", 3rd fl", " Apartment {}", ", Rm {}", ", Floor {}",
)  # fmt: skip
_ROADS = ("I-{}", "US-{}", "US {}", "Route {}", "Rt. {}", "Highway {}", "Hwy {}", "Interstate {}", "State Route {}", "SR {}")  # fmt: skip
_AIRPORTS = ("JFK", "LAX", "O'Hare", "Logan", "Dulles", "Heathrow", "SeaTac", "DFW", "Midway", "LaGuardia", "Newark airport", "Hartsfield", "Sky Harbor")  # fmt: skip
_LANDMARKS = (
    "{} Park", "Lake {}", "{} Lake", "Mount {}", "Mt. {}", "{} Beach", "{} State Park", "{} Bridge",
    "{} River", "{} Creek", "{} Island", "Fort {}", "{} Airport", "{} Regional Airport", "{} Mall",
    "{} Reservoir", "{} Trail", "Camp {}", "{} Valley", "Cape {}", "{} Harbor", "{} National Forest",
    "{} Mountain", "{} Pass", "{} Stadium", "{} Plaza", "the {} Canal", "{} Falls", "{} Pier",
    "USS {}", "M/V {}", "MS {}", "{} Dam", "{} Gap", "{} Campground", "{} Speedway", "{} airport", "{} tunnel", "{} bridge", "{} camp", "{} parking lot", "{} exit", "Port of {}", "{} & {} Railroad", "{} Ranch", "{} Field", "{} Arena",
)  # fmt: skip


def street(rng: Random, lists: Gazetteers) -> str:
    """House number and street, a box, or a rural route; with its apartment if it has one."""
    chance = rng.random()
    if chance < 0.015:
        return rng.choice(("#{}", "Apt {}", "Unit {}", "Lot {}", "Space {}")).format(
            rng.randint(1, 400)
        )
    if chance < 0.06:
        box = rng.choice(("P.O. Box {}", "PO Box {}", "Box {}", "P. O. Box {}", "PO BOX {}"))
        return box.format(rng.randint(1, 9999))
    if chance < 0.09:
        form = rng.choice(("RR {} Box {}", "Rt {} Box {}", "R.R. #{}, Box {}", "HC {} Box {}"))
        return form.format(rng.randint(1, 9), rng.randint(1, 999))
    if chance < 0.24:
        return lists.addresses.draw(rng)
    value = f"{_house(rng)} {road(rng, lists)}"
    if rng.random() < 0.25:
        if rng.random() < 0.15:
            value = value.replace(
                " ", rng.choice((" N. ", " S. ", " E. ", " W. ", " N ", " SW ")), 1
            )
        unit = rng.choice((str(rng.randint(1, 999)), f"{rng.randint(1, 30)}{rng.choice('ABCDEFR')}", rng.choice("ABCDEF")))  # fmt: skip
        value += rng.choice(_UNITS).format(unit)
    return value


def _house(rng: Random) -> str:
    chance = rng.random()
    if chance < 0.04:
        return f"{rng.randint(1, 99)}-{rng.randint(10, 999)}"
    if chance < 0.06:
        return f"{rng.randint(1, 999)}{rng.choice(('A', 'B', ' 1/2', '½'))}"
    return str(rng.randint(1, 99) if chance < 0.25 else rng.randint(100, 19999))


def road(rng: Random, lists: Gazetteers) -> str:
    """A street's name."""
    chance = rng.random()
    if chance < 0.5:
        return lists.streets.draw(rng)
    if chance < 0.6:
        number = rng.randint(1, 220)
        ending = {1: "st", 2: "nd", 3: "rd"}.get(
            number % 10 if number % 100 not in (11, 12, 13) else 0, "th"
        )
        side = rng.choice(("", "", "N ", "S ", "E ", "W ", "NW ", "SE ", "East ", "West "))
        return f"{side}{number}{ending} {rng.choice(_SUFFIXES)}"
    word = surname_case(lists.surnames.draw(rng)) if chance < 0.85 else lists.cities.draw(rng)
    if chance > 0.96:
        word = rng.choice(
            ("Old {}", "{}'s", "Upper {}", "Lower {}", "{} Hill", "{} Creek", "Mt. {}", "New {}")
        ).format(word)
    return f"{word} {rng.choice(_SUFFIXES)}"


def city(rng: Random, lists: Gazetteers) -> str:
    """A town, mostly American; counties and boroughs are towns here too."""
    chance = rng.random()
    if chance < 0.82:
        return lists.cities.draw(rng)
    if chance < 0.94:
        return lists.world_cities.draw(rng)
    county = lists.counties.draw(rng)
    return county.replace(" County", " Co.") if rng.random() < 0.1 else county


def state(rng: Random, long: bool | None = None) -> str:
    """A state or province, as a code unless `long`."""
    code, name = rng.choice(STATES)
    if long is None:
        long = rng.random() < 0.25
    if long and rng.random() < 0.08:
        return rng.choice(_DOTTED)
    return name if long else code


def zip_code(rng: Random, lists: Gazetteers) -> str:
    """A ZIP code, now and then with four more digits or Canadian."""
    chance = rng.random()
    if chance < 0.08:
        return f"{lists.zips.draw(rng)}-{rng.randint(0, 9999):04}"
    if chance < 0.11:
        a, b, c = rng.choices("ABCEGHJKLMNPRSTVXY", k=3)
        return f"{a}{rng.randint(0, 9)}{b} {rng.randint(0, 9)}{c}{rng.randint(0, 9)}"
    return lists.zips.draw(rng)


def country(rng: Random, lists: Gazetteers) -> str:
    """A country as people say it."""
    name = lists.countries.draw(rng)
    plain = {
        "United States": "USA",
        "United Kingdom": "England",
        "Czechia": "Czech Republic",
        "Russia": "Russia",
    }
    return plain.get(name, name)


def landmark(rng: Random, lists: Gazetteers) -> str:
    """A highway, an airport, a park, a ship."""
    chance = rng.random()
    if chance < 0.27:
        return rng.choice(_ROADS).format(
            rng.randint(1, 99) if rng.random() < 0.8 else rng.randint(100, 695)
        )
    if chance < 0.35:
        return rng.choice(_AIRPORTS)
    listing = lists.surnames if rng.random() < 0.5 else lists.cities
    words = [surname_case(listing.draw(rng)) for _ in range(2)]
    value = rng.choice(_LANDMARKS).format(*words)
    return value.removeprefix("the ")
