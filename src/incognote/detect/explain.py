"""Why each span of a note was marked, and why a word was not.

`explain` lets the finder go through its steps as always while `Steps` writes down what each gives, so
that an explanation is of the very same findings. Nothing in it is text of the note, unless
`to_dict` or `rows` is asked for it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from math import inf
from typing import Any, Literal

from incognote.detect.decisions import over
from incognote.detect.detector import Detection
from incognote.detect.finder import Finder
from incognote.detect.known import SOURCE as KNOWN
from incognote.detect.known import find_known
from incognote.detect.merge import merge
from incognote.detect.model import SOURCE as MODEL
from incognote.detect.note_index import NoteIndex
from incognote.detect.row_names import Row, rows_of
from incognote.detect.rules import FAMILIES
from incognote.detect.steps import Finding, Numbered, Steps, plain
from incognote.detect.thresholds import SOURCE as THRESHOLD
from incognote.detect.thresholds import Thresholds, unmarked
from incognote.detect.uncertain import UncertainWord
from incognote.detect.vetoes import VETOES, VETOES_OF, Veto
from incognote.document import Document, Span

DECIDED = ("place", "type", "score")
"""What a finding may decide of a span."""

LEFT_FROM = 0.01
"""From which confidence on words that were left are listed, unless something else is asked for."""

CONTEXT = 30
"""How many characters beside a place are shown with its text."""

Cause = Literal["veto", "decision", "threshold", "empty", "overruled"]
"""Why a finding counted for nothing: a veto, the decision of its type, a score below the threshold of
its type, no letter or digit in it, or something that comes later, such as a `never` entry of a site.
"""

CAUSES: Mapping[str, str] = {
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

    If it counted for nothing, `cause` says why, `vetoes` which vetoes, `decision` which decision.
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

    `cause` says why it was left: a `veto` (and which `vetoes`), the `decision` of its type, or that
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


def explain(
    finder: Finder,
    document: Document,
    *,
    floor: float = LEFT_FROM,
    given: Sequence[Span] = (),
) -> Explanation:
    """Why the finder marks what it marks in a note.

    `given` are marks that came with the note and are replaced too.
    """
    steps = Steps()
    detection = finder.follow(document, steps)
    return _Explaining(finder, document, steps, detection, given).explanation(floor)


class _Explaining:
    """What the steps gave, put in order by the spans of the result."""

    def __init__(
        self,
        finder: Finder,
        document: Document,
        steps: Steps,
        detection: Detection,
        given: Sequence[Span],
    ) -> None:
        self._finder = finder
        self._families = {each.source: each for each in finder.families if each in FAMILIES}
        self._document = document
        self._steps = steps
        self._vetoed = _VetoedPlaces(document.text)
        self._values: dict[tuple[int, NoteIndex], set[tuple[int, int, str]]] = {}
        merged = merge(document.text, [*detection.spans, *given]) if given else detection.spans
        self._spans: Sequence[Span] = merged
        self._given = given
        self._remaining = {word.start: word for word in detection.uncertain}
        self._needed: Mapping[str, float] = (steps.model or {}).get("thresholds", {})

    def explanation(self, floor: float) -> Explanation:
        """All of it."""
        counting: dict[int, Reason] = {}
        dropped = [self._short(span) for span in self._steps.short]
        for number, finding in enumerate(self._steps.findings):
            reason = self._reason(finding)
            cause = self._cause(number, finding)
            if cause is None and not over(self._spans, finding.start, finding.end):
                cause = "overruled"
            if cause is None:
                counting[number] = reason
            else:
                dropped.append(self._dropped(reason, cause))
        dropped.sort(key=lambda reason: (reason.start, reason.end, reason.source))
        return Explanation(
            self._document.text,
            tuple(self._explained(counting)),
            tuple(dropped),
            tuple(self._left(dropped, floor)),
            floor,
            self._settings(),
        )

    def _settings(self) -> dict[str, Any]:
        model = self._steps.model or {}
        settings: dict[str, Any] = {
            name: model[name] for name in ("speed", "members") if name in model
        }
        for thresholds, _ in self._steps.redacted:
            overall = {} if thresholds.overall > 1 else {"overall": thresholds.overall}
            levels = {**overall, **thresholds.by_type}
            settings.setdefault("words_from", {})[self._set_by(thresholds)] = levels
        return settings

    # One finding

    def _reason(self, finding: Finding) -> Reason:
        span, note = finding.span, finding.note
        reason = Reason(finding.start, finding.end, span.type, span.score, span.source)
        if finding.origin is not None:
            origin = self._steps.findings[finding.origin]
            return replace(reason, origin=(origin.start, origin.end))
        if span.source == MODEL:
            return replace(reason, threshold=self._needed.get(span.type))
        if note is not None and span.source == KNOWN:
            return replace(reason, values=self._values_of(span, note))
        if note is not None and span.source in self._families:
            return replace(reason, rows=rows_of(self._families[span.source], note, span))
        return reason

    def _values_of(self, span: Span, note: NoteIndex) -> tuple[int, ...]:
        """Which of the known values a span is, each searched alone."""
        place = (span.start, span.end, span.type)
        for number, pair in enumerate(self._document.known, 1):
            if (number, note) not in self._values:
                places = {(each.start, each.end, each.type) for each in find_known(note, (pair,))}
                self._values[number, note] = places
        return tuple(
            number
            for (number, of), places in self._values.items()
            if of is note and place in places
        )

    def _cause(self, number: int, finding: Finding) -> Cause | None:
        """Why a finding counted for nothing, if it did, until the end of the decisions."""
        steps, span = self._steps, finding.span
        if span.source == MODEL and steps.unvetoed is not None and number not in steps.unvetoed:
            return "veto"
        if steps.counted is None or number in steps.counted or finding.origin is not None:
            return None
        if span.source == MODEL and not any(map(str.isalnum, span.text)):
            return "empty"
        return "decision" if span.source == MODEL or number in steps.merged else None

    def _dropped(self, reason: Reason, cause: Cause) -> Reason:
        reason = replace(reason, cause=cause)
        hybrid = self._finder.hybrid
        if cause == "veto":
            vetoes = self._vetoed.names(reason.start, reason.end, [reason.type])
            return replace(reason, cause="veto" if vetoes else "overruled", vetoes=vetoes)
        if cause == "decision" and hybrid is not None:
            return replace(reason, decision=hybrid.decision(reason.type))
        return reason

    def _short(self, span: Span) -> Reason:
        return Reason(
            span.start,
            span.end,
            span.type,
            span.score,
            span.source,
            threshold=self._needed.get(span.type),
            cause="threshold",
        )

    # The spans of the result

    def _explained(self, counting: Mapping[int, Reason]) -> Iterator[ExplainedSpan]:
        under: dict[int, list[tuple[int, Reason]]] = defaultdict(list)
        for number, reason in counting.items():
            for span in over(self._spans, reason.start, reason.end):
                under[span.start].append((number, reason))
        others: dict[int, list[Reason]] = defaultdict(list)
        for reason in (*self._redacted_words(), *map(_as_given, self._given)):
            for span in over(self._spans, reason.start, reason.end):
                others[span.start].append(_with_decisions(reason, span))
        confidences: dict[int, float] = defaultdict(float)
        for word in self._steps.uncertain:
            for span in over(self._spans, word.start, word.end):
                confidences[span.start] = max(confidences[span.start], word.score)
        for span in self._spans:
            start = span.start
            yield self._span(span, under[start], others[start], confidences.get(start))

    def _span(
        self,
        span: Span,
        under: Sequence[tuple[int, Reason]],
        others: Sequence[Reason],
        confidence: float | None,
    ) -> ExplainedSpan:
        decides: dict[int, tuple[str, ...]] = {}
        decision = named_by = ""
        if isinstance(span, Numbered):
            first = self._steps.findings[span.number].span
            decides[span.number] = DECIDED
            if first.type != span.type:
                decides[span.number] = ("place", "score")
                if (namer := self._namer(span, span.number, under)) is not None:
                    decides[namer] = ("type",)
                    named_by = _finder_of(self._steps.findings[namer].span)
            if self._finder.hybrid is not None:
                decision = self._finder.hybrid.decision(first.type)
        reasons = [replace(reason, decides=decides.get(number, ())) for number, reason in under]
        reasons += others
        if not any("place" in reason.decides for reason in reasons):
            reasons.append(replace(_as_given(span), decides=DECIDED))
        reasons.sort(key=lambda reason: (-len(reason.decides), reason.start, -reason.end))
        return ExplainedSpan(plain(span), _distinct(reasons), decision, named_by, confidence)

    def _namer(self, span: Span, base: int, under: Sequence[tuple[int, Reason]]) -> int | None:
        """Who gave a span a type that its finder did not: what a table knows, or the other finder."""
        findings, merged = self._steps.findings, self._steps.merged
        by_model = findings[base].span.source == MODEL

        def may_name(number: int, reason: Reason) -> bool:
            if reason.source == KNOWN or not by_model:
                return reason.source in (KNOWN, MODEL)
            return number in merged or findings[number].origin is not None

        def preference(item: tuple[int, Reason]) -> tuple[bool, int, float]:
            reason = item[1]
            shared = min(reason.end, span.end) - max(reason.start, span.start)
            return reason.source == KNOWN, shared, reason.score

        namers = [item for item in under if item[1].type == span.type and may_name(*item)]
        return max(namers, key=preference)[0] if namers else None

    # Words

    def _redacted_words(self) -> Iterator[Reason]:
        """The words that were redacted because they reach a threshold."""
        for thresholds, detection in self._steps.redacted:
            for word in unmarked(detection):
                if thresholds.reach(word):
                    yield Reason(
                        word.start,
                        word.end,
                        word.type,
                        word.score,
                        THRESHOLD,
                        threshold=_reached(thresholds, word),
                        set_by=self._set_by(thresholds),
                        types=word.types,
                    )

    def _set_by(self, thresholds: Thresholds) -> Literal["model", "calibration"]:
        return "model" if thresholds is self._finder.own_thresholds else "calibration"

    def _left(self, dropped: Sequence[Reason], floor: float) -> Iterator[LeftWord]:
        by_model: dict[int, Reason] = {}
        unmarked_words = unmarked(Detection(tuple(self._spans), 0, self._steps.uncertain))
        for reason in dropped:
            if reason.source == MODEL:
                first = bisect_right(unmarked_words, reason.start, key=lambda word: word.end)
                for word in unmarked_words[first:]:
                    if word.start >= reason.end:
                        break
                    by_model[word.start] = reason
        for word in unmarked_words:
            if word.score >= floor:
                yield self._left_word(word, by_model.get(word.start))

    def _left_word(self, word: UncertainWord, dropped: Reason | None) -> LeftWord:
        left = LeftWord(word.start, word.end, word.score, word.types)
        remaining = self._remaining.get(word.start)
        if remaining is None or remaining.types != word.types:
            vetoes = self._vetoed.names(word.start, word.end, [type for type, _ in word.types])
            return replace(left, cause="veto" if vetoes else "overruled", vetoes=vetoes)
        if dropped is not None:
            return replace(left, cause=dropped.cause, threshold=dropped.threshold)
        levels = [
            level
            for thresholds, _ in self._steps.redacted
            for level in (thresholds.overall, thresholds.by_type.get(word.type, inf))
        ]
        if (lowest := min(levels, default=inf)) <= 1:
            return replace(left, cause="threshold", threshold=lowest)
        return left


class _VetoedPlaces:
    """Which vetoes name a place in a note, each asked once."""

    def __init__(self, text: str) -> None:
        self._note = NoteIndex(text)
        self._places: dict[Veto, bytearray] = {}

    def names(self, start: int, end: int, types: Iterable[str]) -> tuple[str, ...]:
        """The vetoes that share a character with a place, of any type or of one of these."""
        special = (veto for type in types for veto in VETOES_OF.get(type, ()))
        vetoes = dict.fromkeys((*VETOES, *special))
        return tuple(veto.__name__ for veto in vetoes if self._of(veto).find(1, start, end) >= 0)

    def _of(self, veto: Veto) -> bytearray:
        if veto not in self._places:
            places = self._places[veto] = bytearray(len(self._note.text))
            for start, end in veto(self._note):
                places[start:end] = b"\1" * (end - start)
        return self._places[veto]


def _distinct(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Without what another form of the note gave in the same way; of equals the first."""
    distinct: dict[Reason, Reason] = {}
    for reason in reasons:
        distinct.setdefault(replace(reason, decides=()), reason)
    return tuple(distinct.values())


def _finder_of(span: Span) -> str:
    return "rules" if span.source.startswith("rules.") else span.source


def _as_given(mark: Span) -> Reason:
    """A finding of which nothing is known but what it says itself."""
    return Reason(mark.start, mark.end, mark.type, mark.score, mark.source)


def _with_decisions(reason: Reason, span: Span) -> Reason:
    """What a redacted word, or a mark that came with the note, decides of a span."""
    if span.source != reason.source or span.type != reason.type:
        return reason
    same_score = span.score == reason.score
    return replace(reason, decides=DECIDED if same_score else ("place", "type"))


def _reached(thresholds: Thresholds, word: UncertainWord) -> float:
    """The threshold that a word reaches."""
    if word.score >= thresholds.overall:
        return thresholds.overall
    levels = thresholds.by_type
    return next(levels[type] for type, share in word.types if share >= levels.get(type, inf))
