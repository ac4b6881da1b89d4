"""`incognote features`: vectors for the words of texts, or for the texts."""

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
            help="NumPy file (.npz) to write: vectors, and each word's text, start and end, or the id "
            "of each text. Without it, a JSON line per text.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output.")] = False,
    pooling: Annotated[
        Literal["first", "mean", "last"],
        typer.Option(help="How the vectors of a word's tokens become one vector."),
    ] = "mean",
    pool: Annotated[
        Literal["cls", "mean", "max"] | None,
        typer.Option(
            help="One vector for each text instead of one for each word: the mean or the maximum of "
            "its tokens, or the state of [CLS].",
            show_default=False,
        ),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Each line of a file is a text, such as a sentence.")
    ] = False,
    layer: Annotated[
        list[int] | None,
        typer.Option(
            "--layer",
            help="Layer to take: 0 is the embeddings, -1 the last layer; may be repeated. By "
            "default the model's own output: the last layer, or ELMo's learned mix.",
        ),
    ] = None,
) -> int:
    """Compute a vector for every word of a text of any length, or one for each text.

    Offsets are in characters. A word that the encoder does not see, such as control characters or a
    zero-width space, has the vector null in JSON and NaN in the NumPy file.

    - `incognote features note.txt -o note.npz --encoder encoder/`
    - `incognote features sentences.txt --lines --pool mean -o sentences.npz`
    - `incognote features note.txt --encoder albert-base-v2/ --layer 0 --layer -1`
    """
    from incognote.corpus.output import check_file
    from incognote.workshop import features as vectors

    if output is not None:
        check_file(output, texts, overwrite=overwrite)
    names, contents = zip(*vectors.read_texts(texts, lines=lines), strict=True)
    encoder_used, layers = opened(encoder), layer[0] if layer and len(layer) == 1 else layer
    if pool is not None:
        rows = vectors.text_features(contents, encoder_used, pool=pool, layers=layers)
        if output is None:
            vectors.write_lines(names, rows, typer.echo)
        else:
            vectors.write_text_npz(names, rows, output)
        return 0
    found = vectors.features(contents, encoder_used, pooling=pooling, layers=layers)
    if output is None:
        vectors.write_lines(names, found, typer.echo)
    else:
        vectors.write_npz(found, output)
    return 0
