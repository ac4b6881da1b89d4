"""`incognote similarity`: how near texts are to each other, or a word in several texts."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from incognote.cli.fill_mask import EncoderFolder, opened


def similarity(
    texts: Annotated[
        list[str], typer.Argument(help="Texts to compare, two or more.", metavar="TEXT…")
    ],
    encoder: EncoderFolder = None,
    word: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="Compare this word as it stands in each text, not the texts; some words in a row, "
            "such as 'New York', have their mean.",
        ),
    ] = None,
    pool: Annotated[
        Literal["cls", "mean", "max"],
        typer.Option(help="How the vectors of a text's tokens become one."),
    ] = "mean",
    layer: Annotated[
        int | None,
        typer.Option(
            help="Layer to take: 0 is the embeddings, -1 the last layer. By default the model's own "
            "output: the last layer, or ELMo's learned mix.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Compare texts, or a word in several texts, by the cosine of their vectors.

    1 is the same direction, 0 none in common. Within one encoder the order of figures means more than
    their size: vectors of all texts have much in common.

    - `incognote similarity "The vase broke." "Dawn broke." "The news broke." --word broke`
    - `incognote similarity "No fever." "Afebrile." "Fell at home." --encoder minilm/`
    """
    from incognote.cli import show
    from incognote.workshop.features import similarities

    if len(texts) < 2:
        raise typer.BadParameter("give two texts or more")
    cosines = similarities(texts, opened(encoder), word=word, pool=pool, layers=layer)
    if as_json:
        show.as_json({"texts": texts, "word": word, "cosines": cosines.round(6).tolist()})
        return 0
    numbers = [str(number) for number in range(1, len(texts) + 1)]
    rows = [
        [number, *(f"{cosine:.3f}" for cosine in row), text]
        for number, row, text in zip(numbers, cosines.tolist(), texts, strict=True)
    ]
    show.table(["", *numbers, "text"], rows)
    return 0
