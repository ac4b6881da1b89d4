"""Windows over a long note: as many tokens as the model takes, and every token in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from incognote.align.tokens import Flags, Integers, TokenOffsets, spaces, within
from incognote.base.errors import AlignError


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows over `count` tokens. Window w reads tokens `starts[w]` to `ends[w] - 1`.

    Its predictions are used for tokens `owned[w]` to `owned[w + 1] - 1`: those that have most
    context in it. Context is the distance to the nearer edge of the window, where the note's own
    beginning and end are no edges; on a tie the earlier window has the token. Each token is owned
    once.
    """

    count: int
    starts: Integers
    ends: Integers
    owned: Integers

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def owner(self) -> Integers:
        """For each token, the window whose prediction counts."""
        return np.repeat(np.arange(len(self)), np.diff(self.owned))

    def stitch(self, predictions: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """One prediction for each token from those of each window (its tokens first in shape)."""
        sizes = (self.ends - self.starts).tolist()
        if [len(window) for window in predictions] != sizes:
            raise AlignError("each window needs one prediction for each of its tokens")
        if not predictions:
            raise AlignError("a note without tokens has no predictions")
        first, last = self.owned[:-1] - self.starts, self.owned[1:] - self.starts
        return np.concatenate(
            [window[a:b] for window, a, b in zip(predictions, first, last, strict=True)]
        )


def windows(count: int, size: int, overlap: int) -> Windows:
    """As few windows of at most `size` tokens as cover `count` tokens, and each as short as can be.

    Neighbours share `overlap` tokens, give or take the rounding of an even spread, never fewer: no
    token is read again without need, and none is in a short tail with little context. A note
    without tokens has none.
    """
    if not 0 <= overlap < size:
        raise AlignError(f"windows of {size} tokens cannot overlap by {overlap}")
    steps = max(0, -(-(count - size) // (size - overlap)))
    length = -(-(count + steps * overlap) // (steps + 1))
    starts = np.arange(steps + 1)[: max(count, 0)] * (count - length) // max(steps, 1)
    ends = starts + length
    handover = (ends[:-1] - 1 + starts[1:]) // 2 + 1
    owned = np.concatenate(([0], handover, [count])) if count else np.zeros(1, np.int64)
    return Windows(count, starts, ends, owned)


@dataclass(frozen=True)
class Coverage:
    """How many of a note's non-space characters were in what a model was fed."""

    characters: int
    fed: int

    @property
    def whole(self) -> bool:
        """Whether nothing was left out."""
        return self.fed == self.characters


def coverage(text: str, offsets: TokenOffsets, over: Windows) -> Coverage:
    """Count the characters in the tokens of all windows, from the tokens' own offsets.

    A character that the tokenizer dropped counts with the token that has it; `Tokens.dropped`
    says how many those are.
    """
    fed: Flags = np.zeros(len(offsets), bool)
    for start, end in zip(over.starts, over.ends, strict=True):
        fed[start:end] = True
    if not fed.all():
        offsets = TokenOffsets(offsets.starts[fed], offsets.ends[fed])
    return _in_tokens(text, offsets)


def covers(text: str, offsets: TokenOffsets) -> bool:
    """Whether every non-space character is in a token."""
    return _in_tokens(text, offsets).whole


def _in_tokens(text: str, offsets: TokenOffsets) -> Coverage:
    reached = within(offsets, len(text))
    solid = ~spaces(text)
    return Coverage(int(solid.sum()), int((solid & reached).sum()))
