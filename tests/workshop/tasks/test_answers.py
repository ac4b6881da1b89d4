"""Answers from logits: to the definition of Hugging Face's examples, spelled out here step by step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from align.tiny_tokenizers import SENTENCES
from workshop.tasks.question_windows import reader

from incognote.base.errors import NotFiniteError, TrainError
from incognote.workshop.tasks.answers import (
    Answered,
    AnswerRules,
    answer,
    answers,
    decided,
    tuned_threshold,
)
from incognote.workshop.tasks.inputs import Item, Limits, items
from incognote.workshop.tasks.task import TASKS, Answer, QuestionExample

Windows = list[tuple[Item, Any]]
CONTEXT = " ".join(SENTENCES[:12])


def windows(
    example: QuestionExample, draws: np.random.Generator, family: str = "bert", spread: float = 3.0
) -> Windows:
    """The windows of a question, with logits that were drawn."""
    read = items(TASKS["squad2"], [example], reader(family), Limits(longest=48, stride=16))
    return [
        (item, (draws.normal(size=(len(item.sequences[0]), 2)) * spread).astype(np.float32))
        for item in read
    ]


def question(id: str = "q") -> QuestionExample:
    return QuestionExample(id, "Who was seen?", CONTEXT, (Answer(CONTEXT[:4], 0),))


def by_definition(
    example: QuestionExample, found: Windows, rules: AnswerRules
) -> tuple[list[dict[str, Any]], float]:
    """The candidates and the score of no answer, pair by pair."""
    pairs: list[dict[str, Any]] = []
    null: dict[str, Any] = {}
    for item, logits in found:
        sequence = item.sequences[0]
        start, end = logits[:, 0], logits[:, 1]
        null_score = start[item.cls] + end[item.cls]
        if not null or null_score < null["score"]:
            null = {"text": "", "score": null_score}
        for first in np.argsort(start)[::-1][: rules.n_best]:
            for last in np.argsort(end)[::-1][: rules.n_best]:
                if sequence.part[first] != item.context or sequence.part[last] != item.context:
                    continue
                if last < first or last - first + 1 > rules.longest:
                    continue
                text = example.context[sequence.starts[first] : sequence.ends[last]]
                if text.strip():
                    pairs.append({"text": text, "score": start[first] + end[last]})
    if rules.nullable:
        pairs.append(null)
    best = sorted(pairs, key=lambda pair: -pair["score"])[: rules.n_best]
    if rules.nullable and not any(pair is null for pair in best):
        best.append(null)
    total = sum(np.exp(float(pair["score"])) for pair in best)
    for pair in best:
        pair["probability"] = np.exp(float(pair["score"])) / total
    return best, float(null["score"])


@pytest.mark.parametrize("family", ["bert", "roberta", "albert", "xlnet"])
@pytest.mark.parametrize("nullable", [False, True])
@pytest.mark.parametrize("n_best", [1, 5, 20])
def test_candidates_are_those_of_the_definition(family: str, nullable: bool, n_best: int) -> None:
    draws = np.random.default_rng(n_best)
    rules = AnswerRules(n_best=n_best, longest=12, nullable=nullable)
    for _ in range(8):
        found = windows(question(), draws, family)
        assert len(found) > 2
        wanted, null_score = by_definition(question(), found, rules)
        answered = answer(question(), found, rules)
        assert [each.text for each in answered.candidates] == [each["text"] for each in wanted]
        assert [each.score for each in answered.candidates] == pytest.approx(
            [float(each["score"]) for each in wanted]
        )
        assert [each.probability for each in answered.candidates] == pytest.approx(
            [each["probability"] for each in wanted], rel=1e-5
        )
        assert answered.null_score == pytest.approx(null_score)
        said = [each for each in wanted if each["text"]]
        if nullable and said:
            assert answered.null_odds == pytest.approx(
                null_score - float(said[0]["score"]), abs=1e-5
            )
            assert answered.text == ("" if answered.null_odds > 0 else said[0]["text"])
        elif said:
            assert answered.text == said[0]["text"]


def test_a_candidate_is_where_it_says() -> None:
    answered = answer(question(), windows(question(), np.random.default_rng(0)), AnswerRules())
    assert answered.candidates
    for each in answered.candidates:
        assert CONTEXT[each.start : each.end] == each.text


def test_the_right_answer_is_found_in_whichever_window_it_is() -> None:
    place = CONTEXT.rindex(" ", 0, -1) + 1
    example = QuestionExample("q", "Who?", CONTEXT, (Answer(CONTEXT[place:], place),))
    found = windows(example, np.random.default_rng(0), spread=0.1)
    for item, logits in found:
        assert isinstance(item.target, tuple)
        logits[item.target[0], 0] += 9
        logits[item.target[1], 1] += 9
    rules = AnswerRules(nullable=True)
    answered = answer(example, found, rules)
    assert CONTEXT[place:] in answered.candidates[0].text
    assert answered.text.strip() == CONTEXT[place:]
    assert answered.null_odds < 0


def test_the_threshold_decides() -> None:
    found = windows(question(), np.random.default_rng(0))
    rules = AnswerRules(nullable=True)
    answered = answer(question(), found, rules)
    above = decided(answered, replace(rules, threshold=answered.null_odds - 0.01))
    below = decided(answered, replace(rules, threshold=answered.null_odds + 0.01))
    assert (above.text, above.answer) == ("", None)
    assert below.text
    assert below.answer == answered.best


def test_without_a_candidate_there_is_no_answer() -> None:
    example = QuestionExample("q", "Who?", "", known=False)
    for nullable in (False, True):
        (item, logits) = windows(example, np.random.default_rng(0))[0]
        answered = answer(example, [(item, logits)], AnswerRules(nullable=nullable))
        assert answered.answer is None
        assert answered.best is None
        assert answered.text == ""


def test_a_stretch_of_overlapping_windows_is_listed_once() -> None:
    answered = answer(question(), windows(question(), np.random.default_rng(1)), AnswerRules())
    doubled = replace(
        answered, candidates=tuple(each for each in answered.candidates for _ in "ab")
    )
    distinct = doubled.distinct(3)
    assert len({(each.start, each.end) for each in distinct}) == len(distinct) == 3
    assert distinct[0] == answered.candidates[0]


def test_questions_come_in_order_and_one_at_a_time() -> None:
    examples = [question(f"{n}") for n in range(50)]
    read = iter(items(TASKS["squad"], examples, reader("bert"), Limits(longest=48, stride=16)))
    taken = []

    def scored() -> Any:
        for item in read:
            taken.append(item.number)
            yield item, np.zeros((len(item.sequences[0]), 2), np.float32)

    stream = answers(examples, scored(), AnswerRules())
    assert [next(stream).id for _ in range(3)] == ["0", "1", "2"]
    assert max(taken) <= 3
    assert len(list(stream)) == 47


def test_the_tuned_threshold_gives_the_best_f1() -> None:
    examples = [question(f"{n}") for n in range(6)]
    examples = [replace(each, answers=()) if int(each.id) % 2 else each for each in examples]
    found: list[Answered] = []
    for example in examples:
        answered = answer(
            example,
            windows(example, np.random.default_rng(int(example.id))),
            AnswerRules(nullable=True),
        )
        assert answered.best is not None
        right = example.answers[0].text if example.answers else answered.best.text
        best = replace(answered.best, text=right)
        shift = 5.0 if not example.answers else -5.0
        null_score = best.score + shift + int(example.id)
        found.append(Answered(example.id, (best,), null_score, best))
    threshold = tuned_threshold(examples, found)
    odds = {each.id: each.null_odds for each in found}
    for example in examples:
        assert (odds[example.id] > threshold) == (not example.answers)


def test_scores_that_are_no_numbers_are_refused() -> None:
    found = windows(question(), np.random.default_rng(0))
    found[1][1][3, 0] = np.nan
    with pytest.raises(NotFiniteError):
        answer(question(), found, AnswerRules())
    with pytest.raises(TrainError, match="1 or more"):
        AnswerRules(longest=0)
