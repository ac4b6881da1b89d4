"""What can be wrong with text for pretraining."""

from __future__ import annotations


class TextError(ValueError):
    """A file, an option or a folder of shards that cannot be used; one sentence, without text."""


class OtherShardsError(TextError):
    """A folder that holds shards of something else."""
