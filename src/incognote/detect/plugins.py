r"""Detectors of a user's own, which join the rules: their findings count, propagate and cannot be vetoed.

One is a function from a text to what it found, an object with `detect(document)`, or a class or a
function without arguments that makes such an object. What it finds are spans, or tuples of start, end,
type and, if it likes, score. What comes back is checked: a place outside the note, an unknown type, a
score that is no number, or an error in it fails the note.

    @DETECTOR_PLUGINS.register("wards")
    def wards(text):
        for match in re.finditer(r"Ward \d+[A-F]", text):
            yield match.start(), match.end(), "LOCATION-OTHER"

A package offers one by an entry point of the group `incognote.detectors` (docs/extending.md).
"""

from __future__ import annotations

import inspect
import math
import operator
import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from incognote.base.errors import kind_of_error
from incognote.base.registry import PluginError, Registry, RegistryError
from incognote.detect.detector import Detection, Detector
from incognote.document import Document, Span
from incognote.phi import OURS, TYPES, KnownTypes

DETECTOR_PLUGINS = Registry(
    "incognote.detectors",
    "detector",
    ours=("rules", "known", "model", "both", "propagated", "site", "gold"),
)

Finding: TypeAlias = Span | tuple[int, int, str] | tuple[int, int, str, float]
FindInText: TypeAlias = Callable[[str], Iterable[Finding] | None]
Given: TypeAlias = str | Detector | FindInText | type
"""A registered name, or the detector itself."""


@dataclass(frozen=True)
class OwnDetector:
    """A detector of a user's own under its name, with its findings checked.

    `origin` is the package that brings it, and its version.
    """

    name: str
    origin: str
    load: Callable[[], Any] = field(repr=False, compare=False)
    """The thing itself; RegistryError if its package cannot be imported."""
    types: tuple[str, ...] = TYPES
    """Those that its findings may have."""

    @property
    def source(self) -> str:
        """The source of its findings."""
        return f"plugin.{self.name}"

    @property
    def part(self) -> str:
        """How the audit and a calibration name it."""
        return f"{self.source} ({self.origin})"

    @cached_property
    def _find(self) -> Callable[[Document], Any]:
        thing = self.load()
        try:
            return _finding(thing, self.name)
        except RegistryError:
            raise
        except Exception as error:
            raise RegistryError(
                f"the detector {self.name} cannot be made ({kind_of_error(error)})"
            ) from error

    def begin(self) -> OwnDetector:
        """The same, made ready now, so that what cannot be made is known before a note is read."""
        _ = self._find
        return self

    def detect(self, document: Document) -> Detection:
        """Its findings in a note, under its name."""
        problem = None
        try:
            found = self._find(document)
            seen = found.seen if isinstance(found, Detection) else len(document.text)
            found = list(found.spans if isinstance(found, Detection) else found or ())
        except Exception as error:
            problem = kind_of_error(error)
        # Raised here, an error does not carry the detector's own, which may quote the note.
        if problem:
            raise PluginError(f"the detector {self.name} failed ({problem})")
        if not isinstance(seen, int) or not 0 <= seen <= len(document.text):
            raise self._error("an impossible number of characters seen")
        return Detection(tuple(self._span(document.text, each) for each in found), seen)

    def _span(self, text: str, found: Any) -> Span:
        parts = _parts(found)
        if parts is None:
            raise self._error("a finding that is no span, and not start, end, type, score")
        start, end, type, certainty = parts
        if not 0 <= start < end <= len(text):
            raise self._error("a place that is not within the note")
        if isinstance(found, Span) and text[start:end] != found.text:
            raise self._error("a span whose text is not the note's at that place")
        if type not in self.types:
            raise self._error("a type that is not known")
        if not (math.isfinite(certainty) and 0 <= certainty <= 1):
            raise self._error("a score that is no number from 0 to 1")
        return Span.of(text, start, end, type, score=certainty, source=self.source)

    def _error(self, what: str) -> PluginError:
        return PluginError(f"the detector {self.name} gave {what}")


def _parts(found: Any) -> tuple[int, int, Any, float] | None:
    """Start, end, type and score of a finding, if it has them."""
    try:
        if isinstance(found, Span):
            found = (found.start, found.end, found.type, found.score)
        start, end, type, *score = found
        return (
            operator.index(start),
            operator.index(end),
            type,
            float(*score) if score else 1.0,
        )
    except Exception:
        return None


def own_detectors(
    given: Iterable[Given], types: KnownTypes | None = None
) -> tuple[OwnDetector, ...]:
    """Those of these names, and those given themselves, ready to work; `types` are the run's."""
    names_of_types = (types or OURS).names
    detectors = tuple(_own_detector(each, names_of_types) for each in given)
    names = [each.name for each in detectors]
    for name in names:
        if names.count(name) > 1:
            raise RegistryError(f"the detector '{name}' is given twice")
    return detectors


def _own_detector(given: Given, types: tuple[str, ...]) -> OwnDetector:
    if isinstance(given, str):
        if given in ("rules", "model", "both"):
            raise RegistryError(
                f"'{given}' is not a detector to be added: choose it with --detector (detector=)"
            )
        plugin = DETECTOR_PLUGINS.find(given)
        return OwnDetector(plugin.name, plugin.origin, plugin.load, types)
    return OwnDetector(name_of(given), "given in code", lambda: given, types)


def _finding(thing: Any, name: str) -> Callable[[Document], Any]:
    """From a note to what a detector of any of the kinds finds."""
    if isinstance(thing, type) or (callable(thing) and _needs_nothing(thing)):
        thing = thing()
    if callable(detect := getattr(thing, "detect", None)):
        return detect  # type: ignore[no-any-return]
    if callable(thing):
        find: FindInText = thing
        return lambda document: find(document.text)
    raise RegistryError(
        f"the detector {name} is neither a function from a text to findings nor has it a method detect"
    )


def _needs_nothing(function: Callable[..., Any]) -> bool:
    """Whether a function takes no argument, so that it makes a detector and is none."""
    if hasattr(function, "detect"):
        return False
    try:
        return not inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def name_of(thing: Any) -> str:
    """The name under which a detector was given, or its own."""
    if isinstance(thing, str):
        return thing
    name = str(getattr(thing, "__name__", None) or type(thing).__name__)
    return name.strip("<>")


def check_picklable(given: Iterable[Given]) -> None:
    """Refuse detectors that other processes could not be given."""
    for each in given:
        if not isinstance(each, str):
            problem = None
            try:
                pickle.dumps(each)
            except Exception as error:
                problem = type(error).__name__
            if problem:
                raise TypeError(
                    f"the detector {name_of(each)} cannot be pickled ({problem}), as "
                    "other processes need: define it at the top of a module, or give it by its name"
                )
