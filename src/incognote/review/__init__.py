"""People in the loop: notes read on a page, marks corrected, and what a sample says of all notes.

- `start.py`, `sample.py`: from notes to a review; which notes people read, and what these show.
- `project.py`, `tables.py`, `store.py`: the folder, its key, its database.
- `marks.py`, `mentions.py`: the marks of a note, and what a reader does to them.
- `readings.py`, `desk.py`, `reviewers.py`: how far notes are, what reviewers may do, who they are.
- `api.py`, `app.py`, `run.py`, `page/`: the page.
- `outcome.py`: what is left in the end.
"""
