"""Taggers that begin with notes alone, beside an encoder in one grid."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop.compare.comparing import BERT, DATA, DEFAULTS, Seen, compared, write_grid

from incognote.base.errors import RunError
from incognote.pipeline import Deidentifier
from incognote.workshop.compare.grid import read_grid
from incognote.workshop.export.run import export

CRF = "[encoders.crf]\niterations = [5, 20]"
BILSTM = """
[encoders.lstm]
start = "bilstm-crf"
epochs = 6
lr = 1e-2
sizes = {word_size=16, cell_size=16, hidden_size=16, letter_size=8, letter_cell=8}
"""


@pytest.mark.usefixtures("here")
def test_both_are_compared_and_the_chosen_are_used(tmp_path: Path) -> None:
    view = Seen()
    comparison = compared(tmp_path / "out", DEFAULTS, "lr = 3e-3", BERT, CRF, BILSTM, view=view)
    assert {cell.state for cell in comparison.cells} == {"done"}
    assert len(comparison.cells) == 4
    facts = {each.name: each for each in comparison.encoders}
    assert (facts["crf"].origin, facts["crf"].random) == ("notes alone", False)
    assert (facts["lstm"].origin, facts["lstm"].random) == ("notes alone", True)
    assert facts["crf"].family == "feature-crf"
    assert facts["crf"].parameters > 1000
    crfs = {cell.options["iterations"]: cell for cell in comparison.cells if cell.encoder == "crf"}
    assert (crfs[20].validation_score or 0.0) > 0.8
    assert crfs[20].options["lr"] == 5e-5  # that of the defaults is not for it
    assert crfs[20].options["crf"] is True
    for name in ("crf", "lstm"):
        export([tmp_path / "out/best" / name], tmp_path / name)
        found = Deidentifier(detector="model", model=tmp_path / name)(DATA.parts.test[0].text)
        assert found.found.spans or name == "lstm"  # eight notes are few


def test_defaults_are_taken_as_far_as_they_mean_something(tmp_path: Path) -> None:
    path = write_grid(
        tmp_path, DEFAULTS, "lr = [1e-3, 3e-3]", "join = true", "crf = false", CRF, BILSTM
    )
    with pytest.raises(RunError, match="a CRF"):
        compared(tmp_path / "out", path.read_text())
    path = write_grid(tmp_path, DEFAULTS, "lr = [1e-3, 3e-3]", "join = true", CRF, BILSTM)
    grid = read_grid(str(path))
    assert len(grid.cells["crf"]) == 2
    assert len(grid.cells["lstm"]) == 1
    (lstm,) = grid.cells["lstm"]
    assert (lstm.crf, lstm.join, lstm.lr, lstm.window) == (True, False, 1e-2, 24)


def test_own_options_that_do_nothing_are_refused_before_the_first_cell(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="crf takes no lr"):
        compared(tmp_path / "out", DEFAULTS, "[encoders.crf]\nlr = 1e-3")
    with pytest.raises(RunError, match="takes no l1"):
        compared(tmp_path / "other", DEFAULTS, "l1 = 0.5", BERT)
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").glob("cells/*"))
