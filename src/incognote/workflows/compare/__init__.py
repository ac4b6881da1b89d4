"""`incognote compare`: a grid of runs for each encoder, the best of each chosen on validation.

What is here, in reading order:

- `results.py`: what a comparison's folder says, read back; `chosen`, the best cell of each encoder.
"""
