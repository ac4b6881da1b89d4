"""What fine-tuning and pretraining share: steps that can be taken again, exactly.

- `run_options.py`: the options of a run: checked, saved with it, compared when it is resumed.
- `loop.py`: the training loop, from a step to going on after a kill; pausing; ending what diverges.
- `epochs.py`: the loop over epochs, with batches of like length and the best epoch kept;
  `layer_rates.py`: which parameter learns how fast.
- `run_folder.py`: the state of a run on disk, and what it leaves beside the weights.
- `optimizers.py`: AdamW, Adam, LAMB and Adagrad as the papers' code has them, the learning rate by
  step, and a running mean of the weights.
- `starts.py`: the encoder that a name means, with its tokenizer; `whole_run.py`: from a folder to results.
- `processes.py`: devices, and the processes of one run. `sources.py`: folders, packages and presets to
  begin from.
"""
