"""What a run was asked to do.

Made when a command starts, so that what finds and replaces is imported where it is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast, get_args

from incognote.base.errors import RunError
from incognote.base.options import Option, PathText
from incognote.document import Document
from incognote.formats.column_plan import with_order
from incognote.formats.fields import Fields
from incognote.phi import CATEGORIES, OURS, KnownTypes
from incognote.replace.policy import Policy, read_policy
from incognote.runs.inputs import Input
from incognote.runs.outputs import Names
from incognote.runs.patients import Patients

if TYPE_CHECKING:
    from incognote.detect.detector import Detector
    from incognote.detect.finder import Choice
    from incognote.detect.site import Site
    from incognote.detect.thresholds import Thresholds
    from incognote.pipeline import Deidentifier
    from incognote.replace import Operators
    from incognote.replace.surrogate.settings import Avoided, SurrogateSettings
    from incognote.runs.decisions import Decisions
    from incognote.runs.division import Division
    from incognote.runs.shifts import Shifts
    from incognote.runs.stream import Event


_output = partial(Option, panel="Output")
_detection = partial(Option, panel="Detection")
_surrogates = partial(Option, panel="Surrogates")


def parse_names(text: str) -> Names:
    """A way to name output files."""
    if text in get_args(Names):
        return cast(Names, text)
    raise ValueError("choose number, hash or keep")


@dataclass(frozen=True)
class Cleaned:
    """A note that may leave, and how many characters of its original every detector saw."""

    output: Document
    seen: int
    remarks: Counter[tuple[str, str]]
    """What the replacements had to say, by type."""
    lengths: tuple[int, ...] = ()
    """How long the originals of the output's spans were, in order."""


