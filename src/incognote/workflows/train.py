"""`incognote train`: a corpus read, split and labelled, a model trained on it, and scored."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from incognote.document import Document
from incognote.phi import LABEL_SETS, TYPES, bio_labels
from incognote.workflows.corpus.assign import Group, assign
from incognote.workflows.corpus.reading import Failure, RefusedError, Source, in_order, notes
from incognote.workflows.corpus.split import Ratio
from incognote.workflows.run.atomic import write_private
from incognote.workflows.run.inputs import RunError

if TYPE_CHECKING:
    from incognote.finetune.loop import Watch
    from incognote.finetune.options import Options
    from incognote.finetune.train import Trained

LabelSet = Literal["full", "study41", "own"]
TEST = "test.json"
Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The notes of a run; the test part is only ever scored."""

    train: Sequence[Document]
    validation: Sequence[Document] = ()
    test: Sequence[Document] = ()


@dataclass(frozen=True)
class TrainedCorpus:
    """A finished run; `test` has evaluate's figures if there was a test part."""

    trained: Trained
    test: Mapping[str, Any] = field(default_factory=dict)


def read_parts(
    corpus: Source, *, validation: Source | None = None, split: str | None = None, seed: int = 0
) -> Parts:
    """Read the corpora; `split` is a ratio such as 50:10:40, by patient where patients are known.

    The same notes, ratio and seed give the parts that `incognote corpus split` gives.
    """
    if validation is not None and split is not None:
        raise RunError("give a validation corpus or a split, not both")
    documents = read_notes(corpus)
    if validation is not None:
        return Parts(train=documents, validation=read_notes(validation))
    if split is None:
        return Parts(train=documents)
    return split_notes(documents, split, seed)


def split_notes(documents: Sequence[Document], split: str, seed: int) -> Parts:
    """The notes in the parts of a ratio; no patient is in two of them."""
    ratio = Ratio.parse(split)
    keys = [f"patient {d.patient}" if d.patient else f"note {d.id}" for d in documents]
    sizes = Counter(keys)
    groups = [Group(key, size, {}) for key, size in sizes.items()]
    chosen = assign(groups, ratio.sizes, seed)
    parts: dict[str, list[Document]] = {name: [] for name in ratio.names}
    for key, document in zip(keys, documents, strict=True):
        parts[ratio.names[chosen[key]]].append(document)
    if not parts["train"]:
        raise RunError(f"{len(documents)} notes are too few for a training part of {split}")
    return Parts(**parts)


def choose_labels(
    parts: Parts, chosen: LabelSet | None, say: Say = lambda line: None
) -> tuple[str, ...]:
    """The label set by name; if none is named, `full`, or `own` for a corpus in another scheme.

    `own` has the types of the training part. A type that occurs only in the others cannot be
    learned: it counts as missed, and is said.
    """
    types = _types(parts.train)
    chosen = chosen_set(parts, chosen)
    labels = bio_labels(in_order(types)) if chosen == "own" else LABEL_SETS[chosen]
    known = {label[2:] for label in labels}
    if lacking := in_order(types - known):
        raise RunError(
            f"the label set {chosen} has no {', '.join(lacking)}: train with --labels own"
        )
    for name, part in (("validation", parts.validation), ("test", parts.test)):
        if unseen := in_order(_types(part) - types):
            say(f"{', '.join(unseen)}: in {name} but not in training, so counted as missed")
    return labels


def chosen_set(parts: Parts, chosen: LabelSet | None) -> LabelSet:
    """The label set that was named, or that fits the training part."""
    types = _types(parts.train)
    if not types:
        raise RunError("no training note has an annotated span")
    return chosen or ("full" if types <= set(TYPES) else "own")


def train_corpus(
    parts: Parts,
    encoder: str,
    output: Path,
    options: Options,
    *,
    labels: LabelSet | None = None,
    tokenizer: Path | None = None,
    sizes: Mapping[str, int] | None = None,
    layers: Sequence[int] | None = None,
    threads: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    device: str | None = None,
    watch: Watch = lambda tick: None,
    say: Say = lambda line: None,
) -> TrainedCorpus:
    """Train on the parts, leave the checkpoint in `output`, and score the test part."""
    import torch

    from incognote.finetune.start import start
    from incognote.finetune.train import train

    if threads is not None:
        torch.set_num_threads(threads)
    names = choose_labels(parts, labels, say)
    with checked():
        trained = train(
            lambda: start(
                encoder,
                names,
                tokenizer=tokenizer,
                sizes=sizes,
                layers=layers,
                seed=options.seed,
            ),
            parts.train,
            parts.validation,
            options,
            output,
            resume=resume,
            overwrite=overwrite,
            device=device,
            watch=watch,
        )
    if not parts.test:
        return TrainedCorpus(trained)
    from incognote.finetune.checkpoint import load_checkpoint
    from incognote.finetune.predict import predict

    checkpoint = load_checkpoint(output)
    predicted = predict(checkpoint.tagger, checkpoint.reader, parts.test)
    return TrainedCorpus(trained, score_test(output, parts.test, predicted))


@contextmanager
def checked() -> Iterator[None]:
    """What training or pretraining refuses becomes a sentence for the user."""
    from incognote.align.units import AlignError
    from incognote.pretrain.corpus.errors import TextError
    from incognote.training.errors import TrainError

    try:
        yield
    except (TrainError, AlignError, TextError) as error:
        raise RunError(str(error)) from None


def score_test(
    folder: Path, test: Sequence[Document], predicted: Sequence[Document]
) -> dict[str, Any]:
    """The figures of the test part, kept beside the checkpoint."""
    from incognote.evaluate import Resampling, score
    from incognote.finetune.predict import strict_figures

    report = score(test, predicted, blocks=("release", "i2b2"), resampling=Resampling(resamples=0))
    figures = {"strict": strict_figures(test, predicted), **report.as_dict()}
    content = json.dumps(figures, indent=2, allow_nan=False) + "\n"
    write_private(folder / TEST, content.encode())
    return figures


def read_notes(source: Source) -> list[Document]:
    """All notes of a corpus, or a refusal that names every fault in it."""
    failures: list[Failure] = []
    documents = list(notes(source, failures))
    if failures:
        raise RefusedError(failures)
    if not documents:
        raise RunError(f"{source.path}: no notes here")
    return documents


def _types(documents: Sequence[Document]) -> set[str]:
    return {span.type for document in documents for span in document.spans}
