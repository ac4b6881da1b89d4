"""A look at a table: what each column seems to hold, and a plan for them as a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from incognote.base.errors import RunError
from incognote.base.messages import quantity
from incognote.base.toml import toml_text
from incognote.document import Document, Span
from incognote.formats import FormatError, detect
from incognote.formats.column_plan import DROP, ColumnRule, name_words
from incognote.formats.container import Column, Table
from incognote.formats.fields import Fields
from incognote.replace.operators import Mask
from incognote.runs.column_contents import Contents, contents_of, is_of_staff
from incognote.runs.inputs import Input

ROWS = 1000
"""So many of a table's first rows are read."""
_EXAMPLE = 24
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_HEADER = re.compile(r"[^\W\d][\w .()/#%-]{0,39}")
_PATIENT_WORDS = frozenset("patient pat pt subject person client mrn patientid subjectid".split())
_CAUTIONED_TABLES = 10
_CAUTIONED_ROWS = 200
_CAUTIONED_VALUES = 40


@dataclass(frozen=True)
class Proposal:
    """A column, what it seems to hold, and what should become of it.

    `rule` is the word of the plan: a type, "drop", or nothing where the column stays as it is.
    """

    column: Column
    contents: Contents
    rule: ColumnRule | None = None
    note: str = ""

    @property
    def key(self) -> str:
        """The name of the column."""
        return self.column.key

    @property
    def why(self) -> str:
        """Why it is proposed."""
        return self.note or self.contents.why

    @property
    def example(self) -> str:
        """A value of the column with an x for each letter and a 0 for each digit."""
        value = next(iter(self.column.values), "")
        if self.contents.kind == "notes" or not value:
            return ""
        value = " ".join(value.split())[:_EXAMPLE]
        span = Span(0, len(value), "VALUE", value)
        return str(Mask().begin(Document("", value))(span))


@dataclass(frozen=True)
class Survey:
    """What a table seems to hold, by its first `rows`."""

    proposals: tuple[Proposal, ...]
    rows: int
    text: tuple[str, ...] = ()
    id: str | None = None
    patient: str | None = None
    has_header: bool = True
    """Whether the names of columns look like names, not like a row of data."""

    def shown(self, proposal: Proposal) -> str:
        """The name of a column as it may be shown."""
        column = proposal.column
        safe = self.has_header and _HEADER.fullmatch(column.key)
        name = column.key if safe else column.name
        return f"{name} (fields within)" if column.within else name

    def action(self, proposal: Proposal) -> str:
        """What becomes of a column, in a word or two."""
        roles = [
            *(["notes"] if proposal.key in self.text else []),
            *(["patient"] if proposal.key == self.patient else []),
            *(["id"] if proposal.key == self.id else []),
        ]
        rule = proposal.rule.words() if proposal.rule is not None else ""
        return ", ".join(filter(None, (rule, *roles))) or "as it is"

    def to_json(self) -> dict[str, Any]:
        """For programs; values are masked."""
        return {
            "rows": self.rows,
            "text": list(self.text),
            "id": self.id,
            "patient": self.patient,
            "columns": [
                {
                    "column": self.shown(proposal),
                    "number": proposal.column.number,
                    "holds": proposal.contents.kind,
                    "type": proposal.contents.type or None,
                    "action": self.action(proposal),
                    "why": proposal.why,
                    "example": proposal.example,
                }
                for proposal in self.proposals
            ],
        }


def survey(path: Path, fields: Fields, format: str | None = None, rows: int = ROWS) -> Survey:
    """Look at the first rows of a table; FormatError if it cannot be read."""
    table = detect(path, format)
    if not isinstance(table, Table):
        raise RunError(
            f"{path}: is no table (CSV, TSV, JSON lines or Parquet), so it has no columns"
        )
    copied = table.other_columns(path, replace(fields, no_text=True), rows, rows)
    columns = sorted(copied.columns, key=lambda column: (column.number, column.within))
    staff = is_of_staff(column.key for column in columns)
    looks = [(each, contents_of(each, copied.rows, of_staff=staff)) for each in columns]
    text = tuple(dict.fromkeys(c.key for c, look in looks if look.kind == "notes" and not c.within))
    patient = _patient(looks)
    id = next((c.key for c, look in looks if look.is_id and _is_id(c) and c.key != patient), None)
    proposals = tuple(_proposals(looks, {c.key for c in columns if c.within}))
    names = [column.key for column in columns]
    return Survey(proposals, copied.rows, text, id, patient, _is_header(names))


