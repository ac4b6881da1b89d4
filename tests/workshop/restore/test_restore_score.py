"""Figures of restoring, and the plain ways beside them."""

from __future__ import annotations

from incognote.workshop.restore.score import CommonForms, compared, figures, table

GOLD = ["Dr. Smith saw him. Any pain? No, none.", "He has COPD."]


def test_the_text_itself_is_right_and_dictation_finds_nothing() -> None:
    answers = {"dr smith saw him any pain no none": GOLD[0], "he has copd": GOLD[1]}
    right = figures(GOLD, answers.__getitem__)
    assert right["words"] == 11
    assert right["changed_words"] == 0
    assert right["period"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0, "support": 4}
    assert right["capitals"]["f1"] == 1.0
    assert right["capitals"]["support"] == 6
    assert right["colon"]["support"] == 0
    nothing = figures(GOLD, lambda text: text)
    assert nothing["period"]["recall"] == nothing["capitals"]["f1"] == 0


def test_wrong_places_and_wrong_forms_count() -> None:
    found = figures(["He has COPD, mild."], lambda text: "He. Has Copd mild.")
    assert found["period"] == {"precision": 0.5, "recall": 1.0, "f1": 2 / 3, "support": 1}
    assert found["comma"]["recall"] == 0
    # Of He, Has and Copd one is right; COPD is missed.
    assert found["capitals"]["precision"] == 1 / 3
    assert found["capitals"]["recall"] == 1 / 2


def test_other_words_are_counted() -> None:
    assert figures(["No pain."], lambda text: "No pan.")["changed_words"] == 1
    assert figures(["No pain."], lambda text: "No")["changed_words"] == 1


def test_common_forms_are_what_the_texts_have_most() -> None:
    forms = CommonForms(["He has COPD. She is well.", "Today he has COPD, and pain."])
    assert forms.restore("she has copd and pain") == "She has COPD, and pain."


def test_the_table_has_a_row_for_each_way() -> None:
    columns, rows = table(compared({"notes": GOLD}, GOLD, lambda text: text))
    assert [row[:2] for row in rows] == [
        ["notes", "model"],
        ["notes", "most common forms"],
        ["notes", "no change"],
    ]
    assert all(len(row) == len(columns) for row in rows)
