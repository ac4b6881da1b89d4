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
        "folder that --shards wrote.",
    ),
]
Output = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="ENCODER",
        help="Folder for the encoder. `incognote train` loads it, and so does `transformers`, "
        "except for ELMo.",
        rich_help_panel=OUTPUT,
        show_default=False,
    ),
]
Preset = Annotated[
    str | None,
    typer.Option(
        help="Sizes and hyper-parameters of a paper: albert-base, bert-base, roberta-base, "
        "electra-small, xlnet-base, elmo-small, or a larger one; the options below change them. "
        "These presets are for pretraining; `incognote encoders` lists those of encoders.",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
Objective = Annotated[
    str | None,
    typer.Option(
        help="Objective: mlm, mlm+nsp, mlm+sop, electra (or electra-15, replace-mlm, "
        "all-tokens-mlm), xlnet or elmo; the preset's by default.",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
Source = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="DIR",
        help="Continue from a checkpoint ('clinical-albert' comes with incognote, 'minilm' with "
        "a package). Without --preset, for an hour and in small steps. Parts that the checkpoint "
        "lacks start from random weights.",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
Tokenizer = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder of the tokenizer, as `incognote tokenizer` writes it; with --from, the "
        "checkpoint's own by default.",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
Size = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Change a size of the preset: --size layers=6 --size hidden_size=256 --size "
        "sharing=ffn",
        rich_help_panel=MODEL,
        show_default=False,
    ),
]
ObjectiveOptions = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="Change the objective, such as --objective-option context=7. For mlm: mask, random "
        "(shares of the chosen tokens: 0.8, 0.1, the rest stay). For mlm+nsp and mlm+sop: these, "
        "and weight (of the sentence loss). For electra: mask, random, weight (of the "
        "discriminator), generator_size, sharing. For xlnet: context (K), longest (span), "
        "memory, both_ways. For elmo: words, samples.",
        rich_help_panel=MODEL,
    ),
]
Steps = Annotated[
    int | None,
    typer.Option(help="Number of steps; the preset's by default.", rich_help_panel=LEARNING),
]
Hours = Annotated[
    float | None,
    typer.Option(
        help="Hours to train, instead of --steps: as many steps as fit, measured at the start.",
        rich_help_panel=LEARNING,
    ),
]
BatchSize = Annotated[
    int | None, typer.Option(help="Sequences in a step.", rich_help_panel=LEARNING)
]
BatchPieces = Annotated[
    int | None,
    typer.Option(help="Tokens in a step, instead of --batch-size.", rich_help_panel=LEARNING),
]
Lengths = Annotated[
    str | None,
    typer.Option(
        metavar="LENGTH[:SHARE],…",
        help="Tokens in a sequence, each length with its share of the steps: 128:0.9,512:0.1",
        rich_help_panel=LEARNING,
    ),
]
Optimizer = Annotated[
    Literal["adamw", "adam", "lamb", "adagrad"] | None,
    typer.Option(
        help="Optimizer: adamw (BERT's), adam (RoBERTa's), lamb (ALBERT's) or adagrad (ELMo's); "
        "the preset's by default.",
        rich_help_panel=LEARNING,
        show_default=False,
    ),
]
Rate = Annotated[
    float | None,
    typer.Option(
        help="Learning rate; the preset's by default, which suits the preset's batch size.",
        rich_help_panel=LEARNING,
    ),
]
Warmup = Annotated[
    float | None,
    typer.Option(
        help="Steps over which the learning rate rises, or below 1 their share.",
        rich_help_panel=LEARNING,
    ),
]
Decay = Annotated[
    Literal["after-warmup", "from-start", "none"] | None,
    typer.Option(
        help="When the learning rate falls to 0: after the warm-up, or (BERT, ALBERT) from the "
        "first step.",
        rich_help_panel=LEARNING,
        show_default=False,
    ),
]
Power = Annotated[
    float | None,
    typer.Option(
        help="Power of the decay of the learning rate; 1 is linear.", rich_help_panel=LEARNING
    ),
]
Betas = Annotated[
    str | None,
    typer.Option(
        metavar="B1,B2", help="Betas of Adam and LAMB, such as 0.9,0.999", rich_help_panel=LEARNING
    ),
]
Epsilon = Annotated[
    float | None, typer.Option(help="Epsilon of the optimizer.", rich_help_panel=LEARNING)
]
WeightDecay = Annotated[
    float | None,
    typer.Option(
        help="Weight decay; layer norms and biases have none, unless --decay-all.",
        rich_help_panel=LEARNING,
    ),
]
DecayAll = Annotated[
    bool | None,
    typer.Option(
        help="Apply weight decay to layer norms and biases too, as RoBERTa does.",
        rich_help_panel=LEARNING,
    ),
]
Clip = Annotated[
    float | None,
    typer.Option(
        help="Largest norm of the gradient; larger ones are scaled down. 0: no limit.",
        rich_help_panel=LEARNING,
    ),
]
Seed = Annotated[
    int | None, typer.Option(help="Seed for everything random.", rich_help_panel=LEARNING)
]
Inputs = Annotated[
    Literal["segment-pair", "sentence-pair", "sentence-order", "full-sentences", "doc-sentences"]
    | None,
    typer.Option(
        help="What a sequence is made of; by default as the objective needs it.",
        rich_help_panel=EXAMPLES,
        show_default=False,
    ),
]
Short = Annotated[
    float | None,
    typer.Option(help="Share of sequences that are shorter.", rich_help_panel=EXAMPLES),
]
MaskShare = Annotated[
    float | None, typer.Option(help="Share of tokens to mask.", rich_help_panel=EXAMPLES)
]
Ngrams = Annotated[
    int | None,
    typer.Option(help="Mask up to this many words in a row.", rich_help_panel=EXAMPLES),
]
WholeWords = Annotated[
    bool | None,
    typer.Option(help="Mask either all tokens of a word or none.", rich_help_panel=EXAMPLES),
]
MaskCopies = Annotated[
    int | None,
    typer.Option(
        help="Static masking: this many differently masked copies of the text, in turn. 0: mask "
        "anew in each epoch.",
        rich_help_panel=EXAMPLES,
    ),
]
HeldOut = Annotated[
    float,
    typer.Option(
        help="Share of the documents that is held out for evaluation.", rich_help_panel=EVALUATION
    ),
]
EvaluateEvery = Annotated[
    int | None,
    typer.Option(
        help="Steps between evaluations; by default 20 evaluations in all.",
        rich_help_panel=EVALUATION,
    ),
]
EvaluateLength = Annotated[
    int | None,
    typer.Option(
        help="Tokens in a held-out sequence; by default the first of --lengths.",
        rich_help_panel=EVALUATION,
    ),
]
EvaluateExamples = Annotated[
    int | None,
    typer.Option(
        help="Held-out sequences in each evaluation; 500 by default.", rich_help_panel=EVALUATION
    ),
]
FinalExamples = Annotated[
    int | None,
    typer.Option(
        help="Held-out sequences in the last evaluation; 2000 by default.",
        rich_help_panel=EVALUATION,
    ),
]
Shards = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder to keep the tokenised text in, for other runs.",
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
        help="Whether a plain text file is one document, or blank lines separate several.",
        rich_help_panel=TEXT,
    ),
]
TextWorkers = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Number of processes that tokenise; by default one for each processor, four at most.",
        rich_help_panel=TEXT,
    ),
]
Pack = Annotated[
    int | None,
    typer.Option(
        help="Tokens that are computed at once; 2048 by default. A larger step is computed in "
        "parts.",
        rich_help_panel=MACHINE,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        help="Number of processes that prepare examples; by default none on a CPU, two with a GPU.",
        rich_help_panel=MACHINE,
    ),
]
Precision = Annotated[
    Literal["fp32", "bf16"] | None,
    typer.Option(
        help="Precision of the matrix multiplications; fp32 by default.",
        rich_help_panel=MACHINE,
        show_default=False,
    ),
]
SaveSeconds = Annotated[
    float | None,
    typer.Option(
        help="Seconds between saved states, from which --resume continues; 300 by default.",
        rich_help_panel=MACHINE,
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Continue a run that was stopped; a finished run is left as it is.",
        rich_help_panel=OUTPUT,
    ),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace an earlier run.", rich_help_panel=OUTPUT)
]
