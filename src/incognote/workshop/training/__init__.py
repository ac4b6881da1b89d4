"""What fine-tuning and pretraining share: steps that can be taken again, exactly.

- `chosen.py`: what can be chosen for a run: checked, kept with it, compared when it goes on.
- `processes.py`: devices, and the processes of one run.
- `saved_state.py`: weights, moments and progress in one file, whole or not at all.
- `places.py`: seeds by the place in a run, so that there is no state of generators to keep.
- `watchdog.py`: ends a run whose loss is no number or has left all bounds.
- `schedules.py`: warm-up and decay; `groups.py`: which parameters decay.
- `optimizers.py`: AdamW, Adam, LAMB and Adagrad as the papers' code has them; `average.py`: a
  running mean of the weights.
- `sources.py`: folders, packages and presets to begin from; `dropout.py`: changed after the fact.
- `result_files.py`: what lies beside the weights in the folder that a run leaves.
"""
