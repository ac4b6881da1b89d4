"""Sentences of clinical text, and that none of it is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_cases import CASES

from incognote.workshop.pretrain.corpus.sentences import sentences

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
