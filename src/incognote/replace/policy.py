"""Which operator each type gets, and how a note is rewritten with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from incognote.document import Document, Span
from incognote.phi import CATEGORIES, TYPES
from incognote.replace.hash import Hash
from incognote.replace.keep import Keep
from incognote.replace.mask import Mask
from incognote.replace.operator import Operator, Replacer
from incognote.replace.redact import Redact
from incognote.replace.tag import Tag

OPERATORS = ("tag", "redact", "mask", "hash", "keep")


class PolicyError(ValueError):
    """A `--replace` that names no operator or no type."""


@dataclass(frozen=True)
class Policy:
    """An operator for every type, and others for some."""

    default: Operator
    by_type: Mapping[str, Operator] = field(default_factory=dict)


def parse_policy(words: str, *, key: bytes | None = None, number: bool = False) -> Policy:
    """Read `tag`, or `tag,DATE=mask,ID=hash`: a default, then types or categories of their own.

    >>> parse_policy("tag,DATE=mask").by_type
    {'DATE': Mask()}
    """
    default: Operator = Tag(number)
    by_type: dict[str, Operator] = {}
    for word in filter(None, (word.strip() for word in words.split(","))):
        target, equals, name = word.rpartition("=")
        operator = _operator(name.strip(), key, number)
        if equals:
            by_type |= dict.fromkeys(_types(target.strip()), operator)
        else:
            default = operator
    return Policy(default, by_type)


def _operator(name: str, key: bytes | None, number: bool) -> Operator:
    if name == "hash":
        if not key:
            raise PolicyError("'hash' needs a key: give one with --key-file (key= in Python)")
        return Hash(key)
    plain: dict[str, Operator] = {
        "tag": Tag(number),
        "redact": Redact(),
        "mask": Mask(),
        "keep": Keep(),
    }
    if name not in plain:
        raise PolicyError(f"'{name}' is not a way to replace: choose {', '.join(OPERATORS)}")
    return plain[name]


def _types(name: str) -> tuple[str, ...]:
    if name in TYPES:
        return (name,)
    if name in CATEGORIES:
        return CATEGORIES[name]
    raise PolicyError(
        f"'{name}' is not a type: choose from {', '.join(TYPES)}, "
        f"or a category: {', '.join(CATEGORIES)}"
    )


def apply(document: Document, policy: Policy) -> Document:
    """The note with its spans (disjoint, sorted) replaced; the new spans index the new text.

    Text between spans is copied as it is. The new spans keep type, score and detector, and
    nothing of the original.
    """
    pieces: list[str] = []
    spans: list[Span] = []
    replacers: dict[int, Replacer] = {}
    read = length = 0
    for span in document.spans:
        if span.start < read:
            raise ValueError("spans to be replaced must not overlap: merge them first")
        operator = policy.by_type.get(span.type, policy.default)
        if id(operator) not in replacers:
            replacers[id(operator)] = operator.begin(document)
        new = replacers[id(operator)](span)
        between = document.text[read : span.start]
        start = length + len(between)
        length = start + len(new)
        pieces += (between, new)
        spans.append(Span(start, length, span.type, new, span.score, span.source))
        read = span.end
    pieces.append(document.text[read:])
    return replace(document, text="".join(pieces), spans=tuple(spans), known=())
