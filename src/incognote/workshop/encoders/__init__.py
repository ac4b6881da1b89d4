"""Encoders in plain PyTorch: exact to published checkpoints, and one pattern for all families.

What is here, in reading order:

- `config.py`: `EncoderConfig`, the sizes every family has; frozen, checked when made.
- `layout.py`: how a batch lies in memory (padded, or packed without padding), and which of its tokens
  are still active after an early exit; the only place that knows. `layers.py`: the one set of layers,
  which work on either layout; a `Stack` runs them in an order in which modules may recur (that is
  ALBERT's sharing). `dropout.py`: dropout that is cheap on a CPU, and attention with it.
- `encoder.py`: `Encoder`, ids in, `Encoded` out (hidden states, their layout, the pooled vector).
- `heads.py`: modules from `Encoded` to logits. Losses are elsewhere: `forward` never computes one.
- `model.py`: `Model`, an encoder with any number of heads by name, its initial weights, and how many
  parameters and FLOPs it has, without memory for them.
- one file per family (`bert`, `roberta`, `albert`, `electra`, `distilbert`, `modernbert`, `deberta`,
  `xlnet`, `elmo`), each in the same order: its configuration and the keys of its config.json; the one table of tensor names,
  ours ⇄ Hugging Face's, used to load and to save; and a `Family`: how to build the encoder and the
  heads, and which heads an architecture name of config.json means. XLNet's attention is
  `xlnet_attention.py`, and ModernBERT's to near tokens `local_attention.py`.
- `family.py`: what a `Family` is; `families.py`: the families by name, and the published sizes. To add
  one, write its file and add it there.
- `attention_heads.py`: what each head of attention looks at, and encoders without some of them.
- `text_encoder.py`: an encoder with its tokenizer, opened from a folder; an exported one runs there
  without torch, any checkpoint by `text_model.py` in torch; with `fill_mask` and
  `sentence_order_score`. Per-word vectors of any text are `workshop.features`.
- `checkpoints.py`: `load` and `save`, Hugging Face folders, and the files that ELMo's authors published;
  `tensor_files.py`: the files in them;
  `naming.py`: their tensors under our names, every one accounted for.

    model = incognote.workshop.encoders.load("albert-base-v2/")          # a folder
    encoded = model.encoder(ids, mask=mask, segments=segments)  # padded: ids [batch, length]
    encoded = model.encoder(ids, lengths=[7, 3])                # packed: ids [10], no padding
    logits = model(ids, lengths=[7, 3])["mlm"]
    fill_mask("Hello I'm a [MASK] model.", TextModel.load("albert-base-v2/"))
    fill_mask("The patient denies chest [MASK].")               # the clinical ALBERT that ships

Importing this package imports no torch; using it does, but for exported encoders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incognote.workshop.encoders.checkpoints import load, save
    from incognote.workshop.encoders.families import preset
    from incognote.workshop.encoders.model import Model
    from incognote.workshop.encoders.text_encoder import (
        OnnxTextModel,
        fill_mask,
        next_sentence_score,
        open_encoder,
        sentence_order_score,
    )
    from incognote.workshop.encoders.text_model import TextModel

_HOMES = {
    "Model": "model",
    "OnnxTextModel": "text_encoder",
    "TextModel": "text_model",
    "fill_mask": "text_encoder",
    "load": "checkpoints",
    "next_sentence_score": "text_encoder",
    "open_encoder": "text_encoder",
    "preset": "families",
    "save": "checkpoints",
    "sentence_order_score": "text_encoder",
}

__all__ = [
    "Model",
    "OnnxTextModel",
    "TextModel",
    "fill_mask",
    "load",
    "next_sentence_score",
    "open_encoder",
    "preset",
    "save",
    "sentence_order_score",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
