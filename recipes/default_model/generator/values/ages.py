"""Ages: the number alone, with its unit only when that is not plain years."""

from __future__ import annotations

from random import Random

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_DECADES = "twenties thirties forties fifties sixties seventies eighties nineties".split()


def draw_years(rng: Random) -> int:
    """An adult's age, with some children and very old people."""
    chance = rng.random()
    if chance < 0.12:
        return rng.randint(2, 17)
    if chance < 0.18:
        return rng.randint(89, 104)
    return min(95, max(18, round(rng.gauss(56, 18))))


def in_words(years: int) -> str:
    """`fifty-four`."""
    if years < 20:
        return _ONES[years]
    if years >= 100:
        return "one hundred" + (f" and {in_words(years - 100)}" if years > 100 else "")
    tens, ones = divmod(years, 10)
    return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")


def decade(years: int, rng: Random) -> str:
    """`60s`, `sixties`."""
    tens = min(9, max(2, years // 10))
    if rng.random() < 0.25:
        return _DECADES[tens - 2]
    return f"{tens}0{chr(39) if rng.random() < 0.1 else ''}s"


def infant(rng: Random) -> str:
    """A young child's age with its unit: `7 months`, `3-week`, `18 mo`."""
    unit, most = rng.choice((("month", 23), ("month", 23), ("week", 12), ("day", 27), ("hour", 60)))
    number = rng.randint(2, most)
    chance = rng.random()
    if unit == "month" and chance < 0.3:
        return f"{number} {rng.choice(('mo', 'mos', 'm', 'mths'))}"
    if unit == "week" and chance < 0.25:
        return f"{number} {rng.choice(('wk', 'wks'))}"
    return f"{number} {unit}s"


def tiny(rng: Random) -> str:
    """A child's age as triage writes it: `3wk`, `18mo`, `10d`, `2y4m`, `6 wks`."""
    unit, most = rng.choice((("mo", 23), ("mo", 23), ("mos", 23), ("m", 23), ("wk", 12), ("wks", 12), ("w", 9), ("d", 27), ("day", 27), ("hr", 60)))  # fmt: skip
    if rng.random() < 0.1:
        return f"{rng.randint(1, 9)}{rng.choice(('y', 'yr'))}{rng.randint(1, 11)}{rng.choice(('m', 'mo'))}"
    return f"{rng.randint(2, most)}{rng.choice(('', '', ' '))}{unit}"


def infant_adjective(rng: Random) -> str:
    """What stands before `-old`: `7-month`, `eighteen-month`, `3 week`."""
    unit, most = rng.choice((("month", 23), ("month", 23), ("week", 12), ("day", 27)))
    number = rng.randint(2, most)
    written = in_words(number) if number < 20 and rng.random() < 0.15 else str(number)
    return f"{written}{rng.choice('-- ')}{unit}"


def halves(rng: Random) -> str:
    """A young child's age with a half: `4 1/2`, `5 and a half`."""
    form = rng.choice(("{} 1/2", "{}½", "{}.5", "{} and a half", "{}-1/2"))
    return form.format(rng.randint(1, 9))


def years_and_months(rng: Random) -> str:
    """`10 y 4 m`, as growth charts and schools have it."""
    years, months = rng.randint(1, 17), rng.randint(0, 11)
    form = rng.choice(
        ("{} y {} m", "{} yrs {} mos", "{}y {}m", "{} yr {} mo", "{}y{}m", "{} years {} months")
    )
    return form.format(years, months)
