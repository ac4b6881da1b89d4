"""The CRF against the sum over all paths, and packed batches against padded ones."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import torch
from toy_corpus import LABELS, quick, tiny_start, toy

from incognote.align.decode import marginals
from incognote.align.note_reader import NoteReader
from incognote.align.tags import Labels
from incognote.workshop.finetune.examples import examples, pack_examples
from incognote.workshop.finetune.losses import counted_loss, summed_loss
from incognote.workshop.finetune.tagger import Crf, Tagger

SMALL = Labels(("O", "B-A", "I-A", "B-C"))


def drawn_crf() -> Crf:
    torch.manual_seed(1)
    crf = Crf(SMALL).double()
    for parameter in crf.parameters():
        torch.nn.init.normal_(parameter)
    return crf


def brute_force(
    crf: Crf, scores: torch.Tensor, opens: bool, closes: bool
) -> dict[tuple[int, ...], float]:
    """Every path and its score."""
    told = crf.transitions()
    found = {}
    for path in product(range(4), repeat=len(scores)):
        total = float(sum(scores[place, label] for place, label in enumerate(path)))
        total += sum(told.between[a, b] for a, b in pairwise(path))
        total += told.start[path[0]] if opens else 0.0
        total += told.end[path[-1]] if closes else 0.0
        found[path] = total
    return found


def test_likelihood_is_that_of_all_paths() -> None:
    crf = drawn_crf()
    lengths = (4, 1, 5)
    scores = torch.randn(10, 4, dtype=torch.float64)
    tags = torch.tensor([0, 1, 2, 3, 2, 1, 2, 2, 1, 0])
    opens, closes = torch.tensor([True, False, True]), torch.tensor([False, True, True])
    lost = crf(scores, tags, lengths, opens, closes)
    begin = 0
    for number, length in enumerate(lengths):
        part = slice(begin, begin + length)
        paths = brute_force(crf, scores[part], bool(opens[number]), bool(closes[number]))
        gold = paths[tuple(tags[part].tolist())]
        expected = np.logaddexp.reduce(list(paths.values())) - gold
        assert abs(lost[number].item() - expected) < 1e-9
        begin += length


def test_gradients_are_finite_and_shares_sum_to_one() -> None:
    crf = drawn_crf()
    scores = (50 * torch.randn(40, 4, dtype=torch.float64)).requires_grad_()
    tags = torch.zeros(40, dtype=torch.long)
    flags = torch.tensor([True])
    crf(scores, tags, (40,), flags, flags).sum().backward()
    assert scores.grad is not None
    assert torch.isfinite(scores.grad).all()
    assert all(torch.isfinite(p.grad).all() for p in crf.parameters() if p.grad is not None)
    # The gradient by a score is its label's probability, less 1 at the gold label.
    shares = scores.grad.numpy() + np.eye(4)[tags.numpy()]
    assert np.allclose(shares, marginals(scores.detach().numpy(), crf.transitions()), atol=1e-9)


def test_packed_and_padded_losses_are_the_same() -> None:
    for crf in (False, True):
        start = tiny_start()
        options = quick(shape=True, crf=crf)
        reader = NoteReader(
            start.tokenizer, window=options.window, overlap=options.overlap, shape=True
        )
        found = examples(toy(5, sentences=2) + toy(3, sentences=1), reader, Labels(LABELS))
        tagger = Tagger(start.model, shape=True, crf=crf).eval()
        packed, targets = pack_examples(found, torch.device("cpu"))
        assert len(set(packed.lengths)) > 1
        lengths = list(packed.lengths)
        pad = torch.nn.utils.rnn.pad_sequence
        ids = pad(list(torch.split(packed.ids, lengths)), batch_first=True)
        assert packed.shapes is not None
        rows = pad(list(torch.split(packed.shapes, lengths)), batch_first=True)
        mask = torch.arange(ids.shape[1]) < torch.tensor(lengths)[:, None]
        logits = tagger(ids, mask=mask, shapes=rows)[mask]
        padded = counted_loss(tagger, logits[targets.places], targets, None, 0.0)
        assert torch.allclose(summed_loss(tagger, packed, targets), padded, rtol=1e-5)


def test_every_piece_counts_once() -> None:
    start = tiny_start()
    reader = NoteReader(start.tokenizer, window=24, overlap=8, shape=False)
    notes = toy(4, sentences=9)
    found = examples(notes, reader, Labels(LABELS))
    pieces = sum(len(reading.ids) for reading in reader.read_all([n.text for n in notes]))
    assert sum(len(example.tags) for example in found) == pieces
    begins = sum(int((example.tags % 2 == 1).sum()) for example in found)
    assert begins == sum(len(note.spans) for note in notes)
