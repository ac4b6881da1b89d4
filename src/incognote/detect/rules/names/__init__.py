"""Names of patients, of the people around them, and of staff, by strong context.

The cues live in the files beside this one: titles and degrees, labels and page headers, kin and
roles, signatures. Here their findings become one list without overlaps.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from incognote.detect.reading import Reading
from incognote.detect.rules.family import Family
from incognote.detect.rules.names.headers import by_form, by_narrative, by_page_header
from incognote.detect.rules.names.labels import by_label, by_salutation
from incognote.detect.rules.names.relations import before_kin, by_kin, by_role
from incognote.detect.rules.names.signatures import by_initials, by_signature
from incognote.detect.rules.names.titles import Found, by_degree, by_title
from incognote.document import Span

_FINDERS = (
    by_title,
    by_degree,
    by_label,
    by_salutation,
    by_page_header,
    by_form,
    by_narrative,
    by_kin,
    by_role,
    before_kin,
    by_signature,
)


def _find(note: Reading) -> Iterator[Span]:
    text = note.text
    found = list(chain.from_iterable(finder(note) for finder in _FINDERS))
    found += by_initials(note, found)
    for start, end, type, score in _disjoint(found):
        yield Span.of(text, start, end, type, score=score, source=FAMILY.source)


def _disjoint(found: list[Found]) -> list[Found]:
    """One finding per place: the longest of those that overlap, then the most certain."""
    kept: list[Found] = []
    for item in sorted(found, key=lambda f: (f[0], -f[1], -f[3])):
        if kept and item[0] < kept[-1][1]:
            longer = item[1] - item[0] > kept[-1][1] - kept[-1][0]
            same = item[:2] == kept[-1][:2]
            if longer or (same and item[3] > kept[-1][3]):
                kept[-1] = item
        else:
            kept.append(item)
    return kept


FAMILY = Family("names", frozenset({"PATIENT", "DOCTOR"}), _find)
