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
        help="Labels to learn: all 28 types (full), the 41 labels of the 2022 study (study41), "
        "or the types of the training notes (own). By default full, or own if the notes have "
        "other types.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]
Split = Annotated[
    str | None,
    typer.Option(
        metavar="RATIO",
        help="Split CORPUS into training, validation and test notes, as `incognote corpus split` "
        "does, such as 50:10:40; by patient with --patient-field.",
        rich_help_panel=DATA,
    ),
]
Validation = Annotated[
    Path | None,
    typer.Option(
        metavar="CORPUS", help="Annotated notes to choose the best epoch on.", rich_help_panel=DATA
    ),
]
Window = Annotated[
    int | None,
    typer.Option(
        help="Tokens in a window (with --join, words): 254 by default, or as in the checkpoint.",
        rich_help_panel=DATA,
    ),
]
Overlap = Annotated[
    int | None,
    typer.Option(
        help="Tokens that neighbouring windows share, at least: 16 by default, or as in the "
        "checkpoint.",
        rich_help_panel=DATA,
    ),
]
Epochs = Annotated[
    int | None,
    typer.Option(
        help="Passes over the notes: 4 by default, up to 20 if there are few notes.",
        rich_help_panel=LEARNING,
    ),
]
Rate = Annotated[
    float | None,
    typer.Option(
        help="Learning rate. By default 1e-4 for small encoders and for models that were trained "
        "before, 5e-5 up to a hidden size of 768, 2e-5 above.",
        rich_help_panel=LEARNING,
    ),
]
HeadRate = Annotated[
    float | None,
    typer.Option(
        help="Learning rate of classifier, word shapes and CRF; ten times --lr by default.",
        rich_help_panel=LEARNING,
    ),
]
BatchTokens = Annotated[
    int | None,
    typer.Option(
        help="Tokens in a batch: 4096 by default, down to 512 if there are few notes.",
        rich_help_panel=LEARNING,
    ),
]
BatchSize = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER|auto",
        help="Windows in a batch, instead of --batch-tokens; 'auto': as many as fit into the "
        "device's memory.",
        rich_help_panel=LEARNING,
    ),
]
Accumulate = Annotated[
    int,
    typer.Option(help="Batches whose gradients are summed for a step.", rich_help_panel=LEARNING),
]
Warmup = Annotated[
    float,
    typer.Option(
        help="Share of the steps over which the learning rate rises.", rich_help_panel=LEARNING
    ),
]
WeightDecay = Annotated[
    float,
    typer.Option(help="Weight decay; layer norms and biases have none.", rich_help_panel=LEARNING),
]
LayerDecay = Annotated[
    float,
    typer.Option(
        help="Factor on the learning rate from each layer to the one below.",
        rich_help_panel=LEARNING,
    ),
]
Clip = Annotated[
    float,
    typer.Option(
        help="Largest norm of the gradient; larger ones are scaled down.", rich_help_panel=LEARNING
    ),
]
Dropout = Annotated[
    float | None,
    typer.Option(help="Dropout; the encoder's own by default.", rich_help_panel=LEARNING),
]
AttentionDropout = Annotated[
    float | None,
    typer.Option(
        help="Dropout of attention weights. At 0, the default, attention takes a third of the "
        "time on a CPU.",
        rich_help_panel=LEARNING,
    ),
]
LabelSmoothing = Annotated[
    float,
    typer.Option(
        help="Share of the probability that is taken from the right label.",
        rich_help_panel=LEARNING,
    ),
]
ClassWeights = Annotated[
    Literal["none", "root", "balanced"],
    typer.Option(help="Give rare labels more weight in the loss.", rich_help_panel=LEARNING),
]
Patience = Annotated[
    int | None,
    typer.Option(help="Stop after this many epochs without a better F1.", rich_help_panel=LEARNING),
]
Average = Annotated[
    float | None,
    typer.Option(
        help="Keep a running average of the weights with this decay per step, such as 0.998.",
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
    float,
    typer.Option(help="Share of the loss that comes from the teacher.", rich_help_panel=LEARNING),
]
Temperature = Annotated[
    float,
    typer.Option(
        help="Temperature that softens the teacher's probabilities.", rich_help_panel=LEARNING
    ),
]
Keep = Annotated[
    Literal["best", "last"],
    typer.Option(
        help="Which epoch to write: the best on the validation notes, or the last.",
        rich_help_panel=LEARNING,
    ),
]
Seed = Annotated[int, typer.Option(help="Seed for everything random.", rich_help_panel=LEARNING)]
Crf = Annotated[
    bool | None,
    typer.Option(
        "--crf/--no-crf", help="Add a CRF, which learns the order of labels.", rich_help_panel=MODEL
    ),
]
Shape = Annotated[
    bool | None,
    typer.Option(
        "--shape/--no-shape",
        help="Add word-shape features: capitals, digits, accents and line ends. By default if "
        "the tokenizer drops capitals.",
        rich_help_panel=MODEL,
    ),
]
Settle = Annotated[
    int | None,
    typer.Option(
        metavar="LAYER",
        help="Early exit: after this layer, tokens that are certainly no identifier are not "
        "computed further. A third less work when the model is used.",
        rich_help_panel=MODEL,
    ),
]
Join = Annotated[
    bool | None,
    typer.Option(
        "--join/--no-join",
        help="Merge the tokens of a word, and the punctuation that closes it, into one: a third "
        "less to compute, in training and in use.",
        rich_help_panel=MODEL,
    ),
]
FixWords = Annotated[
    bool,
    typer.Option(
        "--fix-words",
        help="Keep the word embeddings as they are, so that `incognote export` writes them once "
        "for a model and its faster variants.",
        rich_help_panel=MODEL,
    ),
]
Random = Annotated[
    bool,
    typer.Option(
        "--random",
        help="Start from random weights, with the sizes of a preset (see `incognote encoders`). "
        "Needs --tokenizer.",
        rich_help_panel=MODEL,
    ),
]
EncoderOnly = Annotated[
    bool,
    typer.Option(
        "--encoder-only",
        help="Take only the encoder of a trained model; labels, word shapes, CRF and the rest "
        "are learned from scratch.",
        rich_help_panel=MODEL,
    ),
]
TokenizerFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder of the tokenizer, if it is not in the encoder's folder.",
        rich_help_panel=MODEL,
    ),
]
KeptLayers = Annotated[
    str | None,
    typer.Option(
        metavar="1,3,5",
        help="Start with only these layers of the checkpoint.",
        rich_help_panel=MODEL,
    ),
]
KeptUnits = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        min=1,
        help="Start with only this many feed-forward units in each layer of the checkpoint, "
        "those with the largest weights; such as 768 of 1536.",
        rich_help_panel=MODEL,
    ),
]
Sizes = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Change a size of the preset: --size layers=4 --size hidden_size=256",
        rich_help_panel=MODEL,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Processor threads; all by default.",
        rich_help_panel=MACHINE,
        show_default=False,
    ),
]
Device = Annotated[
    str | None,
    typer.Option(
        help="cpu, cuda or cuda:0, …; by default a GPU if there is one.", rich_help_panel=MACHINE
    ),
]
Precision = Annotated[
    Literal["fp32", "bf16", "fp16"],
    typer.Option(help="Precision of the matrix multiplications.", rich_help_panel=MACHINE),
]
SaveSeconds = Annotated[
    float,
    typer.Option(
        help="Seconds between saved states, from which --resume continues.", rich_help_panel=MACHINE
    ),
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


def batch_size(given: str | None) -> int | Literal["auto"] | None:
    """A number of windows, or 'auto'."""
    if given is None:
        return None
    if given == "auto":
        return "auto"
    if not given.isdecimal():
        raise typer.BadParameter(f"--batch-size {given}: write a number, or auto")
    return int(given)


def _value(written: str) -> Any:
    if written in ("true", "false"):
        return written == "true"
    for kind in (int, float):
        try:
            return kind(written)
        except ValueError:
            continue
    return written
