"""The run of a feature CRF: L-BFGS over whole notes by CRFsuite, and its weights put into a tagger.

CRFsuite (python-crfsuite) is only needed to learn. What it has learned is two tables of features and
one of transitions, and from there on the model is one like any other: saved, exported, decoded and
used as taggers are.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from incognote.align.note_reader import NoteReader
from incognote.align.shapes import FEATURES, NO_SHAPE
from incognote.align.tags import Labels, spans_to_tags
from incognote.base.errors import TrainError
from incognote.document import Document
from incognote.workshop.encoders.feature_crf import FeatureCrfConfig, FeatureSums
from incognote.workshop.finetune.loop import Run
from incognote.workshop.finetune.options import Options
from incognote.workshop.finetune.start import Start
from incognote.workshop.finetune.tagger import Tagger
from incognote.workshop.training.epochs import Progress, Tick, Watch
from incognote.workshop.training.processes import Processes

NEVER_SEEN = -100.0
"""The score of a step to a label that no note has; CRFsuite knows nothing of these."""

_FIGURE = re.compile(r"(Loss|Error norm): ([-+\d.a-z]+)")
NEAREST = 1
"""How far word shapes are seen: farther ones tell little, and each has a weight for nearly every label."""

_ABSENT = frozenset(
    NO_SHAPE[list(FEATURES).index(feature)].item() for feature in ("digits", "accents")
)
"""Rows of a word shape that say there is nothing to see."""

Told = Callable[[float, float], None]
"""Called with the loss and the norm of its gradient after each iteration."""


def run_kind(start: Start) -> type[Run]:
    """What trains this."""
    return FeatureCrfRun if isinstance(start.model.encoder, FeatureSums) else Run


class FeatureCrfRun(Run):
    """One run of L-BFGS; an iteration is a step, and all of them are one epoch.

    A run that was killed on the way begins anew: it takes minutes, and CRFsuite cannot go on.
    """

    def __init__(
        self,
        start: Start,
        training: Sequence[Document],
        validation: Sequence[Document],
        options: Options,
        folder: Path,
        *,
        processes: Processes | None = None,
        watch: Watch = lambda tick: None,
    ) -> None:
        super().__init__(
            start, training, validation, options, folder, processes=processes, watch=watch
        )
        self.training = training
        self.passes = options.iterations
        context = start.model.config.context
        if options.overlap < 2 * context:
            raise TrainError(
                f"crf sees {context} words on each side: --overlap must be {2 * context} or more"
            )

    @property
    def all_steps(self) -> int:
        return self.options.iterations

    def rate(self) -> float:
        """L-BFGS finds the length of its steps by itself."""
        return 0.0

    def _plan(self) -> None:
        self.plans = []

    def train(self) -> Progress:
        """Learn, unless that is done."""
        progress = self.progress
        if progress.epoch:
            return progress
        notes = [note for note in self.training if note.text.strip()]
        words = sum(len(example.tags) for example in self.examples)
        last = time.perf_counter()

        def told(loss: float, norm: float) -> None:
            nonlocal last
            now = time.perf_counter()
            progress.seconds += now - last
            last = now
            progress.add_step(loss / words, norm, self._uniform)
            progress.epoch_loss = progress.step * loss / words  # the last one is the epoch's
            progress.tokens += words
            progress.windows += len(self.examples)
            self.watch(Tick(progress, self.all_steps, 0.0))

        learned = learn(notes, self.reader, self.tagger, self.options, told)
        take(self.tagger, learned)
        progress.seconds += time.perf_counter() - last
        self._close_epoch()
        return progress


@dataclass(frozen=True)
class LearnedWeights:
    """Weights by attribute and label, and by label and the label after it."""

    states: dict[tuple[str, str], float]
    transitions: dict[tuple[str, str], float]


def learn(
    notes: Sequence[Document],
    reader: NoteReader,
    tagger: Tagger,
    options: Options,
    told: Told = lambda loss, norm: None,
) -> LearnedWeights:
    """The weights that CRFsuite finds for whole notes, with its penalties."""
    crfsuite = _crfsuite()

    class Trainer(crfsuite.Trainer):  # type: ignore[misc, name-defined]
        """Tells of each iteration; whatever is raised then ends the training."""

        loss = 0.0

        def message(self, message: str) -> None:
            for name, value in _FIGURE.findall(message):
                if name == "Loss":
                    self.loss = float(value)
                else:
                    told(self.loss, float(value))

    trainer = Trainer(verbose=False)
    trainer.select("lbfgs")
    trainer.set_params(
        {
            "c1": options.l1,
            "c2": options.l2,
            "max_iterations": options.iterations,
            "feature.possible_transitions": True,
        }
    )
    config = tagger.model.config
    for attributes, tags in sequences(notes, reader, tagger.labels, config):
        trainer.append(attributes, tags)
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "weights.crfsuite")
        trainer.train(path)
        model = crfsuite.Tagger()
        model.open(path)
        found = model.info()
        model.close()
    return LearnedWeights(dict(found.state_features), dict(found.transitions))


def sequences(
    notes: Sequence[Document], reader: NoteReader, labels: Labels, config: FeatureCrfConfig
) -> Iterator[tuple[list[list[str]], list[str]]]:
    """Each note as CRFsuite takes it: the attributes of every word, and its label.

    An attribute is `n3:17` for the near feature 17 of the word at place 3 of those around (the first is
    farthest before), `s3:17` for its word shape, `o17` for an own feature of the word itself.
    """
    for note, reading in zip(notes, reader.read_all([note.text for note in notes]), strict=True):
        if not len(reading.ids):
            continue
        assert reading.shapes is not None
        tags = spans_to_tags(note.spans, reading.offsets, labels).tags
        near = [
            [*(f":{number}" for number in row if number)]
            for row in reading.ids[:, : config.near_slots].tolist()
        ]
        shapes = [
            [f":{number}" for number in row if number not in _ABSENT]
            for row in reading.shapes.tolist()
        ]
        attributes = [
            [f"o{number}" for number in row if number]
            for row in reading.ids[:, config.near_slots :].tolist()
        ]
        for place in range(config.places):
            beside = place - config.context
            for word in range(max(0, -beside), min(len(near), len(near) - beside)):
                attributes[word] += [f"n{place}{each}" for each in near[word + beside]]
                if abs(beside) <= NEAREST:
                    attributes[word] += [f"s{place}{each}" for each in shapes[word + beside]]
        yield attributes, [labels.names[tag] for tag in tags]


def take(tagger: Tagger, learned: LearnedWeights) -> None:
    """Put the weights where the tagger has them."""
    config: FeatureCrfConfig = tagger.model.config
    number = {name: place for place, name in enumerate(tagger.labels.names)}
    encoder: Any = tagger.model.encoder
    assert tagger.shape is not None
    assert tagger.crf is not None
    tables = {"n": encoder.near, "s": tagger.shape.rows.weight, "o": encoder.own}
    with torch.no_grad():
        for table in tables.values():
            table.zero_()
        arrays = {kind: table.cpu().numpy() for kind, table in tables.items()}
        for (attribute, label), weight in learned.states.items():
            kind, rest = attribute[0], attribute[1:]
            place, _, row = rest.rpartition(":")
            column = int(place or 0) * config.labels + number[label]
            arrays[kind][int(row), column] = weight
        between = torch.zeros(len(number), len(number))
        for (before, after), weight in learned.transitions.items():
            between[number[before], number[after]] = weight
        seen = {label for _, label in learned.states}
        never = [place for name, place in number.items() if name not in seen]
        start = torch.zeros(len(number))
        between[:, never] = start[never] = NEVER_SEEN
        for kind, table in tables.items():
            table.copy_(torch.from_numpy(arrays[kind]))
        tagger.crf.between.copy_(between)
        tagger.crf.start.copy_(start)
        tagger.crf.end.zero_()


def _crfsuite() -> Any:
    try:
        import pycrfsuite
    except ModuleNotFoundError:
        raise TrainError(
            "to train a feature CRF needs python-crfsuite, which is not installed: "
            "pip install 'incognote[train]'"
        ) from None
    return pycrfsuite
