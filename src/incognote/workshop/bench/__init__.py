"""What this machine does: the work of `incognote bench`.

- `notes.py`: what is read; `peaks.py`: what the machine's matrix multiplication can do at most;
  `operations.py`: what a network needs of it.
- `subject.py`: incognote and its peers, each as work on texts; `alike.py`: a model for a peer that
  has none of ours; `measure.py`: one of them in a process of its own; `run.py`: all of them, one
  after the other.
"""
