"""Commands whose options are the fields of dataclasses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
import typer
from typer.testing import CliRunner

from incognote.base.options import ABOVE_0, Choices, Option, at_least, named_values
from incognote.cli.from_dataclass import Only, Without, with_options


@dataclass(frozen=True, kw_only=True)
class Run:
    epochs: Annotated[int, Option("Passes.", at_least(1), varies=True)] = 4
    rate: Annotated[float, Option("A rate.", ABOVE_0, flags=("--lr",), panel="Learning")] = 0.1
    keep: Annotated[Literal["best", "last"], Option("What to keep.")] = "best"
    crf: Annotated[bool, Option("With a CRF.", varies=True)] = False
    fix: Annotated[bool, Option("Fixed.")] = False
    sizes: Annotated[
        dict[str, Any] | None,
        Option("Sizes.", flags=("--size",), parse=named_values, repeated=True),
    ] = None
    fields: Annotated[tuple[str, ...], Option("Fields.", flags=("--field",), repeated=True)] = (
        "text",
    )
    clip: Annotated[float | None, Option("A limit.", ABOVE_0, zero_is_none=True)] = None


def run(function: Any, *words: str) -> Any:
    app = typer.Typer()
    app.command()(with_options(function))
    return CliRunner().invoke(app, list(words), standalone_mode=False)


def whole(name: str, run: Run, *, twice: bool = False) -> int:
    typer.echo(f"{name} {run} {twice}")
    return 0


def partial(run: Choices[Run]) -> int:
    typer.echo(" ".join(f"{name}={value}" for name, value in run.values.items()))
    return 0


def test_the_command_gets_the_filled_dataclass() -> None:
    ran = run(whole, "a", "--lr", "0.5", "--fix", "--size", "layers=4", "--field", "x", "--twice")
    expected = Run(rate=0.5, fix=True, sizes={"layers": 4}, fields=("x",))
    assert ran.output == f"a {expected} True\n"
    assert run(whole, "a").output == f"a {Run()} False\n"


def test_choices_leave_out_what_depends_on_others() -> None:
    assert run(partial).output == "rate=0.1 keep=best fix=False\n"
    given = run(partial, "--epochs", "2", "--no-crf", "--clip", "0").output
    assert given == "epochs=2 rate=0.1 keep=best crf=False fix=False clip=0.0\n"


def only(run: Annotated[Choices[Run], Only("epochs")]) -> int:
    return partial(run)


def without(run: Annotated[Choices[Run], Without("rate", "keep", "fix")]) -> int:
    return partial(run)


def test_some_of_the_fields() -> None:
    for function in (only, without):
        assert run(function, "--epochs", "3").output == "epochs=3\n"
    assert run(only, "--lr", "1").exception


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--lr", "0"), "--lr must be above 0, not 0.0"),
        (("--size", "layers"), "--size layers: write NAME=VALUE"),
    ],
)
def test_mistakes_name_the_option(words: tuple[str, ...], message: str) -> None:
    assert str(run(partial, *words).exception).startswith(message)


@pytest.mark.parametrize("words", [("--epochs", "0"), ("--keep", "first"), ("--clip", "-1")])
def test_what_the_help_shows_is_refused_by_the_parser(words: tuple[str, str]) -> None:
    error: Any = run(partial, *words).exception
    assert f"Invalid value for '{words[0]}'" in error.format_message()


@dataclass(frozen=True)
class Kind:
    kind: Annotated[Literal["a", "b"], Option("Which.")]
    size: Annotated[int, Option("How large.")] = 1


def required(kind: Kind) -> int:
    typer.echo(kind)
    return 0


def test_a_field_without_a_default_must_be_given() -> None:
    assert run(required, "--kind", "b").output == f"{Kind('b')}\n"
    ran = run(required)
    assert isinstance(ran.exception, typer.BadParameter)
    assert "--kind" in str(ran.exception) or ran.exception.param.name == "kind_kind"  # type: ignore[union-attr]
