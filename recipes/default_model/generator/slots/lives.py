"""Slots for how people live and work in the words of social notes: trades, posts, ranks, societies, quarters, feasts."""

from __future__ import annotations

from collections.abc import Callable

from generator.capitals import surname_case
from generator.pieces import Pieces
from generator.scene import Scene
from generator.slots.slot import Slot, typed
from generator.values.facilities import proper_head

_SLANG = (
    "sparky", "tin knocker", "sandhog", "roughneck", "trucker", "brickie", "chippy", "lorry driver", "postie", "dinner lady",
    "lollipop lady", "bus conductor", "gandy dancer", "cowhand", "wrangler", "hod carrier", "longshoreman", "doffer", "bobbin girl",
    "soda jerk", "car hop", "lunch lady", "rodbuster", "mudder", "derrickman", "steam fitter", "tin miner", "pit deputy", "ghillie",
    "jackaroo", "shearer", "ringer", "clippie", "milkman", "coalman", "rag-and-bone man", "barmaid", "publican", "cabbie", "rickshaw puller",
    "matatu tout", "auto driver", "tailor's helper", "wharfie", "tradie", "boda rider", "hairstylist", "nail tech", "beautician", "doorman",
    "super", "handyman", "odd-job man", "day laborer", "gig driver", "courier", "bouncer", "busboy", "hash slinger", "short-order cook",
)  # fmt: skip
_POSTS = (
    "assistant vice principal", "head of housekeeping", "deputy county clerk", "night auditor", "regional sales director",
    "associate professor of botany", "senior claims adjuster", "second-shift lead", "director of music", "quality control inspector",
    "reading specialist", "chief petty officer", "parts manager", "assistant store manager", "deli manager", "produce manager",
    "title examiner", "probate paralegal", "grants administrator", "dean of students", "athletic director", "school bus aide",
    "classroom aide", "head groundskeeper", "master plumber", "journeyman electrician", "apprentice lineman", "union rep", "line lead",
    "adjunct in art history", "tenured professor", "research chemist", "tower crane operator", "front-end manager", "bench jeweler",
    "IT help desk analyst", "data analyst", "UX designer", "systems administrator", "warehouse associate", "order picker",
    "home daycare provider", "personal care attendant", "school cook", "sexton", "church secretary", "parish administrator",
    "court clerk", "land surveyor", "district ranger", "town selectman", "justice of the peace", "lighthouse keeper", "bank examiner",
    "head of sixth form", "civil servant", "staff nurse", "ward sister", "tea plantation manager", "village headman", "primary school teacher",
)  # fmt: skip
_MILITARY = (
    "Navy corpsman", "Army cook", "staff sergeant", "drill sergeant", "helicopter mechanic", "tank driver", "rifleman", "gunner",
    "radio operator", "combat medic", "motor pool mechanic", "supply sergeant", "Air Force loadmaster", "submariner", "boatswain's mate",
    "Seabee", "military policeman", "infantryman", "paratrooper", "artilleryman", "signalman", "combat engineer", "quartermaster",
    "Marine", "gunnery sergeant", "squad leader", "crew chief", "machinist's mate", "intelligence analyst", "drone operator",
    "flight surgeon", "chaplain's assistant", "truck driver", "mortarman", "tail gunner", "company clerk", "sapper", "lance corporal",
)  # fmt: skip
_AT_HOME = (
    "homemaker", "homemaker", "housewife", "stay-at-home mom", "stay-at-home dad", "stay-at-home parent", "full-time caregiver",
    "foster parent", "pastor's wife", "rancher's wife", "farm wife", "househusband", "home-school teacher",
)  # fmt: skip
_MANY = (
    "dairy farmers", "sharecroppers", "schoolteachers", "shopkeepers", "mill workers", "missionaries", "coal miners", "truckers",
    "nurses", "farm workers", "musicians", "factory workers", "restaurant owners", "tailors", "fishermen", "cattle ranchers", "bakers",
    "lawyers", "engineers", "cleaners", "college professors", "grape pickers", "street vendors", "police officers", "carnies", "weavers",
)  # fmt: skip
_DO = (
    ("drive a school bus", "drove a school bus"), ("drive a log truck", "drove a log truck"), ("sew wedding gowns", "sewed wedding gowns"),
    ("tend bar", "tended bar"), ("teach fourth grade", "taught fourth grade"), ("teach shop", "taught shop"), ("keep bees", "kept bees"),
    ("pour concrete", "poured concrete"), ("hang drywall", "hung drywall"), ("pick peaches", "picked peaches"), ("cut meat", "cut meat"),
    ("clean houses", "cleaned houses"), ("deliver mail", "delivered mail"), ("repair watches", "repaired watches"), ("cut hair", "cut hair"),
    ("wait tables", "waited tables"), ("run a newsstand", "ran a newsstand"), ("run a tavern", "ran a tavern"), ("sell shoes", "sold shoes"),
    ("fish for cod", "fished for cod"), ("farm tobacco", "farmed tobacco"), ("fix tractors", "fixed tractors"), ("paint signs", "painted signs"),
    ("mend nets", "mended nets"), ("grade lumber", "graded lumber"), ("train horses", "trained horses"), ("drive a taxi", "drove a taxi"),
)  # fmt: skip
_SOCIETIES = (
    "Friends of {h} Library", "{h} Quilters", "{h} Male Voice Choir", "{h} Food Pantry", "{h} Resettlement", "{h} Refugee Committee",
    "{h} Tenants' Union", "{h} Volunteer Fire Co.", "{h} Literacy Council", "Catholic Charities of {h}", "{h} Historical Society",
    "{h} Bridge Club", "{h} Grange", "{h} Senior Center", "{h} Soup Kitchen", "Boys & Girls Club of {h}", "{h} Legal Aid Society",
    "{h} Men's Shed", "{h} Bowls Club", "{h} GAA", "{h} Women's Institute", "{h} Mothers' Union", "{h} Youth Center", "{h} Clubhouse",
    "{h} Domestic Violence Project", "{h} Housing Trust", "{h} Community Action", "{h} Parks & Rec", "{h} Island Band", "{h} Gurdwara",
    "{h} Islamic Center", "{h} Friends Meeting", "{h} Kingdom Hall", "{h} Buddhist Society", "{h} Hindu Temple", "{h} Stake", "Casa {h}",
    "{h} Allotment Society", "{h} Amateur Radio Club", "{h} Ukulele Group", "{h} Community Players", "{h} Band Boosters", "{h} 4-H",
    "{h} Veterans Council", "DAV Chapter {n}", "AMVETS Post {n}", "Cub Scout Pack {n}", "Masonic Lodge No. {n}", "Eagles Aerie {n}", "{h} PTA",
)  # fmt: skip
_BARE_SOCIETIES = (
    "Meals on Wheels", "Salvation Army", "Red Cross", "Goodwill", "Habitat for Humanity", "St. Vincent de Paul", "Big Brothers Big Sisters",
    "Catholic Charities", "Lutheran Social Services", "Jewish Family Services", "Girl Guides", "Rotary", "Kiwanis", "Elks", "Odd Fellows",
    "Job Corps", "Peace Corps", "AmeriCorps", "Disabled American Veterans", "Legion of Mary", "Age UK", "Mencap", "Women's Aid", "Freemasons",
)  # fmt: skip
_CORPS = (
    "1st Cav", "{n} Airborne", "{n} Infantry", "{n} Marines", "{n} Field Artillery", "Royal Engineers", "Royal Navy", "Merchant Marine",
    "{n} Armored", "Army Reserve", "Air National Guard", "Women's Army Corps", "Coast Guard", "Marine Corps", "Navy", "Army", "Air Force",
    "Royal Signals", "Defence Forces", "Pioneer Corps", "{n} Transportation Co", "{n} Bomb Group", "{n} Combat Engineers", "Seabees",
)  # fmt: skip
_QUARTERS = (
    "East {t}", "West {t}", "{s} Heights", "{s}town", "{s}ville", "Upper {s}", "Lower {s}", "{s} Corners", "{s} Gardens", "Old {t}",
    "West End", "East End", "Northside", "South Side", "Old Town", "Uptown", "Mill Hill", "Five Points", "Chinatown", "Little Italy",
    "Little Havana", "Germantown", "Frogtown", "Seven Corners", "North End", "Lakeview", "Riverside", "Fairmount", "Eastlake", "Harbor Point",
    "{s} Bottoms", "{s} Flats", "Cannery Row", "Railroad Flats", "Westwood", "Tin Town", "{s} Addition", "{t} Junction", "South {t}", "{s} Green",
)  # fmt: skip
_BUILDINGS = (
    "{h} Towers", "{h} Tower", "{s} Building", "{s} Theater", "{s} Hall", "{h} Cemetery", "{t} Station",
    "{s} Square", "{s} Courthouse", "{s} Center", "{h} Plaza", "{t} Greyhound station", "{s} Playground", "{h} Golf Course", "{t} Fairgrounds",
    "{s} Overpass", "{t} Mall", "{s} Pool", "{s} Hotel", "{s} Arcade", "{t} Common", "{s} Pavilion", "{s} Woods",
    "{t} bus depot", "{s} Pond", "{s} Memorial Bridge", "{t} Zoo", "{s} Meadow", "{t} Rail Trail", "{s} Boathouse", "{t} Opera House",
)  # fmt: skip
_DWELLINGS = (
    "{h} Towers", "{h} Tower", "{s} Homes", "{h} Apartments", "{s} Arms", "{h} Mobile Home Park", "{s} Hotel", "{h} Motel", "{h} Trailer Court",
    "{s} Residences", "{h} Lofts", "{t} Inn", "{h} Senior Apartments", "{s} Hall", "{h} Estates", "{s} Projects", "{h} Condos", "{s} Mansions",
)  # fmt: skip
_CAMPS = (
    "Dadaab", "Kakuma", "Zaatari", "Nyarugusu", "Mae La", "Beldangi", "Moria", "Kutupalong", "Bidi Bidi", "Mbera", "Shagarab", "Nakivale",
)  # fmt: skip
_FEASTS = (
    "All Souls' Day", "All Saints' Day", "Día de los Muertos", "Day of the Dead", "Purim", "Sukkot", "Holi", "Dashain", "Vaisakhi", "Navratri",
    "Epiphany", "Assumption", "Orthodox Christmas", "Anzac Day", "Guy Fawkes Night", "Burns Night", "Remembrance Day", "Armistice Day",
    "Mid-Autumn Festival", "Songkran", "Timkat", "Meskel", "Ashura", "Shavuot", "Whit Monday", "Maundy Thursday", "Shrove Tuesday",
    "Pancake Tuesday", "Easter Monday", "August bank holiday", "Onam", "Durga Puja", "Eid al-Adha", "Patriots' Day", "Pioneer Day",
    "Indigenous Peoples' Day", "Cesar Chavez Day", "New Years", "x-mas", "the Fourth", "Simchat Torah", "Vesak", "Heritage Day", "Carnival",
)  # fmt: skip
_ERAS = ("forties", "fifties", "sixties", "seventies", "eighties", "nineties")


