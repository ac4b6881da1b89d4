"""The folder of a run: its state while it goes on, and what it leaves beside the weights.

While a run goes on its state lies in `.training`, each file whole or not at all. `run.safetensors` has
the weights, the optimizer's moments and the progress of one moment in one file, so they cannot disagree;
`best.safetensors` the weights of the best moment. Both are of no use when the run is over, and go.
`training.json` is written last, so a folder that has it is whole.
"""

from __future__ import annotations

import json
import platform
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from incognote.align.word_tokenizer import WORDS, AnyTokenizer, WordTokenizer
from incognote.base.errors import TrainError
from incognote.base.files import JsonError, naming_file, parse_json, write_whole
from incognote.base.lock import is_lock
from incognote.workshop.encoders.tensor_files import read_json, write_safetensors
from incognote.workshop.tokenization.folder import SETTINGS
from incognote.workshop.tokenization.tokenizer import write_tokenizer_json
from incognote.workshop.training.run_options import RunOptions

TRAINING = "training.json"
TEST, LAST = "test.json", "last"
"""Figures of a test part, and the last epoch's checkpoint beside the best one's."""

STATE = ".training"
BEGINS_ANEW = "no unfinished run is here: starting from the beginning"
OTHER_NETWORK = "with another encoder, or with other layers or sizes of it"
_WEIGHT = "weight"


@dataclass(frozen=True)
class FinishedRun:
    """The folder that a run has left, and what training.json there says."""

    folder: Path
    training: Mapping[str, Any]


class SavedState:
    """The state of a run in the folder where its result will be."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / STATE
        self.run = self.folder / "run.safetensors"
        self.best = self.folder / "best.safetensors"

    @property
    def exists(self) -> bool:
        """Whether there is something to go on from."""
        return self.run.is_file()

    def save_run(
        self,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        progress: str,
        chosen: RunOptions,
        data: str,
        processes: int,
        **more: str,
    ) -> None:
        """Where a run is, and what it belongs to: all that was chosen, and a fingerprint of its data."""
        metadata = {
            "progress": progress,
            _name(chosen): json.dumps(chosen.to_json()),
            "network": _network(module),
            "data": data,
            "processes": str(processes),
        }
        tensors = _weights(module)
        for name, parameter in module.named_parameters():
            for moment, value in optimizer.state[parameter].items():
                tensors[f"{moment}/{name}"] = value
        self._write(self.run, tensors, metadata | more)

    def restore_run(
        self,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        chosen: RunOptions,
        data: str,
        processes: int,
        *,
        others: str,
    ) -> dict[str, str]:
        """Put the weights and the moments back; returns what `save_run` wrote beside them.

        A run with other choices, another network, other data (`others` says of what) or another
        number of processes, for each draws its own dropout, is refused.
        """
        metadata = self._metadata()
        try:
            before, again = (
                chosen.from_json(parse_json(text))
                for text in (metadata[_name(chosen)], json.dumps(chosen.to_json()))
            )
        except (KeyError, TypeError, JsonError):
            raise _damaged(self.run) from None
        changed = again.differences(before)
        reasons = [f"with another {', '.join(changed)}"] if changed else []
        if metadata.get("network", _network(module)) != _network(module):
            reasons.append(OTHER_NETWORK)
        if metadata["data"] != data:
            reasons.append(others)
        if metadata.get("processes", str(processes)) != str(processes):
            reasons.append(f"by {metadata['processes']} processes, not {processes}")
        if reasons:
            raise TrainError(
                f"{self.folder.parent}: this run was started {' and '.join(reasons)}; "
                "continue it as it was, or start over with --overwrite"
            )
        self._restore(module, optimizer)
        return metadata

    def save_best(self, module: nn.Module) -> None:
        """Keep the weights of now as the best."""
        self._write(self.best, _weights(module), {})

    def restore_best(self, module: nn.Module) -> None:
        """Put the weights of the best moment back."""
        _load_weights(module, _read(self.best))

    def remove(self) -> None:
        """Remove the state, when the run is over or begins anew."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _metadata(self) -> dict[str, str]:
        """What the run knew of itself when it was saved."""
        try:
            with safe_open(self.run, "pt") as file:
                return dict(file.metadata() or {})
        except (SafetensorError, OSError):
            raise _damaged(self.run) from None

    def _restore(self, module: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        tensors = _read(self.run)
        _load_weights(module, tensors)
        parameters = dict(module.named_parameters())
        for key, value in tensors.items():
            moment, _, name = key.partition("/")
            if moment != _WEIGHT:
                parameter = parameters[name]
                optimizer.state[parameter][moment] = value.to(parameter.device)

    def _write(
        self, path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]
    ) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            write_safetensors(tensors, path, metadata, durable=True)
        except SafetensorError as error:
            raise TrainError(
                f"{path}: the state was not written ({str(error).strip()}); make room, then go on "
                "with --resume"
            ) from None


def finished(folder: Path) -> bool:
    """Whether a run has left its result here."""
    return (folder / TRAINING).is_file()


