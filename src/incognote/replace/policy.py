"""Which operator each type gets, and how a note is rewritten with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from incognote.base.errors import UserError
from incognote.document import Document, Span
from incognote.phi import CATEGORIES, TYPES
from incognote.replace.operators import (
    Hash,
    Keep,
    Mask,
    Operator,
    Redact,
    ReplacementWithRemark,
    Replacer,
    Tag,
    WeakSecretError,
    check_key,
)

if TYPE_CHECKING:
    from incognote.replace.surrogate.settings import Avoided, SurrogateSettings

OPERATORS = ("tag", "redact", "mask", "hash", "surrogate", "keep")


class PolicyError(UserError, ValueError):
    """A `--replace` that names no operator or no type."""


@dataclass(frozen=True)
class Policy:
    """An operator for every type, and others for some."""

    default: Operator
    by_type: Mapping[str, Operator] = field(default_factory=dict)


def parse_policy(
    words: str,
    *,
    key: bytes | None = None,
    number: bool = False,
    surrogates: SurrogateSettings | None = None,
    avoided: Avoided | None = None,
) -> Policy:
    """Read `tag`, or `tag,DATE=mask,ID=hash`: a default, then types or categories of their own.

    >>> parse_policy("tag,DATE=mask").by_type
    {'DATE': Mask()}
    """
    operators: dict[str, Operator] = {
        "tag": Tag(number),
        "redact": Redact(),
        "mask": Mask(),
        "keep": Keep(),
    }
    default, by_type = _parse(words)
    for name in (default, *by_type.values()):
        if name not in operators:
            operators[name] = _keyed_operator(name, key, surrogates, avoided)
    return Policy(operators[default], {type: operators[name] for type, name in by_type.items()})


def operator_names(words: str) -> dict[str, str]:
    """From each type to the name of its operator, as `parse_policy` reads it."""
    default, by_type = _parse(words)
    return dict.fromkeys(TYPES, default) | by_type


def _parse(words: str) -> tuple[str, dict[str, str]]:
    """The default, and the names of other operators by type."""
    default = "tag"
    by_type: dict[str, str] = {}
    for word in filter(None, (word.strip() for word in words.split(","))):
        target, equals, name = (part.strip() for part in word.rpartition("="))
        if name not in OPERATORS:
            raise PolicyError(f"'{name}' is not a way to replace: choose {', '.join(OPERATORS)}")
        if equals:
            by_type |= dict.fromkeys(_types(target), name)
        else:
            default = name
    return default, by_type


def _keyed_operator(
    name: str, key: bytes | None, surrogates: SurrogateSettings | None, avoided: Avoided | None
) -> Operator:
    """The operators that need a key; there is one of each, for all types that it replaces."""
    if not key:
        raise PolicyError(f"'{name}' needs a key: give one with --key-file (key= in Python)")
    try:
        check_key(key)
    except WeakSecretError as weak:
        raise PolicyError(f"'{name}' needs a stronger key: {weak}") from None
    if name == "hash":
        return Hash(key)
    from incognote.replace.surrogate.operator import Surrogate
    from incognote.replace.surrogate.settings import Avoided, SurrogateSettings

    return Surrogate(key, surrogates or SurrogateSettings(), avoided or Avoided())


def _types(name: str) -> tuple[str, ...]:
    if name in TYPES:
        return (name,)
    if name in CATEGORIES:
        return CATEGORIES[name]
    raise PolicyError(
        f"'{name}' is not a type: choose from {', '.join(TYPES)}, "
        f"or a category: {', '.join(CATEGORIES)}"
    )


@dataclass(frozen=True)
class RewriteResult:
    """A note after replacement, and how often each remark was made, by type."""

    document: Document
    remarks: Counter[tuple[str, str]]


def apply(document: Document, policy: Policy) -> Document:
    """The note that `rewrite` makes, without the remarks."""
    return rewrite(document, policy).document


def rewrite(document: Document, policy: Policy) -> RewriteResult:
    """The note with its spans (disjoint, sorted) replaced; the new spans index the new text.

    Text between spans is copied as it is. The new spans keep type, score and detector, and
    nothing of the original.
    """
    pieces: list[str] = []
    spans: list[Span] = []
    replacers: dict[int, Replacer] = {}
    remarks: Counter[tuple[str, str]] = Counter()
    end = length = 0
    for span in document.spans:
        if span.start < end:
            raise ValueError("spans to be replaced must not overlap: merge them first")
        operator = policy.by_type.get(span.type, policy.default)
        if id(operator) not in replacers:
            replacers[id(operator)] = operator.begin(document)
        new = replacers[id(operator)](span)
        if isinstance(new, ReplacementWithRemark):
            remarks[span.type, new.remark] += 1
            new = new.text
        between = document.text[end : span.start]
        start = length + len(between)
        length = start + len(new)
        pieces += (between, new)
        spans.append(Span(start, length, span.type, new, span.score, span.source))
        end = span.end
    pieces.append(document.text[end:])
    text = "".join(pieces)
    return RewriteResult(replace(document, text=text, spans=tuple(spans), known=()), remarks)
