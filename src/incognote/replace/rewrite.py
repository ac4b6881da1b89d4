"""Which operator each type gets, and how a note is rewritten with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from incognote.base.errors import UserError
from incognote.base.registry import Registry, UnknownNameError
from incognote.document import Document, Span, is_no_name
from incognote.phi import CATEGORIES, OURS, KnownTypes
from incognote.replace.operators import (
    KEPT,
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
    from incognote.replace.policy import Policy
    from incognote.replace.surrogate.settings import Avoided, SurrogateSettings

OPERATORS = (
    "tag", "redact", "mask", "hash", "surrogate", "keep", "year", "month", "generalise", "shift",
)  # fmt: skip
OPERATOR_PLUGINS = Registry("incognote.operators", "operator", OPERATORS)
"""Operators of a user's own (`plugins.py`)."""
FAKES = frozenset({"surrogate", "shift"})
"""Those that write what looks real, and move dates."""


class OperatorError(UserError, ValueError):
    """A `--replace` that names no operator or no type."""


@dataclass(frozen=True)
class Operators:
    """An operator for every type, and others for some."""

    default: Operator
    by_type: Mapping[str, Operator] = field(default_factory=dict)


@dataclass(frozen=True)
class Treatment:
    """An operator by name, with the parameters of those that have some.

    `width` is that of age bands; `as_of` the year in which a year is taken to tell an age where a
    note has no later one.
    """

    operator: str
    width: int = 5
    as_of: int = 2030


def parse_operators(
    words: str,
    *,
    key: bytes | None = None,
    number: bool = False,
    surrogates: SurrogateSettings | None = None,
    avoided: Avoided | None = None,
    types: KnownTypes = OURS,
    policy: Policy | None = None,
) -> Operators:
    """Read `tag`, or `tag,DATE=mask,ID=hash`: a default, then types or categories of their own.

    With a policy the words only name types that are replaced otherwise. A site's own types keep the
    operators that `types` gives them, unless a policy or the words say otherwise.

    >>> parse_operators("tag,DATE=mask").by_type
    {'DATE': Mask()}
    """
    default, by_type = _treatments(words, types, policy)
    makers = _Makers(key, number, surrogates, avoided, types, policy)
    operators = {each: makers.operator(each) for each in {default, *by_type.values()}}
    return Operators(operators[default], {type: operators[each] for type, each in by_type.items()})


def operator_names(
    words: str, types: KnownTypes = OURS, policy: Policy | None = None
) -> dict[str, str]:
    """From each type to the name of its operator, as `parse_operators` reads it."""
    default, by_type = _treatments(words, types, policy)
    return {type: by_type.get(type, default).operator for type in types.names}


def _treatments(
    words: str, types: KnownTypes, policy: Policy | None
) -> tuple[Treatment, dict[str, Treatment]]:
    """The default, and other treatments by type."""
    default, others = _parse(words, types)
    by_type = {type: Treatment(name) for type, name in others.items()}
    if policy is None:
        own = {type: Treatment(name) for type, name in types.operators.items()}
        return Treatment(default or "tag"), own | by_type
    if default is not None:
        raise OperatorError(
            f"'{default}' without a type would replace all that the policy {policy.name} says: name "
            f"the types (such as DATE={default}), or leave the policy out"
        )
    treatments = policy.treatments_of(types)
    for type, treatment in by_type.items():
        if treatments[type].operator != treatment.operator:
            treatments[type] = treatment
    return Treatment("tag"), treatments


def _parse(words: str, types: KnownTypes) -> tuple[str | None, dict[str, str]]:
    """The default, if there is one, and the names of other operators by type."""
    default = None
    by_type: dict[str, str] = {}
    for word in filter(None, (word.strip() for word in words.split(","))):
        target, equals, name = (part.strip() for part in word.rpartition("="))
        check_operator(name)
        if equals:
            by_type |= dict.fromkeys(_types(target, types), name)
        else:
            default = name
    return default, by_type


def check_operator(name: str) -> None:
    """Refuse what is the name of no operator, neither of ours nor of a user's own."""
    if name in OPERATORS:
        return
    try:
        OPERATOR_PLUGINS.find(name)
    except UnknownNameError:
        names = ", ".join(OPERATOR_PLUGINS.names())
        raise OperatorError(f"'{name}' is not a way to replace: choose {names}") from None


@dataclass(frozen=True)
class _Makers:
    """What operators are made of; there is one of each treatment, for all types that it replaces."""

    key: bytes | None = field(repr=False)
    number: bool
    surrogates: SurrogateSettings | None
    avoided: Avoided | None
    types: KnownTypes
    policy: Policy | None

    def operator(self, treatment: Treatment) -> Operator:
        """The operator that a treatment names."""
        match treatment.operator:
            case "tag":
                return Tag(self.number)
            case "redact":
                return Redact()
            case "mask":
                return Mask()
            case "keep":
                return Keep()
            case "year" | "month" | "generalise":
                return self._coarse(treatment)
        if treatment.operator not in OPERATORS:
            from incognote.replace.plugins import own_operator

            return own_operator(OPERATOR_PLUGINS.find(treatment.operator), self._checked_key)
        return self._keyed(treatment.operator)

    def _coarse(self, treatment: Treatment) -> Operator:
        from incognote.replace.generalise import CoarseDates, Generalise
        from incognote.replace.surrogate.settings import Avoided, SurrogateSettings
        from incognote.replace.zip_areas import shipped_zip_areas

        dates = CoarseDates(
            "month" if treatment.operator == "month" else "year",
            treatment.as_of,
            (self.surrogates or SurrogateSettings()).dates,
            self.avoided or Avoided(),
            self.types,
        )
        if treatment.operator != "generalise":
            return dates
        areas = shipped_zip_areas() if self.policy is None else self.policy.zip_areas
        return Generalise(dates, treatment.width, areas)

    def _keyed(self, name: str) -> Operator:
        """The operators that need a key."""
        key = self._checked_key(name)
        if name == "hash":
            return Hash(key)
        from incognote.replace.surrogate.settings import Avoided, SurrogateSettings

        settings, avoided = self.surrogates or SurrogateSettings(), self.avoided or Avoided()
        if name == "shift":
            from incognote.replace.generalise import Shift

            return Shift(key, settings, avoided, self.types)
        from incognote.replace.surrogate.operator import Surrogate

        return Surrogate(key, settings, avoided, self.types)

    def _checked_key(self, name: str) -> bytes:
        """The key, for an operator that needs one."""
        whose = ""
        if self.policy is not None and self.policy.uses(name):
            whose = f" in the policy {self.policy.name}"
        asking = [type for type, word in self.types.operators.items() if word == name]
        if self.policy is None and asking:
            whose = f", which the site file asks for {', '.join(asking)},"
        if not self.key:
            raise OperatorError(
                f"'{name}'{whose} needs a key: give one with --key-file (key= in Python)"
            )
        try:
            return check_key(self.key)
        except WeakSecretError as weak:
            raise OperatorError(f"'{name}'{whose} needs a stronger key: {weak}") from None


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
        none = document.value_type is not None and is_no_name(span.type, span.text)
        replacer = _as_it_is if none else replacers[id(operator)]
        new = replacer(span)
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
    output = replace(document, text=text, spans=tuple(spans), known=(), shift=None, row=None)
    return RewriteResult(output, remarks)


def _as_it_is(span: Span) -> ReplacementWithRemark:
    return ReplacementWithRemark(span.text, KEPT)
