"""The original Transformer (Vaswani et al., 2017): an encoder, and a decoder that attends to it.

In reading order:

- `transformer.py`: its sizes, `transformer-base` and `transformer-big`, and the network, of the
  encoders' own attention and feed-forward layers; decoding step by step with kept keys and values.
- `marian.py`: folders of Hugging Face's Marian, which has the same equations, read and written.
- `search.py`: greedy and beam search over anything that scores the next token, without torch.
- `pairs.py`: batches of source and target. `learning.py`: label smoothing, the paper's schedule, the
  run, the mean of its last checkpoints.

What it is used for here is `workshop/restore`.
"""
