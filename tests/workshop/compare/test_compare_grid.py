"""Grids: what a file means, and what is refused."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from places import ROOT
from workshop.compare.comparing import DATA, DEFAULTS, Seen

from incognote.base.errors import RunError
from incognote.workshop.compare.grid import Grid, read_grid
from incognote.workshop.compare.notes import Notes
from incognote.workshop.compare.run import Settings, compare
from incognote.workshop.finetune.options import Options

EPOCHS, RATES, DECAYS = (10, 20, 30, 40, 50), (1e-4, 1e-5), (0.0, 0.01, 0.025)
# Table 2 of the study: batch size, epochs, learning rates, weight decays.
TABLE_2 = {
    "bert-base-uncased": (35, EPOCHS, RATES, DECAYS),
    "roberta-base": (35, EPOCHS, RATES, DECAYS),
    "albert-base-v2": (35, EPOCHS, RATES, DECAYS),
    "bert-large-uncased": (12, EPOCHS, RATES, DECAYS),
    "roberta-large": (12, (*EPOCHS, 75, 100), (*RATES, 1e-6), (*DECAYS, 0.05, 0.10)),
    "albert-xxlarge-v2": (6, EPOCHS, RATES, DECAYS),
}
# Table 4: batch size, epochs, learning rate, weight decay.
TABLE_4 = {
    "bert-base-uncased": (35, 50, 1e-4, 0.01),
    "roberta-base": (35, 50, 1e-4, 0.01),
    "albert-base-v2": (35, 40, 1e-4, 0.01),
    "bert-large-uncased": (12, 40, 1e-4, 0.025),
    "roberta-large": (12, 75, 1e-5, 0.01),
    "albert-xxlarge-v2": (6, 20, 1e-4, 0.0),
}


def grid(tmp_path: Path, text: str, *encoders: str, seed: int = 0) -> Grid:
    path = tmp_path / "grid.toml"
    path.write_text(text, encoding="utf-8")
    return read_grid(str(path), encoders, seed=seed)


def test_lists_make_a_product_and_single_values_hold_for_all(tmp_path: Path) -> None:
    made = grid(
        tmp_path,
        """
        [defaults]
        epochs = 3
        lr = [1e-5, 2e-5]
        [encoders.small]
        start = "minilm"
        weight_decay = [0.0, 0.1]
        [encoders.large]
        start = "bert-large-uncased"
        lr = 3e-5
        """,
        seed=7,
    )
    assert [begin.start for begin in made.encoders] == ["minilm", "bert-large-uncased"]
    small = [(o.epochs, o.lr, o.weight_decay, o.seed) for o in made.cells["small"]]
    assert small == [(3, 1e-5, 0.0, 7), (3, 1e-5, 0.1, 7), (3, 2e-5, 0.0, 7), (3, 2e-5, 0.1, 7)]
    assert [o.lr for o in made.cells["large"]] == [3e-5]


def test_cells_can_be_named_one_by_one(tmp_path: Path) -> None:
    made = grid(
        tmp_path,
        """
        [defaults]
        epochs = 3
        [encoders.a]
        [encoders.b]
        [[cells]]
        lr = 1e-5
        [[cells]]
        encoder = "b"
        lr = 2e-5
        crf = true
        """,
    )
    assert [(o.lr, o.crf, o.epochs) for o in made.cells["a"]] == [(1e-5, False, 3)]
    assert [(o.lr, o.crf) for o in made.cells["b"]] == [(1e-5, False), (2e-5, True)]


def test_a_batch_is_counted_in_windows_or_in_pieces(tmp_path: Path) -> None:
    text = "[defaults]\nbatch_tokens = 128\n[encoders.a]\nbatch_size = [2, 4]\n[encoders.b]\n"
    made = grid(tmp_path, text)
    assert [(o.batch_size, o.batch_tokens) for o in made.cells["a"]] == [(2, None), (4, None)]
    assert [(o.batch_size, o.batch_tokens) for o in made.cells["b"]] == [(None, 128)]


def test_encoders_are_chosen_from_the_file_or_take_its_defaults(tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "small"
    folder.mkdir(parents=True)
    text = DEFAULTS + '[encoders.small]\nstart = "minilm"\nlr = 1e-4\n[encoders.other]\n'
    assert [begin.name for begin in grid(tmp_path, text, "small").encoders] == ["small"]
    made = grid(tmp_path, text, str(folder), "minilm")
    assert [(begin.name, begin.start) for begin in made.encoders] == [
        ("small", str(folder)),
        ("minilm", "minilm"),
    ]
    assert made.cells["small"][0].lr == 1e-4
    assert made.cells["minilm"][0].window == 24


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[defaults]\nlearning = 1\n[encoders.a]", r"defaults: unknown key 'learning'"),
        ("[default]\nlr = 1", r"unknown key 'default'"),
        ("[encoders.a]\nlayers = 4", r"encoders.a: unknown key 'layers'"),
        ("[encoders.a]\nlr = -1.0", r"encoders.a: lr must be above 0"),
        ("[encoders.a]\nepochs = 1.5", r"epochs must be a whole number, not 1.5"),
        ("[encoders.a]\nepochs = true", r"epochs must be a whole number, not True"),
        ("[encoders.a]\ncrf = 1", r"crf must be true or false, not 1"),
        ("[encoders.a]\nlr = 'fast'", r"lr must be a number, not 'fast'"),
        ("[encoders.a]\nlr = []", r"lr has no value"),
        ("[encoders.a]\nkeep = 'first'", r"keep must be one of best, last"),
        ("[encoders.a]\nsizes = {layers = 0}", r"size layers must be a whole number above 0"),
        ("[encoders.'a b']", r"'a b' cannot name an encoder"),
        ("labels = 'ours'\n[encoders.a]", r"labels must be one of full, study41, own"),
        ("select = 'loss'\n[encoders.a]", r"select must be one of strict, words, not 'loss'"),
        ("[defaults]\nlr = 1e-3", r"names no encoder: give --encoders"),
        ("[encoders.a]\n[[cells]]\nencoder = 'b'", r"cell 1: no encoder is called 'b'"),
        ("[encoders.a]\n[[cells]]\nlayers = 1", r"cell 1: unknown key 'layers'"),
        ("[encoders.a]\nlr = [1e-3]\n[[cells]]\n", r"lr has a list, but the encoder has"),
        ("encoders = 3", r"encoders must be a table"),
        ("[encoders", r"not TOML"),
    ],
)
def test_what_is_not_known_is_refused_by_name(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(RunError, match=says):
        grid(tmp_path, text)


def test_no_such_grid() -> None:
    with pytest.raises(RunError, match="neither a file nor 'study' nor 'study-best'"):
        read_grid("nothing.toml")


def varied(options: Options) -> tuple[object, ...]:
    return options.batch_size, options.epochs, options.lr, options.weight_decay


def test_the_study_is_its_table_2() -> None:
    made = read_grid("study")
    assert {name: list(map(varied, cells)) for name, cells in made.cells.items()} == {
        name: [(size, *cell) for cell in product(*lists)]
        for name, (size, *lists) in TABLE_2.items()
    }
    assert [begin.name for begin in made.encoders] == list(TABLE_2)
    counts = [len(cells) for cells in made.cells.values()]
    assert (counts, sum(counts)) == ([30, 30, 30, 30, 105, 30], 255)


def test_the_best_of_the_study_is_its_table_4() -> None:
    made = read_grid("study-best")
    assert made.name == "study-best"
    assert [begin.name for begin in made.encoders] == list(TABLE_4)
    assert {name: list(map(varied, cells)) for name, cells in made.cells.items()} == {
        name: [cell] for name, cell in TABLE_4.items()
    }
    for name, cells in made.cells.items():
        assert set(cells) <= set(read_grid("study").cells[name])


@pytest.mark.parametrize("name", ["study", "study-best"])
def test_the_study_has_its_protocol(name: str) -> None:
    made = read_grid(name)
    assert (made.labels, made.split, made.select) == ("study41", "50:10:40", "words")
    for options in (each for cells in made.cells.values() for each in cells):
        assert (options.keep, options.patience, options.warmup) == ("last", None, 0.0)
        assert (options.shape, options.crf, options.clip) == (False, False, 1.0)
    told = " ".join(made.assumptions)
    assert "defaults of the Hugging Face Trainer" in told
    assert "table 2" not in told


def test_a_folder_called_as_a_studied_encoder_takes_its_cells(tmp_path: Path) -> None:
    folder = tmp_path / "roberta-base"
    folder.mkdir()
    for name, count in (("study", 30), ("study-best", 1)):
        made = read_grid(name, [str(folder)])
        assert made.encoders[0].start == str(folder)
        assert len(made.cells["roberta-base"]) == count


def test_the_study_names_no_best_cell_for_others() -> None:
    with pytest.raises(RunError, match="no best cell for minilm: call its folder as one of bert-"):
        read_grid("study-best", ["minilm"])


def test_the_documented_grid_is_one(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    example = page.split("```toml\n")[1].split("```")[0]
    made = grid(tmp_path, example)
    assert {name: len(cells) for name, cells in made.cells.items()} == {
        "minilm": 4,
        "albert-small": 4,
        "bert-mine": 1,
    }
    assert (made.name, made.labels, made.split) == ("small", "own", "50:10:40")


def test_a_checkpoint_keeps_its_own_tokenizer(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text("[defaults]\nepochs = 1\n", encoding="utf-8")
    made = read_grid(str(path), ["clinical-albert", "albert-base-v2"], tokenizer=tmp_path)
    assert [begin.tokenizer for begin in made.encoders] == [None, tmp_path]
    with pytest.raises(RunError, match="--tokenizer: all encoders have one of their own"):
        read_grid(str(path), ["clinical-albert"], tokenizer=tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("defaults = {teacher = 5}", "teacher must be text, not 5"),
        ("split = 5", "write split as text"),
        ('assumptions = "abc"', "write assumptions as a list"),
    ],
)
def test_what_is_not_an_option_has_its_kind_too(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(RunError, match=said):
        grid(tmp_path, f"{text}\n[encoders.minilm]\n")


def test_a_fetched_checkpoint_stands_for_the_encoder_of_its_name(tmp_path: Path) -> None:
    remote = {"google-bert/bert-base-uncased": tmp_path}
    made = read_grid("study", list(remote), fetched=remote)
    begin = made.encoders[0]
    assert (begin.name, begin.start) == ("bert-base-uncased", str(tmp_path))
    assert len(made.cells["bert-base-uncased"]) == 30


def test_random_weights_and_a_bare_encoder_are_said_in_the_file_or_of_all(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text("[encoders.a]\nrandom = true\n[encoders.b]\nencoder_only = true\n")
    first, second = read_grid(str(path)).encoders
    assert (first.origin.random, first.origin.encoder_only) == (True, False)
    assert (second.origin.random, second.origin.encoder_only) == (False, True)
    assert all(begin.random for begin in read_grid(str(path), random=True).encoders)
    path.write_text("[encoders.a]\nrandom = 1\n")
    with pytest.raises(RunError, match="random must be true or false"):
        read_grid(str(path))


def test_the_largest_batch_is_found_for_one_cell_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text('[defaults]\nbatch_size = "auto"\n[encoders.a]\n')
    made = read_grid(str(path))
    assert made.cells["a"][0].batch_size == "auto"
    with pytest.raises(RunError, match="give --workers 1"):
        compare(tmp_path / "out", Notes(DATA), made, Settings(workers=2), Seen())
    path.write_text('[defaults]\nbatch_size = "large"\n[encoders.a]\n')
    with pytest.raises(RunError, match="batch_size must be a whole number"):
        read_grid(str(path))
