"""`incognote features`: vectors for the words of texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from incognote.cli.fill_mask import EncoderFolder, opened


def features(
    texts: Annotated[
        list[Path], typer.Argument(help="Text files, each one text.", metavar="FILE…")
    ],
    encoder: EncoderFolder = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="NumPy file (.npz) to write: vectors, and each word's text, start and end. "
            "Without it, a JSON line per file.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output.")] = False,
    pooling: Annotated[
        Literal["first", "mean", "last"],
        typer.Option(help="How the vectors of a word's tokens become one vector."),
    ] = "mean",
    layer: Annotated[
        list[int] | None,
        typer.Option(
            "--layer",
            help="Layer to take: 0 is the embeddings, -1 the last layer; may be repeated. By "
            "default the model's own output: the last layer, or ELMo's learned mix.",
        ),
    ] = None,
) -> int:
    """Compute a vector for every word of a text of any length; offsets are in characters.

    A word that the encoder does not see, such as control characters or a zero-width space, has the
    vector null in JSON and NaN in the NumPy file.

    - `incognote features note.txt -o note.npz --encoder encoder/`
    - `incognote features note.txt --encoder albert-base-v2/ --layer 0 --layer -1`
    """
    from incognote.corpus.output import check_file
    from incognote.workshop.features import features as read
    from incognote.workshop.features import read_text, write_lines, write_npz

    if output is not None:
        check_file(output, texts, overwrite=overwrite)
    vectors = read(
        map(read_text, texts),
        opened(encoder),
        pooling=pooling,
        layers=layer[0] if layer and len(layer) == 1 else layer,
    )
    if output is None:
        write_lines(texts, vectors, typer.echo)
    else:
        write_npz(vectors, output)
    return 0
