"""What this machine does: the work of `incognote bench`.

- `run.py`: all measurements, one after the other, of what is read to the figures; `measure.py`: one of
  them in a process of its own; `subject.py`: incognote and its peers, each as work on texts.
- `peaks.py`: what the machine's matrix multiplication can do at most; `operations.py`: what a network
  needs of it.
"""
