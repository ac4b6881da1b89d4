"""`incognote pretrain`: text tokenised into shards, and an encoder trained on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from incognote.base.errors import RunError
from incognote.base.options import Option, named_values
from incognote.corpus.output import check_apart
from incognote.workshop.fine_tuning import checked, leaders_lock
from incognote.workshop.pretraining_shards import TextOptions, fingerprint, shards_of

if TYPE_CHECKING:
    from incognote.workshop.pretrain.corpus.prepare import Step as TextStep
    from incognote.workshop.pretrain.loop import Watch
    from incognote.workshop.pretrain.presets import PretrainingPreset
    from incognote.workshop.pretrain.settings import Settings
    from incognote.workshop.tokenization.tokenizer import Tokenizer
    from incognote.workshop.training.run_folder import FinishedRun


_model = partial(Option, panel="Model")


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """What the run starts from; the sizes of the preset, unless there is a checkpoint to continue."""

    preset: Annotated[
        str | None,
        _model(
            "Sizes and hyper-parameters of a paper: albert-base, bert-base, roberta-base, "
            "electra-small, xlnet-base, elmo-small, or a larger one; the options below change them. "
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
            metavar="DIR",
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
    told = {
        "preset": beginning.preset,
        "sizes": dict(beginning.sizes),
        "files": [Path(path).name for path in texts],
    }
    tokenizer = _tokenizer(folder, beginning, preset)
    if resume and finished(output):
        with checked():
            name, data = source or preset.encoder, partial(fingerprint, texts, tokenizer, text)
            return finished_run(output, settings, name, told, data)
    with leaders_lock(output, "pretrain"), checked(), processes(device) as workers:
        workers.led(lambda: prepare_folder(output, resume=resume, overwrite=overwrite))
        shards = shards_of(texts, tokenizer, text, output, workers, tokenised)
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
            told=told,
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
    from incognote.workshop.encoders.families import family_of
    from incognote.workshop.encoders.presets import PRESETS
    from incognote.workshop.tokenization import load
    from incognote.workshop.tokenization.tokenizer import TEMPLATES

    if beginning.source is not None:
        family = _family(beginning.source)
    else:
        family = family_of(PRESETS[preset.encoder].config).name
    return load(folder, family=family if family in TEMPLATES else None)
