"""A command as typer runs it, whose options may also come from a configuration file.

Whatever stands in the file goes where typer's parser puts the words of the command line, so that both
are checked and read alike. `configuration.py` reads the file, and is imported only where there is one.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from incognote.cli.configuration import Configuration, Resolved

FILE = "incognote.toml"
VARIABLE = "INCOGNOTE_CONFIG"
GLOBAL = ("config", "no_config", "profile")
"""The options of `incognote` itself, which may also stand after the command."""
_RESOLVED = "incognote.configuration"
_typed: ContextVar[tuple[Sequence[Any], Mapping[str, Any]]] = ContextVar("typed", default=((), {}))
"""The options of the command that runs, and what was given for them."""


class Command(TyperCommand):
    """Takes `--no-x` for every switch `--x`, the options of `incognote`, and those of the file."""

    def make_parser(self, ctx: Any) -> Any:
        """Typer's parser; it adds to what was typed what the configuration says."""
        parser: Any = super().make_parser(ctx)
        self._add_hidden_options(parser, ctx)
        parse = parser.parse_args

        def parse_args(args: list[str]) -> Any:
            typed, rest, order = parse(args)
            if not typed.get("help") and ctx.parent is not None:
                typed = self._with_configuration(ctx, typed)
            _typed.set((self.params, typed))
            return typed, rest, order

        parser.parse_args = parse_args
        return parser

    def _add_hidden_options(self, parser: Any, ctx: Any) -> None:
        """The help has enough to say: it shows neither."""
        taken = {flag for each in self.params for flag in (*each.opts, *each.secondary_opts)}
        for switch in self.params:
            if not getattr(switch, "is_flag", False) or switch.secondary_opts:
                continue
            flag = next(flag for flag in switch.opts if flag.startswith("--"))
            if (off := f"--no-{flag[2:]}") not in taken:
                parser.add_option(
                    switch, opts=[off], dest=switch.name, action="store_const", const=False
                )
        names = {each.name for each in self.params}
        for each in ctx.find_root().command.params:
            if each.name in GLOBAL and each.name not in names and not taken & {*each.opts}:
                each.add_to_parser(parser, ctx)

    def _with_configuration(self, ctx: Any, typed: dict[str, Any]) -> dict[str, Any]:
        ctx.find_root().params.update({name: typed[name] for name in GLOBAL if name in typed})
        words = words_of(ctx)
        if words[0] == "config":
            return typed
        configuration = configuration_of(ctx)
        if configuration is None:
            return typed
        resolved = configuration.resolve(words, self, ctx.parent.command.commands, typed)
        ctx.meta[_RESOLVED] = resolved
        return {**typed, **{name: setting.words for name, setting in resolved.settings.items()}}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Typer's, which reads numbers that no computer counts to."""
        rest: list[str] = super().parse_args(ctx, args)
        values = {each.name: ctx.params.get(each.name) for each in self.params}
        too_large = [each for each in self.params if is_too_large(values[each.name])]
        if too_large and (gather := getattr(self.callback, "gather", None)):
            gather(values)  # what an option says of its own bounds goes before
        for parameter in too_large:
            check_size(parameter, values[parameter.name], ctx)
        return rest

    def invoke(self, ctx: Any) -> Any:
        """Run it, after a word on where its options come from: of a file that nobody named, always."""
        is_quiet = any(ctx.params.get(each.name) for each in self.params if "--quiet" in each.opts)
        resolved = resolved_in(ctx)
        if resolved and not (is_quiet and resolved.configuration.is_named):
            resolved.announce()
        return super().invoke(ctx)


def is_too_large(value: Any) -> bool:
    """Whether a number is larger than anything that is counted, or infinite."""
    every = value if isinstance(value, list | tuple) else [value]
    return any(
        not -(2**63) <= each < 2**63 if isinstance(each, int) else not math.isfinite(each)
        for each in every
        if isinstance(each, int | float)
    )


def check_size(parameter: Any, value: Any, ctx: Any) -> None:
    """Refuse a number that is too large for whatever it is the number of."""
    if is_too_large(value):
        every = value if isinstance(value, list | tuple) else [value]
        finite = all(isinstance(each, int) or math.isfinite(each) for each in every)
        reason = "is too large a number" if finite else "is no finite number"
        raise typer.BadParameter(reason, ctx, parameter)


def is_given(value: Any) -> bool:
    """Whether the parser's value was typed; what stands for nothing varies with typer's version."""
    return isinstance(value, str | int) or (isinstance(value, list | tuple) and len(value) > 0)


def given_words(is_meant: Callable[[str], bool]) -> list[str]:
    """The options whose names are meant, as they were given to the command that runs, to be read once more.

    Files and folders that are there get their whole path, so that they are found from anywhere.
    """
    parameters, typed = _typed.get()
    words: list[str] = []
    for parameter in parameters:
        value = typed.get(parameter.name)
        if not is_meant(parameter.name) or not is_given(value):
            continue
        flag = next(flag for flag in parameter.opts if flag.startswith("--"))
        if isinstance(value, bool):
            words.append(flag if value else f"--no-{flag[2:]}")
            continue
        for each in value if isinstance(value, list | tuple) else [value]:
            there = os.path.sep in str(each) and Path(str(each)).exists()
            words += [flag, str(Path(str(each)).resolve()) if there else str(each)]
    return words


def words_of(ctx: Any) -> tuple[str, ...]:
    """The words that name the command: ("deid",), or ("corpus", "stats")."""
    return () if ctx.parent is None else (*words_of(ctx.parent), ctx.info_name)


def resolved_in(ctx: Any) -> Resolved | None:
    """What a command got from the configuration, if there is one."""
    resolved: Resolved | None = ctx.meta.get(_RESOLVED)
    return resolved


def configuration_of(ctx: Any) -> Configuration | None:
    """The file that is meant: named by an option or in the environment, or found here."""
    options = {name: ctx.find_root().params.get(name) for name in GLOBAL}
    file, profile = options["config"], options["profile"]
    if options["no_config"]:
        if file is not None or profile is not None:
            from incognote.cli.configuration import ConfigurationError

            raise ConfigurationError("--no-config goes neither with --config nor with --profile")
        return None
    named = os.environ.get(VARIABLE) or None if file is None else file
    if named is not None or os.path.lexists(FILE):
        from incognote.cli.configuration import read

        return read(Path(FILE if named is None else named), profile, is_named=named is not None)
    if profile is not None:
        from incognote.cli.configuration import ConfigurationError

        raise ConfigurationError(
            f"--profile {profile}: there is no {FILE} here; name the file with --config"
        )
    return None
