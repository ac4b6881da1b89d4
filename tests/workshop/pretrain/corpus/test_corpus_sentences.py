"""Sentences of clinical text, and that none of it is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rule_cases import CASES

from incognote.workshop.pretrain.corpus.sentences import WRAPPED_AT_LEAST, parts, sentences

LINES = (CASES / "sentences.jsonl").read_text("utf-8").splitlines()
ODD = st.sampled_from(
    [
        "Dr. ",
        "q.d.",
        "No. 3 ",
        "1. ",
        "\n",
        "\r\n",
        "\n\n",
        "\u2028",
        "A\u3000.",
        ". ",
        "? ",
        '."',
        "é",
    ]
)


@pytest.mark.parametrize(
    "case", [json.loads(line) for line in LINES], ids=lambda case: case["sentences"][0][:30]
)
def test_cases(case: dict[str, Any]) -> None:
    text = case["join"].join(case["sentences"])
    assert [text[first:end] for first, end in sentences(text)] == case["sentences"]


@given(st.lists(st.one_of(ODD, st.text(max_size=12)), max_size=40))
def test_no_character_but_white_space_is_lost_or_moved(parts: list[str]) -> None:
    text = "".join(parts).encode("utf-8", "replace").decode()
    found = list(sentences(text))
    assert "".join("".join(text[first:end].split()) for first, end in found) == "".join(
        text.split()
    )
    edges = [edge for pair in found for edge in pair]
    assert edges == sorted(edges)
    assert all(text[first:end] == text[first:end].strip() != "" for first, end in found)


def test_blank_text_has_none() -> None:
    assert list(sentences(" \n\t\n ")) == []


WRAPPED = "He denies chest pain, and has been well since he was seen here by Dr."
PIECES = st.one_of(
    st.sampled_from(
        [
            WRAPPED,
            f"{WRAPPED}\n",
            f"{WRAPPED}  \r\n",
            f'said: "{WRAPPED}\n',
            "1. pain\n",
            "PLAN: none. Seen.\n",
            "He denies. No. 3 is",
            "approx.\n",
            " ",
            "\n",
            "\r",
            "\r\n",
            "\x85",
            "\u2028",
            "\u200b\n",
        ]
    ),
    st.text(max_size=6),
)


@given(st.lists(PIECES, max_size=30), st.integers(0, 200))
@example([f"{WRAPPED}\n", "PLAN: none. Seen.\n", f"{WRAPPED}\n", WRAPPED], 0)
@example([f"{WRAPPED}\r", "\n", "Seen. ", "\n"], len(WRAPPED) + 1)
def test_sentences_of_parts_are_those_of_the_whole(pieces: list[str], size: int) -> None:
    text = "".join(pieces).encode("utf-8", "replace").decode()
    found = []
    begin = 0
    for part in parts(text, size):
        assert part.begins is (begin == 0)
        found += [(begin + first, begin + end) for first, end in sentences(part.text)]
        begin += len(part.text)
    assert begin == len(text)
    assert found == list(sentences(text))


def test_a_part_ends_with_the_lines_that_it_has_begun() -> None:
    line = "x" * (WRAPPED_AT_LEAST - 1)
    found = list(parts(f"{line}\n" * 1000, 5 * len(line), held_out=True))
    assert max(len(part.text) for part in found) < 8 * len(line)
    assert all(part.held_out for part in found)


def test_a_line_is_never_parted() -> None:
    assert [part.text for part in parts("Seen. " * 100, 10)] == ["Seen. " * 100]
    assert [part.text for part in parts(f"{WRAPPED}\n" * 9, 10)] == [f"{WRAPPED}\n" * 9]


def test_short_documents_are_one_part() -> None:
    for text in ("", " ", "Seen."):
        assert [part.text for part in parts(text, 10)] == [text]