def _patient(looks: Sequence[tuple[Column, Contents]]) -> str | None:
    """The column that says whose a row is: one that is named so, or a record number that comes
    again or stands in a table of patients.
    """
    records = [c for c, look in looks if look.type == "MEDICALRECORD" and not c.within]
    named = (c.key for c in records if _PATIENT_WORDS.intersection(name_words(c.key)))
    of_patients = any(look.type == "PATIENT" or _is_birth(column) for column, look in looks)
    others = (c.key for c in records if of_patients or len(set(c.values)) < len(c.values))
    return next(chain(named, others), None)


def _is_birth(column: Column) -> bool:
    return ColumnRule.of(column.key, "DATE").birth


def _is_id(column: Column) -> bool:
    return not column.within and name_words(column.key)[-1:] in (["id"], ["key"], ["identifier"])


def _is_header(names: Sequence[str]) -> bool:
    """Whether names look like those of columns: none is a number, a date or an address."""
    return not any(re.search(r"\d{3}|[@/]", name) or not name.strip() for name in names)


def _proposals(looks: Sequence[tuple[Column, Contents]], nested: set[str]) -> Iterator[Proposal]:
    for column, look in looks:
        if column.key in nested:
            yield _nested(column, look)
        elif look.kind != "value":
            note = "" if look.kind != "nothing" else "nothing that looks identifying"
            yield Proposal(column, look, None, note)
        elif look.type == "IDNUM" and _are_row_numbers(column):
            note = "row numbers: they identify nobody outside this table"
            yield Proposal(column, Contents("nothing", is_id=True), None, note)
        elif look.type == "SSN":
            note = f"{look.why}; hardly anybody needs them in a release"
            yield Proposal(column, look, ColumnRule(DROP), note)
        else:
            yield Proposal(column, look, ColumnRule.of(column.key, look.type, look.order))


def _nested(column: Column, look: Contents) -> Proposal:
    """Fields within a field are not reached by a plan: it may be dropped as a whole."""
    if not look.identifies:
        return Proposal(column, look, None, "nothing that looks identifying")
    held = "free text" if look.kind == "notes" else look.type
    note = (
        f"holds {held} in fields within, which a plan does not reach: drop it, or flatten the table"
    )
    return Proposal(column, look, None, note)


def _are_row_numbers(column: Column) -> bool:
    """Whether the values are 1, 2, 3 and so on."""
    try:
        numbers = list(map(int, column.values))
    except ValueError:
        return False
    return numbers[:1] in ([0], [1]) and numbers == list(
        range(numbers[0], numbers[0] + len(numbers))
    )


# The plan as a file


def plan_text(survey: Survey) -> str:
    """The plan that `deid --columns` takes, with a comment on each column."""
    read = quantity(survey.rows, "row")
    lines = [
        f"# Proposed by `incognote columns` from {read} of a table. A proposal may be wrong and may",
        "# miss a column: go through it before you use it with `incognote deid --columns`.",
        "",
    ]
    searched = "notes, which are searched" if survey.text else "no free text: nothing is searched"
    lines.append(f"text = [{', '.join(map(toml_text, survey.text))}]  # {searched}")
    if survey.id is not None:
        lines.append(f"id = {toml_text(survey.id)}")
    if survey.patient is not None:
        lines.append(f"patient = {toml_text(survey.patient)}  # whose dates move together")
    else:
        lines.append("# patient: no column looks like one. Without it each row is its own patient.")
    lines += ["", "[columns]"]
    shown: set[str] = set()
    for proposal in survey.proposals:
        if proposal.rule is not None:
            lines.append(f"# {proposal.why}{_example(proposal)}")
            lines.append(f"{_key(proposal.key)} = {_value(proposal)}")
        elif proposal.key not in survey.text and proposal.key not in shown:
            shown.add(proposal.key)
            lines.append(f"# as it is: {toml_text(proposal.key)}: {proposal.why}")
    return "\n".join(lines) + "\n"


