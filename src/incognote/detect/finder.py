"""The detector: how rules, known values, a site's file and a model become one list of findings.

A note goes through these steps, each of them once:

1. Its text is normalised: rules are given it without invisible characters and odd digits.
2. It is indexed: where its words, numbers and lines are (`note_index.py`).
3. The families of rules find identifiers by form and context (`rules/`), and detectors of a user's
   own join them (`plugins.py`).
4. The values that a table knows of the patient are searched (`known/`), and what a site's file
   lists and describes (`site/`). What it says is never an identifier is dropped from what rules
   and the user's own detectors find, and from 5 and 8; from 4 nothing is.
5. The model finds identifiers, and words of which it is uncertain (`model.py`).
6. Vetoes drop what the model takes for an identifier and is none (`vetoes/`).
7. Decisions, made by type when the model was validated, say whose findings count (`decisions.py`).
8. The other mentions of what counts are found (`propagate.py`).
9. Where rules and model disagree about a type, the decisions say who names it; the site's file goes
   before both, and what a table knows has the last word. Overlapping findings are merged
   (`merge.py`).
10. Uncertain words that reach a threshold are redacted too (`thresholds.py`).

Rules alone go without 5 to 7. A model alone is 5 and 10, and the site's file in 4. `Choice` says
which of them is meant by the names that users give.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from incognote.base.chunks import Ahead
from incognote.base.errors import ModelError
from incognote.detect.decisions import assign_types, counting, over, trimmed
from incognote.detect.detector import Detection, Detector, detect_many
from incognote.detect.known import as_known, find_known
from incognote.detect.merge import merge
from incognote.detect.normalise import NormalText, normal_texts
from incognote.detect.note_index import NoteIndex
from incognote.detect.plugins import Given, OwnDetector, own_detectors
from incognote.detect.rules import FAMILIES
from incognote.detect.rules.engine import Family
from incognote.detect.steps import Unrecorded
from incognote.detect.thresholds import Thresholds, redact, redacted_words
from incognote.detect.vetoes import without_false_alarms
from incognote.document import Document, Span
from incognote.models import shipped_model
from incognote.onnx.model_folder import FILE, Hybrid, digest, read_model
from incognote.onnx.sessions import cores
from incognote.phi import KnownTypes

if TYPE_CHECKING:
    from incognote.detect.site import Site
    from incognote.detect.site.site import SiteReading

NOTES_AHEAD = 64
UNION = Hybrid()
"""Whatever either finds counts."""
UNRECORDED = Unrecorded()


class Finder:
    """Finds the identifiers of notes by rules, a model or both.

    `families` are the rules; None: the model alone, without known values, vetoes and propagation.
    `hybrid` says whose findings count. Words that reach `words`, the model's own threshold, are
    redacted, and then those that reach `thresholds`, the user's. `site` is what a hospital says.

    `others` are detectors of a user's own. They find in the note as it is, beside the rules; what
    they find counts, and is named by them, whatever the decisions say.

    With `overlapped`, the model reads on in a thread of its own while rules work on what it has
    read: onnxruntime does not hold Python's lock. On one core that gains nothing.
    """

    def __init__(
        self,
        model: Detector | None = None,
        *,
        families: Sequence[Family] | None = FAMILIES,
        hybrid: Hybrid = UNION,
        words: float | None = None,
        thresholds: Thresholds | None = None,
        site: Site | None = None,
        overlapped: bool = False,
        others: Sequence[OwnDetector] = (),
    ) -> None:
        if families is None and model is None:
            raise ValueError("a finder needs rules or a model")
        self._model = model
        self._families = families
        self._hybrid = hybrid
        self._words = words
        self._thresholds = [] if words is None else [Thresholds(words)]
        self._thresholds += [] if thresholds is None else [thresholds]
        self._site = None if site is None else site.prepare()
        self._overlapped = overlapped
        self._others = tuple(others)

    @property
    def gains_by_company(self) -> bool:
        """Whether many notes are found faster together: with a model only."""
        return self._model is not None

    @property
    def families(self) -> Sequence[Family]:
        """The families of rules; none for a model alone."""
        return self._families or ()

    @property
    def site(self) -> Site | None:
        """What a hospital says."""
        return self._site

    @property
    def hybrid(self) -> Hybrid | None:
        """Who decides between rules and model; None: there is nothing to decide."""
        return None if self._model is None or self._families is None else self._hybrid

    @property
    def own_thresholds(self) -> Thresholds | None:
        """From which probability on words are redacted if the user asks for nothing."""
        return None if self._words is None else self._thresholds[0]

    def detect(self, document: Document) -> Detection:
        """One note."""
        return self.follow(document, UNRECORDED)

    def follow(self, document: Document, steps: Unrecorded) -> Detection:
        """The same, while `steps` are handed what each step gives."""
        by_model = None if self._model is None else steps.ask(self._model, document)
        return self._find(document, by_model, steps)

    def detect_many(self, documents: Sequence[Document]) -> Generator[Detection]:
        """Many notes in order, the same as one by one; the model reads them together.

        Where it fails, each is tried alone, so that only the note at fault fails.
        """
        remaining = iter(documents)
        if self._model is not None:
            with closing(self._read_by_model(self._model, documents)) as readings:
                for document in remaining:
                    try:
                        by_model = next(readings)
                    except Exception:
                        yield self.detect(document)
                        break
                    yield self._find(document, by_model)
        yield from map(self.detect, remaining)

    def _read_by_model(
        self, model: Detector, documents: Sequence[Document]
    ) -> Generator[Detection]:
        def readings() -> Generator[Detection]:
            yield from detect_many(model, documents)

        return Ahead(readings(), NOTES_AHEAD).items() if self._overlapped else readings()

    def _find(
        self, document: Document, by_model: Detection | None, steps: Unrecorded = UNRECORDED
    ) -> Detection:
        """What is in a note, given what the model found there; None: there is no model."""
        text = document.text
        others = [each.detect(document) for each in self._others]
        own = [span for each in others for span in each.spans]
        if self._families is None and self._site is None and not own:
            assert by_model is not None
            return _seen_by_all(self._redacted(text, by_model, steps), others)
        note, normal = NoteIndex(text), normal_texts(text)
        rules, known = self._read_by_rules(note, normal, document.known, steps)
        site = None if self._site is None else self._site.read(note, normal, known)
        own, by_site = steps.placed(own), steps.placed([] if site is None else [*site.spans])
        if site is not None:
            own, rules = site.never.left(own), site.never.left(rules)
            by_model = by_model and site.never.left_of(by_model)
        sure = Sure.of(text, known, by_site, own)
        if self._families is None:
            assert by_model is not None
            spans = merge(text, [*sure.others(by_model.spans), *sure.given])
            detection = replace(by_model, spans=tuple(spans))
        else:
            rules = merge(text, [*(sure.others(rules) if sure.given else rules), *sure.spans])
            detection = join(note, rules, by_model, self._hybrid, sure, normal, site, steps)
        detection = _seen_by_all(self._redacted(text, detection, steps), others)
        if site is None:
            return detection
        return replace(detection, never=self._never(text, detection, site))

    def _redacted(self, text: str, detection: Detection, steps: Unrecorded) -> Detection:
        """With the uncertain words that reach a threshold."""
        for thresholds in self._thresholds:
            steps.before_thresholds(thresholds, detection)
            detection = redact(text, detection, thresholds)
        return detection

    def _never(self, text: str, detection: Detection, site: SiteReading) -> Counter[str]:
        """What was left because the site says so, words that reach a threshold among it."""
        doubts = replace(detection, uncertain=site.never.words)
        words = (word for each in self._thresholds for word in redacted_words(text, doubts, each))
        return site.never.counts(detection.spans, words)

    def _read_by_rules(
        self,
        note: NoteIndex,
        normal: Sequence[NormalText],
        values: tuple[tuple[str, str], ...],
        steps: Unrecorded,
    ) -> tuple[list[Span], list[Span]]:
        """What rules find, and what the known values find; nothing for a model alone.

        A note with odd characters is read in its normal forms instead of as it is.
        """
        if self._families is None:
            return [], []
        spans: list[Span] = []
        known: list[Span] = []
        if not normal:
            spans, known = self._spans(note, values, steps)
        for form in normal:
            for spans_here, found in zip(
                (spans, known), self._spans(form.index, values, steps), strict=True
            ):
                spans_here += form.in_note(note.text, found)
        return steps.placed(spans), steps.placed(known)

    def _spans(
        self, note: NoteIndex, values: tuple[tuple[str, str], ...], steps: Unrecorded
    ) -> tuple[list[Span], list[Span]]:
        spans = [span for family in self._families or () for span in family.find(note)]
        spans, known = steps.found(note, spans), steps.found(note, find_known(note, values))
        return as_known(note.text, spans, known), known


def _seen_by_all(detection: Detection, others: Sequence[Detection]) -> Detection:
    """With the characters that a user's own detectors saw too."""
    seen = min((each.seen for each in others), default=detection.seen)
    return detection if seen >= detection.seen else replace(detection, seen=seen)