def _work(draw: Callable[[Scene], str]) -> Slot:
    """A job; `a` puts the article before it, `cap` begins it with a capital."""

    def slot(scene: Scene, form: str) -> Pieces:
        job = draw(scene)
        if form == "cap":
            job = job[:1].upper() + job[1:]
        elif form == "a":
            vowel = job[:1].lower() in "aeiou" and not job.startswith(("uni", "UX"))
            return [("an " if vowel else "a ", ""), (job, "PROFESSION")]
        return [(job, "PROFESSION")]

    return slot


def _one_of(*values: str) -> Slot:
    return _work(lambda scene: scene.rng.choice(values))


def _named(form: str, scene: Scene) -> str:
    rng = scene.rng
    towns = scene.lists.abroad[scene.country] if scene.country else scene.lists.cities
    return form.format(
        h=proper_head(rng, scene.lists), t=towns.draw(rng), s=surname_case(scene.lists.surnames.draw(rng)),
        n=rng.randint(2, 499),
    )  # fmt: skip


def _society(scene: Scene) -> str:
    bare = scene.rng.random() < 0.3
    return _named(scene.rng.choice(_BARE_SOCIETIES if bare else _SOCIETIES), scene)


def _corps(scene: Scene) -> str:
    number = scene.rng.choice(
        ("2nd", "3rd", "5th", "7th", "10th", "25th", "82nd", "101st", "173rd")
    )
    return scene.rng.choice(_CORPS).format(n=number)


