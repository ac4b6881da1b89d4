"""From checkpoints to a model folder that runs without torch, or to one for `transformers`.

- `run.py`: the work of `incognote export`, which writes a model folder; `token_classifier.py`: from a
  checkpoint that others trained, with other labels; `encoder.py`: an encoder by itself, as it ships; `task.py`: a
  downstream task.
- `network.py`: encoders as ONNX graphs, with the classifier of a tagger (and its early exit) or the
  heads of pretraining; `graph.py`: the graph, and its matrices in 32 bits or in 8.
- `proof.py`: that what was written computes what was trained; `reopen.py`: a checkpoint made of an
  exported network again.
"""
