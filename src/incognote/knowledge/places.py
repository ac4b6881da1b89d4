"""Names of states, provinces, countries and cities, and words beside them (places.tsv)."""

from __future__ import annotations

from incognote.knowledge import streets
from incognote.knowledge.tables import WordTable

_TABLE = WordTable("places")

# What rules know by name, and where a name means something else.

STATES = _TABLE.words("state")
PROVINCES = _TABLE.words("province")
COUNTRIES = _TABLE.words("country")
SMALL_COUNTRIES = _TABLE.words("small-country")
CITIES = _TABLE.words("city")
STATES_SHARED_WITH_NAMES = _TABLE.words("shared-state")
COUNTRIES_SHARED = _TABLE.words("shared-country")
NAME_LIKE = _TABLE.words("name-like")
BORROWED = _TABLE.words("borrowed")
LANGUAGES_AND_POSITIONS = _TABLE.words("no-town")

# Postal letters and other short forms.

STATE_CODES = _TABLE.words("state-code")
PROVINCE_CODES = _TABLE.words("province-code")
CLEAR_CODES = _TABLE.words("clear-code")
QUIET_CODES = _TABLE.words("quiet-code")
DEGREE_CODES = _TABLE.words("degree-code")
PLATE_CODES = tuple(_TABLE.values("plate"))
STATE_SHORTENED = _TABLE.words("shortened")
WORD_LIKE = _TABLE.words("word-like")

# What surrogates keep, and how they read towns.

LANDMARKS = _TABLE.words("landmark")
SHIPS = _TABLE.words("ship")
COUNTY_WORDS = _TABLE.words("county")
TOWN_WORDS = _TABLE.words("town")
TOWN_PREFIXES = ("city of ", "town of ", "village of ", "greater ", "downtown ", "metro ")
ALIASES = _TABLE.values("alias")
POSTAL_LETTERS = _TABLE.values("postal")
GENERIC = LANDMARKS | COUNTY_WORDS | TOWN_WORDS | streets.STREET_TYPES | streets.STREET_TYPES_FIRST
GENERIC |= streets.DIRECTIONS | streets.KEPT | streets.UNITS | streets.UNIT_ENDS
"""Words that originals and fakes may share."""