@dataclass(frozen=True)
class Sure:
    """Findings that count in any case: `known` values of a table, and what is `given` by a site's file
    and a user's own detectors.
    """

    text: str
    known: Sequence[Span] = ()
    given: Sequence[Span] = ()

    @classmethod
    def of(
        cls, text: str, known: Sequence[Span], by_site: Sequence[Span], own: Sequence[Span]
    ) -> Sure:
        """A user's own detectors give way to the site's file about a type, and both to the table."""
        return cls(text, known, [*by_site, *as_known(text, own, [*known, *by_site])])

    @property
    def spans(self) -> list[Span]:
        """The table's first."""
        return [*self.known, *self.given]

    def others(self, spans: Iterable[Span]) -> list[Span]:
        """What others found, under the type that is sure at the same place, and cut where it reaches
        into what is sure; where something given is the very same, that one tells who found it.
        """
        sure = merge(self.text, self.spans)
        if not sure:
            return list(spans)
        places = {(span.start, span.end) for span in self.given}
        named = as_known(self.text, spans, sure)
        beside = (_beside(self.text, span, over(sure, span.start, span.end)) for span in named)
        return [span for span in beside if (span.start, span.end) not in places]


def _beside(text: str, span: Span, sure: Iterable[Span]) -> Span:
    """A finding without what it shares with one that is sure; one of the two that holds the other
    stays whole.
    """
    start, end = span.start, span.end
    for other in sure:
        if other.start < span.start < other.end < span.end:
            start = other.end
        elif span.start < other.start < span.end < other.end:
            end = other.start
    while start > span.start and start < end and not text[start].isalnum():
        start += 1
    while end < span.end and start < end and not text[end - 1].isalnum():
        end -= 1
    if (start, end) == (span.start, span.end) or start >= end:
        return span
    return replace(span, start=start, end=end, text=text[start:end])


