"""Notes written from the grammars alone: forms, letters, messages, telegraphic notes, traps."""

from __future__ import annotations

from generator.grammar import Grammar
from generator.pieces import Pieces
from generator.scene import Scene
from generator.sources.flowsheets import flowsheet, table

_SECTIONS = {
    "hpi": ("HPI:", "HISTORY OF PRESENT ILLNESS:", "History", "CC/HPI", "Subjective:", "S:", "INTERVAL HISTORY:", ""),
    "narrative": ("HISTORY", "Background:", "Interval:", "Psychosocial:", "", "", "NOTES:"),
    "family": ("FAMILY HISTORY:", "FHx", "FH:", "Family Hx", ""),
    "social": ("SOCIAL HISTORY:", "SHx", "SH:", "Social", "Social/Occupational History:", ""),
    "filler": ("EXAM:", "Objective:", "PE:", "O:", "Physical exam", ""),
    "course": ("HOSPITAL COURSE:", "Course:", "ED course", "Events:", "INTERVAL EVENTS", ""),
    "nursing": ("NURSING NOTES", "Nursing:", "Flow notes", ""),
    "negative": ("ASSESSMENT:", "Impression:", "A/P", "Results", ""),
    "therapy": ("SESSION", "Process note:", "MSE/Session:", ""),
    "psychosocial": ("PSYCHOSOCIAL:", "SW note", "Background", "Support system:", "Collateral:", "", ""),
    "terse": ("ED:", "Signout", "Events/calls:", "", "", ""),
    "dictation": ("", "Dictation:"),
    "ids": ("IDENTIFIERS", "Registration:", "Admin:", "", ""),
    "plan": ("PLAN:", "Plan", "P:", "DISPOSITION:", "Follow-up", "Recommendations:", ""),
}  # fmt: skip

_ALSO = {
    "narrative": ("transport", "newborn", "ward"),
    "family": ("ages", "newborn"),
    "social": ("work", "work", "ages"),
    "course": ("ward", "transport", "results"),
    "nursing": ("ward", "results"),
    "ids": ("coverage", "strip"),
    "plan": ("coverage", "results"),
}
"""What printouts add to a section."""
_TRAPS = ("filler", "negative", "filler", "traps")
_LEFT_OUT = {
    "psychosocial": 0.6,
    "terse": 0.7,
    "therapy": 0.9,
    "dictation": 0.95,
    "nursing": 0.6,
    "ids": 0.65,
}


def compose(scene: Scene, grammar: Grammar) -> tuple[Pieces, str]:
    """A note and the name of its kind."""
    chance = scene.rng.random()
    if chance < 0.34:
        return full_note(scene, grammar), "composed"
    if chance < 0.40:
        return grammar.write("letter", scene), "letter"
    if chance < 0.48:
        rule = "portal" if scene.rng.random() < 0.5 else "message"
        return grammar.write(rule, scene), rule
    if chance < 0.51:
        return grammar.write("dialogue", scene), "dialogue"
    if chance < 0.61:
        return scraps(scene, grammar), "scraps"
    if chance < 0.70:
        return reports(scene, grammar), "reports"
    if chance < 0.77:
        return told(scene, grammar), "told"
    if chance < 0.81:
        return tables(scene, grammar), "tables"
    if chance < 0.87:
        return flowsheet(scene, grammar), "flowsheet"
    if chance < 0.94:
        return printout(scene, grammar), "printout"
    return negatives(scene, grammar), "negative"


def full_note(scene: Scene, grammar: Grammar) -> Pieces:
    """Header, sections in their usual order, signature."""
    rng = scene.rng
    pieces = [*grammar.write("header", scene), ("\n\n", "")]
    for rule, labels in _SECTIONS.items():
        if rng.random() < _LEFT_OUT.get(rule, 0.3):
            continue
        pieces += section(scene, grammar, rule, rng.choice(labels))
        if rng.random() < 0.12:
            pieces += [*grammar.write("tables", scene), ("\n\n", "")]
    if rng.random() < 0.85:
        pieces += grammar.write("signature", scene)
    return pieces


