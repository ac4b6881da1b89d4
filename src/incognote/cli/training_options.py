"""Options of training, each declared once: `train` takes them all, `compare` some."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

LEARNING = "Learning"
MODEL = "Model"
DATA = "Data"
MACHINE = "Machine"

Labels = Annotated[
    Literal["full", "study41", "own"] | None,
    typer.Option(
        help="All 28 types, the 2022 study's 41 labels, or the types of the training notes. "
        "By default full, or own if there are other types.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
Split = Annotated[
    str | None,
    typer.Option(
        metavar="RATIO",
        help="Split CORPUS instead, as `incognote corpus split` does: 50:10:40. With "
        "--patient-field, by patient.",
        rich_help_panel=DATA,
    ),
]
Validation = Annotated[
    Path | None,
    typer.Option(metavar="CORPUS", help="Notes to choose the best on.", rich_help_panel=DATA),
]
Window = Annotated[
    int, typer.Option(help="Pieces (with --join, units) in a window.", rich_help_panel=DATA)
]
Overlap = Annotated[
    int, typer.Option(help="Pieces (units) that windows share, at least.", rich_help_panel=DATA)
]
Epochs = Annotated[int, typer.Option(help="Times over the notes.", rich_help_panel=LEARNING)]
Rate = Annotated[float, typer.Option(help="Learning rate.", rich_help_panel=LEARNING)]
HeadRate = Annotated[
    float | None,
    typer.Option(
        help="Of the classifier, shapes and CRF; --lr if not given.", rich_help_panel=LEARNING
    ),
]
BatchTokens = Annotated[
    int | None, typer.Option(help="Pieces in a batch; 4096.", rich_help_panel=LEARNING)
]
BatchSize = Annotated[
    int | None, typer.Option(help="Windows in a batch instead.", rich_help_panel=LEARNING)
]
Accumulate = Annotated[int, typer.Option(help="Batches in a step.", rich_help_panel=LEARNING)]
Warmup = Annotated[float, typer.Option(help="Share of steps to warm up.", rich_help_panel=LEARNING)]
WeightDecay = Annotated[
    float, typer.Option(help="Weight decay; norms and biases have none.", rich_help_panel=LEARNING)
]
LayerDecay = Annotated[
    float, typer.Option(help="Factor of the rate per layer down.", rich_help_panel=LEARNING)
]
Clip = Annotated[float, typer.Option(help="Largest gradient norm.", rich_help_panel=LEARNING)]
Dropout = Annotated[
    float | None, typer.Option(help="The encoder's own if not given.", rich_help_panel=LEARNING)
]
AttentionDropout = Annotated[
    float | None,
    typer.Option(
        help="Of attention weights; at 0 attention takes a third of the time on a CPU.",
        rich_help_panel=LEARNING,
    ),
]
LabelSmoothing = Annotated[
    float, typer.Option(help="Share taken from the right label.", rich_help_panel=LEARNING)
]
ClassWeights = Annotated[
    Literal["none", "root", "balanced"],
    typer.Option(help="Weigh rare labels more.", rich_help_panel=LEARNING),
]
Patience = Annotated[
    int | None,
    typer.Option(help="Stop after so many epochs without a better F1.", rich_help_panel=LEARNING),
]
Average = Annotated[
    float | None,
    typer.Option(
        help="Keep a running mean of the weights with this decay per step, such as 0.998.",
        rich_help_panel=LEARNING,
    ),
]
Teacher = Annotated[
    Path | None,
    typer.Option(
        metavar="CHECKPOINT",
        help="A trained model that this one learns from, besides the notes.",
        rich_help_panel=LEARNING,
    ),
]
TeacherShare = Annotated[
    float, typer.Option(help="How much of the loss is the teacher's.", rich_help_panel=LEARNING)
]
Temperature = Annotated[
    float,
    typer.Option(help="What softens the teacher's probabilities.", rich_help_panel=LEARNING),
]
Keep = Annotated[
    Literal["best", "last"],
    typer.Option(help="Which epoch CHECKPOINT has.", rich_help_panel=LEARNING),
]
Seed = Annotated[int, typer.Option(help="Seed of all that is random.", rich_help_panel=LEARNING)]
Crf = Annotated[
    bool, typer.Option("--crf", help="Learn which label follows which.", rich_help_panel=MODEL)
]
Shape = Annotated[
    bool,
    typer.Option(
        "--shape",
        help="Tell the model capitals, digits, accents and line ends, which an uncased "
        "tokenizer drops.",
        rich_help_panel=MODEL,
    ),
]
Settle = Annotated[
    int | None,
    typer.Option(
        metavar="LAYER",
        help="After this layer, read pieces that are surely no identifiers no further: a third "
        "less work when the model is used.",
        rich_help_panel=MODEL,
    ),
]
Join = Annotated[
    bool,
    typer.Option(
        "--join",
        help="Read a word's pieces, and the punctuation that closes it, as one unit: a third less "
        "to read, in training and in use.",
        rich_help_panel=MODEL,
    ),
]
FixWords = Annotated[
    bool,
    typer.Option(
        "--fix-words",
        help="Leave the words' embeddings as they are: `export` then writes them once for a model "
        "and its faster variants.",
        rich_help_panel=MODEL,
    ),
]
TokenizerFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Folder of the tokenizer, if it is another.", rich_help_panel=MODEL
    ),
]
KeptLayers = Annotated[
    str | None,
    typer.Option(
        metavar="1,3,5",
        help="Begin with these layers of the checkpoint only.",
        rich_help_panel=MODEL,
    ),
]
KeptUnits = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        min=1,
        help="Begin with this many feed-forward units of each layer of the checkpoint only, those "
        "that weigh most, such as 768 of 1536.",
        rich_help_panel=MODEL,
    ),
]
Sizes = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Change a preset: --size layers=4 --size hidden_size=256",
        rich_help_panel=MODEL,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Of the processor; all if not given.",
        rich_help_panel=MACHINE,
        show_default=False,
    ),
]
Device = Annotated[
    str | None,
    typer.Option(help="cpu, cuda, …; a GPU if there is one.", rich_help_panel=MACHINE),
]
Precision = Annotated[
    Literal["fp32", "bf16", "fp16"],
    typer.Option(help="Of the multiplications.", rich_help_panel=MACHINE),
]
SaveSeconds = Annotated[
    float,
    typer.Option(help="How often to keep what a kill would lose.", rich_help_panel=MACHINE),
]


def need_torch() -> None:
    """What is not installed is said before anything is read; torch itself is loaded later."""
    from importlib.util import find_spec

    from incognote.cli.errors import installed

    with installed("training needs"):
        for needed in ("torch", "safetensors"):
            if find_spec(needed) is None:
                raise ModuleNotFoundError(name=needed)


def named_values(option: str, given: list[str] | None) -> dict[str, Any]:
    """NAME=VALUE pairs, the values as numbers or truth values where they look so."""
    values: dict[str, Any] = {}
    for pair in given or ():
        name, equals, written = pair.partition("=")
        if not equals or not name or not written:
            raise typer.BadParameter(f"{option} {pair}: write NAME=VALUE, such as layers=4")
        values[name] = _value(written)
    return values


def _value(written: str) -> Any:
    if written in ("true", "false"):
        return written == "true"
    for kind in (int, float):
        try:
            return kind(written)
        except ValueError:
            continue
    return written