def join(
    note: NoteIndex,
    rules: Sequence[Span],
    model: Detection | None,
    hybrid: Hybrid = UNION,
    sure: Sure | None = None,
    normal: Sequence[NormalText] = (),
    site: SiteReading | None = None,
    steps: Unrecorded = UNRECORDED,
) -> Detection:
    """Steps 6 to 9, from what rules found, with what is `sure` among it, and what a model found.

    `normal` are the normal forms of a note that is not normal itself.
    """
    text = note.text
    if model is None:
        mentions = _mentions(note, normal, rules, (), site, steps)
        return Detection(tuple(merge(text, [*rules, *mentions])), len(text))
    model = without_false_alarms(note, model, rules)
    confirming = rules
    if hybrid.needs_agreement:  # a mention that repeats a rule's finding confirms the model too
        confirming = merge(text, [*rules, *_mentions(note, normal, rules, (), site)])
    by_rules, by_model = counting(rules, tuple(trimmed(model.spans)), hybrid, confirming)
    sure = sure or Sure(text)
    steps.without_vetoed(model)
    steps.decided(rules, chain(by_rules, by_model, sure.spans))
    mentions = _mentions(note, normal, merge(text, [*by_rules, *sure.spans]), by_model, site, steps)
    spans = assign_types(merge(text, [*by_rules, *mentions]), by_model, hybrid)
    spans = merge(text, [*sure.others(spans), *sure.spans])
    return Detection(tuple(spans), min(len(text), model.seen), model.uncertain)


