"""Slots for what a printout holds beside identifiers and what looks like them; never marked.

The guide leaves out codes, drug and vaccine lots, makes of cars, pets, products, trials, languages,
kin terms, roles and page numbers. Their neighbours in a line are often marked, so the line decides.
"""

from __future__ import annotations

from random import Random

from generator.scene import Scene
from generator.slots.slot import Slot, typed
from generator.values.codes import fill

_GENES = (
    "BRAF", "EGFR", "KRAS", "TP53", "PIK3CA", "IDH1", "IDH2", "MYD88", "CALR", "KIT", "TTR", "HFE", "LDLR",
    "MYH7", "SCN5A", "PTPN11", "MLH1", "MSH2", "PALB2", "ATM", "CHEK2", "APOE", "F2", "MTHFR", "CFTR", "SOD1",
)  # fmt: skip
_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
_ACIDS_LONG = ("Arg", "Gly", "His", "Leu", "Val", "Ser", "Pro", "Trp", "Glu", "Lys", "Ter", "Cys")
_SCALES = (
    "PHQ-9", "GAD-7", "Tinetti", "MoCA", "SLUMS", "ISI", "KOOS", "DASH", "LEFS", "Barthel", "FIM", "CAT", "mMRC",
    "Oswestry", "VFQ", "SCORAD", "PASI", "CIWA", "COWS", "PCL-5", "AUDIT", "DAST", "Rankin", "mini-cog", "FLACC",
    "RASS", "Borg", "Oxford knee", "STOP-BANG", "ESS", "pain", "HOOS", "Lawton", "HIT-6", "IPSS", "CHA2DS2",
)  # fmt: skip
_MAKES = (
    "Toyota", "Honda", "Ford", "Chevy", "Nissan", "Dodge", "Jeep", "Hyundai", "Kia", "Mazda", "GMC", "Ram", "VW",
    "Lexus", "Chrysler", "Pontiac", "Volvo", "Mack", "Peterbilt", "Freightliner", "John Deere", "Harley", "Yamaha",
)  # fmt: skip
_MODELS = (
    "Camry", "Corolla", "Accord", "CR-V", "Explorer", "Ranger", "F-250", "Malibu", "Tahoe", "Silverado 1500", "Sentra",
    "Altima", "Caravan", "Wrangler", "Cherokee", "Elantra", "Sonata", "Soul", "CX-5", "Sierra", "Jetta", "Town & Country",
    "Grand Am", "Outback", "Forester", "Prius", "Tundra", "Durango", "Sportster", "Gator", "379", "Cascadia", "VNL",
)  # fmt: skip
_COLORS = (
    "silver",
    "white",
    "black",
    "maroon",
    "tan",
    "navy",
    "red",
    "gold",
    "grey",
    "teal",
    "dark green",
    "two-tone",
)
_PETS = (
    "Biscuit", "Bella", "Max", "Lucky", "Shadow", "Duke", "Ginger", "Princess", "Oreo", "Peanut", "Rocky", "Daisy",
    "Coco", "Milo", "Luna", "Tiger", "Smokey", "Chico", "Bandit", "Pepper", "Muffin", "Zeus", "Ruby", "Mittens", "Rex",
)  # fmt: skip
_LANGUAGES = (
    "Tagalog", "Ilocano", "Amharic", "Tigrinya", "Somali", "Oromo", "Swahili", "Igbo", "Yoruba", "Twi", "Wolof", "Lingala",
    "Kinyarwanda", "Burmese", "Karen", "Hmong", "Khmer", "Lao", "Thai", "Vietnamese", "Cantonese", "Mandarin", "Toisanese",
    "Korean", "Japanese", "Nepali", "Bengali", "Gujarati", "Punjabi", "Urdu", "Hindi", "Tamil", "Telugu", "Malayalam",
    "Farsi", "Dari", "Pashto", "Arabic", "Kurdish", "Turkish", "Armenian", "Russian", "Ukrainian", "Polish", "Albanian",
    "Bosnian", "Greek", "Portuguese", "Cape Verdean Creole", "Haitian Creole", "French", "Spanish", "Mixtec", "Q'anjob'al",
    "K'iche'", "Navajo", "Yup'ik", "Chuukese", "Samoan", "Tongan", "ASL", "Pennsylvania Dutch", "Yiddish", "Hebrew",
)  # fmt: skip
_PEOPLES = (
    "Navajo", "Cherokee", "Lakota", "Ojibwe", "Choctaw", "Pueblo", "Hopi", "Crow", "Blackfeet", "Tlingit", "Yakama",
    "Filipino", "Native Hawaiian", "Samoan", "Guamanian", "Puerto Rican", "Dominican", "Salvadoran", "Mexican American",
    "Ashkenazi Jewish", "Lebanese", "Irish", "Italian", "Swedish", "Finnish", "Hmong", "Korean", "Gujarati", "Nigerian",
    "Ethiopian", "Jamaican", "Haitian", "Cajun", "Acadian", "Amish", "Roma", "Basque", "Welsh", "German-Russian",
)  # fmt: skip
_FAITHS = ("RC", "Baptist", "LDS", "Catholic", "Muslim", "Jewish", "Methodist", "None", "Buddhist", "Hindu", "JW", "UMC", "Orthodox", "COGIC", "SDA", "Mennonite", "Sikh", "Quaker")  # fmt: skip
_TRIALS = (
    "CLEOPATRA", "MARIANNE", "EMILIA", "OLYMPIA", "PALOMA-2", "MONALEESA-7", "APHINITY", "SOLO-1", "CHARISMA", "JUPITER",
    "AUGUSTUS", "ARISTOTLE", "ROCKET-AF", "VICTORIA", "HERCULES", "SPRINT", "ACCORD", "ISCHEMIA", "COURAGE", "FREEDOM",
    "PARADIGM-HF", "DAPA-CKD", "EMPEROR", "CASTLE-AF", "MADIT-II", "DANISH", "EAST-AFNET 4", "TAILORx", "RxPONDER",
    "CAPRIE", "ORION-10", "ODYSSEY", "FOURIER", "PEGASUS", "THEMIS", "DAWN", "DEFUSE 3", "SELECT", "MR CLEAN", "ATHENA",
    "MIRACLE", "SAMSON", "LEADER", "SUSTAIN-6", "CREDENCE", "FIDELIO", "TITAN", "LATITUDE", "STAMPEDE", "CHAARTED",
)  # fmt: skip
_PRODUCTS = (
    "Accolade MRI", "Advisa", "Evera XT", "Viva Quad", "Ellipse VR", "Fortify", "Durata", "Tendril STS", "Sprint Quattro",
    "Attain Performa", "Ingevity+", "Resonate", "Micra AV", "Reveal LINQ", "CareLink", "Rivacor", "Solia S", "Plexa",
    "Omnipod DASH", "t:slim X2", "Libre 2", "HeartMate 3", "AirSense 10", "DreamStation", "Trilogy Evo", "Alaris", "Persona",
    "Triathlon", "Attune", "Vanguard", "Exeter", "Taperloc", "Corail", "Pinnacle", "MitraClip", "Sapien 3", "Evolut R",
    "Watchman FLX", "Amplatzer", "Xience Sierra", "Onyx", "Promus", "Viabahn", "Zenith Flex", "Vercise", "Percept",
    "Intellis", "SynchroMed II", "InterStim", "Baerveldt", "Clareon", "Tecnis", "Nucleus 7", "Naida", "Mirena", "Nexplanon",
    "Boston Scientific", "St. Jude", "Medtronic", "Abbott", "Biotronik", "Stryker", "Zimmer", "Smith & Nephew", "DePuy",
)  # fmt: skip
_PLACES_OF_PARTS = ("RAA", "RA lateral", "RV apex", "RV septum", "CS", "LV lateral", "R IJ", "L subclavian", "L pectoral", "R pectoral", "R abdomen", "L chest", "capped", "abandoned", "R axillary", "LUE", "septal", "His bundle")  # fmt: skip
_PHONES = ("SM-G991U", "SM-S901U", "iPhone 12", "iPhone SE", "Pixel 6a", "iPad 9", "moto g", "XT2163", "Chrome 118", "Safari 16", "Win10", "LM-K500")  # fmt: skip
_ROLES = (
    "transplant coordinator", "LVAD nurse", "nurse navigator", "refill pool", "Triage Nurse Pool", "Clinical Staff Pool",
    "MA pool", "privacy officer", "HIM analyst", "release of information clerk", "house supervisor", "charge RN",
    "unit secretary", "bed control", "utilization review nurse", "claims examiner", "nurse case manager", "billing office",
    "front desk", "scheduling", "on-call fellow", "rapid response team", "device clinic", "infusion pharmacist",
    "genetic counselor", "child life", "lactation consultant", "school nurse", "appeals coordinator", "registrar",
    "patient advocate", "peer specialist", "ombudsman", "risk management", "infection control", "dental hygienist",
)  # fmt: skip
_ATTACHED = ("IMG_{}.jpg", "IMG_{}.HEIC", "DSC{}.JPG", "scan{}.pdf", "photo-{}.png", "PXL_{}.jpg", "Screenshot_{}.png", "rash{}.jpeg", "form{}.docx", "20{}_video.mp4")  # fmt: skip
_KIN_TERMS = (
    "abuela", "abuelo", "nonna", "nonno", "oma", "opa", "lola", "lolo", "halmoni", "nana", "papa", "pop-pop", "tía", "tío",
    "auntie", "uncle", "bibi", "mormor", "babcia", "dziadzia", "babushka", "dadi", "nani", "teta", "sitti", "vovó", "mamaw",
    "papaw", "memaw", "granny", "grandpa", "tutu", "obaachan", "bà ngoại", "ayeeyo", "Cousin", "Aunt", "Uncle", "Grandma",
)  # fmt: skip
_CIVIL = (
    "Tpr.", "Trooper", "Sgt.", "Sgt", "Det.", "Deputy", "Dep.", "Ofc.", "Officer", "Judge", "Rabbi", "Imam", "Pastor", "Fr.",
    "Rev.", "Sister", "Deacon", "Coach", "Dean", "Principal", "Atty", "Capt.", "Lt.", "Cpl.", "Chief", "Bishop", "Agent",
)  # fmt: skip
_HEADINGS = (
    "POSTPARTUM", "DELIVERY", "ACCESS", "LINES", "SKIN", "ROUNDS", "BILLING", "EDUCATION", "SAFETY", "DISPO", "COVERAGE",
    "ALLERGIES", "MAR", "LOS", "RESULTS", "ORDERS", "PROBLEM LIST", "ENCLOSURES", "EXPLANTED", "ACTIVE LEADS", "BASELINE",
    "FORECAST", "GOALS", "TELEMETRY", "STAFFING", "PENDING", "ARRIVAL", "TRIAGE", "SCENE", "HAND-OFF", "RETURN", "NURSERY",
)  # fmt: skip

