"""Employers, schools, churches, insurers and other bodies tied to a person."""

from __future__ import annotations

from random import Random

from generator.capitals import surname_case
from generator.gazetteer import Gazetteers
from generator.values.facilities import proper_head

_TAILS = {
    "employer": (
        "Trucking", "Construction", "Logistics", "Foods", "Steel", "Lumber", "Farms", "Auto Body",
        "Motors", "Plumbing", "Electric", "Roofing", "Industries", "Manufacturing", "Mills", "Paper",
        "Coal", "Mining", "Oil", "Energy", "Transit", "Freight Lines", "Casino", "Diner", "Grill",
        "Bakery", "Brewing", "Cafe", "Hotel", "Inn", "Realty", "Law Group", "& Sons", "& Co.", "Inc.",
        "LLC", "Bank", "Credit Union", "Hardware", "Dairy", "Poultry", "Nursery", "Landscaping",
        "Tool & Die", "Machine Works", "Shipyard", "Glass", "Textiles", "Catering", "Co-op", "Studios",
        "Software", "Networks", "Airlines", "Cab Co", "Books", "Florist", "Power", "Water Authority",
    ),
    "school": (
        "Elementary", "Elementary School", "Middle School", "High School", "High", "Academy",
        "Community College", "University", "College", "State University", "Head Start", "Preschool",
        "Charter School", "School District", "Prep", "Montessori", "Day School", "Tech", "State",
    ),
    "church": (
        "Baptist Church", "Methodist Church", "Lutheran", "AME", "Pentecostal", "Presbyterian",
        "Church of God", "Church of Christ", "Parish", "Temple", "Synagogue", "Mosque", "Chapel",
        "Baptist", "United Methodist", "Catholic Church", "Assembly of God", "Ward", "Community Church",
    ),
    "insurer": (
        "Health Plan", "Mutual", "Insurance", "HMO", "Health Insurance", "PPO", "Casualty", "Assurance",
        "Benefit Fund", "Life", "Health Partners", "Advantage", "Choice", "Select", "Medigap", "Ins",
    ),
    "ambulance": (
        "EMS", "Ambulance", "Fire & Rescue", "Fire Department", "Rescue", "Medic One", "Fire", "LifeFlight",
        "Air", "County EMS", "Volunteer Ambulance", "Rescue Squad", "Medic {}", "AirCare {}", "Engine {}", "{}", "AirCare", "Medic 4", "FD",
    ),
    "pharmacy": ("Pharmacy", "Drug", "Drugs", "Apothecary", "Rx", "Drug Store", "Pharmacy #{}", "Compounding"),
    "agency": (
        "Department of Social Services", "County DSS", "CPS", "Police Department", "PD",
        "Sheriff's Office", "Housing Authority", "Area Agency on Aging", "Legal Aid", "Food Bank",
        "Correctional Facility", "Detention Center", "Social Services", "Workers' Comp Board", "DCF",
        "Medical Supply", "Home Infusion", "DME", "Oxygen", "Medical Transport", "Meals on Wheels",
    ),
    "shelter": ("Shelter", "Rescue Mission", "House", "Mission", "Women's Shelter", "Family Shelter", "Place"),
    "club": (
        "Lions Club", "Rotary", "VFW Post {}", "Elks Lodge", "Senior Center", "YMCA", "Garden Club",
        "Bowling League", "Little League", "Rugby Club", "Soccer Club", "Choir", "Swim Club", "Riders",
        "Hawks", "Tigers", "Country Club", "Legion Post {}", "Scouts Troop {}", "Community Center",
    ),
}  # fmt: skip
_BARE = {
    "church": ("St. Anthony's", "St. Mary's", "First Baptist", "Mt. Zion", "New Hope Baptist", "Beth Shalom", "Sacred Heart Parish", "Trinity Lutheran", "Holy Rosary", "Mt. Olive AME", "Grace Chapel"),
    "agency": ("VA", "Red Cross", "Salvation Army", "DCF"),
    "club": ("YMCA", "Knights of Columbus", "American Legion", "VFW", "Rotary", "Girl Scouts", "Boys & Girls Club"),
    "employer": ("the Post Office", "USPS", "UPS", "US Army", "Navy", "USMC", "Air Force", "National Guard", "Coast Guard", "FedEx", "Amtrak"),
    "insurer": ("BCBS", "Blue Cross", "Aetna", "Cigna", "Humana", "UnitedHealthcare", "Kaiser", "Anthem", "UHC"),
    "pharmacy": ("CVS", "Walgreens", "Rite Aid", "Walmart Pharmacy", "Costco Pharmacy", "Kroger", "Publix pharmacy"),
}  # fmt: skip


def organization(rng: Random, lists: Gazetteers, kind: str) -> str:
    """A body of a kind in `_TAILS`."""
    if kind in _BARE and rng.random() < 0.22:
        return rng.choice(_BARE[kind]).removeprefix("the ")
    if kind == "employer" and rng.random() < 0.25:
        return lists.companies.draw(rng)
    if kind == "insurer" and rng.random() < 0.1:
        return f"{rng.choice(('BCBS', 'Blue Cross'))} of {lists.cities.draw(rng)}"
    if kind == "school" and rng.random() < 0.12:
        return rng.choice(("University of {}", "P.S. {1}", "PS {1}", "IS {1}", "{} State")).format(lists.cities.draw(rng), rng.randint(1, 320))  # fmt: skip
    head = proper_head(rng, lists)
    if rng.random() < 0.35:
        head = surname_case(lists.surnames.draw(rng))
    if rng.random() < 0.04:
        return f"{head} & {surname_case(lists.surnames.draw(rng))}"
    return f"{head} {rng.choice(_TAILS[kind]).format(rng.randint(1, 9999))}"
