"""What this machine does: the work of `incognote bench`.

- `run.py`: all measurements, one after the other, of what is read to the figures; `measure.py`: one of
  them in a process of its own; `subject.py`: incognote and its peers, each as work on texts.
- `operations.py`: what a network multiplies, and the most that the machine can.
"""
