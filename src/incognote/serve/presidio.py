"""Presidio's /analyze and its lists, with its bodies, statuses and names, answered by our detector.

What differs on purpose: regular expressions run in linear time (RE2, without look-around), and a text
that fails fails the request. `presidio_anonymize.py` has /anonymize.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse

from incognote.base.errors import UserError
from incognote.detect.note_index import NoteIndex
from incognote.detect.site.patterns import LinearPattern
from incognote.document import Document, Span
from incognote.phi import TYPES
from incognote.serve.engine import Choice, Engine
from incognote.serve.problems import ProblemError
from incognote.serve.v1 import answers, results

router = APIRouter(tags=["presidio"])

NAMES: Mapping[str, str] = {
    "PATIENT": "PERSON",
    "DOCTOR": "PERSON",
    "DATE": "DATE_TIME",
    "PHONE": "PHONE_NUMBER",
    "FAX": "PHONE_NUMBER",
    "EMAIL": "EMAIL_ADDRESS",
    "SSN": "US_SSN",
    "STREET": "LOCATION",
    "CITY": "LOCATION",
    "STATE": "LOCATION",
    "ZIP": "LOCATION",
    "COUNTRY": "LOCATION",
    "LOCATION-OTHER": "LOCATION",
    "HOSPITAL": "ORGANIZATION",
    "ORGANIZATION": "ORGANIZATION",
    "IPADDR": "IP_ADDRESS",
    "LICENSE": "MEDICAL_LICENSE",
}
"""Presidio's name of a type, where it has one; the others keep theirs."""

LANGUAGES = ("en",)
_NO_RECOGNIZERS = "No matching recognizers were found to serve the request."
_FLAGS = 26
"""Ignoring case, lines, and dots for all: Presidio's default."""
_CONTEXT_WORDS, _CONTEXT_GAIN, _CONTEXT_LEAST = 5, 0.35, 0.4
_CONTEXT_REACH = 200
_MOST_PATTERNS = 200


def presidio_name(type: str) -> str:
    """The type as Presidio calls it."""
    return NAMES.get(type, type)


class PresidioError(Exception):
    """An error in Presidio's form."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


def refused(error: PresidioError) -> JSONResponse:
    """The answer to it."""
    return JSONResponse({"error": error.message}, error.status)


async def json_object(request: Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except (ValueError, RecursionError):
        raise PresidioError(400, "Invalid request json") from None
    if not isinstance(body, dict):
        raise PresidioError(400, "Invalid request json")
    return body


@router.get("/health", response_class=PlainTextResponse)
async def health() -> str:
    """Whether the service answers."""
    return "Presidio Analyzer service is up"


@router.get("/recognizers")
async def recognizers(language: str = "en") -> list[str]:
    """The names of what finds."""
    _check_language(language)
    return ["incognote.rules", "incognote.model"]


@router.get("/supportedentities")
async def supported_entities(language: str = "en") -> list[str]:
    """The types that are found, in Presidio's words."""
    _check_language(language)
    return list(dict.fromkeys(map(presidio_name, TYPES)))


def _check_language(language: Any) -> None:
    if not language:
        raise PresidioError(500, "No language provided")
    if language not in LANGUAGES:
        raise PresidioError(500, _NO_RECOGNIZERS)


# /analyze


@dataclass(frozen=True)
class _Found:
    """A result, and who found it."""

    start: int
    end: int
    type: str
    score: float
    recognizer: str
    pattern: tuple[str, str] | None = None
    base: float | None = None
    context: str = ""

    def shown(self, *, explain: bool) -> dict[str, Any]:
        """In Presidio's form."""
        name, pattern = self.pattern or (None, None)
        base = self.score if self.base is None else self.base
        explanation = {
            "recognizer": self.recognizer,
            "pattern_name": name,
            "pattern": pattern,
            "original_score": base,
            "score": self.score,
            "textual_explanation": None if self.pattern else f"Found by {self.recognizer}",
            "score_context_improvement": self.score - base,
            "supportive_context_word": self.context,
            "validation_result": None,
        }
        return {
            "analysis_explanation": explanation if explain else None,
            "end": self.end,
            "entity_type": self.type,
            "score": self.score,
            "start": self.start,
        }


