"""`incognote pretrain`: text tokenised into shards, kept with the run or in a folder, and an encoder trained
on them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from incognote.base.errors import RunError
from incognote.base.lock import output_lock
from incognote.base.options import Option, PathText, between, named_values
from incognote.corpus.output import check_apart
from incognote.workshop.fine_tuning import checked, leaders_lock

if TYPE_CHECKING:
    from incognote.workshop.pretrain.corpus.prepare import ShardSettings
    from incognote.workshop.pretrain.corpus.prepare import Step as TextStep
    from incognote.workshop.pretrain.corpus.shards import Shards
    from incognote.workshop.pretrain.loop import Watch
    from incognote.workshop.pretrain.presets import PretrainingPreset
    from incognote.workshop.pretrain.settings import Settings
    from incognote.workshop.tokenization.tokenizer import Tokenizer
    from incognote.workshop.training.processes import Processes
    from incognote.workshop.training.run_folder import FinishedRun


_model = partial(Option, panel="Model")


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """What the run starts from; the sizes of the preset, unless there is a checkpoint to continue."""

    preset: Annotated[
        str | None,
        _model(
            "Sizes and hyper-parameters of a paper: albert-base, bert-base, roberta-base, "
            "electra-small, xlnet-base, elmo-small, or a larger one; albert-base-v1 and -v2, … are the "
            "ALBERTs as they were released; the options below change them. "
            "These presets are for pretraining; `incognote encoders` lists those of encoders."
        ),
    ] = None
    source: Annotated[
        str | None,
        _model(
            "Continue from a checkpoint ('clinical-albert' comes with incognote, 'minilm' with a "
            "package). Without --preset, for an hour and in small steps. Parts that the checkpoint "
            "lacks start from random weights.",
            flags=("--from",),
            metavar="NAME_OR_DIR",
            path=PathText(or_name=True),
        ),
    ] = None
    tokenizer: Annotated[
        Path | None,
        _model(
            "Folder of the tokenizer, as `incognote tokenizer` writes it; with --from, the "
            "checkpoint's own by default.",
            metavar="DIR",
        ),
    ] = None
    sizes: Annotated[
        Mapping[str, Any],
        _model(
            "Change a size of the preset: --size layers=6 --size hidden_size=256 --size sharing=ffn",
            flags=("--size",),
            metavar="NAME=VALUE",
            parse=named_values,
            repeated=True,
        ),
    ] = field(default_factory=dict)


def choose_settings(beginning: Beginning, chosen: Mapping[str, Any]) -> Settings:
    """The preset's settings with the user's over them; of two that exclude each other, the user's.

    Options of the objective and of examples are joined one by one. The preset's stay with its own
    objective, and with variants that take the same. A clip of 0 is none.
    """
    preset = _preset(beginning)
    values = {name: value for name, value in chosen.items() if value is not None}
    if values.get("clip") == 0:
        values["clip"] = None
    for one, other in (("steps", "hours"), ("batch_size", "batch_pieces")):
        for given, left in ((one, other), (other, one)):
            if given in values and left not in values:
                values[left] = None
    with checked():
        objective = values.get("objective", preset.settings.objective)
        if values.get("example_options", {}).get("masking") and not _masks(objective):
            raise RunError(f"{objective} masks nothing: leave out how to mask")
        stay = _alike(objective, preset.settings.objective)
        for name in ("objective_options", "example_options"):
            own = getattr(preset.settings, name) if stay else {}
            values[name] = _joined(own, values.get(name, {}))
        return replace(preset.settings, **values)


def _alike(objective: str, other: str) -> bool:
    from incognote.workshop.pretrain.objectives import objective_options

    return objective_options(objective).keys() == objective_options(other).keys()


def _masks(objective: str) -> bool:
    from incognote.workshop.pretrain.objectives import objective_options

    return "mask" in objective_options(objective)


def _joined(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """The second over the first; options within options are joined too."""
    joined = dict(first)
    for name, value in second.items():
        joined[name] = _joined(first.get(name, {}), value) if isinstance(value, Mapping) else value
    return joined


def pretrain_text(
    texts: Sequence[str | Path],
    output: Path,
    beginning: Beginning,
    settings: Settings,
    *,
    text: TextOptions | None = None,
    threads: int | None = None,
    device: str | None = None,
    resume: bool = False,
    overwrite: bool = False,
    watch: Watch = lambda tick: None,
    say: Callable[[str], None] = lambda line: None,
    tokenised: Callable[[TextStep], None] = lambda step: None,
) -> FinishedRun:
    """Pretrain on text files, or on one folder of shards; `tokenised` is told how these get on."""
    import torch

    from incognote.workshop.pretrain.start import from_checkpoint, from_preset
    from incognote.workshop.pretrain.train import finished_run, pretrain
    from incognote.workshop.training.processes import processes
    from incognote.workshop.training.run_folder import finished, prepare_folder
    from incognote.workshop.training.sources import checkpoint_folder

    if threads is not None:
        torch.set_num_threads(threads)
    source, text = beginning.source, text or TextOptions()
    if source and beginning.sizes:
        raise RunError("an encoder to go on from keeps its sizes: leave out --size, or --from")
    for made in filter(None, (output, text.shards)):
        check_apart(made, map(Path, texts))
    folder = beginning.tokenizer or (checkpoint_folder(source) if source else None)
    if folder is None:
        raise RunError("name the tokenizer's folder with --tokenizer (see `incognote tokenizer`)")
    preset = _preset(beginning)
    description = {
        "preset": beginning.preset,
        "sizes": dict(beginning.sizes),
        "files": [Path(path).name for path in texts],
    }
    tokenizer = _tokenizer(folder, beginning, preset)
    if resume and finished(output):
        with checked():
            name, data = source or preset.encoder, partial(fingerprint, texts, tokenizer, text)
            return finished_run(output, settings, name, description, data)
    with leaders_lock(output, "pretrain"), checked(), processes(device) as workers:
        workers.led(lambda: prepare_folder(output, resume=resume, overwrite=overwrite))
        shards = shards_of(texts, tokenizer, text, output, workers, tokenised)
        if beginning.preset and workers.leads:
            say(f"{beginning.preset}, as it was published, had read {preset.text}")
        return pretrain(
            lambda objective: (
                from_checkpoint(source, objective, tokenizer, settings.seed)
                if source
                else from_preset(
                    preset.encoder, objective, tokenizer, beginning.sizes, settings.seed
                )
            ),
            shards,
            tokenizer,
            folder,
            settings,
            output,
            workers=workers,
            description=description,
            resume=resume,
            watch=watch,
            say=say if workers.leads else lambda line: None,
        )


def _preset(beginning: Beginning) -> PretrainingPreset:
    from incognote.workshop.pretrain.presets import FURTHER, pretraining_preset

    with checked():
        if beginning.preset is not None:
            return pretraining_preset(beginning.preset)
        if beginning.source is None:
            raise RunError("name a preset with --preset, or a checkpoint with --from")
        return FURTHER[_family(beginning.source)]


def _family(source: str) -> str:
    from incognote.workshop.encoders.tensor_files import read_json
    from incognote.workshop.pretrain.presets import FURTHER
    from incognote.workshop.training.sources import checkpoint_folder

    folder = checkpoint_folder(source)
    if folder is None:
        raise RunError(f"{source}: no such folder to begin from")
    family = str(read_json(folder / "config.json").get("model_type"))
    if family not in FURTHER:
        raise RunError(f"{folder}: is a {family}, not one of {', '.join(FURTHER)}")
    return family


def _tokenizer(folder: Path, beginning: Beginning, preset: PretrainingPreset) -> Tokenizer:
    """The tokenizer, with the special tokens of the family that is trained."""
    from incognote.workshop.encoders.families import PRESETS, family_of
    from incognote.workshop.tokenization import load
    from incognote.workshop.tokenization.tokenizer import TEMPLATES

    if beginning.source is not None:
        family = _family(beginning.source)
    else:
        family = family_of(PRESETS[preset.encoder].config).name
    return load(folder, family=family if family in TEMPLATES else None)


SHARDS = "shards"


_text = partial(Option, panel="Text")


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """How text becomes shards; `fields` and `documents` as `corpus.text_files.Reading` has them.

    shards: if None, they are with the run, until it is over.
    """

    shards: Annotated[
        Path | None,
        _text("Folder to keep the tokenised text in, for other runs.", metavar="DIR"),
    ] = None
    held_out: Annotated[
        float,
        Option("Share of the documents that is held out for evaluation.", panel="Evaluation"),
    ] = 0.01
    fields: Annotated[
        tuple[str, ...],
        _text(
            "Field of records that holds text; may be repeated. 'text' by default.",
            flags=("--text-field",),
            repeated=True,
        ),
    ] = ("text",)
    documents: Annotated[
        Literal["file", "blank-lines"],
        _text("Whether a plain text file is one document, or blank lines separate several."),
    ] = "file"
    workers: Annotated[
        int | None,
        _text(
            "Number of processes that tokenise; by default one for each processor, four at most.",
            between(1, 1024),
            flags=("--text-workers",),
        ),
    ] = None


def text_workers() -> int:
    """How many processes tokenise: one for each processor, and four at most, for a gigabyte."""
    return min(4, os.cpu_count() or 1)


def fingerprint(texts: Sequence[str | Path], tokenizer: Tokenizer, options: TextOptions) -> str:
    """Of all that decides what the shards of the text hold, without making them."""
    from incognote.workshop.pretrain.corpus.prepare import manifest_of
    from incognote.workshop.pretrain.corpus.text_files import list_files

    if found := _shards_already(texts, tokenizer, options):
        return str(found.manifest["fingerprint"])
    return str(manifest_of(list_files(texts), tokenizer, _shard_settings(options))["fingerprint"])


def _shards_already(
    texts: Sequence[str | Path], tokenizer: Tokenizer, options: TextOptions
) -> Shards | None:
    """The shards that the text is already, if it is."""
    from incognote.workshop.pretrain.corpus.shards import MANIFEST, Shards

    if len(texts) != 1 or not (Path(texts[0]) / MANIFEST).is_file():
        return None
    if replace(options, workers=None) != TextOptions():
        raise RunError(f"{texts[0]}: is tokenised already; leave out how to read and keep text")
    return Shards(texts[0], tokenizer)


def _shard_settings(options: TextOptions) -> ShardSettings:
    from incognote.workshop.pretrain.corpus.prepare import ShardSettings
    from incognote.workshop.pretrain.corpus.text_files import Reading

    return ShardSettings(Reading(options.fields, options.documents), held_out=options.held_out)


def shards_of(
    texts: Sequence[str | Path],
    tokenizer: Tokenizer,
    options: TextOptions,
    output: Path,
    workers: Processes,
    tokenised: Callable[[TextStep], None],
) -> Shards:
    """Shards of the text, made by the process that leads, or those that the text is already."""
    from incognote.workshop.pretrain.corpus.prepare import prepare
    from incognote.workshop.pretrain.corpus.shards import OtherShardsError, Shards
    from incognote.workshop.training.run_folder import STATE, SavedState

    if found := _shards_already(texts, tokenizer, options):
        return found
    own = output / STATE / SHARDS
    folder = options.shards or own

    def make() -> None:
        prepare(
            texts,
            tokenizer,
            folder,
            _shard_settings(options),
            workers=options.workers or text_workers(),
            watch=tokenised,
        )

    def make_or_again() -> None:
        try:
            with nullcontext() if folder == own else output_lock(folder, "pretrain", folder=False):
                make()
        except OtherShardsError:
            if folder != own:
                raise
            if SavedState(output).exists:
                raise RunError(
                    f"{output}: this run was started with other text, tokenizer or ways to read "
                    "it; continue it as it was, or start over with --overwrite"
                ) from None
            shutil.rmtree(own)  # of an attempt that never began to learn
            make()

    workers.led(make_or_again)  # nobody looks at the shards before they are made
    return Shards(folder, tokenizer)
