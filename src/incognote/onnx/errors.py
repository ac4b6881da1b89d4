"""What can be wrong with a model folder; each error is one sentence."""

from __future__ import annotations


class ModelError(ValueError):
    """A folder or file that is not the model it should be."""
