"""Names of patients, of the people around them, and of staff, by strong context.

The cues are words beside a name (`titles`) or the layout of the note (`headings`); `reader` reads
the name that a cue announces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from incognote.detect.note_index import NoteIndex
from incognote.detect.rules.engine import Family, Finding
from incognote.detect.rules.names.headings import (
    by_form,
    by_initials,
    by_label,
    by_narrative,
    by_page_header,
    by_salutation,
    by_signature,
)
from incognote.detect.rules.names.titles import before_kin, by_degree, by_kin, by_role, by_title

_CUES = (
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


def _by_cue(note: NoteIndex) -> Iterator[Finding]:
    """What the cues announce, and the initials of those who are so named."""
    findings = [finding for cue in _CUES for finding in cue(note)]
    yield from findings
    yield from by_initials(note, findings)


def _keep_longest_of_all(_: str, findings: Iterable[Finding]) -> list[Finding]:
    """Of names that overlap the longest, wherever it begins; of the same name the surest."""
    names: list[Finding] = []
    for name in sorted(findings, key=lambda name: (name.start, -name.end, -name.score)):
        if not names or name.start >= names[-1].end:
            names.append(name)
        elif name.end - name.start > names[-1].end - names[-1].start:
            names[-1] = name
    return names


FAMILY = Family(
    "names",
    frozenset({"PATIENT", "DOCTOR"}),
    (_by_cue,),
    _keep_longest_of_all,
    parts={_by_cue: _CUES},
)
