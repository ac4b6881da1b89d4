"""What the papers' own code makes of a text, by SentencePiece's own library."""

from __future__ import annotations

import unicodedata

from sentencepiece import SentencePieceProcessor

SPACE = "\u2581"


def papers_pieces(model: SentencePieceProcessor, text: str, *, lowercase: bool) -> list[str]:
    """White space joined, quotes, NFKD without combining marks, and "2019," parted again."""
    text = " ".join(text.split()).replace("``", '"').replace("''", '"')
    text = unicodedata.normalize("NFKD", text)
    text = "".join(character for character in text if not unicodedata.combining(character))
    pieces = []
    for piece in model.encode(text.lower() if lowercase else text, out_type=str):
        if len(piece) > 1 and piece[-1] == "," and piece[-2].isdigit():
            parts = model.encode(piece[:-1].replace(SPACE, ""), out_type=str)
            if piece[0] != SPACE and parts[0][0] == SPACE:
                parts = parts[1:] if len(parts[0]) == 1 else [parts[0][1:], *parts[1:]]
            pieces += [*parts, ","]
        else:
            pieces.append(piece)
    return pieces


def equally_good(model: SentencePieceProcessor, found: list[int], wanted: list[int]) -> bool:
    """The same ids, or another cut of exactly the same score: a tie has no right answer."""
    if found == wanted:
        return True
    scores = [sum(model.get_score(number) for number in ids) for ids in (found, wanted)]
    return len(found) == len(wanted) and abs(scores[0] - scores[1]) < 1e-3