@dataclass(frozen=True)
class _Recognizer:
    """An ad hoc recognizer: patterns and a list of words that are always found."""

    name: str
    type: str
    patterns: tuple[tuple[str, str, float, LinearPattern], ...]
    context: tuple[str, ...]

    def find(self, text: str) -> Iterator[_Found]:
        """Every match; one with a context word near it counts more."""
        lower, note = [word.casefold() for word in self.context], NoteIndex(text)
        for name, regex, score, pattern in self.patterns:
            for start, end in pattern.find(note):
                before = text[max(0, start - _CONTEXT_REACH) : start].casefold().split()
                near = before[-_CONTEXT_WORDS:]
                support = next((word for word in lower if any(word in each for each in near)), "")
                final = min(1.0, max(score + _CONTEXT_GAIN, _CONTEXT_LEAST)) if support else score
                yield _Found(start, end, self.type, final, self.name, (name, regex), score, support)


@router.post("/analyze")
async def analyze(request: Request) -> JSONResponse:
    """Where identifiers are, in a text or in several."""
    body = await json_object(request)
    texts = body.get("text")
    if not texts:
        raise PresidioError(500, "No text provided")
    several = isinstance(texts, list)
    texts = texts if several else [texts]
    if not all(isinstance(text, str) for text in texts):
        raise PresidioError(400, "Failed to parse /analyze request: text is no string")
    if len(texts) > request.app.state.options.max_notes:
        raise PresidioError(413, f"at most {request.app.state.options.max_notes} texts a request")
    _check_language(body.get("language"))
    choose = _Choice.of(body)
    found = await results(request, [Document("", text) for text in texts], Choice())
    if error := next((each for each in found if isinstance(each, BaseException)), None):
        raise ProblemError(500, "a text could not be processed") from error
    engine: Engine = request.app.state.engine
    (listed,) = await answers(
        request,
        [
            engine.call(
                lambda: [
                    choose.results(text, each.spans)
                    for text, each in zip(texts, found, strict=True)
                ]
            )
        ],
    )
    if isinstance(listed, BaseException):
        raise listed
    return JSONResponse(listed if several else listed[0])


@dataclass(frozen=True)
class _Choice:
    """Which results a request wants."""

    entities: frozenset[str] | None
    threshold: float
    explain: bool
    recognizers: tuple[_Recognizer, ...]
    allowed: Callable[[str], bool]

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> _Choice:
        """Read from the body; what cannot be is refused as Presidio does."""
        entities, threshold = body.get("entities"), body.get("score_threshold")
        if entities is not None and not _are_strings(entities):
            raise _unreadable("entities is no list of names")
        if threshold is not None and not isinstance(threshold, int | float):
            raise _unreadable("score_threshold is no number")
        return cls(
            entities=frozenset(entities) if entities else None,
            threshold=float(threshold or 0),
            explain=bool(body.get("return_decision_process")),
            recognizers=_recognizers(body),
            allowed=_allowed(body),
        )

    def results(self, text: str, spans: Sequence[Span]) -> list[dict[str, Any]]:
        """In Presidio's form and order."""
        found = [
            _Found(span.start, span.end, name, span.score, span.source)
            for span in spans
            if (name := self._name(span.type)) is not None
        ]
        for recognizer in self.recognizers:
            if self.entities is None or recognizer.type in self.entities:
                found += recognizer.find(text)
        found = [
            each
            for each in found
            if each.score >= self.threshold and not self.allowed(text[each.start : each.end])
        ]
        found.sort(key=lambda each: (each.start, -each.end, -each.score))
        kept: list[_Found] = []
        for each in found:
            within = (other for other in kept if other.type == each.type and other.end >= each.end)
            if next(within, None) is None:
                kept.append(each)
        return [each.shown(explain=self.explain) for each in kept]

    def _name(self, type: str) -> str | None:
        """The name by which a type is asked for, Presidio's or ours; None if it is not."""
        names = (presidio_name(type), type)
        if self.entities is None:
            return names[0]
        return next((name for name in names if name in self.entities), None)


