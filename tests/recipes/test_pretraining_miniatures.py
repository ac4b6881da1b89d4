"""The papers' ablations in miniature: every arm can be run, and stands beside the right printed row."""

from __future__ import annotations

import gzip
import json
import lzma
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import torch
from places import ROOT
from safetensors.torch import load_file
from tiny_pretraining import tokenizer_folder

from incognote.cli.app import load as load_command
from incognote.workshop.encoders import load, save
from incognote.workshop.encoders.albert import AlbertConfig
from incognote.workshop.encoders.model import Model
from incognote.workshop.tokenization import load as load_tokenizer
from incognote.workshop.tokenizer_training import make_tokenizer
from incognote.workshop.training.sources import checkpoint_folder

sys.path.insert(0, str(ROOT))

from recipes.pretraining_studies import begin_small, downstream, miniatures_report, run

PLAN: dict[str, Any] = tomllib.loads(
    (ROOT / "recipes/pretraining_studies/miniatures.toml").read_text(encoding="utf-8")
)
ARMS = [
    (study, name)
    for study, told in PLAN["studies"].items()
    for name, arm in told["arms"].items()
    if "same" not in arm
]


@pytest.mark.parametrize(("study", "name"), ARMS)
def test_every_arm_is_a_command(study: str, name: str, tmp_path: Path) -> None:
    arm = PLAN["studies"][study]["arms"][name]
    studies = run.Studies(PLAN, tmp_path, tmp_path, tmp_path, 1.0, 1, "fp32", False)
    options = [*studies.filled(arm["options"]).split(), *map(str, studies.budget(arm))]
    assert not any("{" in word for word in options)
    options += PLAN["options"]["looking"].split()
    context = load_command("pretrain").make_context(
        "pretrain", ["text", "-o", "out", *options, "--resume", "--seed", "1"]
    )
    assert context.params["settings_objective"]
    # XLNet has no dropout of attention weights by itself.
    xlnet = arm["shards"] == "xlnet-words"
    assert xlnet == (context.params["settings_attention_dropout"] is None)
    assert ("small" in arm) != ("--preset" in options)
    assert arm["shards"] in PLAN["tokenizers"]


def test_arms_of_a_study_read_equally_much() -> None:
    """Where the paper varies batches or time it is the sequences, or the steps, that differ."""
    for study, told in PLAN["studies"].items():
        steps = {arm["steps"] for arm in told["arms"].values() if "steps" in arm}
        if study not in ("batch-size", "longer"):
            assert len(steps) == 1, study
    batches = list(PLAN["studies"]["batch-size"]["arms"].values())
    sizes = [
        int(arm["options"].split("--batch-size ")[1].split()[0]) for arm in (batches[0], batches[2])
    ]
    small, large = (
        arm["steps"] * size for arm, size in zip((batches[0], batches[2]), sizes, strict=True)
    )
    assert small == large == batches[1]["steps"] * 1024 // 64


def test_what_is_the_same_is_an_arm_and_begins_alike() -> None:
    names = {f"{study}-{name}" for study, name in ARMS}
    for told in PLAN["studies"].values():
        assert {arm["same"] for arm in told["arms"].values() if "same" in arm} <= names
        starts = {arm["small"].split()[1] for arm in told["arms"].values() if "small" in arm}
        assert len(starts) <= 1


@pytest.mark.parametrize(
    "study", [name for name, told in PLAN["studies"].items() if "paper" in told]
)
def test_every_arm_has_its_row_in_the_printed_table(study: str) -> None:
    told = PLAN["studies"][study]
    printed = miniatures_report.printed_rows(told["paper"])
    for name, arm in told["arms"].items():
        assert arm["row"] in printed, name
        if study == "embedding-size":
            sharing, share = name.split("-")
            assert arm["row"].startswith("not" if sharing == "none" else sharing)
            assert int(share) / 384 == pytest.approx(int(arm["row"].split()[1]) / 768)


