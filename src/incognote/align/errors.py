"""What can be wrong with units, tags and scores; no message ever quotes the note."""

from __future__ import annotations


class AlignError(ValueError):
    """Units, tags or labels that contradict each other."""


class NotFiniteError(AlignError):
    """Scores that are no numbers, or infinite: nothing can be decided by them."""

    def __init__(self) -> None:
        super().__init__(
            "the model gives scores that are not finite numbers, so nothing can be said of the note; "
            "the model is damaged: copy or export it again"
        )
