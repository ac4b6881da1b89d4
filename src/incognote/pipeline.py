"""Deidentifier: detect and replace, over one note or a stream of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from incognote.ahead import Ahead
from incognote.detect.choice import DetectorName, choose, default_detector
from incognote.detect.detector import Detection, Detector
from incognote.detect.merge import merge
from incognote.detect.together import ManyDetector, detect_many
from incognote.document import Document, Span
from incognote.onnx.cores import cores
from incognote.replace import Policy, parse_policy, rewrite

if TYPE_CHECKING:
    from incognote.replace.surrogate.settings import SurrogateSettings
    from incognote.replace.vault import Vault

NOTES_TOGETHER = 256
CHARACTERS_TOGETHER = 1_000_000
"""What waits, and what is worked on, has at most so many notes and characters, or is one note."""


@dataclass(frozen=True)
class Result:
    """A note with what was found in it, and the note that may leave.

    `text` is the safe text; `spans` are the findings, with offsets and text of the original;
    `output` is the safe note, whose spans index the safe text; `seen` is how many characters of
    the original every detector was shown; `remarks` counts, by type, what a replacement had to
    say, such as a tag where a surrogate could not be made.
    """

    found: Document
    output: Document
    seen: int
    remarks: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def text(self) -> str:
        """The text after replacement."""
        return self.output.text

    @property
    def spans(self) -> tuple[Span, ...]:
        """What was found, in the original text."""
        return self.found.spans


class Deidentifier:
    """Finds the identifiers of notes and replaces them.

    >>> Deidentifier(replace="tag")("Seen by Dr. Okafor on 3/14/2019.").text
    'Seen by Dr. [DOCTOR] on [DATE].'

    `replace` is an operator or a policy in words (`"tag,DATE=mask"`), `key` the secret of
    `hash` and `surrogate`, `surrogates` how the latter are made, `number` asks for numbered tags.

    `detector` is `"rules"`, `"model"`, `"both"` or a detector of your own; `model` a folder to use
    instead of the shipped one, `speed` one of its variants: `"careful"` (the default),
    `"balanced"` or `"fast"`. `calibration` is what `incognote calibrate` wrote, `min_recall` the
    recall that it certifies.

    `vault` is an open `incognote.replace.vault.Vault`. Every note is safe there before its result
    is given, and `incognote.replace.vault.original` gives it back.
    """

    def __init__(
        self,
        replace: str | Policy = "tag",
        *,
        key: bytes | None = None,
        number: bool = False,
        surrogates: SurrogateSettings | None = None,
        detector: DetectorName | Detector | None = None,
        model: str | Path | None = None,
        speed: str | None = None,
        calibration: str | Path | None = None,
        min_recall: float | None = None,
        vault: Vault | None = None,
    ) -> None:
        self.vault = vault
        if isinstance(replace, Policy):
            self.policy = replace
        else:
            self.policy = parse_policy(replace, key=key, number=number, surrogates=surrogates)
        if detector is None or isinstance(detector, str):
            self.detector = _detector(detector, model, speed, calibration, min_recall)
        elif (model, speed, calibration, min_recall) == (None, None, None, None):
            self.detector = detector
        else:
            raise TypeError("a detector of your own comes with its model and its thresholds")

    def __call__(self, note: str | Document) -> Result:
        """De-identify one note. What is already marked in it is replaced too."""
        document = _document(note)
        result = self._replaced(document, self.detector.detect(document))
        if self.vault is not None:
            _keep(self.vault, [result])
        return result

    def _replaced(self, document: Document, detection: Detection) -> Result:
        spans = detection.spans
        if document.spans:
            spans = tuple(merge(document.text, [*spans, *document.spans]))
        found = document.with_spans(spans)
        rewritten = rewrite(found, self.policy)
        return Result(found, rewritten.document, detection.seen, rewritten.remarks)

    def pipe(self, notes: Iterable[str | Document]) -> Iterator[Result]:
        """De-identify many notes, in order, as they come; the same as one by one.

        A model reads those that are there together. So that none waits for the next to come, an
        iterator is read in a thread of its own, some notes ahead; a list needs none.
        """
        if not isinstance(self.detector, ManyDetector):
            yield from map(self, notes)
            return
        for some in _together(notes):
            documents = list(map(_document, some))
            results = map(self._replaced, documents, detect_many(self.detector, documents))
            yield from results if self.vault is None else _keep(self.vault, list(results))


def _keep(vault: Vault, results: Sequence[Result]) -> Sequence[Result]:
    """Put notes into the vault before anyone sees what became of them."""
    from incognote.replace.vault import keep

    for result in results:
        keep(vault, result.found, result.output)
    vault.commit()
    return results


def _document(note: str | Document) -> Document:
    return note if isinstance(note, Document) else Document("", note)


def _together(notes: Iterable[str | Document]) -> Iterator[Sequence[str | Document]]:
    """As many as are there and may be in work."""
    if isinstance(notes, list | tuple):
        yield from _portions(notes)
        return
    coming = Ahead(notes, NOTES_TOGETHER, size_of=_length, largest=CHARACTERS_TOGETHER)
    try:
        while some := coming.there(NOTES_TOGETHER):
            yield some
    finally:
        coming.close()


def _portions(notes: Iterable[str | Document]) -> Iterator[Sequence[str | Document]]:
    some: list[str | Document] = []
    size = 0
    for note in notes:
        length = _length(note)
        if some and (len(some) == NOTES_TOGETHER or size + length > CHARACTERS_TOGETHER):
            yield some
            some, size = [], 0
        some.append(note)
        size += length
    if some:
        yield some


def _length(note: str | Document) -> int:
    return len(note) if isinstance(note, str) else len(note.text)


def _detector(
    name: DetectorName | None,
    model: str | Path | None,
    speed: str | None,
    calibration: str | Path | None,
    min_recall: float | None,
) -> Detector:
    if (name, model, speed, calibration, min_recall) == (None,) * 5:
        return default_detector()
    from incognote.calibration.detector import Asked

    asked = Asked(None if calibration is None else Path(calibration), min_recall)
    return asked.detector(choose(name, model, speed), threads=cores())


def deidentify(
    text: str, replace: str | Policy = "tag", *, key: bytes | None = None, number: bool = False
) -> Result:
    """De-identify one text; for many, make one `Deidentifier` and use its `pipe`."""
    return Deidentifier(replace, key=key, number=number)(text)
