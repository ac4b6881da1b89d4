"""Begins the clinical ALBERT with what MiniLM knows, instead of with random weights.

    python recipes/clinical_albert/begin.py work/ -o work/start --layers 4 --layer 1 --units 1024
    python recipes/clinical_albert/begin.py work/ -o work/other --embedding-size 64 --sharing none

Each of our pieces gets the mean of MiniLM's embeddings for the same letters, in the directions that
matter most in our text; so do the positions. The projection is fitted to give what MiniLM's layers read,
and the one shared layer is a copy of one of its six, with its weightiest feed-forward units. The
masked-language head begins with each piece's frequency as its bias, and is random otherwise. Layers
that do not share begin as copies of the same, so that they compute the same at first.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from incognote.workshop.encoders import load, save
from incognote.workshop.encoders.albert import SHARING, AlbertConfig
from incognote.workshop.encoders.model import Model
from incognote.workshop.pretrain.corpus.shards import Shards
from incognote.workshop.tokenization import Tokenizer
from incognote.workshop.tokenization import load as load_tokenizer
from incognote.workshop.training.sources import MINILM, checkpoint_folder

WORD_START = "▁"
SPECIAL = {
    "[CLS]": "[CLS]",
    "[SEP]": "[SEP]",
    "[MASK]": "[MASK]",
    "<pad>": "[PAD]",
    "<unk>": "[UNK]",
}
"""Our special pieces, and MiniLM's."""

PLACES = 0.3
"""How much positions count beside words where directions are chosen."""

NEAR, DRAWN, SEED = 256, 40_000, 0


def read_as(ours: Tokenizer, theirs: Tokenizer) -> list[list[int]]:
    """For each of our pieces, the pieces by which they write the same letters."""
    names = theirs.tokens(range(theirs.vocabulary_size))
    known = {name: number for number, name in enumerate(names)}
    found = []
    for name in ours.tokens(range(ours.vocabulary_size)):
        if name in SPECIAL:
            found.append([known[SPECIAL[name]]])
        elif f"##{name}" in known:
            found.append([known[f"##{name}"]])
        else:
            encoding = theirs.encode(name.replace(WORD_START, " "))
            found.append(encoding.ids[encoding.part == 0].tolist() or [known["[UNK]"]])
    return found


def frequencies(shards: Shards) -> Tensor:
    """How often each piece stands in the text, one added so that none is never."""
    counts = np.ones(shards.vocabulary_size)
    for document in shards.train.tolist():
        for ids, _ in shards.sentences(document):
            np.add.at(counts, ids, 1)
    return torch.tensor(counts / counts.sum(), dtype=torch.float32)


@torch.no_grad()
def give_words(model: Model, table: Tensor, shares: Tensor, donor: Model) -> None:
    """The donor's words and positions in the directions that keep most of both."""
    theirs: Any = donor.encoder.embeddings
    ours: Any = model.encoder.embeddings
    weights = shares.sqrt() / shares.sqrt().sum()  # frequent pieces count more, but not alone
    words = table - weights @ table
    positions = theirs.positions.weight - theirs.positions.weight.mean(0)
    near = positions[:NEAR]
    spread = (words * weights[:, None]).T @ words
    spread = spread / spread.trace() + PLACES * near.T @ near / near.square().sum()
    directions = torch.linalg.eigh(spread).eigenvectors[:, -ours.words.embedding_dim :]
    ours.words.weight.copy_(words @ directions)
    ours.positions.weight.copy_(positions @ directions)
    bias = shares.log()
    head: Any = model.heads["mlm"]
    head.bias.copy_(bias - bias.mean())


