"""Words in and around names that are not names: titles, kin, suffixes, degrees, particles."""

from __future__ import annotations

from incognote.replace.surrogate.banks.name_bank import Gender


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TITLES: dict[str, Gender] = {
    **dict.fromkeys(("mr", "mister", "sir", "señor", "senor", "don", "fr", "father", "brother",
                     "herr", "signor", "monsieur", "pastor"), "M"),
    **dict.fromkeys(("mrs", "ms", "miss", "madam", "mme", "sra", "srta", "señora", "senora", "lady",
                     "dame", "frau", "signora", "madame", "sister", "mother"), "F"),
    **dict.fromkeys(("dr", "drs", "doctor", "prof", "professor", "rev", "mx", "nurse", "hon", "capt",
                     "sgt", "officer", "trooper", "rabbi", "imam", "judge", "np", "rn", "pa", "lpn",
                     "attending", "surgeon", "sr"), "U"),
}  # fmt: skip
SURNAME_TITLES = frozenset(TITLES) - _words(
    "fr father brother sister mother don nurse pastor sir sr rn np pa lpn attending surgeon"
)
"""After these a single name is a surname; after Father, Sister or RN it may be either. Sr. is a
nun as often as a señor, so it tells no gender."""

KIN: dict[str, Gender] = {
    **dict.fromkeys(("mother", "mom", "mum", "wife", "daughter", "sister", "aunt", "auntie", "niece",
                     "grandmother", "grandma", "granddaughter", "girlfriend", "widow", "fiancée",
                     "stepmother", "stepdaughter", "stepsister", "godmother", "ex-wife", "twin sister",
                     "mother-in-law", "daughter-in-law", "sister-in-law", "girl"), "F"),
    **dict.fromkeys(("father", "dad", "husband", "son", "brother", "uncle", "nephew", "grandfather",
                     "grandpa", "grandson", "boyfriend", "widower", "fiancé", "stepfather", "stepson",
                     "stepbrother", "godfather", "ex-husband", "father-in-law", "son-in-law",
                     "brother-in-law", "boy"), "M"),
    **dict.fromkeys(("partner", "spouse", "cousin", "sibling", "child", "parent", "friend", "roommate",
                     "neighbor", "neighbour", "grandchild", "grandparent", "fiance", "guardian"), "U"),
}  # fmt: skip

LEFT_BEHIND = _words("widow widower widowed")
"""A name in brackets after these is of the one who died."""

SUFFIXES = _words("jr sr ii iii iv jnr snr 2nd 3rd 4th")
DEGREES = _words(
    "md do phd dds dmd dnp rn np pa pac pa-c arnp aprn fnp cnp cnm crna lpn lvn ma msn bsn pharmd "
    "rph pt dpt ot otr slp rd ldn lcsw msw lmsw rsw mph mba ms mbbs mbchb frcs frcp facs facp faan "
    "ccrn rrt crt cna cma psyd edd esq od dc dpm vmd mscp ncm ccm nnp whnp agnp pmhnp bcps fnp-c "
    "fnp-bc agacnp ccc-slp otr/l frcpc mrcp frcr facog faap"
)
PARTICLES = _words(
    "van von der den de del della di da dal dos das do du la le las los el al ibn bin bint binti "
    "ben bar ter ten zu zur zum af av y e st ste san santa abu mac mc 't op ap ab"
)
AMBIGUOUS_PARTICLES = _words("al el do ben bar mac bin van la san e y abu ap ab")
"""These are names too: particles only where they are written small, hyphenated or not first."""
LINKS = _words("and or with und et of the aka dba née nee c/o")
INFANTS = _words("baby boy girl twin infant newborn male female boys girls babyboy babygirl bb bg")
APOSTROPHES = "'’ʼ‘`´"
