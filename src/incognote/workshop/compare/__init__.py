"""`incognote compare`: a grid of runs for each encoder, the best of each chosen on validation.

What is here, in reading order:

- `grid.py`: which encoders with which options, from a TOML file; `study.toml` is the 2022 study's.
- `data.py`: the parts, the sources, and the folds that leave a source out.
- `encoders.py`: what each encoder is, before anything is trained; `plan.py`: every cell with a
  name of its own, in comparison.json.
- `estimate.py` and `budget.py`: how long cells take, and which fit.
- `cell.py`: one cell; `pool.py`: processes that run them; `predictions.py`: what they find.
- `keeping.py`: which weights stay; `run.py`: all of it together.
- `results.py`: what a folder says, read back; `chosen`, the best cell of each encoder.
- `report/`: the page, the tables and the plots.
"""
