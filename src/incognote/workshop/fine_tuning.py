"""`incognote train`: a corpus read, split and labelled, a model trained on it, and scored."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from incognote.base.errors import RunError
from incognote.base.files import write_private
from incognote.base.lock import output_lock
from incognote.corpus.source import Failure, RefusedError, Source, in_order
from incognote.corpus.split import (
    Group,
    PatientOf,
    Ratio,
    assign,
    group_key,
    patient_from_field,
    records_with_patients,
)
from incognote.document import Document
from incognote.phi import LABEL_SETS, TYPES, bio_labels
from incognote.workshop.starting_points import DEFAULT, ENOUGH_STEPS, Origin

if TYPE_CHECKING:
    from incognote.workshop.finetune.options import Options
    from incognote.workshop.training.epochs import Watch
    from incognote.workshop.training.run_folder import FinishedRun

LabelSet = Literal["full", "study41", "own"]
Say = Callable[[str], None]
Row = tuple[Document, ...]
"""The notes of a record: of a file, or the text fields of a row. No split tears it apart."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The notes of a run; the test part is only ever scored."""

    train: Sequence[Document]
    validation: Sequence[Document] = ()
    test: Sequence[Document] = ()


@dataclass(frozen=True)
class TrainedCorpus:
    """A finished run; `test` has evaluate's figures if there was a test part."""

    trained: FinishedRun
    test: Mapping[str, Any] = field(default_factory=dict)

    @property
    def advice(self) -> str | None:
        """What to try, if the model finds nothing right; None if it does, or nobody can tell."""
        training = self.trained.training
        judged = training["validation"] or self.test.get("strict")
        if not judged or judged["f1"] > 0:
            return None
        steps, options = training["speed"]["steps"], training["options"]
        tries = []
        if training["encoder"]["random"]:
            tries.append("begin with a checkpoint, not with random weights")
        if steps < ENOUGH_STEPS:
            tries.append(
                f"make {ENOUGH_STEPS} steps or more, not {steps:,}, by smaller batches "
                "(--batch-tokens 512) or more --epochs"
            )
        else:
            tries.append(f"learn by smaller steps (--lr {options['lr'] / 3:.0e})")
        tries.append("mark more notes")
        if not training["encoder"]["name"].startswith(DEFAULT):
            tries.append(f"go on from the model that ships (--encoder {DEFAULT})")
        return (
            "strict F1 is 0: the model finds nothing right and is of no use yet. "
            f"Try to {'; or to '.join(tries)}"
        )


def read_parts(
    corpus: Source, *, validation: Source | None = None, split: str | None = None, seed: int = 0
) -> Parts:
    """Read the corpora; `split` is a ratio such as 50:10:40, by patient if a field names them.

    The same notes, ratio and seed give the parts that `incognote corpus split` gives, and a row
    whose patient cannot be told is refused as there.
    """
    if validation is not None and split is not None:
        raise RunError("give a validation corpus or a split, not both")
    if split is not None:
        parts = split_rows(read_rows(corpus, named_patient(corpus)), split, seed)
        for name in Ratio.parse(split, "--split").names:
            if not getattr(parts, name):
                raise RunError(
                    f"{corpus.path}: too few for parts of {split}: {name} would be empty"
                )
        return parts
    documents = read_notes(corpus)
    if validation is None:
        return Parts(train=documents)
    return Parts(train=documents, validation=read_notes(validation))


def named_patient(source: Source) -> PatientOf | None:
    """How patients are told: by the field that the source names, if it names one."""
    return patient_from_field if source.fields.patient else None


def split_rows(
    rows: Sequence[Row], split: str, seed: int, *, sources: Sequence[str] | None = None
) -> Parts:
    """The notes in the parts of a ratio; no row and no patient is in two of them.

    With the source of each row, every source is shared out in the ratio as far as patients let it.
    """
    ratio = Ratio.parse(split, "--split")
    keys = [group_key((note.id for note in row), row[0].patient or None) for row in rows]
    held: dict[str, Counter[str]] = {key: Counter() for key in keys}
    for key, source in zip(keys, sources or [""] * len(rows), strict=True):
        held[key][source] += 1
    groups = [Group(key, counts.total(), counts) for key, counts in held.items()]
    chosen = assign(groups, ratio.sizes, seed, stratify=sources is not None)
    parts: dict[str, list[Document]] = {name: [] for name in ratio.names}
    for key, row in zip(keys, rows, strict=True):
        parts[ratio.names[chosen[key]]].extend(row)
    return Parts(**parts)


