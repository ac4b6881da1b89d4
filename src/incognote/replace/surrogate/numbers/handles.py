"""Login names and what stands before the @: a person's fake where they show the person's name."""

from __future__ import annotations

import re

from incognote.replace.surrogate.keyed import Keyed
from incognote.replace.surrogate.numbers.people_names import RenamedPeople, shown_name
from incognote.replace.surrogate.numbers.shape import compact, pour, reshaped
from incognote.replace.surrogate.numbers.spoken_words import spoken

_PIECE = re.compile(r"(?P<letters>[^\W\d_]+)|(?P<digits>\d+)|(?P<rest>[\W_]+)")
_SPOKEN_FROM = 4
ROLES = frozenset(
    "admin admissions appointments appts auto billing care case chart clinic contact desk dev doctor "
    "doc donotreply email enroll fax feedback frontdesk front help helpdesk home hr info inquiries "
    "inquiry intake lab labs mail manager med medical med nurse nurses nursing office patient "
    "patients pharmacy portal proxy radiology reception records referral referrals refill refills "
    "registrar results rn md np scheduling scr scribe secretary secure service services social staff "
    "support team the triage user visit web work direct inbox message messages noreply no reply".split()
)
"""Words that name a function and not a person; they stay."""

NOBODY = RenamedPeople()


def write_handle(text: str, keyed: Keyed, turn: int, people: RenamedPeople = NOBODY) -> str:
    """A login with another name, other figures and the same marks between them.

    A name is looked for at first only: where its fake will not do, the letters get other letters.
    """
    pieces = list(_PIECE.finditer(text))
    runs = [compact(piece["letters"]) for piece in pieces if piece["letters"]]
    shown = shown_name([run for run in runs if run not in ROLES], people) if turn == 0 else {}
    only_roles = all(run in ROLES for run in runs) and not any(each["digits"] for each in pieces)
    written: list[str] = []
    for piece in pieces:
        if piece["rest"]:
            written.append(piece[0])
        elif piece["digits"]:
            written.append(pour(piece[0], reshaped(compact(piece[0]), keyed, turn)))
        else:
            run = compact(piece[0])
            if run in shown:
                written.append(_in_case(shown[run], piece[0]))
            elif run in ROLES and (len(runs) > 1 or only_roles):
                written.append(piece[0])
            else:
                written.append(_in_case(_other(run, keyed, turn), piece[0]))
    return "".join(written)


def _other(run: str, keyed: Keyed, turn: int) -> str:
    if len(run) < _SPOKEN_FROM:
        return reshaped(run, keyed, turn)
    return spoken(len(run), keyed, run, turn)


def _in_case(fake: str, pattern: str) -> str:
    if pattern.isupper() and (len(pattern) > 1 or len(fake) == 1):
        return fake.upper()
    return fake.capitalize() if pattern[:1].isupper() else fake
