"""Character spans to BIO tags over tokens, and back.

What comes back: a span runs from the start of its first token to the end of its last, with the
white space between. It is the span that went in whenever tokens begin and end where the span does;
otherwise it is widened to the tokens that it cuts, never narrowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from incognote.align.tokens import Flags, Integers, Scores, TokenOffsets
from incognote.base.errors import AlignError
from incognote.document import Span
from incognote.phi import OUTSIDE


@dataclass(frozen=True, eq=False)
class Labels:
    """A label set, such as `phi.LABEL_SETS["full"]` or `phi.bio_labels` of a corpus' own types.

    Tags are indices into `names`. A type may have only a B or only an I (`study41` has both kinds):
    the one label then both begins and continues a span, and two such spans that touch become one.
    """

    names: tuple[str, ...]
    types: tuple[str, ...] = field(init=False)
    outside: int = field(init=False)
    type_of: Integers = field(init=False)
    """By label: its index into `types`, -1 for O."""
    begins: Flags = field(init=False)
    """By label: whether it always begins a span: a B whose type has an I."""
    continues: Flags = field(init=False)
    """By label: whether it only continues a span: an I whose type has a B."""
    begin: Integers = field(init=False)
    """By type: its B label, or I where it has none."""
    inside: Integers = field(init=False)
    """By type: its I label, or B where it has none."""

    def __post_init__(self) -> None:
        index = {name: number for number, name in enumerate(self.names)}
        if len(index) != len(self.names) or OUTSIDE not in index:
            raise AlignError("a label set has O once and each other label once")
        for name in self.names:
            if name != OUTSIDE and (name[:2] not in ("B-", "I-") or len(name) == 2):
                raise AlignError(f"label {name} is neither O, nor B-TYPE, nor I-TYPE")
        types = tuple(dict.fromkeys(name[2:] for name in self.names if name != OUTSIDE))
        number = {type: place for place, type in enumerate(types)}
        begin = [index.get(f"B-{type}", index.get(f"I-{type}")) for type in types]
        inside = [index.get(f"I-{type}", index.get(f"B-{type}")) for type in types]
        values = {
            "types": types,
            "outside": index[OUTSIDE],
            "type_of": np.array([number.get(name[2:], -1) for name in self.names], np.int64),
            "begins": np.array(
                [name[0] == "B" and f"I-{name[2:]}" in index for name in self.names]
            ),
            "continues": np.array(
                [name[0] == "I" and f"B-{name[2:]}" in index for name in self.names]
            ),
            "begin": np.array(begin, np.int64),
            "inside": np.array(inside, np.int64),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, eq=False)
class Tagging:
    """One tag for each token, and why some spans have none of their own.

    With B and I for every type, the B tags and these three counts add up to the spans given.
    """

    tags: Integers
    empty: int
    """Spans of no length."""
    untouched: int
    """Spans that touch no token: white space, or characters that the tokenizer dropped."""
    absorbed: int
    """Spans whose every token went to a span that overlaps them or shares the token."""


class TaggedSpan(NamedTuple):
    """A span read from tags: its characters, its type, and its tokens `first` to `last - 1`."""

    start: int
    end: int
    type: str
    first: int
    last: int


def spans_to_tags(spans: Iterable[Span], offsets: TokenOffsets, labels: Labels) -> Tagging:
    """Tag every token that shares a character with a span.

    Overlapping spans are made disjoint first (`disjoint`). A token cut by several spans
    goes to the one with most characters in it, the earlier on a tie. An empty token inside a span
    is tagged I. A type that the label set lacks is an error: to leave types out is a view's work.
    """
    number = {type: place for place, type in enumerate(labels.types)}
    marks = [Mark(span.start, span.end, span.type) for span in spans]
    for mark in marks:
        if mark.type not in number:
            raise AlignError(f"the label set has no type {mark.type}; rename it first")
    long = [mark for mark in marks if mark.start < mark.end]
    starts, ends = offsets.starts[offsets.solid], offsets.ends[offsets.solid]
    firsts, lasts = _reach(long, starts, ends)
    untouched = int(np.count_nonzero(firsts >= lasts))
    apart = disjoint(long)
    owner = _owners(apart, starts, ends)
    previous = np.concatenate(([-1], owner[:-1])) if owner.size else owner
    opens = (owner >= 0) & (owner != previous)
    type_of = np.array([number[mark.type] for mark in apart] + [-1], np.int64)[owner]

    tags = np.full(len(offsets), labels.outside, np.int64)
    tagged = owner >= 0
    types = type_of[tagged]
    tags[offsets.solid[tagged]] = np.where(opens[tagged], labels.begin[types], labels.inside[types])
    if len(offsets.solid) < len(offsets):
        _tag_empty_tokens(tags, offsets, np.where(owner == previous, type_of, -1), labels)
    absorbed = len(long) - untouched - int(opens.sum())
    return Tagging(tags, len(marks) - len(long), untouched, absorbed)


def _reach(marks: list[Mark], starts: Integers, ends: Integers) -> tuple[Integers, Integers]:
    """For each mark the range of tokens that it shares a character with."""
    firsts = np.searchsorted(ends, [mark.start for mark in marks], "right")
    return firsts, np.searchsorted(starts, [mark.end for mark in marks], "left")


def _owners(marks: list[Mark], starts: Integers, ends: Integers) -> Integers:
    """For each token the index of its mark, or -1. Marks are disjoint and sorted."""
    owner = np.full(len(starts), -1, np.int64)
    filled = 0
    reach = np.stack(_reach(marks, starts, ends), axis=1).tolist()
    for index, (first, last) in enumerate(reach):
        for token in range(first, min(last, filled)):
            rival = marks[owner[token]]
            start, end = starts[token], ends[token]
            if _shared(marks[index], start, end) > _shared(rival, start, end):
                owner[token] = index
        owner[max(first, filled) : last] = index
        filled = max(filled, last)
    return owner


def _shared(mark: Mark, start: int, end: int) -> int:
    return min(mark.end, end) - max(mark.start, start)


def _tag_empty_tokens(
    tags: Integers, offsets: TokenOffsets, continues: Integers, labels: Labels
) -> None:
    """Give I to empty tokens before a solid token that continues a span of type `continues`."""
    empty = np.flatnonzero(offsets.ends == offsets.starts)
    following = np.searchsorted(offsets.solid, empty)
    types = np.append(continues, -1)[following]
    tags[empty[types >= 0]] = labels.inside[types[types >= 0]]


def tags_to_spans(tags: npt.ArrayLike, offsets: TokenOffsets, labels: Labels) -> list[TaggedSpan]:
    """The spans that tags mean, for any sequence of tags, in order and disjoint.

    An I that does not continue a span of its type begins one, so every token that is not O lies in
    a span; neighbours of a type with one label are one span. Tags of empty tokens are ignored: they neither begin, break nor extend a span. Where
    two spans meet inside one character, the first has it.
    """
    table = np.asarray(tags, dtype=np.int64)
    if table.shape != offsets.starts.shape:
        raise AlignError(f"{len(offsets)} tokens need as many tags, not {table.size}")
    solid = offsets.solid
    solid_tags = table[solid]
    if solid_tags.size and not 0 <= solid_tags.min() <= solid_tags.max() < len(labels.names):
        raise AlignError(f"a tag lies outside the {len(labels.names)} labels")
    types = labels.type_of[solid_tags]
    before = np.concatenate(([-1], types))[: types.size]
    opens = (types >= 0) & (labels.begins[solid_tags] | (types != before))
    goes_on = np.append((types >= 0) & ~opens, False)[1:]
    firsts = np.flatnonzero(opens)
    lasts = np.flatnonzero((types >= 0) & ~goes_on)

    ends = offsets.ends[solid[lasts]]
    starts = np.maximum(offsets.starts[solid[firsts]], np.concatenate(([0], ends))[: ends.size])
    names = labels.types
    return [
        TaggedSpan(start, end, names[type], first, last + 1)
        for start, end, type, first, last in zip(
            starts.tolist(),
            ends.tolist(),
            types[firsts].tolist(),
            solid[firsts].tolist(),
            solid[lasts].tolist(),
            strict=True,
        )
        if start < end
    ]


# Overlapping marks become disjoint ones, because a token carries one tag


class Mark(NamedTuple):
    """A stretch of a note and its type."""

    start: int
    end: int
    type: str


def disjoint(marks: Iterable[Mark]) -> list[Mark]:
    """Disjoint marks over the same characters, in order, whatever the order given.

    The mark that starts first keeps all its characters; of those that start together the longest,
    then the one whose type comes first in the alphabet. A later mark keeps what lies beyond the
    earlier ones, so a nested mark goes, and none of its characters is lost. Empty marks go.
    """
    apart: list[Mark] = []
    covered = 0
    for start, end, type in sorted(marks, key=lambda mark: (mark.start, -mark.end, mark.type)):
        start = max(start, covered)
        if start < end:
            apart.append(Mark(start, end, type))
            covered = end
    return apart


# From decided tags to spans with a score


def as_it_is(_type: str, share: float) -> float:
    """A probability that needs no scaling."""
    return share


def spans_of(
    text: str,
    tags: Integers,
    offsets: TokenOffsets,
    shares: Scores,
    labels: Labels,
    source: str,
    scaled: Callable[[str, float], float] = as_it_is,
) -> list[Span]:
    """The spans that tags mean; a span's score is the mean probability of its tags, scaled.

    shares: [tokens, labels], summing to 1 for each token.
    """
    spans = tags_to_spans(tags, offsets, labels)
    means = _means(shares[np.arange(len(tags)), tags], spans)
    return [
        Span.of(
            text,
            span.start,
            span.end,
            span.type,
            score=scaled(span.type, mean),
            source=source,
        )
        for span, mean in zip(spans, means, strict=True)
    ]


def _means(shares: Scores, spans: Sequence[TaggedSpan]) -> list[float]:
    """The mean over the tokens of each span; shares: [tokens]."""
    edges = np.array([(span.first, span.last) for span in spans], np.int64).reshape(-1, 2)
    sums = np.add.reduceat(np.append(shares, 0.0), edges.ravel())[::2]
    means: list[float] = (sums / (edges[:, 1] - edges[:, 0])).tolist()
    return means
