"""Table 1: the encoders, with the columns of the study's."""

from __future__ import annotations

from collections.abc import Iterator

from incognote.workshop.compare.report.content import Block, Prose
from incognote.workshop.compare.report.scored import Material
from incognote.workshop.compare.report.table import COUNT, MODEL, NUMBER, SIZE, TEXT, Table

ACTIVATIONS = {
    "gelu": "GELU",
    "gelu_new": "GELU (tanh)",
    "gelu_pytorch_tanh": "GELU (tanh)",
    "relu": "ReLU",
}


def models(material: Material) -> Iterator[Block]:
    """One row for each encoder."""
    yield Prose(
        "Parameters are those of the encoder with its classifier; the size is theirs in 32 bits. "
        "Embedding, attention and feed-forward are widths. Objectives of pretraining: MLM, masked "
        "words; NSP, next sentence; SOP, order of sentences; RTD, replaced words; PLM, permuted "
        "words. A checkpoint that does not tell its own has that of its family as published."
    )
    yield Table.of(
        "models",
        "Table 1: size and architecture of the encoders",
        material.comparison.encoders,
        (
            ("model", MODEL, lambda facts: material.models[facts.name]),
            ("size, GiB", SIZE, lambda facts: gibibytes(facts.parameters)),
            ("parameters", COUNT, lambda facts: facts.parameters),
            ("layers", COUNT, lambda facts: facts.layers),
            ("vocabulary", COUNT, lambda facts: facts.vocabulary),
            ("embedding", COUNT, lambda facts: facts.embedding_size),
            ("attention", COUNT, lambda facts: facts.hidden_size),
            ("feed-forward", COUNT, lambda facts: facts.feed_forward_size),
            ("dropout", NUMBER, lambda facts: facts.dropout),
            ("activation", TEXT, lambda facts: ACTIVATIONS.get(facts.activation, facts.activation)),
            ("shared layers", TEXT, lambda facts: _yes(facts.shared)),
            ("objective", TEXT, lambda facts: facts.objective),
            ("heads", COUNT, lambda facts: facts.heads),
            ("family", TEXT, lambda facts: facts.family),
            ("begun from", TEXT, lambda facts: facts.origin),
        ),
    )


def gibibytes(parameters: int) -> float:
    """The size of so many parameters in 32 bits."""
    return 4 * parameters / 2**30


def _yes(told: bool | None) -> str | None:
    return None if told is None else "yes" if told else "no"
