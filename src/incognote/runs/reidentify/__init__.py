"""Getting originals back: de-identified files and a vault in, the notes as they were read out."""

from incognote.runs.reidentify.run import Returned, reidentify

__all__ = ["Returned", "reidentify"]
