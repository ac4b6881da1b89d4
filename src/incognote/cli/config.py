"""`incognote config`: what the configuration file says, and whether it is sound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incognote.cli.command import check_size, configuration_of, is_given, resolved_in, words_of
from incognote.cli.from_dataclass import with_options

if TYPE_CHECKING:
    from incognote.cli.configuration import Configuration, Setting

NONE = "there is no configuration file here, and none is named"


@dataclass(frozen=True)
class Row:
    """An option of a command, its value, and who says so."""

    command: str
    option: str
    value: Any
    source: str
    """flag, profile, file or default."""
    place: str = ""
    key: str = ""

    @classmethod
    def of(cls, command: str, setting: Setting) -> Row:
        """What a file says."""
        source = "profile" if setting.is_of_profile else "file"
        option = setting.parameter.flag
        return cls(command, option, setting.words, source, setting.place, setting.key)

    def cells(self) -> list[str]:
        """For a table on the screen."""
        values = self.value if isinstance(self.value, list | tuple) else [self.value]
        value = ", ".join(_text(each) for each in values)
        place = f"{self.place} ({self.key})" if self.place else self.source
        return [self.command, self.option, value, place]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else str(value)


def show(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[COMMAND [OPTION…]]",
            help="A command, such as deid or 'corpus split', with the options that you would type.",
            show_default=False,
        ),
    ] = None,
    *,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Show which options hold for a command and where each comes from: typed, a profile, the file, or the default.

    - `incognote config show` lists what the file says of every command
    - `incognote config show deid` lists all options of `incognote deid`
    - `incognote config show deid --replace mask --profile nightly` as they would be with these

    Without --config it is the file that INCOGNOTE_CONFIG names, or incognote.toml in this folder.
    """
    from incognote.cli.show import as_json, say

    configuration = configuration_of(context)
    rows = _rows_of_command(context, words) if words else list(_rows_of_file(configuration))
    if json:
        as_json(
            {
                "file": configuration and str(configuration.path),
                "profile": configuration and configuration.profile,
                "profiles": list(configuration.profiles) if configuration else [],
                "options": [
                    {name: value for name, value in vars(row).items() if value != ""}
                    for row in rows
                ],
            }
        )
        return 0
    if configuration is None:
        say(f"incognote: {NONE}")
    else:
        others = ", ".join(name for name in configuration.profiles if name != configuration.profile)
        say(f"incognote: {configuration}" + (f"; other profiles: {others}" if others else ""))
    _print(rows, with_command=not words)
    return 0


def _rows_of_command(context: typer.Context, words: Sequence[str]) -> list[Row]:
    """Every option of a command, as it would be with the words that follow the command's name."""
    from incognote.cli.configuration import parameters

    inner, typed = _parsed(context, words)
    command = inner.command
    resolved = resolved_in(inner)
    name = " ".join(words_of(inner))
    settings = resolved.settings if resolved else {}
    rows = []
    defaults = {each.name: each.default for each in command.params}
    for parameter in parameters(command).values():
        value = typed.get(parameter.name)
        if setting := settings.get(parameter.name):
            rows.append(Row.of(name, setting))
        elif is_given(value):
            rows.append(Row(name, parameter.flag, value, "flag"))
        else:
            rows.append(Row(name, parameter.flag, defaults[parameter.name], "default"))
    return rows


def _parsed(context: typer.Context, words: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    """The context of a command, and what is typed of it, with the configuration's options."""
    outer: Any = context.find_root()
    rest = list(words)
    while hasattr(outer.command, "commands"):
        if not rest:
            raise typer.BadParameter(
                f"say which: incognote config show {outer.info_name} "
                f"{'|'.join(outer.command.commands)}"
            )
        name, command, rest = outer.command.resolve_command(outer, rest)
        outer = command.context_class(command, info_name=name, parent=outer)
    typed, _, _ = outer.command.make_parser(outer).parse_args(rest)
    return outer, typed


def _rows_of_file(configuration: Configuration | None) -> Iterator[Row]:
    """What the file says, command by command."""
    if configuration is None:
        return
    from incognote.cli.configuration import all_commands

    for words, command, siblings in all_commands():
        for setting in configuration.settings(words, command, siblings).values():
            yield Row.of(" ".join(words), setting)


def _print(rows: Sequence[Row], *, with_command: bool) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in ("command", "option", "value", "from")[0 if with_command else 1 :]:
        table.add_column(header, overflow="fold")
    for row in rows:
        style = "dim" if row.source == "default" else ""
        cells = row.cells()[0 if with_command else 1 :]
        table.add_row(*(Text(cell, style=style) for cell in cells))
    if rows:
        Console().print(table)


def check(context: typer.Context) -> int:
    """Check the configuration file: every table and profile, every key, and every value by its option.

    What depends on files, such as a key that is missing or a model that is damaged, tells
    `incognote deid --dry-run` with the same profile. The exit status is 2 if anything is wrong.
    """
    from incognote.cli.configuration import ConfigurationError
    from incognote.cli.show import line, say

    configuration = configuration_of(context)
    if configuration is None:
        raise ConfigurationError(NONE)
    problems, commands = _problems(context, configuration)
    for problem in problems:
        say(f"incognote: {problem}", "red")
    if problems:
        return 2
    profiles = ", ".join(configuration.profiles)
    line(
        f"{configuration.path}: nothing is wrong; it has options of {', '.join(commands) or 'nothing'}"
        + (f", and the profiles {profiles}" if profiles else "")
    )
    return 0


def _problems(context: typer.Context, configuration: Configuration) -> tuple[list[str], list[str]]:
    """What is wrong, without repeating it for each profile; and the commands that have options."""
    from incognote.cli.configuration import all_commands
    from incognote.cli.errors import EXPECTED, one_line

    problems: dict[str, None] = {}
    names: dict[str, None] = {}
    for words, command, siblings in all_commands():
        for profile in (None, *configuration.profiles):
            chosen = replace(configuration, profile=profile)
            try:
                resolved = chosen.resolve(words, command, siblings, {})
            except EXPECTED as error:
                problems[one_line(error)] = None
                continue
            if not resolved.settings:
                continue
            names[" ".join(words)] = None
            try:
                _try(command, context, resolved.settings)
            except EXPECTED as error:
                problems[one_line(resolved.explained(error))] = None
    return list(problems), list(names)


def _try(command: Any, context: typer.Context, settings: Any) -> None:
    """Read the values as the command would."""
    values = {}
    inner = command.context_class(command, info_name=command.name, parent=context.find_root())
    for parameter in command.params:
        setting = settings.get(parameter.name)
        value = parameter.process_value(inner, setting.words) if setting else parameter.default
        check_size(parameter, value, inner)
        values[parameter.name] = value
    if gather := getattr(command.callback, "gather", None):
        gather(values)


app = typer.Typer(
    help="Show and check the configuration file: incognote.toml, which holds options of the commands.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
app.command("show", context_settings={"ignore_unknown_options": True})(with_options(show))
app.command("check")(with_options(check))
