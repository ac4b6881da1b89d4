"""Operators of a user's own, by name; nothing they do keeps an original unseen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from plugin_packages import forget_names

from incognote import Deidentifier, Document, Span
from incognote.base.registry import PluginError, RegistryError
from incognote.replace import OperatorError
from incognote.replace.operators import ReplacementWithRemark, Replacer
from incognote.replace.plugins import OPERATOR_PLUGINS

NOTE = "Seen by Dr. Okafor on 3/14/2019."
KEY = b"k" * 32


@pytest.fixture(autouse=True)
def _no_names(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_names(monkeypatch)


class Counting:
    """Numbers the findings of a note."""

    def begin(self, document: Document) -> Replacer:
        numbers = {span: str(number) for number, span in enumerate(document.spans, 1)}
        return lambda span: f"<{numbers[span]}>"


class Keyed:
    def __init__(self, key: bytes) -> None:
        self.key = key

    def begin(self, document: Document) -> Replacer:
        return lambda span: self.key.hex()[:4]


def keyed(text: str, type: str, *, key: bytes) -> str:
    return key.hex()[:4]


def replaced(operator: Any, words: str = "tag,NAME=mine", key: bytes | None = None) -> Any:
    OPERATOR_PLUGINS.register("mine")(operator)
    return Deidentifier(words, key=key, detector="rules")(NOTE)


@pytest.mark.parametrize(
    ("operator", "output"),
    [
        (lambda text, type: f"{type.lower()} of {len(text)}", "Dr. doctor of 6 on"),
        (Counting, "Dr. <1> on"),
        (Counting(), "Dr. <1> on"),
        (lambda text, type: ReplacementWithRemark("someone", "tagged"), "Dr. someone on"),
    ],
)
def test_functions_classes_and_objects_replace_by_name(operator: Any, output: str) -> None:
    assert output in replaced(operator).text
    assert replaced(operator).text.endswith("on [DATE].")


@pytest.mark.parametrize("operator", [Keyed, keyed])
def test_a_key_is_given_to_whoever_asks_and_is_not_the_runs(operator: Any) -> None:
    texts = {replaced(operator, key=key).text for key in (KEY, b"j" * 32)}
    assert len(texts) == 2
    assert KEY.hex()[:4] not in "".join(texts)
    with pytest.raises(OperatorError, match="'mine' needs a key"):
        replaced(operator)


def test_an_original_that_comes_back_is_counted_as_kept() -> None:
    result = replaced(lambda text, type: text, "mine")
    assert result.text == NOTE
    assert result.remarks == {("DOCTOR", "kept"): 1, ("DATE", "kept"): 1}


def failing(text: str, type: str) -> str:
    raise KeyError(text)


class Unready:
    def begin(self, document: Document) -> Replacer:
        raise KeyError(document.text)


@pytest.mark.parametrize(
    ("operator", "said"),
    [
        (failing, r"^the operator mine failed \(KeyError\)$"),
        (Unready, r"^the operator mine failed \(KeyError\)$"),
        (lambda text, type: None, "gave what is no text"),
        (lambda text: text, r"failed \(TypeError\)"),
    ],
)
def test_an_operator_that_fails_closes(operator: Any, said: str) -> None:
    with pytest.raises(PluginError, match=said) as raised:
        replaced(operator)
    assert raised.value.__cause__ is raised.value.__context__ is None


@pytest.mark.parametrize("operator", [7, type("NeedsMore", (), {"__init__": lambda self, x: None})])
def test_what_is_no_operator_is_refused_before_a_note_is_read(operator: Any) -> None:
    OPERATOR_PLUGINS.register("mine")(operator)
    with pytest.raises(RegistryError, match="the operator mine"):
        Deidentifier("mine", detector="rules")


def test_an_unknown_name_lists_those_there_are() -> None:
    OPERATOR_PLUGINS.register("mine")(failing)
    with pytest.raises(
        OperatorError, match=r"'yours' is not a way to replace: choose tag, .*mine$"
    ):
        Deidentifier("yours")


def test_no_name_of_ours_is_taken() -> None:
    with pytest.raises(RegistryError, match="the name 'mask' is taken by incognote"):
        OPERATOR_PLUGINS.register("mask")


@pytest.mark.parametrize("number", [1, 3])
def test_each_span_gets_its_own(number: int) -> None:
    seen: list[tuple[str, str]] = []
    remember: Callable[[str, str], str] = lambda text, type: seen.append((text, type)) or "x"  # type: ignore[func-returns-value] # noqa: E731
    OPERATOR_PLUGINS.register("mine")(remember)
    spans = tuple(Span.of("abc", at, at + 1, "CITY") for at in range(number))
    from incognote.replace import parse_operators, rewrite

    output = rewrite(Document("", "abc", spans), parse_operators("mine")).document
    assert output.text == "x" * number + "abc"[number:]
    assert seen == [("abc"[at], "CITY") for at in range(number)]
