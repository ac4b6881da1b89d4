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
        help="Regular expression that finds the patient in a file's path (in a table: in the "
        "id): its first group, or else the whole match. Example: '(\\d+)-\\d+' for 1042-03.txt",
        rich_help_panel=SURROGATES,
    ),
]
PatientFolder = Annotated[
    bool,
    typer.Option(
        "--patient-folder",
        help="Each folder is a patient, by its whole path below the input.",
        rich_help_panel=SURROGATES,
    ),
]
PatientLevel = Annotated[
    int | None,
    typer.Option(
        "--patient-level",
        metavar="N",
        min=1,
        help="With --patient-folder: the folder so many levels below the input names the patient. "
        "p1/2019/a.txt is of p1 with 1; without it, of p1/2019.",
        rich_help_panel=SURROGATES,
    ),
]
ShiftDays = Annotated[
    str | None,
    typer.Option(
        "--shift-days",
        metavar="MAX|LOW:HIGH",
        help="How many days a patient's dates may move: 730 is up to two years either way, "
        "30:365 is 30 to 365 days later. By default up to a year either way (five with "
        "--keep-season).",
        rich_help_panel=SURROGATES,
    ),
]
WholeWeeks = Annotated[
    bool,
    typer.Option(
        "--whole-weeks/--any-days",
        help="Move dates by whole weeks, so that weekdays stay the same.",
        rich_help_panel=SURROGATES,
    ),
]
KeepSeason = Annotated[
    bool,
    typer.Option(
        "--keep-season",
        help="Move dates by about whole years, so that the season stays the same.",
        rich_help_panel=SURROGATES,
    ),
]
Order = Annotated[
    DateOrder,
    typer.Option(
        "--date-order",
        help="How 3/4/19 is read where the note's other dates do not tell: each note by its own or, "
        "with --scan-first, by all dates of its patient.",
        rich_help_panel=SURROGATES,
    ),
]
ForceOrder = Annotated[
    bool,
    typer.Option(
        "--force-date-order",
        help="Read all dates as --date-order says, whatever a note's other dates tell.",
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
        help="Move ages under 90 by up to this many years, and birth dates with them. Ages over "
        "89 become 90+ in any case.",
        rich_help_panel=SURROGATES,
    ),
]
Consistent = Annotated[
    Consistency,
    typer.Option(
        "--consistent",
        help="Where the same name, place or number gets the same surrogate: in all notes of a "
        "patient, or in all notes. Dates always move by patient.",
        rich_help_panel=SURROGATES,
    ),
]
ScanFirst = Annotated[
    bool,
    typer.Option(
        "--scan-first",
        help="Read all notes twice, so that no surrogate is a real name or number of any note. States, "
        "countries and jobs are not covered.",
        rich_help_panel=SURROGATES,
    ),
]
KeepColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--keep-columns",
        metavar="COLUMN",
        help="A column of dates that may stay as it is beside moved dates; may be repeated. A table "
        "with such a column is refused otherwise: its dates tell how far the notes' were moved.",
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
    force_order: bool = False,
) -> SurrogateSettings:
    """The options as one value."""
    from incognote.base.errors import RunError
    from incognote.replace.surrogate.date_shift import DateSettings
    from incognote.replace.surrogate.settings import SurrogateSettings

    earliest, latest = _range(shift_days)
    try:
        dates = DateSettings(
            earliest, latest, whole_weeks, keep_season, order, shift_ages, force_order=force_order
        )
    except ValueError as error:
        raise RunError(f"--shift-days: {error}") from None
    return SurrogateSettings(dates, consistent=consistent)


def _range(words: str | None) -> tuple[int | None, int | None]:
    from incognote.base.errors import RunError

    if words is None:
        return None, None
    match = _RANGE.fullmatch(words)
    if match is None:
        raise RunError("--shift-days: write the most days, such as 730, or a range: 30:365")
    if match["most"]:
        return -int(match["most"]), int(match["most"])
    return int(match["low"]), int(match["high"])
