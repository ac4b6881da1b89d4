"""How often a surrogate had to be a tag: python -m recipes.surrogate_gallery.count.

Every mark of corpus/A to D is replaced, each note as a patient of its own.
"""

from __future__ import annotations

from collections import Counter

from incognote.document import Document
from incognote.formats.inline import parse
from incognote.replace import parse_operators, rewrite
from recipes.surrogate_gallery.make import KEY, ROOT

SETS = "ABCD"


def main() -> None:
    """Print the figures."""
    operators = parse_operators("surrogate", key=KEY)
    marks: Counter[str] = Counter()
    remarks: Counter[tuple[str, str]] = Counter()
    notes = 0
    for path in (path for name in SETS for path in sorted((ROOT / "corpus" / name).glob("*.txt"))):
        text, spans = parse(path.read_text(encoding="utf-8"))
        note = Document(path.stem, text, spans, f"{path.parent.name}/{path.stem}")
        remarks += rewrite(note, operators).remarks
        marks += Counter(span.type for span in spans)
        notes += 1
    lost = remarks["DATE", "tagged"]
    print(f"{notes} notes, {marks.total()} marks")
    print(f"dates not parsed: {lost} of {marks['DATE']} ({lost / marks['DATE']:.2%})")
    tagged = {type: count for (type, remark), count in remarks.items() if remark == "tagged"}
    print(f"tags in place of a surrogate: {sum(tagged.values())} {tagged or ''}".rstrip())
    print(f"weekdays, months and years that coincide: {remarks['DATE', 'coincides']}")
    print(f"ages under 90 kept: {remarks['AGE', 'kept']}; 90+: {remarks['AGE', 'capped']}")


if __name__ == "__main__":
    main()
