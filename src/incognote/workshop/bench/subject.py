"""What is measured: incognote, and peers where they are installed, each as work on texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from incognote.onnx.model_folder import read_model
from incognote.workshop.bench.operations import operations_of, read_graph

HEADS = (12, 8, 4, 2, 1)
"""The first of these that divides the width."""

OUTSIDE = 100.0
"""How much more likely than any random score it is to be no identifier."""


Work = Callable[[Sequence[str]], object]
"""Does the whole work on some texts."""

PIPELINE = "transformers"
BATCH_SIZES = (1, 4, 16)
"""Of the pipeline of transformers: which is quickest depends on the machine."""

SPACY_MODELS = ("en_core_web_lg", "en_core_web_md", "en_core_web_sm")


@dataclass(frozen=True)
class Subject:
    """Who is measured: `incognote` by a detector, a model folder, a speed and a site file;
    `transformers` by a folder, or `like` a model of ours, with random weights; `presidio`.
    """

    name: str
    detector: str = "both"
    folder: str | None = None
    speed: str | None = None
    like: str | None = None
    site: str | None = None

    @property
    def title(self) -> str:
        """What tables call it."""
        if self.name != "incognote":
            return self.name if self.like is None else f"{self.name}, random weights"
        return f"incognote {self.detector if self.speed is None else self.speed}"

    def remark(self, way: int) -> str:
        """What else there is to say when it worked in one of its ways."""
        if self.name != PIPELINE:
            return ""
        batches = f"batches of {BATCH_SIZES[way]}, the best of {', '.join(map(str, BATCH_SIZES))}"
        weights = "" if self.like is None else "; one network of the shape of our first"
        return batches + weights

    def ready(self, threads: int) -> Sequence[Work]:
        """Loaded, to be given texts: each a way of doing the same work."""
        return _READY[self.name](self, threads)


def why_not(subject: Subject) -> str | None:
    """Why a peer cannot be measured; None if it can."""
    if subject.name == PIPELINE:
        if find_spec("transformers") is None or find_spec("torch") is None:
            return "not installed"
        if subject.folder is None and subject.like is None:
            return "there is no model to compare with; give one with --peer-model"
    if subject.name == "presidio":
        if find_spec("presidio_analyzer") is None:
            return "not installed"
        if _spacy_model() is None:
            return "installed without a model of spaCy"
    return None


def _incognote(subject: Subject, threads: int) -> list[Work]:
    from incognote.detect.finder import choose
    from incognote.detect.site import read_site
    from incognote.pipeline import Deidentifier

    choice = choose(subject.detector, subject.folder, subject.speed)
    site = None if subject.site is None else read_site(Path(subject.site))
    deidentifier = Deidentifier(detector=choice.detector(threads=threads, site=site))
    return [lambda texts: [result.text for result in deidentifier.pipe(list(texts))]]


def _transformers(subject: Subject, threads: int) -> list[Work]:
    """With windows that overlap, because it cuts a long note off otherwise.

    By name, because nothing in the package depends on it.
    """
    import_module("torch").set_num_threads(threads)
    model = {"model": subject.folder} if subject.like is None else _random_bert(Path(subject.like))
    find = import_module("transformers").pipeline(
        "token-classification", **model, device="cpu", stride=16, aggregation_strategy="simple"
    )

    def in_batches(size: int) -> Work:
        return lambda texts: find(list(texts), batch_size=size)

    return [in_batches(size) for size in BATCH_SIZES]


def _random_bert(folder: Path) -> dict[str, Any]:
    """For a pipeline: a BERT of the shape of the model's first network, and the model's tokenizer."""
    transformers, tokenizers = import_module("transformers"), import_module("tokenizers")
    model = read_model(folder)
    member = model.members[model.variant().members[0]]
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / member.tokenizer))
    longest = member.window + tokenizer.num_special_tokens_to_add(is_pair=False)
    config = transformers.BertConfig(
        **shape_of(folder / member.network),
        max_position_embeddings=longest,
        id2label=dict(enumerate(model.labels)),
    )
    network = transformers.BertForTokenClassification(config).eval()
    network.classifier.bias.data[0] = OUTSIDE
    return {
        "model": network,
        "tokenizer": transformers.PreTrainedTokenizerFast(
            tokenizer_object=tokenizer,
            model_max_length=longest,
            pad_token=tokenizer.id_to_token(0),
        ),
    }


def shape_of(path: Path) -> dict[str, int]:
    """Layers, width and vocabulary of a network that `incognote export` wrote."""
    sizes, _ = read_graph(path)
    work = operations_of(path)
    width, inner = next(shape for name, shape in sizes.items() if name.endswith("up.weight"))
    return {
        "vocab_size": sizes["words"][0],
        "hidden_size": width,
        "num_hidden_layers": (work.by_attention + work.read_on_by_attention) // (4 * width),
        "num_attention_heads": next(heads for heads in HEADS if width % heads == 0),
        "intermediate_size": inner,
    }


def _presidio(subject: Subject, threads: int) -> list[Work]:
    presidio: Any = import_module("presidio_analyzer")
    provider: Any = import_module("presidio_analyzer.nlp_engine").NlpEngineProvider(
        nlp_configuration={
            "nlp_engine_name": "spacy",
            "models": [{"lang_code": "en", "model_name": _spacy_model()}],
        }
    )
    engine = presidio.BatchAnalyzerEngine(
        presidio.AnalyzerEngine(nlp_engine=provider.create_engine(), supported_languages=["en"])
    )
    return [lambda texts: list(engine.analyze_iterator(texts, language="en", batch_size=16))]


def _spacy_model() -> str | None:
    """The largest that is installed; Presidio would fetch one from the network."""
    return next((name for name in SPACY_MODELS if find_spec(name) is not None), None)


def model_folder(folder: str | None) -> Path | None:
    """The model that is measured; None: there is none."""
    from incognote.models import shipped_model

    return Path(folder) if folder is not None else shipped_model()


_READY: dict[str, Callable[[Subject, int], list[Work]]] = {
    "incognote": _incognote,
    PIPELINE: _transformers,
    "presidio": _presidio,
}
