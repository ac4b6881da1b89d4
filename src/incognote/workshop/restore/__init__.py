"""Case and punctuation for dictated notes, by a Transformer that may change nothing else.

In reading order:

- `words.py`: the words of a text, the marks after them, and a text with both changed.
- `vocabulary.py`: the vocabulary; `spelling.py`: which tokens may follow, so that the words stay.
- `restorer.py`: a note of any length, in overlapping windows, by a folder without torch;
  `networks.py`: its encoder and decoder.
- `examples.py`: pairs to learn from; `train.py`: the command; `score.py`: figures and plain rules
  to compare with.
"""
