"""One call from shards to an encoder's folder, begun or gone on with.

Hours become steps once, by a measurement before the first. The folder that comes out is an encoder as
`transformers` loads it, with how it was made.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from incognote.base.errors import TrainError
from incognote.base.files import naming_file
from incognote.workshop.encoders.checkpoints import save
from incognote.workshop.encoders.layers import SelfAttention
from incognote.workshop.encoders.model import Model
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.feed import Order, Place, make_batch, packs
from incognote.workshop.pretrain.figures import draw_losses
from incognote.workshop.pretrain.loop import EVALUATIONS, Progress, Run, Watch, new_optimizer
from incognote.workshop.pretrain.objectives import make_objective
from incognote.workshop.pretrain.objectives.objective import Objective
from incognote.workshop.pretrain.settings import Settings
from incognote.workshop.pretrain.start import Start
from incognote.workshop.tokenization.folder import BYTES, SENTENCEPIECE, SETTINGS, WORDS
from incognote.workshop.tokenization.tokenizer import WHOLE, Tokenizer
from incognote.workshop.training.optimizers import set_rates
from incognote.workshop.training.processes import Processes
from incognote.workshop.training.run_folder import (
    FinishedRun,
    drop_results,
    read_training,
    write_tokenizer,
    write_training,
)

FEW_STEPS = 100
Say = Callable[[str], None]
Begin = Callable[[Objective], Start]

MARGIN = 0.97
"""Saving, starting and a busier machine take the rest."""

_LEAST_SECONDS = 8.0

_BACKWARD = 2.0
"""A backward pass takes about twice as long as a forward one."""

SCHEMA = 1
_WHOLE = (WHOLE, SETTINGS)
_VOCABULARY = (WORDS, *BYTES, SENTENCEPIECE)
_MORE = ("special_tokens_map.json", "added_tokens.json")


def pretrain(
    begin: Begin,
    shards: Shards,
    tokenizer: Tokenizer,
    tokenizer_folder: Path,
    settings: Settings,
    folder: Path,
    *,
    workers: Processes | None = None,
    description: Mapping[str, Any] | None = None,
    resume: bool = False,
    watch: Watch = lambda tick: None,
    say: Say = lambda line: None,
) -> FinishedRun:
    """Pretrain, and leave an encoder in `folder`, which `prepare_folder` made ready.

    With `resume` a run that was killed goes on to the weights that it would have had. `description`
    joins what training.json says.
    """
    workers = workers or Processes(torch.device("cpu"))
    options = settings.objective_options
    objective = make_objective(settings.objective, tokenizer, shards, **options)
    start = begin(objective)
    _check_encoder(objective.saved(start.module)[""], settings)
    for note in start.notes:
        say(note)
    run = Run(objective, start.module, shards, settings, folder, processes=workers, watch=watch)
    run.check_text()
    text = _text(run)
    say(_summary(text))
    run.begin(resume=resume, say=say)
    if not run.saved.exists and settings.hours is not None:
        run.progress = Progress(measured_steps(run, settings.hours))
        say(f"{run.progress.steps:,} steps are to take {settings.hours:g} hours")
        if run.progress.steps < FEW_STEPS:
            say("so few steps teach little: give it more hours, or smaller steps (--batch-tokens)")
    workers.led(lambda: drop_results(folder))
    if not run.progress.step:
        run.save()  # its number of steps, too
    run.train()
    say("evaluating on held-out text" if len(shards.held_out) else "no text is held out")
    figures = run.evaluate(settings.final_examples)
    description = {**(description or {}), "text": text}
    workers.led(
        lambda: _finish(run, start, figures, tokenizer, tokenizer_folder, folder, description)
    )
    return FinishedRun(folder, read_training(folder, SCHEMA))


def finished_run(
    folder: Path,
    settings: Settings,
    name: str,
    description: Mapping[str, Any],
    data: Callable[[], str],
) -> FinishedRun:
    """What a finished run left here, if it is this one: `name` and `description` as `pretrain` has them.

    data: gives the fingerprint of the text as it is now tokenised, if nothing else differs.
    """
    training = read_training(folder, SCHEMA)
    if "objective" not in training:
        raise TrainError(f"{folder}: holds a model of `incognote train`; choose another folder")
    before, again = (
        Settings.from_json(json.loads(json.dumps(each)))
        for each in (training["settings"], settings.to_json())
    )
    reasons = again.differences(before)
    reasons += ["encoder"] if training["encoder"]["name"] != name else []
    reasons += [each for each, value in description.items() if training.get(each, value) != value]
    known = training["text"].get("fingerprint")
    if not reasons and known is not None and known != data():
        reasons.append("text, tokenizer or held-out share")
    if reasons:
        raise TrainError(
            f"{folder}: holds a finished run with another {', '.join(reasons)}; choose another "
            "folder, or start over with --overwrite and without --resume"
        )
    return FinishedRun(folder, training)


def _check_encoder(model: Model, settings: Settings) -> None:
    """Refuse settings that it cannot follow."""
    longest = model.config.longest
    lengths = {length: "--lengths" for length, _ in settings.lengths}
    for length, option in {settings.evaluate_length or 0: "--evaluate-length", **lengths}.items():
        if length > longest:
            raise TrainError(
                f"sequences of {length} tokens are too long: the encoder takes {longest}; change "
                f"{option}, or --size positions"
            )
    attends = any(isinstance(part, SelfAttention) for part in model.modules())
    if settings.attention_dropout is not None and not attends:
        raise TrainError(
            f"{model.family.name} has no dropout of attention weights apart from --dropout; leave "
            "out --attention-dropout"
        )


def _text(run: Run) -> dict[str, Any]:
    """How much text there is, and what of it is left out or unknown.

    Sentences that make no pair are those of the first length and epoch.
    """
    shards, figures = run.shards, run.shards.manifest["figures"]
    return {
        "documents": shards.documents,
        "pieces": int(shards.lengths.sum()),
        "held_out_documents": len(shards.held_out),
        "held_out_pieces": int(shards.lengths[shards.held_out].sum()),
        "one_sentence_documents": figures["one_sentence"],
        "empty_documents": figures["empty"],
        "unknown_pieces": figures["unknown"],
        "fingerprint": shards.manifest["fingerprint"],
        **run.examples(run.settings.lengths[0][0]).report(0),
    }


def _summary(text: Mapping[str, Any]) -> str:
    summary = (
        f"{text['documents']:,} documents ({text['held_out_documents']:,} held out, "
        f"{text['one_sentence_documents']:,} of one sentence), {text['empty_documents']:,} empty "
        f"ones left out; {text['pieces']:,} tokens, {text['unknown_pieces']:,} unknown"
    )
    if "sentences_alone" not in text:
        return summary
    return (
        f"{summary}; {text['sentences_alone']:,} sentences alone and "
        f"{text['sentences_too_long']:,} too long for a pair"
    )


def _finish(
    run: Run,
    start: Start,
    figures: Mapping[str, float],
    tokenizer: Tokenizer,
    tokenizer_folder: Path,
    folder: Path,
    description: Mapping[str, Any],
) -> None:
    """Write the encoder; the same again if it was killed on the way."""
    progress = run.progress
    for name, model in run.objective.saved(run.module).items():
        write_encoder(folder / name, model, tokenizer, tokenizer_folder)
    training = {
        "schema": SCHEMA,
        "encoder": {"name": start.name, "random": start.random},
        "objective": run.objective.name,
        **description,
        "steps": progress.steps,
        "pieces": progress.pieces,
        "seconds": round(progress.seconds, 1),
        "pieces_per_second": round(progress.pieces_per_second, 1),
        "held_out": dict(figures),
        "settings": run.settings.to_json(),
        "curve": progress.curve,
    }
    draw_losses(run.log.rows(), progress.curve, run.objective.parts, folder)
    write_training(folder, training)
    run.saved.remove()


def write_encoder(folder: Path, model: Model, tokenizer: Tokenizer, source: Path) -> None:
    """config.json, model.safetensors with the pretraining heads, and the tokenizer's files."""
    folder.mkdir(parents=True, exist_ok=True)
    model.eval()
    save(model, folder)
    whole = all((source / name).is_file() for name in _WHOLE)
    for name in (*_VOCABULARY, *((*_WHOLE, *_MORE) if whole else ())):
        if (source / name).is_file() and source.resolve() != folder.resolve():
            content = (source / name).read_bytes()
            with naming_file(folder / name) as path:
                path.write_bytes(content)
    if not whole:
        write_tokenizer(
            folder,
            tokenizer.library_copy(),
            model.config.longest,
            segmented=getattr(model.config, "segments", 1) > 1,
            pads_left=tokenizer.template.pads_left,
        )


