"""Options of commands, made from dataclasses whose fields are annotated with `base.options.Option`.

A command is a function. A parameter whose type is such a dataclass becomes one option for each of its
fields, and the function gets the filled dataclass; a parameter of type `Choices[…]` gets only what the
user chose. `Only` and `Without` take some of the fields:

    def train(corpus: Corpus, learning: Choices[Options], origin: Annotated[Choices[Origin], Only("random")]) -> int
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from incognote.base.errors import RunError, UserError
from incognote.base.options import Choices, OptionField, option_fields

PANELS = (
    "Output",
    "Review",
    "Network",
    "Limits",
    "Jobs",
    "Grid",
    "Data",
    "Columns of your own data",
    "Guarantee",
    "Model",
    "Learning",
    "Examples",
    "Evaluation",
    "Text",
    "Machine",
    "Files",
    "Tables",
    "Detection",
    "Patients",
    "Surrogates",
    "Vault",
    "Messages",
)
"""The order of panels in the help of every command, after the options without one."""


class Only:
    """Of a dataclass's fields, these."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def takes(self, name: str) -> bool:
        """Whether the command has the field."""
        return name in self.names


class Without(Only):
    """Of a dataclass's fields, all but these."""

    def takes(self, name: str) -> bool:
        """Whether the command has the field."""
        return name not in self.names


def with_options(function: Callable[..., int]) -> Callable[..., int]:
    """The command with an option for each field of the dataclasses that it takes, for typer."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, _Group] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        group = _group_of(name, hints[name])
        if group is None:
            keyword = inspect.Parameter.KEYWORD_ONLY
            parameters.append(parameter.replace(annotation=hints[name], kind=keyword))
        else:
            groups[name] = group
            parameters += group.parameters()
    parameters.sort(key=_panel)

    def gather(values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: group.gather(values) for name, group in groups.items()}

    @wraps(function)
    def command(**values: Any) -> int:
        own = {name: value for name, value in values.items() if name in hints}
        return function(**own, **gather(values))

    del command.__wrapped__
    command.gather = gather  # type: ignore[attr-defined]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def _panel(parameter: inspect.Parameter) -> int:
    panels = (getattr(note, "rich_help_panel", None) for note in get_args(parameter.annotation))
    return max((PANELS.index(panel) for panel in panels if panel), default=-1)


def _group_of(name: str, hint: Any) -> _Group | None:
    """The dataclass that a parameter of the command stands for, if it is one."""
    only: Only = Without()
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        only = next((note for note in notes if isinstance(note, Only)), only)
    choices = get_origin(hint) is Choices
    kind = get_args(hint)[0] if choices else hint
    if not (isinstance(kind, type) and is_dataclass(kind)):
        return None
    fields = {
        f"{name}_{field.name}": field
        for field in option_fields(kind).values()
        if field.option is not None and only.takes(field.name)
    }
    return _Group(kind, fields, choices)


@dataclass(frozen=True)
class _Group:
    """A dataclass, its fields by the names of typer's parameters, and whether it is left partial."""

    kind: type
    fields: Mapping[str, OptionField]
    choices: bool

    def parameters(self) -> Iterator[inspect.Parameter]:
        for name, field in self.fields.items():
            option, bound = field.option, field.bound
            assert option is not None
            default = None if _is_left_out(field) else field.default
            if default is MISSING:
                default = inspect.Parameter.empty
            if default is MISSING:
                default = inspect.Parameter.empty  # for typer: it must be given
            info = typer.Option(
                *_flags(field),
                help=option.help,
                metavar=option.metavar,
                rich_help_panel=option.panel,
                min=None if bound is None else 0 if option.zero_is_none else bound.least,
                max=None if bound is None else bound.most,
            )
            yield inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=Annotated[_type(field), info, option.path],
            )

    def gather(self, values: Mapping[str, Any]) -> Any:
        """The dataclass from what the user gave, checked by its bounds before anything is done."""
        choices = {
            field.name: _value(field, values[name])
            for name, field in self.fields.items()
            if values[name] is not None
        }
        return Choices(self.kind, choices) if self.choices else self.kind(**choices)


def _is_left_out(field: OptionField) -> bool:
    """Whether nothing is said of the field if the option is not given."""
    option = field.option
    assert option is not None
    return option.varies or option.repeated or option.parse is not None


def _type(field: OptionField) -> Any:
    """What typer reads: texts where they are parsed, else the field's own type."""
    option = field.option
    assert option is not None
    if option.repeated:
        return list[str] | None
    if option.parse is not None:
        return str | None
    return field.type | None if option.varies else field.type


def _flags(field: OptionField) -> tuple[str, ...]:
    option = field.option
    assert option is not None
    if option.flags:
        return option.flags
    name = field.name.replace("_", "-")
    both = bool in field.types and option.varies
    return (f"--{name}/--no-{name}" if both else f"--{name}",)


def _value(field: OptionField, words: Any) -> Any:
    option, flag = field.option, _flags(field)[0].partition("/")[0]
    assert option is not None
    try:
        value = option.parse(words) if option.parse else tuple(words) if option.repeated else words
    except UserError:
        raise
    except ValueError as error:
        quoted = "" if option.repeated else f" {words}:"
        raise RunError(f"{flag}{quoted} {error}") from None
    if option.zero_is_none and value == 0:
        return value
    if must_be := field.problem(value):
        raise RunError(f"{flag} must be {must_be}, not {value!r}")
    return value
