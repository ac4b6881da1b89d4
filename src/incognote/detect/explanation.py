"""Explanations: what is said of each span, of what was dropped, and of words that were left.

`explain.py` makes them. Nothing here is text of the note, unless `to_dict` or `rows` is asked for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, Literal

from incognote.detect.row_names import Row
from incognote.detect.thresholds import SOURCE as THRESHOLD
from incognote.document import Span

DECIDED = ("place", "type", "score")
"""What a finding may decide of a span."""

CONTEXT = 30
"""How many characters beside a place are shown with its text."""

Cause = Literal["never", "veto", "decision", "threshold", "empty", "overruled"]
"""Why a finding counted for nothing: a site's `never` entries, a veto, the decision of its type, a
score below the threshold of its type, no letter or digit in it, or something else.
"""

CAUSES: Mapping[str, str] = {
    "never": "never an identifier here",
    "veto": "vetoed",
    "decision": "decided against",
    "threshold": "below a threshold",
    "empty": "without letter or digit",
    "overruled": "overruled",
}


@dataclass(frozen=True)
class Reason:
    """One finding: whose it is, where it was made, and what of the span it decided.

    `source` names who found it, such as `rules.dates`, `known`, `model`, `propagated`, `threshold`,
    `site.staff`, `gold`. `decides` are those of place, type and score that the span has from it;
    a finding that decides none lies under a longer or surer one. Then, by source:

    - `rows`: the rows of the family that found it;
    - `values`: which of the note's known values it is, counted from 1;
    - `origin`: the place of the finding that it repeats;
    - `threshold`: what a finding of the model had to reach to count for its type; or what an
      uncertain word did reach, and `set_by` whose that is, the model's or the calibration's;
    - `types`: how likely an uncertain word is of each type.

    If it counted for nothing, `cause` says why, `vetoes` which vetoes or `never` entries,
    `decision` which decision.
    """

    start: int
    end: int
    type: str
    score: float
    source: str
    decides: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    values: tuple[int, ...] = ()
    origin: tuple[int, int] | None = None
    threshold: float | None = None
    set_by: str = ""
    types: tuple[tuple[str, float], ...] = ()
    cause: Cause | None = None
    vetoes: tuple[str, ...] = ()
    decision: str = ""

    def to_dict(self, at: Callable[[int], int]) -> dict[str, Any]:
        """What there is of it, for JSON."""
        said: dict[str, Any] = {
            "source": self.source,
            "start": at(self.start),
            "end": at(self.end),
            "type": self.type,
            "score": round(self.score, 4),
            "decides": list(self.decides),
            "rows": [{"row": row.number, "name": row.name} for row in self.rows],
            "values": list(self.values),
            "origin": self.origin and [at(self.origin[0]), at(self.origin[1])],
            "threshold": self.threshold and round(self.threshold, 4),
            "set_by": self.set_by,
            "types": {type: round(share, 4) for type, share in self.types},
            "cause": self.cause,
            "vetoes": list(self.vetoes),
            "decision": self.decision,
        }
        if self.cause:
            del said["decides"]
        always = ("start", "end", "decides")
        return {name: value for name, value in said.items() if value or name in always}

    def __str__(self) -> str:
        rows = "; ".join(f"row {row.number} {row.name}" for row in self.rows)
        words = f"{self.source} {rows}".rstrip() + f": {self.type} {self.score:.2f}"
        details = [f"value {number}" for number in self.values]
        if self.origin:
            details.append("follows from {}-{}".format(*self.origin))
        if self.source == THRESHOLD:
            details.append(f"reaches {self.threshold:.4g}, the {self.set_by}'s")
        elif self.threshold is not None:
            details.append(f"its type needs {self.threshold:.4g}")
        if self.cause and self.cause != "threshold":
            details.append(CAUSES[self.cause])
        details += self.vetoes
        if self.decision:
            details.append(f"who counts: {self.decision}")
        return f"{words} ({', '.join(details)})" if details else words


@dataclass(frozen=True)
class ExplainedSpan:
    """A span of the result, and the findings under it: first what decided, then the others.

    `decision` says whose findings of its type count, where both rules and a model are asked, and
    `named_by` who named it if that was not who found the place. `confidence` is the highest that
    the model has for a word in it, where the model is asked for uncertain words.
    """

    span: Span
    reasons: tuple[Reason, ...]
    decision: str = ""
    named_by: str = ""
    confidence: float | None = None


@dataclass(frozen=True)
class LeftWord:
    """A word that was left, how likely the model held it for an identifier, and of which types.

    `cause` says why it was left: a `never` entry or a `veto` (and which `vetoes`), the `decision` of its type, or that
    it did not reach `threshold`; None: the model's likeliest reading of the line leaves it out.
    """

    start: int
    end: int
    score: float
    types: tuple[tuple[str, float], ...]
    cause: Cause | None = None
    threshold: float | None = None
    vetoes: tuple[str, ...] = ()

    def __str__(self) -> str:
        types = ", ".join(f"{type} {share:.2g}" for type, share in self.types[:3])
        why = "the likeliest reading leaves it out"
        if self.cause == "threshold":
            why = f"below {self.threshold:.4g}"
        elif self.cause:
            why = ", ".join((*self.vetoes, CAUSES[self.cause]))
        return f"model {self.score:.2g} ({types}): {why}"


@dataclass(frozen=True)
class Explanation:
    """Why the spans of a note were marked, what counted for nothing, and what was left.

    `left` are the words with a confidence of `floor` or more that nothing marks; without a model
    there are none. `settings` say what was in force: the model's speed and members, and the
    thresholds. The text is there for `to_dict` and `rows`, and in no `repr`.
    """

    text: str = field(repr=False)
    spans: tuple[ExplainedSpan, ...]
    dropped: tuple[Reason, ...]
    left: tuple[LeftWord, ...]
    floor: float
    settings: Mapping[str, Any]

    def between(self, start: int, end: int) -> Explanation:
        """Only what shares a character with a place."""

        def there(each: Any) -> bool:
            return bool(each.start < end and each.end > start)

        return replace(
            self,
            spans=tuple(each for each in self.spans if there(each.span)),
            dropped=tuple(filter(there, self.dropped)),
            left=tuple(filter(there, self.left)),
        )

    def to_dict(
        self, at: Callable[[int], int] = lambda offset: offset, *, with_text: bool = False
    ) -> dict[str, Any]:
        """For JSON; `at` counts offsets otherwise. With text it is PHI."""

        def shown(start: int, end: int) -> dict[str, Any]:
            if not with_text:
                return {}
            before, after = self.text[max(0, start - CONTEXT) : start], self.text[end:][:CONTEXT]
            return {"text": self.text[start:end], "before": before, "after": after}

        spans = []
        for each in self.spans:
            span = each.span
            row: dict[str, Any] = {
                "start": at(span.start),
                "end": at(span.end),
                "type": span.type,
                "score": round(span.score, 4),
                "source": span.source,
                **shown(span.start, span.end),
                "why": [reason.to_dict(at) for reason in each.reasons],
            }
            if each.decision:
                row["decision"] = each.decision
            if each.named_by:
                row["named_by"] = each.named_by
            if each.confidence is not None:
                row["confidence"] = round(each.confidence, 4)
            spans.append(row)
        dropped = [
            {**reason.to_dict(at), **shown(reason.start, reason.end)} for reason in self.dropped
        ]
        left = []
        for word in self.left:
            row = {
                "start": at(word.start),
                "end": at(word.end),
                "score": round(word.score, 4),
                "types": {type: round(share, 4) for type, share in word.types},
                **shown(word.start, word.end),
            }
            row |= {"cause": word.cause} if word.cause else {}
            row |= {"threshold": round(word.threshold, 4)} if word.threshold is not None else {}
            row |= {"vetoes": list(word.vetoes)} if word.vetoes else {}
            left.append(row)
        return {"spans": spans, "dropped": dropped, "left": left, "settings": dict(self.settings)}

    def rows(self, *, with_text: bool = False) -> Iterator[tuple[str, str, str, str]]:
        """For people: place, what it is, why, and the text if it is asked for; a row a reason."""

        def shown(start: int, end: int) -> str:
            line = " ".join(self.text[start:end].split()) if with_text else ""
            return "".join(char if char.isprintable() else "\ufffd" for char in line)

        for each in self.spans:
            span = each.span
            place, what = f"{span.start}-{span.end}", f"{span.type} {span.score:.2f}"
            shown_text = shown(span.start, span.end)
            for reason in each.reasons or (None,):
                why = "" if reason is None else str(reason)
                if reason is not None and reason.decides:
                    part = "" if reason.decides == DECIDED else f" {', '.join(reason.decides)}"
                    why += f"  ← decides{part}"
                yield place, what, why, shown_text
                place = what = shown_text = ""
        for reason in self.dropped:
            place = f"{reason.start}-{reason.end}"
            yield place, "dropped", str(reason), shown(reason.start, reason.end)
        for word in self.left:
            yield f"{word.start}-{word.end}", "left", str(word), shown(word.start, word.end)

    def __str__(self) -> str:
        return "\n".join("  ".join(filter(None, row)) for row in self.rows())

    def _repr_html_(self) -> str:
        """For notebooks: a table without text of the note."""
        lines = "".join(
            f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row[:3])}</tr>"
            for row in self.rows()
        )
        return f"<table><tr><th>place<th>what<th>why</tr>{lines}</table>"
