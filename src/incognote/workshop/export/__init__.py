"""From checkpoints to a model folder that runs without torch, or to one for `transformers`.

- `graph.py`: an ONNX graph built by hand; `body.py`: an encoder's layers in it; `network.py`: with
  the classifier of a tagger; `encoder_network.py`: with the heads of pretraining;
  `settled.py`: with a tagger that settles pieces.
- `precision.py`: matrices in 32 bits, or in 8.
- `folder.py`: the model folder; `proof.py`: that what was written computes what was trained.
- `run.py`: the work of `incognote export`; `encoder.py`: an encoder by itself, as it ships.
"""
