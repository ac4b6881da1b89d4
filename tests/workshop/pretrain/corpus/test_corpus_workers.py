"""What processes are handed: a bounded length of text at a time, and nothing out of order."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from workshop.pretrain.corpus.corpus_tokenizers import tokenizer

from incognote.workshop.pretrain.corpus import encoding
from incognote.workshop.pretrain.corpus.encoding import encode_batches
from incognote.workshop.pretrain.corpus.sentences import Part

SIZES = [300, 10, 10, 900, 40, 5000, 10, 10, 10, 10, 10, 10, 700, 700, 1]


def test_text_in_flight_is_bounded_by_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "IN_FLIGHT", 500)
    room = 2 * encoding.IN_FLIGHT
    handed: dict[int, int] = {}
    most: list[tuple[int, int]] = []
    order: list[int] = []

    def batches() -> Iterator[tuple[int, list[Part]]]:
        for number, size in enumerate(SIZES):
            yield number, [Part("x" * size, True, False)]
            if number not in order:  # else it was waited for at once
                handed[number] = size
            most.append((len(handed), sum(handed.values())))

    for number, _ in encode_batches(batches(), tokenizer("bert").reader, 2):
        handed.pop(number, None)
        order.append(number)
    assert order == list(range(len(SIZES)))
    assert all(held <= room or count == 1 for count, held in most)
    assert max(count for count, _ in most) > 4  # short ones need not wait for each other


def test_a_process_that_tokenises_is_without_torch() -> None:
    code = (
        "import sys, incognote.workshop.pretrain.corpus.encoding; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
