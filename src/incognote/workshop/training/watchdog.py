"""A run that can come to nothing ends with a sentence, and soon."""

from __future__ import annotations

import math

from incognote.base.errors import DivergedError

_MEMORY = 0.95
_PATIENT_STEPS = 20
_BOUND = 4.0
_ADVICE = "try a lower learning rate or more warm-up"


def moving_average(before: float, loss: float, steps: int) -> float:
    """The loss smoothed, after so many steps with this one."""
    return loss if steps == 1 else _MEMORY * before + (1 - _MEMORY) * loss


def check_finite(loss: float, norm: float, place: str) -> None:
    """A loss or a gradient that is no number ends the run."""
    if math.isfinite(loss) and math.isfinite(norm):
        return
    what = "loss" if not math.isfinite(loss) else "gradient"
    kind = "NaN" if math.isnan(loss + norm) else "infinite"
    raise DivergedError(f"the {what} became {kind} at {place}: {_ADVICE}")


def check_bounds(average: float, uniform: float, steps: int, place: str) -> None:
    """A smoothed loss far above that of guessing (`uniform`) ends the run."""
    if steps >= _PATIENT_STEPS and average > _BOUND * uniform:
        raise DivergedError(
            f"the loss diverged: {average:.3g} at {place}, where guessing gives {uniform:.3g}: "
            f"{_ADVICE}"
        )
