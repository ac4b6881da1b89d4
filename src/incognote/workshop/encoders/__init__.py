"""Encoders in plain PyTorch: exact to published checkpoints, and one pattern for all families.

What is here, in reading order:

- `config.py`: `EncoderConfig`, the sizes every family has; frozen, checked when made.
- `layers/`: the one set of layers. `layout.py` says how a batch lies in memory (padded, or packed
  without padding) and is the only place that knows; `attention`, `feed_forward`, `embeddings` work
  on either; `stack.py` runs them in an order in which modules may recur (that is ALBERT's sharing);
  `asking.py` goes on for some pieces only, where no more is asked.
- `encoder.py`: `Encoder`, ids in, `Encoded` out (hidden states, their layout, the pooled vector).
- `heads/`: modules from `Encoded` to logits. Losses are elsewhere: `forward` never computes one.
- `model.py`: `Model`, an encoder with any number of heads by name; `initialize.py`: how it begins.
- one folder per family (`bert`, `roberta`, `albert`, `electra`, `xlnet`, `elmo`) with the same
  files: `config.py` (its configuration and the keys of its config.json), `names.py` (the one table
  of tensor names, ours ⇄ Hugging Face's, used to load and to save), and `family.py` (a `Family`: how
  to build the encoder and the heads, and which heads an architecture name of config.json means).
  `distilbert.py` has all three in one. `xlnet` and `elmo` have encoders of their own beside them. `elmo` keeps our names and needs no
  table; its `original.py` reads the files that were published.
- `families.py`: the families by name. To add one, write its folder and add it there.
- `presets.py`: the published sizes; `counting.py`: parameters and FLOPs, without memory.
- `text_encoder.py`: what `fill_mask` (`filling.py`) and `sentence_order_score` need of an encoder;
  `text_model.py`: any checkpoint with its tokenizer, in torch; `onnx_text_model.py`: an exported
  one, without. Per-word vectors of any text are `workshop.features`.
- `checkpoints.py`: `load` and `save`, Hugging Face folders; `tensor_files.py`: the files in them;
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
    from incognote.workshop.encoders.filling import fill_mask
    from incognote.workshop.encoders.model import Model
    from incognote.workshop.encoders.onnx_text_model import OnnxTextModel
    from incognote.workshop.encoders.presets import preset
    from incognote.workshop.encoders.sentence_order import sentence_order_score
    from incognote.workshop.encoders.text_encoder import open_encoder
    from incognote.workshop.encoders.text_model import TextModel

_HOMES = {
    "Model": "model",
    "OnnxTextModel": "onnx_text_model",
    "TextModel": "text_model",
    "fill_mask": "filling",
    "load": "checkpoints",
    "open_encoder": "text_encoder",
    "preset": "presets",
    "save": "checkpoints",
    "sentence_order_score": "sentence_order",
}

__all__ = [
    "Model",
    "OnnxTextModel",
    "TextModel",
    "fill_mask",
    "load",
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
