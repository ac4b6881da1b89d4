"""`incognote export`: from checkpoints to a model that runs without torch."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Literal

import typer

from incognote.base.options import PathText
from incognote.cli.options import FormatOption


def export(
    checkpoints: Annotated[
        list[Path],
        typer.Argument(
            help="Folders that `incognote train` wrote, or token-classification folders of Hugging "
            "Face (BERT, RoBERTa, ALBERT, ELECTRA, DistilBERT); several become one ensemble. "
            "With --to encoder, one that `incognote pretrain` wrote.",
            metavar="CHECKPOINT…",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="The folder to write.")
    ],
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="W1,W2,…",
            help="Weight of each checkpoint in an ensemble; equal by default.",
        ),
    ] = None,
    balanced: Annotated[
        Path | None,
        typer.Option(metavar="CHECKPOINT", help="A smaller model, for --speed balanced."),
    ] = None,
    fast: Annotated[
        Path | None,
        typer.Option(metavar="CHECKPOINT", help="A still smaller one, for --speed fast."),
    ] = None,
    int8: Annotated[
        bool,
        typer.Option(
            "--int8",
            help="Quantise to 8 bits: a quarter of the size. A model for incognote also gets "
            "faster, and needs --validation; an encoder (--to encoder) only gets smaller.",
        ),
    ] = False,
    validation: Annotated[
        Path | None,
        typer.Option(
            metavar="CORPUS",
            help="Annotated notes to measure the F1 of the exported model on.",
        ),
    ] = None,
    max_f1_loss: Annotated[
        float,
        typer.Option(
            help="With --int8, refuse a model that loses more F1 than this: 0.003 is 0.3 %.",
            min=0,
            max=1,
        ),
    ] = 0.003,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|SCHEME",
            help="Which of our types each label of a Hugging Face folder becomes, if it has "
            'other names: a JSON file such as {"PER": "PATIENT", "MISC": null}, or a known '
            "scheme: i2b2-2006, physionet, meddocan, presidio.",
        ),
        PathText(or_name=True),
    ] = None,
    format: FormatOption = None,
    to: Annotated[
        Literal["incognote", "huggingface", "encoder"],
        typer.Option(
            help="What to write: a model folder for incognote, one for the pipelines of "
            "transformers, or an encoder for `incognote fill-mask` and `incognote features`."
        ),
    ] = "incognote",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output.")] = False,
) -> int:
    """Export a fine-tuned model or an encoder, to run it without torch.

    The exported network is checked against torch's. With `--int8`, the loss of F1 is measured, and
    a model that loses too much is refused:

        incognote export checkpoint/ -o model/
        incognote export checkpoint/ -o model/ --int8 --validation corpus/dev
        incognote export large/ -o model/ --balanced small/ --fast smaller/
        incognote export first/ second/ --weights 2,1 -o model/
        incognote find notes/ --model model/
        incognote export encoder/ -o small/ --to encoder --int8
        incognote export deid-roberta/ -o model/ --labels labels.json
    """
    from incognote.cli.errors import installed

    with installed("export needs"):
        import onnx  # noqa: F401
        import torch  # noqa: F401
    from incognote.corpus.predictions import read_gold
    from incognote.formats import Fields
    from incognote.workshop.export.run import Proof, export, export_huggingface
    from incognote.workshop.export.token_classifier import read_label_map

    faster = {
        speed: path for speed, path in (("balanced", balanced), ("fast", fast)) if path is not None
    }
    if (faster or weights is not None) and to != "incognote":
        raise typer.BadParameter("--balanced, --fast and --weights are for --to incognote only")
    if labels is not None and to != "incognote":
        raise typer.BadParameter("--labels is for --to incognote only")
    if to == "huggingface":
        if len(checkpoints) > 1 or int8 or validation is not None:
            raise typer.BadParameter(
                "--to huggingface takes one checkpoint, without --int8 and --validation"
            )
        export_huggingface(checkpoints[0], output, overwrite=overwrite, tell=typer.echo)
    elif to == "encoder":
        from incognote.workshop.export.encoder import export_encoder

        if len(checkpoints) > 1 or validation is not None:
            raise typer.BadParameter("--to encoder takes one checkpoint, without --validation")
        export_encoder(checkpoints[0], output, int8=int8, overwrite=overwrite, tell=typer.echo)
    else:
        proof = None
        if validation is not None:
            proof = Proof(read_gold(validation, format, Fields()), max_f1_loss)
        export(
            checkpoints,
            output,
            faster=faster,
            weights=_weights(weights),
            int8=int8,
            proof=proof,
            label_map=None if labels is None else read_label_map(labels),
            overwrite=overwrite,
            tell=typer.echo,
        )
    typer.echo(f"model: {output}")
    return 0


def _weights(text: str | None) -> list[float]:
    try:
        weights = [] if text is None else [float(word) for word in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"--weights {text}: write numbers, such as 2,1") from None
    if not all(0 < weight < math.inf for weight in weights):
        raise typer.BadParameter(f"--weights {text}: each must be above 0")
    return weights