def _value(proposal: Proposal) -> str:
    rule = proposal.rule
    assert rule is not None
    guessed = ColumnRule.of(proposal.key, rule.type)
    if rule == guessed and not rule.birth:
        return toml_text(rule.type)
    more = [f"type = {toml_text(rule.type)}"]
    more += [f"order = {toml_text(rule.order)}"] if rule.order else []
    more += ["birth = true"] if rule.birth else []
    return f"{{ {', '.join(more)} }}"


def _example(proposal: Proposal) -> str:
    return f", such as {proposal.example}" if proposal.example else ""


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else toml_text(name)


# What a run says before it copies a column


@dataclass
class ColumnDoubts:
    """Columns that would be copied as they are, by names that may be shown.

    `missing` are names of the plan that no table has in the rows read.
    """

    missing: set[str] = field(default_factory=set)
    identifying: dict[str, None] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    without_notes: bool = False
    """Whether free text would be copied from a table of which no column is searched."""


def column_doubts(
    inputs: Sequence[Input], format: str | None, fields: Fields, keep: Sequence[str] = ()
) -> ColumnDoubts:
    """Columns of the first tables that look identifying, and of which nobody said anything."""
    named = {*fields.kept, *keep, *fields.known, fields.id, fields.patient}
    named.add(None if fields.id else "id")
    doubts = ColumnDoubts()
    names: set[str] = set()
    tables = 0
    for input in inputs:
        with suppress(FormatError, OSError, ValueError, RecursionError, MemoryError):
            table = detect(input.path, format)
            if not isinstance(table, Table):
                continue
            tables += 1
            look = table.other_columns(input.path, fields, _CAUTIONED_VALUES, _CAUTIONED_ROWS)
            names |= look.names
            for column in look.columns:
                if column.key not in named:
                    _add(doubts, column, contents_of(column, look.rows), fields)
        if tables == _CAUTIONED_TABLES:
            break
    doubts.missing |= fields.column.keys() - names if names else set()
    return doubts


def refuse_unsearched_text(
    inputs: Sequence[Input], format: str | None, fields: Fields, keep: Sequence[str]
) -> None:
    """Refuse to copy free text from a table of which no column is searched: most likely the column
    of notes was forgotten.
    """
    if not fields.no_text:
        return
    doubts = column_doubts(inputs, format, fields, keep)
    if doubts.without_notes:
        raise RunError(
            f"{_columns(doubts.notes, 'like free text')}, and no column is searched: name "
            f"{'it' if len(doubts.notes) == 1 else 'them'} with --text-field FIELD, leave out with "
            "--drop FIELD, or keep with --column FIELD=keep"
        )


def _add(doubts: ColumnDoubts, column: Column, contents: Contents, fields: Fields) -> None:
    if contents.kind == "notes":
        doubts.notes[column.name] = None
        doubts.without_notes |= fields.no_text
    elif contents.kind == "value" and not (contents.type == "IDNUM" and _are_row_numbers(column)):
        doubts.identifying[column.name] = None


def column_cautions(doubts: ColumnDoubts) -> Iterator[str]:
    """Warnings about them."""
    if doubts.missing:
        yield (
            f"no line of those looked at has the {'field' if len(doubts.missing) == 1 else 'fields'} "
            f"{', '.join(sorted(doubts.missing))}, which the plan names: see whether it is misspelt"
        )
    if doubts.identifying:
        yield (
            f"{_columns(doubts.identifying)} identifying and would be copied as "
            f"{_they(doubts.identifying)}: replace with --column FIELD=TYPE, leave out with --drop "
            "FIELD, or keep with --column FIELD=keep; `incognote columns TABLE` proposes a plan"
        )
    if doubts.notes:
        yield (
            f"{_columns(doubts.notes, 'like free text')} and would be copied as "
            f"{_they(doubts.notes)}: search with --text-field FIELD, leave out with --drop FIELD, or "
            "keep with --column FIELD=keep"
        )


def _columns(names: dict[str, None], what: str = "") -> str:
    one = len(names) == 1
    looks = "looks" if one else "look"
    return f"the {'column' if one else 'columns'} {', '.join(names)} {looks}{' ' + what if what else ''}"


def _they(names: dict[str, None]) -> str:
    return "it is" if len(names) == 1 else "they are"
