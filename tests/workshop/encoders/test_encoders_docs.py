"""The table of docs/encoders.md says what the code can do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from tiny_checkpoints import CONFIGS, ELMO, XLNET
from toy_corpus import LABELS
from workshop.tokenization.vocabulary_files import write_vocabulary

from incognote.base.errors import UserError
from incognote.workshop.encoders import Model, load, save
from incognote.workshop.encoders.bilstm import BiLstmConfig
from incognote.workshop.encoders.families import FAMILIES, PRESETS, family_of
from incognote.workshop.encoders.feature_crf import FeatureCrfConfig
from incognote.workshop.encoders.modernbert import LOCAL
from incognote.workshop.export.graph import FULL
from incognote.workshop.export.network import body_of
from incognote.workshop.features import features
from incognote.workshop.finetune.examples import Packed
from incognote.workshop.finetune.from_notes import BILSTM_CRF, CRF, takes
from incognote.workshop.finetune.smaller import keep_layers, keep_units
from incognote.workshop.finetune.tagger import Tagger
from incognote.workshop.pretrain.presets import FURTHER
from incognote.workshop.pretrain.presets import PRESETS as PRETRAINING
from incognote.workshop.tasks.torch_task import HEADS
from incognote.workshop.tokenization import load as load_tokenizer

PAGE = Path(__file__).parent.parent.parent.parent / "docs" / "encoders.md"
NAMES = {
    "bert": "BERT",
    "roberta": "RoBERTa",
    "albert": "ALBERT",
    "electra": "ELECTRA",
    "distilbert": "DistilBERT",
    "modernbert": "ModernBERT",
    "deberta-v2": "DeBERTa-v3",
    "xlnet": "XLNet",
    "elmo": "ELMo",
    "bilstm": "BiLSTM-CRF",
    "feature-crf": "CRF",
}
STARTS = {"bilstm": BILSTM_CRF, "feature-crf": CRF}
SMALL: dict[str, Any] = {
    **CONFIGS,
    "xlnet": XLNET,
    "elmo": ELMO,
    "bilstm": BiLstmConfig(word_size=8, letter_size=4, letter_cell=4, cell_size=8, hidden_size=8),
    "feature-crf": FeatureCrfConfig(
        near_features=9, near_slots=2, own_features=9, own_slots=2, labels=len(LABELS)
    ),
}


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def model_of(family: str) -> Model:
    torch.manual_seed(0)
    return Model(SMALL[family], heads=("tokens",), labels=LABELS).eval()


def works(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except UserError:
        return False
    return True


def ids_of(model: Model, count: int) -> torch.Tensor:
    limits = getattr(model.config, "row_limits", None)
    if limits is None:
        return torch.arange(5, 5 + count)
    return torch.stack([torch.randint(0, limit, (count,)) for limit in limits], -1)


def packs(model: Model) -> bool:
    """Whether sequences end to end give what each gives alone."""
    ids = ids_of(model, 11)
    with torch.no_grad():
        together = model.encoder(ids, lengths=[7, 4]).hidden
        alone = [model.encoder(part[None]).hidden[0] for part in (ids[:7], ids[7:])]
    return torch.allclose(together, torch.cat(alone), atol=1e-5)


def gives_features(model: Model, folder: Path) -> bool:
    family = model.family.name
    if not getattr(model.config, "row", ()):
        write_vocabulary(folder, {"distilbert": "bert", "electra": "bert"}.get(family, family))
        rows = load_tokenizer(folder, family=family).vocabulary_size
        model = model.resized(vocabulary_size=rows, pad_id=0)
    save(model, folder)
    return works(lambda: list(features(["He is well."], folder)))


def can(family: str, folder: Path) -> dict[str, bool]:
    """What the code does for a family."""
    model, heads = model_of(family), FAMILIES[family].heads
    note = Packed(ids_of(model, 11), (7, 4), None, None, None)
    own = {family_of(PRESETS[each.encoder].config).name for each in PRETRAINING.values()}

    def tagger(**parts: Any) -> Tagger:
        return Tagger(model_of(family), **{"shape": False, "crf": False, **parts})

    return {
        "tagger": works(tagger),
        "tasks": set(HEADS.values()) <= set(heads),
        "ONNX": works(lambda: body_of(model, FULL, 32)),
        "pretraining": family in own,
        "going on": family in FURTHER,
        "fill-mask": bool({"mlm", "permutation"} & set(heads)),
        "features": gives_features(model, folder),
        "shape": works(lambda: tagger(shape=True)),
        "join": takes(STARTS.get(family, family), "join") and works(lambda: tagger(join=True)),
        "settle": works(lambda: tagger(settle=1)),
        "keep-layers": works(lambda: keep_layers(model, (1, 2))),
        "keep-units": works(lambda: keep_units(tagger(), 8, [note])),
        "packed": packs(model),
        "local": LOCAL in getattr(model.config, "attention_types", ()),
        "any length": model.config.longest == sys.maxsize,
        "transformers": family in transformers.CONFIG_MAPPING,
    }


def table() -> tuple[list[str], dict[str, dict[str, str]]]:
    """The columns of the page's table, and its rows by family."""
    lines = PAGE.read_text("utf-8").partition("## What each can do")[2].splitlines()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("|") and "---" not in line
    ]
    head, *body = rows[: 1 + len(FAMILIES)]
    return head[1:], {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in body}


def test_every_family_has_a_row() -> None:
    assert list(NAMES) == list(FAMILIES)
    assert list(table()[1]) == list(NAMES.values())


@pytest.mark.parametrize("family", FAMILIES)
def test_the_table_says_what_the_code_can_do(family: str, tmp_path: Path) -> None:
    found = can(family, tmp_path)
    columns, rows = table()
    assert columns == list(found)
    assert rows[NAMES[family]] == {name: "yes" if does else "–" for name, does in found.items()}
    if found["features"]:
        assert load(tmp_path).family.name == family
