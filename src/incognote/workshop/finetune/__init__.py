"""Fine-tuning an encoder to mark spans in notes, and using what came of it.

What is here, in reading order:

- `options.py`: `Options`, all that can be chosen for a run; frozen, checked when made.
- `start.py`: where a run begins: a folder, the MiniLM package, or a preset with random weights, and
  the `Structure` that a trained model keeps when it goes on;
  `smaller.py`: with some of its layers, or of their units, where it is to be quicker.
- `examples.py`: notes as windows with tags, windows of like length packed without padding, and how many
  fit into memory.
- `tagger.py`: an encoder with its classifier, a word-shape input, a CRF and an early exit where wanted;
  `losses.py`: what is minimized, and a trained model that is learned from as well (a teacher).
- `train.py`: one call from notes to a checkpoint; `loop.py`: the run. What tasks and pretraining need
  as well is `training/`.
- `checkpoint.py`: the folder that comes out, in Hugging Face's layout with ours beside it.
- `predict.py`: spans from a checkpoint, or from several of any encoders.
"""
