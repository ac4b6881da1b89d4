"""From checkpoints to a model folder that runs without torch, or to one for `transformers`.

- `graph.py`: an ONNX graph built by hand; `network.py`: an encoder with its classifier as one.
- `precision.py`: matrices in 32 bits, or in 8.
- `folder.py`: the model folder; `proof.py`: that what was written computes what was trained.
- `run.py`: the work of `incognote export`.
"""
