"""What every date rule shares: the words and numbers of the calendar, and those around a date."""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from incognote.detect.pattern import Pattern
from incognote.detect.rules.engine import Finding
from incognote.knowledge.calendar import (
    FULL_MONTHS,
    FULL_WEEKDAYS,
    SHORT_MONTHS_READ,
    SHORT_WEEKDAYS_READ,
)

FIRST_YEAR, LAST_YEAR = 1850, 2210
"""Research records shift their years into the 2100s; such a date is still a date."""

DASH = r"[-‐‑‒–—−]"
APOSTROPHE = r"['’‘`´]"
SPACE = r"[^\S\r\n]"
GAP = rf"(?:{SPACE}{{1,3}}|{SPACE}?\r?\n{SPACE}{{0,12}})"
"""White space inside one value: a few blanks or one line break."""

DAY = r"(?:3[01]|[12]\d|0?[1-9])"
ORDINAL = r"(?:st|nd|rd|th)"
YEAR = r"(?:1[89]|20)\d\d"

MONTH = f"(?:{'|'.join(FULL_MONTHS + SHORT_MONTHS_READ)})"
WEEKDAY_WORDS = frozenset(map(str.lower, FULL_WEEKDAYS + SHORT_WEEKDAYS_READ))


def date(start: int, end: int, score: float, kind: str = "day") -> Finding:
    """A stretch that reads as a date, and how sure that is.

    `kind` tells which neighbours may join it: `day` (names a day or month), `year`, `weekday`,
    `holiday`, `schedule`.
    """
    return Finding(start, end, "DATE", score, kind)


_VAGUE = Pattern(rf"(?<![^\W_])(?:early|mid|late)(?:{SPACE}|{DASH})$", re.IGNORECASE)


def with_vague_part(text: str, start: int) -> int:
    """Where the expression starts when "early", "mid" or "late" stands before it."""
    match = _VAGUE.search(text, max(0, start - 7), start)
    return match.start() if match else start


def full_year(digits: str) -> int:
    """The year that two or four digits name; two digits mean the century around now."""
    value = int(digits)
    if len(digits) != 2:
        return value
    return value + (2000 if value < 50 else 1900)


def month_and_day(first: int, second: int) -> bool:
    """Whether the two are a month and a day, in either order (30 February passes: notes err)."""
    return (1 <= first <= 12 and 1 <= second <= 31) or (1 <= second <= 12 and 1 <= first <= 31)


def plausible_year(value: int) -> bool:
    """Whether a note could mean this year."""
    return FIRST_YEAR <= value <= LAST_YEAR


def folded(pattern: str) -> Pattern:
    """Compile a verbose pattern that ignores case."""
    return Pattern(pattern, re.IGNORECASE | re.VERBOSE)


# The words that make a number a date, and those that forbid it.

_TOKEN = Pattern(r"[^\W\d_][^\W_]*(?:['’/&-][^\W\d_]+)*\.?|\d+|[^\w\s]")
_WINDOW = 48


def words(text: str) -> frozenset[str]:
    """A set from blank-separated words."""
    return frozenset(text.split())


DATE_BEFORE = words(
    """
    on since dated date dates until till til thru through from by before after during between
    around circa about approx starting started start began begin begins beginning effective eff
    exp expires expired expiration expiry due scheduled sched resched rescheduled booked appt
    appointment appts visit visits seen saw admitted admit adm admission readmitted discharged
    discharge disch dc d/c dob born birth deceased died expired death dod dos doi doa lmp edd edc
    edb lkw onset ictus signed cosigned dictated transcribed typed printed faxed received rec'd
    sent collected drawn resulted reported reviewed entered filed created updated modified revised
    rev performed done placed inserted removed stopped restarted resumed given administered last
    next f/u fu follow-up followup recheck rechecked repeat return rtc rtw ret returned called
    notified ordered surgery s/p sp procedure op orif egd colonoscopy cath echo tte tee ekg ecg ct
    mri cxr us pet xr mammo mammogram dexa labs lab cx culture cultures bcx ucx biopsy bx path
    report letter note notes ov ed er icu micu transferred transfer xfer extubated intubated tubed
    weaned off held hold holding quit sober relapse relapsed married m. divorced retired moved
    hired injured injury fell fall mva accident dx dx'd diagnosed diagnosis flu vaccine vaccinated
    shot booster dose doses ppd refill refilled filled fill fills renewed approved denied
    auth thur thurs thu mon tue tues wed fri sat sun monday tuesday wednesday thursday friday
    saturday sunday today tomorrow yesterday tonight morning evening afternoon night week wk
    weekend am pm d dd dt t r ultrasound scan films film imaging post-op postop preop completed
    ended ends end finished closed opened tested test negative positive neg pos cleared resolved
    reassessed evaluated examined interviewed uds utox tox access met class course cycle session
    meeting trial
    """
)
"""Words before a date."""

