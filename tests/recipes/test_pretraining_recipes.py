"""The recipes of pretraining: what is held out is not learned from, and every arm can be run."""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import json
import lzma
import sys
import tarfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tiny_pretraining import TOKENIZER, tiny_shards, tokenizer_folder

from incognote.cli.app import load as load_command
from incognote.workshop.encoders import load
from incognote.workshop.tokenization import load as load_tokenizer
from incognote.workshop.training.sources import checkpoint_folder

RECIPES = Path(__file__).parent.parent.parent / "recipes"
STUDIES = RECIPES / "pretraining_studies"


def script(path: Path) -> Any:
    """A recipe's script as a module."""
    spec = importlib.util.spec_from_file_location(f"recipe_{path.stem}", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by name.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


gather = script(RECIPES / "clinical_albert/gather.py")
begin = script(RECIPES / "clinical_albert/begin.py")
second_segment = script(RECIPES / "clinical_albert/second_segment.py")
eight_bits = script(RECIPES / "clinical_albert/eight_bits.py")
package = script(RECIPES / "clinical_albert/package.py")
run = script(STUDIES / "run.py")
report = script(STUDIES / "report.py")
shipped = script(STUDIES / "shipped.py")
PLAN: dict[str, Any] = tomllib.loads((STUDIES / "studies.toml").read_text())


def words(seed: int, count: int = 40) -> str:
    """Text that no other seed has."""
    return " ".join(f"word{seed}x{number}" for number in range(count)) + "."


def table(path: Path, rows: list[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture(scope="module")
def gathered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("data")
    clinical, pretraining = data / "clinical", data / "pretraining"
    for name in ("mtsamples", "aci_bench", "mts_dialog"):
        (clinical / name).mkdir(parents=True)
    for name in ("medquad", "pubmedqa_l", "craft_fulltext", "books_public_domain"):
        (pretraining / name).mkdir(parents=True)
    reports = [
        {"transcription": f"SUBJECTIVE:,  {words(n)},ASSESSMENT: , Stable."} for n in range(90)
    ]
    (clinical / "mtsamples/mtsamples.jsonl.gz").write_bytes(gzip.compress(lines(reports)))
    visits = [
        {
            "encounter_id": str(n),
            "note": words(1000 + n),
            "dialogue": f"[doctor] hi , {words(2000 + n)}",
        }
        for n in range(90)
    ]
    table(clinical / "aci_bench/train.csv", visits)
    table(clinical / "aci_bench/valid.csv", visits[:1])
    told = [{"section_text": words(n), "dialogue": f"Doctor: {words(3000 + n)}"} for n in range(90)]
    table(clinical / "mts_dialog/MTS-Dialog-TrainingSet.csv", told)
    table(clinical / "mts_dialog/MTS-Dialog-ValidationSet.csv", told[:1])
    shares = "Signs and Symptoms Approximate number of patients 90%"
    asked = [{"qa": [{"q": "What?", "a": f"{words(4000 + n)} {shares}"}]} for n in range(90)]
    (pretraining / "medquad/medquad.jsonl.gz").write_bytes(gzip.compress(lines(asked)))
    record = {"QUESTION": "Is it?", "CONTEXTS": [words(5000)], "LONG_ANSWER": "Yes."}
    abstracts = json.dumps({"1": record}).encode()
    (pretraining / "pubmedqa_l/ori_pqal.json.gz").write_bytes(gzip.compress(abstracts))
    with tarfile.open(pretraining / "craft_fulltext/craft_txt.tar.xz", "w:xz") as archive:
        for name in ("LICENSE.txt", "articles/txt/1.txt", "articles/txt/1.references"):
            content = f"{name} {words(6000)}".encode()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    paragraphs = [f"# Chapter\r\n\r\n_{words(n, 9)}_" for n in range(7000, 7800)]
    books = [{"text": "\r\n\r\n".join(paragraphs)}, {"text": words(8000)}]
    place = pretraining / "books_public_domain/books_train_0.jsonl.xz"
    place.write_bytes(lzma.compress(lines(books)))
    output = data / "text"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["gather", "--data", str(data), "-o", str(output)])
        assert gather.main() == 0
    return output


def texts(path: Path) -> list[str]:
    return [json.loads(line)["text"] for line in path.read_text().splitlines()]


def test_what_is_held_out_is_not_learned_from(gathered: Path) -> None:
    kept, used = texts(gathered / "held_out/clinical.jsonl"), texts(gathered / "clinical.jsonl")
    assert len(kept) > 3
    assert not set(kept) & set(used)
    numbers = {int(text.split("word")[1].split("x")[0]) for text in kept}
    everything = "\n".join(used)
    for number in numbers:
        assert f"word{number}x" not in everything
        # Nor what was said at a visit, or written from a report, that is held out.
        assert f"word{number + (1000 if number >= 1000 else 3000)}x" not in everything
    told = json.loads((gathered / "text.json").read_text())
    assert told["repeats_left_out"]["mts_dialog"] > 0


def test_text_is_plain(gathered: Path) -> None:
    first = texts(gathered / "clinical.jsonl")[0]
    assert first.startswith("SUBJECTIVE:")
    assert first.split("\n")[-2:] == ["ASSESSMENT:", "Stable."]
    medical = "\n".join(texts(gathered / "medical.jsonl"))
    assert "Approximate number" not in medical
    assert "LICENSE" not in medical
    assert "references" not in medical
    parts = ("general", "excerpts")
    book, excerpt = (max(texts(gathered / f"{name}.jsonl"), key=len) for name in parts)
    assert len(excerpt) <= gather.EXCERPT < len(book)
    assert book.startswith(excerpt)
    assert not set("#_\r") & set(book)


def called(recipe: Any, given: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", [recipe.__name__, *given.split()])
        patch.setenv("INCOGNOTE_ALLOCATOR", "system")  # not to begin this process anew
        assert recipe.main() == 0


def test_the_albert_begins_with_words_and_a_layer_of_minilm(tmp_path: Path) -> None:
    tokenizer = load_tokenizer(tokenizer_folder(tmp_path / "tokenizer"), family="albert")
    shards = tiny_shards(tmp_path / "shards/clinical", tokenizer)
    start = tmp_path / "start"
    called(begin, f"{tmp_path} -o {start} --layers 3 --layer 4 --units 200")
    model, minilm = load(start), load(checkpoint_folder("minilm") or "", heads=())
    assert load_tokenizer(start, family="albert").fingerprint == tokenizer.fingerprint
    ours: Any = model.encoder
    theirs: Any = minilm.encoder
    assert torch.equal(ours.stack.attentions[0].key.weight, theirs.stack.attentions[4].key.weight)
    rows = {tuple(row) for row in theirs.stack.feed_forwards[4].up.weight.tolist()}
    assert {tuple(row) for row in ours.stack.feed_forwards[0].up.weight.tolist()} < rows
    counts = np.bincount(
        np.concatenate([each.ids for n in shards.train for each in shards.sentences(n)])
    )
    assert int(torch.argmax(model.heads["mlm"].bias)) == int(np.argmax(counts))  # type: ignore[arg-type]


def test_the_first_piece_can_tell_the_second_segment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tokenizer = load_tokenizer(tokenizer_folder(tmp_path / "tokenizer"), family="albert")
    tiny_shards(tmp_path / "shards/clinical", tokenizer)
    plain, start = tmp_path / "plain", tmp_path / "start"
    called(begin, f"{tmp_path} -o {plain} --layers 2 --units 64")
    left = []
    for steps in (1, 60):
        called(
            second_segment,
            f"{plain} {tmp_path / 'shards/clinical'} -o {start} --norm 0.7 --steps {steps}",
        )
        said = capsys.readouterr().out.splitlines()[-1]
        left.append(float(said.split("changes by ")[1].split("%")[0]))
    assert left[1] < left[0] / 2
    before, after = load(plain).state_dict(), load(start).state_dict()
    changed = [name for name in before if not torch.equal(before[name], after[name])]
    assert changed == ["encoder.embeddings.segments.weight"]
    first, second = after[changed[0]]
    assert torch.equal(first, before[changed[0]][0])
    assert torch.dist(first, second).item() == pytest.approx(0.7, rel=1e-5)


def test_the_card_tells_all_runs() -> None:
    losses = {400: (6.0, 4.004, 3.0), 1000: (3.2,)}
    curve = [
        {"examples": count, "mlm_loss": loss, "sop_accuracy": 0.5}
        for count, of in losses.items()
        for loss in of
    ]
    run = {"curve": curve, "steps": 1200, "pieces": 2_500_000, "seconds": 5400}
    rows = package.training_rows([package.told("broad", run | {"settings": {"precision": "bf16"}})])
    assert rows[-1] == "| broad, bf16 | 1,200 | 2.5 M | 1.50 | 6.00, 4.00, 3.00 | 50.0% |"


def test_eight_bits_are_asked_about_words_of_one_piece() -> None:
    text = (
        "She denies chest pain at this time.\nShort one.\nNo known-drug allergies were found here."
    )
    asked = eight_bits.questions([text], {"▁pain", "▁drug", "▁were"})
    assert {(one.text, one.piece) for one in asked} == {
        ("She denies chest [MASK] at this time.", "▁pain"),
        ("No known-drug allergies [MASK] found here.", "▁were"),
    }


def test_what_eight_bits_cost_is_nothing_between_equals(tmp_path: Path) -> None:
    held_out = tmp_path / "clinical.jsonl"
    held_out.write_text(json.dumps({"text": "The patient denies chest pain at this time."}))
    cost = eight_bits.measured(run.SHIPPED, run.SHIPPED, held_out)
    assert (cost.asked, cost.same, cost.checkpoint) == (1, 1.0, cost.network)


def arms() -> list[tuple[str, str]]:
    return [(study, arm) for study, told in PLAN["studies"].items() for arm in told["arms"]]


@pytest.mark.parametrize(("study", "name"), arms())
def test_every_arm_is_a_command(study: str, name: str, tmp_path: Path) -> None:
    arm = PLAN["studies"][study]["arms"][name]
    studies = run.Studies(PLAN, tmp_path, tmp_path, tmp_path / "data", 1.0, 1, "bf16", False)
    options = studies.filled(arm["options"])
    assert "{" not in options
    order = [f"{each}-{arm}" for each, told in PLAN["studies"].items() for arm in told["arms"]]
    if start := arm.get("start"):
        assert order.index(start) < order.index(f"{study}-{name}")
    pretrain = load_command("pretrain")
    options += f" {PLAN['options']['looking']} --precision {studies.precision}"
    arguments = ["text", "-o", "out", *options.split(), "--hours", "1", "--resume"]
    context = pretrain.make_context("pretrain", arguments)
    assert context.params["settings_objective"] or context.params["beginning_preset"]


def test_what_was_pretrained_is_fine_tuned_on_notes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    studies = run.Studies(PLAN, tmp_path, tmp_path, tmp_path / "data", 0.5, 1, "bf16", True)
    run.transfer("notes", studies)
    command = capsys.readouterr().out.split()
    assert command[:3] == ["+", "incognote", "compare"]
    assert "E" not in {Path(word).name for word in command}
    grid = tomllib.loads((tmp_path / "transfer-notes.toml").read_text())
    assert grid["defaults"]["precision"] == "bf16"
    epochs = {name: told["epochs"] for name, told in grid["encoders"].items()}
    assert (epochs["minilm"], epochs["clinical-albert"], len(epochs)) == (6, 8, 6)
    starts = command[command.index("--encoders") + 1].split(",")
    assert starts == ["albert-random", "clinical-albert", "minilm", "minilm-adapted"]


def test_the_body_of_electra_is_fine_tuned_where_it_was_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    studies = run.Studies(PLAN, tmp_path, tmp_path, tmp_path / "data", 1.0, 1, "fp32", True)
    made = studies.work / "arms/electra-electra"
    made.mkdir(parents=True)
    (made / "training.json").write_text("{}")
    run.transfer("notes", studies)
    command = capsys.readouterr().out.split()
    assert command[command.index("--encoders") + 1].endswith("minilm-adapted,electra")


def figures(**shares: float) -> dict[str, float]:
    found: dict[str, float] = {"examples": 2230}
    for part, share in shares.items():
        found |= {f"{part}_accuracy": share, f"{part}_loss": 1.0, f"{part}_terms": 2230}
        found |= {f"{part}_accuracy_low": share - 0.02, f"{part}_accuracy_high": share + 0.02}
    return found


def test_no_claim_is_made_from_a_task_that_was_not_learned(tmp_path: Path) -> None:
    def arm(nsp: float, sop: float) -> dict[str, Any]:
        asked = {"mlm+nsp": figures(mlm=0.5, nsp=nsp), "mlm+sop": figures(mlm=0.5, sop=sop)}
        curve = [{"step": n, "mlm_loss": 5.0 - n} for n in (1, 2)]
        about = {
            "minutes": 45,
            "seconds": 2400,
            "parameters": 1,
            "steps": 2,
            "pieces": 100,
            "curve": curve,
        }
        about |= {"threads": 1, "precision": "bf16", "length": 512, "cuts": 4}
        return {**about, "scored": asked, "held_out": {}}

    results = {
        "arms": {
            "sentence-loss-none": arm(0.5, 0.5),
            "sentence-loss-nsp": arm(0.9, 0.51),
            "sentence-loss-sop": arm(0.7, 0.6),
            "electra-mlm": arm(0.5, 0.5),
        },
        "shipped": {"clinical": {"length": 128, "cuts": 4, **figures(sop=0.7, nsp=0.6)}},
        "transfer": {
            "notes": [
                {
                    "model": "minilm",
                    "parameters": "22587321",
                    "test strict F1 %": "90.1234",
                    "test strict F1 % low": "88.1",
                    "test strict F1 % high": "92.1",
                    "other": "1",
                    "training minutes": "7.94833",
                }
            ]
        },
    }
    (tmp_path / "results.json").write_text(json.dumps(results))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["report", "-o", str(tmp_path)])
        assert report.main() == 0
    page = (tmp_path / "README.md").read_text()
    rows = {line.split(" | ")[0].strip("| "): line for line in page.splitlines() if "|" in line}
    assert "90.0% (88.0% to 92.0%)" in rows["nsp"]
    assert rows["nsp"].endswith("| learned |")
    assert rows["sop"].endswith("not learned: no claim |")
    assert "2,230 pairs or more" in page
    assert "Minutes of one core in bf16." in page
    assert "ELECTRA and MLM at equal compute: 1 of 2 arms have been run" in page
    assert (
        "| clinical | 2,230 | 70.0% (68.0% to 72.0%) | 2,230 | 60.0% (58.0% to 62.0%) | learned |"
        in page
    )
    assert "| minilm | 22,587,321 | 7.9 | 90.1 (88.1 to 92.1) |" in page
    assert (tmp_path / "sentence-loss.png").stat().st_size > 1000


def test_a_figure_that_is_missing_is_a_dash() -> None:
    row = {"model": "minilm", "parameters": "", "words F1 %": "90.12", "words F1 % low": ""}
    assert [report.cell(row, head) for head in ("model", "parameters", "words F1 %")] == [
        "minilm",
        "–",
        "90.1",
    ]


@pytest.mark.parametrize("question", ["sop", "nsp"])
def test_the_shipped_encoder_is_asked_about_pairs_with_nothing_masked(
    question: str, tmp_path: Path
) -> None:
    shards = tiny_shards(tmp_path / "shards")
    asked: list[Any] = []

    @dataclass
    class Always:
        answer: int
        pieces = TOKENIZER

        def order_logits(self, encoding: Any) -> Any:
            asked.append(encoding)
            return np.eye(2)[self.answer]

    first, second = (
        shipped.asked(Always(answer), shards, question, length=24, cut=0) for answer in (0, 1)
    )
    assert not any((encoding.ids == TOKENIZER.mask_id).any() for encoding in asked)
    assert all(set(encoding.segments.tolist()) == {0, 1} for encoding in asked)
    terms, share = f"{question}_terms", f"{question}_accuracy"
    assert 2 * first[terms] == 2 * second[terms] == len(asked) > 40
    assert first[share] + second[share] == pytest.approx(1)
    assert 0 < first[f"{share}_low"] < first[share] < first[f"{share}_high"] < 1


def test_arms_of_another_folder_stay_in_the_report(tmp_path: Path) -> None:
    before = {
        "arms": {"electra-mlm": {"steps": 1}, "masking-static": {"steps": 2}},
        "shipped": {"clinical": {"sop_terms": 4}},
        "transfer": {},
    }
    (tmp_path / "results").mkdir()
    (tmp_path / "results/electra-mlm.json").write_text('{"steps": 3, "minutes": 12.0}')
    miniature = '{"steps": 160, "minutes": null}'
    (tmp_path / "results/inputs-doc-sentences.json").write_text(miniature)
    tables = tmp_path / "transfer-notes/tables"
    tables.mkdir(parents=True)
    (tables / "glance.csv").write_text("model,words F1 %\nminilm,90.1\nelectra,80.2\n")
    (tables / "speed.csv").write_text("model,training minutes\nelectra,7.5\nminilm,8.5\n")
    found = report.gathered(tmp_path, before)
    assert found["shipped"] == before["shipped"]
    assert found["transfer"]["notes"] == [
        {"model": "minilm", "words F1 %": "90.1", "training minutes": "8.5"},
        {"model": "electra", "words F1 %": "80.2", "training minutes": "7.5"},
    ]
    assert {name: arm["steps"] for name, arm in found["arms"].items()} == {
        "electra-mlm": 3,
        "masking-static": 2,
    }
