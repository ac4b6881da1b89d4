"""Presidio as a service, for gunicorn: both of its applications in one process, with their bodies.

    gunicorn -w 1 -b 127.0.0.1:5002 "benchmarks.peers.presidio_service:application()"

Its own are two processes, presidio-analyzer/app.py and presidio-anonymizer/app.py; here they share one,
which costs them nothing, and requests are checked less. Settings and model as in `presidio.py`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.peers.peer import Peer
from benchmarks.peers.presidio import PEERS
from benchmarks.peers.spacy_model import model_folder

SERVICE = Peer(
    "presidio-service",
    "Presidio's service",
    "presidio_service",
    f"{PEERS[-1].settings}; gunicorn with one process",
    (*PEERS[-1].packages, "presidio-anonymizer==2.2.366", "flask", "gunicorn"),
    PEERS[-1].alone,
)


def application() -> Any:
    """A WSGI application with /analyze, /anonymize and /health."""
    import presidio_analyzer as presidio  # type: ignore[import-not-found]
    from flask import Flask, Response, request  # type: ignore[import-not-found]
    from presidio_analyzer import nlp_engine as engines
    from presidio_anonymizer import AnonymizerEngine  # type: ignore[import-not-found]
    from presidio_anonymizer.services.app_entities_convertor import (  # type: ignore[import-not-found]
        AppEntitiesConvertor,
    )
    from yaml import safe_load

    folder = Path(presidio.__path__[0]) / "conf"
    settings = safe_load((folder / "default.yaml").read_text(encoding="utf-8"))
    settings["models"] = [{"lang_code": "en", "model_name": model_folder()}]
    nlp = engines.NlpEngineProvider(nlp_configuration=settings).create_engine()
    analyzer = presidio.BatchAnalyzerEngine(
        presidio.AnalyzerEngine(nlp_engine=nlp, supported_languages=["en"])
    )
    anonymizer = AnonymizerEngine()
    app = Flask(__name__)

    @app.route("/health")  # type: ignore[untyped-decorator]
    def health() -> str:
        return "up"

    @app.route("/analyze", methods=["POST"])  # type: ignore[untyped-decorator]
    def analyze() -> Any:
        asked = presidio.AnalyzerRequest(request.get_json())
        texts = asked.text if isinstance(asked.text, list) else [asked.text]
        found = analyzer.analyze_iterator(
            texts=texts,
            batch_size=min(len(texts), 500),
            language=asked.language,
            score_threshold=asked.score_threshold,
        )
        listed = []
        for results in found:
            for result in results:
                del result.recognition_metadata
            listed.append(results)
        content = listed if isinstance(asked.text, list) else listed[0]
        data = json.dumps(content, default=lambda result: result.to_dict(), sort_keys=True)
        return Response(data, content_type="application/json")

    @app.route("/anonymize", methods=["POST"])  # type: ignore[untyped-decorator]
    def anonymize() -> Any:
        content = request.get_json()
        result = anonymizer.anonymize(
            text=content["text"],
            analyzer_results=AppEntitiesConvertor.analyzer_results_from_json(
                content["analyzer_results"]
            ),
            operators=AppEntitiesConvertor.operators_config_from_json(
                content.get("anonymizers") or {}
            ),
        )
        return Response(result.to_json(), mimetype="application/json")

    return app
