"""Invented lists, small enough to read, that stand for the gazetteers of the shared data."""

from __future__ import annotations

from generator.gazetteer import Gazetteers, Listing
from generator.gazetteer_files import lexicon_listings, own_words
from generator.values.abroad import LOCALES


def small_gazetteers() -> Gazetteers:
    """A few values of each list, and the recipe's own word files."""
    return Gazetteers(
        female=Listing(("Mary", "Ngozi", "Auvianna", "Rose"), (50, 5, 1, 9)),
        male=Listing(("James", "Coehn", "Mark", "Tunde"), (60, 1, 20, 4)),
        surnames=Listing(
            ("Smith", "Sganga", "Mcdonald", "Hufstetler", "Young"), (90, 1, 30, 2, 25)
        ),
        world_first=Listing(own_words("first_names")),
        world_last=Listing(own_words("last_names")),
        nicknames=Listing(own_words("nicknames")),
        cities=Listing(("Chicago", "King Cove", "Eldersburg", "Hope"), (900, 1, 30, 2)),
        abroad={country: Listing(("Chilaw", "Bath", "May Pen")) for country in LOCALES},
        world_cities=Listing(("Miri", "Dārāb", "Kibre Mengist")),
        counties=Listing(("Autauga County", "Leon County")),
        countries=Listing(("Andorra", "United States", "Kenya")),
        zips=Listing(("06259", "92371")),
        addresses=Listing(("3600 West 5th Ave", "219 South Dearborn Second Floor")),
        streets=Listing(("62nd Ave", "NE Dixie Hwy", "Main St")),
        hospitals=Listing(("Glen Rose Medical Center", "Rangely District Hospital")),
        nursing=Listing(("St. Edward Home", "Colonial Manors of Columbus")),
        home_care=Listing(("Kosciusko Home Care & Hospice",)),
        practices=Listing(("Summit Urgent Care", "Ohio Pediatrics")),
        dialysis=Listing(("New Haven Dialysis",)),
        jobs=Listing(("welder", "credit analyst", "egg candler")),
        companies=Listing(("Ford Motor", "Habitat for Humanity")),
        drugs=Listing(("adenosine", "abatacept")),
        **lexicon_listings(),
    )
