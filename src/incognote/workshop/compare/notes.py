"""Comparing on annotated notes: a cell is trained as `incognote train` does, and finds identifiers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from incognote.base.errors import RunError
from incognote.corpus.predictions import read_predicted
from incognote.document import Document
from incognote.formats import Fields
from incognote.workshop.compare.data import Data
from incognote.workshop.compare.encoder_facts import Examination, examine, examine_teacher
from incognote.workshop.compare.grid import GridEncoder
from incognote.workshop.compare.plan import Cell
from incognote.workshop.compare.results import (
    PREDICTIONS,
    SELECTED,
    WEIGHTS,
    WITH_RULES,
    Comparison,
    Part,
    Select,
    best_cells,
    load_comparison,
    read_cell,
    write_predictions,
    write_validation,
)
from incognote.workshop.compare.subject import (
    Afterwork,
    CellWork,
    Enough,
    PassCounts,
    Say,
    Speed,
    StepTimes,
    spread_sample,
)
from incognote.workshop.fine_tuning import (
    LabelSet,
    Parts,
    checked,
    choose_labels,
    chosen_set,
    score_test,
    train_corpus,
)
from incognote.workshop.finetune.options import Options
from incognote.workshop.training.run_options import EpochOptions

if TYPE_CHECKING:
    from incognote.pipeline import Deidentifier
    from incognote.workshop.finetune.checkpoint import Checkpoint
    from incognote.workshop.training.epochs import Watch

# Characters of notes that are enough for a few steps of any size, and to time prediction on.
_TRAINING_SAMPLE, _PREDICTION_SAMPLE = 400_000, 30_000


@dataclass(frozen=True)
class Notes:
    """Annotated notes in three parts; `labels` is the set that is learned, chosen by the notes if None."""

    data: Data
    labels: LabelSet | None = None

    metric = "f1"

    @property
    def parts(self) -> Parts:
        """The notes of each part."""
        return self.data.parts

    @property
    def sources(self) -> Sequence[str]:
        """By name, in the order of the corpora."""
        return self.data.sources

    @property
    def folds(self) -> Sequence[str]:
        """The sources that are left out in turn."""
        return self.data.folds

    @cached_property
    def label_set(self) -> LabelSet:
        """The set by its name."""
        return chosen_set(self.parts, self.labels)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The types that are learned."""
        return choose_labels(self.parts, self.labels)

    def fold(self, source: str | None) -> Notes:
        """Without that source in training, tested on it."""
        return Notes(Data(self.data.fold(source)), self.label_set)

    def characters(self, part: Part) -> int:
        """Of all its notes."""
        return _characters(getattr(self.parts, part))

    def passes(self, options: EpochOptions) -> float:
        """Once in an epoch."""
        return options.epochs

    def deciding(self, say: Say) -> dict[str, Any]:
        """The fingerprint of the notes, and the labels."""
        names = choose_labels(self.parts, self.labels, say)
        for fold in self.folds:
            choose_labels(self.data.fold(fold), self.labels)
        return {"data": self.data.fingerprint(), "labels": list(names)}

    def described(self) -> dict[str, Any]:
        """The label set, and what each part has."""
        return {"label_set": self.label_set, "parts": self.data.counts()}

    def examine(self, encoder: GridEncoder, cells: Sequence[EpochOptions]) -> Examination:
        """Start once with the labels."""
        own = [each for each in cells if isinstance(each, Options)]
        return examine(encoder, self.names, own, self.parts.train)

    def check_cell(
        self, encoder: GridEncoder, options: EpochOptions, examination: Examination
    ) -> None:
        """Refuse a window that is longer than the encoder takes."""
        if isinstance(options, Options) and options.window > examination.longest:
            raise RunError(
                f"{encoder.name}: window must be at most {examination.longest}, which is what the "
                f"encoder takes, not {options.window}"
            )

    def option_values(self, options: EpochOptions) -> dict[str, Any]:
        """With what a teacher teaches in the place of its folder."""
        values = {k: v for k, v in options.to_json().items() if k not in Options.free}
        if teacher := values.get("teacher"):
            if teacher not in self._teachers:
                self._teachers[teacher] = examine_teacher(teacher, self.names)
            values["teacher"] = self._teachers[teacher]
        return values

    @cached_property
    def _teachers(self) -> dict[str, str]:
        """The fingerprints of those that were looked at."""
        return {}

    def check_choice(self, folder: Path, before: Mapping[str, Any], select: Select) -> None:
        """Refuse a choice by this F1 if the cells that are best by it have no weights any more.

        Cells of an earlier version have no word figures: they are added here.
        """
        cells = load_comparison(folder).cells
        for cell in cells:
            if cell.state == "done" and not cell.words:
                predicted = read_predicted(cell.predictions("validation"), "jsonl", Fields())
                gold = self.data.fold(cell.fold).validation
                write_validation(cell.folder, gold, predicted)
        if select == before.get("select", "strict"):
            return
        anew = replace(
            load_comparison(folder), cells=[read_cell(folder, c, select) for c in before["cells"]]
        )
        for name, cell in best_cells(anew).items():
            if not (cell.folder / WEIGHTS).is_file():
                raise RunError(
                    f"{folder}: the best cell of {name} by {SELECTED[select]} has no weights any "
                    f"more, for this comparison chose otherwise; leave out --select {select}, or "
                    "choose another folder"
                )

    def run(self, cell: Cell, threads: int, watch: Watch) -> dict[str, Any]:
        """Train it, and find identifiers in validation and test; the rates are those of the test part."""
        from incognote.workshop.finetune.checkpoint import load_checkpoint

        trained = train_corpus(
            replace(self.parts, test=()),
            cell.encoder.origin,
            cell.folder,
            _options(cell),
            labels=self.label_set,
            threads=threads,
            resume=True,
            watch=watch,
        ).trained
        with checked():
            checkpoint = load_checkpoint(cell.folder)
            predictions, _ = timed_predictions(checkpoint, self.parts.validation)
            write_predictions(cell.folder / PREDICTIONS / "validation.jsonl", predictions)
            write_validation(cell.folder, self.parts.validation, predictions)
            predictions, rates = timed_predictions(checkpoint, self.parts.test)
        write_predictions(cell.folder / PREDICTIONS / "test.jsonl", predictions)
        score_test(cell.folder, self.parts.test, predictions)
        return {"training": trained.training["speed"], "prediction": rates}

    def measure(self, cell: Cell, threads: int) -> Speed:
        """Time some steps and some notes."""
        import torch

        from incognote.workshop.finetune.feature_crf import run_kind
        from incognote.workshop.finetune.predict import predict

        torch.set_num_threads(threads)
        notes = spread_sample(self.parts.train, _length, _TRAINING_SAMPLE)
        times = StepTimes()
        with checked(), TemporaryDirectory() as place:
            options = _options(cell)
            start = cell.encoder.origin.start(
                self.names, notes=self.parts.train, min_count=options.min_count
            )
            run = run_kind(start)(start, notes, (), options, Path(place), watch=times.watch)
            with suppress(Enough):
                run.train()
            sample = spread_sample(self.parts.validation, _length, _PREDICTION_SAMPLE)
            began = time.perf_counter()
            predict(run.tagger, run.reader, sample)
            prediction_seconds = time.perf_counter() - began
        all_tokens = sum(example.length for example in run.examples)
        per_character = run.passes * times.seconds_a_token * all_tokens / max(1, _characters(notes))
        return Speed(per_character, prediction_seconds / max(1, _characters(sample)))

    def afterwards(
        self, comparison: Comparison, *, with_rules: bool, say: Say
    ) -> Iterator[Afterwork]:
        """What chosen cells find in what they were trained on, and together with the rules."""
        best = best_cells(comparison).values()
        ids = frozenset(cell.id for cell in best if not cell.predictions("train").is_file())
        yield Afterwork(find_in_training, ids, "nothing found in training")
        if with_rules:
            say("finding together with the rules")
            if not comparison.predictions_by_rules.is_file():
                find_by_rules(comparison.predictions_by_rules, self.parts.test)
            ids = frozenset(cell.id for cell in best if not cell.predictions_with_rules.is_file())
            yield Afterwork(find_with_rules, ids, "nothing found with rules")

    def write_report(self, folder: Path, comparison: Comparison) -> None:
        """The page of the study."""
        from incognote.workshop.compare.report import write_report

        write_report(folder, comparison, self.parts)


