"""The configuration file: what it says of a command's options, and where each was said.

    profile = "research"        # the profile if none is asked for

    [common]                    # for every command that has the option
    speed = "fast"

    [deid]                      # keys are the long options, without dashes
    replace = "surrogate"
    known = { name = "PATIENT" }

    [profiles.research.deid]    # goes over [deid]
    replace = "tag"

Nothing of the commands is listed here: keys and kinds are those of the options that they have.
"""

from __future__ import annotations

import glob
import inspect
import os
import re
import stat
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import typer

from incognote.base.errors import UserError
from incognote.base.options import PathText
from incognote.base.toml import TomlTable, did_you_mean, line_of, read_toml
from incognote.cli.command import is_given
from incognote.cli.errors import one_line

T = TypeVar("T")
ONCE = {
    "overwrite": "it removes what an earlier run wrote",
    "resume": "it continues an earlier run instead of beginning one",
    "dry-run": "a job would write nothing and seem to work",
    "make-key": "a mistyped path would get a new key, whose surrogates match no earlier ones",
    "from-hub": "it uses the network",
    "show-text": "it shows the text of notes",
    "with-text": "it shows the text of notes",
}
"""Options that must be typed each time, and why."""
_TRUSTED = frozenset({0})
"""Users whose file may be found: the administrator, and whoever runs the command."""


class ConfigurationError(UserError):
    """A configuration file, or a choice of one, that cannot be used."""

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Parameter:
    """An option or an argument of a command, as far as a file must know it."""

    name: str
    """The name that typer gives it."""
    key: str
    flag: str
    kind: type
    choices: tuple[str, ...]
    many: bool
    metavar: str
    path: PathText | None
    """How it names a file or a folder, if it does."""
    is_input: bool
    off: tuple[str, ...]
    """Of a switch, the keys that would turn it off if they were options."""

    @property
    def is_of_a_job(self) -> bool:
        """Whether it says what is worked on, not how."""
        return self.is_input or self.key == "output"


@dataclass(frozen=True)
class Setting:
    """What a file says of a parameter."""

    words: str | bool | list[str]
    """As the command line would have them."""
    parameter: Parameter
    key: str
    place: str

    @property
    def is_of_profile(self) -> bool:
        """Whether a profile says it."""
        return self.key.startswith("profiles.")


@dataclass(frozen=True)
class Resolved:
    """What a command takes from the file, by the names of typer's parameters."""

    configuration: Configuration
    settings: Mapping[str, Setting]

    def announce(self) -> None:
        """One line on standard error, by the first process only where a command starts others."""
        from incognote.cli.training_options import ALLOCATOR

        is_first = not ALLOCATOR.items() <= dict(os.environ).items()
        if self.settings and is_first and os.environ.get("RANK", "0") == "0":
            print(f"incognote: options from {self.configuration}", file=sys.stderr)

    def explained(self, error: Any) -> Any:
        """The error with the places in the file that it is about, if it is about any."""
        message, status = one_line(error), getattr(error, "status", 2)
        parameter = getattr(error, "param", None)
        if isinstance(error, typer.BadParameter) and parameter and parameter.name in self.settings:
            setting = self.settings[parameter.name]
            reason = " ".join(error.message.split())
            return ConfigurationError(f"{setting.place}: {setting.key}: {reason}", status)
        places = []
        for setting in self.settings.values():
            flag = re.escape(setting.parameter.flag)
            if match := re.match(rf"{flag}(?![\w-])", message):
                message = f"{setting.place}: {setting.key}{message[match.end() :]}"
            elif re.search(rf"{flag}(?![\w-])", message) or _quotes(message, setting):
                places.append(f"{setting.key} stands at {setting.place}")
        if places:
            message = f"{message} ({', '.join(places)})"
        return error if message == one_line(error) else ConfigurationError(message, status)


