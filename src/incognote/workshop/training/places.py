"""Seeds by place: what a run draws depends on where it is, not on what went before."""

from __future__ import annotations

import numpy as np


def seed_at(*place: int) -> int:
    """A seed for a place in the run, far from those of its neighbours."""
    return int(np.random.SeedSequence(place).generate_state(1, np.uint64)[0]) >> 1