def _mentions(
    note: NoteIndex,
    normal: Sequence[NormalText],
    by_rules: Sequence[Span],
    by_model: Sequence[Span] = (),
    site: SiteReading | None = None,
    steps: Unrecorded = UNRECORDED,
) -> list[Span]:
    """Where else in the note, or in its normal forms, the same is mentioned."""
    codes = frozenset[str]() if site is None else site.codes
    if not normal:
        mentions = steps.propagate(note, by_rules, by_model, codes)
    else:
        mentions = []
        for form in normal:
            parts = form.in_form(by_rules), form.in_form(by_model)
            mentions += form.in_note(note.text, steps.propagate(form.index, *parts, codes))
        mentions = steps.placed(mentions)
    return mentions if site is None else site.never.left(mentions)


DetectorName = Literal["rules", "model", "both"]


@dataclass(frozen=True)
class Choice:
    """Rules, a model or both, and the folder of the model if one takes part.

    `speed` is one of the model's variants; None: the most careful one. `others` are detectors of a
    user's own.
    """

    name: DetectorName
    model: Path | None
    speed: str | None = None
    others: tuple[OwnDetector, ...] = ()

    @property
    def parts(self) -> list[str]:
        """Who takes part in finding, for the audit."""
        return [*_PARTS[self.name], *(each.part for each in self.others)]

    @property
    def fingerprint(self) -> str | None:
        """Which model it is, wherever it lies."""
        return None if self.model is None else digest(self.model / FILE)[:16]

    @property
    def is_shipped(self) -> bool:
        """Whether the model is the one that comes with incognote."""
        return self.model is not None and self.model == shipped_model()

    def detector(
        self,
        *,
        threads: int = 1,
        uncertain: bool = False,
        thresholds: Thresholds | None = None,
        site: Site | None = None,
    ) -> Finder:
        """The detector; `threads` share a note, `uncertain` words are asked of the model.

        What reaches `thresholds` is redacted too, and what `site` says is found.
        """
        others = [each.begin() for each in self.others]
        if self.model is None:
            return Finder(thresholds=thresholds, site=site, others=others)
        from incognote.detect.model import ModelDetector
        from incognote.detect.uncertain import FLOOR

        folder = read_model(self.model)
        hybrid = folder.hybrid or UNION
        words = folder.variant(self.speed).words or hybrid.words if self.name == "both" else None
        # Nobody else asks for words that are less likely than those to be redacted.
        least = FLOOR if uncertain or thresholds is not None else words
        model = ModelDetector(self.model, speed=self.speed, threads=threads, uncertain=least)
        return Finder(
            model,
            families=FAMILIES if self.name == "both" else None,
            hybrid=hybrid,
            words=words,
            thresholds=thresholds,
            site=site,
            overlapped=threads > 1 and (self.name == "both" or thresholds is not None),
            others=others,
        )


_PARTS = {
    "rules": ["rules", "known", "propagated"],
    "model": ["model"],
    "both": ["rules", "known", "model", "propagated"],
}


def choose(
    name: str | None = None,
    model: str | Path | None = None,
    speed: str | None = None,
    with_detectors: Iterable[Given] = (),
    types: KnownTypes | None = None,
) -> Choice:
    """By default rules and the shipped model together, or rules alone where none was shipped.

    `with_detectors` are those of a user's own that join them, and find `types`, ours without.
    """
    folder = Path(model) if model is not None else shipped_model()
    others = own_detectors(with_detectors, types)
    match name:
        case None | "both" if folder is not None:
            return Choice("both", folder, speed, others)
        case "model" if folder is not None:
            return Choice("model", folder, speed, others)
        case "model" | "both":
            raise ModelError(
                f"the detector {name} needs a model, and none came with this package: give a model folder"
            )
        case None | "rules" if model is None:
            if speed is not None:
                raise ModelError(
                    f"the speed {speed} is of a model, and the rules use none: leave it out"
                )
            return Choice("rules", None, None, others)
        case "rules":
            raise ModelError("the detector rules uses no model: leave out the one or the other")
    raise ModelError(f"no detector {name!r}: choose {', '.join(get_args(DetectorName))}")


@cache
def default_detector() -> Finder:
    """The detector that runs when none is named."""
    return choose().detector(threads=cores())
