"""Downstream tasks: sentences and pairs, multiple choice, and answers found in a text.

A task is a reader, an example builder, a head, a loss and metrics. What is here, in reading order:

- `task.py`: `Task` and its examples; all tasks by name.
- `onnx/task_folder.py`, in the other wing: the folder of an exported task.
- `readers.py`: GLUE, SNLI and, with `squad_files.py` and `race_files.py`, SQuAD and RACE as they are
  published; `columns.py`: a user's own tables; `rows.py`: what all read, and what is wrong with it.
- `metrics.py`: the official figures.
- `settings.py`: the settings that the papers fine-tune with, by family and task.
- `inputs.py`: examples as a model's tokens, long contexts in windows; `answers.py`: from the logits of
  windows to answers, best first, and whether there is one.
- `predict.py`: predictions as a stream, from a checkpoint or an exported folder; `evaluate.py`: these
  scored, and written as the tasks' own servers take them.
- `options.py`, `start.py`, `loop.py`, `train.py`: a run, on the loop over epochs of `training/`;
  `batches.py`, `losses.py`: what its steps are made of; `torch_task.py`: its model, and any checkpoint's;
  `checkpoint.py`: its folder. The command's work is `workshop/task_training.py`.
"""
