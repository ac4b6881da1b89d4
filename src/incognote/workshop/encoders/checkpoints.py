"""Load and save Hugging Face folders: config.json and model.safetensors.

The published ELMo is read too: options.json and weights.hdf5, in TensorFlow's layout.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from incognote.base.errors import CheckpointError, ConfigError, EncoderError
from incognote.base.files import write_whole
from incognote.workshop.encoders.config import is_whole
from incognote.workshop.encoders.elmo import ElmoConfig
from incognote.workshop.encoders.families import FAMILIES, family_of
from incognote.workshop.encoders.family import Family
from incognote.workshop.encoders.model import Model, initialize
from incognote.workshop.encoders.naming import (
    has_pooler,
    heads_in,
    listed,
    normal,
    of_unknown_heads,
    orphans,
    pairs,
    state_from,
)
from incognote.workshop.encoders.tensor_files import (
    SAFETENSORS,
    not_finite,
    read_json,
    read_tensors,
    refuse_tensorflow,
    write_tensors,
)

CONFIG = "config.json"
LABELLED = ("tokens", "sequence")
MOST_LABELS = 100_000
Array = npt.NDArray[np.float32]
OPTIONS, WEIGHTS = "*options.json", "*weights.hdf5"


def load(
    source: str | Path,
    *,
    heads: Sequence[str] | None = None,
    new: Sequence[str] = (),
    labels: Sequence[str] | int | None = None,
    hub: bool = False,
    dtype: torch.dtype = torch.float32,
    strict: bool = True,
) -> Model:
    """The model in a folder, ready to evaluate.

    heads: which of its heads to load; None, all it has. `heads=()` is the encoder alone, of a checkpoint
    whose heads are unknown here too: `left_out` of the model names these. strict: refuse unknown heads
    where no heads are named; else they are left out.
    new: heads to begin afresh beside them, with `labels` (names, or how many).
    hub: fetch `source` by name from the Hugging Face hub if it is no folder.

        load("albert-base-v2/", heads=(), new=["tokens"], labels=["O", "B-NAME", "I-NAME"])
    """
    folder = Path(source)
    if not folder.is_dir():
        folder = _fetched(str(source), hub=hub)
    try:
        return _load(folder, heads, tuple(new), labels, dtype, strict=strict)
    except (CheckpointError, ConfigError) as error:
        has_folder = str(error).startswith(str(folder))
        raise type(error)(str(error) if has_folder else f"{folder}: {error}") from None


def _load(
    folder: Path,
    heads: Sequence[str] | None,
    new: tuple[str, ...],
    labels: Sequence[str] | int | None,
    dtype: torch.dtype,
    *,
    strict: bool,
) -> Model:
    refuse_tensorflow(folder)
    original = is_original(folder)
    settings, read = read_original(folder) if original else (read_json(folder / CONFIG), None)
    family = _family(settings)
    config, names = _described(family, settings)
    family = family_of(config)
    tensors = normal(read_tensors(folder) if read is None else read, family)
    unknown = of_unknown_heads(
        family, [name for name in tensors if name not in family.constants(config)]
    )
    if unknown and heads is None and strict:
        raise CheckpointError(
            f"{listed(unknown)}: of no head that is known here; to take the encoder without them, "
            "load it with heads=()"
        )
    tensors = {name: tensor for name, tensor in tensors.items() if name not in set(unknown)}
    there = heads_in(family, _architectures(settings), tensors)
    head_names = there if heads is None else tuple(heads)
    stray = orphans(family, there, tensors)
    if heads is None and stray and strict:
        raise CheckpointError(
            f"{listed(stray)}: of no head that is whole here and that {CONFIG} names; "
            "to leave them out, say which heads to load"
        )
    absent = [head for head in head_names if head not in there]
    if absent:
        raise CheckpointError(
            f"there is no head {absent[0]!r} here (but {', '.join(there) or 'none'}); "
            "to begin one afresh, name it in `new`"
        )
    pooler = has_pooler(family, tensors)
    # A pooler that no head reads is kept where the checkpoint is taken as it is, or bare.
    idle = pooler and (not (head_names or new) or (heads is None and not new))
    with torch.device("meta"):
        label_names = names if labels is None else labels
        model = Model(config, heads=(*head_names, *new), labels=label_names, pooler=idle)
    for head in new:
        model.heads[head] = family.heads[head](config, len(model.labels))
        initialize(model.heads[head], config.initializer_range)
        _carry(family, head, model.heads[head], tensors)
    if not pooler and not any(model.heads[head].needs_pooler for head in head_names):
        _begin_pooler(model)
    tensors_by_name = state_from(tensors, model, family, config, head_names)
    state = {name: tensor.to(dtype) for name, tensor in tensors_by_name.items()}
    if wrong := not_finite(state):
        raise CheckpointError(f"has numbers that are not finite as {dtype} in {listed(wrong)}")
    model.load_state_dict(state, strict=False, assign=True)
    model.left_out = tuple(dict.fromkeys(name.rpartition(".")[0] or name for name in unknown))
    return model.to(dtype).eval()


def read_config(folder: str | Path) -> Any:
    """The sizes that a folder says, without its weights."""
    folder = Path(folder)
    refuse_tensorflow(folder)
    settings = original_settings(folder) if is_original(folder) else read_json(folder / CONFIG)
    try:
        return _described(_family(settings), settings)[0]
    except (CheckpointError, ConfigError) as error:
        raise type(error)(f"{folder}: {error}") from None


def save(model: Model, folder: str | Path, *, problem_type: str | None = None) -> None:
    """Write config.json and model.safetensors, as `transformers` reads them; tied tensors once.

    A module that serves several layers by a sharing only we know is written for each of them.
    problem_type: what a classifier of sequences has learned, in the words of `transformers`.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    family, config, heads = model.family, model.config, tuple(model.heads)
    settings: dict[str, Any] = {
        "architectures": [family.architecture(heads)],
        "model_type": family.name,
        **config.to_huggingface(),
    }
    if any(head in LABELLED for head in heads):
        settings["id2label"] = {str(number): name for number, name in enumerate(model.labels)}
        settings["label2id"] = {name: number for number, name in enumerate(model.labels)}
    if problem_type is not None:
        settings["problem_type"] = problem_type
    state = model.state_dict()
    tensors = {theirs: state[ours] for ours, theirs in pairs(model, family, config, heads)}
    dtype = next(iter(tensors.values())).dtype
    tensors |= {name: value.to(dtype) for name, value in family.constants(config).items()}
    if not heads:
        tensors = {name.removeprefix(family.prefix): value for name, value in tensors.items()}
    write_tensors(tensors, folder / SAFETENSORS)
    text = json.dumps(settings, indent=2, sort_keys=True)
    write_whole(folder / CONFIG, f"{text}\n".encode())