def _quotes(message: str, setting: Setting) -> bool:
    """Whether an error is about a path or a quoted text that the file gives."""
    if not isinstance(setting.words, str) or not setting.words:
        return False
    path = rf"{re.escape(setting.words)}(?![\w/.-])"
    is_about_path = setting.parameter.path is not None and re.match(path, message) is not None
    return is_about_path or f"'{setting.words}'" in message


def parameters(command: Any) -> dict[str, Parameter]:
    """What a command takes, by the keys of a file."""
    signature = inspect.signature(command.callback, eval_str=True).parameters
    known = (each for each in command.params if each.name in signature)
    each_one = (_parameter(each, signature[each.name].annotation) for each in known)
    return {parameter.key: parameter for parameter in each_one}


def _parameter(parameter: Any, annotation: Any) -> Parameter:
    is_input = parameter.param_type_name == "argument"
    flag = next((flag for flag in parameter.opts if flag.startswith("--")), parameter.name)
    kind = _without(Annotated, annotation)
    kind = next(each for each in _alternatives(kind) if each is not NoneType)
    many = get_origin(kind) is list
    kind = get_args(kind)[0] if many else kind
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    return Parameter(
        name=parameter.name,
        key=flag.removeprefix("--").replace("_", "-").strip("-"),
        flag=flag,
        kind=str if choices else kind,
        choices=choices,
        many=many,
        metavar=parameter.metavar or "",
        path=PathText() if kind is Path else next(_notes(annotation, PathText), None),
        is_input=is_input,
        off=tuple(off.removeprefix("--") for off in parameter.secondary_opts)
        or ((f"no-{flag.removeprefix('--')}",) if kind is bool else ()),
    )


def _notes(annotation: Any, kind: type[T]) -> Iterator[T]:
    """What a parameter is annotated with, of a kind."""
    notes = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    return (note for note in notes if isinstance(note, kind))