@pytest.mark.parametrize("task", PLAN["downstream"])
def test_every_task_is_a_command(task: str) -> None:
    command = load_command("task").commands["train"]
    options = PLAN["downstream"][task].split()
    context = command.make_context("train", ["sst-2", "a", "-o", "b", "--encoder", "c", *options])
    assert context.params


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Public tasks in the forms that the data folder has them in."""
    place = tmp_path / "data"
    for name in ("glue/SST-2", "snli_dev", "squad_subset", "race"):
        (place / name).mkdir(parents=True)
    rows = [f"sentence {n}\t{n % 2}\n" for n in range(100)]
    (place / "glue/SST-2/train.tsv").write_text("".join(["sentence\tlabel\n", *rows]))
    pairs = "".join(f"premise {n // 3}\thypothesis {n}\t{n % 3}\n" for n in range(90))
    (place / "snli_dev/snli_dev.tsv.gz").write_bytes(gzip.compress(pairs.encode()))
    articles = {"version": "1.1", "data": [{"title": f"t{n}", "paragraphs": []} for n in range(20)]}
    packed = gzip.compress(json.dumps(articles).encode())
    (place / "squad_subset/squad_v1_subset_a.json.gz").write_bytes(packed)
    for name in ("train", "dev"):
        lines = "".join(json.dumps({"id": f"{name}{n}"}) + "\n" for n in range(30))
        (place / f"race/{name}_middle.jsonl.xz").write_bytes(lzma.compress(lines.encode()))
    return place


def test_parts_of_tasks_are_apart_and_drawn_once(tasks: Path, tmp_path: Path) -> None:
    drawn = (
        downstream.sst_2(tasks, tmp_path / "a", 40, 20),
        downstream.snli(tasks, tmp_path / "b", 30, 30),
        downstream.race(tasks, tmp_path / "c", 10, 5),
    )
    for part, sizes in zip(drawn, ((41, 21), (31, 31), (10, 5)), strict=True):
        train, validation = (
            path.read_text().splitlines() for path in (part.train, part.validation)
        )
        assert (len(train), len(validation)) == sizes
        assert not set(train[1:]) & set(validation[1:])
    premises = [
        {line.split("\t")[0] for line in path.read_text().splitlines()[1:]}
        for path in (drawn[1].train, drawn[1].validation)
    ]
    assert not premises[0] & premises[1]
    squad = downstream.squad(tasks, tmp_path / "d")
    titles = [
        {each["title"] for each in json.loads(path.read_text())["data"]}
        for path in (squad.train, squad.validation)
    ]
    assert (len(titles[0]), len(titles[1]), len(titles[0] & titles[1])) == (16, 4, 0)
    before = drawn[0].train.read_text()
    (tasks / "glue/SST-2/train.tsv").unlink()
    assert downstream.sst_2(tasks, tmp_path / "a").train.read_text() == before


def begun(tmp_path: Path, *options: str) -> Path:
    start = tmp_path / "start"
    words = [tmp_path / "a.txt", "--tokenizer", tmp_path / "tokenizer", "--held-out", 0]
    words += ["--shards", tmp_path / "shards", "-o", start, *options]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["begin_small", *map(str, words)])
        assert begin_small.main() == 0
    return start


def test_small_berts_begin_with_words_and_layers_of_minilm(tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("The patient denies chest pain at this time, and has no fever.\n" * 50)
    make_tokenizer([text], tmp_path / "tokenizer", "wordpiece", 60)
    start = begun(tmp_path, "--family", "bert", "--layers", "2", "--units", "64")
    model, minilm = load(start), load(checkpoint_folder("minilm") or "", heads=())
    ours: Any = model.encoder
    theirs: Any = minilm.encoder
    for layer in range(2):
        own, donor = (each.stack.attentions[layer].key.weight for each in (ours, theirs))
        assert torch.equal(own, donor)
    names = [
        load_tokenizer(folder, family="bert").tokens(range(size))
        for folder, size in ((start, 60), (checkpoint_folder("minilm") or "", 30_522))
    ]
    (number, name), *_ = [each for each in enumerate(names[0]) if each[1].isalpha()]
    own, donor = ours.embeddings.words.weight[number], theirs.embeddings.words.weight
    assert torch.equal(own, donor[names[1].index(name)])


def test_small_alberts_share_what_they_are_told(tmp_path: Path) -> None:
    tokenizer = load_tokenizer(tokenizer_folder(tmp_path / "tokenizer"), family="albert")
    (tmp_path / "a.txt").write_text("one two three. four five six.\n" * 30)
    assert tokenizer.family == "albert"
    sizes = {}
    for embedding in ("16", "384"):
        options = ("--family", "albert", "--layers", "3", "--sharing", "attention", "--units", "64")
        start = begun(tmp_path, *options, "--embedding-size", embedding)
        config: Any = load(start, heads=()).config
        assert (config.sharing, config.layers, config.has_projection) == ("attention", 3, True)
        sizes[embedding] = config.embedding_size
    assert sizes == {"16": 16, "384": 384}


def a_run(loss: float, **tasks: float) -> dict[str, Any]:
    share = {"mlm_accuracy": 0.2, "mlm_accuracy_low": 0.19, "mlm_accuracy_high": 0.21}
    return {
        "parameters": 1234567,
        "objective": "mlm",
        "steps": 120,
        "pieces": 120_000,
        "seconds": 90.0,
        "lr": 1e-3,
        "precision": "fp32",
        "held_out": {"mlm_loss": loss, **share},
        "curve": [{"step": n, "mlm_loss": loss + 1 / n} for n in (20, 40, 120)],
        "scored": {},
        "tasks": {
            name: {"figures": {"accuracy": value}, "examples": 1500}
            for name, value in tasks.items()
        },
    }


def test_the_page_has_what_was_run_and_says_what_was_not(tmp_path: Path) -> None:
    results = {
        "embedding-size-all-32": a_run(5.0, snli=0.5),
        "embedding-size-all-32-seed-1": a_run(5.2),
        "embedding-size-all-384": a_run(4.0, snli=0.6),
    }
    page = "\n".join(miniatures_report.section(results, PLAN, tmp_path))
    first = page.partition("## Miniatures that were not run")[0]
    rows = {line.split(" | ")[0].strip("| "): line for line in first.splitlines() if "|" in line}
    assert "| 20.0 % (19.0 to 21.0), loss 5.000 | 50.0 % (47.5 to 52.5) |" in rows["all-32"]
    assert rows["all-32"].endswith("| 10M | 80.8 | 89.4 | 79.0 |")
    assert "loss 5.200 | – |" in rows["all-32, seed 1"]
    assert rows["all-32, seed 1"].endswith("|  |  |  |  |")
    assert "| 31M |" in rows["all-384"]
    assert "Masked tokens: no difference can be seen." in first
    assert "SNLI: all-384 is highest; all-32 is lower." in first
    assert "## Cross-layer sharing" not in page  # it has but one arm, in common
    missing = {line.split(": ")[0]: line for line in page.splitlines() if line.startswith("- ")}
    assert missing["- Embedding size (table 3 of the ALBERT paper)"].endswith(
        ": none-32, none-64, none-128, none-384, all-64 and all-128; the second seed of all-384"
    )
    assert "all-384" not in missing["- Cross-layer sharing (table 4 of the ALBERT paper)"]
    assert "- Fine-tuned on squad: no arm" in page
    assert "- Fine-tuned on snli: all but 2 arms" in page
    assert (tmp_path / "miniature-embedding-size.png").stat().st_size > 1000


def test_arms_that_read_unlike_things_are_not_compared(tmp_path: Path) -> None:
    low = a_run(6.0)
    low["held_out"] |= {"mlm_accuracy_low": 0.01, "mlm_accuracy_high": 0.02}
    results = {"electra-ablations-electra": a_run(5.0), "electra-ablations-mlm": low}
    page = "\n".join(miniatures_report.section(results, PLAN, tmp_path))
    assert "is highest" not in page


def test_figures_are_gathered_from_the_arms_themselves(tmp_path: Path) -> None:
    arm = tmp_path / "arms/inputs-doc-sentences"
    arm.mkdir(parents=True)
    config = AlbertConfig(
        vocabulary_size=9,
        layers=3,
        hidden_size=8,
        heads=2,
        feed_forward_size=16,
        embedding_size=4,
        pad_id=0,
        sharing="attention",
    )
    model = Model(config, heads=("mlm",))
    save(model, arm)
    once = sum(each.numel() for each in model.parameters())
    stored = load_file(arm / "model.safetensors")
    assert sum(each.numel() for each in stored.values()) > once
    told = a_run(4.5) | {"settings": {"steps": 120, "lr": 1e-3, "precision": "fp32"}}
    (arm / "training.json").write_text(json.dumps(told))
    timed = tmp_path / "arms/adaptation-minilm"
    timed.mkdir()
    (timed / "training.json").write_text(json.dumps({"settings": {"steps": None, "hours": 1}}))
    task = tmp_path / "downstream/snli/inputs-doc-sentences"
    task.mkdir(parents=True)
    learned = {"validation": {"accuracy": 0.4}, "data": {"validation_examples": 50}}
    (task / "training.json").write_text(json.dumps(learned))
    (tmp_path / "results").mkdir()
    scored = {"scored": {"mlm": {"mlm_loss": 4.0}}}
    (tmp_path / "results/inputs-doc-sentences.json").write_text(json.dumps(scored))
    ((name, found),) = miniatures_report.gathered(tmp_path).items()
    assert (name, found["parameters"]) == ("inputs-doc-sentences", once)
    assert found["tasks"]["snli"] == {"figures": {"accuracy": 0.4}, "examples": 50}
    assert found["scored"] == scored["scored"]
