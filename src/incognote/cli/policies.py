"""`incognote policies`: the release policies, and what each makes of every type."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.base.options import PathText

if TYPE_CHECKING:
    from incognote.replace.policy import Policy

WIDTH = 100


def list_policies() -> int:
    """List the policies that come with incognote or are installed, each with the law it is for."""
    from incognote.cli import show
    from incognote.replace.policy import POLICY_PLUGINS, read_policy

    policies = map(read_policy, POLICY_PLUGINS.names())
    rows = ((policy.name, policy.law, policy.title) for policy in policies)
    show.lines(("policy", "law", "what it is"), rows)
    return 0


def show_policy(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME|FILE", help="A policy's name, or a file of your own."),
        PathText(or_name=True),
    ],
) -> int:
    """Show what a policy makes of every type, by which line of the law, and what it can claim.

    A file of your own is checked on the way: what is wrong with it is named by line and key.
    """
    from incognote.cli import show
    from incognote.phi import CATEGORIES
    from incognote.replace.policy import described, read_policy

    policy = read_policy(name)
    show.line(f"{policy.title} ({policy.name}, {policy.digest})")
    show.line(_filled(policy.summary))
    show.line(f"Law: {policy.law or 'none is named'}")
    show.line(
        f"ZIP areas shown as 000: {len(policy.zip_areas.sparse)}, census {policy.zip_areas.census}"
    )
    show.line("")
    rows = [
        (
            type,
            described(type, treatment),
            ", ".join(item.citation for item in policy.items_of(type)),
        )
        for type, treatment in policy.treatments.items()
    ]
    own = [(type, described(type, treatment), "") for type, treatment in policy.own.items()]
    others = [
        (f"your own, {category}", described(category, treatment), "")
        for category in CATEGORIES
        if (treatment := policy.by_category.get(category))
    ]
    show.lines(("type", "becomes", "by"), [*rows, *own, *others])
    _say(policy)
    return 0


def _say(policy: Policy) -> None:
    """What it claims, and what it leaves to people."""
    from incognote.cli import show

    undecided = [
        f"{item.item} {item.words}. {item.note}" for item in policy.items if not item.types
    ]
    for title, sentences in (
        ("It can claim:", policy.can),
        ("It cannot claim:", policy.cannot),
        ("No software decides:", undecided),
    ):
        if sentences:
            show.line(f"\n{title}")
        for sentence in sentences:
            show.line(_filled(sentence, "- ", "  "))


def _filled(text: str, first: str = "", others: str = "") -> str:
    return fill(text, WIDTH, initial_indent=first, subsequent_indent=others, break_on_hyphens=False)


app = typer.Typer(add_completion=False, rich_markup_mode="markdown", no_args_is_help=False)
app.command("list")(list_policies)
app.command("show")(show_policy)


@app.callback(invoke_without_command=True)
def policies(context: typer.Context) -> None:
    """List release policies, and show what each makes of every type, and by which law.

    - `incognote policies`
    - `incognote policies show safe-harbor`
    - `incognote policies show release.toml`
    """
    if context.invoked_subcommand is None:
        list_policies()
