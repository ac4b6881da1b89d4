"""The figures of the end-to-end benchmark, from costs that are given: nothing is timed here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.peers import hugging_face, plain_int8, presidio, speeds
from benchmarks.peers.measuring import Cost
from benchmarks.peers.plain_int8 import _spans
from benchmarks.speed.commands import Whole
from benchmarks.speed.notes import mixed_notes
from benchmarks.speed.report import Commands, Report, System, markdown
from incognote.workshop.bench.operations import Peaks

WEIGHTS = Path("weights")
SYSTEMS = [
    System(speeds.peer("both", Path("model"), "careful"), Cost(1.0, 0.9, 10.0, 8.0, 200.0)),
    System(hugging_face.peer([WEIGHTS], 256, 16, 4), Cost(9.0, 7.0, 20.0, 20.0, 900.0)),
    System(plain_int8.peer([WEIGHTS], 256, 16, 1), Cost(1.0, 0.5, 12.0, 12.0, 150.0)),
    System(presidio.PEERS[1], failed="did not install: no network"),
]


def report(clock: str) -> Report:
    whole = {count: Whole(100, 60_000, 10.0 / count, 10.0, 200.0) for count in (1, 2)}
    return Report(
        machine="here",
        notes=100,
        words=60_000,
        rounds=1,
        threads=1,
        clock=clock,
        peaks=Peaks(65.0, 150.0),
        cores=2,
        systems=SYSTEMS,
        commands=Commands({"incognote deid": whole[1]}, whole, [whole[1]]),
    )


def test_ratios_are_those_of_the_clock() -> None:
    careful = SYSTEMS[0]
    assert report("wall").times_as_fast(careful, "transformers") == 2.0
    assert report("cpu").times_as_fast(careful, "transformers") == 2.5
    assert report("cpu").times_as_fast(careful, "onnxruntime-int8") == 1.5
    assert report("cpu").times_as_fast(SYSTEMS[3], "transformers") is None
    assert report("cpu").times_as_fast(careful, "presidio-default") is None


def test_notes_of_600_words_are_scaled_to_the_agreed_peak() -> None:
    """100 such notes in 10 s by one core; two cores have just the 130 GFLOP/s agreed on."""
    assert report("wall").long_notes_per_second(SYSTEMS[0]) == pytest.approx(20.0)


def test_tables_name_all_and_who_failed() -> None:
    text = markdown(report("wall"))
    assert "| incognote careful | 10.0 | 6,000 | 2.00 | 1.20 | 20.00 |" in text
    assert "| 2 | 5.0 | 20.0 | 2.00 | 200 |" in text
    assert "| 100 | 100.0 | 166.7 | 1.00 | 200 | 1.00 |" in text
    assert "Presidio, as it comes: did not install: no network" in text
    told = json.loads(json.dumps(report("wall").as_dict(), default=str))
    assert told["systems"][0]["times_as_fast_as_transformers"] == 2.0


def test_notes_are_mixed_and_always_the_same() -> None:
    notes = mixed_notes(20, None)
    assert notes == mixed_notes(20, None)
    assert len({note.id for note in notes}) == 20
    assert len({note.id[0] for note in notes}) > 1
    with pytest.raises(ValueError, match="make more"):
        mixed_notes(10**6, None)
    with pytest.raises(ValueError, match="no set E"):
        mixed_notes(1, None, ["A", "E"])


def test_pieces_of_one_type_join_to_spans() -> None:
    pieces = {
        0: (3, "B-DATE"),
        3: (4, "B-DATE"),
        5: (8, "I-DATE"),
        9: (12, "B-DATE"),
        13: (14, "O"),
    }
    assert _spans("", pieces) == [(0, 8, "DATE", 1.0), (9, 12, "DATE", 1.0)]
    assert _spans("", {0: (3, "I-CITY"), 4: (6, "I-DATE")}) == [
        (0, 3, "CITY", 1.0),
        (4, 6, "DATE", 1.0),
    ]
