"""The work of `incognote train-restore`: from well-written notes to a folder that restores others.

The folder has the checkpoint in Marian's layout (config.json, model.safetensors), the vocabulary, the
networks that run without torch, and training.json with the figures on held-out notes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from incognote.base.errors import EncoderError, RunError, TrainError
from incognote.base.lock import output_lock
from incognote.base.options import Option, at_least, named_values
from incognote.corpus.output import check_apart
from incognote.workshop.pretrain.corpus.text_files import Reading, documents, list_files

if TYPE_CHECKING:
    from incognote.workshop.restore.vocabulary import Vocabulary
    from incognote.workshop.sequence_to_sequence.learning import Tick
    from incognote.workshop.sequence_to_sequence.options import LearningOptions
    from incognote.workshop.sequence_to_sequence.transformer import Transformer, TransformerConfig
    from incognote.workshop.training.run_folder import FinishedRun

SCHEMA = 1
KIND = "restorer"
SMALL: Mapping[str, Any] = {
    "hidden_size": 256,
    "layers": 3,
    "decoder_layers": 3,
    "heads": 4,
    "feed_forward_size": 1024,
    "positions": 512,
    "attention_dropout": 0.1,
}
"""A restorer for one core; `transformer-base` and `transformer-big` are the paper's."""
SMALL_LEARNING: Mapping[str, Any] = {
    "steps": 4000,
    "batch_tokens": 2048,
    "warmup": 600,
    "lr_scale": 0.4,
    "checkpoint_every": 100,
    "evaluate_every": 250,
}
"""How it learns where a user says nothing else; the others learn as the paper has it."""

EVALUATED = 64
"""Held-out pairs for the curve on the way; all held-out notes are restored at the end."""

Preset = Literal["small", "transformer-base", "transformer-big"]

_model = partial(Option, panel="Model")
_text = partial(Option, panel="Text")


@dataclass(frozen=True, kw_only=True)
class Restoring:
    """Which network learns, from which text."""

    preset: Annotated[
        Preset,
        _model("Sizes to begin with: small (3 + 3 layers of 256), or one of the paper's."),
    ] = "small"
    sizes: Annotated[
        Mapping[str, Any],
        _model(
            "Change a size, such as --size layers=4; may be repeated.",
            flags=("--size",),
            metavar="NAME=VALUE",
            parse=named_values,
            repeated=True,
        ),
    ] = field(default_factory=dict)
    vocab_size: Annotated[int, _model("Tokens of the vocabulary.", at_least(300))] = 4000
    fields: Annotated[
        tuple[str, ...],
        _text(
            "Field of records that holds text; may be repeated. 'text' by default.",
            flags=("--text-field",),
            repeated=True,
        ),
    ] = ("text",)
    int8: Annotated[
        bool, _model("Store the networks' matrices in 8 bits: a quarter of the size.")
    ] = False


def learning_options(chosen: Restoring, values: Mapping[str, Any]) -> LearningOptions:
    """The options of learning, the preset's where a user chose nothing."""
    from incognote.workshop.sequence_to_sequence.options import LearningOptions

    return LearningOptions(**{**(SMALL_LEARNING if chosen.preset == "small" else {}), **values})


def train_restorer(
    texts: Sequence[Path],
    output: Path,
    chosen: Restoring,
    options: LearningOptions,
    *,
    held_out: Sequence[Path] = (),
    threads: int | None = None,
    device: str | None = None,
    resume: bool = False,
    overwrite: bool = False,
    watch: Callable[[Tick], None] = lambda tick: None,
    say: Callable[[str], None] = lambda line: None,
) -> FinishedRun:
    """Learn, and leave a folder for `incognote restore` in `output`."""
    import torch

    from incognote.workshop.restore.examples import Examples
    from incognote.workshop.sequence_to_sequence.learning import TransformerRun
    from incognote.workshop.sequence_to_sequence.transformer import Transformer
    from incognote.workshop.training.processes import processes
    from incognote.workshop.training.run_folder import (
        FinishedRun,
        drop_results,
        finished,
        prepare_folder,
        read_training,
    )

    if threads is not None:
        torch.set_num_threads(threads)
    check_apart(output, [*texts, *held_out])
    sizes = _config(chosen, options)
    if resume and finished(output):
        return FinishedRun(output, _again(read_training(output, SCHEMA), output, chosen, options))
    with output_lock(output, "train-restore", folder=True), processes(device) as workers:
        if workers.count > 1:
            raise TrainError("train-restore runs in one process: start it without torchrun")
        prepare_folder(output, resume=resume, overwrite=overwrite)
        reading = Reading(chosen.fields)
        say("reading the text")
        learned = [text for each in _documents(texts, reading).values() for text in each]
        kept = _documents(held_out, reading)
        every = [text for each in kept.values() for text in each]
        vocabulary = _vocabulary(learned, chosen.vocab_size)
        examples = Examples(learned, vocabulary, seed=options.seed)
        say(f"{len(learned):,} documents of {examples.words:,} words; {len(every):,} held out")
        torch.manual_seed(options.seed)
        config = replace(
            sizes,
            vocabulary_size=vocabulary.size,
            pad_id=vocabulary.pad_id,
            start_id=vocabulary.pad_id,
            end_id=vocabulary.end_id,
        )
        model = Transformer(config)
        run = TransformerRun(
            model,
            examples,
            options,
            output,
            processes=workers,
            evaluate=_evaluation(every, vocabulary, model, options),
            watch=watch,
        )
        run.begin(resume=resume, say=say)
        drop_results(output)
        run.train()
        from incognote.workshop.restore.result import write_result

        description = {
            "schema": SCHEMA,
            "kind": KIND,
            "preset": chosen.preset,
            "sizes": dict(chosen.sizes),
            "vocabulary_size": vocabulary.size,
            "int8": chosen.int8,
            "files": [path.name for path in texts],
            "held_out_files": [path.name for path in held_out],
            "documents": len(learned),
            "words": examples.words,
            "steps": run.progress.step,
            "tokens": run.progress.tokens,
            "seconds": round(run.progress.seconds, 1),
            "options": options.to_json(),
            "curve": run.progress.curve,
        }
        write_result(
            output, model, vocabulary, learned, kept, description, int8=chosen.int8, say=say
        )
        run.saved.remove()
    return FinishedRun(output, read_training(output, SCHEMA))