def _family(settings: Mapping[str, Any]) -> Family:
    """That which config.json names."""
    family = FAMILIES.get(str(settings.get("model_type")))
    if family is None:
        raise CheckpointError(
            f"the model_type of {CONFIG} is {settings.get('model_type')!r}, "
            f"not one of {', '.join(FAMILIES)}"
        )
    return family


def _described(family: Family, settings: Mapping[str, Any]) -> tuple[Any, Sequence[str] | int]:
    """The sizes that config.json says, and the labels or how many there are."""
    try:
        return family.config.from_huggingface(settings), _labels(settings)
    except EncoderError:
        raise
    except (TypeError, AttributeError, KeyError, ValueError, ArithmeticError):
        raise ConfigError(f"{CONFIG} has a value of the wrong kind; the file is damaged") from None


def _architectures(settings: Mapping[str, Any]) -> list[str]:
    names = settings.get("architectures")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _labels(settings: Mapping[str, Any]) -> Sequence[str] | int:
    names = settings.get("id2label")
    if not isinstance(names, dict):
        count = settings.get("num_labels", 2)
        if not is_whole(count, least=1) or count > MOST_LABELS:
            raise ConfigError(f"{CONFIG}: num_labels must be a whole number up to {MOST_LABELS:,}")
        return int(count)
    labels = [names[number] for number in sorted(names, key=int)]
    if not all(isinstance(label, str) for label in labels):
        raise ConfigError(f"{CONFIG}: id2label must have a name for each number")
    return labels


