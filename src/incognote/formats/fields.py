"""What a user says of files: which fields of a table hold what, and how the bytes are read."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from incognote.base.errors import RunError
from incognote.base.options import Option, PathText, at_least
from incognote.document import DocumentError, parse_shift
from incognote.formats.column_plan import (
    DROP,
    KEEP,
    ColumnPlan,
    ColumnRule,
    Rules,
    parse_rules,
    read_plan,
)
from incognote.formats.format_error import FormatError

_UNSUPPORTED = re.compile(r"utf-7|iso2022|hz$|idna|punycode|escape|undefined|mbcs|oem|ptcp154")


def codecs_named(names: str) -> tuple[str, ...]:
    """The codecs that `--encoding` means; one that is not text is an error."""
    return tuple(_codec(name.strip()) for name in names.split(","))


def _codec(name: str) -> str:
    try:
        codec = codecs.lookup(name)
        if not codec._is_text_encoding or _UNSUPPORTED.search(codec.name):
            raise LookupError
    except (LookupError, ValueError, UnicodeError):
        raise FormatError(
            f"'{name}' is not an encoding that incognote reads: utf-8, utf-16, windows-1252, "
            "windows-1250, iso-8859-1, mac-roman and Python's others are"
        ) from None
    return "utf-8" if codec.name == "utf-8-sig" else codec.name


def parse_encoding(names: str) -> str:
    """The same names, if they are encodings."""
    codecs_named(names)
    return names


def parse_row_shift(text: str | None) -> int:
    """The value of `--shift-field` in a row."""
    try:
        return parse_shift(text)
    except DocumentError as error:
        raise FormatError(f"the field of --shift-field has {error}") from None


def parse_known(pairs: list[str]) -> dict[str, str]:
    """FIELD=TYPE pairs; whether there is such a type, the settings of a run know."""
    known = {}
    for pair in pairs:
        name, equals, type = pair.rpartition("=")
        if not equals or not name or not type:
            raise ValueError(f"{pair}: write FIELD=TYPE, such as name=PATIENT")
        known[name] = type
    return known


@dataclass(frozen=True)
class Fields:
    """What a user says of files: which fields of a table hold what, and how the bytes are read.

    Without `text` it is the field "text"; without `id` it is the field "id" where there is one,
    else the number of the row.
    """

    text: Annotated[
        tuple[str, ...],
        Option(
            "Field or column that holds the text of a note; may be repeated. JSONL: 'text' by "
            "default.",
            flags=("--text-field",),
            metavar="FIELD",
            repeated=True,
        ),
    ] = ()
    id: Annotated[
        str | None,
        Option(
            "Field or column that holds the id of a note. JSONL: 'id' by default.",
            flags=("--id-field",),
            metavar="FIELD",
            panel="Tables",
        ),
    ] = None
    patient: Annotated[
        str | None,
        Option(
            "Field or column that holds the patient's id.",
            flags=("--patient-field",),
            metavar="FIELD",
            panel="Tables",
        ),
    ] = None
    known: Annotated[
        Mapping[str, str],
        Option(
            "A field or column that holds an identifier of the patient: its value is found wherever "
            "the row's notes mention it, also in another order or format or slightly misspelled. "
            "Example: --known name=PATIENT --known dob=DATE",
            metavar="FIELD=TYPE",
            parse=parse_known,
            repeated=True,
        ),
    ] = field(default_factory=dict)
    """From the name of a field to the PHI type of its value."""
    column: Annotated[
        Mapping[str, ColumnRule],
        Option(
            "Replace a whole field or column as a value of a type, by the same key and person as in "
            "the row's notes: --column name=PATIENT --column dob=DATE --column mrn=MEDICALRECORD. "
            "FIELD=keep says that one stays as it is.",
            metavar="FIELD=TYPE|keep",
            panel="Tables",
            parse=parse_rules,
            repeated=True,
        ),
    ] = field(default_factory=dict)
    """With what `columns` and `drop` say, once this is made."""
    drop: Annotated[
        tuple[str, ...],
        Option(
            "Leave a field or column out; may be repeated.",
            metavar="FIELD",
            panel="Tables",
            repeated=True,
        ),
    ] = ()
    columns: Annotated[
        ColumnPlan | None,
        Option(
            "File with the plan for the columns, as `incognote columns` proposes it. Options go "
            "before what it says.",
            metavar="PLAN",
            path=PathText(),
            panel="Tables",
            parse=read_plan,
        ),
    ] = None
    no_text: Annotated[
        bool,
        Option(
            "The table holds no notes, only columns that are replaced. Without it, a row or line "
            "without the field of notes is an error.",
            panel="Tables",
        ),
    ] = False
    """A field "text" is searched all the same, where columns are planned and it is not."""
    typed: frozenset[str] = frozenset()
    """The types whose fakes are numbers and dates again, so that columns of such stay such."""
    encoding: Annotated[
        str | None,
        Option(
            "Encoding of the inputs, such as windows-1252. Of several, separated by commas, the "
            "first that fits a file is used. By default it is detected, and a file in doubt is "
            "refused.",
            metavar="NAME",
            panel="Files",
            parse=parse_encoding,
        ),
    ] = None
    """Parquet has one of its own."""
    max_unpack: Annotated[
        int,
        Option(
            "How many times its size a gzip file may grow when unpacked; the first 64 MiB are "
            "always allowed.",
            at_least(1),
            metavar="TIMES",
            panel="Files",
        ),
    ] = 200
    shift: Annotated[
        str | None,
        Option(
            "Field or column that holds by how many days the dates of the row's patient are moved, "
            "where that was decided elsewhere: a whole number, the same in all rows of a patient. "
            "It tells what the dates were, so --drop it too.",
            flags=("--shift-field",),
            metavar="FIELD",
            panel="Tables",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Put the plan together: the file's, then what the options say."""
        plan = self.columns or ColumnPlan()
        for name in self.drop:
            if (rule := self.column.get(name)) and rule.type != DROP:
                raise RunError(f"--drop {name}: --column says {name}={rule.type}: choose one")
        named = {*self.text, *self.column, *self.drop}
        rules = {name: rule for name, rule in plan.rules.items() if name not in named}
        rules |= {**self.column, **dict.fromkeys(self.drop, ColumnRule(DROP))}
        text = self.text or tuple(name for name in plan.text or () if name not in named)
        if self.no_text and text:
            raise RunError("--no-text: a field of notes is named too: choose one")
        no_text = self.no_text or (plan.text == () and not text)
        for name in text or (() if no_text else ("text",)):
            if name in rules:
                raise RunError(
                    f"'{name}' holds notes (--text-field), so it cannot be replaced as a value, "
                    "kept or dropped: leave out the one or the other"
                    f"{'' if text else ', or say --no-text'}"
                )
        merged: dict[str, Any] = {
            "text": text,
            "id": self.id or plan.id,
            "patient": self.patient or plan.patient,
            "known": {**plan.known, **self.known},
            "column": rules,
            "drop": (),
            "columns": None,
            "no_text": no_text,
        }
        for name, value in merged.items():
            object.__setattr__(self, name, value)

    @property
    def values(self) -> Rules:
        """The fields that are replaced."""
        return {name: rule for name, rule in self.column.items() if rule.is_replaced}

    @property
    def dropped(self) -> frozenset[str]:
        """The fields that are left out."""
        return frozenset(name for name, rule in self.column.items() if rule.type == DROP)

    @property
    def kept(self) -> frozenset[str]:
        """The fields that stay because the user insists."""
        return frozenset(name for name, rule in self.column.items() if rule.type == KEEP)

    def text_fields(self, names: Collection[str]) -> tuple[str, ...]:
        """The fields of notes that a table or line with these fields must have."""
        usual = bool(self.column) and "text" in names and "text" not in self.column
        return self.text or (("text",) if usual or not self.no_text else ())

    @property
    def text_advice(self) -> str:
        """What to do where the usual field of notes is missing beside planned ones."""
        if self.text or not self.column:
            return ""
        return "; name that of the notes with --text-field, or say --no-text if there are none"
