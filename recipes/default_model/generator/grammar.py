r"""Fragments with choices and slots, and how they are written out for a scene.

In a fragment `{pt.full}` is a slot, `[a|b|]` one of several (an empty one leaves it out), and
`{addr}` another rule when no slot has that name. `\[`, `\|`, `\]`, `\{`, `\}` stand for themselves
and `\n` for a line break. Rules are files: `name.lines` has one fragment a line, `name.blocks`
fragments of several lines between lines of `----`, `rules.txt` short rules as `name = fragment`.
Notes from outside the United States mostly use the rule `name@abroad` where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from generator.pieces import Pieces
from generator.scene import Scene
from generator.slots import SLOTS

FRAGMENTS = Path(__file__).parent / "fragments"


@dataclass(frozen=True)
class _Slot:
    name: str
    form: str


@dataclass(frozen=True)
class _Choice:
    options: tuple[_Sequence, ...]


_Node: TypeAlias = "str | _Slot | _Choice"
_Sequence: TypeAlias = "tuple[_Node, ...]"
_TOKEN = re.compile(r"\\n|\\.|[\[\]|]|\{[\w.-]+\}|[^\\\[\]|{}]+")


class FragmentError(ValueError):
    """A fragment that cannot be read."""


def parse(fragment: str) -> _Sequence:
    """The fragment as a tree."""
    tokens = _TOKEN.findall(fragment)
    if "".join(tokens) != fragment:
        raise FragmentError(f"a brace is not closed in: {fragment[:60]}")
    sequence, rest = _sequence(tokens, 0, top=True)
    if rest != len(tokens):
        raise FragmentError(f"a bracket closes that never opened in: {fragment[:60]}")
    return sequence


def _sequence(tokens: list[str], at: int, top: bool) -> tuple[_Sequence, int]:
    nodes: list[_Node] = []
    while at < len(tokens):
        token = tokens[at]
        if token == "[":
            choice, at = _choice(tokens, at + 1)
            nodes.append(choice)
            continue
        if token in "|]" and not (top and token == "|"):
            break
        if token[0] == "{":
            name, _, form = token[1:-1].partition(".")
            nodes.append(_Slot(name, form))
        elif token[0] == "\\":
            nodes.append("\n" if token == "\\n" else token[1:])
        else:
            nodes.append(token)
        at += 1
    return tuple(nodes), at


def _choice(tokens: list[str], at: int) -> tuple[_Choice, int]:
    options: list[_Sequence] = []
    while True:
        option, at = _sequence(tokens, at, top=False)
        options.append(option)
        if at >= len(tokens):
            raise FragmentError("a bracket is not closed")
        at += 1
        if tokens[at - 1] == "]":
            return _Choice(tuple(options)), at


class Grammar:
    """Rules by name, each with its fragments."""

    def __init__(self, rules: Mapping[str, Iterable[str]]) -> None:
        self.rules: dict[str, list[_Sequence]] = {
            name: [parse(fragment) for fragment in fragments] for name, fragments in rules.items()
        }
        for name, fragments in self.rules.items():
            for fragment in fragments:
                self._check(name, fragment)

    def _check(self, rule: str, sequence: _Sequence) -> None:
        for node in sequence:
            if isinstance(node, _Slot) and node.name not in SLOTS and node.name not in self.rules:
                raise FragmentError(f"{rule}: no slot or rule is named {node.name}")
            if isinstance(node, _Choice):
                for option in node.options:
                    self._check(rule, option)

    def write(self, rule: str, scene: Scene) -> Pieces:
        """One of the rule's fragments, written out."""
        local = f"{rule}@abroad"
        if scene.country and local in self.rules and scene.rng.random() < 0.75:
            rule = local
        return self._write(scene.rng.choice(self.rules[rule]), scene)

    def _write(self, sequence: _Sequence, scene: Scene) -> Pieces:
        pieces: Pieces = []
        for node in sequence:
            if isinstance(node, str):
                pieces.append((node, ""))
            elif isinstance(node, _Choice):
                pieces += self._write(scene.rng.choice(node.options), scene)
            elif node.name in SLOTS:
                pieces += SLOTS[node.name](scene, node.form)
            else:
                pieces += self.write(node.name, scene)
        return pieces


def load_grammar(folder: Path = FRAGMENTS) -> Grammar:
    """The rules of a folder of fragments."""
    rules: dict[str, list[str]] = {}
    for path in sorted(folder.iterdir()):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".lines":
            rules[path.stem] = [line for line in text.split("\n") if line.strip()]
        elif path.suffix == ".blocks":
            blocks = re.split(r"^----\n", text, flags=re.MULTILINE)
            rules[path.stem] = [block.strip("\n") for block in blocks if block.strip()]
        elif path.name == "rules.txt":
            for line in filter(str.strip, text.split("\n")):
                name, _, fragment = line.partition(" = ")
                rules.setdefault(name.strip(), []).append(fragment)
    return Grammar(rules)