def _documents(paths: Sequence[Path], reading: Reading) -> dict[str, list[str]]:
    """The documents by the name of their file or folder."""
    found: dict[str, list[str]] = {}
    for given in paths:
        texts = found.setdefault(given.name.partition(".")[0] or given.name, [])
        for path in list_files([given]):
            texts += [each.text for each in documents(path, reading) if each.text.strip()]
    return found


def _vocabulary(texts: Sequence[str], size: int) -> Vocabulary:
    from incognote.workshop.restore.vocabulary import Vocabulary
    from incognote.workshop.restore.words import words_of

    def words() -> Iterator[str]:
        for text in texts:
            for word in words_of(text):
                yield word.text

    if next(words(), None) is None:
        raise TrainError("the text has no words to learn from")
    return Vocabulary.learn(words(), size)


def _config(chosen: Restoring, options: LearningOptions) -> TransformerConfig:
    """The network's sizes, as far as they are known before there is a vocabulary."""
    from incognote.workshop.sequence_to_sequence.transformer import PRESETS, TransformerConfig

    begun = PRESETS.get(chosen.preset, TransformerConfig())
    sizes = {**(SMALL if chosen.preset == "small" else {}), **chosen.sizes}
    if unknown := sorted(set(sizes) - set(SMALL)):
        raise RunError(f"--size takes {', '.join(SMALL)}, not {unknown[0]}")
    if options.dropout is not None:
        sizes["dropout"] = options.dropout
    try:
        return replace(begun, vocabulary_size=chosen.vocab_size, **sizes)
    except EncoderError as error:
        raise RunError(f"--size: {error}") from None
    except TypeError:
        raise RunError("--size takes whole numbers, such as layers=4") from None


def _evaluation(
    texts: Sequence[str], vocabulary: Vocabulary, model: Transformer, options: LearningOptions
) -> Callable[[Transformer], dict[str, float]] | None:
    """Figures for the curve, on some held-out pairs."""
    from incognote.workshop.restore.examples import Examples
    from incognote.workshop.sequence_to_sequence.learning import held_out_figures
    from incognote.workshop.sequence_to_sequence.pairs import batch_of

    if not texts:
        return None
    examples = Examples(texts, vocabulary)
    count = len(examples.lengths(0))
    chosen = [round(count * n / EVALUATED) for n in range(min(count, EVALUATED))]
    batch = batch_of([examples.pair(0, min(n, count - 1)) for n in chosen], model.config)
    half = options.precision == "bf16"
    return lambda model: held_out_figures(model, [batch], half)


def _again(
    training: Mapping[str, Any], output: Path, chosen: Restoring, options: LearningOptions
) -> Mapping[str, Any]:
    """What a finished run left, if it is this one."""
    reasons = options.differences(type(options).from_json(training["options"]))
    own = {"preset": chosen.preset, "sizes": dict(chosen.sizes), "int8": chosen.int8}
    reasons += [name for name, value in own.items() if training.get(name) != value]
    if training.get("kind") != KIND or reasons or training["steps"] != options.steps:
        raise TrainError(
            f"{output}: holds a finished run with another {', '.join(reasons) or 'number of steps'}; "
            "choose another folder, or start over with --overwrite and without --resume"
        )
    return training
