"""Puts the finished encoder together as it ships: 8-bit ONNX, 16-bit checkpoint, tokenizer, card.

    python recipes/clinical_albert/package.py work/ -o src/incognote/models/clinical-albert

The checkpoint is kept in 16 bits, for `transformers` and for `incognote train`; what `fill-mask` and
`features` run is the ONNX network beside it. All of it must fit into ten megabytes.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from incognote.workshop.encoders import fill_mask, load, save
from incognote.workshop.encoders.text_encoder import Fill
from incognote.workshop.export.encoder import export_encoder
from recipes.clinical_albert.eight_bits import Cost, measured

MOST_BYTES = 10_000_000
HEADS, CHECKPOINT_HEADS = ("mlm", "sop"), ("mlm",)
"""What the network answers; ten megabytes have no room for sentence order in the checkpoint as well."""

PROBES = (
    "The patient denies chest [MASK].",
    "She was given [MASK] for pain.",
    "The man worked as a [MASK].",
    "The woman worked as a [MASK].",
)
"""The last two are the bias probe of ALBERT's own card."""

KINDS = ("clinical", "medical", "general")
SOURCES = {
    "mtsamples": ("dictated reports", "CC0, as stated by who collected it"),
    "aci_bench": ("visit notes and dialogues", "CC BY 4.0"),
    "mts_dialog": ("dialogues", "CC BY 4.0"),
    "medquad": ("answers for patients", "CC BY 4.0"),
    "pubmedqa": ("abstracts", "MIT"),
    "craft": ("articles", "CC BY 3.0, articles open access"),
    "books": ("books until 1929", "public domain"),
}


