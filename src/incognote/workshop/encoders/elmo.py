"""ELMo: Peters et al., 2018. From characters to words' vectors in context.

The files its authors published are read by `elmo_original`; ours keep our names.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import torch
from torch import Tensor, nn

from incognote.base.errors import ConfigError, InputError
from incognote.workshop.encoders.config import is_positive, is_share, is_whole
from incognote.workshop.encoders.encoder import Encoded, check_rows
from incognote.workshop.encoders.family import TOKEN_HEAD_NAMES, TOKEN_HEADS, Family, Row
from incognote.workshop.encoders.heads import Head
from incognote.workshop.encoders.layout import Packed, Padded, layout_of

FILTERS = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
_POSITIVE = ("cell_clip", "projection_clip", "initializer_range")


@dataclass(frozen=True, kw_only=True)
class ElmoConfig:
    """The sizes of a character CNN and of the two-way LSTM on it.

    filters: width and number of each convolution. cell_size: of an LSTM, whose output is projected
    to `projection_size`. clip: cells and outputs stay within ± this.

    >>> ElmoConfig().hidden_size
    1024
    """

    characters: int = 262
    characters_per_word: int = 50
    character_size: int = 16
    filters: tuple[tuple[int, int], ...] = FILTERS
    highways: int = 2
    activation: str = "relu"
    layers: int = 2
    cell_size: int = 4096
    projection_size: int = 512
    cell_clip: float = 3.0
    projection_clip: float = 3.0
    classifier_dropout: float = 0.5
    initializer_range: float = 0.02

    def __post_init__(self) -> None:
        """Refuse sizes that describe no encoder."""
        if isinstance(self.filters, list):  # as a user or a file gives them
            pairs = (tuple(pair) if isinstance(pair, list) else pair for pair in self.filters)
            object.__setattr__(self, "filters", tuple(pairs))
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "int" and not is_whole(value, least=1):
                raise ConfigError(f"{field.name} must be a whole number above 0, not {value!r}")
            if field.name in _POSITIVE and not is_positive(value):
                raise ConfigError(f"{field.name} must be a number above 0, not {value!r}")
        if not _pairs(self.filters):
            raise ConfigError("filters must be pairs of a width and a number, both above 0")
        if self.activation not in ("relu", "tanh"):
            raise ConfigError(f"activation must be relu or tanh, not {self.activation!r}")
        if not is_share(self.classifier_dropout):
            raise ConfigError(
                f"classifier_dropout must be from 0 up to but not 1, not {self.classifier_dropout!r}"
            )

    @property
    def hidden_size(self) -> int:
        """Both directions side by side."""
        return 2 * self.projection_size

    @property
    def longest(self) -> int:
        """An LSTM reads on without end."""
        return sys.maxsize

    @property
    def row(self) -> tuple[int, ...]:
        """The shape of what stands for one word: its characters."""
        return (self.characters_per_word,)

    @property
    def row_limits(self) -> tuple[int, ...]:
        """One more than the highest number at each place of such a row."""
        return (self.characters,) * self.characters_per_word

    @property
    def head_dropout(self) -> float:
        """The dropout before a classifier."""
        return self.classifier_dropout

    @classmethod
    def from_huggingface(cls, settings: Mapping[str, Any]) -> Self:
        """Read the original's options.json, or a config.json that has its contents."""
        try:
            lstm, characters = settings["lstm"], settings["char_cnn"]
            if not lstm.get("use_skip_connections", True):
                raise ConfigError("use_skip_connections = false is not supported")
            return cls(
                characters=characters["n_characters"],
                characters_per_word=characters["max_characters_per_token"],
                character_size=characters["embedding"]["dim"],
                filters=tuple((width, count) for width, count in characters["filters"]),
                highways=characters["n_highway"],
                activation=characters["activation"],
                layers=lstm["n_layers"],
                cell_size=lstm["dim"],
                projection_size=lstm["projection_dim"],
                cell_clip=lstm["cell_clip"],
                projection_clip=lstm["proj_clip"],
                classifier_dropout=settings.get("classifier_dropout", cls.classifier_dropout),
            )
        except (KeyError, TypeError) as error:
            raise ConfigError(f"ELMo's options lack {error}") from None

    def to_huggingface(self) -> dict[str, Any]:
        """The contents of options.json."""
        return {
            "lstm": {
                "n_layers": self.layers,
                "dim": self.cell_size,
                "projection_dim": self.projection_size,
                "cell_clip": self.cell_clip,
                "proj_clip": self.projection_clip,
                "use_skip_connections": True,
            },
            "char_cnn": {
                "n_characters": self.characters,
                "max_characters_per_token": self.characters_per_word,
                "embedding": {"dim": self.character_size},
                "filters": [list(pair) for pair in self.filters],
                "n_highway": self.highways,
                "activation": self.activation,
            },
            "classifier_dropout": self.classifier_dropout,
        }


