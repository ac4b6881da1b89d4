"""Operators of a user's own: what stands in the place of what was found, under a name for `--replace`.

One is a function from the text of a finding and its type to what replaces it, or a class whose objects
have `begin(document)` and so see the whole note, as ours do (`operators.py`). One with a parameter `key`
is given a key of its own, which is drawn from the run's.

    @OPERATOR_PLUGINS.register("initials")
    def initials(text, type):
        return "".join(f"{word[0]}." for word in text.split())

A package offers one by an entry point of the group `incognote.operators` (docs/extending.md). Whatever
goes wrong in it, or is no text, fails the note; an original that it gives back is counted as kept.
"""

from __future__ import annotations

import hmac
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from incognote.base.errors import UserError, kind_of_error
from incognote.base.registry import Plugin, PluginError, RegistryError
from incognote.document import Document, Span
from incognote.replace.operators import KEPT, Operator, ReplacementWithRemark, Replacer
from incognote.replace.rewrite import OPERATOR_PLUGINS as OPERATOR_PLUGINS


@dataclass(frozen=True)
class OwnOperator:
    """An operator of a user's own under its name, with what it gives checked."""

    name: str
    operator: Operator = field(repr=False)

    def begin(self, document: Document) -> Replacer:
        """What it puts in the place of each span."""
        replace = self._result(self.operator.begin, document)

        def checked(span: Span) -> str | ReplacementWithRemark:
            new = self._result(replace, span)
            text = new.text if isinstance(new, ReplacementWithRemark) else new
            if not isinstance(text, str):
                raise PluginError(f"the operator {self.name} gave what is no text")
            return ReplacementWithRemark(text, KEPT) if text == span.text else new

        return checked

    def _result(self, function: Callable[[Any], Any], argument: Document | Span) -> Any:
        """What a function of the operator gives."""
        try:
            return function(argument)
        except Exception as error:
            problem = kind_of_error(error)
        # Raised here, the error does not carry the operator's own, which may quote the note.
        raise PluginError(f"the operator {self.name} failed ({problem})")


def own_operator(plugin: Plugin, key_for: Callable[[str], bytes]) -> OwnOperator:
    """The operator of this name; `key_for` gives the run's key to whoever needs one."""
    thing = plugin.load()
    options: dict[str, Any] = {}
    if _takes_key(thing):
        purpose = f"incognote operator {plugin.name}".encode()
        options["key"] = hmac.digest(key_for(plugin.name), purpose, "sha256")
    try:
        return OwnOperator(plugin.name, _operator(thing, plugin.name, options))
    except UserError:
        raise
    except Exception as error:
        raise RegistryError(
            f"the operator {plugin.name} cannot be made ({kind_of_error(error)})"
        ) from error


def _takes_key(thing: Any) -> bool:
    if hasattr(thing, "begin") and not isinstance(thing, type):
        return False
    try:
        return "key" in inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return False


def _operator(thing: Any, name: str, options: dict[str, Any]) -> Operator:
    """An operator of any of the kinds."""
    if isinstance(thing, type):
        thing = thing(**options)
    if callable(getattr(thing, "begin", None)):
        operator: Operator = thing
        return operator
    if callable(thing):
        return _ByFunction(thing, options)
    raise RegistryError(
        f"the operator {name} is neither a function from a text and its type to another text nor has "
        "it a method begin"
    )


@dataclass(frozen=True)
class _ByFunction:
    replace: Callable[..., Any]
    options: dict[str, Any] = field(repr=False)

    def begin(self, document: Document) -> Replacer:
        return lambda span: self.replace(span.text, span.type, **self.options)