def _camp(scene: Scene) -> str:
    if scene.rng.random() < 0.5:
        return scene.rng.choice(_CAMPS)
    return scene.lists.world_cities.draw(scene.rng)


def _short_year(scene: Scene) -> str:
    return f"{scene.rng.choice(chr(39) * 4 + '’')}{scene.rng.randint(38, 99)}"


def _era(scene: Scene) -> str:
    tens = scene.rng.choice((40, 50, 60, 70, 80, 90))
    return scene.rng.choice((f"'{tens}s", f"{tens}s", f"19{tens}s", f"19{tens}'s", f"’{tens}s", _ERAS[tens // 10 - 4]))  # fmt: skip


LIVES: dict[str, Slot] = {
    "slang": _one_of(*_SLANG),
    "post": _one_of(*_POSTS),
    "soldier": _one_of(*_MILITARY),
    "athome": _one_of(*_AT_HOME),
    "jobs": _one_of(*_MANY),
    "jobdo": _work(lambda scene: scene.rng.choice(_DO)[0]),
    "jobdid": _work(lambda scene: scene.rng.choice(_DO)[1]),
    "society": typed("ORGANIZATION", _society),
    "corps": typed("ORGANIZATION", _corps),
    "hood": typed("CITY", lambda scene: _named(scene.rng.choice(_QUARTERS), scene)),
    "building": typed("LOCATION-OTHER", lambda scene: _named(scene.rng.choice(_BUILDINGS), scene)),
    "dwelling": typed("LOCATION-OTHER", lambda scene: _named(scene.rng.choice(_DWELLINGS), scene)),
    "camp": typed("LOCATION-OTHER", _camp),
    "yy": typed("DATE", _short_year),
    "era": typed("DATE", _era),
    "feast": typed("DATE", lambda scene: scene.rng.choice(_FEASTS).removeprefix("the ")),
}
