"""The model card of a trained task: README.md beside the weights.

It says what was learned from what, how, how well, and on which terms the data may be used; never where
files were, and no text of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from incognote.base.files import write_whole

CARD, THRESHOLD = "README.md", "threshold"

RESEARCH = "research only: a model trained on it is not for distribution"
TERMS = {
    "cola": f"CoLA, of GLUE: no licence stated; taken as {RESEARCH}",
    "sst-2": f"SST-2, of GLUE: no licence stated, to be cited; taken as {RESEARCH}",
    "mrpc": f"MRPC, of GLUE: Microsoft's terms; taken as {RESEARCH}",
    "sts-b": "STS-B, of GLUE: scores CC BY-SA 4.0, texts by the terms of their sources; taken as "
    f"{RESEARCH}",
    "qqp": f"QQP, of GLUE: Quora's terms; taken as {RESEARCH}",
    "mnli": f"MNLI, of GLUE: several terms by source; taken as {RESEARCH}",
    "qnli": "QNLI, of GLUE, from SQuAD: CC BY-SA 4.0 (attribution, share alike)",
    "rte": f"RTE, of GLUE: no licence stated; taken as {RESEARCH}",
    "wnli": f"WNLI, of GLUE: no licence stated; taken as {RESEARCH}",
    "snli": "SNLI: CC BY-SA 4.0 (attribution, share alike)",
    "squad": "SQuAD 1.1, or data in its format; SQuAD itself: CC BY-SA 4.0 (attribution, share alike)",
    "squad2": "SQuAD 2.0, or data in its format; SQuAD itself: CC BY-SA 4.0 (attribution, share alike)",
    "race": f"RACE: non-commercial research by its authors' terms; {RESEARCH}",
}
OWN = "your own data: its terms hold for the model too"
"""What is said of data that is no published task's."""

_SETTINGS = {
    "lr": "learning rate",
    "batch_size": "examples in a batch",
    "batch_tokens": "tokens in a batch",
    "warmup": "share of the steps that warm up",
    "weight_decay": "weight decay",
    "layer_decay": "decay of the rate by layer",
    "dropout": "dropout",
    "attention_dropout": "dropout of attention",
    "precision": "precision",
}


def write_card(
    folder: Path, training: Mapping[str, Any], test: Mapping[str, float] | None = None
) -> None:
    """Write README.md, of what training.json says; `test` are the figures of a test part."""
    write_whole(folder / CARD, ("\n".join(_lines(training, test)) + "\n").encode())


def terms(task: str) -> str:
    """On which terms a task's data may be used, as far as that is known here."""
    return TERMS.get(task, OWN)


def _lines(training: Mapping[str, Any], test: Mapping[str, float] | None) -> Iterator[str]:
    task, encoder, data = training["task"], training["encoder"], training["data"]
    options = training["options"]
    yield f"# {task['title']}"
    yield ""
    begun = "random weights" if encoder["random"] else Path(encoder["name"]).name
    yield f"Trained by `incognote task train {task['name']}`, from {begun} ({encoder['family']})."
    yield ""
    if task["labels"]:
        yield f"- labels: {', '.join(task['labels'])}"
    yield (
        f"- learned from {data['examples']:,} examples, {data['tokens']:,} tokens in "
        f"{data['items']:,} items; fingerprint {data['fingerprint']}"
    )
    yield f"- reads {training['longest']} tokens at once" + _stride(training)
    epochs = f"epoch {training['epoch']} of {training['epochs']}"
    yield f"- {epochs}, seed {training['seed']}, {training['speed']['steps']:,} steps"
    for name, words in _SETTINGS.items():
        if options.get(name) is not None:
            yield f"- {words}: {options[name]}"
    yield ""
    yield f"Data: {terms(task['name'])}."
    yield ""
    yield from _figures(training, test)


def _stride(training: Mapping[str, Any]) -> str:
    if training["task"]["kind"] != "span":
        return ""
    return (
        f"; windows share {training['stride']}, answers have {training['longest_answer']} at most"
    )


def _figures(training: Mapping[str, Any], test: Mapping[str, float] | None) -> Iterator[str]:
    validation = training["validation"]
    parts = {
        f"validation ({training['data']['validation_examples']:,} examples)": validation,
        "test": test,
    }
    rows = {
        name: {key: value for key, value in figures.items() if key != THRESHOLD}
        for name, figures in parts.items()
        if figures
    }
    if not rows:
        yield "Nothing was held out: how good it is has not been measured."
        return
    names = list(dict.fromkeys(key for figures in rows.values() for key in figures))
    yield f"| % | {' | '.join(name.replace('_', ' ') for name in names)} |"
    yield f"|---|{'---|' * len(names)}"
    for part, figures in rows.items():
        cells = (f"{100 * figures[name]:.2f}" if name in figures else "" for name in names)
        yield f"| {part} | {' | '.join(cells)} |"
    if validation and training["options"]["keep"] == "best":
        yield ""
        yield "The epoch was chosen on the validation part, whose figures flatter a little."
