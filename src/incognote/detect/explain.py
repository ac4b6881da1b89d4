"""Why each span of a note was marked, and why a word was not.

`explain` lets the finder go through its steps as always while `Steps` writes down what each gives, so
that an explanation is of the very same findings (`explanation.py` says what it consists of).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, Literal

from incognote.detect.decisions import over
from incognote.detect.detector import Detection, detect_one
from incognote.detect.explanation import (
    DECIDED,
    Cause,
    ExplainedSpan,
    Explanation,
    LeftWord,
    Reason,
)
from incognote.detect.finder import Finder
from incognote.detect.known import SOURCE as KNOWN
from incognote.detect.known import find_known
from incognote.detect.merge import merge
from incognote.detect.model import SOURCE as MODEL
from incognote.detect.normalise import normal_texts
from incognote.detect.note_index import NoteIndex
from incognote.detect.row_names import rows_of
from incognote.detect.rules import FAMILIES
from incognote.detect.steps import Finding, Numbered, Steps, plain
from incognote.detect.thresholds import SOURCE as THRESHOLD
from incognote.detect.thresholds import Thresholds, unmarked
from incognote.detect.uncertain import UncertainWord
from incognote.detect.vetoes import VETOES, VETOES_OF, Veto
from incognote.document import Document, Span

if TYPE_CHECKING:
    from incognote.detect.site import Site, SiteRow

SURE = (KNOWN, "site.", "plugin.")
"""How the sources begin whose types count more than those of rules and model."""

LEFT_FROM = 0.01
"""From which confidence on words that were left are listed, unless something else is asked for."""


def explain(
    finder: Finder,
    document: Document,
    *,
    floor: float = LEFT_FROM,
    given: Sequence[Span] = (),
) -> Explanation:
    """Why the finder marks what it marks in a note.

    `given` are marks that came with the note and are replaced too. A value by itself is not
    searched: it is its one span.
    """
    steps = Steps()
    if document.value_type is None:
        detection = finder.follow(document, steps)
    else:
        detection = detect_one(finder, document)
        given = (*detection.spans, *given)
    return _Explainer(finder, document, steps, detection, given).explanation(floor)


class _Explainer:
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
        self._vetoed = _VetoedPlaces(document.text, finder.site)
        self._values: dict[tuple[int, NoteIndex], set[tuple[int, int, str]]] = {}
        merged = merge(document.text, [*detection.spans, *given]) if given else detection.spans
        self._spans: Sequence[Span] = merged
        self._given = given
        self._remaining = {word.start: word for word in detection.uncertain}
        self._needed: Mapping[str, float] = (steps.model or {}).get("thresholds", {})

    def explanation(self, floor: float) -> Explanation:
        """The spans with their reasons, what was dropped, and the words left from `floor` on."""
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
        if cause in ("veto", "overruled"):
            cause, vetoes = self._vetoed.cause(reason.start, reason.end, [reason.type])
            return replace(reason, cause=cause, vetoes=vetoes)
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
            if reason.source.startswith(SURE) or not by_model:
                return reason.source.startswith((*SURE, MODEL))
            return number in merged or findings[number].origin is not None

        def preference(item: tuple[int, Reason]) -> tuple[bool, bool, int, float]:
            reason = item[1]
            shared = min(reason.end, span.end) - max(reason.start, span.start)
            known, sure = reason.source == KNOWN, reason.source.startswith(SURE)
            return known, sure, shared, reason.score

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
                last = bisect_left(unmarked_words, reason.end, key=lambda word: word.start)
                by_model.update((word.start, reason) for word in unmarked_words[first:last])
        for word in unmarked_words:
            if word.score >= floor:
                yield self._left_word(word, by_model.get(word.start))

    def _left_word(self, word: UncertainWord, dropped: Reason | None) -> LeftWord:
        left = LeftWord(word.start, word.end, word.score, word.types)
        remaining = self._remaining.get(word.start)
        if remaining is None or remaining.types != word.types:
            types = [type for type, _ in word.types]
            cause, vetoes = self._vetoed.cause(word.start, word.end, types)
            return replace(left, cause=cause, vetoes=vetoes)
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
    """Which vetoes, and which `never` entries of a site, name a place in a note; each asked once."""

    def __init__(self, text: str, site: Site | None) -> None:
        self._note = NoteIndex(text)
        rows = () if site is None else site.rows()
        self._never = [row for row in rows if row.kind == "never"]
        self._normal = normal_texts(text) if self._never else []
        self._places: dict[Veto | SiteRow, bytearray] = {}

    def cause(self, start: int, end: int, types: Sequence[str]) -> tuple[Cause, tuple[str, ...]]:
        """Why a place was dropped: by entries that hold all of it, or by vetoes that share a
        character with it, of any type or of one of these.
        """
        if entries := self._entries(start, end, types):
            return "never", entries
        special = (veto for type in types for veto in VETOES_OF.get(type, ()))
        vetoes = dict.fromkeys((*VETOES, *special))
        names = [veto.__name__ for veto in vetoes if self._of_veto(veto).find(1, start, end) >= 0]
        return ("veto" if names else "overruled"), tuple(names)

    def _entries(self, start: int, end: int, types: Sequence[str]) -> tuple[str, ...]:
        rows = [
            row
            for row in self._never
            if (not row.types or not {*row.types}.isdisjoint(types))
            and self._of_entry(row).find(1, start, end) >= 0
        ]
        text = self._note.text
        for place in range(start, end):
            if text[place].isalnum() and not any(self._of_entry(row)[place] for row in rows):
                return ()
        return tuple(dict.fromkeys(row.name for row in rows))

    def _of_veto(self, veto: Veto) -> bytearray:
        if veto not in self._places:
            self._places[veto] = self._marked(veto(self._note))
        return self._places[veto]

    def _of_entry(self, row: SiteRow) -> bytearray:
        if row not in self._places:
            places = list(() if self._normal else row.find(self._note))
            for form in self._normal:
                found = row.find(form.index)
                places += [(form.place(start), form.place(end - 1) + 1) for start, end in found]
            self._places[row] = self._marked(places)
        return self._places[row]

    def _marked(self, places: Iterable[tuple[int, int]]) -> bytearray:
        marks = bytearray(len(self._note.text))
        for start, end in places:
            marks[start:end] = b"\1" * (end - start)
        return marks


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