@dataclass(frozen=True)
class Settings:
    """The settings that decide what comes out; two runs with the same ones give the same."""

    replace: Annotated[
        str,
        Option(
            "tag ([PATIENT], the default), redact (nothing), mask (Xxxx 00), hash "
            "([PATIENT-5b1f…]), surrogate (realistic fakes), keep, year (2019), month (2019-03), "
            "generalise (ages 60-64, ZIP codes 044, dates 2019) or shift (dates moved); others for "
            "some types or categories: tag,DATE=mask,CONTACT=redact. 'hash', 'surrogate' and "
            "'shift' need a key.",
            varies=True,
        ),
    ] = ""
    """By type; the default where nothing is said is a tag, or what the policy says."""
    policy: Annotated[
        Policy | None,
        Option(
            "Replace by a release policy: i2b2 (all types as tags), safe-harbor, limited-data-set, "
            "expert, gdpr, phipa, or a file of your own. --replace TYPE=… goes before it. "
            "`incognote policies` shows what each does.",
            metavar="NAME|FILE",
            path=PathText(or_name=True),
            parse=read_policy,
        ),
    ] = None
    number: Annotated[bool, Option("Number tags per distinct person or value in a note.")] = False
    names: Annotated[
        Names | None,
        _output(
            "Names of output files. File names are PHI too, so folders get numbers by default; the "
            "list that leads back is OUT.names.csv. 'hash' needs a key.",
            metavar="number|hash|keep",
            parse=parse_names,
        ),
    ] = None
    """None: numbers for folders, the given name for a single file."""
    format: str | None = None
    with_spans: Annotated[
        bool,
        _output(
            "Mark each replacement in the output, where its format can: `spans` in JSONL, tags in "
            "i2b2 XML, .ann of brat, [[TYPE|text]] marks. Without it no place is marked. Not for a "
            "release with surrogates: what has no mark there is real."
        ),
    ] = False
    fields: Fields = field(default_factory=Fields)
    key: bytes | None = field(default=None, repr=False)
    surrogates: SurrogateSettings | None = None
    patients: Patients = field(default_factory=Patients)
    shift_file: Annotated[
        Path | None,
        _surrogates(
            "CSV file with a header that says by how many days the dates of each patient move, where "
            "that was decided elsewhere: the columns 'patient' and 'days', or else the first two. "
            "A note without a patient, or whose patient is not there, fails. Keep the file as secret "
            "as the key.",
            metavar="FILE",
        ),
    ] = None
    scan_first: Annotated[
        bool,
        _surrogates(
            "Read all notes twice, so that no surrogate is a real name or number of any note. "
            "States, countries and jobs are not covered."
        ),
    ] = False
    scanned: Path | None = None
    """What the first pass found; set by the run."""
    model: Annotated[
        Path | None,
        _detection(
            "Folder of the model to use, as `incognote export` writes it; by default the model that "
            "comes with incognote.",
            metavar="DIR",
        ),
    ] = None
    find_by: Annotated[
        Literal["rules", "model", "both"] | None,
        _detection(
            "What finds identifiers: the rules, the model, or both (the default if there is a "
            "model).",
            flags=("--detector",),
        ),
    ] = None
    with_detectors: Annotated[
        tuple[str, ...],
        _detection(
            "A detector of your own, by the name that its package registers, beside the rules; may "
            "be repeated (docs/extending.md).",
            flags=("--with-detector",),
            metavar="NAME",
            repeated=True,
        ),
    ] = ()
    speed: Annotated[
        Literal["careful", "balanced", "fast"] | None,
        Option(
            "Which variant of the model to use: careful (the default), balanced or fast. The model "
            "that comes with incognote has all three, and README.md compares them."
        ),
    ] = None
    calibration: Annotated[
        Path | None,
        _detection(
            "File with the thresholds for your notes that `incognote calibrate` wrote. Needs "
            "--min-recall.",
            metavar="FILE",
        ),
    ] = None
    min_recall: Annotated[
        float | None,
        _detection(
            "Recall to guarantee: the share of a note's identifiers that is hidden, on average over "
            "notes, such as 0.99. Needs --calibration.",
            metavar="R",
        ),
    ] = None
    site: Annotated[
        Path | None,
        _detection(
            "Site file of your hospital: lists of its staff and wards, patterns of its numbers, what "
            "is never an identifier there, types of its own (docs/site.md).",
            metavar="FILE",
        ),
    ] = None
    site_digest: str | None = None
    """What the site file, and the files that it names, held when the settings were made."""
    decisions: Decisions | None = field(default=None, repr=False)
    """What people decided of some of the notes."""
    keep_columns: Annotated[
        tuple[str, ...],
        _surrogates(
            "A column of dates that may stay as it is beside moved dates; may be repeated. A table "
            "with such a column is refused otherwise: its dates tell how far the notes' were moved.",
            metavar="COLUMN",
            repeated=True,
        ),
    ] = ()
    vault: str | None = None
    """The id of the vault that keeps the originals; set by the plan."""
    workers: int = 1
    """0: as many as the inputs are worth."""
    chosen: Division | None = None
    """How the run is divided, if nobody said into how many; set by `settled`."""

    def __post_init__(self) -> None:
        if self.site is not None:
            from incognote.replace.rewrite import check_operator

            site = self.load_site()
            assert site is not None
            site.check_operators(check_operator)
            object.__setattr__(self, "site_digest", site.digest)
        for name, type in self.fields.known.items():
            if self.types.category_of(type) is None:
                raise RunError(
                    f"--known {name}={type}: write FIELD=TYPE, where TYPE is one of "
                    f"{', '.join(self.types.names)}"
                )
        if self.fields.no_text and not (self.fields.values or self.fields.dropped):
            raise RunError("--no-text: no column is replaced or dropped either: see --column")
        if self.fields.column:
            self._check_columns()
        if self.choice.name == "model" and self.fields.known:
            raise RunError("--known is the work of rules: use --detector both")
        if self.calibration is not None or self.min_recall is not None:
            from incognote.calibration import check_recall

            check_recall(self.calibration, self.min_recall)
        if self.fields.patient and self.patients != Patients():
            raise RunError("choose one of --patient-field, --patient-pattern and --patient-folder")
        if self.scan_first and not self.uses_surrogates:
            raise RunError("--scan-first is for surrogates: use it with --replace surrogate")
        if self.shifts_are_given:
            self._check_given_shifts()

    @property
    def shifts_are_given(self) -> bool:
        """Whether it was decided elsewhere by how many days dates move."""
        return self.fields.shift is not None or self.shift_file is not None

    def _check_given_shifts(self) -> None:
        """Refuse options that say another thing of the shifts, or that leave them without use."""
        flag = "--shift-file" if self.shift_file is not None else "--shift-field"
        if self.fields.shift is not None and self.shift_file is not None:
            raise RunError("choose one of --shift-field and --shift-file")
        if not self.moves_dates:
            raise RunError(f"{flag} is for dates that move: use --replace surrogate or DATE=shift")
        if self.fields.shift is not None and not self.names_patients:
            raise RunError(
                "--shift-field needs to know whose note it is: use it with --patient-field"
            )
        if self.fields.shift is not None and self.fields.shift not in self.fields.dropped:
            raise RunError(
                f"the column of --shift-field would tell what the dates were: leave it out of the "
                f"output with --drop {self.fields.shift}"
            )
        if self.surrogates is None:
            return
        dates = self.surrogates.dates
        contradictions = {
            "--shift-days": dates.earliest is not None or dates.latest is not None,
            "--keep-season": dates.keep_season,
            "--shift-ages": dates.shift_ages != 0,
        }
        for other, is_given in contradictions.items():
            if is_given:
                raise RunError(f"{flag} says how far dates move, and so does {other}: choose one")

    def _check_columns(self) -> None:
        """Refuse rules of columns that name no type, and say how their values will come out."""
        types = self.types
        for name, rule in self.fields.values.items():
            if types.category_of(rule.type) is None:
                raise RunError(
                    f"--column {name}={rule.type}: is no type: choose from {', '.join(types.names)}"
                )
        operators = self.operator_names.items()
        typed = frozenset(type for type, name in operators if keeps_kind(type, name))
        order = self.surrogates.dates.order if self.surrogates is not None else "mdy"
        rules = self.fields.column if order == "mdy" else with_order(self.fields.column, order)
        object.__setattr__(self, "fields", replace(self.fields, typed=typed, column=rules))

    @property
    def choice(self) -> Choice:
        """The detector that is meant."""
        from incognote.detect.finder import choose

        return choose(self.find_by, self.model, self.speed, self.with_detectors, self.types)

    def load_site(self) -> Site | None:
        """What the site file says, read once in each process; refused if it has changed since."""
        if self.site is None:
            return None
        from incognote.detect.site import load_site

        return load_site(self.site, self.site_digest)

    @property
    def types(self) -> KnownTypes:
        """Our types and the site's own."""
        site = self.load_site()
        return OURS if site is None else site.types

    def thresholds(self) -> Thresholds | None:
        """Those that the calibration certifies for the recall, if there is one."""
        from incognote.calibration import certified_thresholds

        known = {*self.fields.known.values(), *(rule.type for rule in self.fields.values.values())}
        return certified_thresholds(
            self.choice, self.calibration, self.min_recall, known, self.site_digest
        )

    def check(self, *, replaces: bool = True) -> None:
        """Refuse what cannot work, before any note is read; where nothing is replaced, no operator
        needs its key.
        """
        if replaces:
            self.operators()
        if self.choice.model is not None:
            from incognote.onnx.model_folder import read_model

            read_model(self.choice.model).variant(self.speed)
        self.thresholds()
        self.shifts()
        for each in self.choice.others:
            each.begin()

    @property
    def uses_surrogates(self) -> bool:
        """Whether anything becomes a realistic fake, as moved dates are."""
        from incognote.replace.rewrite import FAKES

        return not FAKES.isdisjoint(self.operator_names.values())

    @property
    def reads_dates(self) -> bool:
        """Whether dates become something that depends on how they are read."""
        return self.uses_surrogates or not {"year", "month", "generalise"}.isdisjoint(
            self.operator_names.values()
        )

    @property
    def operator_names(self) -> Mapping[str, str]:
        """From each type to the name of its operator."""
        from incognote.replace.rewrite import operator_names

        return operator_names(self.replace, self.types, self.policy)

    @property
    def replaced_otherwise(self) -> tuple[str, ...]:
        """The types of which --replace says something else than the policy."""
        if self.policy is None:
            return ()
        names, treatments = self.operator_names, self.policy.treatments_of(self.types)
        return tuple(type for type, each in treatments.items() if names[type] != each.operator)

    @property
    def names_patients(self) -> bool:
        """Whether an option says whose a note is."""
        return self.patients != Patients() or self.fields.patient is not None

    @property
    def moves_dates(self) -> bool:
        """Whether dates become other dates, as they may by an operator of a user's own."""
        from incognote.replace.rewrite import FAKES, OPERATORS

        operators = {self.operator_names[type] for type in self.types.named("DATE")}
        return any(each in FAKES or each not in OPERATORS for each in operators)

    def shifts(self) -> Shifts | None:
        """What gives every note its shift, if that was decided elsewhere."""
        if not self.shifts_are_given:
            return None
        from incognote.runs.shifts import Shifts, read_shifts

        return Shifts(None if self.shift_file is None else read_shifts(self.shift_file))

    def assign(
        self,
        stream: Generator[Event],
        written: Callable[[], Generator[Event]] | None = None,
    ) -> Generator[Event]:
        """The stream with every note's patient and, where it was decided elsewhere, its shift.

        `written` gives again the notes that an earlier run has written.
        """
        shifts = self.shifts()
        stream = self.patients.assign(stream)
        if shifts is None:
            return stream
        if written is not None and self.fields.shift is not None:
            shifts.remember(self.patients.assign(written()))
        return shifts.assign(stream)

    def settled(self, inputs: Iterable[Input]) -> Settings:
        """With a number of workers, if none was given."""
        from incognote.runs.division import choose_division

        if self.workers:
            return self
        chosen = choose_division(inputs, self.choice)
        return replace(self, workers=chosen.workers, chosen=chosen)

    @property
    def division(self) -> Division:
        """The processes and their threads."""
        from incognote.runs.division import equal_division

        return self.chosen or equal_division(self.workers, model=self.choice.model is not None)

    def detector(self, *, uncertain: bool = False) -> Detector:
        """What finds, in each of the processes."""
        detector = self.choice.detector(
            threads=self.division.threads,
            uncertain=uncertain,
            thresholds=self.thresholds(),
            site=self.load_site(),
        )
        if self.decisions is None:
            return detector
        from incognote.runs.decisions import DecidedDetector

        return DecidedDetector(detector, self.decisions)

    def operators(self) -> Operators:
        """How to replace."""
        from incognote.replace import parse_operators

        return parse_operators(
            self.replace,
            key=self.key,
            number=self.number,
            surrogates=self.surrogates,
            avoided=self._avoided(),
            policy=self.policy,
            types=self.types,
        )

    def _avoided(self) -> Avoided | None:
        if self.scanned is None or self.key is None:
            return None
        from incognote.runs.scan import open_scan

        return open_scan(self.scanned, self.key)

    def deidentifier(self) -> Deidentifier:
        """What does the work."""
        from incognote.pipeline import Deidentifier

        return Deidentifier(self.operators(), detector=self.detector(), types=self.types)

    def cleaner(self) -> Callable[[Sequence[Document]], Iterator[Cleaned]]:
        """Built once in each process: from notes to the notes that may leave."""
        deidentifier = self.deidentifier()

        def clean(documents: Sequence[Document]) -> Iterator[Cleaned]:
            for result in deidentifier.pipe(list(documents)):
                lengths = tuple(map(len, result.spans))
                yield Cleaned(result.output, result.seen, result.remarks, lengths)

        return clean


_FIGURES = frozenset(CATEGORIES["ID"]) | {"AGE", "DATE", "PHONE", "FAX", "ZIP"}


def keeps_kind(type: str, operator: str) -> bool:
    """Whether what an operator makes of a number or a date of this type is one again."""
    fakes = operator == "surrogate" or (operator == "shift" and type == "DATE")
    return operator == "keep" or (fakes and type in _FIGURES)