def _pairs(filters: object) -> bool:
    """Whether these are pairs of whole numbers above 0, one or more."""
    return (
        isinstance(filters, tuple)
        and len(filters) > 0
        and all(
            isinstance(pair, tuple)
            and len(pair) == 2
            and all(is_whole(number, least=1) for number in pair)
            for pair in filters
        )
    )


class Highway(nn.Module):
    """A layer that a gate may pass by; the gate opens to the layer, as in the original."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.transform = nn.Linear(size, size)
        self.gate = nn.Linear(size, size)

    def forward(self, vectors: Tensor) -> Tensor:
        """[words, size] to the same."""
        gate = torch.sigmoid(self.gate(vectors))
        return gate * torch.relu(self.transform(vectors)) + (1 - gate) * vectors


class CharacterWords(nn.Module):
    """Characters, convolutions of several widths, highways, projection."""

    def __init__(self, config: ElmoConfig) -> None:
        super().__init__()
        size = sum(count for _, count in config.filters)
        self.characters = nn.Embedding(config.characters, config.character_size, padding_idx=0)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(config.character_size, count, width) for width, count in config.filters
        )
        self.activation = torch.relu if config.activation == "relu" else torch.tanh
        self.highways = nn.ModuleList(Highway(size) for _ in range(config.highways))
        self.projection = nn.Linear(size, config.projection_size)

    def forward(self, ids: Tensor) -> Tensor:
        """[words, characters per word] to [words, projection size]."""
        characters = self.characters(ids).transpose(1, 2)  # [words, character size, characters]
        pooled = [
            self.activation(convolution(characters).amax(-1)) for convolution in self.convolutions
        ]
        vectors = torch.cat(pooled, dim=-1)
        for highway in self.highways:
            vectors = highway(vectors)
        projected: Tensor = self.projection(vectors)
        return projected


class State(NamedTuple):
    """What an LSTM carries on, for each sequence: [batch, projection size], [batch, cell size]."""

    output: Tensor
    cell: Tensor


@dataclass(frozen=True)
class Steps:
    """The order in which packed sequences are read, one word of each at a step.

    order: [words], the words' places by step; running: how many sequences have a word at each
    step. Longer sequences come first, so those that run are the first ones; by_length: which.
    """

    order: Tensor
    back: Tensor
    running: tuple[int, ...]
    by_length: Tensor

    @classmethod
    def of(cls, lengths: Sequence[int], *, backward: bool, device: torch.device) -> Steps:
        """For sequences end to end, read from the first word or from the last."""
        sizes = torch.tensor(lengths)
        starts = sizes.cumsum(0) - sizes
        by_length = sizes.argsort(descending=True, stable=True)
        sizes, starts = sizes[by_length], starts[by_length]
        step = torch.arange(int(sizes[0]))[:, None]
        runs = step < sizes  # [steps, batch]
        places = starts + (sizes - 1 - step if backward else step)
        order = places[runs]
        return cls(
            order.to(device),
            order.argsort().to(device),
            tuple(runs.sum(1).tolist()),
            by_length.to(device),
        )


class ClippedLstm(nn.Module):
    """One layer in one direction. Gates stand in the original's order: input, new, forget, output."""

    def __init__(self, config: ElmoConfig) -> None:
        super().__init__()
        self.cell_clip, self.output_clip = config.cell_clip, config.projection_clip
        self.cell_size = config.cell_size
        size, gates = config.projection_size, 4 * config.cell_size
        self.input = nn.Linear(size, gates)
        self.recurrent = nn.Linear(size, gates, bias=False)
        self.projection = nn.Linear(config.cell_size, size, bias=False)

    def forward(
        self, words: Tensor, steps: Steps, state: State | None = None
    ) -> tuple[Tensor, State]:
        """[words, projection size] to the same, and the state after each sequence."""
        batch = steps.running[0]
        if state is None:
            output = words.new_zeros(batch, words.shape[-1])
            cell = words.new_zeros(batch, self.cell_size)
        else:
            output, cell = state.output[steps.by_length], state.cell[steps.by_length]
        outputs, ended = [], []
        for gates in self.input(words)[steps.order].split(steps.running):
            if len(gates) < len(output):
                ended.append(State(output[len(gates) :], cell[len(gates) :]))
                output, cell = output[: len(gates)], cell[: len(gates)]
            output, cell = self._step(gates + self.recurrent(output), cell)
            outputs.append(output)
        ended.append(State(output, cell))
        back = steps.by_length.argsort()
        last = State(
            *(torch.cat(values[::-1])[back] for values in zip(*ended, strict=True)),
        )
        return torch.cat(outputs)[steps.back], last

    def _step(self, gates: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """Gates [running, 4 · cell size]; the forget gate is open by 1 more than its weights say."""
        enter, new, forget, leave = gates.chunk(4, dim=-1)
        cell = torch.sigmoid(forget + 1) * cell + torch.sigmoid(enter) * torch.tanh(new)
        cell = cell.clamp(-self.cell_clip, self.cell_clip)
        output = self.projection(torch.sigmoid(leave) * torch.tanh(cell))
        return output.clamp(-self.output_clip, self.output_clip), cell


@dataclass(frozen=True)
class ElmoEncoded(Encoded):
    """carried: the state after each sequence, by layer, forward then backward."""

    carried: tuple[State, ...] = ()


class ScalarMix(nn.Module):
    """γ · Σ softmax(w)ₖ hₖ: the layers as a task wants them, learned with it."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(layers))
        self.scale = nn.Parameter(torch.ones(()))

    def shares(self) -> Tensor:
        """How much each layer counts, summing to 1: [layers]."""
        return self.weights.softmax(0)

    def forward(self, states: Sequence[Tensor]) -> Tensor:
        """Layers of one shape to that shape."""
        shares = self.shares()
        mixed = torch.stack(
            [share * state for share, state in zip(shares, states, strict=True)]
        ).sum(0)
        return self.scale * mixed


def learned_mix(encoder: nn.Module) -> dict[str, Any]:
    """How much ELMo's layers count for a task: γ, and the shares of words, then each layer.

    Nothing of other encoders.
    """
    mix = getattr(encoder, "mix", None)
    if not isinstance(mix, ScalarMix):
        return {}
    return {"mix": {"gamma": mix.scale.item(), "weights": mix.shares().tolist()}}


class Elmo(nn.Module):
    """Words from characters, layers of two LSTMs (forward, backward), and their mix."""

    def __init__(self, config: ElmoConfig, pooler: bool) -> None:
        super().__init__()
        if pooler:
            raise ConfigError("ELMo has no pooler")
        self.config = config
        self.words = CharacterWords(config)
        self.forward_layers = nn.ModuleList(ClippedLstm(config) for _ in range(config.layers))
        self.backward_layers = nn.ModuleList(ClippedLstm(config) for _ in range(config.layers))
        self.mix = ScalarMix(config.layers + 1)
        # Of what a layer reads, also by its residual, in pretraining; none unless it is asked for.
        self.dropout = nn.Dropout(0.0)

    def forward(
        self,
        ids: Tensor,
        *,
        segments: Tensor | None = None,
        mask: Tensor | None = None,
        lengths: Sequence[int] | None = None,
        states: bool = False,
        carried: Sequence[State] = (),
    ) -> ElmoEncoded:
        """Characters [batch, words, characters per word] with a mask [batch, words], or packed.

        Packed characters are [words, characters per word]. A sentence has its boundaries with it
        (`tokenization.characters`). Segments mean nothing here. `carried` is what the batch before
        gave, so that a text is read on; without it each sequence begins anew.
        """
        if ids.shape[-1] != self.config.characters_per_word:
            raise InputError(
                f"a word has {ids.shape[-1]} characters, not {self.config.characters_per_word}"
            )
        layout = layout_of(ids[..., 0], mask, lengths)
        check_rows("character", ids, self.config.characters)
        real = layout.mask if isinstance(layout, Padded) else None
        if isinstance(layout, Packed):
            sizes, flat = list(layout.lengths), ids
        elif real is None:
            sizes, flat = [ids.shape[1]] * ids.shape[0], ids.flatten(0, 1)
        else:
            sizes, flat = real.sum(1).tolist(), ids[real]
        layers, ends = self._run(flat, sizes, carried)
        if real is not None:
            layers = [_placed(layer, real) for layer in layers]
        elif not isinstance(layout, Packed):
            layers = [layer.view(*ids.shape[:2], -1) for layer in layers]
        return ElmoEncoded(
            self.mix(layers), layout, states=tuple(layers) if states else (), carried=tuple(ends)
        )

    def _run(
        self, ids: Tensor, lengths: Sequence[int], carried: Sequence[State]
    ) -> tuple[list[Tensor], list[State]]:
        """Packed characters to every layer, [words, hidden size], and the states at the end."""
        steps = [Steps.of(lengths, backward=b, device=ids.device) for b in (False, True)]
        words = self.words(ids)
        directions = [words, words]
        layers = [torch.cat(directions, dim=-1)]
        ends: list[State] = []
        for number, pair in enumerate(zip(self.forward_layers, self.backward_layers, strict=True)):
            for direction, lstm in enumerate(pair):
                start = carried[len(ends)] if carried else None
                below = self.dropout(directions[direction])
                read, end = lstm(below, steps[direction], start)
                # The residual begins with the second layer.
                directions[direction] = read + below if number else read
                ends.append(end)
            layers.append(torch.cat(directions, dim=-1))
        return layers, ends


def _placed(words: Tensor, real: Tensor) -> Tensor:
    """[words, size] to [batch, length, size], zero at padding."""
    padded = words.new_zeros(*real.shape, words.shape[-1])
    padded[real] = words
    return padded


class WordsClassification(Head):
    """Logits of a whole text or pair, [batch, labels], from the mean and the largest of its words' states.

    ELMo has no token that stands for a text.
    """

    def __init__(self, config: ElmoConfig, labels: int) -> None:
        super().__init__()
        self.dense = nn.Linear(2 * config.hidden_size, config.hidden_size)
        self.dropout = nn.Dropout(config.head_dropout)
        self.classifier = nn.Linear(config.hidden_size, labels)

    def forward(self, encoded: Encoded) -> Tensor:
        layout = encoded.layout
        if isinstance(layout, Packed):
            texts: Sequence[Tensor] = torch.split(encoded.hidden, list(layout.lengths))
        elif isinstance(layout, Padded) and layout.mask is not None:
            texts = [row[real] for row, real in zip(encoded.hidden, layout.mask, strict=True)]
        else:
            texts = encoded.hidden.unbind()
        pooled = torch.stack([torch.cat([text.mean(0), text.amax(0)]) for text in texts])
        inner = torch.tanh(self.dense(self.dropout(pooled)))
        logits: Tensor = self.classifier(self.dropout(inner))
        return logits


def _words_names(head: str) -> tuple[Row, ...]:
    return (
        (f"heads.{head}.dense", "classifier.dense"),
        (f"heads.{head}.classifier", "classifier.out_proj"),
    )


ELMO = Family(
    name="elmo",
    prefix="elmo.",
    config=ElmoConfig,
    encoder=Elmo,
    heads={
        "tokens": TOKEN_HEADS["tokens"],
        "span": TOKEN_HEADS["span"],
        "sequence": WordsClassification,
        "choice": lambda c, _: WordsClassification(c, 1),
    },
    architectures={
        "ElmoModel": (),
        "ElmoForTokenClassification": ("tokens",),
        "ElmoForSequenceClassification": ("sequence",),
        "ElmoForMultipleChoice": ("choice",),
        "ElmoForQuestionAnswering": ("span",),
    },
    body=(
        ("encoder.words", "elmo.words"),
        ("encoder.forward_layers", "elmo.forward_layers"),
        ("encoder.backward_layers", "elmo.backward_layers"),
        ("encoder.mix", "elmo.mix"),
    ),
    head_names={
        "tokens": TOKEN_HEAD_NAMES["tokens"],
        "span": TOKEN_HEAD_NAMES["span"],
        "sequence": _words_names("sequence"),
        "choice": _words_names("choice"),
    },
    counts=lambda config: (),
)
