"""A client of Presidio finds its routes, bodies and statuses here; bodies are those its own tests send."""

from __future__ import annotations

import hashlib
from typing import Any

import httpx
import pytest

LICENCE = "My name is John Smith and my drivers license is AC432223"
JANE = "hello world, my name is Jane Doe. My number is: 034453334"
ZIP = {
    "name": "Zip code Recognizer",
    "supported_language": "en",
    "patterns": [{"name": "zip code (weak)", "regex": r"(\b\d{5}(?:\-\d{4})?\b)", "score": 0.01}],
    "supported_entity": "ZIP",
}


def analyze(client: httpx.Client, text: Any = LICENCE, **body: Any) -> Any:
    """The results for a text in English."""
    answer = client.post("/analyze", json={"text": text, "language": "en", **body})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_an_analysis_has_presidios_form(client: httpx.Client) -> None:
    person, licence = analyze(client)
    assert set(person) == {"analysis_explanation", "start", "end", "score", "entity_type"}
    assert (person["entity_type"], person["start"], person["end"]) == ("PERSON", 11, 21)
    assert (licence["start"], licence["end"]) == (48, 56)
    assert person["analysis_explanation"] is None
    assert analyze(client, return_decision_process=True)[0]["analysis_explanation"]["recognizer"]
    batch = analyze(client, [LICENCE, "Nothing here."])
    assert [len(results) for results in batch] == [2, 0]
    assert batch[0] == [person, licence]


def test_results_are_chosen_by_type_score_and_lists(client: httpx.Client) -> None:
    assert [each["entity_type"] for each in analyze(client, entities=["PERSON"])] == ["PERSON"]
    assert analyze(client, score_threshold=1.1) == []
    assert [each["start"] for each in analyze(client, allow_list=["John Smith"])] == [48]
    by_regex = analyze(client, allow_list=["^jo.n"], allow_list_match="regex")
    assert [each["start"] for each in by_regex] == [48]
    assert len(analyze(client, allow_list=["^jo.n"], allow_list_match="regex", regex_flags=0)) == 2


def test_ad_hoc_recognizers_find_patterns_words_and_context(client: httpx.Client) -> None:
    text = "The lantern is near. Zip code: 10023"
    (found,) = analyze(
        client, text, ad_hoc_recognizers=[ZIP], entities=["ZIP"], score_threshold=0.001
    )
    assert found["score"] >= 0.01
    (supported,) = analyze(
        client,
        text,
        ad_hoc_recognizers=[{**ZIP, "context": ["zip", "code"], "supported_entity": "MINE"}],
        entities=["MINE"],
    )
    assert (supported["start"], supported["end"]) == (31, 36)
    assert supported["score"] == pytest.approx(0.4)
    words = {"name": "n", "supported_entity": "LIGHT", "deny_list": ["lantern"]}
    (light,) = analyze(client, text, ad_hoc_recognizers=[words], entities=["LIGHT"])
    assert (light["start"], light["end"], light["score"]) == (4, 11, 1.0)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({}, 500, "No text provided"),
        ({"language": "en"}, 500, "No text provided"),
        ({"text": LICENCE}, 500, "No language provided"),
        ({"text": LICENCE, "language": "zz"}, 500, "No matching recognizers"),
        (
            {
                "text": LICENCE,
                "language": "en",
                "ad_hoc_recognizers": [
                    {**ZIP, "patterns": [{"type": "a", "bebex": "b", "confidence": 1}]}
                ],
            },
            400,
            "Failed to parse /analyze request",
        ),
        (
            {
                "text": LICENCE,
                "language": "en",
                "ad_hoc_recognizers": [
                    {**ZIP, "patterns": [{"name": "a", "regex": "(?=a)", "score": 1}]}
                ],
            },
            400,
            "RE2 cannot run",
        ),
        ({"text": LICENCE, "language": "en", "entities": "PERSON"}, 400, "entities"),
    ],
)
def test_errors_have_presidios_statuses(
    client: httpx.Client, body: dict[str, Any], status: int, message: str
) -> None:
    answer = client.post("/analyze", json=body)
    assert answer.status_code == status
    assert message in answer.json()["error"]


def test_a_pattern_that_would_backtrack_does_not(client: httpx.Client) -> None:
    evil = {
        **ZIP,
        "patterns": [{"name": "a", "regex": "(a+)+$", "score": 0.5}],
        "supported_entity": "A",
    }
    text = "a" * 20_000 + "!"
    assert analyze(client, text, ad_hoc_recognizers=[evil], entities=["A"]) == []


def test_lists_say_what_there_is(client: httpx.Client) -> None:
    assert client.get("/health").status_code == 200
    assert "PERSON" in client.get("/supportedentities", params={"language": "en"}).json()
    assert "PERSON" in client.get("/supportedentities", params={"uknown": "input"}).json()
    answer = client.get("/supportedentities", params={"language": "he"})
    assert (answer.status_code, "No matching" in answer.json()["error"]) == (500, True)
    assert client.get("/recognizers", params={"language": "en"}).json()
    assert {"hash", "mask", "redact", "replace", "encrypt"} <= {*client.get("/anonymizers").json()}


