"""Options of `incognote pretrain`, each declared once; those that `train` has too are its."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from incognote.cli.options import OUTPUT
from incognote.cli.training_options import LEARNING, MACHINE, MODEL

TEXT = "Text"
EXAMPLES = "Examples"
EVALUATION = "Evaluation"

Texts = Annotated[
    list[Path],
    typer.Argument(
        metavar="TEXT…",
        help="Files or folders of text (.txt, .jsonl, .csv, …, also .gz, .xz, .zst), or one "
        "folder of shards.",
    ),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="ENCODER",
        help="Folder for the encoder, as `incognote train` and, but for ELMo, `transformers` load it.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
Preset = Annotated[
    str | None,
    typer.Option(
        help="A paper's sizes and hyper-parameters: albert-base, bert-base, roberta-base, "
        "electra-small, xlnet-base, elmo-small, or a larger one; all can be changed below. (These "
        "names are of pretraining; `incognote encoders` has those of encoders.)",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
Objective = Annotated[
    str | None,
    typer.Option(
        help="mlm, mlm+nsp, mlm+sop, electra (or electra-15, replace-mlm, all-tokens-mlm), xlnet, elmo; "
        "the preset's if not given.",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
Source = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="DIR",
        help="Continue from a checkpoint's weights ('clinical-albert': the one that ships; 'minilm': "
        "the package), without --preset for an hour, in small steps. A head that it lacks begins "
        "afresh.",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
Tokenizer = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder of the tokenizer, as `incognote tokenizer` makes it; with --from, the "
        "checkpoint's own.",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
Size = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Change the preset: --size layers=6 --size hidden_size=256 --size sharing=ffn",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
ObjectiveOptions = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Change the objective: --objective-option context=7. mlm, …: mask, random (shares of "
        "the chosen pieces: 0.8, 0.1, the rest stay). mlm+nsp, mlm+sop: these, weight (of the "
        "question). electra, …: mask, random, weight (of the discriminator), generator_size, "
        "sharing. xlnet: context (K), longest (span), memory, both_ways. elmo: words, samples.",
        rich_help_panel=MODEL,
    ),
]
Steps = Annotated[
    int | None,
    typer.Option(help="How many steps; the preset's if not given.", rich_help_panel=LEARNING),
]
Hours = Annotated[
    float | None,
    typer.Option(
        help="How long instead: as many steps as fit, measured at the start.",
        rich_help_panel=LEARNING,
    ),
]
BatchSize = Annotated[
    int | None, typer.Option(help="Sequences in a step.", rich_help_panel=LEARNING)
]
BatchPieces = Annotated[
    int | None, typer.Option(help="Pieces in a step instead.", rich_help_panel=LEARNING)
]
Lengths = Annotated[
    str | None,
    typer.Option(
        metavar="LENGTH[:SHARE],…",
        help="Pieces in a sequence, by share of the steps: 128:0.9,512:0.1",
        rich_help_panel=LEARNING,
    ),
]
Optimizer = Annotated[
    Literal["adamw", "adam", "lamb", "adagrad"] | None,
    typer.Option(
        help="adamw (BERT's), adam (RoBERTa's), lamb (ALBERT's), adagrad (ELMo's); the preset's if "
        "not given.",
        rich_help_panel=LEARNING,
        show_default=False,
    ),
]
Rate = Annotated[
    float | None,
    typer.Option(
        help="Learning rate; the preset's is for its own batch.", rich_help_panel=LEARNING
    ),
]
Warmup = Annotated[
    float | None,
    typer.Option(help="Steps, or below 1 a share of them.", rich_help_panel=LEARNING),
]
Decay = Annotated[
    Literal["after-warmup", "from-start", "none"] | None,
    typer.Option(
        help="Of the learning rate to 0: from its peak, or (BERT, ALBERT) from step 0.",
        rich_help_panel=LEARNING,
        show_default=False,
    ),
]
Power = Annotated[
    float | None, typer.Option(help="Of the decay; 1 is linear.", rich_help_panel=LEARNING)
]
Betas = Annotated[
    str | None,
    typer.Option(metavar="B1,B2", help="Of Adam and LAMB: 0.9,0.999", rich_help_panel=LEARNING),
]
Epsilon = Annotated[float | None, typer.Option(help="Of the optimizer.", rich_help_panel=LEARNING)]
WeightDecay = Annotated[float | None, typer.Option(help="Of matrices.", rich_help_panel=LEARNING)]
DecayAll = Annotated[
    bool | None,
    typer.Option(help="Norms and biases decay too, as RoBERTa's.", rich_help_panel=LEARNING),
]
Clip = Annotated[
    float | None, typer.Option(help="Largest gradient norm; 0: any.", rich_help_panel=LEARNING)
]
Seed = Annotated[
    int | None, typer.Option(help="Seed of all that is random.", rich_help_panel=LEARNING)
]
Inputs = Annotated[
    Literal["segment-pair", "sentence-pair", "sentence-order", "full-sentences", "doc-sentences"]
    | None,
    typer.Option(
        help="What a sequence is made of; the objective's own if not given.",
        rich_help_panel=EXAMPLES,
        show_default=False,
    ),
]
Short = Annotated[
    float | None,
    typer.Option(help="Share of shorter sequences.", rich_help_panel=EXAMPLES),
]
MaskShare = Annotated[
    float | None, typer.Option(help="Share of pieces to mask.", rich_help_panel=EXAMPLES)
]
Ngrams = Annotated[
    int | None,
    typer.Option(help="Mask up to so many words together.", rich_help_panel=EXAMPLES),
]
WholeWords = Annotated[
    bool | None,
    typer.Option(help="Mask all pieces of a word or none.", rich_help_panel=EXAMPLES),
]
MaskCopies = Annotated[
    int | None,
    typer.Option(
        help="Static masks: so many versions of the data, in turn. 0: new masks each epoch.",
        rich_help_panel=EXAMPLES,
    ),
]
HeldOut = Annotated[
    float,
    typer.Option(help="Share of documents to evaluate on.", rich_help_panel=EVALUATION),
]
EvaluateEvery = Annotated[
    int | None,
    typer.Option(help="Steps; by default 20 times in all.", rich_help_panel=EVALUATION),
]
EvaluateLength = Annotated[
    int | None,
    typer.Option(
        help="Pieces in a held-out sequence; the first of --lengths.", rich_help_panel=EVALUATION
    ),
]
EvaluateExamples = Annotated[
    int | None,
    typer.Option(help="Held-out sequences each time; 500.", rich_help_panel=EVALUATION),
]
FinalExamples = Annotated[
    int | None,
    typer.Option(help="Held-out sequences at the end; 2000.", rich_help_panel=EVALUATION),
]
Shards = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Keep the tokenised text here, for other runs on it.",
        rich_help_panel=TEXT,
    ),
]
TextFields = Annotated[
    list[str] | None,
    typer.Option(
        help="Field of records that holds text; may be repeated. 'text' by default.",
        rich_help_panel=TEXT,
        show_default=False,
    ),
]
Documents = Annotated[
    Literal["file", "blank-lines"],
    typer.Option(
        help="A plain text file is one document, or blank lines part several.",
        rich_help_panel=TEXT,
    ),
]
TextWorkers = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Processes that tokenise; by default one for each processor, four at most.",
        rich_help_panel=TEXT,
    ),
]
Pack = Annotated[
    int | None,
    typer.Option(
        help="Pieces computed at once; 2048. A step is as many packs as it needs.",
        rich_help_panel=MACHINE,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        help="Processes that make examples; none on a CPU, two beside a GPU.",
        rich_help_panel=MACHINE,
    ),
]
Precision = Annotated[
    Literal["fp32", "bf16"] | None,
    typer.Option(help="Of the multiplications; fp32.", rich_help_panel=MACHINE, show_default=False),
]
SaveSeconds = Annotated[
    float | None,
    typer.Option(help="How often to keep what a kill would lose; 300.", rich_help_panel=MACHINE),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Go on with a run that was killed; a finished one is left as it is.",
        rich_help_panel=OUTPUT,
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Begin anew.", rich_help_panel=OUTPUT)]
