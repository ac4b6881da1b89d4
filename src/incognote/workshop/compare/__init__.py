"""`incognote compare`: a grid of runs for each encoder, the best of each chosen on validation.

What is here, in reading order:

- `grid.py`: which encoders with which options, from a TOML file; `study.toml` is the 2022 study's.
- `subject.py`: what cells are compared on. `notes.py`: annotated notes, with `data.py`: the parts, the
  sources, and the folds that leave a source out. `downstream.py`: a task, with `seeds.py`: figures over
  the seeds of one setting.
- `plan.py`: every cell with a name of its own, in comparison.json; `encoder_facts.py`: what each
  encoder is, before anything is trained.
- `estimate.py`: how long cells take, and which fit into a budget.
- `cell.py`: one cell; `pool.py`: processes that run them; `run.py`: the whole command.
- `results.py`: what a folder holds, read back, and the best cell of each encoder.
- `report/`: the page, the tables and the plots.
"""