def anonymize(client: httpx.Client, **body: Any) -> Any:
    """The answer."""
    answer = client.post("/anonymize", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def entity(start: int, end: int, type: str, score: float = 0.8) -> dict[str, Any]:
    """One result."""
    return {"start": start, "end": end, "score": score, "entity_type": type}


def test_operators_and_overlaps_are_presidios(client: httpx.Client) -> None:
    found = [
        entity(24, 32, "NAME"),
        entity(24, 28, "FIRST_NAME"),
        entity(29, 32, "LAST_NAME", 0.6),
        entity(48, 57, "PHONE_NUMBER", 0.95),
    ]
    mask = {"type": "mask", "masking_char": "*", "chars_to_mask": 4, "from_end": True}
    anonymizers = {"DEFAULT": {"type": "replace", "new_value": "ANONYMIZED"}, "PHONE_NUMBER": mask}
    answer = anonymize(client, text=JANE, anonymizers=anonymizers, analyzer_results=found)
    assert answer["text"] == "hello world, my name is ANONYMIZED. My number is: 03445****"
    assert answer["items"] == [
        {
            "start": 50,
            "end": 59,
            "entity_type": "PHONE_NUMBER",
            "text": "03445****",
            "operator": "mask",
        },
        {
            "start": 24,
            "end": 34,
            "entity_type": "NAME",
            "text": "ANONYMIZED",
            "operator": "replace",
        },
    ]
    for item in answer["items"]:
        assert answer["text"][item["start"] : item["end"]] == item["text"]
    assert anonymize(client, text=JANE, analyzer_results=found[:1])["text"][24:30] == "<NAME>"
    assert anonymize(client, text=JANE, analyzer_results=[])["text"] == JANE
    salted = {"DEFAULT": {"type": "hash", "hash_type": "sha256", "salt": "s" * 16}}
    hashed = anonymize(
        client, text="Jane", anonymizers=salted, analyzer_results=[entity(0, 4, "X")]
    )
    assert hashed["text"] == hashlib.sha256(b"s" * 16 + b"Jane").hexdigest()


def test_what_is_encrypted_can_be_decrypted(client: httpx.Client) -> None:
    key = "1" * 16
    answer = anonymize(
        client,
        text="text_for_encryption",
        anonymizers={"DEFAULT": {"type": "encrypt", "key": key}},
        analyzer_results=[entity(0, 19, "NAME")],
    )
    assert answer["text"] != "text_for_encryption"
    back = client.post("/decrypt", json={"text": answer["text"], "key": key})
    assert back.json() == {"result": "text_for_encryption"}
    published = "e6HnOMnIxbd4a8Qea44LshQDnjvxwzBIaAz+YqHNnMW2mC5r3AWoay8Spsoajyyy"
    assert client.post("/decrypt", json={"text": published, "key": key}).json() == {
        "result": "text_for_encryption"
    }
    for body, status in (
        ({"text": "a", "key": "short"}, 422),
        ({"text": "a"}, 422),
        ({"key": key}, 422),
        ({}, 400),
    ):
        assert client.post("/decrypt", json=body).status_code == status


def test_surrogates_and_several_texts_which_presidio_lacks(client: httpx.Client) -> None:
    text = "Jane Doe met Jane Doe on 3/14/2019."
    found = [entity(0, 8, "PERSON"), entity(13, 21, "PERSON"), entity(25, 34, "DATE_TIME")]
    body = {
        "text": [text, JANE],
        "anonymizers": {"DEFAULT": {"type": "surrogate"}},
        "analyzer_results": [found, []],
    }
    first, second = anonymize(client, **body)
    assert "Jane" not in first["text"]
    date, *names = first["items"]
    assert names[0]["text"] == names[1]["text"]
    assert date["text"] != "3/14/2019"
    assert second["text"] == JANE
    assert anonymize(client, **body) == [first, second]


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"text": "", "analyzer_results": [entity(0, 1, "A")]}, 422, "text can not be empty"),
        ({"text": "ab", "analyzer_results": [entity(1, 9, "A")]}, 422, "outside the text"),
        ({"text": "ab", "analyzer_results": [{"start": 0, "end": 1}]}, 422, "must contain"),
        (
            {"text": "ab", "analyzer_results": [], "anonymizers": {"A": {"type": "burn"}}},
            422,
            "operator",
        ),
        (
            {
                "text": "ab",
                "analyzer_results": [],
                "anonymizers": {"A": {"type": "mask", "masking_char": "**", "chars_to_mask": 2}},
            },
            422,
            "masking_char",
        ),
        ({}, 400, "Invalid request json"),
    ],
)
def test_what_cannot_be_anonymised_is_refused(
    client: httpx.Client, body: dict[str, Any], status: int, message: str
) -> None:
    answer = client.post("/anonymize", json=body)
    assert answer.status_code == status
    assert message in answer.json()["error"]
    broken = client.post("/anonymize", content=b"{,}", headers={"content-type": "application/json"})
    assert broken.status_code == 400


def test_litellms_way_from_one_route_to_the_other(client: httpx.Client) -> None:
    text = "My name is Jane Doe, call me at 212-555-0147."
    found = analyze(client, text)
    answer = anonymize(client, text=text, analyzer_results=found)
    assert answer["text"] == "My name is <PERSON>, call me at <PHONE_NUMBER>."
    assert [item["operator"] for item in answer["items"]] == ["replace", "replace"]