def _recognizers(body: Mapping[str, Any]) -> tuple[_Recognizer, ...]:
    given, flags = body.get("ad_hoc_recognizers"), body.get("regex_flags")
    given = [] if given is None else given
    if flags is not None and flags.__class__ is not int:
        raise _unreadable("regex_flags is no number")
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise _unreadable("ad_hoc_recognizers is no list of recognizers")
    if not all(isinstance(each.get("patterns") or [], list) for each in given):
        raise _unreadable("patterns is no list")
    if sum(len(each.get("patterns") or ()) for each in given) > _MOST_PATTERNS:
        raise _unreadable(f"more than {_MOST_PATTERNS} patterns")
    found = []
    for each in given:
        type, patterns = each.get("supported_entity"), []
        if not isinstance(type, str) or not type:
            raise _unreadable("a recognizer has no supported_entity")
        for pattern in each.get("patterns") or ():
            if not isinstance(pattern, dict) or not {*pattern} <= {"name", "regex", "score"}:
                raise _unreadable("a pattern has name, regex and score")
            regex, score = pattern.get("regex"), pattern.get("score")
            if not isinstance(regex, str) or not isinstance(score, int | float):
                raise _unreadable("a pattern has a regex and a score")
            patterns.append(
                (str(pattern.get("name")), regex, float(score), _compiled(regex, flags))
            )
        if words := each.get("deny_list"):
            if not _are_strings(words):
                raise _unreadable("deny_list is no list of words")
            regex = rf"\b(?:{'|'.join(map(re.escape, words))})\b"
            patterns.append(("deny_list", regex, 1.0, _compiled(regex, flags)))
        if not patterns:
            raise _unreadable("a recognizer has patterns or a deny_list")
        context = each.get("context") or []
        if not _are_strings(context):
            raise _unreadable("context is no list of words")
        found.append(
            _Recognizer(str(each.get("name") or type), type, tuple(patterns), tuple(context))
        )
    return tuple(found)


def _allowed(body: Mapping[str, Any]) -> Callable[[str], bool]:
    words = body.get("allow_list")
    words = [] if words is None else words
    if not _are_strings(words):
        raise _unreadable("allow_list is no list of words")
    match body.get("allow_list_match"):
        case None | "exact":
            return frozenset(words).__contains__
        case "regex":
            if not words:
                return lambda text: False
            pattern = _compiled("|".join(words), body.get("regex_flags"))
            return lambda text: bool(pattern.find(NoteIndex(text)))
    raise _unreadable("allow_list_match must either be set to 'exact' or 'regex'.")


def _compiled(regex: str, flags: Any) -> LinearPattern:
    """With Python's flags, in linear time whatever it is."""
    flags = _FLAGS if flags is None else flags
    letters = {"m": re.MULTILINE, "s": re.DOTALL}
    words = "".join(letter for letter, flag in letters.items() if flags & flag)
    pattern = LinearPattern(f"(?{words}:{regex})" if words else regex, bool(flags & re.IGNORECASE))
    try:
        pattern.check_group()
    except UserError:
        raise _unreadable("RE2 cannot run a regex") from None  # its words may be anything
    return pattern


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) and each for each in value)


def _unreadable(reason: str) -> PresidioError:
    return PresidioError(
        400, f"Failed to parse /analyze request for AnalyzerEngine.analyze(). {reason}"
    )
