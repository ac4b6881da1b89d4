"""incognote finds the identifying details in clinical notes and replaces them.

>>> import incognote
>>> incognote.deidentify("Seen by Dr. Okafor on 3/14/2019.").text
'Seen by Dr. [DOCTOR] on [DATE].'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from incognote.document import Document, Span

if TYPE_CHECKING:
    from incognote.pipeline import Deidentifier, Result, deidentify

__all__ = ["Deidentifier", "Document", "Result", "Span", "__version__", "deidentify"]


def __getattr__(name: str) -> Any:
    """Load the pipeline and its rules when they are first used, so that importing stays light."""
    if name == "__version__":
        from importlib.metadata import version

        return version("incognote")
    if name in __all__:
        from incognote import pipeline

        return getattr(pipeline, name)
    raise AttributeError(f"module 'incognote' has no attribute {name!r}")