def find_in_training(work: CellWork, tell: Callable[[Any], None]) -> None:
    """The chosen cell's spans in what it was trained on."""
    import torch

    from incognote.workshop.finetune.checkpoint import load_checkpoint

    torch.set_num_threads(work.threads)
    with checked():
        checkpoint = load_checkpoint(work.cell.folder)
    predictions, _ = timed_predictions(checkpoint, _parts(work).train)
    write_predictions(work.cell.folder / PREDICTIONS / "train.jsonl", predictions)


def find_with_rules(work: CellWork, tell: Callable[[Any], None]) -> None:
    """The chosen cell's spans in the test part together with the rules, as `deid` finds them.

    The model is exported in 32 bits for it, and not kept.
    """
    from incognote.pipeline import Deidentifier
    from incognote.workshop.export.run import export

    with checked(), TemporaryDirectory() as place:
        model = Path(place) / "model"
        export([work.cell.folder], model)
        predictions = _detect(Deidentifier(detector="both", model=model), _parts(work).test)
    write_predictions(work.cell.folder / PREDICTIONS / WITH_RULES, predictions)


def find_by_rules(path: Path, notes: Sequence[Document]) -> None:
    """What the rules find without any model."""
    from incognote.pipeline import Deidentifier

    write_predictions(path, _detect(Deidentifier(detector="rules"), notes))


def _detect(deidentifier: Deidentifier, notes: Sequence[Document]) -> list[Document]:
    """The notes with what was found, and nothing of what was annotated."""
    bare = [note.with_spans(()) for note in notes]
    return [result.found for result in deidentifier.pipe(bare)]


def timed_predictions(
    checkpoint: Checkpoint, documents: Sequence[Document]
) -> tuple[list[Document], dict[str, Any]]:
    """The notes with what is found in them, and how fast: a step is a batch, a sample a window."""
    from incognote.workshop.finetune.predict import predict

    counts = PassCounts()
    with counts.of(checkpoint.tagger):
        predictions = predict(checkpoint.tagger, checkpoint.reader, documents)
    return predictions, counts.rates("notes", len(documents))


def _options(cell: Cell) -> Options:
    assert isinstance(cell.options, Options)
    return cell.options


def _parts(work: CellWork) -> Parts:
    assert isinstance(work.subject, Notes)
    return work.subject.parts


def _length(note: Document) -> int:
    return len(note.text)


def _characters(notes: Sequence[Document]) -> int:
    return sum(map(_length, notes))
