"""The top-level domains that addresses in clinical notes end with."""

from __future__ import annotations

PLAIN_TLDS = frozenset("com org net edu gov mil biz info example".split())
"""Endings that no English word shares: a name before one of them is a host name."""

WORD_TLDS = frozenset(
    "health care clinic doctor dental hospital pharmacy healthcare surgery physio vet fitness "
    "online site website link live life today center centre video page name pro world school "
    "church family help support cloud tech app chat team services solutions agency foundation "
    "community institute academy university college global international network digital social "
    "media news blog space zone club store shop xyz dev io me co us tv ly gl gg to int jobs museum "
    "mobi asia cat coop aero travel law legal group gay kids green works work email press wiki".split()
)
"""Endings that are also words or short codes: only in a longer host name or before a path."""

COUNTRY_TLDS = frozenset("uk ie ca au nz za eu ke ng gh ug tz zw zm na bw jm tt bb".split())
"""Endings of the English-speaking countries (and the EU), taken after a name of some length."""

OTHER_COUNTRY_TLDS = frozenset(
    "de fr es it nl be ch at se no dk fi pl pt gr cz hu ro ru ua tr il ae sa in pk bd lk sg my ph th "
    "vn cn hk tw jp kr br mx ar cl pe cr pr bs lc gd vc ag dm is ht do gt hn ni pa uy ec bo py".split()
)
"""Endings of other countries: only before a path, after `www.` or a second-level `co`, `com`."""

SECOND_LEVEL = frozenset(
    "co com org net edu gov govt ac nhs nsw vic qld sch ltd gouv gob gc on bc".split()
)

ALL_TLDS = PLAIN_TLDS | WORD_TLDS | COUNTRY_TLDS | OTHER_COUNTRY_TLDS


def is_top_level(name: str) -> bool:
    """Whether a host name may end with it."""
    return name.lower() in ALL_TLDS


def cut_glued_word(name: str) -> str:
    """`examplecc` (an address glued to the next word) becomes `example`; others stay."""
    lowered = name.lower()
    if lowered in ALL_TLDS:
        return name
    for known in ("example", "com", "org", "net", "edu", "gov"):
        if lowered.startswith(known) and lowered not in ("community", "organic", "network"):
            return name[: len(known)]
    return name