_FIELDS = (
    "Endocrinology", "Nephrology", "Rheumatology", "General Surgery", "Trauma", "Movement Disorders", "Pelvic Floor", "Heart Failure",
    "Maternal-Fetal Medicine", "Infectious Diseases", "Pulmonary", "Sleep Medicine", "Hand Surgery", "Transplant", "Hepatology", "Epilepsy",
    "Geriatrics", "Adolescent Medicine", "Wound Care", "Pain Management", "Urogynecology", "Hematology", "Breast Health", "Stroke",
    "Occupational Health", "Employee Health", "Ambulatory Care", "Memory Care", "Same Day Surgery", "Infusion", "Lipid", "Gen Med",
)  # fmt: skip
_BRANCHES = ("Clinic", "Center", "Service", "Division", "Unit", "Ward B", "Team 2", "Program", "Consult Service", "Department", "Office", "Outpatient Clinic", "Section")  # fmt: skip


def _choice(*values: str) -> Slot:
    return lambda scene, _: [(scene.rng.choice(values), "")]


def _cpt(rng: Random) -> str:
    chance = rng.random()
    if chance < 0.25:
        return f"{rng.choice('AEGJLQ')}{rng.randint(100, 9999):04}"
    number = rng.choice(
        (rng.randint(99202, 99499), rng.randint(10004, 97999), rng.randint(90460, 90759))
    )
    return f"{number}-{rng.choice(('25', '59', 'RT', 'LT', '26', 'TC', '33', '76', '95'))}" if chance < 0.45 else str(number)  # fmt: skip


