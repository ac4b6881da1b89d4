"""Words that can be spoken, for the names of hosts and logins that belong to nobody."""

from __future__ import annotations

from incognote.replace.surrogate.keyed import Keyed

_ONSETS = "b d f g h j k l m n p r s t v w br dr gr kr tr bl kl fl st pr".split()
_VOWELS = "a e i o u ai ea ou".split()
_ENDS = "n r l s m".split()


def spoken(length: int, keyed: Keyed, *about: object) -> str:
    """A word of so many letters that no dictionary is likely to have."""
    number = keyed.number("word", *about)
    word = ""
    closed = False
    while len(word) < length:
        left = length - len(word)
        number = number or keyed.number("more", left, *about)
        if word and not closed and (left == 1 or (len(word) > 2 and number % 3 == 0)):
            number, place = divmod(number // 3, len(_ENDS))
            word += _ENDS[place]
            closed = True
            continue
        for parts, room in ((_ONSETS, left - 1), (_VOWELS, 0)):
            fitting = [part for part in parts if len(part) <= (room or length - len(word))]
            if room or parts is _VOWELS:
                number, place = divmod(number, len(fitting))
                word += fitting[place]
        closed = False
    return word
