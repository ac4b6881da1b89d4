"""Our own routes give what the library gives, and refuse what cannot be, over a real socket."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from serve.conftest import KEY
from serve.servers import Server

import incognote
from incognote import Deidentifier, Document
from incognote.samples import sample_notes

NOTES = list(sample_notes().values())
ODD = "Émile 😀 Okafor, MRN: 307-74-18, seen by Dr. Núñez on 3/14/2019 😀."


def deid(client: httpx.Client, **body: Any) -> Any:
    """The notes of an answer."""
    answer = client.post("/v1/deid", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["notes"]


def test_a_text_comes_back_as_from_the_library(client: httpx.Client) -> None:
    for text in NOTES:
        (note,) = deid(client, text=text)
        result = incognote.deidentify(text)
        assert note["text"] == result.text
        assert note["spans"] == result.to_dict()["spans"]
        assert note["seen"] == len(text)


def test_a_batch_comes_back_in_order_with_its_ids(client: httpx.Client) -> None:
    body = [{"id": f"n{number}", "text": text} for number, text in enumerate(NOTES)]
    notes = deid(client, notes=body)
    assert [note["id"] for note in notes] == [note["id"] for note in body]
    assert [note["text"] for note in notes] == [incognote.deidentify(text).text for text in NOTES]


def test_every_option_of_a_request_is_the_librarys(client: httpx.Client) -> None:
    text = NOTES[0]
    for body, made in (
        ({"policy": "safe-harbor"}, Deidentifier(policy="safe-harbor")),
        ({"replace": {"DEFAULT": "tag", "DATE": "year"}}, Deidentifier("tag,DATE=year")),
        ({"replace": "mask", "number": True}, Deidentifier("mask", number=True)),
        ({"replace": "surrogate"}, Deidentifier("surrogate", key=KEY)),
        ({"detector": "rules"}, Deidentifier(detector="rules")),
        ({"speed": "fast"}, Deidentifier(speed="fast")),
    ):
        (note,) = deid(client, text=text, **body)
        assert note["text"] == made(text).text


def test_patients_known_values_and_shifts_count(client: httpx.Client) -> None:
    text = "The lantern keeper was seen on 3/14/2019."
    known = [{"type": "PATIENT", "value": "lantern"}]
    (note,) = deid(client, notes=[{"text": text, "known": known}])
    assert "lantern" not in note["text"]
    assert note["text"] == Deidentifier()(Document("", text, known=(("PATIENT", "lantern"),))).text
    made = Deidentifier("surrogate", key=KEY)
    note = {"text": NOTES[1], "patient": "p-7", "shift": 30}
    (shifted,) = deid(client, notes=[note], replace="surrogate")
    assert shifted["text"] == made(Document("", NOTES[1], patient="p-7", shift=30)).text


@pytest.mark.parametrize(("unit", "codec"), [("utf16", "utf-16-le"), ("utf8", "utf-8")])
def test_offsets_are_counted_as_asked_for(client: httpx.Client, unit: str, codec: str) -> None:
    width = 2 if unit == "utf16" else 1
    found = client.post("/v1/find", json={"text": ODD, "offsets": unit}).json()["notes"][0]
    data = ODD.encode(codec)
    shown = [
        data[width * span["start"] : width * span["end"]].decode(codec) for span in found["spans"]
    ]
    assert shown == [span.text for span in incognote.deidentify(ODD).spans]
    marks = [
        {"start": span["start"], "end": span["end"], "type": "IDNUM"} for span in found["spans"]
    ]
    (note,) = deid(client, notes=[{"text": ODD, "spans": marks}], offsets=unit, detector="rules")
    assert "Okafor" not in note["text"]
    within = [{"start": 0, "end": data.index("😀".encode(codec)) // width + 1, "type": "AGE"}]
    answer = client.post(
        "/v1/deid", json={"notes": [{"text": ODD, "spans": within}], "offsets": unit}
    )
    assert answer.status_code == 422
    assert "within a character" in answer.json()["detail"]


def test_an_explanation_has_reasons_and_no_text(client: httpx.Client) -> None:
    answer = client.post("/v1/find", json={"text": ODD, "explain": True}).json()["notes"][0]
    assert [span["why"] for span in answer["explanation"]["spans"]]
    assert "Okafor" not in str(answer)


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({}, 422, "give either text or notes"),
        ({"text": "a", "notes": [{"text": "b"}]}, 422, "give either text or notes"),
        ({"text": "a", "replace": "nonsense"}, 422, "is not a way to replace"),
        ({"text": "a", "policy": "../../etc/passwd"}, 422, "no such policy"),
        ({"text": "a", "model": "/tmp/model"}, 422, "is not known"),
        ({"text": "a", "key": "secret"}, 422, "is not known"),
        ({"notes": [{"text": "a"}] * 65}, 413, "at most 64"),
        ({"notes": [{"text": "a", "shift": 0}]}, 422, "note 1: a shift of 0 days"),
        (
            {"notes": [{"text": "ab", "spans": [{"start": 0, "end": 9, "type": "X"}]}]},
            422,
            "outside",
        ),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(
    client: httpx.Client, body: dict[str, Any], status: int, words: str
) -> None:
    answer = client.post("/v1/deid", json=body)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert words in answer.text
    assert answer.json()["status"] == status


def test_a_body_that_is_no_json_is_a_problem(client: httpx.Client) -> None:
    answer = client.post(
        "/v1/deid", content=b'{"text": "Amara Okafor', headers={"content-type": "application/json"}
    )
    assert answer.status_code == 422
    assert "Okafor" not in answer.text
    assert client.get("/nowhere").status_code == 404
    assert client.get("/v1/deid").json()["status"] == 405


def test_many_clients_at_once_each_get_their_own(server: Server) -> None:
    texts = [f"{text}\nRef {number}: seen by Dr. Núñez." for number in range(8) for text in NOTES]
    expected = [result.text for result in Deidentifier().pipe(texts)]

    async def ask() -> list[str]:
        async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
            answers = await asyncio.gather(
                *(client.post("/v1/deid", json={"text": text}) for text in texts)
            )
        return [answer.json()["notes"][0]["text"] for answer in answers]

    assert asyncio.run(ask()) == expected


def test_scores_are_those_of_the_command(client: httpx.Client) -> None:
    gold = {"id": "a", "text": "Dr. Okafor", "spans": [{"start": 4, "end": 10, "type": "DOCTOR"}]}
    body = {"gold": [gold], "predicted": [{"id": "a", "spans": gold["spans"]}]}
    figures = client.post("/v1/score", json=body).json()
    assert figures["release"]["covered_recall"]["value"] == 1.0
    wrong = {**body, "gold": [{**gold, "spans": [{"start": 4, "end": 99, "type": "DOCTOR"}]}]}
    assert client.post("/v1/score", json=wrong).status_code == 422


def test_vectors_and_masks_come_from_the_encoder(client: httpx.Client) -> None:
    (text,) = client.post("/v1/features", json={"texts": ["Chest pain."]}).json()["texts"]
    assert [(word["start"], word["end"]) for word in text["words"]] == [(0, 5), (6, 10), (10, 11)]
    pooled = client.post("/v1/features", json={"texts": ["Chest pain.", "No."], "pool": "mean"})
    assert {len(each["vector"]) for each in pooled.json()["texts"]} == {384}
    fills = client.post("/v1/fill-mask", json={"text": "The patient denies chest [MASK]."}).json()
    assert "pain" in [fill["token_str"].lstrip("▁") for fill in fills["masks"][0]]
    assert client.post("/v1/fill-mask", json={"text": "no mask"}).status_code == 422
