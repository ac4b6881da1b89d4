"""Hash: a short code that is stable for a value under one key, and says nothing without it."""

from __future__ import annotations

import hmac
import unicodedata
from dataclasses import dataclass, field

from incognote.document import Document, Span
from incognote.replace.operator import Replacer
from incognote.replace.secret_strength import check_key

DIGITS = 12


@dataclass(frozen=True)
class Hash:
    """`Okafor` becomes `[PATIENT-5b1f0c29e6aa]`, in every note, for whoever uses the same key.

    HMAC-SHA-256 over the type and the value, cut to 48 bits. Case, width and the kind of white
    space do not change it.
    """

    key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        check_key(self.key)

    def begin(self, document: Document) -> Replacer:
        """The code of each span's value."""
        return self._code

    def _code(self, span: Span) -> str:
        value = " ".join(unicodedata.normalize("NFKC", span.text).casefold().split())
        message = f"{span.type}\0{value}".encode("utf-8", "surrogatepass")
        digest = hmac.digest(self.key, message, "sha256")
        return f"[{span.type}-{digest.hex()[:DIGITS]}]"
