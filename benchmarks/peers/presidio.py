"""Presidio: spaCy's entities and its own patterns, with all its English recognizers or as it comes.

https://github.com/microsoft/presidio
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.peers.peer import Find, Found, Peer
from benchmarks.peers.spacy_model import SPACY, WHEEL, model_folder

CATEGORIES = {
    "PERSON": "NAME",
    "LOCATION": "LOCATION",
    "ORGANIZATION": "LOCATION",
    "UK_POSTCODE": "LOCATION",
    "CA_POSTAL_CODE": "LOCATION",
    "DATE_TIME": "DATE",
    "PHONE_NUMBER": "CONTACT",
    "EMAIL_ADDRESS": "CONTACT",
    "URL": "CONTACT",
    "IP_ADDRESS": "CONTACT",
    "ZA_MOBILE_NUMBER": "CONTACT",
    "ZA_TELEPHONE_NUMBER": "CONTACT",
    **dict.fromkeys(
        "CREDIT_CARD IBAN_CODE MAC_ADDRESS UUID MEDICAL_LICENSE ABA_ROUTING_NUMBER "
        "US_BANK_NUMBER US_CLAIM_NUMBER US_DRIVER_LICENSE US_HEALTH_INSURANCE_MEMBER_ID US_ITIN "
        "US_MBI US_NPI US_PASSPORT US_PRESCRIPTION_NUMBER US_PRIOR_AUTHORIZATION_NUMBER "
        "US_PROVIDER_TAX_ID US_REFERRAL_NUMBER US_SSN "
        "UK_NHS UK_NINO UK_DRIVING_LICENCE UK_PASSPORT UK_VEHICLE_REGISTRATION "
        "CA_SIN AU_ABN AU_ACN AU_MEDICARE AU_TFN SG_NRIC_FIN SG_UEN NG_NIN "
        "NG_VEHICLE_REGISTRATION IN_AADHAAR IN_GSTIN IN_PAN IN_PASSPORT IN_VEHICLE_REGISTRATION "
        "IN_VOTER PH_PASSPORT PH_TIN PH_UMID ZA_COMPANY_REGISTRATION ZA_DRIVER_LICENSE "
        "ZA_ID_NUMBER ZA_INCOME_TAX_NUMBER ZA_LICENSE_PLATE ZA_PASSPORT "
        "ZA_TRAFFIC_REGISTER_NUMBER ZA_VAT_NUMBER".split(),
        "ID",
    ),
}
"""Nationalities and the like (NRP) and wallets (CRYPTO) fit none."""

PACKAGES = ("presidio-analyzer==2.2.366", SPACY)

PEERS = (
    Peer(
        "presidio",
        "Presidio, all recognizers",
        "presidio",
        "en_core_web_md; every English recognizer, those that are off by default and organizations "
        "too; threshold 0",
        PACKAGES,
        (WHEEL,),
        "all",
        CATEGORIES,
    ),
    Peer(
        "presidio-default",
        "Presidio, as it comes",
        "presidio",
        "en_core_web_md; the recognizers that are on by default, no organizations; threshold 0, "
        "its default",
        PACKAGES,
        (WHEEL,),
        "default",
        CATEGORIES,
    ),
)

_NEEDS_MORE = {"HuggingFaceNerRecognizer", "BasicLangExtractRecognizer"}
"""Recognizers that want a model of their own from elsewhere."""


def load(variant: str) -> Find:
    """Its engine for batches, as its documentation advises for many texts."""
    import presidio_analyzer as presidio  # type: ignore[import-not-found]
    import yaml
    from presidio_analyzer.nlp_engine import NlpEngineProvider  # type: ignore[import-not-found]
    from presidio_analyzer.recognizer_registry import (  # type: ignore[import-not-found]
        RecognizerRegistryProvider,
    )

    folder = f"{presidio.__path__[0]}/conf"
    nlp = _settings(yaml, f"{folder}/default.yaml")
    nlp["models"] = [{"lang_code": "en", "model_name": model_folder()}]
    registry = _settings(yaml, f"{folder}/default_recognizers.yaml")
    if variant == "all":
        ignored = nlp["ner_model_configuration"]["labels_to_ignore"]
        ignored[:] = [label for label in ignored if label not in ("ORG", "ORGANIZATION")]
        for recognizer in registry["recognizers"]:
            if recognizer["name"] not in _NEEDS_MORE and _is_english(recognizer):
                recognizer["enabled"] = True
    nlp_engine = NlpEngineProvider(nlp_configuration=nlp).create_engine()
    recognizers = RecognizerRegistryProvider(
        registry_configuration=registry, nlp_engine=nlp_engine
    ).create_recognizer_registry()
    engine = presidio.BatchAnalyzerEngine(
        presidio.AnalyzerEngine(
            registry=recognizers, nlp_engine=nlp_engine, supported_languages=["en"]
        )
    )

    def find(texts: Sequence[str]) -> list[list[Found]]:
        batches = engine.analyze_iterator(texts, language="en", batch_size=16, score_threshold=0.0)
        return [[(r.start, r.end, r.entity_type, r.score) for r in results] for results in batches]

    return find


def _settings(yaml: Any, path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as stream:  # noqa: PTH123
        loaded: dict[str, Any] = yaml.safe_load(stream)
    return loaded


def _is_english(recognizer: dict[str, Any]) -> bool:
    languages = recognizer.get("supported_languages") or ["en"]
    return any(
        (language.get("language") if isinstance(language, dict) else language) == "en"
        for language in languages
    )