def section(scene: Scene, grammar: Grammar, rule: str, label: str) -> Pieces:
    """A label and a few sentences, with traps and filler among them."""
    rng = scene.rng
    own_line = rng.random() < 0.5
    glue = "\n" if rule == "nursing" or rng.random() < 0.25 else " "
    bullet = rng.choice(("", "", "- ", "* ", "• ")) if glue == "\n" else ""
    pieces: Pieces = [(label + ("\n" if own_line else " "), "")] if label else []
    for number in range(rng.randint(1, 6)):
        if number:
            pieces.append((glue, ""))
        chosen = rule if rng.random() < 0.72 else rng.choice(_TRAPS)
        if chosen in _ALSO and rng.random() < 0.25:
            chosen = rng.choice(_ALSO[chosen])
        pieces += [(bullet, ""), *grammar.write(chosen, scene)]
    pieces.append(("\n\n" if rng.random() < 0.7 else "\n", ""))
    return pieces


def scraps(scene: Scene, grammar: Grammar) -> Pieces:
    """A short note with little context: a line or three."""
    rng = scene.rng
    rules = (
        "course", "plan", "hpi", "social", "family", "nursing", "course", "narrative", "narrative", "therapy",
        "narrative", "dictation",
        "ids", "ids", "printed", "printed", "printed", "printed", "results", "results",
        "psychosocial", "psychosocial", "psychosocial", "psychosocial", "terse", "terse", "terse", "terse", "terse",
    )  # fmt: skip
    pieces: Pieces = []
    for number in range(rng.randint(1, 5)):
        if number:
            pieces.append((rng.choice((" ", "\n")), ""))
        pieces += grammar.write(
            rng.choice(rules) if rng.random() < 0.85 else rng.choice(("negative", "traps")), scene
        )
    return pieces


def reports(scene: Scene, grammar: Grammar) -> Pieces:
    """One or two whole pieces of the less usual kinds."""
    pieces = grammar.write("reports", scene)
    for _ in range(scene.rng.choice((0, 0, 1))):
        pieces += [("\n\n", ""), *grammar.write("reports", scene)]
    return pieces


def told(scene: Scene, grammar: Grammar) -> Pieces:
    """Running text about a life, or a shift's short lines; a heading at most."""
    rng = scene.rng
    rule = rng.choice(("psychosocial", "psychosocial", "terse"))
    pieces = [*grammar.write("header", scene), ("\n\n", "")] if rng.random() < 0.3 else []
    for number in range(rng.randint(3, 12)):
        if number:
            gaps = ("\n", "\n", "\n\n") if rule == "terse" else (" ", " ", " ", "\n", "\n\n")
            pieces.append((rng.choice(gaps), ""))
        other = rng.choice(("filler", "negative", "traps", "social", "narrative"))
        pieces += grammar.write(rule if rng.random() < 0.8 else other, scene)
    if rng.random() < 0.5:
        pieces += [("\n\n", ""), *grammar.write("signature", scene)]
    return pieces


def tables(scene: Scene, grammar: Grammar) -> Pieces:
    """Tables and lists below a header."""
    pieces = grammar.write("header", scene)
    for _ in range(scene.rng.randint(1, 4)):
        pieces += [("\n\n", ""), *grammar.write("tables", scene)]
    return pieces


def printout(scene: Scene, grammar: Grammar) -> Pieces:
    """Forms, strips and lists of a modern record, where labels stand between the values."""
    rng = scene.rng
    pieces = grammar.write("facesheet", scene)
    rules = (
        "printed",
        "printed",
        "printed",
        "results",
        "traps",
        "traps",
        "facesheet",
        "tables",
        "plan",
        "strip",
    )
    for _ in range(rng.randint(2, 9)):
        rule = rng.choice(rules)
        gap = "\n\n" if rule in ("facesheet", "tables") else "\n"
        pieces += [(gap, ""), *grammar.write(rule, scene)]
    if rng.random() < 0.2:
        pieces += [("\n\n", ""), *table(scene, grammar)]
    return pieces


def negatives(scene: Scene, grammar: Grammar) -> Pieces:
    """A note without any identifier."""
    pieces: Pieces = []
    for number in range(scene.rng.randint(2, 9)):
        if number:
            pieces.append((scene.rng.choice((" ", "\n", "\n\n")), ""))
        pieces += grammar.write(
            scene.rng.choice(("negative", "negative", "filler", "traps", "traps")), scene
        )
    return pieces
