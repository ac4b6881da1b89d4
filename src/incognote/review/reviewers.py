"""Who takes part in a review: invitations by link, roles, and what is written down of their work."""

from __future__ import annotations

import secrets

from incognote.base.errors import RunError
from incognote.review.api import digest
from incognote.review.desk import ROLES, Role
from incognote.review.store import ConflictError, Reviewer, Store

_LONGEST = 80


def invite(store: Store, name: str, role: Role) -> str:
    """Let somebody in, or give them another link; gives the secret of the link, kept by its digest.

    An earlier link and all sessions of this reviewer end.
    """
    name = name.strip()
    if not name or len(name) > _LONGEST or not name.isprintable():
        raise RunError(f"a reviewer's name has 1 to {_LONGEST} characters")
    if role not in ROLES:
        raise RunError(f"choose a role: {', '.join(ROLES)}")
    secret = secrets.token_urlsafe(24)
    known = find(store, name)
    if known is None:
        try:
            store.add_reviewer(name, role, digest(secret))
        except ConflictError:
            raise RunError(f"{name}: is a reviewer already") from None
    else:
        store.change_reviewer(known.reviewer, role=role, secret=digest(secret), active=True)
    return secret


def dismiss(store: Store, name: str) -> None:
    """Let somebody in no more; what they did stays."""
    known = find(store, name)
    if known is None:
        raise RunError(f"{name}: is no reviewer of this review")
    store.change_reviewer(known.reviewer, active=False)


def find(store: Store, name: str) -> Reviewer | None:
    """A reviewer by name."""
    return next((each for each in store.reviewers() if each.name == name), None)
