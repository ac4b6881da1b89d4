"""Which note of a vault an output is, where several have become the same text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from incognote.replace.vault.errors import VaultError
from incognote.replace.vault.note import Kept, Place, handles
from incognote.replace.vault.vault import Vault

MOST_ALIKE = 1000


class UnknownNoteError(VaultError):
    """An output that the vault has no note for, or several and nothing to choose by."""

    status = 1


@dataclass(frozen=True)
class Found:
    """A note, and whether its file is certain too: notes can be alike in all but that."""

    kept: Kept
    named: bool


def find(
    vault: Vault, written: str, place: Place, around: str = "", *, ordered: bool = False
) -> Found:
    """The note whose output has this hash, stands here, and has these bytes around it.

    Where several notes fit they are told apart by what is still as it was: the file's name, its
    order if it is a whole table (`ordered`), the id, the bytes of the row. Nothing is guessed.
    """
    for handle in handles(written, place):
        alike = list(islice(vault.alike(handle), MOST_ALIKE + 1))
        if any(kept.written != written for kept in alike):
            raise VaultError(f"{vault.path}: the vault was changed or is damaged")
        if not handle.startswith(b'["text"'):
            alike = [kept for kept in alike if _may_be(kept.place.id, place.id)]
        if alike:
            if ordered:
                alike = _some(alike, lambda kept: kept.place.chain == place.chain)
            return _chosen(alike, place, around)
    raise UnknownNoteError("changed since, or never put into this vault")


def _may_be(one: str | None, other: str | None) -> bool:
    return one is None or other is None or one == other


def _some(alike: list[Kept], fits: Callable[[Kept], bool]) -> list[Kept]:
    """Those that fit, if any does."""
    return [kept for kept in alike if fits(kept)] or alike


def _chosen(alike: list[Kept], place: Place, around: str) -> Found:
    if place.id is not None:
        alike = _some(alike, lambda kept: kept.place.id == place.id)
    alike = _some(alike, lambda kept: kept.place.output == place.output)
    if around:
        alike = _some(alike, lambda kept: kept.around == around)
    if _differ(alike) or len(alike) > MOST_ALIKE:
        raise UnknownNoteError(
            "several notes have become this text, and neither name, place nor id tells which it is"
        )
    kept, *others = alike
    if any(other.deltas != kept.deltas for other in others):
        kept = replace(kept, deltas=())
    return Found(kept, named=all(other.place.input == kept.place.input for other in others))


def _differ(alike: Sequence[Kept]) -> bool:
    return any(kept.changes != alike[0].changes for kept in alike[1:])
