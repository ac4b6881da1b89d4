"""What can be wrong with a tokenizer's files."""

from __future__ import annotations


class TokenizerError(ValueError):
    """A vocabulary that cannot be read or used; one sentence, which never quotes a note."""
