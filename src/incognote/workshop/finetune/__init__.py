"""Fine-tuning an encoder to mark spans in notes, and using what came of it.

What is here, in reading order:

- `options.py`: `Options`, all that can be chosen for a run; frozen, checked when made.
- `start.py`: where a run begins: a folder, the MiniLM package, or a preset with random weights, and
  the `Structure` that a trained model keeps when it goes on;
  `shallow.py`, `narrow.py`: with some of its layers, or of their units, where it is to be quicker.
- `examples.py`: notes as windows with tags; `batches.py`: windows of like length packed without
  padding, in an order that is a function of seed and epoch alone; `memory.py`: how many fit.
- `tagger.py`: an encoder with its classifier, a word-shape input, a CRF (`crf.py`) and pieces that
  are read no further (`settling.py`) where wanted; `losses.py`: what is minimized; `teacher.py`: a
  trained model that is learned from as well.
- `optimizer.py`: AdamW, its groups and its schedule. What pretraining needs as well is `training/`.
- `train.py`: one call from notes to a checkpoint; `loop.py`: the run. `progress.py` has what it
  knows of itself; `training/run_folder.py` keeps that, the weights and the optimizer, so that a
  killed run ends as an unbroken one, bit for bit. Dropout is drawn from seed and step, so there is
  no state of random generators to keep.
- `checkpoint.py`: the folder that comes out, in Hugging Face's layout with ours beside it.
- `predict.py`: spans from a checkpoint; `ensemble.py`: from several, of any encoders.
"""
