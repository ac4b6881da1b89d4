"""The figures of the 2014 i2b2/UTHealth shared task, track 1, as its script computes them.

The script puts the tags of a document into a set on each side and counts the intersection and the
two differences, so that a tag given twice counts once. Two tags are the same when

- strict: element name, TYPE, start and end are the same;
- relaxed: the same, but the ends may differ by up to 2 (never the starts);
- binary: start and end are the same, whatever the name and TYPE;
- token, binary token: as strict and binary, after each tag was replaced by a tag of the same name
  and TYPE for each run of `[A-Za-z0-9]` inside it (an accented letter ends a run).

Relaxed equality is not transitive, and sets inherit that: a tag is dropped when an earlier one of
its own side equals it, and the intersection has as many members as tags of the smaller side (the
predicted, if even) have an equal on the other. This is reproduced here; tags are taken in the
order of their places. It shows only when one side has several tags of one type at one start.

Micro sums the counts over documents; macro is the mean over documents of precision and of recall,
and the F1 of those two means. 0/0 is 0, also for a document without tags. HIPAA filters both sides
by name and TYPE before they are compared: `hipaa_as_coded` leaves out IDNUM, which the script spells
with a trailing space and so never matches; `hipaa_as_documented` has it.

The element name is the one that an XML file gave. A span from elsewhere has that of its type: its
category, or for a type of another scheme the name that the XML of the other side gives it.

Two departures: documents missing on one side are not skipped (see `pairing`), and the empty extra
token that the script makes for a tag at offset 0 is not made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set

import numpy as np

from incognote.document import Document, Span
from incognote.evaluate.counts import OFFICIAL, Agreement, Tally, Tree, divide
from incognote.evaluate.pairing import Pair
from incognote.phi import CATEGORY_OF, HIPAA, HIPAA_DOCUMENTED

Tag = tuple[str, str, int, int]
"""Element name, TYPE, start, end."""
Counts = tuple[int, int, int]
"""True positives, false positives, false negatives."""

RELAXED_END = 2

_RUN = re.compile("[A-Za-z0-9]+")


def _hipaa(types: frozenset[str]) -> Callable[[Tag], bool]:
    """DATE and AGE whatever their TYPE, else a type of the subset under its own name."""
    return lambda tag: (
        tag[0] in ("DATE", "AGE") or (tag[1] in types and tag[0] == CATEGORY_OF[tag[1]])
    )


SUBSETS: Mapping[str, Callable[[Tag], bool]] = {
    "all": lambda _: True,
    "hipaa_as_coded": _hipaa(HIPAA),
    "hipaa_as_documented": _hipaa(HIPAA_DOCUMENTED),
}


def measures(pairs: Sequence[Pair]) -> Tree:
    """Micro and macro figures for each subset and each equality."""
    tally = Tally(len(pairs))
    names = _names(pairs)
    for note, pair in enumerate(pairs):
        tags = [_tags(document, names) for document in (pair.gold, pair.predicted)]
        tokens = [_tokens(pair.gold.text, side) for side in tags]
        for subset, belongs in SUBSETS.items():
            whole, cut = (
                [list(filter(belongs, side)) for side in sides] for sides in (tags, tokens)
            )
            for equality, (in_tokens, compare) in EQUALITIES.items():
                counts = compare(*(cut if in_tokens else whole))
                for name, count in zip(("tp", "fp", "fn"), counts, strict=True):
                    tally.add(note, (subset, equality, name), count)
    return {
        subset: {equality: _micro_and_macro(tally, subset, equality) for equality in EQUALITIES}
        for subset in SUBSETS
    }


def _micro_and_macro(tally: Tally, subset: str, equality: str) -> Tree:
    tp, fp, fn = (tally[subset, equality, name] for name in ("tp", "fp", "fn"))
    documents = np.ones_like(tp)
    return {
        "micro": Agreement.matched(tp, tp + fp, tp + fn, OFFICIAL),
        "macro": Agreement(
            divide(tp, tp + fp, OFFICIAL),
            documents,
            divide(tp, tp + fn, OFFICIAL),
            documents,
            OFFICIAL,
        ),
    }


def _names(pairs: Sequence[Pair]) -> dict[str, str]:
    """The element name of each type, for spans that come without one."""
    names: dict[str, str] = {}
    for pair in pairs:
        for span in (*pair.gold.spans, *pair.predicted.spans):
            if not names.get(span.type):
                names[span.type] = _own_name(span) or ""
    return {type: CATEGORY_OF.get(type) or name or type for type, name in names.items()}


def _own_name(span: Span) -> str | None:
    """None where its file gave none, or a view changed the type that the name belonged to."""
    return span.attributes.get("tag") if span.label == span.type else None


def _tags(document: Document, names: Mapping[str, str]) -> list[Tag]:
    return [
        (_own_name(span) or names[span.type], span.type, span.start, span.end)
        for span in document.spans
    ]


def _tokens(text: str, tags: Iterable[Tag]) -> list[Tag]:
    return [
        (name, type, *run.span())
        for name, type, start, end in tags
        for run in _RUN.finditer(text, start, end)
    ]


def _strict(gold: Iterable[Tag], predicted: Iterable[Tag]) -> Counts:
    return _compare(set(gold), set(predicted))


def _binary(gold: Iterable[Tag], predicted: Iterable[Tag]) -> Counts:
    return _compare({tag[2:] for tag in gold}, {tag[2:] for tag in predicted})


def _compare(
    gold: set[Tag] | set[tuple[int, int]], predicted: set[Tag] | set[tuple[int, int]]
) -> Counts:
    hits = len(gold & predicted)
    return hits, len(predicted) - hits, len(gold) - hits


def _relaxed(gold: Iterable[Tag], predicted: Iterable[Tag]) -> Counts:
    gold_ends, predicted_ends = _distinct_ends(gold), _distinct_ends(predicted)
    gold_hits, missed = _count_matches(gold_ends, predicted_ends)
    predicted_hits, spurious = _count_matches(predicted_ends, gold_ends)
    gold_is_smaller = predicted_hits + spurious > gold_hits + missed
    return gold_hits if gold_is_smaller else predicted_hits, spurious, missed


Ends = dict[tuple[str, str, int], set[int]]
"""The ends of the tags of one element name, TYPE and start."""


def _distinct_ends(tags: Iterable[Tag]) -> Ends:
    distinct: Ends = {}
    for name, type, start, end in tags:
        ends = distinct.setdefault((name, type, start), set())
        if not _near(end, ends):
            ends.add(end)
    return distinct


def _near(end: int, ends: Set[int]) -> bool:
    return any(end + by in ends for by in range(-RELAXED_END, RELAXED_END + 1))


def _count_matches(ends: Ends, others: Ends) -> tuple[int, int]:
    """How many tags have an equal on the other side, and how many have none."""
    matches = total = 0
    for place, own in ends.items():
        facing = others.get(place, set())
        matches += sum(_near(end, facing) for end in own)
        total += len(own)
    return matches, total - matches


Equality = Callable[[Iterable[Tag], Iterable[Tag]], Counts]

EQUALITIES: Mapping[str, tuple[bool, Equality]] = {
    "strict": (False, _strict),
    "relaxed": (False, _relaxed),
    "binary": (False, _binary),
    "token": (True, _strict),
    "binary_token": (True, _binary),
}
"""Whether tags are first cut into tokens, and when two are the same."""
