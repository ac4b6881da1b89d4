"""Questions answered as by Hugging Face alone: its tokenizer, its model, and its examples' definition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from parity.test_tasks import checkpoint

from incognote.workshop.tasks.answers import Answered
from incognote.workshop.tasks.predict import predictions
from incognote.workshop.tasks.task import TASKS, QuestionExample

CONTEXT = (
    "The patient was seen in Oslo on Monday. He walks without pain, and was given aspirin. "
    "A fever of three days, then none. His sister lives in Bergen and calls every evening. "
) * 2
QUESTIONS = ("Where was the patient seen?", "What was he given?", "Who calls every evening?")
N_BEST, LONGEST = 20, 30


def answered_by_hugging_face(
    folder: Path, question: str, *, context_first: bool, longest: int, stride: int
) -> tuple[list[tuple[str, float]], float]:
    """Candidates with their probabilities, and how much better "no answer" scores."""
    auto: Any = transformers
    tokenizer = auto.AutoTokenizer.from_pretrained(folder)
    model = auto.AutoModelForQuestionAnswering.from_pretrained(folder).eval()
    texts = [CONTEXT, question] if context_first else [question, CONTEXT]
    read = tokenizer(
        *texts,
        truncation="only_first" if context_first else "only_second",
        max_length=longest,
        stride=stride,
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
    )
    names = [name for name in ("input_ids", "token_type_ids", "attention_mask") if name in read]
    found: list[tuple[np.float32, int, int]] = []
    nulls = []
    for window, ids in enumerate(read["input_ids"]):
        with torch.no_grad():
            output = model(**{name: torch.tensor([read[name][window]]) for name in names})
        start, end = output.start_logits[0].numpy(), output.end_logits[0].numpy()
        cls = ids.index(tokenizer.cls_token_id)
        nulls.append(start[cls] + end[cls])
        whose, offsets = read.sequence_ids(window), read["offset_mapping"][window]
        for first in np.argsort(start)[-1 : -N_BEST - 1 : -1].tolist():
            for last in np.argsort(end)[-1 : -N_BEST - 1 : -1].tolist():
                inside = whose[first] == whose[last] == (0 if context_first else 1)
                if inside and first <= last < first + LONGEST:
                    found.append((start[first] + end[last], offsets[first][0], offsets[last][1]))
    found = [each for each in found if CONTEXT[each[1] : each[2]].strip()]
    rows = [(CONTEXT[a:b].strip(), float(score)) for score, a, b in found]
    best = sorted([*rows, ("", float(min(nulls)))], key=lambda row: -row[1])[:N_BEST]
    if not any(text == "" for text, _ in best):
        best.append(("", float(min(nulls))))
    powers = np.exp(np.array([score for _, score in best]) - best[0][1])
    shares = (powers / powers.sum()).tolist()
    odds = float(min(nulls)) - next(score for text, score in best if text)
    return [(text, share) for (text, _), share in zip(best, shares, strict=True)], odds


@pytest.mark.parametrize("family", ["bert", "distilbert", "electra", "albert", "roberta", "xlnet"])
def test_answers_are_hugging_faces(family: str, tmp_path: Path) -> None:
    trained = checkpoint(tmp_path, family, TASKS["squad2"])
    limits = trained.limits
    examples = [QuestionExample(text, text, CONTEXT, known=False) for text in QUESTIONS]
    for question, ours in zip(QUESTIONS, predictions(trained, examples), strict=True):
        assert isinstance(ours, Answered)
        theirs, odds = answered_by_hugging_face(
            tmp_path / "out",
            question,
            context_first=family == "xlnet",
            longest=limits.longest,
            stride=limits.stride,
        )
        assert [each.text.strip() for each in ours.candidates] == [text for text, _ in theirs]
        assert [each.probability for each in ours.candidates] == pytest.approx(
            [share for _, share in theirs], abs=1e-4
        )
        assert ours.null_odds == pytest.approx(odds, abs=1e-4)
