"""A run from its arguments: list, check, name, de-identify, write the key list and the audit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from incognote.workflows.run.atomic import write_private
from incognote.workflows.run.audit import Audit
from incognote.workflows.run.deid import Advance, Run
from incognote.workflows.run.inputs import Input, RunError, list_inputs
from incognote.workflows.run.naming import name_outputs, read_key_list, write_key_list
from incognote.workflows.run.place import Place, choose_place
from incognote.workflows.run.settings import Settings

SUFFIXES = {
    "text": ".txt",
    "inline": ".txt",
    "brat": ".txt",
    "i2b2": ".xml",
    "jsonl": ".jsonl",
    "csv": ".csv",
    "parquet": ".parquet",
}


@dataclass(frozen=True)
class Plan:
    """What a run will read and write."""

    inputs: Sequence[Input]
    outputs: dict[int, PurePath]
    place: Place
    settings: Settings
    key_list: Path | None
    resume: bool

    def size(self) -> int:
        """Bytes to read."""
        return sum(input.size() for input in self.inputs)

    @property
    def audit_path(self) -> Path:
        """Where the audit goes unless told otherwise: beside the output."""
        return self.place.beside(".audit.json")

    def run(self, advance: Advance = lambda notes, size: None, audit: Path | None = None) -> Audit:
        """Do it, and write the audit (beside the output unless told where)."""
        run = Run(
            self.inputs,
            self.outputs,
            self.place,
            self.settings,
            resume=self.resume,
            advance=advance,
        )
        result = run.finish()
        report = json.dumps(result.to_json(), indent=2) + "\n"
        write_private(audit or self.audit_path, report.encode())
        return result


def plan(
    arguments: Sequence[str],
    output: str | Path,
    settings: Settings,
    *,
    overwrite: bool = False,
    resume: bool = False,
) -> Plan:
    """Check everything that can be checked before the first note is read."""
    settings.check()
    inputs = list_inputs(arguments)
    if not inputs:
        raise RunError(f"{', '.join(arguments)}: no files here")
    place = choose_place(output, arguments, inputs, overwrite=overwrite, resume=resume)
    if place.single is not None:
        return Plan(inputs, {inputs[0].index: place.single}, place, settings, None, resume)
    names = settings.names or "number"
    key_list = place.beside(".names.csv") if names != "keep" else None
    earlier = read_key_list(key_list) if resume and key_list and key_list.exists() else {}
    outputs = name_outputs(
        inputs,
        names,
        key=settings.key,
        earlier=earlier if names == "number" else {},
        fallback_suffix=SUFFIXES.get(settings.format or "", ""),
    )
    place.folder.mkdir(parents=True, exist_ok=True)
    if key_list is not None:
        write_key_list(key_list, inputs, outputs)
    return Plan(inputs, outputs, place, settings, key_list, resume)
