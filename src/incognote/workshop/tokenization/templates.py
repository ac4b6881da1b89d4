"""Where each family puts its special tokens, and which segment each piece counts to."""

from __future__ import annotations

from dataclasses import dataclass

A, B = "A", "B"


@dataclass(frozen=True)
class Template:
    """The order of a pair's parts, each with its segment; a single text has no B, nor what ends it.

    `pair` and `single` have A, B and special tokens by the names they have in `names`.
    """

    single: tuple[tuple[str, int], ...]
    pair: tuple[tuple[str, int], ...]
    names: dict[str, str]
    pad_segment: int = 0
    pads_left: bool = False


_BRACKETS = {"cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]", "unknown": "[UNK]", "pad": "[PAD]"}
_ANGLES = {"cls": "<cls>", "sep": "<sep>", "mask": "<mask>", "unknown": "<unk>", "pad": "<pad>"}

BERT = Template(
    single=(("cls", 0), (A, 0), ("sep", 0)),
    pair=(("cls", 0), (A, 0), ("sep", 0), (B, 1), ("sep", 1)),
    names=_BRACKETS,
)
ALBERT = Template(
    single=BERT.single, pair=BERT.pair, names={**_BRACKETS, "unknown": "<unk>", "pad": "<pad>"}
)
ROBERTA = Template(
    single=(("cls", 0), (A, 0), ("sep", 0)),
    pair=(("cls", 0), (A, 0), ("sep", 0), ("sep", 0), (B, 0), ("sep", 0)),
    names={**_ANGLES, "cls": "<s>", "sep": "</s>"},
)
XLNET = Template(
    single=((A, 0), ("sep", 0), ("cls", 2)),
    pair=((A, 0), ("sep", 0), (B, 1), ("sep", 1), ("cls", 2)),
    names=_ANGLES,
    pad_segment=3,
    pads_left=True,
)

TEMPLATES: dict[str, Template] = {
    "bert": BERT,
    "electra": BERT,
    "distilbert": BERT,
    "albert": ALBERT,
    "roberta": ROBERTA,
    "xlnet": XLNET,
}