def _icd(rng: Random) -> str:
    head = f"{rng.choice('ABCDEFGIJKLMNRSTZ')}{rng.randint(0, 99):02}"
    return f"{head}.{rng.choice(('', '0', '1', '2', '9', '81', '10', '310', '9XXA'))}".rstrip(".")


def _variant(rng: Random) -> str:
    a, b = rng.choices(_ACIDS, k=2)
    place = rng.randint(10, 1400)
    chance = rng.random()
    if chance < 0.4:
        return f"{rng.choice(_GENES)} {a}{place}{b}"
    if chance < 0.6:
        return f"{a}{place}{b}/{rng.choice(_ACIDS)}{rng.randint(10, 900)}{rng.choice('XKQdR')}".replace("d", "del")  # fmt: skip
    if chance < 0.8:
        return f"{rng.choice(_GENES)} c.{place}{rng.choice(('A>G', 'G>T', 'C>T', 'delT', 'dupA', '+1G>A', '_' + str(place + 3) + 'del'))}"  # fmt: skip
    return f"p.{rng.choice(_ACIDS_LONG)}{place}{rng.choice(_ACIDS_LONG)}"


def _score(rng: Random) -> str:
    most = rng.choice((4, 5, 6, 8, 9, 10, 12, 15, 18, 20, 21, 24, 27, 28, 30, 42, 56, 68, 100))
    return f"{rng.choice(_SCALES)} {rng.randint(0, most)}/{most}"


