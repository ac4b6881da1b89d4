"""Deidentifier: detect and replace, over one note or a stream of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.base.chunks import Ahead, chunks
from incognote.detect.detector import (
    Detection,
    Detector,
    detect_many,
    detect_one,
    gains_by_company,
)
from incognote.detect.finder import DetectorName, Finder, choose, default_detector
from incognote.detect.merge import merge
from incognote.detect.plugins import Given, check_picklable, name_of
from incognote.document import GOLD, Document, Span
from incognote.onnx.sessions import cores
from incognote.phi import OURS, TYPES, VIEWS, KnownTypes
from incognote.replace import Operators, parse_operators, rewrite
from incognote.replace.operators import NEVER
from incognote.replace.policy import Policy, read_policy
from incognote.replace.rewrite import check_operator

if TYPE_CHECKING:
    from incognote.detect.explanation import Explanation
    from incognote.detect.site import Site
    from incognote.replace.surrogate.settings import SurrogateSettings
    from incognote.replace.vault import Vault

NOTES_TOGETHER = 256
CHARACTERS_TOGETHER = 1_000_000
"""What waits, and what is worked on, has at most so many notes and characters, or is one note."""


MISSING = ("NoneType", "NAType", "NaTType")
"""Types of what stands in a table where there is no text; a float that is NaN is another."""

_COLOURS = {
    "NAME": "#ffd6d6",
    "PROFESSION": "#f3ecc2",
    "LOCATION": "#d3f0d3",
    "AGE": "#ecd9f7",
    "DATE": "#d2e8fb",
    "CONTACT": "#ffe3c2",
    "ID": "#fbd9e8",
}


@dataclass(frozen=True)
class Result:
    """A note with what was found in it, and the note that may leave.

    `text` is the safe text; `spans` are the findings, with offsets and text of the original;
    `output` is the safe note, whose spans index the safe text; `seen` is how many characters of
    the original every detector was shown; `remarks` counts, by type, what a replacement had to
    say, such as a tag where a surrogate could not be made, and what was left because the site says
    that it is no identifier (`never`).
    """

    found: Document
    output: Document
    seen: int
    remarks: Counter[tuple[str, str]] = field(default_factory=Counter)
    types: KnownTypes = OURS

    @property
    def text(self) -> str:
        """The text after replacement."""
        return self.output.text

    @property
    def spans(self) -> tuple[Span, ...]:
        """What was found, in the original text."""
        return self.found.spans

    def to_dict(self) -> dict[str, Any]:
        """The safe text, and the findings by their places in the original; no original text.

        Keep the places to yourself: among surrogates, whatever is not listed was not replaced.
        """
        return {
            "id": self.found.id,
            "text": self.text,
            "spans": [
                {
                    "start": span.start,
                    "end": span.end,
                    "type": span.type,
                    "score": span.score,
                    "source": span.source,
                }
                for span in self.spans
            ],
            "seen": self.seen,
            "remarks": [
                {"type": type, "remark": remark, "count": count}
                for (type, remark), count in sorted(self.remarks.items())
            ],
        }

    def _repr_html_(self) -> str:
        """For notebooks: the safe text with its replacements in colour, never the original."""
        text, pieces, place = self.output.text, [], 0
        for span in self.output.spans:
            colour = _COLOURS.get(self.types.category_of(span.type) or "", "#e6e6e6")
            pieces.append(escape(text[place : span.start]))
            pieces.append(
                f'<mark style="background:{colour};color:#111" title="{escape(span.type)}">'
                f"{escape(text[span.start : span.end])}</mark>"
            )
            place = span.end
        pieces.append(escape(text[place:]))
        counts = Counter(span.type for span in self.output.spans)
        summary = ", ".join(f"{type} {count}" for type, count in counts.most_common())
        return (
            f'<pre style="white-space:pre-wrap">{"".join(pieces)}</pre>'
            f"<p><small>{escape(summary or 'nothing replaced')}</small></p>"
        )


class Deidentifier:
    """Finds the identifiers of notes and replaces them.

    >>> Deidentifier(replace="tag")("Seen by Dr. Okafor on 3/14/2019.").text
    'Seen by Dr. [DOCTOR] on [DATE].'

    `replace` is an operator, or several by type in words (`"tag,DATE=mask"`), `key` the secret of
    `hash`, `surrogate` and `shift`, `surrogates` how fakes are made, `number` asks for numbered tags.
    `policy` is a release policy by name, its file, or a `Policy`: `replace` then names only types that
    are replaced otherwise (`policy="safe-harbor", replace="DATE=tag"`).

    `detector` is `"rules"`, `"model"`, `"both"` or a detector of your own; `model` a folder to use
    instead of the shipped one, `speed` one of its variants: `"careful"` (the default),
    `"balanced"` or `"fast"`. `calibration` is what `incognote calibrate` wrote, `min_recall` the
    recall that it certifies. `detectors` join the detector: names that are registered, functions from
    a text to findings, or objects with `detect` (docs/extending.md). `site` is the site file of a
    hospital (docs/site.md): its lists and patterns, what is never an identifier there, and types of
    its own. Without one, `types` are those that detectors of your own find beside ours.

    `vault` is an open `incognote.replace.vault.Vault`. Every note is safe there before its result
    is given, and `incognote.replace.vault.original` gives it back.

    Threads may share one: each gets what it would get alone. One with a vault belongs to the thread
    that opened the vault. It can be pickled, for other processes: there the model is loaded anew.
    The pickle holds the key, so treat it as the key.
    """

    def __init__(
        self,
        replace: str | Operators | None = None,
        *,
        policy: str | Path | Policy | None = None,
        key: bytes | None = None,
        number: bool = False,
        surrogates: SurrogateSettings | None = None,
        detector: DetectorName | Detector | None = None,
        detectors: str | Sequence[Given] = (),
        model: str | Path | None = None,
        speed: str | None = None,
        calibration: str | Path | None = None,
        min_recall: float | None = None,
        site: str | Path | Site | None = None,
        types: KnownTypes | None = None,
        vault: Vault | None = None,
    ) -> None:
        self.vault = vault
        if isinstance(policy, str | Path):
            policy = read_policy(policy)
        if replace is None and policy is None:
            replace = "tag"
        detectors = (detectors,) if isinstance(detectors, str) else tuple(detectors)
        if site is not None and types is not None:
            raise TypeError("a site file has its own types: write them there, and leave types out")
        site = None if site is None else _site(site)
        self.types = site.types if site is not None else types or OURS
        self._named = _NAMED.union(self.types.own)
        self._options: dict[str, Any] = {
            "replace": replace,
            "policy": policy,
            "key": key,
            "number": number,
            "surrogates": surrogates,
            "detector": detector,
            "detectors": detectors,
            "model": model,
            "speed": speed,
            "calibration": calibration,
            "min_recall": min_recall,
            "site": site,
            "types": types,
        }
        if not isinstance(replace, Operators):
            self.operators = parse_operators(
                replace or "",
                key=key,
                number=number,
                surrogates=surrogates,
                policy=policy,
                types=self.types,
            )
        elif policy is None:
            self.operators = replace
        else:
            raise TypeError("give operators of your own or a policy, not both")
        if detector is None or isinstance(detector, str):
            self.detector = _detector(
                detector, detectors, model, speed, calibration, min_recall, site, self.types
            )
        elif not detectors and (model, speed, calibration, min_recall, site) == (None,) * 5:
            self.detector = detector
        else:
            raise TypeError(
                "a detector of your own takes no model, speed, calibration, min_recall and site: leave "
                "them out; so that it joins ours, give it as detectors=[…]"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        if self.vault is not None:
            raise TypeError(
                "a Deidentifier with a vault cannot be pickled: open the vault in the process that "
                "uses it, and make the Deidentifier there"
            )
        check_picklable(self._options["detectors"])
        return _made_again, (self._options,)

    def to_dict(self) -> dict[str, Any]:
        """How it was made, for a log or a report; without the key."""
        return {
            name: _shown(name, value)
            for name, value in self._options.items()
            if name != "key" and value != ()
        }

    def __repr__(self) -> str:
        given = {
            name: value for name, value in self.to_dict().items() if value not in (None, False)
        }
        return f"Deidentifier({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def __call__(self, note: str | Document) -> Result:
        """De-identify one note. What is already marked in it is replaced too."""
        document = _document(note)
        result = self.replaced(document, detect_one(self.detector, document))
        if self.vault is not None:
            _keep(self.vault, [result])
        return result

    def replaced(self, document: Document, detection: Detection) -> Result:
        """The second half of a call: the note with what the detector found there replaced.

        What is already marked in the note is replaced too. It is kept in no vault.
        """
        spans = detection.spans
        if document.spans:
            given = map(self._checked, document.spans)
            spans = tuple(merge(document.text, [*spans, *given]))
        found = document.with_spans(spans)
        rewritten = rewrite(found, self.operators)
        remarks, output = rewritten.remarks, rewritten.document
        for type, count in detection.never.items():
            remarks[type, NEVER] += count
        return Result(found, self.types.with_tags(output), detection.seen, remarks, self.types)

    def _checked(self, span: Span) -> Span:
        """A mark that came with a note, with nothing of its words: its type and its source are text
        that anybody may have written, and would go into tags, the audit and onto the screen.
        """
        type = span.type if span.type in self._named else _UNNAMED
        return Span(span.start, span.end, type, span.text, span.score, GOLD)

    def explain(self, note: str | Document, *, floor: float | None = None) -> Explanation:
        """Why each identifier of a note is found, and how likely a word is that is left.

        Words with a confidence of `floor` or more are listed (docs/explain.md).
        """
        from incognote.detect.explain import LEFT_FROM, explain

        if not isinstance(self.detector, Finder):
            raise TypeError("only what incognote's own detectors find can be explained")
        document = _document(note)
        given = tuple(map(self._checked, document.spans))
        return explain(
            self.detector, document, floor=LEFT_FROM if floor is None else floor, given=given
        )

    def pipe(self, notes: Iterable[str | Document]) -> Iterator[Result]:
        """De-identify many notes, in order, as they come; the same as one by one.

        A model reads those that are there together. So that none waits for the next to come, an
        iterator is read in a thread of its own, some notes ahead; a list needs none.
        """
        if not gains_by_company(self.detector):
            yield from map(self, _documents(notes))
            return
        for documents in _together(notes):
            results = map(self.replaced, documents, detect_many(self.detector, documents))
            yield from results if self.vault is None else _keep(self.vault, list(results))


def _keep(vault: Vault, results: Sequence[Result]) -> Sequence[Result]:
    """Put notes into the vault before anyone sees what became of them."""
    from incognote.replace.vault import keep

    for result in results:
        keep(vault, result.found, result.output)
    vault.commit()
    return results


_NAMED = frozenset(TYPES).union(*(view.labels for view in VIEWS.values()))
_UNNAMED = "PHI"


def _shown(name: str, value: Any) -> Any:
    """An option as JSON has it; detectors by their names, a policy with the digest of its contents."""
    if value is None or isinstance(value, bool | float):
        return value
    if name == "detectors":
        return list(map(name_of, value))
    if name == "detector":
        return name_of(value)
    return f"{value.name} ({value.digest})" if isinstance(value, Policy) else str(value)


def _made_again(options: dict[str, Any]) -> Deidentifier:
    return Deidentifier(**options)


def _document(note: str | Document, place: str = "the note") -> Document:
    if isinstance(note, Document):
        return note
    if isinstance(note, str):
        return Document("", note)
    name = type(note).__name__
    if name in MISSING or (isinstance(note, float) and note != note):
        raise TypeError(f"{place} is a missing value ({name}): leave it out, or give an empty text")
    raise TypeError(f"{place} is of the type {name}, and must be text (str) or a Document")


def _documents(notes: Iterable[str | Document]) -> Iterator[Document]:
    for number, note in enumerate(notes, start=1):
        yield _document(note, f"note {number:,}")


def _together(notes: Iterable[str | Document]) -> Iterator[Sequence[Document]]:
    """As many as are there and may be in work."""
    if isinstance(notes, list | tuple):
        yield from chunks(
            _documents(notes), NOTES_TOGETHER, size_of=_length, largest=CHARACTERS_TOGETHER
        )
        return
    coming = Ahead(_documents(notes), NOTES_TOGETHER, size_of=_length, largest=CHARACTERS_TOGETHER)
    try:
        while some := coming.there(NOTES_TOGETHER):
            yield some
    finally:
        coming.close()


def _length(note: Document) -> int:
    return len(note.text)


def _detector(
    name: DetectorName | None,
    others: Sequence[Given],
    model: str | Path | None,
    speed: str | None,
    calibration: str | Path | None,
    min_recall: float | None,
    site: Site | None,
    types: KnownTypes,
) -> Detector:
    if not others and (name, model, speed, calibration, min_recall, site) == (None,) * 6:
        return default_detector()
    from incognote.calibration import certified_thresholds

    choice = choose(name, model, speed, others, types)
    path = None if calibration is None else Path(calibration)
    digest = None if site is None else site.digest
    thresholds = certified_thresholds(choice, path, min_recall, site=digest)
    return choice.detector(threads=cores(), thresholds=thresholds, site=site)


def _site(site: str | Path | Site) -> Site:
    """A site that can be used: the operators of its types are there."""
    from incognote.detect.site import Site, read_site

    site = site if isinstance(site, Site) else read_site(Path(site))
    site.check_operators(check_operator)
    return site


def deidentify(
    text: str, replace: str | Operators = "tag", *, key: bytes | None = None, number: bool = False
) -> Result:
    """De-identify one text; for many, make one `Deidentifier` and use its `pipe`."""
    return Deidentifier(replace, key=key, number=number)(text)