def _without(origin: Any, annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is origin else annotation


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def read(path: Path, profile: str | None, *, is_named: bool) -> Configuration:
    """The file; one that was found and not named is used only if nobody else can have put it here."""
    if not is_named:
        _check_owner(path)
    root = read_toml(path, ConfigurationError)
    own = root.string("profile", None)
    profiles = root.table("profiles")
    names = [name for name, _ in profiles.tables()] if profiles else []
    for key, wanted in (("--profile", profile), ("profile", own if profile is None else None)):
        if wanted is None or wanted in names:
            continue
        there_are = f"; there are {', '.join(names)}" if names else "; the file has none"
        reason = f"no such profile as '{wanted}'{did_you_mean(wanted, names)}{there_are}"
        if key == "profile":
            root.fail(key, reason)
        raise ConfigurationError(f"{path}: {key}: {reason}")
    chosen = own if profile is None else profile
    configuration = Configuration(path, root, chosen, tuple(names), is_named)
    configuration.check_tables()
    return configuration


def _check_owner(path: Path) -> None:
    if not hasattr(os, "geteuid"):
        return
    try:
        status, link = path.stat(), path.lstat()
        folders = path.absolute().parent.stat(), path.resolve().parent.stat()
    except (OSError, RuntimeError):
        return  # reading it says why
    if not {status.st_uid, link.st_uid} <= _TRUSTED | {os.geteuid()}:
        whose = "belongs to another user"
    elif status.st_mode & stat.S_IWOTH:
        whose = "may be changed by everybody"
    elif status.st_mode & stat.S_IWGRP and status.st_gid != os.getegid():
        whose = "may be changed by a group of users"
    elif any(each.st_mode & stat.S_IWOTH and not each.st_mode & stat.S_ISVTX for each in folders):
        whose = "stands in a folder where everybody may exchange it"
    else:
        return
    raise ConfigurationError(
        f"{path}: {whose}, and could change what is removed from notes: look at it, then name it with "
        f"--config {path}, or leave it out with --no-config"
    )


@dataclass(frozen=True)
class Configuration:
    """A file that was read, and the profile that is chosen."""

    path: Path
    root: TomlTable = field(repr=False)
    profile: str | None
    profiles: tuple[str, ...]
    is_named: bool = True
    """Whether somebody named it; otherwise it was found in the working folder."""

    def __str__(self) -> str:
        return f"{self.path}, profile {self.profile}" if self.profile else str(self.path)

    def check_tables(self) -> None:
        """Refuse tables that are no command's; keys within them are refused where they are used."""
        from incognote.cli.app import SUMMARIES

        commands = [name for name in SUMMARIES if name != "config"]
        for _, table in self._bases():
            there_are = ["common", *commands, *([] if table.steps else ["profiles", "profile"])]
            for key, value in table.values.items():
                if key not in there_are:
                    reason = "is the name of no command and no table"
                    if not isinstance(value, dict):
                        reason = "belongs into the table of a command, or into [common]"
                    table.fail(key, f"{reason}{did_you_mean(key, there_are)}")
                if not isinstance(value, dict) and key != "profile":
                    table.fail(key, f"must be a table: [{'.'.join((*_names(table), key))}]")

    def _bases(self) -> Iterator[tuple[str | None, TomlTable]]:
        """The file itself, and every profile by its name."""
        yield None, self.root
        profiles = self.root.table("profiles")
        yield from profiles.tables() if profiles else ()

    def resolve(
        self,
        words: tuple[str, ...],
        command: Any,
        siblings: Collection[str],
        typed: Mapping[str, Any],
    ) -> Resolved:
        """What the file says of a command, as far as nothing else was typed."""
        settings = self.settings(words, command, siblings)
        return Resolved(
            self,
            {name: each for name, each in settings.items() if not is_given(typed.get(name))},
        )

    def settings(
        self, words: tuple[str, ...], command: Any, siblings: Collection[str]
    ) -> dict[str, Setting]:
        """What the file with its profile says of a command, by the names of typer's parameters."""
        by_key = parameters(command)
        settings: dict[str, Setting] = {}
        for name, base in self._bases():
            if name not in (None, self.profile):
                continue
            if common := base.table("common"):
                for key in _keys(common):
                    parameter = by_key.get(key)
                    if parameter is None or parameter.is_of_a_job:
                        _check_common(common, key)
                    else:
                        _set(settings, common, key, parameter)
            table: TomlTable | None = base
            for depth, word in enumerate(words):
                table = table and table.table(word)
                if table and depth + 1 < len(words):
                    _check_group(table, words[: depth + 1], siblings)
            if table:
                for key in _keys(table):
                    _set(settings, table, key, _of_command(table, key, words, by_key))
        return settings


def _keys(table: TomlTable) -> Iterator[str]:
    """The keys of a table of options, without any that must be typed."""
    for key in table.values:
        if key in ONCE:
            table.fail(
                key, f"may not stand in a file, since {ONCE[key]}: type --{key} where it is meant"
            )
        yield key


def _of_command(
    table: TomlTable, key: str, words: tuple[str, ...], by_key: Mapping[str, Parameter]
) -> Parameter:
    parameter = by_key.get(key)
    if switch := next((each.key for each in by_key.values() if key in each.off), None):
        table.fail(key, f"write {switch} = false")
    if parameter is None:
        keys = [key for key in by_key if key not in ONCE]
        table.fail(key, f"no such option of incognote {' '.join(words)}{did_you_mean(key, keys)}")
    if parameter.is_of_a_job and table.steps[0] != "profiles":
        table.fail(
            key,
            "says what one job works on, so it stands in a profile: "
            f"[profiles.NAME.{'.'.join(words)}]",
        )
    return parameter


def _names(table: TomlTable) -> list[str]:
    return [step for step in table.steps if isinstance(step, str)]


def _check_group(table: TomlTable, words: tuple[str, ...], names: Collection[str]) -> None:
    for key, value in table.values.items():
        if key not in names or not isinstance(value, dict):
            title = f"incognote {' '.join(words)}"
            reason = (
                f"no such command of {title}"
                if isinstance(value, dict)
                else (f"belongs into the table of a command of {title}")
            )
            table.fail(key, f"{reason}{did_you_mean(key, list(names))}")


def _check_common(table: TomlTable, key: str) -> None:
    """Refuse a key of [common] that is an option of no command, or says what one job works on."""
    keys: set[str] = set()
    for _, command, _ in all_commands():
        by_key = parameters(command)
        if key in by_key and by_key[key].is_of_a_job:
            table.fail(key, "says what one job works on: give it in a command's own table")
        if key in by_key:
            return
        keys |= by_key.keys() - ONCE.keys()
    table.fail(key, f"no command has such an option{did_you_mean(key, sorted(keys))}")


def all_commands() -> Iterator[tuple[tuple[str, ...], Any, Collection[str]]]:
    """Every command that a file may speak of: the words that name it, and the commands beside it."""
    from incognote.cli.app import SUMMARIES, load

    for name in SUMMARIES:
        command = load(name)
        if name == "config":
            continue
        within = getattr(command, "commands", None)
        if within is None:
            yield (name,), command, SUMMARIES
        else:
            for each in within:
                yield (name, each), within[each], within


def _set(settings: dict[str, Setting], table: TomlTable, key: str, parameter: Parameter) -> None:
    """Take a value into the settings; `false` for what is no switch takes it out."""
    if table.values[key] is False and parameter.kind is not bool:
        settings.pop(parameter.name, None)
        return
    place = f"{table.path}:{line_of(table.text, (*table.steps, key))}"
    words = _words(table, key, parameter)
    settings[parameter.name] = Setting(words, parameter, ".".join((*_names(table), key)), place)


def _words(table: TomlTable, key: str, parameter: Parameter) -> str | bool | list[str]:
    """A value as it would be typed."""
    value = table.values[key]
    if parameter.kind is bool:
        return bool(table.boolean(key))
    if parameter.many:
        if isinstance(value, dict) and "=" in parameter.metavar and not parameter.path:
            pairs = (f"{name}={_word(table, key, each, parameter)}" for name, each in value.items())
            return list(pairs)
        values = value if isinstance(value, list) else [value]
        return [_word(table, key, each, parameter) for each in values]
    if parameter.choices:
        return str(table.word(key, parameter.choices))
    return _word(table, key, value, parameter)


def _word(table: TomlTable, key: str, value: Any, parameter: Parameter) -> str:
    kinds: dict[type, tuple[tuple[type, ...], str]] = {
        int: ((int,), "a whole number"),
        float: ((int, float), "a number"),
        Path: ((str,), "a path"),
    }
    types, words = kinds.get(parameter.kind, ((str, int, float), "a text"))
    if isinstance(value, bool) or not isinstance(value, types):
        pairs = " or a table of them" if "=" in parameter.metavar else ""
        table.fail(
            key, f"must be {f'{words} or a list of them{pairs}' if parameter.many else words}"
        )
    if parameter.path:
        if not value:
            table.fail(key, "is empty")
        return _beside(table.path, str(value), parameter.path)
    return str(value)


def _beside(file: Path, text: str, kind: PathText) -> str:
    """A path beside the file. Where a name may stand too, a path is what has a slash or is a file."""
    if kind.several and "," in text:
        return ",".join(_beside(file, part, kind) for part in text.split(","))
    name, equals, path = text.rpartition("=") if kind.labelled else ("", "", text)
    folder, path = os.path.dirname(file), os.path.expanduser(path)  # noqa: PTH111, PTH120
    beside = os.path.join(folder, path)  # noqa: PTH118
    has_slash = "/" in path or os.sep in path
    if path == "-" or (kind.or_name and not has_slash and not Path(beside).is_file()):
        return text
    if glob.has_magic(path):
        beside = os.path.join(glob.escape(folder), path)  # noqa: PTH118
    return f"{name}{equals}{beside}"
