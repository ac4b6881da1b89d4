"""Pretraining an encoder on plain text.

What is here, in reading order:

- `corpus`: documents read from files, tokenised once into memory-mapped shards.
- `stream`, `segments`, `masking`, `examples`: sequences cut from them and masked or permuted, each a
  function of seed, epoch and index; `objectives`: what is learned from them.
- `settings.py`: `Settings`, all that can be chosen for a run; `presets.py`: the papers' choices.
- `start.py`: random weights, or a checkpoint with the heads that the objective needs.
- `feed.py`: which examples make a step, and their making; `loop.py`: the run, by phases of one length,
  and what it knows of itself. `training/run_folder.py` keeps that with the weights, so that a killed run
  ends as an unbroken one, bit for bit.
- `figures.py`: figures on held-out text, with intervals, the log and the curves.
- `train.py`: one call from shards to an encoder's folder; it turns hours into steps, once.
"""