@torch.no_grad()
def fit_projection(model: Model, table: Tensor, shares: Tensor, donor: Model) -> float:
    """Lets the projection give what the donor's layers read, and says how much of it it gives."""
    theirs: Any = donor.encoder.embeddings
    ours: Any = model.encoder.embeddings
    drawn = torch.multinomial(shares.sqrt(), DRAWN, replacement=True)
    places = torch.randint(0, NEAR, (DRAWN,))
    sums = table[drawn] + theirs.positions.weight[places] + theirs.segments.weight[0]
    wanted = theirs.norm(sums)
    read = ours.norm(ours.words.weight[drawn] + ours.positions.weight[places])
    read = torch.cat([read, torch.ones(DRAWN, 1)], dim=1)
    solved = torch.linalg.lstsq(read, wanted).solution
    ours.projection.weight.copy_(solved[:-1].T)
    ours.projection.bias.copy_(solved[-1])
    left = (read @ solved - wanted).square().sum() / (wanted - wanted.mean(0)).square().sum()
    return 1 - float(left)


@torch.no_grad()
def copy_layer(model: Model, donor: Model, layer: int) -> None:
    """The donor's layer as every layer, with as many feed-forward units as it has room for."""
    ours: Any = model.encoder.stack
    theirs: Any = donor.encoder.stack
    for attention in ours.attentions:
        attention.load_state_dict(theirs.attentions[layer].state_dict())
    state = strongest_units(theirs.feed_forwards[layer], model.config.feed_forward_size)
    for feed_forward in ours.feed_forwards:
        feed_forward.load_state_dict(state)


def strongest_units(feed_forward: nn.Module, units: int) -> dict[str, Tensor]:
    """The weights of a feed-forward, with only so many of its units: those that weigh most."""
    state = feed_forward.state_dict()
    weight = state["up.weight"].norm(dim=1) * state["down.weight"].norm(dim=0)
    kept = weight.topk(units).indices.sort().values
    state["up.weight"], state["up.bias"] = state["up.weight"][kept], state["up.bias"][kept]
    state["down.weight"] = state["down.weight"][:, kept]
    return state


def main() -> int:
    """Build, and save as a checkpoint with its tokenizer."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, help="folder with tokenizer/ and shards/")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder of the start")
    parser.add_argument("--layers", type=int, default=4, help="how often the layer is passed")
    parser.add_argument("--layer", type=int, default=1, help="of MiniLM to copy, from 0")
    parser.add_argument("--units", type=int, default=1024, help="of its feed-forward to keep")
    parser.add_argument("--embedding-size", type=int, default=128)
    parser.add_argument("--sharing", default="all", choices=SHARING)
    given = parser.parse_args()
    tokenizer = load_tokenizer(given.work / "tokenizer", family="albert")
    folder = checkpoint_folder(MINILM)
    assert folder is not None
    donor = load(folder, heads=())
    config = AlbertConfig(
        vocabulary_size=tokenizer.vocabulary_size,
        hidden_size=donor.config.hidden_size,
        layers=given.layers,
        heads=donor.config.heads,
        feed_forward_size=given.units,
        embedding_size=given.embedding_size,
        sharing=given.sharing,
    )
    torch.manual_seed(SEED)
    model = Model(config, heads=("mlm", "sop"))
    theirs: Any = donor.encoder.embeddings
    rows: Tensor = theirs.words.weight.detach()
    pieces = read_as(tokenizer, load_tokenizer(folder, family="bert"))
    table = torch.stack([rows[ids].mean(0) for ids in pieces])
    shares = frequencies(Shards(given.work / "shards/clinical", tokenizer))
    give_words(model, table, shares, donor)
    given_share = fit_projection(model, table, shares, donor)
    copy_layer(model, donor, given.layer)
    given.output.mkdir(parents=True, exist_ok=True)
    for path in (given.work / "tokenizer").iterdir():
        shutil.copyfile(path, given.output / path.name)
    save(model, given.output)  # its configuration last, as the sign that all is there
    print(f"{given.output}: the layer reads {given_share:.0%} of what it was used to")
    return 0


if __name__ == "__main__":
    sys.exit(main())
