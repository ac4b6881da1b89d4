"""Words that end, begin and extend a street address, as regular-expression alternatives."""

from __future__ import annotations

STRONG_TYPES = (
    "Streets?|Str|St|Avenue|Aven|Ave|Av|Roads?|Rd|Boulevard|Blvd|Drive|Dr|Lane|Ln|Court|Crt|Ct"
    "|Circle|Cir|Parkway|Pkwy|Pky|Highway|Hwy|Turnpike|Tpke|Tpk|Terrace|Terr|Ter|Expressway|Expy"
    "|Freeway|Fwy|Crescent|Cres|Esplanade|Bypass"
)
"""Types that make an address of a number and a capitalised name."""

WEAK_TYPES = (
    "Place|Pl|Way|Trail|Trl|Pike|Row|Square|Sq|Plaza|Plz|Alley|Aly|Causeway|Close|Mews|Gardens|Gdns"
    "|Grove|Hollow|Landing|Trace|Loop|Path|Pass|Point|Pointe|Ridge|Run|Walk|Wharf|Quay|Green|Gate"
    "|Heights|Hts|Hill|View|Extension|Extd|Ext|Junction|Jct|Crossing|Xing|Bend|Cove|Glen|Knoll"
    "|Manor|Mall|Meadows?|Parade|Pde|Rise|Vale|Spur|Strand|Commons?|Estates?|Broadway|Chase|Croft"
    "|Cross|Nagar|Marg|Salai|Enclave|Colony|Layout|Villas"
)
"""Types that are ordinary words too: an address only where something else says so."""

PROSE_TYPES = (
    "Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Parkway|Pkwy|Turnpike|Tpke|Terrace"
)
"""Types that make a street of a name without a number: "lives on Willis Ave"."""

DIRECTION = (
    "North(?:east|west)?|South(?:east|west)?|East|West|[NS]\\.?[EW]\\.?|[NSEW]\\.?"
    "|NORTH(?:EAST|WEST)?|SOUTH(?:EAST|WEST)?|EAST|WEST"
)

FOREIGN_FIRST = (
    "Calle|Camino|Avenida|Avda|Paseo|Vía|Via|Rue|Chemin|Rua|Carrera|Carr|Calz(?:ada)?|Jalan|Jln"
    "|Rambla|Strada|Corso|Viale|Ulica|ul"
)
"""Types that stand before the name, in Spanish, French, Portuguese, Italian and others."""

UNIT_WORDS = (
    "apartment|apt|appt|unit|suite|ste|building|bldg|blk|block|floor|flr|fl|room|rm|lot|space|spc"
    "|sp|level|lvl|trailer|trlr|penthouse|flat|bed|casa|int|dept|box|rd|shop|villa"
)
