"""The operators: what stands in an identifier's place. Tag, redact, mask, hash and keep.

Surrogates, the sixth, have a package of their own. How long a key must be is decided here too, for
operators, surrogates and the vault alike.
"""

from __future__ import annotations

import hmac
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Protocol

from incognote.base.errors import UserError
from incognote.base.messages import quantity
from incognote.document import Document, Span
from incognote.knowledge.letters import without_accents

SHORTEST_KEY = 16
"""Bytes of a key."""
SHORTEST_PASSPHRASE = 8
"""Characters of the passphrase of a new vault."""
DIGITS = 12
"""Hexadecimal digits of a hash."""
KEPT = "kept"
"""The remark on an identifier that stays as it was."""
NEVER = "never"
"""The remark on what was left because the site says that it is no identifier."""
_PEOPLE = frozenset({"PATIENT", "DOCTOR"})
_WORD = re.compile(r"[^\W_]+")
_LAST_OF_LATIN = "\u00ff"
_MOST_WORDS = 8
"""Names of more words are not looked up by two of them."""
_NOBODY: list[tuple[str, ...]] = []


class WeakSecretError(UserError, ValueError):
    """A key or a passphrase that somebody could guess; the sentence tells its length only."""


def check_key(key: bytes) -> bytes:
    """The key, if it is long enough to keep anything secret."""
    if not isinstance(key, bytes):
        raise WeakSecretError(
            "a key is bytes, not text: read it from a file that only you may read"
        )
    if len(key) < SHORTEST_KEY:
        raise WeakSecretError(
            f"the key has {quantity(len(key), 'byte')}, at least {SHORTEST_KEY} are needed"
        )
    return key


def check_passphrase(words: str) -> str:
    """The passphrase, if it is long enough for a new vault."""
    if len(words) < SHORTEST_PASSPHRASE:
        raise WeakSecretError(f"a vault's passphrase has at least {SHORTEST_PASSPHRASE} characters")
    return words


@dataclass(frozen=True)
class ReplacementWithRemark:
    """A replacement that the audit counts apart, such as a tag where no surrogate could be made."""

    text: str = field(repr=False)
    remark: str


Replacer = Callable[[Span], "str | ReplacementWithRemark"]


class Operator(Protocol):
    """A way to replace. It holds settings only; what it learns of a note stays with that note."""

    def begin(self, document: Document) -> Replacer:
        """A function from the note's spans, in order, to what replaces them."""
        ...


@dataclass(frozen=True)
class Tag:
    """`Dr. Okafor` becomes `Dr. [DOCTOR]`, or `Dr. [DOCTOR-2]` with `number`.

    Numbers count within a note, in order of first mention, so that a note's output does not
    depend on the notes before it.
    """

    number: bool = False

    def begin(self, document: Document) -> Replacer:
        """The tag of each span."""
        if not self.number:
            return lambda span: f"[{span.type}]"
        numbers = number_mentions(document.spans)

        def tag(span: Span) -> str:
            return f"[{span.type}-{numbers[span.type, span.text]}]"

        return tag


@dataclass(frozen=True)
class Redact:
    """`Seen by Dr. Okafor.` becomes `Seen by Dr. .`: nothing takes the identifier's place."""

    def begin(self, document: Document) -> Replacer:
        """The empty text, for every span."""
        return lambda span: ""


@dataclass(frozen=True)
class Mask:
    """`Okafor, 3/14/19` becomes `Xxxxxx, 0/00/00`: offsets in the note stay what they were."""

    def begin(self, document: Document) -> Replacer:
        """A letter or digit of the same kind for each character."""
        return lambda span: masked(span.text)


def masked(text: str) -> str:
    """A letter or digit of the same kind for each character."""
    return "".join(map(_mask_character, text))


def _mask_character(character: str) -> str:
    if character.isdigit() or character.isnumeric():
        return "0"
    if character.isupper() or character.istitle():
        return "X"
    return character if character in "\r\n\t\v\f" or _tells_nothing(character) else "x"