SCORE_BEFORE = words(
    """
    pain strength neuro motor power mmt grip apgar apgars murmur grade gr murmurs score scores scale
    scored nrs vas flacc gcs rass moca mmse slums phq phq-2 phq-9 gad gad-7 gds epds cage audit
    dast mdq ess epworth mini-cog minicog kokmen blessed spmsq monofilament reflexes reflex dtr
    dtrs tof berg tinetti borg rpe katz iadl adl adls lawton barthel braden norton morse fim mdq
    ecog kps timi killip grace cas wells perc curb curb-65 bode cat mmrc beighton yamaguchi
    waddell vanderbilt registration recall orientation delayed tug centor alvarado bishop
    pulse pulses dp rad radial fem femoral pop popliteal bp b/p sbp dbp map pressure pressures
    bipap cpap psv simv vent apoe hfe hpv cag hla embryo afc iop va vision acuity od os ou
    snellen ishihara color stereo plates k's cd cup pach percocet norco vicodin lortab suboxone
    zubsolv sinemet advair symbicort dulera percodan tylenol/codeine augmentin bactrim
    ortho-novum loestrin seroquel clb ltg lisinopril-hctz d5 d10 ratio staffing odds page pg p.
    sheet slide item items question questions task tasks step steps goals goal correct attempts
    visual near distance tanner stage sets reps rep series biceps triceps deltoid deltoids
    quad quads hamstrings ehl gastroc psoas hip knee ankle shoulder elbow wrist arm arms leg
    legs rue lue rle lle ue le ues les bue ble flexion extension abduction adduction dorsiflexion
    plantarflexion df pf fpl fdp tibialis flexors extensors muscle muscles rales crackles sutures taper anxiety depression fatigue nausea mood energy sleep appetite severity distress
    suds urge craving cravings satisfaction confidence itch dyspnea rates rated rating worst best
    mitoses nottingham gleason nodes node aprv pca epidural pps
    room rm bed facial droop proximal distal tac dosage syringe hearing beers drinks wt weight height
    """
)
"""Words before a fraction, score, strength, pressure or pair of values."""

FRACTION_AFTER = words(
    """
    tab tabs tablet tablets tablespoon tsp tbsp teaspoon cap caps capsule pill pills mg mcg g gm
    gram grams ml cc l lb lbs oz kg cm mm inch inches ft foot feet mile miles block blocks cup
    cups pack packs ppd pk pint gallon ns normal saline strength deltoid biceps triceps grip
    throughout bilaterally bilat symmetric sym murmur sem systolic diastolic holosystolic flow
    pansystolic psm hsm blowing crescendo early-peaking wk wks week weeks weeks' hour hours hr
    hrs h minute minutes min mins day days mo month months yr yrs year years times beats bottles
    bottle sets cultures doses match matches hla steps correct points pts recall words items
    objects registration of the a up way turn loaf sandwich usual chance all ext extremities except
    proximal distal palpable palp ppv plates teeth nodes cores positive-cores margins quadrants
    neuts segs bands mm/hg mmhg cmh2o fio2 rate ratio taper french fr ga gauge units iu meq
    mEq mmol kcal percent pct phantom stump gpc gnr gpr mssa mrsa cons plts apart scale
    severity intensity vodka m/s str motor bl film films sl pound
    pounds bottle's meal meals portion portions face height full diluted dilution solution
    blood colonies mets reps ues les ue le rue lue rle lle normal power intact sensation
    """
)
"""Words after a fraction, score or dose."""

DOSE_UNITS = words(
    """
    mg mcg ug µg g gm gms gram grams kg ml mls cc liter liters iu u unit units meq mmol cal cals
    kcal calorie calories hr hrs hour hours h hs o'clock rpm bpm lb lbs oz steps feet ft sq miles
    cells copies ng pg mm cm psi psig cgy gy rads ppm ml/hr ml/h cc/hr cfu rbc rbcs wbc wbcs
    beats watts joules hz pills tabs tablets dollars usd people patients cases
    participants subjects meters mets minutes seconds sec ma mas msec times
    """
)
"""What follows a number that counts something."""


class Around(NamedTuple):
    """The tokens of the same line before (nearest first) and after a stretch, in lower case.

    `above` is the last word of the line before, for text that wraps just before the stretch.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    line_start: bool
    line_end: bool
    above: str

    @property
    def previous(self) -> str:
        """The token just before."""
        return self.before[0] if self.before else ""

    @property
    def previous_word(self) -> str:
        """The nearest token before that is a word, past one opening mark."""
        for token in self.before[:2]:
            if token[0].isalpha():
                return token
            if token not in "(:[#~=+":
                break
        return ""

    @property
    def next(self) -> str:
        """The token just after."""
        return self.after[0] if self.after else ""


def _last_tokens(line: str) -> tuple[str, ...]:
    """The last four, nearest first; none has a blank in it."""
    tokens: list[str] = []
    for part in reversed(line.lower().split()):
        tokens += reversed(_TOKEN.findall(part))
        if len(tokens) >= 4:
            break
    return tuple(tokens[:4])


def _first_tokens(line: str) -> tuple[str, ...]:
    return tuple(match[0] for match in islice(_TOKEN.finditer(line.lower()), 4))


def around(text: str, start: int, end: int) -> Around:
    """Read the line around `text[start:end]`."""
    left = text[max(0, start - _WINDOW) : start]
    right = text[end : end + _WINDOW]
    lines_above, _, line_left = left.rpartition("\n")
    line_right = right.partition("\n")[0]
    blank_left = not line_left.strip(" \t\r*>|•-\xa0")
    before = () if blank_left else _last_tokens(line_left)
    line_start = blank_left and (len(line_left) < len(left) or start <= _WINDOW)
    wraps = line_start and bool(line_left.strip() == "" and lines_above[-1:].strip())
    above = _last_tokens(lines_above[-16:]) if wraps else ()
    return Around(
        before,
        _first_tokens(line_right),
        line_start,
        not line_right.strip(),
        above[0] if above else "",
    )
