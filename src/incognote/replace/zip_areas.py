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
_ZIP = re.compile(r"\s*(?P<zip3>[0-9]{3})(?:[0-9]{2}(?:[\s-]{0,3}[0-9]{4})?)?\s*")
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

    def shown(self, text: str) -> str | None:
        """The first three digits of a ZIP code, or 000; None if the text is no ZIP code.

        >>> shipped_zip_areas().shown("04401-2210"), shipped_zip_areas().shown("05901")
        ('044', '000')
        """
        match = _ZIP.fullmatch(text)
        if match is None:
            return None
        return HIDDEN if match["zip3"] in self.sparse else match["zip3"]


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
