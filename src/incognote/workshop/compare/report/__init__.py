"""The report of a comparison: one page, the same as Markdown, its tables as CSV, its plots.

What is here, in reading order: `table.py` and `content.py` are what a report is made of,
`scored.py` and `pairs.py` make its figures, `sections/` says them, `page.py` and `markdown.py`
show them, `plots.py` draws them, `write.py` writes the files.
"""

from __future__ import annotations

from incognote.workshop.compare.report.write import write_report

__all__ = ["write_report"]
