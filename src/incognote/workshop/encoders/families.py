"""The families, by the name config.json gives them."""

from __future__ import annotations

from typing import Any

from incognote.base.errors import ConfigError
from incognote.workshop.encoders.albert import ALBERT
from incognote.workshop.encoders.bert import BERT
from incognote.workshop.encoders.distilbert import DISTILBERT
from incognote.workshop.encoders.electra import ELECTRA
from incognote.workshop.encoders.elmo import ELMO
from incognote.workshop.encoders.family import Family
from incognote.workshop.encoders.roberta import ROBERTA
from incognote.workshop.encoders.xlnet import XLNET

FAMILIES: dict[str, Family] = {
    family.name: family for family in (BERT, ROBERTA, ALBERT, ELECTRA, DISTILBERT, XLNET, ELMO)
}


def family_of(config: Any) -> Family:
    """The family whose configuration this is."""
    for family in FAMILIES.values():
        if type(config) is family.config:
            return family
    raise ConfigError(f"{type(config).__name__} is the configuration of no known family")
