"""Names that no bank has, for when every name of the bank is a real one somewhere in the notes."""

from __future__ import annotations

_ONSETS = "b d f g h j k l m n p r s t v w br dr gr kr tr bl kl fl sh th".split()
_VOWELS = "a e i o u ai ea ou".split()
_ENDS = "n r l s m nd rt lm ren len vin ton sen ker ber dell man ner".split()


def coined(number: int, syllables: int) -> str:
    """A word that can be spoken, drawn by a number."""
    word = ""
    for _ in range(syllables):
        number, onset = divmod(number, len(_ONSETS))
        number, vowel = divmod(number, len(_VOWELS))
        word += _ONSETS[onset] + _VOWELS[vowel]
    return (word + _ENDS[number % len(_ENDS)]).capitalize()
