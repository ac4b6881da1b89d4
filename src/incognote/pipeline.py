"""Deidentifier: detect and replace, over one note or a stream of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from incognote.detect.detector import Detector, default_detector
from incognote.detect.merge import merge
from incognote.document import Document, Span
from incognote.replace import Policy, apply, parse_policy


@dataclass(frozen=True)
class Result:
    """A note with what was found in it, and the note that may leave.

    `text` is the safe text; `spans` are the findings, with offsets and text of the original;
    `output` is the safe note, whose spans index the safe text; `seen` is how many characters of
    the original every detector was shown.
    """

    found: Document
    output: Document
    seen: int

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
    `hash`, `number` asks for numbered tags.
    """

    def __init__(
        self,
        replace: str | Policy = "tag",
        *,
        key: bytes | None = None,
        number: bool = False,
        detector: Detector | None = None,
    ) -> None:
        if isinstance(replace, Policy):
            self.policy = replace
        else:
            self.policy = parse_policy(replace, key=key, number=number)
        self.detector = detector or default_detector()

    def __call__(self, note: str | Document) -> Result:
        """De-identify one note. What is already marked in it is replaced too."""
        document = note if isinstance(note, Document) else Document("", note)
        detection = self.detector.detect(document)
        spans = detection.spans
        if document.spans:
            spans = tuple(merge(document.text, [*spans, *document.spans]))
        found = document.with_spans(spans)
        return Result(found, apply(found, self.policy), detection.seen)

    def pipe(self, notes: Iterable[str | Document]) -> Iterator[Result]:
        """De-identify a stream, in order, as it comes."""
        return map(self, notes)


def deidentify(
    text: str, replace: str | Policy = "tag", *, key: bytes | None = None, number: bool = False
) -> Result:
    """De-identify one text; for many, make one `Deidentifier` and use its `pipe`."""
    return Deidentifier(replace, key=key, number=number)(text)
