"""Notes and options as our own routes take them, and the answers.

Nothing in a request names a path, a key or a file of the service; policies are those that it knows by
name. What an answer holds of findings says where they are, never what stood there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from incognote.base.errors import UserError
from incognote.detect.explanation import Explanation
from incognote.document import Document, Span
from incognote.pipeline import Result
from incognote.serve.engine import Choice
from incognote.serve.offsets import Offsets, Unit
from incognote.serve.problems import ProblemError

LONGEST_NAME = 1000
Name = Annotated[str, StringConstraints(max_length=LONGEST_NAME)]
EXAMPLE = "Seen by Dr. Okafor on 3/14/2019.\nMRN: 307-74-18\n"


class Strict(BaseModel):
    """What a request holds; a key that is not known is a mistake, which is told."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class KnownValue(Strict):
    """A value that a table knows of the patient, searched in the note."""

    type: Name = Field(examples=["PATIENT"])
    value: str = Field(max_length=10_000, examples=["Amara Okafor"])


class Mark(Strict):
    """A stretch that is marked already and is replaced too; offsets in the request's unit."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    type: Name


class Note(Strict):
    """A note with what is known of it."""

    text: str = Field(examples=[EXAMPLE])
    id: Name | None = Field(default=None, description="Given back with the result.")
    patient: Name | None = Field(
        default=None,
        description="Whose note it is: surrogates and moved dates agree within a patient.",
    )
    known: list[KnownValue] = Field(default=[], max_length=10_000)
    shift: int | None = Field(
        default=None, description="Days by which dates are moved, where that was decided elsewhere."
    )
    spans: list[Mark] = Field(default=[], max_length=100_000, description="Marked already.")

    def document(self, number: int, unit: Unit) -> Document:
        """As the library has it."""
        try:
            offsets = Offsets(self.text, unit)
            spans = tuple(
                Span.of(
                    self.text,
                    offsets.code_point(mark.start),
                    offsets.code_point(mark.end),
                    mark.type,
                )
                for mark in self.spans
            )
            return Document(
                self.id or "",
                self.text,
                spans,
                patient=self.patient,
                known=tuple((each.type, each.value) for each in self.known),
                shift=self.shift,
            )
        except UserError as error:
            raise ProblemError(422, f"note {number}: {error}") from None


class Notes(Strict):
    """One text, or notes; how they are found; and how offsets are counted."""

    text: str | None = Field(default=None, description="One note; or give `notes`.")
    notes: list[Note] | None = Field(default=None, min_length=1)
    detector: Literal["rules", "model", "both"] | None = None
    speed: Literal["careful", "balanced", "fast"] | None = None
    offsets: Unit = Field(
        default="codepoint",
        description="What offsets count: code points, UTF-16 units or UTF-8 bytes.",
    )
    explain: bool = Field(
        default=False, description="Also say why each span was marked, and which words were left."
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Notes:
        if (self.text is None) == (self.notes is None):
            raise ValueError("give either text or notes")
        return self

    def documents(self, most: int) -> list[Document]:
        """The notes, in order."""
        notes = self.notes if self.notes is not None else [Note(text=self.text or "")]
        if len(notes) > most:
            raise ProblemError(413, f"{len(notes):,} notes in one request: at most {most:,}")
        return [note.document(number, self.offsets) for number, note in enumerate(notes, 1)]

    def choice(self) -> Choice:
        """How they are to be found and replaced."""
        return Choice(find_by=self.detector, speed=self.speed)


class FindRequest(Notes):
    """Where the identifiers are."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": EXAMPLE}]})


class DeidRequest(Notes):
    """What becomes of them too."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"text": EXAMPLE},
                {
                    "notes": [
                        {
                            "id": "7",
                            "text": EXAMPLE,
                            "patient": "p-3",
                            "known": [{"type": "PATIENT", "value": "Amara Okafor"}],
                        }
                    ],
                    "replace": {"DEFAULT": "tag", "DATE": "year"},
                    "offsets": "utf16",
                },
            ]
        }
    )

    replace: str | dict[Name, Name] | None = Field(
        default=None,
        description="An operator for all types, or by type or category; DEFAULT is for the rest. "
        "tag, redact, mask, hash, surrogate, keep, year, month, generalise, shift.",
    )
    policy: Name | None = Field(
        default=None,
        description="A release policy by its name: i2b2, safe-harbor, limited-data-set, …",
    )
    number: bool | None = Field(
        default=None, description="Number tags per distinct person or value."
    )
    spans: bool = Field(
        default=True,
        description="Also give the places of what was replaced, in the original. Among surrogates, "
        "keep them to yourself: what is not listed was not replaced.",
    )

    def choice(self) -> Choice:
        """How they are to be found and replaced."""
        return Choice(
            replace=None if self.replace is None else joined_operators(self.replace),
            policy=self.policy,
            number=self.number,
            find_by=self.detector,
            speed=self.speed,
        )


def joined_operators(replace: str | Mapping[str, str]) -> str:
    """Operators by type as the library reads them: "tag,DATE=mask"."""
    if isinstance(replace, str):
        return replace
    default = replace.get("DEFAULT")
    rest = [f"{type}={name}" for type, name in replace.items() if type != "DEFAULT"]
    return ",".join([*([default] if default else []), *rest])


class Finding(BaseModel):
    """A marked stretch of the original."""

    start: int
    end: int
    type: str
    score: float
    source: str


class Failure(BaseModel):
    """Why a note has no result; nothing of it is given back."""

    detail: str


class FoundNote(BaseModel):
    """Where a note's identifiers are."""

    id: str | None
    spans: list[Finding] | None
    seen: int = Field(0, description="Characters that every detector saw.")
    explanation: dict[str, Any] | None = None
    error: Failure | None = None


class CleanNote(FoundNote):
    """The note that may leave, and what was replaced; on an error there is no text."""

    text: str | None
    remarks: list[dict[str, Any]] = []


class FindResponse(BaseModel):
    """The notes in order."""

    notes: list[FoundNote]


class DeidResponse(BaseModel):
    """The notes in order."""

    notes: list[CleanNote]


def findings(document: Document, spans: tuple[Span, ...], unit: Unit) -> list[dict[str, Any]]:
    """As `Finding` has them."""
    offsets = Offsets(document.text, unit)
    return [
        {
            "start": offsets.of(span.start),
            "end": offsets.of(span.end),
            "type": span.type,
            "score": span.score,
            "source": span.source,
        }
        for span in spans
    ]


def found_note(id: str | None, result: Result, unit: Unit) -> dict[str, Any]:
    """The places only."""
    return {
        "id": id,
        "spans": findings(result.found, result.spans, unit),
        "seen": result.seen,
    }


def clean_note(id: str | None, result: Result, unit: Unit, *, spans: bool) -> dict[str, Any]:
    """The text that may leave."""
    remarks = result.to_dict()["remarks"] if result.remarks else []
    return {
        "id": id,
        "text": result.text,
        "spans": findings(result.found, result.spans, unit) if spans else None,
        "seen": result.seen,
        "remarks": remarks,
    }


def failed_note(id: str | None, detail: str) -> dict[str, Any]:
    """A note that could not be processed is never given back."""
    return {"id": id, "text": None, "spans": None, "seen": 0, "error": {"detail": detail}}


def explained(document: Document, explanation: Explanation, unit: Unit) -> dict[str, Any]:
    """Reasons with their places, without text."""
    return explanation.to_dict(Offsets(document.text, unit).of)
