"""What goes wrong with a vault."""

from __future__ import annotations


class VaultError(Exception):
    """A vault that cannot be opened, trusted or written; one sentence that quotes nothing of it."""

    status = 2
