"""Getting originals back: de-identified files and a vault in, the notes as they were read out."""

from incognote.workflows.reidentify.run import Returned, reidentify

__all__ = ["Returned", "reidentify"]