def _carry(family: Family, head: str, module: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    """Begin a new head with what the family's heads share, where the checkpoint has it."""
    parameters = dict(module.named_parameters())
    for ours, theirs in family.head_names[head]:
        part = ours.removeprefix(f"heads.{head}.")
        for name in parameters if part.startswith(family.carried) else ():
            there = tensors.get(theirs + name.removeprefix(part)) if name.startswith(part) else None
            if there is not None and there.shape == parameters[name].shape:
                parameters[name].data.copy_(there)


def _begin_pooler(model: Model) -> None:
    pooler = getattr(model.encoder, "pooler", None)
    if isinstance(pooler, nn.Linear):
        model.encoder.pooler = nn.Linear(pooler.in_features, pooler.out_features)
        initialize(model.encoder.pooler, model.config.initializer_range)


def _fetched(name: str, *, hub: bool) -> Path:
    if not hub:
        raise CheckpointError(f"{name}: no such folder; give the folder of a checkpoint")
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise CheckpointError(f"{name}: fetching it needs huggingface_hub installed") from None
    patterns = ["*.json", "*.safetensors", "*.txt", "*.model", "pytorch_model*.bin"]
    try:
        return Path(snapshot_download(name, allow_patterns=patterns))
    except Exception as error:  # the hub's errors share no parent
        raise CheckpointError(f"{name}: not fetched ({type(error).__name__})") from None


def is_original(folder: Path) -> bool:
    """Whether a folder holds ELMo as its authors published it."""
    return any(folder.glob(OPTIONS)) and any(folder.glob(WEIGHTS))


def original_settings(folder: Path) -> dict[str, Any]:
    """What config.json would say of it."""
    return {"model_type": "elmo", **read_json(_only(folder, OPTIONS))}


def read_original(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """What config.json would say, and the tensors under the names of our own files.

    The mix is not in them: a task learns it, from equal shares of all layers.
    """
    settings = original_settings(folder)
    config = ElmoConfig.from_huggingface(settings)
    path = _only(folder, WEIGHTS)
    arrays = _read(path)
    tensors = {
        "elmo.mix.weights": torch.zeros(config.layers + 1),
        "elmo.mix.scale": torch.ones(()),
    }
    rows = list(_rows(config))
    absent = sorted({theirs for theirs, _, _ in rows} - arrays.keys())
    unknown = sorted(arrays.keys() - {theirs for theirs, _, _ in rows})
    if absent or unknown:
        parts = [f"lacks {listed(absent)}"] if absent else []
        parts += [f"has {listed(unknown)}, which the options do not mention"] if unknown else []
        raise CheckpointError(f"{path}: {' and '.join(parts)}")
    for theirs, ours, ordered in rows:
        array = np.array(ordered(arrays[theirs]), dtype=np.float32, order="C")
        tensors[f"elmo.{ours}"] = torch.from_numpy(array)
    return settings, tensors


def _rows(config: ElmoConfig) -> Iterator[tuple[str, str, Callable[[Array], Array]]]:
    """Their name, ours, and the values in our order; matrices there are [input, output]."""
    yield "char_embed", "words.characters.weight", lambda a: np.pad(a, ((1, 0), (0, 0)))
    for number in range(len(config.filters)):
        ours = f"words.convolutions.{number}"
        # [1, width, characters, filters] to [filters, characters, width]
        yield f"CNN/W_cnn_{number}", f"{ours}.weight", lambda a: a[0].transpose(2, 1, 0)
        yield f"CNN/b_cnn_{number}", f"{ours}.bias", _as_is
    for number in range(config.highways):
        for theirs, ours in (("carry", "gate"), ("transform", "transform")):
            place = f"words.highways.{number}.{ours}"
            yield f"CNN_high_{number}/W_{theirs}", f"{place}.weight", np.transpose
            yield f"CNN_high_{number}/b_{theirs}", f"{place}.bias", _as_is
    yield "CNN_proj/W_proj", "words.projection.weight", np.transpose
    yield "CNN_proj/b_proj", "words.projection.bias", _as_is
    size = config.projection_size
    for direction, layers in enumerate(("forward_layers", "backward_layers")):
        for number in range(config.layers):
            theirs = f"RNN_{direction}/RNN/MultiRNNCell/Cell{number}/LSTMCell"
            ours = f"{layers}.{number}"
            yield f"{theirs}/W_0", f"{ours}.input.weight", lambda a: a[:size].T
            yield f"{theirs}/W_0", f"{ours}.recurrent.weight", lambda a: a[size:].T
            yield f"{theirs}/B", f"{ours}.input.bias", _as_is
            yield f"{theirs}/W_P_0", f"{ours}.projection.weight", np.transpose


def _as_is(array: Array) -> Array:
    return array


def _only(folder: Path, pattern: str) -> Path:
    paths = sorted(folder.glob(pattern))
    if len(paths) != 1:
        raise CheckpointError(f"{folder}: has {len(paths)} files {pattern}, not one")
    return paths[0]


def _read(path: Path) -> dict[str, Array]:
    try:
        import h5py
    except ImportError:
        raise CheckpointError(f"{path}: reading it needs h5py installed") from None
    arrays: dict[str, Array] = {}

    def keep(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            if item.external or item.is_virtual:
                raise CheckpointError(f"{path}: {name} lies in another file, which is not opened")
            arrays[name] = item[...]

    try:
        with h5py.File(path, "r") as file:
            file.visititems(keep)
    except OSError:
        raise CheckpointError(
            f"{path}: the file is damaged or cut short; fetch or copy it again"
        ) from None
    return arrays
