"""`incognote pretrain`: text tokenised into shards, and an encoder trained on them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from incognote.workflows.run.inputs import RunError
from incognote.workflows.train import checked

if TYPE_CHECKING:
    from incognote.pretrain.corpus.prepare import Step as TextStep
    from incognote.pretrain.corpus.shards import Shards
    from incognote.pretrain.loop import Watch
    from incognote.pretrain.presets import PretrainingPreset
    from incognote.pretrain.settings import Settings
    from incognote.pretrain.train import Pretrained
    from incognote.tokenization.tokenizer import Tokenizer
    from incognote.training.processes import Processes

SHARDS = "shards"
# What a checkpoint is pretrained further with, where no preset is named.
BY_FAMILY = {
    "bert": "bert-base",
    "roberta": "roberta-base",
    "albert": "albert-base",
    "electra": "electra-small",
    "xlnet": "xlnet-base",
    "elmo": "elmo-small",
}


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """What the run starts from.

    preset: its hyper-parameters, and its sizes unless there is a checkpoint. source: a folder to
    continue from. tokenizer: a folder; the source's own if None. sizes: changes of the preset's.
    """

    preset: str | None = None
    source: str | None = None
    tokenizer: Path | None = None
    sizes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """How text becomes shards.

    shards: where to keep them; None, with the run, until it is over. held_out: the share of
    documents to evaluate on. fields, documents: as `corpus.reading.Reading` has them.
    workers: processes that tokenise; None, as many as there are processors, four at most (a gigabyte).
    """

    shards: Path | None = None
    held_out: float = 0.01
    fields: tuple[str, ...] = ("text",)
    documents: Literal["file", "blank-lines"] = "file"
    workers: int | None = None


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
        stay = _alike(values.get("objective", preset.settings.objective), preset.settings.objective)
        for name in ("objective_options", "example_options"):
            own = getattr(preset.settings, name) if stay else {}
            values[name] = _joined(own, values.get(name, {}))
        return replace(preset.settings, **values)


def _alike(objective: str, other: str) -> bool:
    from incognote.pretrain.objectives import objective_options

    return objective_options(objective).keys() == objective_options(other).keys()


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
) -> Pretrained:
    """Pretrain on text files, or on one folder of shards; `tokenised` is told how these get on."""
    import torch

    from incognote.pretrain.start import from_checkpoint, from_preset
    from incognote.pretrain.train import Pretrained, pretrain, read_training
    from incognote.training.processes import processes
    from incognote.training.saved_state import finished, prepare_folder
    from incognote.training.sources import checkpoint_folder

    if threads is not None:
        torch.set_num_threads(threads)
    if resume and finished(output):
        return Pretrained(output, read_training(output))
    source = beginning.source
    folder = beginning.tokenizer or (checkpoint_folder(source) if source else None)
    if folder is None:
        raise RunError("name the tokenizer's folder with --tokenizer (see `incognote tokenizer`)")
    preset = _preset(beginning)
    tokenizer = _tokenizer(folder, beginning, preset)
    with checked(), processes(device) as workers:
        if workers.leads:
            prepare_folder(output, resume=resume, overwrite=overwrite)
        shards = _shards(texts, tokenizer, text or TextOptions(), output, workers, tokenised)
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
            told={"preset": beginning.preset, "files": [Path(path).name for path in texts]},
            resume=resume,
            watch=watch,
            say=say if workers.leads else lambda line: None,
        )


def _preset(beginning: Beginning) -> PretrainingPreset:
    from incognote.pretrain.presets import pretraining_preset

    with checked():
        if beginning.preset is not None:
            return pretraining_preset(beginning.preset)
        if beginning.source is None:
            raise RunError("name a preset with --preset, or a checkpoint with --from")
        return pretraining_preset(BY_FAMILY[_family(beginning.source)])


def _family(source: str) -> str:
    from incognote.encoders.tensor_files import read_json
    from incognote.training.sources import checkpoint_folder

    folder = checkpoint_folder(source)
    if folder is None:
        raise RunError(f"{source}: no such folder to begin from")
    family = str(read_json(folder / "config.json").get("model_type"))
    if family not in BY_FAMILY:
        raise RunError(f"{folder}: is a {family}, not one of {', '.join(BY_FAMILY)}")
    return family


def _tokenizer(folder: Path, beginning: Beginning, preset: PretrainingPreset) -> Tokenizer:
    """The tokenizer, with the special tokens of the family that is trained."""
    from incognote.encoders.families import family_of
    from incognote.encoders.presets import PRESETS
    from incognote.tokenization import load
    from incognote.tokenization.templates import TEMPLATES

    if beginning.source is not None:
        family = _family(beginning.source)
    else:
        family = family_of(PRESETS[preset.encoder].config).name
    return load(folder, family=family if family in TEMPLATES else None)


def _shards(
    texts: Sequence[str | Path],
    tokenizer: Tokenizer,
    options: TextOptions,
    output: Path,
    workers: Processes,
    tokenised: Callable[[TextStep], None],
) -> Shards:
    """Shards of the text, made by the process that leads, or those that the text is already."""
    from incognote.pretrain.corpus.manifest import MANIFEST
    from incognote.pretrain.corpus.prepare import Settings, prepare
    from incognote.pretrain.corpus.reading import Reading
    from incognote.pretrain.corpus.shards import Shards
    from incognote.training.saved_state import STATE

    if len(texts) == 1 and (Path(texts[0]) / MANIFEST).is_file():
        return Shards(texts[0], tokenizer)
    folder = options.shards or output / STATE / SHARDS
    if workers.leads:
        reading = Reading(options.fields, options.documents)
        prepare(
            texts,
            tokenizer,
            folder,
            Settings(reading, held_out=options.held_out),
            workers=options.workers or min(4, os.cpu_count() or 1),
            watch=tokenised,
        )
    workers.total(0.0)  # nobody looks at the shards before they are made
    return Shards(folder, tokenizer)