def prepare_folder(folder: Path, *, resume: bool, overwrite: bool) -> None:
    """Refuse a folder that holds something else, and make room for a run's state; results stay."""
    check_folder(folder, resume=resume, overwrite=overwrite)
    saved = SavedState(folder)
    if overwrite and not resume:
        saved.remove()
    saved.folder.mkdir(parents=True, exist_ok=True)


def check_folder(folder: Path, *, resume: bool, overwrite: bool) -> None:
    """Refuse a folder that holds something else, before any work is done."""
    saved = SavedState(folder)
    if overwrite and not resume:
        return
    others = folder.is_dir() and any(
        path.name != STATE and not is_lock(path) for path in folder.iterdir()
    )
    if saved.exists and not resume:
        raise TrainError(f"{folder}: holds an unfinished run; continue it with --resume")
    if others and not resume:
        raise TrainError(f"{folder}: is not empty; choose another, or say --overwrite")
    if others and not saved.folder.is_dir():
        raise TrainError(
            f"{folder}: holds other files, and no run to continue; choose another folder, or begin "
            "anew with --overwrite and without --resume"
        )


def drop_results(folder: Path) -> None:
    """Remove what an earlier run left, when a new one begins to learn and can no longer be refused."""
    for name in (TRAINING, TEST):
        (folder / name).unlink(missing_ok=True)
    shutil.rmtree(folder / LAST, ignore_errors=True)


def write_tokenizer(
    folder: Path,
    tokenizer: AnyTokenizer,
    longest: int,
    *,
    segmented: bool = False,
    pads_left: bool = False,
) -> None:
    """Write tokenizer.json, and what `transformers` needs to load it by itself; or words.json.

    segmented: whether the model takes segments; pads_left: on which side its family pads.
    """
    if isinstance(tokenizer, WordTokenizer):
        write_whole(folder / WORDS, f"{tokenizer.to_str()}\n".encode())
        return
    (folder / WORDS).unlink(missing_ok=True)
    write_tokenizer_json(tokenizer, folder)
    settings: dict[str, Any] = {"tokenizer_class": "PreTrainedTokenizerFast"}
    if longest < 2**31:
        settings["model_max_length"] = longest
    for role, spellings in {
        "pad_token": ("[PAD]", "<pad>"),
        "unk_token": ("[UNK]", "<unk>"),
        "cls_token": ("[CLS]", "<s>", "<cls>"),
        "sep_token": ("[SEP]", "</s>", "<sep>"),
        "mask_token": ("[MASK]", "<mask>"),
    }.items():
        known = [token for token in spellings if tokenizer.token_to_id(token) is not None]
        if known:
            settings[role] = known[0]
    segments = ["token_type_ids"] if segmented else []
    # Without this a pair's two texts would be of one segment.
    settings["model_input_names"] = ["input_ids", *segments, "attention_mask"]
    if pads_left:
        settings["padding_side"] = "left"
    with naming_file(folder / SETTINGS) as path:
        path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def write_training(folder: Path, training: Mapping[str, Any]) -> None:
    """Write how the folder was made; done last, so a folder that has it is whole."""
    text = json.dumps({**training, "versions": _versions()}, indent=2, ensure_ascii=False)
    write_whole(folder / TRAINING, f"{text}\n".encode())


def read_training(folder: Path, schema: int) -> dict[str, Any]:
    """How the folder was made, as `write_training` wrote it."""
    path = folder / TRAINING
    training = read_json(path)
    if training.get("schema") != schema:
        raise TrainError(f"{path}: schema {training.get('schema')} is not {schema}")
    return training


def _versions() -> dict[str, str]:
    packages = ("incognote", "torch", "tokenizers", "numpy")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def _name(chosen: RunOptions) -> str:
    return type(chosen).__name__.lower()


def _network(module: nn.Module) -> str:
    """The configurations in it: layers that share their weights have the same, however many."""
    configs = (getattr(part, "config", None) for part in module.modules())
    return "; ".join(dict.fromkeys(repr(config) for config in configs if config is not None))


def _weights(module: nn.Module) -> dict[str, Tensor]:
    return {f"{_WEIGHT}/{name}": value for name, value in module.state_dict().items()}


def _load_weights(module: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    prefix = f"{_WEIGHT}/"
    weights = {
        name.removeprefix(prefix): value
        for name, value in tensors.items()
        if name.startswith(prefix)
    }
    try:
        module.load_state_dict(weights)
    except RuntimeError:  # names or sizes of weights
        raise TrainError(
            f"this run was started {OTHER_NETWORK}; continue it as it was, or start over with "
            "--overwrite"
        ) from None


def _read(path: Path) -> dict[str, Tensor]:
    try:
        with safe_open(path, "pt") as file:
            # Cloned: the file may be replaced while its pages are still mapped.
            return {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError):
        raise _damaged(path) from None


def _damaged(path: Path) -> TrainError:
    return TrainError(f"{path}: the saved state is damaged; start over with --overwrite")
