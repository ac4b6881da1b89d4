"""Writing a calibration."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path

from incognote.base.files import write_private
from incognote.calibration.site_file import KIND, SCHEMA, Site


def write_site(site: Site, path: Path) -> None:
    """Write the file, whole or not at all."""
    values = asdict(site)
    values["scales"] = site.scales.by_type
    for curve in filter(None, (values["curve"], *values["types"].values())):
        for point in curve["points"]:
            if math.isinf(point["threshold"]):
                point["threshold"] = None
    content = json.dumps({"kind": KIND, "schema": SCHEMA, **values}, indent=1)
    write_private(path, content.encode() + b"\n")
