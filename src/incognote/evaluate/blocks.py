"""The groups of figures, each under the name of those who defined it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from incognote.evaluate import i2b2, meddocan, release, study
from incognote.evaluate.counts import Measure, Path, Tree, leaves
from incognote.evaluate.pairing import Pair

BLOCKS: Mapping[str, Callable[[Sequence[Pair]], Tree]] = {
    "release": release.measures,
    "i2b2": i2b2.measures,
    "study": study.measures,
    "meddocan": meddocan.measures,
}


def block_measures(pairs: Sequence[Pair], names: Iterable[str]) -> dict[Path, Measure]:
    """The measures of the named blocks by their paths."""
    return dict(leaves({name: BLOCKS[name](pairs) for name in names}))
