"""Begins a small encoder of one of three families with what MiniLM knows, so that minutes show something.

    python recipes/pretraining_studies/begin_small.py FILE… --tokenizer tokenizer/ --shards shards/ -o start/
        --family bert
    python recipes/pretraining_studies/begin_small.py … --family albert --embedding-size 32 --sharing all

Each token gets the mean of MiniLM's embeddings for the same letters; ALBERT's get that in the directions
that matter most in the text, with a projection fitted to give back what MiniLM's layers read. The layers
are MiniLM's first, with their weightiest feed-forward units; those that share something are copies of
its second. The head for masked tokens begins with each token's frequency as its bias, and is random
otherwise.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from incognote.workshop.encoders import load, save
from incognote.workshop.encoders.albert import SHARING, AlbertConfig
from incognote.workshop.encoders.bert import BertConfig
from incognote.workshop.encoders.electra import ElectraConfig
from incognote.workshop.encoders.model import Model
from incognote.workshop.pretrain.corpus.prepare import ShardSettings, prepare
from incognote.workshop.tokenization import Tokenizer
from incognote.workshop.tokenization import load as load_tokenizer
from incognote.workshop.training.sources import MINILM, checkpoint_folder
from recipes.clinical_albert.begin import (
    copy_layer,
    fit_projection,
    frequencies,
    give_words,
    read_as,
    strongest_units,
)

HEADS = {"albert": ("mlm", "sop"), "bert": ("mlm", "nsp"), "electra": ("mlm", "rtd")}
COPIED = 1
"""The layer of MiniLM, from 0, that ALBERT's layers are copies of."""

SEED = 0


def same_letters(ours: Tokenizer, theirs: Tokenizer) -> list[list[int]]:
    """For each of our tokens, theirs for the same letters; a WordPiece often is one of theirs."""
    names = theirs.tokens(range(theirs.vocabulary_size))
    known = {name: number for number, name in enumerate(names)}
    own = ours.tokens(range(ours.vocabulary_size))
    if "[PAD]" not in own:
        return read_as(ours, theirs)
    found = []
    for name in own:
        if name in known:
            found.append([known[name]])
            continue
        encoding = theirs.encode(name.removeprefix("##"))
        found.append(encoding.ids[encoding.part == 0].tolist() or [known["[UNK]"]])
    return found


def config_of(given: argparse.Namespace, words: int, pad_id: int, donor: Any) -> Any:
    """MiniLM's width, and as many layers and units as were asked for."""
    sizes: dict[str, Any] = {
        "vocabulary_size": words,
        "hidden_size": donor.hidden_size,
        "layers": given.layers,
        "heads": donor.heads,
        "feed_forward_size": given.units,
        "pad_id": pad_id,
    }
    if given.family == "albert":
        # Where embeddings are as wide as the layers, too: all arms have the projection.
        more = {"embedding_size": given.embedding_size, "sharing": given.sharing}
        return AlbertConfig(**sizes, **more, projection=True)
    if given.family == "bert":
        return BertConfig(**sizes)
    return ElectraConfig(**sizes, embedding_size=donor.hidden_size)


@torch.no_grad()
def give_all_words(model: Model, table: Tensor, shares: Tensor, donor: Model) -> None:
    """The donor's words, positions and segments as they are; the head's bias from frequencies."""
    ours: Any = model.encoder.embeddings
    theirs: Any = donor.encoder.embeddings
    ours.words.weight.copy_(table)
    for name in ("positions", "segments", "norm"):
        getattr(ours, name).load_state_dict(getattr(theirs, name).state_dict())
    bias = shares.log()
    head: Any = model.heads["mlm"]
    head.bias.copy_(bias - bias.mean())


def main() -> int:
    """Build, and save as a checkpoint with its tokenizer."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "texts", type=Path, nargs="+", help="what will be read, for the frequencies"
    )
    parser.add_argument("--tokenizer", type=Path, required=True, help="folder of the tokenizer")
    parser.add_argument("--shards", type=Path, required=True, help="folder for the tokenised text")
    parser.add_argument("--held-out", type=float, required=True, help="share of the documents")
    parser.add_argument("--text-workers", type=int, default=1, help="processes that tokenise")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the start")
    parser.add_argument("--family", choices=tuple(HEADS), required=True)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--units", type=int, default=512, help="of each feed-forward to keep")
    parser.add_argument("--embedding-size", type=int, default=128, help="of ALBERT")
    parser.add_argument("--sharing", default="all", choices=SHARING, help="of ALBERT's layers")
    given = parser.parse_args()
    tokenizer = load_tokenizer(given.tokenizer, family=given.family)
    folder = checkpoint_folder(MINILM)
    assert folder is not None
    donor = load(folder, heads=())
    batch = tokenizer.pad([tokenizer.encode(""), tokenizer.encode("a")])
    pad_id = int(batch.ids[batch.mask == 0][0])
    torch.manual_seed(SEED)
    config = config_of(given, tokenizer.vocabulary_size, pad_id, donor.config)
    model = Model(config, heads=HEADS[given.family])
    theirs: Any = donor.encoder.embeddings
    rows: Tensor = theirs.words.weight.detach()
    tokens = same_letters(tokenizer, load_tokenizer(folder, family="bert"))
    table = torch.stack([rows[ids].mean(0) for ids in tokens])
    settings = ShardSettings(held_out=given.held_out)
    workers = given.text_workers
    shards = prepare(given.texts, tokenizer, given.shards, settings, workers=workers)
    shares = frequencies(shards)
    if given.family == "albert":
        give_words(model, table, shares, donor)
        known = fit_projection(model, table, shares, donor)
        copy_layer(model, donor, COPIED)
        print(f"{given.output}: the layer reads {known:.0%} of what it was used to")
    else:
        give_all_words(model, table, shares, donor)
        copy_layers(model, donor)
    given.output.mkdir(parents=True, exist_ok=True)
    for path in given.tokenizer.iterdir():
        shutil.copyfile(path, given.output / path.name)
    save(model, given.output)  # its configuration last, as the sign that all is there
    return 0


@torch.no_grad()
def copy_layers(model: Model, donor: Model) -> None:
    """The donor's first layers, one for each, with as many feed-forward units as there is room for."""
    ours: Any = model.encoder.stack
    theirs: Any = donor.encoder.stack
    for layer, attention in enumerate(ours.attentions):
        attention.load_state_dict(theirs.attentions[layer].state_dict())
        ours.feed_forwards[layer].load_state_dict(
            strongest_units(theirs.feed_forwards[layer], model.config.feed_forward_size)
        )


if __name__ == "__main__":
    sys.exit(main())
