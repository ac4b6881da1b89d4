"""Flowsheets: rows of readings by the hour or the day, with who took them in a column of initials."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from generator.grammar import Grammar
from generator.pieces import Piece, Pieces
from generator.scene import Scene
from generator.slots import SLOTS
from generator.values import dates
from generator.values.flows import FLOWS, Flow

_WHO = (
    "init",
    "Init",
    "INIT",
    "Init.",
    "by",
    "By",
    "RN",
    "Nurse",
    "Staff",
    "initials",
    "sig",
    "Sig",
    "chk",
    "Prov",
    "who",
    "",
)
_WHEN = ("Time", "TIME", "time", "Hr", "")
_DAY = ("Date", "DATE", "date", "Visit", "")
_REMARKS = ("Comments", "Remarks", "Notes", "COMMENT", "Note", "")
_GLUES = ("   ", "   ", "  ", "    ", " | ", "|", "\t", " ")
_STAFF = ("rn", "rn2", "tech", "np")
_DAY_FORMS = (
    "m/d/yy",
    "m/d",
    "mm/dd",
    "m/d/y",
    "mm/dd/yy",
    "Mon d",
    "d Mon",
    "m-d",
    "m-d-yy",
    "dd-Mon",
)


def flowsheet(scene: Scene, grammar: Grammar) -> Pieces:
    """A header, one or two tables of one patient, sometimes who the initials are, and a signature."""
    rng = scene.rng
    pieces = [*grammar.write(rng.choice(("header", "facesheet", "strip")), scene), ("\n\n", "")]
    for _ in range(rng.choice((1, 1, 2))):
        pieces += [*table(scene, grammar), ("\n\n", "")]
        if rng.random() < 0.4:
            pieces += [
                *grammar.write(rng.choice(("nursing", "traps", "ward", "filler")), scene),
                ("\n", ""),
            ]
    if rng.random() < 0.5:
        pieces += grammar.write("signature", scene)
    return pieces


def table(scene: Scene, grammar: Grammar) -> Pieces:
    """One table: title, labels, rows; columns aligned or merely parted."""
    rng = scene.rng
    flow = rng.choice(tuple(FLOWS.values()))
    columns = [column for column in flow.columns if rng.random() < 0.75] or list(flow.columns[:2])
    last = rng.random() < 0.35
    labels = [rng.choice(_DAY if flow.daily else _WHEN), *(label for label, _ in columns)]
    remarks = rng.choice(_REMARKS)
    labels += [remarks, rng.choice(_WHO)] if last else [rng.choice(_WHO), remarks]
    staff = rng.sample(_STAFF, k=rng.choice((1, 1, 2, 2, 3)))
    rows: list[list[Pieces]] = []
    for when in _moments(scene, flow):
        cells: list[Pieces] = [[when], *([(cell(rng), "")] for _, cell in columns)]
        remark, by = _remark(scene, grammar, flow), _by(scene, staff)
        rows.append([*cells, remark, by] if last else [*cells, by, remark])
    heading: Pieces = [(rng.choice(flow.titles), ""), ("\n", "")] if rng.random() < 0.9 else []
    if rng.random() < 0.85:
        rows.insert(0, [[(label, "")] for label in labels])
    pieces = heading + _laid_out(scene, rows)
    return pieces + _key(scene, staff) if rng.random() < 0.3 else pieces


def _moments(scene: Scene, flow: Flow) -> list[Piece]:
    rng = scene.rng
    count = rng.randint(3, 11)
    if flow.daily:
        form = rng.choice(_DAY_FORMS)
        step = rng.choice((1, 2, 7, 7, 14, 28))
        first = scene.day - timedelta(days=step * count)
        return [(dates.write(first + timedelta(days=step * n), form), "DATE") for n in range(count)]
    minute, step = rng.randrange(0, 1440, 5), rng.choice((5, 10, 15, 15, 30, 60, 120, 240))
    form = rng.choice(("{:02}{:02}", "{:02}{:02}", "{:02}:{:02}", "{}:{:02}"))
    return [(form.format(*divmod((minute + step * n) % 1440, 60)), "") for n in range(count)]


def _by(scene: Scene, staff: Sequence[str]) -> Pieces:
    """Whose row it is: initials, two of them where two check, now and then a name, or nothing."""
    rng = scene.rng
    role = rng.choice(staff)
    chance = rng.random()
    if chance < 0.84:
        pieces = SLOTS[role](scene, "col")
        if len(staff) > 1 and rng.random() < 0.08:
            other = next(one for one in staff if one != role)
            pieces = [*pieces, ("/", ""), *SLOTS[other](scene, "col")]
        return pieces
    if chance < 0.94:
        return SLOTS[role](scene, rng.choice(("short", "last", "first")))
    return [(rng.choice(("--", "", "auto", "dev")), "")]


def _remark(scene: Scene, grammar: Grammar, flow: Flow) -> Pieces:
    if scene.rng.random() < 0.12:
        return grammar.write("flownote", scene)
    return [(scene.rng.choice(flow.remarks), "")]


def _key(scene: Scene, staff: Sequence[str]) -> Pieces:
    """Who the initials stand for."""
    rng = scene.rng
    pieces: Pieces = [(rng.choice(("\n", "\nInitials: ", "\nKey  ", "\nSignatures\n")), "")]
    glue = rng.choice((" = ", " - ", ": ", "  "))
    for number, role in enumerate(staff):
        pieces += [("; " if number else "", ""), *SLOTS[role](scene, "col"), (glue, "")]
        pieces += SLOTS[role](scene, rng.choice(("rn", "rn", "fl")))
    return pieces


def _laid_out(scene: Scene, rows: list[list[Pieces]]) -> Pieces:
    glue = scene.rng.choice(_GLUES)
    aligned = glue.isspace() and glue != "\t" and scene.rng.random() < 0.8
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)] if aligned else []
    out: Pieces = []
    for number, row in enumerate(rows):
        if number:
            out.append(("\n", ""))
        for at, cell in enumerate(row):
            out += cell
            if at < len(row) - 1:
                gap = widths[at] - _width(cell) if aligned else 0
                out.append((" " * gap + glue, ""))
    return out


def _width(cell: Pieces) -> int:
    return sum(len(text) for text, _ in cell)
