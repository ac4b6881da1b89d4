"""One call from shards to an encoder's folder, begun or gone on with."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from incognote.base.errors import TrainError
from incognote.workshop.encoders.layers import SelfAttention
from incognote.workshop.encoders.model import Model
from incognote.workshop.pretrain.budget import measured_steps
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.pretrain.loop import Run, Watch
from incognote.workshop.pretrain.objectives import make_objective
from incognote.workshop.pretrain.objectives.objective import Objective
from incognote.workshop.pretrain.plots import draw_losses
from incognote.workshop.pretrain.progress import Progress
from incognote.workshop.pretrain.result import SCHEMA, write_encoder
from incognote.workshop.pretrain.settings import Settings
from incognote.workshop.pretrain.start import Start
from incognote.workshop.tokenization.tokenizer import Tokenizer
from incognote.workshop.training.processes import Processes
from incognote.workshop.training.run_folder import (
    FinishedRun,
    drop_results,
    read_training,
    write_training,
)

FEW_STEPS = 100

Say = Callable[[str], None]
Begin = Callable[[Objective], Start]


def pretrain(
    begin: Begin,
    shards: Shards,
    tokenizer: Tokenizer,
    tokenizer_folder: Path,
    settings: Settings,
    folder: Path,
    *,
    workers: Processes | None = None,
    told: Mapping[str, Any] | None = None,
    resume: bool = False,
    watch: Watch = lambda tick: None,
    say: Say = lambda line: None,
) -> FinishedRun:
    """Pretrain, and leave an encoder in `folder`, which `prepare_folder` made ready.

    With `resume` a run that was killed goes on to the weights that it would have had. `told` joins
    what training.json says.
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
    say(_told(text))
    run.begin(resume=resume, say=say)
    if not run.saved.exists and settings.hours is not None:
        run.progress = Progress(measured_steps(run, settings.hours))
        say(f"{run.progress.steps:,} steps are to take {settings.hours:g} hours")
        if run.progress.steps < FEW_STEPS:
            say("so few steps teach little: give it more hours, or smaller steps (--batch-pieces)")
    workers.led(lambda: drop_results(folder))
    if not run.progress.step:
        run.save()  # its number of steps, too
    run.train()
    say("evaluating on held-out text" if len(shards.held_out) else "no text is held out")
    figures = run.evaluate(settings.final_examples)
    told = {**(told or {}), "text": text}
    workers.led(lambda: _finish(run, start, figures, tokenizer, tokenizer_folder, folder, told))
    return FinishedRun(folder, read_training(folder, SCHEMA))


def finished_run(
    folder: Path, settings: Settings, name: str, told: Mapping[str, Any], data: Callable[[], str]
) -> FinishedRun:
    """What a finished run left here, if it is this one: `name` and `told` as `pretrain` has them.

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
    reasons += [each for each in told if training.get(each, told[each]) != told[each]]
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
    shards, counted = run.shards, run.shards.manifest["figures"]
    return {
        "documents": shards.documents,
        "pieces": int(shards.lengths.sum()),
        "held_out_documents": len(shards.held_out),
        "held_out_pieces": int(shards.lengths[shards.held_out].sum()),
        "one_sentence_documents": counted["one_sentence"],
        "empty_documents": counted["empty"],
        "unknown_pieces": counted["unknown"],
        "fingerprint": shards.manifest["fingerprint"],
        **run.examples(run.settings.lengths[0][0]).report(0),
    }


def _told(text: Mapping[str, Any]) -> str:
    said = (
        f"{text['documents']:,} documents ({text['held_out_documents']:,} held out, "
        f"{text['one_sentence_documents']:,} of one sentence), {text['empty_documents']:,} empty "
        f"ones left out; {text['pieces']:,} tokens, {text['unknown_pieces']:,} unknown"
    )
    if "sentences_alone" not in text:
        return said
    return (
        f"{said}; {text['sentences_alone']:,} sentences alone and "
        f"{text['sentences_too_long']:,} too long for a pair"
    )


def _finish(
    run: Run,
    start: Start,
    figures: Mapping[str, float],
    tokenizer: Tokenizer,
    tokenizer_folder: Path,
    folder: Path,
    told: Mapping[str, Any],
) -> None:
    """Write the encoder; the same again if it was killed on the way."""
    progress = run.progress
    for name, model in run.objective.saved(run.module).items():
        write_encoder(folder / name, model, tokenizer, tokenizer_folder)
    training = {
        "schema": SCHEMA,
        "encoder": {"name": start.name, "random": start.random},
        "objective": run.objective.name,
        **told,
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
