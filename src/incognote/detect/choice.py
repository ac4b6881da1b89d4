"""Which detector is meant by its name and a model folder, or by neither."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from incognote.base.errors import ModelError
from incognote.detect.detector import Detector, RuleDetector
from incognote.models import shipped_model
from incognote.onnx.cores import cores
from incognote.onnx.hybrid import Hybrid
from incognote.onnx.model_folder import FILE, digest, read_model

if TYPE_CHECKING:
    from incognote.detect.thresholds import Thresholds

DetectorName = Literal["rules", "model", "both"]


@dataclass(frozen=True)
class Choice:
    """Rules, a model or both, and the folder of the model if one takes part.

    `speed` is one of the model's variants; None: the most careful one.
    """

    name: DetectorName
    model: Path | None
    speed: str | None = None

    @property
    def parts(self) -> list[str]:
        """Who takes part in finding."""
        return _PARTS[self.name]

    @property
    def fingerprint(self) -> str | None:
        """Which model it is, wherever it lies."""
        return None if self.model is None else digest(self.model / FILE)[:16]

    @property
    def is_shipped(self) -> bool:
        """Whether the model is the one that comes with incognote."""
        return self.model is not None and self.model == shipped_model()

    def detector(
        self, *, threads: int = 1, suspects: bool = False, thresholds: Thresholds | None = None
    ) -> Detector:
        """The detector; `threads` share a note, `suspects` are asked of the model.

        What reaches `thresholds` is redacted too.
        """
        from incognote.detect.thresholds import ThresholdDetector

        if self.model is None:
            rules = RuleDetector()
            return rules if thresholds is None else ThresholdDetector(rules, thresholds)
        from incognote.detect.model import ModelDetector
        from incognote.detect.suspects import FLOOR
        from incognote.detect.together import TogetherDetector

        told = read_model(self.model)
        hybrid = told.hybrid or Hybrid()
        words = told.variant(self.speed).words or hybrid.words if self.name == "both" else None
        # Nobody else asks for words that are less likely than those to be redacted.
        asked = FLOOR if suspects or thresholds is not None else words
        model = ModelDetector(self.model, speed=self.speed, threads=threads, suspects=asked)
        if self.name == "model" and thresholds is None:
            return model

        def around(model: Detector) -> Detector:
            whole = self._joined(model, hybrid, words)
            return whole if thresholds is None else ThresholdDetector(whole, thresholds)

        return TogetherDetector(model, around, overlapped=threads > 1)

    def _joined(self, model: Detector, hybrid: Hybrid, words: float | None) -> Detector:
        if self.name == "model":
            return model
        from incognote.detect.joined import JoinedDetector
        from incognote.detect.thresholds import ThresholdDetector, Thresholds

        joined = JoinedDetector(RuleDetector(), model, hybrid)
        return joined if words is None else ThresholdDetector(joined, Thresholds(words))


_PARTS = {
    "rules": ["rules", "known", "propagated"],
    "model": ["model"],
    "both": ["rules", "known", "model", "propagated"],
}


def choose(
    name: str | None = None, model: str | Path | None = None, speed: str | None = None
) -> Choice:
    """By default rules and the shipped model together, or rules alone where none was shipped."""
    folder = Path(model) if model is not None else shipped_model()
    match name:
        case None | "both" if folder is not None:
            return Choice("both", folder, speed)
        case "model" if folder is not None:
            return Choice("model", folder, speed)
        case "model" | "both":
            raise ModelError(
                f"the detector {name} needs a model, and none came with this package: give a model folder"
            )
        case None | "rules" if model is None:
            if speed is not None:
                raise ModelError(
                    f"the speed {speed} is of a model, and the rules use none: leave it out"
                )
            return Choice("rules", None)
        case "rules":
            raise ModelError("the detector rules uses no model: leave out the one or the other")
    raise ModelError(f"no detector {name!r}: choose {', '.join(get_args(DetectorName))}")


@cache
def default_detector() -> Detector:
    """The detector that runs when none is named."""
    return choose().detector(threads=cores())
