"""A run from its arguments: list, check, name, de-identify, write the key list and the audit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from incognote.replace.vault import Vault
from incognote.workflows.run.atomic import write_private
from incognote.workflows.run.audit import Audit, of_nothing
from incognote.workflows.run.deid import Advance, Run
from incognote.workflows.run.inputs import Input, RunError, list_inputs
from incognote.workflows.run.naming import name_outputs, read_key_list, write_key_list
from incognote.workflows.run.place import Place, check_free, choose_place, clear_outputs
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
    audit: Path
    key_list: Path | None
    resume: bool
    vault: Vault | None = None

    def size(self) -> int:
        """Bytes to read, in all passes."""
        passes = 2 if self.settings.scan_first else 1
        return passes * sum(input.size() for input in self.inputs)

    def run(self, advance: Advance = lambda notes, size: None) -> Audit:
        """Do it, and write the audit."""
        run = Run(
            self.inputs,
            self.outputs,
            self.place,
            self.settings,
            resume=self.resume,
            advance=advance,
            vault=self.vault,
        )
        result = run.finish()
        report = json.dumps(result.to_json(), indent=2) + "\n"
        write_private(self.audit, report.encode())
        return result


def plan(
    arguments: Sequence[str],
    output: str | Path,
    settings: Settings,
    *,
    audit: Path | None = None,
    overwrite: bool = False,
    resume: bool = False,
    vault: Vault | None = None,
) -> Plan:
    """Check everything that can be checked before the first note is read.

    The audit goes beside the output unless told otherwise. The vault stays the caller's to close.
    """
    settings = replace(settings, vault=None if vault is None else vault.id)
    settings.check()
    inputs = list_inputs(arguments)
    if not inputs:
        raise RunError(f"{', '.join(arguments)}: no files here")
    settings = settings.settled(inputs)
    place = choose_place(output, arguments, inputs, overwrite=overwrite, resume=resume)
    audit = audit or place.beside(".audit.json")
    if of_nothing(audit):
        audit.unlink()
    if place.single is not None:
        if audit.resolve() == place.target.resolve():
            raise RunError(f"{audit}: is also the output; choose another name")
        check_free([audit], inputs, overwrite=overwrite or resume)
        outputs = {inputs[0].index: place.single}
        return Plan(inputs, outputs, place, settings, audit, None, resume, vault)
    names = settings.names or "number"
    earlier_list = place.beside(".names.csv")
    key_list = earlier_list if names != "keep" else None
    check_free(filter(None, [audit, key_list]), inputs, overwrite=overwrite or resume)
    earlier = read_key_list(earlier_list) if earlier_list.exists() else {}
    outputs = name_outputs(
        inputs,
        names,
        key=settings.key,
        earlier=earlier if resume and names == "number" else {},
        fallback_suffix=SUFFIXES.get(settings.format or "", ""),
    )
    if overwrite and not resume:
        clear_outputs(place, map(PurePath, earlier.values()), outputs.values())
    place.folder.mkdir(parents=True, exist_ok=True)
    if key_list is not None:
        write_key_list(key_list, inputs, outputs)
    return Plan(inputs, outputs, place, settings, audit, key_list, resume, vault)
