"""ZIP codes by their first three digits, and the areas too sparsely populated to be named even so."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from incognote.base.errors import UserError, reason_of

SHIPPED = Path(__file__).parent / "policies" / "zip3.tsv"
HIDDEN = "000"

_CENSUS = re.compile(r"#\s*census:\s*(?P<years>\d{4}(?:\s*,\s*\d{4})*)\s*")
_ROW = re.compile(r"(?P<zip3>[0-9]{3})(?:[\t,;].*)?")
_HEADER = "zip3"
_ZIP = re.compile(r"(?P<zip>[0-9]{3,5})(?:[\s-]{1,3}[0-9]{4})?|(?P<zip9>[0-9]{7,9})")
_PREFIX = re.compile(r"(?P<zip3>0[0-9]{2}|[0-9]{3}(?:\*{2}|[xX]{2}))")
_FRACTION = re.compile(r"\.0+\Z")
_LARGEST = 1 << 20


class ZipAreasError(UserError, ValueError):
    """A list of ZIP areas that cannot be used."""


@dataclass(frozen=True)
class ZipAreas:
    """The areas that are shown as 000, and the years of the census that says so."""

    sparse: frozenset[str] = field(repr=False)
    census: str

    @property
    def digest(self) -> str:
        """Which list this is."""
        content = f"{self.census}\n{' '.join(sorted(self.sparse))}"
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def shown(self, text: str, *, value: bool = True) -> str | None:
        """The first three digits of a ZIP code, or 000; None if the text is no ZIP code.

        A code of fewer than five digits has lost its leading zeros, as in a column of numbers:
        731 and 731.0 are 00731. In a note, where the text is no `value` of a column, three or four
        digits may be anything, unless they are the first three for sure: 044, 731**.

        >>> shipped_zip_areas().shown("04401-2210"), shipped_zip_areas().shown("05901")
        ('044', '000')
        >>> shipped_zip_areas().shown("731"), shipped_zip_areas().shown("731", value=False)
        ('007', None)
        """
        text = text.strip()
        if prefix := _PREFIX.fullmatch(text):
            return self._area(prefix["zip3"][:3])
        match = _ZIP.fullmatch(_FRACTION.sub("", text) if value else text)
        if match is None or (not value and len(match["zip"] or match["zip9"]) not in (5, 9)):
            return None
        five = match["zip"].zfill(5) if match["zip"] else match["zip9"].zfill(9)[:5]
        return self._area(five[:3])

    def _area(self, zip3: str) -> str:
        return HIDDEN if zip3 in self.sparse else zip3


@cache
def shipped_zip_areas() -> ZipAreas:
    """The list that comes with incognote."""
    return read_zip_areas(SHIPPED)


def read_zip_areas(path: Path) -> ZipAreas:
    """A list: three digits begin each row, and a line `# census: 2020` says where they are from."""
    try:
        if path.stat().st_size > _LARGEST:
            raise ZipAreasError(f"{path}: is too large for a list of three digits each")
        lines = path.read_bytes().decode("utf-8-sig").splitlines()
    except OSError as error:
        raise ZipAreasError(f"{path}: {reason_of(error)}") from None
    except UnicodeDecodeError:
        raise ZipAreasError(f"{path}: is not UTF-8") from None
    census: str | None = None
    sparse: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if match := _CENSUS.fullmatch(line):
            census = ", ".join(re.findall(r"\d{4}", match["years"]))
        elif line.strip() and not line.startswith(("#", _HEADER)):
            row = _ROW.fullmatch(line.strip())
            if row is None:
                raise ZipAreasError(
                    f"{path}:{number}: a row begins with the first three digits of a ZIP code"
                )
            sparse.add(row["zip3"])
    if census is None:
        raise ZipAreasError(
            f"{path}: does not say of which census it is: add a line such as '# census: 2020'"
        )
    if not sparse:
        raise ZipAreasError(f"{path}: names no area, so that no ZIP code would become 000")
    return ZipAreas(frozenset(sparse), census)
