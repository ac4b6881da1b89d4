"""What a family must say of itself to be built, loaded and saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

from incognote.workshop.encoders.heads import Classification, Head, Span

# One row of a table of names: ours, theirs. A row names a module (and so all its parameters) or
# one parameter; {braces} stand for what counts layers.
Row = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Family:
    """One family of encoders.

    name: as `model_type` in config.json.
    prefix: what names of the encoder begin with in a checkpoint that also has heads.
    encoder: builds the encoder from a configuration, with a pooler or without.
    heads: builds each head from a configuration and a number of labels.
    architectures: the heads that a name in config.json's `architectures` means.
    body: the names of the encoder's tensors; head_names: of each head's.
    aliases: names under which a checkpoint may repeat a tied tensor; read, never written.
    counts: the values of the {braces}, layer by layer.
    constants: tensors that others need in the file and this configuration does without.
    carried: what a new head takes from a checkpoint whose own head has it under the same name: how
        the names of these parts begin.
    spelled: the family with the names of a configuration, where it decides about names.
    renames: names that a checkpoint may have in place of ours, and ours.
    unread: tensors that published checkpoints have and that nothing reads.
    """

    name: str
    prefix: str
    config: type[Any]
    encoder: Callable[[Any, bool], nn.Module]
    heads: Mapping[str, Callable[[Any, int], Head]]
    architectures: Mapping[str, tuple[str, ...]]
    body: tuple[Row, ...]
    head_names: Mapping[str, tuple[Row, ...]]
    aliases: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    counts: Callable[[Any], Iterable[Mapping[str, int]]]
    constants: Callable[[Any], Mapping[str, Tensor]] = lambda config: {}
    carried: tuple[str, ...] = ()
    spelled: Callable[[Family, Any], Family] = lambda family, config: family
    renames: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    @property
    def has_pooler(self) -> bool:
        """Whether the published encoders have a layer on the first token."""
        return any(ours == "encoder.pooler" for ours, _ in self.body)

    def names(self, config: Any, heads: Iterable[str]) -> Iterator[Row]:
        """Every row for this configuration and these heads, the braces filled in."""
        rows = [*self.body, *(row for head in heads for row in self.head_names[head])]
        for ours, theirs in rows:
            if "{" in ours or "{" in theirs:
                for count in self.counts(config):
                    yield ours.format(**count), theirs.format(**count)
            else:
                yield ours, theirs

    def architecture(self, heads: Iterable[str]) -> str:
        """The architecture name for these heads, the longest that is covered if none is exact."""
        needed = set(heads)
        covered = [name for name, has in self.architectures.items() if set(has) <= needed]
        return max(covered, key=lambda name: len(self.architectures[name]))


def each_layer(config: Any) -> Iterator[Mapping[str, int]]:
    """The counts of a family in which every layer is its own."""
    return ({"layer": layer} for layer in range(config.layers))


# Heads that all families have in one form, and their names.
TOKEN_HEADS: dict[str, Callable[[Any, int], Head]] = {
    "tokens": lambda config, labels: Classification(
        config.hidden_size, labels, of="hidden", dropout=config.head_dropout
    ),
    "span": lambda config, _: Span(config.hidden_size),
    "answerable": lambda config, _: Classification(
        config.hidden_size, 2, of="first", dropout=config.head_dropout
    ),
}
TOKEN_HEAD_NAMES: dict[str, tuple[Row, ...]] = {
    "tokens": (("heads.tokens.classifier", "classifier"),),
    "span": (("heads.span.classifier", "qa_outputs"),),
    "answerable": (("heads.answerable.classifier", "answerable"),),
}


def pooled_head(config: Any, labels: int) -> Head:
    """A classifier on the pooled vector."""
    return Classification(config.hidden_size, labels, of="pooled", dropout=config.head_dropout)