def measured_steps(run: Run, hours: float) -> int:
    """Steps that take about so many hours, evaluation included; the run is left as it was."""
    settings = run.settings
    whole = sum(share for _, share in settings.lengths)
    step = sum(_step_seconds(run, length) * share / whole for length, share in settings.lengths)
    # All processes must come to the same number.
    step = run.processes.total(step if run.processes.leads else 0.0)[0]
    length = settings.evaluate_length or settings.lengths[0][0]
    sequence = _token_seconds(run, step) * length / (1 + _BACKWARD)
    passes = EVALUATIONS if settings.evaluate_every is None else 0
    evaluating = sequence * (passes * settings.evaluate_examples + settings.final_examples)
    if not len(run.shards.held_out):
        evaluating = 0.0
    room = hours * 3600 * MARGIN - evaluating
    if settings.evaluate_every is not None:
        step += sequence * settings.evaluate_examples / settings.evaluate_every
    return max(1, int(room / step))


def _token_seconds(run: Run, step: float) -> float:
    """Seconds for a token of a step."""
    settings = run.settings
    whole = sum(share for _, share in settings.lengths)
    tokens = sum(n * settings.sequences(n) * share / whole for n, share in settings.lengths)
    return step / tokens


def _step_seconds(run: Run, length: int) -> float:
    """Seconds of a step: some packs of one are computed, at a learning rate of 0."""
    settings, examples = run.settings, run.examples(length)
    numbers, _ = Order(examples, settings.seed).take(Place(0, 0), settings.sequences(length))
    planned = packs(examples, run.processes.share(numbers), settings.pack)
    began, done = time.perf_counter(), -1
    while done < 1 or _all_go_on(run, time.perf_counter() - began < _LEAST_SECONDS):
        if done == 0:
            began = time.perf_counter()  # the first is slow
        some = [planned[(done + 1) % len(planned)]] if planned else []
        run.gradients([make_batch(run.objective, examples, pack) for pack in some])
        done += 1
    packed = (time.perf_counter() - began) / done * len(planned)
    began = time.perf_counter()
    set_rates(run.optimizer, 0.0)
    run.optimizer.step()
    updating = time.perf_counter() - began
    run.optimizer.zero_grad(set_to_none=True)
    run.optimizer = new_optimizer(run.module, settings)
    return packed + updating


def _all_go_on(run: Run, more: bool) -> bool:
    """What the process that leads says: all must compute equally often, or one waits for ever."""
    return bool(run.processes.total(float(more and run.processes.leads))[0])
