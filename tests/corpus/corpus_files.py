"""Small corpora for the tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from incognote.formats.inline import parse


def inline_folder(folder: Path, notes: Mapping[str, str]) -> Path:
    """Notes with inline marks, by id."""
    for id, text in notes.items():
        path = folder / f"{id}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder


def jsonl_file(path: Path, notes: Iterable[tuple[str, str]], **more: Sequence[str | None]) -> Path:
    """Notes with inline marks as lines; `more` are other fields, a value for each line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for index, (id, marked_text) in enumerate(notes):
        text, spans = parse(marked_text)
        item: dict[str, object] = {"id": id, "text": text}
        item["spans"] = [{"start": s.start, "end": s.end, "type": s.type} for s in spans]
        item |= {name: values[index] for name, values in more.items()}
        lines.append(json.dumps(item) + "\n")
    path.write_text("".join(lines), encoding="utf-8")
    return path


def tree(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