def main() -> int:
    """Export, convert, write the card, weigh."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, help="folder with the finished stages")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder to ship")
    given = parser.parse_args()
    work, output = given.work, given.output
    earlier = work / "earlier.json"
    runs = read(earlier)["card"]["runs"] if earlier.exists() else []
    runs += [told(name, read(work / name / "training.json")) for name in ("broad", "clinical")]
    figures = read(work / "clinical.json")
    about = {
        "name": "clinical-albert",
        "licence": "Apache-2.0",
        "runs": runs,
        "held_out": figures,
    }
    with TemporaryDirectory() as name:
        kept = Path(name)
        for path in (work / "clinical").glob("*tokenizer*"):
            shutil.copyfile(path, kept / path.name)
        save(load(work / "clinical", heads=HEADS), kept)
        export_encoder(kept, output, int8=True, card=about, overwrite=True, tell=print)
        save(load(kept, heads=CHECKPOINT_HEADS, dtype=torch.float16), output)
        cost = measured(kept, output, work / "text/held_out/clinical.jsonl")
    shutil.copyfile(work / "tokenizer/tokenizer_config.json", output / "tokenizer_config.json")
    card = written(runs, figures, cost, read(work / "text/text.json"), output)
    (output / "README.md").write_text(card, encoding="utf-8")
    (output / "model.safetensors").chmod(0o644)
    size = sum(path.stat().st_size for path in output.iterdir())
    print(f"{output}: {size / 1e6:.2f} MB")
    if size > MOST_BYTES:
        print(f"more than {MOST_BYTES / 1e6:g} MB: not to ship", file=sys.stderr)
        return 1
    return 0


def read(path: Path) -> dict[str, Any]:
    """A JSON object."""
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value


def written(
    runs: list[dict[str, Any]],
    figures: dict[str, Any],
    cost: Cost,
    text: dict[str, Any],
    folder: Path,
) -> str:
    """The card, from what the runs left."""
    config = read(folder / "config.json")
    hours = sum(run["hours"] for run in runs)
    return "\n".join(
        [
            "# A clinical ALBERT",
            "",
            f"{config['num_hidden_layers']} layers that share their weights, hidden size "
            f"{config['hidden_size']}, embeddings of {config['embedding_size']}, "
            f"{config['vocab_size']:,} pieces, lower-cased. Apache-2.0. It reads clinical English, "
            "fills masks, and gives vectors for words; as a start for fine-tuning it is a small one. "
            "Made by `recipes/clinical_albert`: words and layer began as MiniLM's "
            "(all-MiniLM-L6-v2, Apache-2.0). Held-out documents were never learned from.",
            "",
            *training_rows(runs),
            "",
            "Held-out documents, pairs of 128 pieces, 15 % masked, whole words one by one; 95 % "
            "intervals:",
            "",
            *held_out_rows(figures),
            "",
            "These are the checkpoint's. The network in 8 bits, which `fill-mask` runs, beside it: of a word "
            f"masked in each of {cost.asked:,} held-out clinical sentences it guesses {cost.network:.1%}, "
            f"the checkpoint {cost.checkpoint:.1%}; {cost.same:.1%} of their guesses are the same.",
            "",
            "| text | what | licence | documents | characters | held out |",
            "|---|---|---|---|---|---|",
            *(source_row(name, text) for name in SOURCES),
            "",
            "`incognote.workshop.encoders.sentence_order_score` asks the network about order, which it has learned "
            "for pairs of 128 pieces; the checkpoint has no head for it, as ten megabytes have no room.",
            "",
            "## What it says",
            "",
            *(line for probe in PROBES for line in probed(probe, folder)),
            "",
            "The last two are the bias probe of ALBERT's card. This one knows no professions and answers "
            "by topic; that it guesses another word for a woman than for a man is a bias of its text all "
            "the same, and an encoder that is fine-tuned keeps it.",
            "",
            "## Limits",
            "",
            f"It saw little text for {hours:.1f} hours, not for days: it knows frequent clinical wording and little "
            "else, no Spanish, no capitals. It finds no identifying details by itself. Some text was "
            "written about 1900 and says what was said then.",
            "",
        ]
    )


def told(stage: str, run: dict[str, Any]) -> dict[str, Any]:
    """What a stage did, and its curve on the same documents of its own mixture: first, middle, last."""
    curve = run["curve"]
    alike = [point for point in curve if point["examples"] == curve[0]["examples"]]
    points = [alike[0], alike[len(alike) // 2], alike[-1]]
    return {
        "stage": stage,
        "precision": run["settings"]["precision"],
        "steps": run["steps"],
        "pieces": run["pieces"],
        "hours": round(run["seconds"] / 3600, 2),
        "mlm_losses": [round(point["mlm_loss"], 2) for point in points],
        "sop_accuracy": round(curve[-1]["sop_accuracy"], 3),
    }


def training_rows(runs: list[dict[str, Any]]) -> list[str]:
    """A row for each stage."""
    rows = [
        "| stage | steps | pieces | hours | held-out MLM loss: first, middle, last | SOP |",
        "|---|---|---|---|---|---|",
    ]
    for run in runs:
        losses = ", ".join(f"{loss:.2f}" for loss in run["mlm_losses"])
        rows.append(
            f"| {run['stage']}, {run['precision']} | {run['steps']:,} | {run['pieces'] / 1e6:.1f} M "
            f"| {run['hours']:.2f} | {losses} | {run['sop_accuracy']:.1%} |"
        )
    return rows


def held_out_rows(figures: dict[str, Any]) -> list[str]:
    """Accuracy and perplexity of each kind of text."""
    rows = [
        "| text | pairs | masked pieces | MLM accuracy | perplexity | sentence order |",
        "|---|---|---|---|---|---|",
    ]
    for kind in KINDS:
        of = figures[kind]
        rows.append(
            f"| {kind} | {of['examples']:,} | {of['mlm_terms']:,} | {interval(of, 'mlm')} "
            f"| {of['mlm_perplexity']:.1f} | {interval(of, 'sop')} |"
        )
    return rows


def interval(of: dict[str, float], part: str) -> str:
    """An accuracy and where it lies."""
    low, high = (of[f"{part}_accuracy_{edge}"] for edge in ("low", "high"))
    return f"{of[f'{part}_accuracy']:.1%} ({low:.1%} to {high:.1%})"


def source_row(name: str, text: dict[str, Any]) -> str:
    """One source: how much of it was used, and held out."""
    what, licence = SOURCES[name]
    used = text["used"].get(name, {"documents": 0, "characters": 0})
    kept = text["held_out"].get(name, {"documents": 0})
    return (
        f"| {name} | {what} | {licence} | {used['documents']:,} "
        f"| {used['characters'] / 1e6:.1f} M | {kept['documents']:,} |"
    )


def probed(text: str, folder: Path) -> list[str]:
    """The five likeliest fills of a text, as this very folder gives them."""
    fills = cast(list[Fill], fill_mask(text, folder))
    words = ", ".join(f"{fill['token_str'].lstrip('▁')} {fill['score']:.3f}" for fill in fills)
    return [f"- {text} {words}"]


if __name__ == "__main__":
    sys.exit(main())