def choose_labels(
    parts: Parts,
    chosen: LabelSet | None,
    say: Say = lambda line: None,
    *,
    learned: tuple[str, ...] | None = None,
) -> tuple[str, ...]:
    """The label set by name; if none is named, `full`, or `own` for a corpus in another scheme.

    `own` has the types of the training part. A type that occurs only in the others cannot be
    learned: it counts as missed, and is said. Labels that the start has learned stay, unless others
    are named, which the start then refuses.
    """
    types = _types(parts.train)
    name = chosen_set(parts, chosen)
    labels = bio_labels(in_order(types)) if name == "own" else LABEL_SETS[name]
    if learned and not chosen:
        labels = learned
    known = {label[2:] for label in labels}
    lacking = in_order(types - known)
    if lacking and labels is learned:
        raise RunError(
            f"the model to go on from has not learned {', '.join(lacking)}: rename these types "
            "(incognote corpus convert --map), or start over with --encoder-only"
        )
    if lacking:
        raise RunError(f"the label set {name} has no {', '.join(lacking)}: train with --labels own")
    learnable = known if labels is learned else types
    for part, notes in (("validation", parts.validation), ("test", parts.test)):
        if unseen := in_order(_types(notes) - learnable):
            say(f"{', '.join(unseen)}: in {part} but not in training, so counted as missed")
    return labels


def chosen_set(parts: Parts, chosen: LabelSet | None) -> LabelSet:
    """The label set that was named, or that fits the training part."""
    types = _types(parts.train)
    if not types:
        raise RunError("no training note has an annotated span")
    return chosen or ("full" if types <= set(TYPES) else "own")


def train_corpus(
    parts: Parts,
    origin: Origin,
    output: Path,
    options: Options,
    *,
    labels: LabelSet | None = None,
    threads: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    device: str | None = None,
    watch: Watch = lambda tick: None,
    say: Say = lambda line: None,
) -> TrainedCorpus:
    """Train on the parts, leave the checkpoint in `output`, and score the test part."""
    import torch

    from incognote.workshop.finetune.train import train

    if threads is not None:
        torch.set_num_threads(threads)
    for role, name in (("encoder", origin.encoder), ("teacher", options.teacher)):
        if name and Path(name).resolve() == output.resolve():
            raise RunError(f"{output}: is also the {role}; choose another folder")
    if options.patience is not None and not parts.validation:
        raise RunError("patience looks at a validation part: give --validation or --split")
    with checked():
        structure = origin.structure
    names = choose_labels(parts, labels, say, learned=structure.labels if structure else None)
    with leaders_lock(output, "train"), checked():
        trained = train(
            lambda: origin.start(
                names, options.seed, notes=parts.train, min_count=options.min_count
            ),
            parts.train,
            parts.validation,
            options,
            output,
            resume=resume,
            overwrite=overwrite,
            device=device,
            watch=watch,
            say=say,
        )
    if not parts.test:
        return TrainedCorpus(trained)
    from incognote.workshop.finetune.checkpoint import load_checkpoint
    from incognote.workshop.finetune.predict import predict

    checkpoint = load_checkpoint(output)
    predicted = predict(checkpoint.tagger, checkpoint.reader, parts.test)
    return TrainedCorpus(trained, score_test(output, parts.test, predicted))


def leaders_lock(output: Path, command: str) -> AbstractContextManager[None]:
    """The lock of an output folder; of the processes that `torchrun` started, the first has it."""
    if os.environ.get("RANK", "0") != "0":
        return nullcontext()
    return output_lock(output, command, folder=True)


@contextmanager
def checked() -> Iterator[None]:
    """What training or pretraining refuses becomes a sentence for the user."""
    from incognote.base.errors import AlignError, TextError, TrainError

    try:
        yield
    except (TrainError, AlignError, TextError) as error:
        raise RunError(str(error)) from None


def score_test(
    folder: Path, test: Sequence[Document], predicted: Sequence[Document]
) -> dict[str, Any]:
    """The figures of the test part, kept beside the checkpoint."""
    from incognote.evaluate import Resampling, score
    from incognote.workshop.finetune.predict import strict_figures
    from incognote.workshop.training.run_folder import TEST

    report = score(test, predicted, blocks=("release", "i2b2"), resampling=Resampling(resamples=0))
    figures = {"strict": strict_figures(test, predicted), **report.as_dict()}
    content = json.dumps(figures, indent=2, allow_nan=False) + "\n"
    write_private(folder / TEST, content.encode())
    return figures


def read_notes(source: Source) -> list[Document]:
    """All notes of a corpus, or a refusal that names every fault in it."""
    return [note for row in read_rows(source) for note in row]


def read_rows(source: Source, patient: PatientOf | None = None) -> list[Row]:
    """All notes by their rows; with `patient`, a row whose patient cannot be told is a fault."""
    failures: list[Failure] = []
    rows = list(records_with_patients(source, patient, failures))
    if failures:
        raise RefusedError(failures)
    if not rows:
        raise RunError(f"{source.path}: no notes here")
    return rows


def _types(documents: Sequence[Document]) -> set[str]:
    return {span.type for document in documents for span in document.spans}
