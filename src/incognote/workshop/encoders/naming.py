"""A checkpoint's tensors under our names, every one accounted for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from incognote.base.errors import CheckpointError
from incognote.workshop.encoders.family import Family

# Buffers that older versions of others wrote, and the endings that still older ones used.
SILENT = (".position_ids", ".token_type_ids")
OLD_ENDINGS = {".gamma": ".weight", ".beta": ".bias"}
LISTED = 6


def pairs(
    model: nn.Module, family: Family, config: Any, heads: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Our name and theirs for every parameter of the encoder and these heads.

    One of ours has several of theirs where a module serves layers that they keep apart.
    """
    parameters = model.state_dict().keys()
    for ours, theirs in family.names(config, heads):
        for name in parameters:
            if name == ours or name.startswith(f"{ours}."):
                yield name, theirs + name.removeprefix(ours)


def normal(tensors: Mapping[str, Tensor], family: Family) -> dict[str, Tensor]:
    """The tensors under the names of today and with the encoder's prefix, silent buffers left out."""
    bodies = (*(theirs.split("{")[0] for _, theirs in family.body), *family.unread)
    bare = not any(name.startswith(family.prefix) for name in tensors)
    renamed = {}
    for name, tensor in tensors.items():
        for old, today in OLD_ENDINGS.items():
            if name.endswith(old):
                name = name.removesuffix(old) + today
        for other, ours in family.renames.items():
            if _under(name, (other,)):
                name = ours + name.removeprefix(other)
        if bare and (family.prefix + name).startswith(bodies):
            name = family.prefix + name
        if not f".{name}".endswith(SILENT):
            renamed[name] = tensor
    return renamed


def heads_in(
    family: Family, architectures: Collection[str], names: Collection[str]
) -> tuple[str, ...]:
    """The heads a checkpoint has: those its architecture means, and those whose names tell."""
    declared = next(
        (family.architectures[name] for name in architectures if name in family.architectures), ()
    )
    rows = {head: {theirs for _, theirs in rows} for head, rows in family.head_names.items()}
    present = []
    for head, own in rows.items():
        others = set().union(*(theirs for name, theirs in rows.items() if name != head))
        is_whole = own.isdisjoint(others) and all(_has(names, row) for row in own)
        if head in declared or is_whole:
            present.append(head)
    return tuple(present)


def orphans(family: Family, heads: Sequence[str], names: Collection[str]) -> list[str]:
    """Tensors of heads, but of none of these."""
    others = tuple(_of_heads(family, family.head_names.keys() - set(heads)))
    own = tuple(_of_heads(family, heads))
    return [name for name in names if _under(name, others) and not _under(name, own)]


def of_unknown_heads(family: Family, names: Collection[str]) -> list[str]:
    """Tensors beside the body that are of no head known here; none where there is no such body."""
    if not any(name.startswith(family.prefix) for name in names):
        return []
    known = tuple(_of_heads(family, family.head_names))
    parts = {theirs.removeprefix(family.prefix).split(".")[0] for _, theirs in family.body}
    return [
        name
        for name in names
        if not name.startswith(family.prefix)
        and name.split(".")[0] not in parts
        and not _under(name, known)
    ]


def has_pooler(family: Family, names: Collection[str]) -> bool:
    """Whether a checkpoint has the layer on the first token."""
    return any(_has(names, theirs) for ours, theirs in family.body if ours == "encoder.pooler")


def state_from(
    tensors: Mapping[str, Tensor],
    model: nn.Module,
    family: Family,
    config: Any,
    heads: Sequence[str],
) -> dict[str, Tensor]:
    """Our state for what of the model has no memory yet; every tensor must be accounted for."""
    initialized = {name for name, parameter in model.named_parameters() if not parameter.is_meta}
    rows = [row for row in pairs(model, family, config, heads) if row[0] not in initialized]
    tensors = _with_aliases(tensors, dict(rows), family, heads)
    missing = [theirs for _, theirs in rows if theirs not in tensors]
    constants = family.constants(config)
    known = {theirs for _, theirs in rows} | constants.keys()
    unused = tuple(_set_aside(family, heads))
    unknown = [name for name in tensors if name not in known and not _under(name, unused)]
    if missing or unknown:
        raise CheckpointError(_unaccounted(missing, unknown))
    shapes = {name: parameter.shape for name, parameter in model.state_dict().items()}
    state: dict[str, Tensor] = {}
    for ours, theirs in rows:
        tensor = tensors[theirs]
        if tensor.shape != shapes[ours]:
            raise CheckpointError(
                f"{theirs} has the shape {list(tensor.shape)} where the configuration "
                f"says {list(shapes[ours])}"
            )
        _same(theirs, tensor, state.setdefault(ours, tensor))
    for theirs, constant in constants.items():
        if theirs in tensors:
            _same(theirs, tensors[theirs], constant.to(tensors[theirs].dtype))
    return state


def _with_aliases(
    tensors: Mapping[str, Tensor],
    theirs_of: Mapping[str, str],
    family: Family,
    heads: Sequence[str],
) -> dict[str, Tensor]:
    """Without the repetitions of tied tensors, each checked or put in its place."""
    tensors = dict(tensors)
    for ours, alias in (row for head in heads for row in family.aliases.get(head, ())):
        if alias in tensors:
            repeated = tensors.pop(alias)
            _same(alias, repeated, tensors.setdefault(theirs_of[ours], repeated))
    return tensors


def _set_aside(family: Family, heads: Sequence[str]) -> Iterator[str]:
    """Names that may be in the file unused: other heads, their aliases, and the pooler."""
    yield from (theirs for ours, theirs in family.body if ours == "encoder.pooler")
    yield from family.unread
    yield from _of_heads(family, family.head_names.keys() - set(heads))


def _of_heads(family: Family, heads: Iterable[str]) -> Iterator[str]:
    for head in heads:
        rows = (*family.head_names[head], *family.aliases.get(head, ()))
        yield from (theirs for _, theirs in rows)


def _same(name: str, tensor: Tensor, other: Tensor) -> None:
    if tensor is not other and not (tensor.shape == other.shape and torch.equal(tensor, other)):
        raise CheckpointError(
            f"{name} differs from the tensor it should repeat: the file unties what is tied here"
        )


def _has(names: Collection[str], row: str) -> bool:
    return row in names or f"{row}.weight" in names


def _under(name: str, rows: tuple[str, ...]) -> bool:
    return any(name == row or name.startswith(f"{row}.") for row in rows)


def _unaccounted(missing: list[str], unknown: list[str]) -> str:
    parts = [f"{len(missing)} tensors are missing: {listed(missing)}"] if missing else []
    parts += [f"{len(unknown)} tensors are unknown: {listed(unknown)}"] if unknown else []
    return "; ".join(parts)


def listed(names: list[str]) -> str:
    """Names in a sentence, the rest counted."""
    rest = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {rest} more" if rest > 0 else "")
