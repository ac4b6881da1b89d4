"""Exported tasks: opened without torch, read in batches, and refused where they are damaged."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from workshop.tasks.task_folders import own, write_table_task

from incognote.base.errors import ModelError
from incognote.onnx.task_folder import FILE, NETWORK, read_task_folder
from incognote.workshop.tasks.answers import Answered
from incognote.workshop.tasks.evaluate import as_json, evaluate, write_predictions
from incognote.workshop.tasks.predict import OnnxTask, Predicted, predictions
from incognote.workshop.tasks.task import (
    GLUE,
    TASKS,
    Answer,
    ChoiceExample,
    QuestionExample,
    SentenceExample,
)

FILLING = "it was seen and then it was there . " * 12
CONTEXT = f"{FILLING} he was given aspirin . {FILLING}"


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> OnnxTask:
    votes = {"pain": (0.0, 3.0), "chest": (2.0, 0.0)}
    return OnnxTask(
        write_table_task(
            tmp_path_factory.mktemp("t") / "kinds", own("sentence", "no", "yes"), votes
        )
    )


def spans(folder: Path, **settings: object) -> OnnxTask:
    task = TASKS["squad2"]
    votes = {"aspirin": (5.0, 5.0)}
    return OnnxTask(write_table_task(folder, task, votes, **settings))  # type: ignore[arg-type]


def test_labels_have_their_probabilities(kinds: OnnxTask) -> None:
    texts = ["pain", "chest", "pain in the chest", "nothing"]
    examples = [SentenceExample(text, text) for text in texts]
    found = list(predictions(kinds, examples))
    assert [each.value for each in found if isinstance(each, Predicted)] == [
        "yes",
        "no",
        "yes",
        "no",
    ]
    assert [each.id for each in found] == texts
    first = found[0]
    assert isinstance(first, Predicted)
    assert sum(first.probabilities) == pytest.approx(1)


def test_a_result_does_not_depend_on_the_neighbours(kinds: OnnxTask) -> None:
    draws = np.random.default_rng(0)
    words = ["pain", "chest", "arm", "left", "seen", "the"]
    texts = [" ".join(draws.choice(words, size=draws.integers(1, 30))) for _ in range(300)]
    examples = [SentenceExample(f"{n}", text) for n, text in enumerate(texts)]
    together = list(predictions(kinds, examples))
    alone = [next(predictions(kinds, [example])) for example in examples[:40]]
    assert together[:40] == alone
    assert [each.id for each in together] == [f"{n}" for n in range(300)]


def test_texts_longer_than_the_model_reads_are_said_to_be_cut(kinds: OnnxTask) -> None:
    examples = [SentenceExample("short", "pain"), SentenceExample("long", "pain " * 100)]
    assert [each.cut for each in predictions(kinds, examples) if isinstance(each, Predicted)] == [
        False,
        True,
    ]


def test_predictions_are_given_while_examples_still_come(kinds: OnnxTask) -> None:
    asked = []

    def endless() -> Iterator[SentenceExample]:
        while True:
            asked.append(0)
            yield SentenceExample(f"{len(asked)}", "pain")

    stream = predictions(kinds, endless())
    for _ in range(1000):
        next(stream)
    assert len(asked) < 1700


def test_numbers_options_and_segments(tmp_path: Path) -> None:
    similar = OnnxTask(
        write_table_task(tmp_path / "n", GLUE["sts-b"], {"pain": (1.5,)}, segments=True)
    )
    (number,) = predictions(similar, [SentenceExample("a", "pain", "pain")])
    assert isinstance(number, Predicted)
    assert number.value == pytest.approx(3.0)
    race = OnnxTask(write_table_task(tmp_path / "c", TASKS["race"], {"aspirin": (1.0,)}))
    example = ChoiceExample("a", CONTEXT, "given ?", ("chest", "aspirin", "arm"), 1)
    (option,) = predictions(race, [example])
    assert isinstance(option, Predicted)
    assert option.value == 1
    assert len(option.probabilities) == 3
    assert as_json(race.task, option)["option"] == 1


def test_an_answer_is_found_in_a_long_text(tmp_path: Path) -> None:
    model = spans(tmp_path / "s")
    place = CONTEXT.index("aspirin")
    examples = [
        QuestionExample("there", "what was given ?", CONTEXT, (Answer("aspirin", place),)),
        QuestionExample("not there", "what was given ?", FILLING),
    ]
    there, absent = predictions(model, examples)
    assert isinstance(there, Answered)
    assert isinstance(absent, Answered)
    assert there.text == "aspirin"
    assert there.answer is not None
    assert there.answer.start == place
    assert there.null_odds == pytest.approx(-10.0)
    assert absent.null_odds == pytest.approx(0.0)


def test_the_folders_threshold_counts(tmp_path: Path) -> None:
    model = spans(tmp_path / "s", threshold=-11.0)
    (answered,) = predictions(model, [QuestionExample("a", "given ?", CONTEXT, known=False)])
    assert isinstance(answered, Answered)
    assert answered.text == ""
    assert as_json(model.task, answered, top=1)["answer"] is None


def test_servers_files(tmp_path: Path) -> None:
    rte = [Predicted("0", "entailment", (0.9, 0.1)), Predicted("1", "not_entailment", (0.2, 0.8))]
    (path,) = write_predictions(GLUE["rte"], rte, tmp_path)
    assert path.name == "RTE.tsv"
    assert path.read_text() == "index\tprediction\n0\tentailment\n1\tnot_entailment\n"
    (path,) = write_predictions(
        GLUE["sts-b"], [Predicted("0", 5.25), Predicted("1", 2.5)], tmp_path
    )
    assert path.read_text() == "index\tprediction\n0\t5.000\n1\t2.500\n"
    for part, name in (("matched", "MNLI-m.tsv"), ("mismatched", "MNLI-mm.tsv")):
        (path,) = write_predictions(GLUE["mnli"], [], tmp_path, part=part)
        assert path.name == name
    answered = Answered("q1", (), 1.5, None)
    texts, odds = write_predictions(TASKS["squad2"], [answered], tmp_path)
    assert (texts.name, odds.name) == ("predictions.json", "null_odds.json")
    assert json.loads(texts.read_text()) == {"q1": ""}
    assert json.loads(odds.read_text()) == {"q1": 1.5}
    assert len(write_predictions(TASKS["squad"], [answered], tmp_path)) == 1
    (path,) = write_predictions(
        own("sentence", "no", "yes"), [Predicted("é", "no", (1, 0))], tmp_path
    )
    assert json.loads(path.read_text("utf-8")) == {
        "id": "é",
        "label": "no",
        "probabilities": {"no": 1, "yes": 0},
    }


def test_an_evaluation_scores_what_is_predicted(kinds: OnnxTask) -> None:
    examples = [SentenceExample("a", "pain", label="yes"), SentenceExample("b", "pain", label="no")]
    found = evaluate(kinds, examples)
    assert found.figures == {"accuracy": 0.5}
    assert found.score == 0.5
    assert found.intervals == {}


def test_the_description_survives_its_file(tmp_path: Path, kinds: OnnxTask) -> None:
    folder = write_table_task(tmp_path / "k", own("sentence", "2", "10", "a"), {})
    described = read_task_folder(folder)
    assert described.labels == ("10", "2", "a")
    assert not described.reads_words
    assert own("sentence", "10", "2").labels == ("2", "10")


def edited(folder: Path, **changes: object) -> Path:
    values = json.loads((folder / FILE).read_text())
    (folder / FILE).write_text(json.dumps({**values, **changes}))
    return folder


def test_damaged_folders_are_refused_in_one_sentence(tmp_path: Path) -> None:
    def fresh(name: str) -> Path:
        return write_table_task(tmp_path / name, own("sentence", "no", "yes"), {"pain": (0, 1)})

    cases: list[tuple[str, dict[str, object], str]] = [
        ("schema", {"schema": 9}, "schema version 9"),
        ("kind", {"kind": "poem"}, "the kind must be one of"),
        ("twice", {"labels": ["no", "no"]}, "listed twice"),
        ("labels", {"labels": ["no", "yes", "maybe"]}, "does not fit the task's description"),
        ("none", {"labels": []}, "there must be labels, or a regression"),
        ("longest", {"longest": "many"}, "longest must be a whole number"),
        ("unknown", {"colour": "red"}, "unknown key 'colour'"),
        ("files", {"files": {}}, "the files must be model.onnx"),
    ]
    for name, changes, match in cases:
        with pytest.raises(ModelError, match=match):
            OnnxTask(edited(fresh(name), **changes))
    broken = fresh("broken")
    (broken / NETWORK).write_bytes((broken / NETWORK).read_bytes()[:-9])
    with pytest.raises(ModelError, match="is not the file that was exported"):
        OnnxTask(broken)
    with pytest.raises(ModelError, match="no task here"):
        OnnxTask(tmp_path)
    endless = write_table_task(
        tmp_path / "endless", own("sentence", "no", "yes"), {"pain": (0, np.inf)}
    )
    with pytest.raises(ModelError, match="not finite"):
        OnnxTask(endless)


def test_torch_is_not_loaded(tmp_path: Path) -> None:
    folder = write_table_task(tmp_path / "k", own("sentence", "no", "yes"), {"pain": (0, 1)})
    code = (
        "import sys; from pathlib import Path\n"
        "from incognote.workshop.tasks.predict import OnnxTask, predictions\n"
        "from incognote.workshop.tasks.readers import read_part\n"
        "from incognote.workshop.tasks.task import SentenceExample\n"
        f"(said,) = predictions(OnnxTask(Path({str(folder)!r})), [SentenceExample('a', 'pain')])\n"
        "assert said.value == 'yes'\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_rules_are_values(tmp_path: Path) -> None:
    model = spans(tmp_path / "s")
    assert model.rules == replace(model.rules)
    assert (model.rules.longest, model.rules.nullable) == (8, True)
