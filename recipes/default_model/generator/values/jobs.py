"""Jobs: titles from the lists, trades put together, and what people say they do."""

from __future__ import annotations

from random import Random

from generator.gazetteer import Gazetteers

_FIELDS = (
    "shoe factory", "coal mine", "cannery", "textile mill", "cotton gin", "school", "airline", "hotel", "hospital", "city",
    "county", "railroad", "shipyard", "paper mill", "steel mill", "quarry", "dairy", "poultry plant", "feedlot", "vineyard",
    "orchard", "bakery", "restaurant", "casino", "church", "parish", "university", "museum", "theater", "circus", "carnival",
    "newspaper", "radio", "TV", "book", "toy store", "hardware store", "gas station", "truck stop", "auto body", "tire shop",
    "oil field", "pipeline", "wind turbine", "solar panel", "power plant", "water plant", "sewer", "road crew", "bridge",
    "harbor", "tugboat", "ferry", "cruise ship", "trawler", "lobster boat", "ski lift", "golf course", "stadium", "race track",
    "zoo", "kennel", "stable", "greenhouse", "flower shop", "nail salon", "barber shop", "laundromat", "dry cleaning",
    "call center", "bank", "insurance", "mortgage", "payroll", "tax", "court", "prison", "jail", "fire department", "ambulance",
    "school bus", "city bus", "log truck", "dump truck", "forklift", "crane", "warehouse", "furniture", "piano", "violin",
    "clock", "jewelry", "glass", "ceramics", "carpet", "drywall", "roofing", "plumbing", "concrete", "elevator", "boiler",
    "software", "database", "video game", "web", "lunchroom", "cafeteria", "banquet", "sushi", "pastry", "taco truck", "deli",
    "meat packing", "fish market", "produce", "grocery", "lumber", "sawmill", "nursing home", "day care", "preschool",
    "high school Latin", "middle school science", "third-grade", "special ed", "ESL", "gym", "swim", "karate", "dance",
    "parade float", "quilt", "wedding dress", "costume", "tattoo", "antique", "coin", "rare book", "real estate", "travel",
)  # fmt: skip
_ROLES = (
    "operator", "foreman", "mechanic", "clerk", "cook", "driver", "inspector", "supervisor", "hand", "worker", "owner",
    "manager", "technician", "tech", "teacher", "dispatcher", "aide", "salesman", "saleswoman", "designer", "maker",
    "repairman", "installer", "installer", "buyer", "broker", "agent", "guard", "attendant", "janitor", "custodian", "coach",
    "instructor", "deliveryman", "stocker", "cashier", "welder", "machinist", "electrician", "painter", "packer", "loader",
    "engineer", "planner", "secretary", "bookkeeper", "accountant", "chef", "captain", "deckhand", "stitcher", "assembler",
    "cleaner", "laborer", "contractor", "consultant", "tester", "programmer", "restorer", "tuner", "cutter", "boss", "helper",
)  # fmt: skip
_DOING = (
    "drives a bus", "drives a cab", "drives for a delivery app", "teaches piano", "teaches third grade", "cleans offices",
    "cleans houses", "picks strawberries", "picks apples", "fixes cars", "fixes tractors", "runs a day care", "runs a diner",
    "sells insurance", "sells cars", "farms soybeans", "farms", "hauls gravel", "hauls logs", "tends bar", "lays tile",
    "lays brick", "does nails", "does hair", "cuts hair", "milks cows", "raises goats", "shears sheep", "waits tables",
    "stocks shelves", "mows lawns", "paints houses", "hangs drywall", "roofs houses", "shines shoes", "tunes pianos",
    "keeps bees", "guts fish", "drives an 18-wheeler", "operates a crane", "manages a motel", "coaches wrestling",
)  # fmt: skip
_TRADES = ("construction", "landscaping", "roofing", "retail", "trucking", "farming", "food service", "real estate", "law enforcement", "housekeeping", "plumbing", "IT", "sales", "child care", "dairy", "carpentry", "logging", "masonry", "security", "demolition")  # fmt: skip

_STUDIES = ("nursing", "graduate", "doctoral", "law", "medical", "dental", "pharmacy", "welding", "cosmetology", "culinary", "PhD", "MBA", "seminary", "vet tech", "paramedic", "film")  # fmt: skip
_VENTURES = (
    "fruit stand", "food truck", "bait shop", "yarn store", "bed and breakfast", "tree service", "lawn business", "pawn shop", "coffee cart",
    "laundromat", "taxi business", "hair salon", "boxing gym", "horse barn", "goat dairy", "print shop", "bike shop", "dance studio",
    "service desk", "lumber yard counter", "deli counter", "tool crib", "front desk", "loading dock", "night desk", "ticket booth",
)  # fmt: skip


def title(rng: Random, lists: Gazetteers) -> str:
    """A noun: `welder`, `ski lift mechanic`."""
    if rng.random() < 0.3:
        return f"{rng.choice(_FIELDS)} {rng.choice(_ROLES)}"
    return lists.jobs.draw(rng)


def doing(rng: Random) -> str:
    """A verb phrase: `drives a bus`."""
    return rng.choice(_DOING)


def student(rng: Random) -> str:
    """Someone who still learns a trade: `nursing student`."""
    return f"{rng.choice(_STUDIES)} student"


def venture(rng: Random) -> str:
    """A post or a business in the job's place: `runs a fruit stand`, `on the deli counter`."""
    return rng.choice(_VENTURES)


def trade(rng: Random) -> str:
    """A line of work: `construction`."""
    return rng.choice(_TRADES)
