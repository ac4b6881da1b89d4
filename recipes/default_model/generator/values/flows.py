"""What the columns of flowsheets hold: settings, readings and short words, none of them an identifier.

Columns of two or three letters (routes, sites, rhythms) stand beside the column of staff initials, so
that a model learns initials by their column and not by their length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

Cell: TypeAlias = Callable[[Random], str]


@dataclass(frozen=True)
class Flow:
    """A kind of flowsheet: its titles, its columns with their labels, its remarks; by days or by hours."""

    titles: tuple[str, ...]
    columns: tuple[tuple[str, Cell], ...]
    remarks: tuple[str, ...]
    daily: bool = False


def _n(low: int, high: int, form: str = "{}") -> Cell:
    return lambda rng: form.format(rng.randint(low, high))


def _d(low: float, high: float, digits: int = 1) -> Cell:
    return lambda rng: f"{rng.uniform(low, high):.{digits}f}"


def _of(*values: str) -> Cell:
    return lambda rng: rng.choice(values)


def _pair(a: Cell, b: Cell, glue: str = "/") -> Cell:
    return lambda rng: f"{a(rng)}{glue}{b(rng)}"


_BP = _pair(_n(84, 188), _n(42, 104))
_HR, _RR, _SAT = _n(48, 138), _n(10, 32), _n(86, 100)
_TEMP = _d(96.4, 102.8)
_PAIN = _of("0", "2", "3", "5", "7", "8", "--", "4/10", "6/10", "asleep")
_SITE = _of(
    "LFA", "RAC", "R AC", "LUE", "RUE", "L hand", "PICC", "R IJ", "port", "LVG", "RD", "LD", "abd"
)
_ROUTE = _of("PO", "IV", "IM", "SQ", "SL", "PR", "po", "iv", "NG", "PEG", "subq", "TD", "neb")

FLOWS: Mapping[str, Flow] = {
    "dialysis": Flow(
        ("HEMODIALYSIS TREATMENT RECORD", "Intradialytic flow sheet", "HD run", "TREATMENT LOG", "CRRT flowsheet"),
        (("BP", _BP), ("HR", _HR), ("BFR", _of("300", "350", "400", "425", "450", "--")), ("AP", _n(-240, -110)),
         ("VP", _n(90, 230)), ("UFR", _d(0.2, 1.4)), ("TMP", _n(10, 90)), ("UF tot", _n(0, 3900))),
        ("on", "tx started", "cramping, UF off", "stable", "eating crackers", "NS 200", "HOB flat", "alarm VP, reset", "asleep",
         "tx ended, blood returned", "holding sites 10 min", "access visible", "", "", "no c/o"),
    ),
    "infusion": Flow(
        ("INFUSION RECORD", "Chemo infusion flow", "IVIG titration", "Biologic infusion log", "BLOOD ADMINISTRATION", "Iron infusion"),
        (("T", _TEMP), ("P", _HR), ("R", _RR), ("BP", _BP), ("SpO2", _SAT), ("Rate", _of("50", "75/hr", "100 ml/h", "150", "paused", "KVO", "done", "--")), ("Site", _SITE)),
        ("started", "rate up", "no rxn", "flushing, slowed", "premeds in", "hives L arm, stopped", "flushed", "line dc'd", "tol well", "", "", "snack"),
    ),
    "neuro": Flow(
        ("NEURO CHECKS", "Post-tPA monitoring", "Neuro flowsheet q15", "Stroke unit checks", "HEAD INJURY OBS"),
        (("BP", _BP), ("GCS", _of("15", "14", "13", "E4V5M6", "E3V4M6", "11T")), ("NIHSS", _n(0, 19)), ("Pupils", _of("3/3", "3 brisk", "PERRL", "4/2", "2 slg")), ("Grip", _of("=", "L<R", "5/5", "4/5", "wk R")), ("Face", _of("sym", "L droop", "nl"))),
        ("no change", "HA same", "vomited x1", "sleepy, arouses", "to CT", "speech clearer", "BP up, labetalol 10", "", "", "MD aware"),
    ),
    "prenatal": Flow(
        ("PRENATAL VISITS", "Antepartum flow sheet", "OB FLOW", "Prenatal record pg 2", "ACOG form C"),
        (("GA", lambda rng: rng.choice(("{}w{}", "{} {}/7", "{}+{}", "{}.{}")).format(rng.randint(7, 41), rng.randint(0, 6))),
         ("Wt", _n(108, 268)), ("BP", _BP), ("FH", _of("16", "24", "28", "33", "36", "n/a", "U-2")), ("FHR", _n(116, 168)),
         ("Ur", _of("neg/neg", "tr/neg", "1+/neg", "n/n", "-")), ("Pres", _of("vtx", "br", "VTX", "tv", "ceph", "?")), ("FM", _of("+", "-", "act"))),
        ("glucola nl", "Tdap given", "GBS sent", "NST reactive", "heartburn", "swelling, labs", "Rhogam", "cx 1/50/-3", "anatomy nl", "", "", "iron", "rtc 2 wk"),
        daily=True,
    ),
    "mar": Flow(
        ("MEDICATION ADMINISTRATION RECORD", "MAR", "PRN meds given", "Scheduled meds - given", "eMAR extract"),
        (("Med", _of("acetaminophen 650", "oxycodone 5", "ondansetron 4", "metoprolol 25", "heparin 5000", "Lasix 40", "insulin 6 u", "Senna 2", "lorazepam 0.5", "KCl 20", "Zosyn 3.375 g", "melatonin 3")),
         ("Route", _ROUTE), ("Site", _SITE), ("Pain", _PAIN)),
        ("effective", "held, HR 52", "refused", "pt asleep", "given late", "relief", "", "", "", "NPO"),
    ),
    "labor": Flow(
        ("LABOR FLOWSHEET", "Labour progress", "Partogram notes", "INTRAPARTUM", "Induction log"),
        (("Ctx", _of("q2-3", "q5", "q4 x60s", "irreg", "none")), ("Cx", lambda rng: f"{rng.randint(1, 10)}/{rng.choice((50, 60, 70, 80, 90, 100))}/{rng.choice(('-3', '-2', '-1', '0', '+1', '+2'))}"),
         ("FHT", _n(110, 168)), ("Cat", _of("I", "II", "I", "cat 1")), ("Pit", _of("2", "4", "6", "8", "12", "off", "--")), ("BP", _BP)),
        ("epidural in", "AROM clear", "pushing", "lates x2, L side", "cat I", "miso 25", "FB out", "SROM mec", "", "", "turned"),
    ),
    "pacu": Flow(
        ("PACU RECORD", "Recovery room", "Phase II recovery", "POST ANESTHESIA FLOW", "Sedation monitoring"),
        (("BP", _BP), ("HR", _HR), ("RR", _RR), ("SpO2", _SAT), ("Aldr", _of("7", "8", "9", "10", "9/10")), ("Pain", _PAIN), ("O2", _of("RA", "2L NC", "6L FM", "NC", "FM", "OPA"))),
        ("awake", "shivering", "fent 25", "nausea, zofran", "family in", "meets criteria", "drain 40", "dsg dry", "", "", "LMA out"),
    ),
    "wound": Flow(
        ("WOUND TRACKING", "Wound clinic measurements", "NPWT log", "Pressure injury flow", "Ostomy visits"),
        (("LxWxD", lambda rng: "x".join(f"{rng.uniform(0.1, 8):.1f}" for _ in range(3))), ("Stage", _of("2", "3", "4", "UTS", "DTI")), ("Drain", _of("scant", "min", "mod ser", "lg", "none", "ss")),
         ("Bed", _of("80% gran", "slough 30", "pink", "eschar", "red")), ("Edges", _of("attached", "rolled", "macer", "intact"))),
        ("smaller", "debrided", "odor", "vac change", "alginate", "santyl", "no s/s inf", "", "", "photo taken"),
        daily=True,
    ),
    "inr": Flow(
        ("ANTICOAGULATION FLOW", "INR log", "Coumadin clinic", "Warfarin record"),
        (("INR", _d(1.0, 4.9)), ("Dose", _of("5", "7.5", "5/2.5", "hold x1", "2.5 daily", "same")), ("Wkly", _n(17, 60)), ("Recheck", _of("1 wk", "2w", "4 wk", "3 d"))),
        ("no bleed", "missed 2", "on abx", "greens", "bruise L arm", "", "", "", "stable"),
        daily=True,
    ),
    "glucose": Flow(
        ("GLUCOSE / INSULIN RECORD", "FSBS log", "DKA protocol flow", "Insulin gtt"),
        (("BG", _n(44, 486)), ("Units", _of("2", "4", "6", "8", "10", "0", "R 4", "L 22")), ("Site", _SITE), ("Rate", _d(0.5, 12.0)), ("K", _d(2.9, 5.9))),
        ("juice 4 oz", "ate 50%", "NPO", "D50 1/2 amp", "recheck 71", "", "", "", "meal"),
    ),
    "vent": Flow(
        ("VENTILATOR FLOW SHEET", "RT vent checks", "Respiratory flow", "HFNC / NIV log"),
        (("Mode", _of("AC", "PRVC", "PS", "SIMV", "CPAP", "BiPAP", "VC", "SBT")), ("Vt", _n(320, 560)), ("f", _RR), ("FiO2", _of("30", "40", "50", "60", "100", ".35")), ("PEEP", _of("5", "8", "10", "12")), ("ETT", _of("22 lip", "23 L", "7.5@24", "trach")), ("Peak", _n(14, 42))),
        ("sxn thick tan", "ABG drawn", "prone", "sbt pass", "cuff 28", "neb", "", "", "coarse"),
    ),
    "checks": Flow(
        ("OBSERVATION LOG q15", "1:1 sitter log", "Restraint monitoring", "Safety rounds", "Seclusion record"),
        (("Loc", _of("DR", "BR", "hall", "TV", "rm", "yard", "bed")), ("Beh", _of("A", "S", "C", "Q", "P", "awake", "calm", "pacing", "crying")), ("ROM", _of("y", "n", "done", "ref")), ("Circ", _of("ok", "wnl", "+2", "nl")), ("Fluids", _of("off", "120", "ref", "H2O"))),
        ("asleep", "snack", "on phone", "to group", "loosened L wrist", "", "", "", "quiet"),
    ),
    "feeds": Flow(
        ("NICU FEEDING RECORD", "Newborn feeding log", "Nursery flow", "Bottle/breast log"),
        (("Type", _of("EBM", "BF", "Sim 22", "DBM", "BM", "Neo")), ("ml", _n(4, 70)), ("Route", _of("PO", "NG", "OG", "br", "gav")), ("Temp", _d(97.0, 99.4)), ("HR", _n(112, 178)), ("Void", _of("1", "0", "x1", "sm")), ("Stool", _of("mec", "0", "trans", "sm yel"))),
        ("spit sm", "latch 8", "brady x1 self", "sleepy", "mom held", "skin to skin", "", "", "PO 60%"),
    ),
    "visits": Flow(
        ("VISIT LOG", "Therapy attendance", "Allergy shot record", "B12 injections", "Phototherapy log", "Immunotherapy - maintenance"),
        (("Dose", _of("0.3 mL", "0.5", "1000 mcg", "0.05", "45 s", "2:10", "1 mL")), ("Arm", _of("L", "R", "LA", "RA", "LD", "RD")), ("Rxn", _of("none", "5 mm", "0", "wheal 8", "dime")), ("PF", _n(210, 560)), ("Wait", _of("30", "20 min", "30m", "y"))),
        ("no delayed rxn", "new vial", "repeat dose", "late by 1 wk", "", "", "", "ok"),
        daily=True,
    ),
    "io": Flow(
        ("INTAKE AND OUTPUT", "I&O", "Drain log", "PCA record", "Epidural checks"),
        (("In", _n(0, 1400)), ("Out", _n(0, 1200)), ("JP1", _n(0, 120)), ("UO", _n(0, 400)), ("Att/Del", _pair(_n(0, 30), _n(0, 14))), ("Sed", _of("1", "2", "S", "A", "-1")), ("Lvl", _of("T10", "T8", "L1", "T6"))),
        ("emptied", "clots", "foley out", "syringe changed", "bolus x1", "", "", "", "clear"),
    ),
}  # fmt: skip
