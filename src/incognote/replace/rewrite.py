"""Which operator each type gets, and how a note is rewritten with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from incognote.base.errors import UserError
from incognote.document import Document, Span
from incognote.phi import CATEGORIES, KnownTypes
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

OURS = KnownTypes()
OPERATORS = ("tag", "redact", "mask", "hash", "surrogate", "keep")


class OperatorError(UserError, ValueError):
    """A `--replace` that names no operator or no type."""


@dataclass(frozen=True)
class Operators:
    """An operator for every type, and others for some."""

    default: Operator
    by_type: Mapping[str, Operator] = field(default_factory=dict)


def parse_operators(
    words: str,
    *,
    key: bytes | None = None,
    number: bool = False,
    surrogates: SurrogateSettings | None = None,
    avoided: Avoided | None = None,
    types: KnownTypes = OURS,
) -> Operators:
    """Read `tag`, or `tag,DATE=mask,ID=hash`: a default, then types or categories of their own.

    A site's own types keep the operators that `types` gives them, unless the words name them.

    >>> parse_operators("tag,DATE=mask").by_type
    {'DATE': Mask()}
    """
    operators: dict[str, Operator] = {
        "tag": Tag(number),
        "redact": Redact(),
        "mask": Mask(),
        "keep": Keep(),
    }
    default, by_type = _parse(words, types)
    for name in (default, *by_type.values()):
        if name not in operators:
            operators[name] = _keyed_operator(name, key, surrogates, avoided, types)
    return Operators(operators[default], {type: operators[name] for type, name in by_type.items()})


def operator_names(words: str, types: KnownTypes = OURS) -> dict[str, str]:
    """From each type to the name of its operator, as `parse_operators` reads it."""
    default, by_type = _parse(words, types)
    return dict.fromkeys(types.names, default) | by_type


def _parse(words: str, types: KnownTypes) -> tuple[str, dict[str, str]]:
    """The default, and the names of other operators by type."""
    default = "tag"
    by_type: dict[str, str] = dict(types.operators)
    for name in by_type.values():
        _refuse_unknown(name)
    for word in filter(None, (word.strip() for word in words.split(","))):
        target, equals, name = (part.strip() for part in word.rpartition("="))
        _refuse_unknown(name)
        if equals:
            by_type |= dict.fromkeys(_types(target, types), name)
        else:
            default = name
    return default, by_type


def _refuse_unknown(name: str) -> None:
    if name not in OPERATORS:
        raise OperatorError(f"'{name}' is not a way to replace: choose {', '.join(OPERATORS)}")


def _keyed_operator(
    name: str,
    key: bytes | None,
    surrogates: SurrogateSettings | None,
    avoided: Avoided | None,
    types: KnownTypes,
) -> Operator:
    """The operators that need a key; there is one of each, for all types that it replaces."""
    if not key:
        asking = ", ".join(type for type, word in types.operators.items() if word == name)
        why = f", which the site file asks for {asking}," if asking else ""
        raise OperatorError(f"'{name}'{why} needs a key: give one with --key-file (key= in Python)")
    try:
        check_key(key)
    except WeakSecretError as weak:
        raise OperatorError(f"'{name}' needs a stronger key: {weak}") from None
    if name == "hash":
        return Hash(key)
    from incognote.replace.surrogate.operator import Surrogate
    from incognote.replace.surrogate.settings import Avoided, SurrogateSettings

    return Surrogate(
        key, surrogates or SurrogateSettings(), avoided or Avoided(), frozenset(types.own)
    )


def _types(name: str, known: KnownTypes) -> tuple[str, ...]:
    types = known.named(name)
    if not types:
        raise OperatorError(
            f"'{name}' is not a type: choose from {', '.join(known.names)}, "
            f"or a category: {', '.join(CATEGORIES)}"
        )
    return types


@dataclass(frozen=True)
class RewriteResult:
    """A note after replacement, and how often each remark was made, by type."""

    document: Document
    remarks: Counter[tuple[str, str]]


def apply(document: Document, operators: Operators) -> Document:
    """The note that `rewrite` makes, without the remarks."""
    return rewrite(document, operators).document


def rewrite(document: Document, operators: Operators) -> RewriteResult:
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
        operator = operators.by_type.get(span.type, operators.default)
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
