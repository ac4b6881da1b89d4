"""Words in addresses and landmarks that say what a place is, not which."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STREET_TYPES = _words(
    """street streets str st avenue aven ave av road roads rd boulevard blvd drive dr lane ln court
    crt ct circle cir parkway pkwy pky highway hwy turnpike tpke tpk terrace terr ter expressway expy
    freeway fwy crescent cres esplanade bypass place pl way trail trl pike row square sq plaza plz
    alley aly causeway close mews gardens gdns grove hollow landing trace loop path pass point pointe
    ridge run walk wharf quay green gate heights hts hill view extension extd ext junction jct
    crossing xing bend cove glen knoll manor mall meadow meadows parade pde rise vale spur strand
    common commons estate estates broadway chase croft cross nagar marg salai enclave colony layout
    villas route rte rt interstate hall village park tower towers house apartments apts"""
)
"""The last of these in an address stays; the ones before it are part of the name."""

STREET_TYPES_FIRST = _words(
    """calle camino avenida avda paseo via rue chemin rua carrera carr calz calzada jalan jln rambla
    strada corso viale ulica ul avenue boulevard callejon cerrada privada"""
)
SPANISH_FIRST = _words(
    "calle camino avenida avda paseo carrera carr calz calzada callejon cerrada privada casa clinica centro las los"
)

DIRECTIONS = _words(
    """north south east west northeast northwest southeast southwest n s e w ne nw se sw norte sur
    este oeste"""
)
KEPT = _words(
    """po p o pob post office box drawer hc rr rfd rd rt rte route county state us fm cr sr sh nm
    interstate business old-hwy lot space spc sp trailer trlr km m mp mile and of the at de la del el
    las los co no number c/o attn general delivery mobile home star rural private r"""
)
UNITS = _words(
    """apartment apt appt unit suite ste building bldg blk block floor flr fl room rm lot space spc sp
    level lvl trailer trlr penthouse flat bed casa int dept box shop villa door piso depto no pmb"""
)
UNIT_ENDS = _words("rear front upper lower")
"""Part of a unit after it, part of a name before."""
ROADS = _words("highway hwy route rte rt interstate road rd state county fm cr sr sh us")
"""Roads that have a number or letters for a name."""
NUMBER_WORDS = (
    "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve",
    "Twenty",
)  # fmt: skip
ORDINAL_WORDS = (
    "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth",
    "Eleventh", "Twelfth",
)  # fmt: skip

LANDMARKS = _words(
    """airport airfield airbase aquarium arena auditorium bank base basin battlefield bay beach bluff
    bridge building camp campground canal canyon cape casino cathedral cave cemetery center centre
    church clubhouse coast cove creek dam depot desert dock exit falls farm ferry field forest fort
    fountain freeway gap garden gardens gate glacier golf grade gulf hall harbor harbour highway hill
    hills hotel hwy industrial interstate island islands isle junction lagoon lake lakes landing
    library light lighthouse lot mall marina market mesa mill mine monument mount mountain mountains
    museum national ocean orchard park parking parkway pass peak peninsula pier pond pool port
    prairie preserve prison quarry racetrack ranch range refuge reservation reservoir ridge river road
    route rte rt sr us i zone marker milepost mp km square stadium state station street avenue ave st rd
    subway summit temple terminal theater theatre tower track trail tunnel turnpike tpke valley village
    volcano walk wharf woods zoo county international municipal regional metro memorial north south
    east west northern southern eastern western of the and at on near de la del las los el st mt ms mv
    uss ss hms rms usns uscgc hmcs m v s saint san santa line wat puente lago rio playa exit gate"""
)
SHIPS = _words("ms mv uss ss hms rms usns uscgc hmcs")

COUNTY_WORDS = _words("county co parish borough township twp district")
TOWN_PREFIXES = ("city of ", "town of ", "village of ", "greater ", "downtown ", "metro ")
TOWN_WORDS = _words("city town village greater downtown metro")
ALIASES = {
    "nyc": "new york", "new york city": "new york", "manhattan": "manhattan", "la": "los angeles",
    "sf": "san francisco", "philly": "philadelphia", "vegas": "las vegas", "nola": "new orleans",
    "slc": "salt lake city", "kc": "kansas city", "dc": "washington", "indy": "indianapolis",
    "st pete": "saint petersburg", "abq": "albuquerque", "pdx": "portland", "okc": "oklahoma city",
}  # fmt: skip

POSTAL_LETTERS = {
    "AB": "T", "BC": "V", "MB": "R", "NB": "E", "NL": "A", "NS": "B", "ON": "KLMNP", "PE": "C",
    "QC": "GHJ", "SK": "S",
}  # fmt: skip
"""With which letters the postal codes of Canada's provinces begin."""

GENERIC: frozenset[str] = frozenset().union(
    STREET_TYPES, STREET_TYPES_FIRST, DIRECTIONS, KEPT, UNITS, UNIT_ENDS, LANDMARKS, COUNTY_WORDS,
    TOWN_WORDS,
)  # fmt: skip
"""Words that originals and fakes may share."""
