"""A client of Azure's de-identification service finds its route, bodies and categories here."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from serve.conftest import KEY

from incognote import Deidentifier
from incognote.phi import TYPES
from incognote.serve.azure_categories import CATEGORIES

TEXT = "😀 Émile Okafor was seen by Dr. Núñez on 3/14/2019."


def deid(client: httpx.Client, **body: Any) -> Any:
    """The answer to a request of the published version."""
    answer = client.post("/deid?api-version=2024-11-15", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_every_type_has_a_category_of_its_own() -> None:
    assert set(CATEGORIES) == set(TYPES)
    assert len(set(CATEGORIES.values())) == 28


def test_tags_have_offsets_in_three_units(client: httpx.Client) -> None:
    entities = deid(client, inputText=TEXT, operation="Tag")["taggerResult"]["entities"]
    assert {"Doctor", "Date"} <= {each["category"] for each in entities}
    for each in entities:
        for unit, codec, width in (
            ("utf8", "utf-8", 1),
            ("utf16", "utf-16-le", 2),
            ("codePoint", "utf-32-le", 4),
        ):
            data, start = TEXT.encode(codec), width * each["offset"][unit]
            end = start + width * each["length"][unit]
            assert data[start:end].decode(codec) == each["text"]


def test_redaction_and_surrogates(client: httpx.Client) -> None:
    redacted = deid(client, inputText=TEXT, operation="Redact")["outputText"]
    assert redacted.endswith("Dr. [doctor] on [date].")
    form = {"redactionFormat": "<{type}>"}
    assert (
        "<date>"
        in deid(client, inputText=TEXT, operation="Redact", customizations=form)["outputText"]
    )
    made = Deidentifier("surrogate", key=KEY)(TEXT).text
    assert deid(client, inputText=TEXT)["outputText"] == made
    assert deid(client, inputText=TEXT, operation="Surrogate")["outputText"] == made


@pytest.mark.parametrize(
    ("encoding", "codec", "width"),
    [("Utf8", "utf-8", 1), ("Utf16", "utf-16-le", 2), ("CodePoint", "utf-32-le", 4)],
)
def test_entities_that_are_tagged_already_become_surrogates(
    client: httpx.Client, encoding: str, codec: str, width: int
) -> None:
    offset = len(TEXT[: TEXT.index("Núñez")].encode(codec)) // width
    entity = {
        "category": "Doctor",
        "offset": offset,
        "length": len("Núñez".encode(codec)) // width,
        "text": "Núñez",
    }
    tagged = {"encoding": encoding, "entities": [entity]}
    output = deid(client, inputText=TEXT, operation="SurrogateOnly", taggedEntities=tagged)[
        "outputText"
    ]
    assert "Núñez" not in output
    assert output.startswith("😀 Émile Okafor was seen by Dr. ")
    assert output.endswith(" on 3/14/2019.")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"inputText": "a" * 48_001}, 413),
        ({"inputText": TEXT, "operation": "SurrogateOnly"}, 400),
        ({"inputText": TEXT, "operation": "Burn"}, 400),
        ({"inputText": TEXT, "customizations": {"inputLocale": "fr-FR"}}, 422),
        (
            {
                "inputText": TEXT,
                "operation": "SurrogateOnly",
                "taggedEntities": {
                    "encoding": "Utf16",
                    "entities": [{"category": "Doctor", "offset": 1, "length": 3}],
                },
            },
            400,
        ),
    ],
)
def test_what_cannot_be_is_refused(client: httpx.Client, body: dict[str, Any], status: int) -> None:
    answer = client.post("/deid", json=body)
    assert answer.status_code == status
    assert answer.json()["error"]["code"] == answer.headers["x-ms-error-code"]
    assert "Okafor" not in answer.text