def _tells_nothing(character: str) -> bool:
    """Whether it is punctuation, a blank or an ordinary symbol, not a sign that spells words."""
    category = unicodedata.category(character)
    return (
        category[0] in "PZ"
        or category in ("Sm", "Sc")
        or (category[0] == "S" and character <= _LAST_OF_LATIN)
    )


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


@dataclass(frozen=True)
class Keep:
    """The identifier is found and counted, but stays, as in `--replace tag,AGE=keep`.

    For types that a release may show, such as ages under a data use agreement.
    """

    def begin(self, document: Document) -> Replacer:
        """The span's own text, which the audit counts as kept."""
        return lambda span: ReplacementWithRemark(span.text, KEPT)


def number_mentions(spans: Iterable[Span]) -> dict[tuple[str, str], int]:
    """From (type, text) to a number per type, counted from 1 in order of first mention.

    Two names are one person when each word of the shorter is a word of the longer, or its
    initial: "OKAFOR, NGOZI A.", "Ms. Okafor" and "N.O." agree. A mention that fits several
    persons goes with the one named first. Other values agree when their letters and digits do.
    """
    numbers: dict[tuple[str, str], int] = {}
    by_type: dict[str, list[str]] = {}
    for span in spans:
        texts = by_type.setdefault(span.type, [])
        if (span.type, span.text) not in numbers:
            numbers[span.type, span.text] = 0
            texts.append(span.text)
    for type, texts in by_type.items():
        groups = _persons(texts) if type in _PEOPLE else [_words(text) for text in texts]
        first: dict[tuple[str, ...], int] = {}
        for text, group in zip(texts, groups, strict=True):
            numbers[type, text] = first.setdefault(group, len(first) + 1)
    return numbers


def _words(text: str) -> tuple[str, ...]:
    words = tuple(_WORD.findall(without_accents(text).casefold()))
    return words or (text,)


def _persons(texts: list[str]) -> list[tuple[str, ...]]:
    """The fullest name that each text agrees with, as words."""
    names = [_words(text) for text in texts]
    fullest: dict[tuple[str, ...], None] = {}
    longer_names = _Index()
    for words in sorted(dict.fromkeys(names), key=lambda words: -sum(map(len, words))):
        if longer_names.first(words) is None:
            fullest[words] = None
            longer_names.add(words)
    index = _Index()
    for words in dict.fromkeys(names):
        if words in fullest:
            index.add(words)
    return [index.first(words) or words for words in names]


class _Index:
    """Names by their words, by their initials, and by two of those together.

    So that a name is compared with the few that have all it says, not with all.
    """

    def __init__(self) -> None:
        self._names: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)

    def add(self, words: tuple[str, ...]) -> None:
        """Put a name there under all its keys."""
        initials = [(word, word[:1]) for word in words[:_MOST_WORDS]]
        keys: set[tuple[str, ...]] = {(each,) for word in words for each in (word, word[:1])}
        for (first, initial), (second, other) in combinations(initials, 2):
            pairs = product((first, initial), (second, other))
            keys |= {(min(pair), max(pair)) for pair in pairs}
        for key in keys:
            self._names[key].append(words)

    def first(self, words: tuple[str, ...]) -> tuple[str, ...] | None:
        """The name, of those that agree, that was added first."""
        keys: list[tuple[str, ...]] = [(word,) for word in words]
        if len(words) <= _MOST_WORDS:
            keys += ((min(pair), max(pair)) for pair in combinations(words, 2))
        candidates = min((self._names.get(key, _NOBODY) for key in keys), key=len)
        return next((other for other in candidates if _agrees(words, other)), None)


def _agrees(words: tuple[str, ...], fuller: tuple[str, ...]) -> bool:
    """Whether each word is one of `fuller`'s, or the initial of one, none used twice."""
    unused = list(fuller)
    for word in sorted(words, key=len, reverse=True):
        match = next((other for other in unused if other == word), None)
        if match is None and len(word) == 1:
            match = next((other for other in unused if other[0] == word), None)
        if match is None:
            return False
        unused.remove(match)
    return True
