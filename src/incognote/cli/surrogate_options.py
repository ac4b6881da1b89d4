"""The options of `--replace surrogate`, and of whose note it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from incognote.replace.surrogate.settings import SurrogateSettings

SURROGATES = "Surrogates"
_RANGE = re.compile(r"(?P<low>-?\d+):(?P<high>-?\d+)|(?P<most>\d+)")
DateOrder = Literal["mdy", "dmy", "ymd"]
Consistency = Literal["patient", "corpus"]

PatientPattern = Annotated[
    str | None,
    typer.Option(
        "--patient-pattern",
        metavar="REGEX",
        help="Names the patient in a file's path (in a table: in the id): the first group, or the "
        r"match. Example: '(\d+)-\d+' for 1042-03.txt",
        rich_help_panel=SURROGATES,
    ),
]
PatientFolder = Annotated[
    bool,
    typer.Option("--patient-folder", help="Each folder is a patient.", rich_help_panel=SURROGATES),
]
ShiftDays = Annotated[
    str | None,
    typer.Option(
        "--shift-days",
        metavar="MAX|LOW:HIGH",
        help="How far a patient's dates may move: 730 is two years either way, 30:365 is later "
        "only. A year either way by default (five with --keep-season).",
        rich_help_panel=SURROGATES,
    ),
]
WholeWeeks = Annotated[
    bool,
    typer.Option(
        "--whole-weeks/--any-days",
        help="Move dates by whole weeks, so that weekdays stay true.",
        rich_help_panel=SURROGATES,
    ),
]
KeepSeason = Annotated[
    bool,
    typer.Option(
        "--keep-season",
        help="Move dates by about whole years, so that the season stays.",
        rich_help_panel=SURROGATES,
    ),
]
Order = Annotated[
    DateOrder,
    typer.Option(
        "--date-order",
        help="How 3/4/19 is read in a note whose other dates do not tell.",
        rich_help_panel=SURROGATES,
    ),
]
ShiftAges = Annotated[
    int,
    typer.Option(
        "--shift-ages",
        metavar="YEARS",
        min=0,
        max=10,
        help="Move ages under 90 by up to so many years; birth dates go along. Over 89 they are "
        "90+ in any case.",
        rich_help_panel=SURROGATES,
    ),
]
Consistent = Annotated[
    Consistency,
    typer.Option(
        "--consistent",
        help="The same name, place or number has the same fake in a patient's notes, or in all. "
        "Dates move by patient in any case.",
        rich_help_panel=SURROGATES,
    ),
]
ScanFirst = Annotated[
    bool,
    typer.Option(
        "--scan-first",
        help="Read everything twice, so that no fake is a real name or number of any note.",
        rich_help_panel=SURROGATES,
    ),
]


def surrogates_of(
    shift_days: str | None,
    whole_weeks: bool,
    keep_season: bool,
    order: DateOrder,
    shift_ages: int,
    consistent: Consistency,
) -> SurrogateSettings:
    """The options as one value."""
    from incognote.replace.surrogate.dates import DateSettings
    from incognote.replace.surrogate.settings import SurrogateSettings
    from incognote.workflows.run.inputs import RunError

    earliest, latest = _range(shift_days)
    try:
        dates = DateSettings(earliest, latest, whole_weeks, keep_season, order, shift_ages)
    except ValueError as error:
        raise RunError(f"--shift-days: {error}") from None
    return SurrogateSettings(dates, consistent=consistent)


def _range(words: str | None) -> tuple[int | None, int | None]:
    from incognote.workflows.run.inputs import RunError

    if words is None:
        return None, None
    match = _RANGE.fullmatch(words)
    if match is None:
        raise RunError("--shift-days: write the most days, such as 730, or a range: 30:365")
    if match["most"]:
        return -int(match["most"]), int(match["most"])
    return int(match["low"]), int(match["high"])
