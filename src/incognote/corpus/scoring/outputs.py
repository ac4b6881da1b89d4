"""The error page and the plot: checked before the work, written after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from incognote.base.errors import RunError
from incognote.base.files import write_private
from incognote.corpus.output import check_output
from incognote.corpus.scoring.run import Scores

PLOT = "f1-by-type"


@dataclass(frozen=True)
class Outputs:
    """Which files are wanted."""

    errors: Path | None = None
    """The page that shows every error; it holds PHI and only its owner may read it."""
    plot: Path | None = None
    """A folder for the plot, which holds figures only."""

    def files(self) -> list[Path]:
        """All files that will be written."""
        from incognote.evaluate.plots import FORMATS

        plots = [self.plot / f"{PLOT}.{format}" for format in FORMATS] if self.plot else []
        return [*([self.errors] if self.errors else []), *plots]

    def check(self, gold: Path, predicted: Sequence[Path], *, overwrite: bool) -> None:
        """Refuse before the work what would fail after it."""
        from incognote.evaluate.plots import PlotError, need_matplotlib

        if self.errors and len(predicted) > 1:
            raise RunError("--errors shows one prediction: score them one by one for their pages")
        if self.errors and self.errors.is_dir():
            raise RunError(f"{self.errors}: is a folder; --errors writes one file")
        if self.plot and self.plot.exists() and not self.plot.is_dir():
            raise RunError(f"{self.plot}: is not a folder; --plot writes into one")
        for file in self.files():
            check_output(file, (gold, *predicted), overwrite=overwrite)
        if self.plot:
            try:
                need_matplotlib()
            except PlotError as error:
                raise RunError(f"--plot: {error}") from None

    def write(self, scores: Scores) -> list[Path]:
        """Write them; the paths in the order of `files`."""
        contents: list[bytes] = []
        if self.errors:
            contents.append(_page(scores))
        if self.plot:
            contents += _plots(scores)
        for file, content in zip(self.files(), contents, strict=True):
            write_private(file, content)
        return self.files()


def _page(scores: Scores) -> bytes:
    from incognote.evaluate.error_analysis import analyse
    from incognote.evaluate.error_page import error_page

    system = scores.systems[0]
    analysis = analyse(scores.gold, system.notes)
    return error_page(system.report, analysis, system.name).encode("utf-8", "replace")


def _plots(scores: Scores) -> list[bytes]:
    from incognote.evaluate.plots import FORMATS, f1_by_type

    images = f1_by_type({system.name: system.report for system in scores.systems})
    return [images[format] for format in FORMATS]