def _pages(rng: Random) -> str:
    last = rng.randint(2, 12)
    page = rng.randint(1, last)
    return rng.choice(("{}/{}", "{} of {}", "Page {} of {}", "Pg {}/{}", "p. {}/{}", "({}/{})", "page {}/{}", "PAGE {} OF {}")).format(page, last)  # fmt: skip


def _car(rng: Random) -> str:
    make, model = rng.choice(_MAKES), rng.choice(_MODELS)
    return rng.choice((make, model, f"{make} {model}", f"{rng.choice(_COLORS)} {make}", f"{rng.choice(_COLORS)} {model}", f"{rng.choice(_COLORS)} {make} {model}"))  # fmt: skip


def _pet(scene: Scene) -> str:
    if scene.rng.random() < 0.7:
        return scene.rng.choice(_PETS)
    return scene.lists.nicknames.draw(scene.rng)


def _department(rng: Random) -> str:
    """A department with capitals, as letterheads and signatures have it: still no named unit."""
    field = rng.choice(_FIELDS)
    if rng.random() < 0.25:
        field = f"{field} {rng.choice(('&', 'and', '/'))} {rng.choice(_FIELDS)}"
    name = f"{field} {rng.choice(_BRANCHES)}" if rng.random() < 0.8 else f"Department of {field}"
    return name.upper() if rng.random() < 0.2 else name


def _basal(rng: Random) -> str:
    hours = sorted(rng.sample(range(1, 24), k=rng.randint(2, 4)))
    steps = [f"{hour:02}00 {rng.uniform(0.3, 2.2):.2f}" for hour in (0, *hours)]
    return rng.choice((" / ", "; ", ", ")).join(steps)


_LOTS = (
    "A99999",
    "AA999AA",
    "9A9A9",
    "A999999",
    "99A99",
    "999A99A",
    "AA9999",
    "A9999AA",
    "9AA99",
    "AAA9999",
    "9999999",
)

LOOKALIKES: dict[str, Slot] = {
    "cpt": typed("", lambda scene: _cpt(scene.rng)),
    "icd": typed("", lambda scene: _icd(scene.rng)),
    "druglot": typed("", lambda scene: fill(scene.rng.choice(_LOTS), scene.rng)),
    "variant": typed("", lambda scene: _variant(scene.rng)),
    "score": typed("", lambda scene: _score(scene.rng)),
    "apgar": typed("", lambda scene: "/".join(str(scene.rng.randint(1, 9)) for _ in range(scene.rng.choice((2, 3))))),
    "pages": typed("", lambda scene: _pages(scene.rng)),
    "car": typed("", lambda scene: _car(scene.rng)),
    "pet": typed("", _pet),
    "basal": typed("", lambda scene: _basal(scene.rng)),
    "language": _choice(*_LANGUAGES),
    "people": _choice(*_PEOPLES),
    "faith": _choice(*_FAITHS),
    "trial": _choice(*_TRIALS),
    "product": _choice(*_PRODUCTS),
    "site": _choice(*_PLACES_OF_PARTS),
    "handset": _choice(*_PHONES),
    "department": typed("", lambda scene: _department(scene.rng)),
    "role": _choice(*_ROLES),
    "attached": typed("", lambda scene: scene.rng.choice(_ATTACHED).format(scene.rng.randint(1, 9999))),
    "kinterm": _choice(*_KIN_TERMS),
    "civil": _choice(*_CIVIL),
    "heading": _choice(*_HEADINGS),
}  # fmt: skip
